//! The full-screen program: the first frame over 30,000 sessions, the delay from a key to its frame, memory
//! and idle time; and the reader in a session of 100,000 messages.
//!
//! The program runs in a pseudo-terminal. A frame ends with the end of a synchronized update; the first one
//! counts when it has rows. The files of the logs are as old as their entries, so that the program does not
//! have to watch more fresh files than in a usual home.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, sleep};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, Result, bail};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use unspool_testkit::process::ticks_of;

use super::BenchContext;
use crate::program::{self, Program};
use crate::quantity::Quantity;
use crate::report::{Budget, ReportLine};

/// The number of sessions.
const SESSIONS: usize = 30_000;
/// The number of their projects.
const PROJECTS: usize = 60;
/// How often the program is started; the median counts.
const STARTS: usize = 7;
/// How long the idle program is observed.
const IDLE: Duration = Duration::from_secs(10);
/// How long to wait for a frame before the run fails.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The end of a frame.
const FRAME_END: &[u8] = b"\x1b[?2026l";
/// A word in every title.
const TITLE: &[u8] = b"repair";
/// The number of messages in the long session.
const MESSAGES: usize = 100_000;
/// Words in its first and in its last message.
const FIRST: &[u8] = b"overture";
const LAST: &[u8] = b"finale";
/// How often the reader jumps from one end to the other.
const JUMPS: usize = 12;
/// The keys that are typed, several times.
const TYPED: &str = "repair the 17 gate\u{7f}\u{7f}\u{7f}";

pub(super) fn run(context: &mut BenchContext) -> Result<Vec<ReportLine>> {
    let folder = tempfile::tempdir()?;
    let home = folder.path().join("home");
    write_sessions(&home, SESSIONS / context.divisor.max(1) as usize)?;
    let index = folder.path().join("index");
    Program::new(&home, &index)?.run(&["list", "-n", "1"])?;
    let mut lines = picker(&home, &index)?;
    let long = folder.path().join("long");
    write_long_session(&long, MESSAGES / context.divisor.max(1) as usize)?;
    let index = folder.path().join("long-index");
    Program::new(&long, &index)?.run(&["list", "-n", "1"])?;
    lines.extend(reader(&long, &index)?);
    Ok(lines)
}

