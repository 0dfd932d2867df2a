//! The full-screen program over 30,000 sessions: the first frame, a key to its frame, memory, rest.
//!
//! The program runs in a pseudo-terminal. A frame ends with the bytes that end a synchronized update; the
//! first one counts when it has rows in it.

use std::env;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use super::BenchContext;
use crate::program::Program;
use crate::quantity::Quantity;
use crate::report::{Budget, ReportLine};

/// How many sessions there are.
const SESSIONS: usize = 30_000;
/// How many projects they are in.
const PROJECTS: usize = 60;
/// How often the program is started; the middle one counts.
const STARTS: usize = 7;
/// How long the program is looked at while nothing happens.
const IDLE: Duration = Duration::from_secs(10);
/// How long to wait for a frame before the run is given up.
const PATIENCE: Duration = Duration::from_secs(20);
/// What ends a frame.
const FRAME_END: &[u8] = b"\x1b[?2026l";
/// A word of every title.
const TITLE: &[u8] = b"repair";
/// What is typed, one key after the other, several times.
const TYPED: &str = "repair the 17 gate\u{7f}\u{7f}\u{7f}";

pub(super) fn run(context: &mut BenchContext) -> Result<Vec<ReportLine>> {
    let folder = tempfile::tempdir()?;
    let home = folder.path().join("home");
    write_sessions(&home, SESSIONS / context.divisor.max(1) as usize)?;
    let index = folder.path().join("index");
    Program::new(&home, &index)?.run(&["list", "-n", "1"])?;
    let mut starts = Vec::new();
    for _ in 0..STARTS {
        let program = ShownProgram::start(&home, &index)?;
        starts.push(program.first_frame);
    }
    let program = ShownProgram::start(&home, &index)?;
    let mut program = program.settled();
    let keys = program.type_keys()?;
    let memory = program.memory();
    let ticks = program.ticks();
    sleep(IDLE);
    let spent = program.ticks().zip(ticks).map(|(now, then)| now - then);
    Ok(vec![
        ReportLine::new(
            "terminal: first frame",
            Quantity::seconds(part(&mut starts, 0.5)),
        )
        .allowed(Budget::at_most(Quantity::seconds(0.1))),
        ReportLine::new(
            "terminal: key to frame, 95 of 100",
            Quantity::seconds(part(&mut keys.clone(), 0.95)),
        )
        .allowed(Budget::at_most(Quantity::seconds(0.016))),
        ReportLine::new("terminal: memory", memory.map(Quantity::bytes))
            .allowed(Budget::at_most(Quantity::bytes(200_000_000))),
        ReportLine::new(
            "terminal: idle, processor time",
            spent.map(|ticks| Quantity::seconds(ticks as f64 / 100.0 / IDLE.as_secs_f64())),
        )
        .allowed(Budget::at_most(Quantity::seconds(0.005))),
    ])
}

/// Returns the value that this part of the values is not above.
fn part(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = (values.len() as f64 * share) as usize;
    values
        .get(at.min(values.len().saturating_sub(1)))
        .copied()
        .unwrap_or_default()
}

/// Writes many short sessions.
fn write_sessions(home: &Path, count: usize) -> Result<()> {
    for number in 0..count {
        let project = number % PROJECTS;
        let folder = home.join(format!("projects/-srv-project-{project}"));
        if number < PROJECTS {
            fs::create_dir_all(&folder)?;
        }
        let id = format!("{number:08x}-1111-4111-8111-111111111111");
        let minute = number % 60;
        let day = 1 + number % 28;
        let log = format!(
            concat!(
                r#"{{"type":"user","uuid":"u{0}","parentUuid":null,"sessionId":"{1}","cwd":"/srv/project-{2}","gitBranch":"main","#,
                r#""version":"2.1.325","timestamp":"2026-10-{3:02}T10:{4:02}:00.000Z","message":{{"role":"user","content":"repair gate {0} of the harbour"}}}}"#,
                "\n",
                r#"{{"type":"assistant","uuid":"a{0}","parentUuid":"u{0}","sessionId":"{1}","cwd":"/srv/project-{2}","timestamp":"2026-10-{3:02}T10:{4:02}:09.000Z","#,
                r#""message":{{"id":"m{0}","role":"assistant","model":"claude-opus-5-5","content":[{{"type":"text","text":"gate {0} is repaired"}}],"#,
                r#""usage":{{"input_tokens":10,"output_tokens":20}}}}}}"#,
                "\n"
            ),
            number, id, project, day, minute
        );
        fs::write(folder.join(format!("{id}.jsonl")), log)?;
    }
    Ok(())
}