/// Measures the picker.
fn picker(home: &Path, index: &Path) -> Result<Vec<ReportLine>> {
    let mut starts = Vec::new();
    for _ in 0..STARTS {
        let program = ShownProgram::start(home, index, TITLE)?;
        starts.push(program.first_frame);
    }
    let program = ShownProgram::start(home, index, TITLE)?;
    let mut program = program.settled();
    let keys = program.type_keys()?;
    let memory = program.memory();
    let ticks = program.ticks();
    sleep(IDLE);
    let spent = program.ticks().zip(ticks).map(|(now, then)| now - then);
    Ok(vec![
        ReportLine::new("terminal: first frame", Quantity::seconds(part(&mut starts, 0.5)))
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

/// Measures the reader.
fn reader(home: &Path, index: &Path) -> Result<Vec<ReportLine>> {
    let mut program = ShownProgram::start(home, index, FIRST)?.settled();
    let mut opened = vec![program.press_until("\r", LAST)?];
    program = program.settled();
    let (mut jumps, mut pages) = (Vec::new(), Vec::new());
    for _ in 0..JUMPS {
        jumps.push(program.press_until("gg", FIRST)?);
        jumps.push(program.press_until("G", LAST)?);
        for _ in 0..8 {
            pages.push(program.press_key("b")?);
        }
    }
    let memory = program.memory();
    let seconds = |name: &str, values: &mut Vec<f64>, most: f64| {
        let share = Quantity::seconds(part(values, 0.95));
        ReportLine::new(name, share).allowed(Budget::at_most(Quantity::seconds(most)))
    };
    Ok(vec![
        seconds("terminal: reader, 100,000 messages opened", &mut opened, 1.0),
        seconds("terminal: reader, jump to its lines, 95 of 100", &mut jumps, 0.1),
        seconds("terminal: reader, key to frame, 95 of 100", &mut pages, 0.016),
        ReportLine::new("terminal: reader, memory", memory.map(Quantity::bytes)),
    ])
}

/// Returns the quantile of some values.
fn part(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = (values.len() as f64 * share) as usize;
    values.get(at.min(values.len().saturating_sub(1))).copied().unwrap_or_default()
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
        let age = Duration::from_hours(2) + Duration::from_mins(10) * number as u32;
        write_log(&folder.join(format!("{id}.jsonl")), &log, age)?;
    }
    Ok(())
}

/// Writes one long session.
fn write_long_session(home: &Path, count: usize) -> Result<()> {
    let folder = home.join("projects/-srv-long");
    fs::create_dir_all(&folder)?;
    let id = "00000000-2222-4222-8222-222222222222";
    let mut log = String::new();
    for number in 0..count {
        let word = match number {
            0 => "overture",
            _ if number + 1 == count => "finale",
            _ => "interlude",
        };
        let parent = match number {
            0 => "null".to_owned(),
            _ => format!("\"e{}\"", number - 1),
        };
        let head = format!(
            r#""uuid":"e{number}","parentUuid":{parent},"sessionId":"{id}","cwd":"/srv/long","version":"2.1.325","timestamp":"2026-10-01T{:02}:{:02}:{:02}.000Z""#,
            number / 3600 % 24,
            number / 60 % 60,
            number % 60
        );
        if number % 2 == 0 {
            writeln!(
                log,
                r#"{{"type":"user",{head},"message":{{"role":"user","content":"{word} {number}: what comes after the last one?"}}}}"#
            )?;
        } else {
            writeln!(
                log,
                r#"{{"type":"assistant",{head},"message":{{"id":"m{number}","role":"assistant","model":"claude-opus-5-5","content":[{{"type":"text","text":"{word} {number}: the next one, and then the one after it."}}],"usage":{{"input_tokens":10,"output_tokens":20}}}}}}"#
            )?;
        }
    }
    write_log(&folder.join(format!("{id}.jsonl")), &log, Duration::from_hours(2))
}

/// Writes a log with a modification time in the past.
fn write_log(path: &Path, log: &str, age: Duration) -> Result<()> {
    fs::write(path, log)?;
    let written = SystemTime::now() - age;
    File::options().append(true).open(path)?.set_modified(written)?;
    Ok(())
}

/// The program in a pseudo-terminal.
struct ShownProgram {
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
    keys: Box<dyn std::io::Write + Send>,
    /// The frames with their times of arrival.
    frames: Receiver<(Instant, Vec<u8>)>,
    /// The seconds from the start to the first frame with rows.
    first_frame: f64,
}

impl ShownProgram {
    /// Starts the program, and waits for a frame with a text.
    fn start(home: &Path, index: &Path, text: &[u8]) -> Result<Self> {
        let binary = program::binary()?;
        let size = PtySize { rows: 35, cols: 120, pixel_width: 0, pixel_height: 0 };
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
                    if send.send((Instant::now(), frame)).is_err() {
                        return;
                    }
                }
            }
        });
        let keys = pair.master.take_writer()?;
        let first = await_text(&frames, text)?;
        Ok(Self {
            child,
            _master: pair.master,
            keys,
            frames,
            first_frame: (first - started).as_secs_f64(),
        })
    }

    /// Waits until the program stops painting.
    fn settled(self) -> Self {
        while self.frames.recv_timeout(Duration::from_secs(2)).is_ok() {}
        self
    }

    /// Types keys, and returns the seconds from each key to the next frame.
    fn type_keys(&mut self) -> Result<Vec<f64>> {
        let mut seconds = Vec::new();
        for _ in 0..8 {
            for key in TYPED.chars() {
                seconds.push(self.press_key(key.encode_utf8(&mut [0; 4]))?);
            }
        }
        Ok(seconds)
    }

    /// Presses a key, and returns the seconds to the next frame.
    fn press_key(&mut self, key: &str) -> Result<f64> {
        while self.frames.recv_timeout(Duration::from_millis(40)).is_ok() {}
        let pressed = self.write(key)?;
        let shown = self.frames.recv_timeout(TIMEOUT);
        let (shown, _) = shown.context("a key is not painted")?;
        Ok((shown - pressed).as_secs_f64())
    }

    /// Presses keys, and returns the seconds to a frame with a text.
    fn press_until(&mut self, keys: &str, text: &[u8]) -> Result<f64> {
        while self.frames.recv_timeout(Duration::from_millis(40)).is_ok() {}
        let pressed = self.write(keys)?;
        Ok((await_text(&self.frames, text)? - pressed).as_secs_f64())
    }

    fn write(&mut self, keys: &str) -> Result<Instant> {
        let pressed = Instant::now();
        self.keys.write_all(keys.as_bytes())?;
        self.keys.flush()?;
        Ok(pressed)
    }

    fn memory(&self) -> Option<u64> {
        crate::machine::memory_of(self.child.process_id()?)
    }

    fn ticks(&self) -> Option<u64> {
        ticks_of(self.child.process_id()?)
    }
}

impl Drop for ShownProgram {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits for a frame with a text, and returns its time of arrival.
fn await_text(frames: &Receiver<(Instant, Vec<u8>)>, text: &[u8]) -> Result<Instant> {
    loop {
        match frames.recv_timeout(TIMEOUT) {
            Ok((at, frame)) if find(&frame, text).is_some() => return Ok(at),
            Ok(_) => {}
            Err(_) => bail!("no frame has {:?}", String::from_utf8_lossy(text)),
        }
    }
}

fn find(bytes: &[u8], text: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, text)
}