/// The program in a pseudo-terminal.
struct ShownProgram {
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
    keys: Box<dyn std::io::Write + Send>,
    /// When each frame had arrived, and whether it had rows.
    frames: Receiver<(Instant, bool)>,
    /// The seconds from the start to the first frame with rows.
    first_frame: f64,
}

impl ShownProgram {
    fn start(home: &Path, index: &Path) -> Result<Self> {
        let myself = env::current_exe().context("cannot find myself")?;
        let binary = myself.with_file_name(format!("unspool{}", env::consts::EXE_SUFFIX));
        let size = PtySize {
            rows: 35,
            cols: 120,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system().openpty(size)?;
        let mut command = CommandBuilder::new(binary);
        command.env_clear();
        command.env("TERM", "xterm-256color");
        command.env("HOME", home.parent().unwrap_or(home));
        command.args(["--home".as_ref(), home.as_os_str()]);
        command.args(["--index".as_ref(), index.as_os_str()]);
        let mut reader = pair.master.try_clone_reader()?;
        let (send, frames) = mpsc::channel();
        let started = Instant::now();
        let child = pair.slave.spawn_command(command)?;
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let mut buffer = vec![0; 65_536];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                bytes.extend_from_slice(&buffer[..count]);
                while let Some(end) = find(&bytes, FRAME_END) {
                    let frame: Vec<u8> = bytes.drain(..end + FRAME_END.len()).collect();
                    let has_rows = find(&frame, TITLE).is_some();
                    if send.send((Instant::now(), has_rows)).is_err() {
                        return;
                    }
                }
            }
        });
        let keys = pair.master.take_writer()?;
        let first = loop {
            match frames.recv_timeout(PATIENCE) {
                Ok((at, true)) => break at,
                Ok((_, false)) => {}
                Err(_) => bail!("the program shows no rows"),
            }
        };
        Ok(Self {
            child,
            _master: pair.master,
            keys,
            frames,
            first_frame: (first - started).as_secs_f64(),
        })
    }

    /// Waits until everything was read and nothing is painted any more.
    fn settled(self) -> Self {
        while self.frames.recv_timeout(Duration::from_secs(2)).is_ok() {}
        self
    }

    /// Types, and returns the seconds from each key to the frame after it.
    fn type_keys(&mut self) -> Result<Vec<f64>> {
        let mut seconds = Vec::new();
        for _ in 0..8 {
            for key in TYPED.chars() {
                while self.frames.recv_timeout(Duration::from_millis(40)).is_ok() {}
                let pressed = Instant::now();
                let mut bytes = [0; 4];
                self.keys
                    .write_all(key.encode_utf8(&mut bytes).as_bytes())?;
                self.keys.flush()?;
                let shown = self.frames.recv_timeout(PATIENCE);
                let (shown, _) = shown.context("a key is not painted")?;
                seconds.push((shown - pressed).as_secs_f64());
            }
        }
        Ok(seconds)
    }

    fn memory(&self) -> Option<u64> {
        crate::machine::memory_of(self.child.process_id()?)
    }

    fn ticks(&self) -> Option<u64> {
        crate::machine::ticks_of(self.child.process_id()?)
    }
}

impl Drop for ShownProgram {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn find(bytes: &[u8], text: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, text)
}
