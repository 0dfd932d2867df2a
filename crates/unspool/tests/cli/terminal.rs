//! Runs the program on a terminal: keys go in, and a model of the screen shows what came out.

use std::io::{Read as _, Write};
use std::num::NonZero;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use unspool_testkit::TestHome;

/// How long something may take that a test waits for, on a machine that does much else.
const PATIENCE: Duration = Duration::from_mins(1);

/// How large the terminal is.
const ROWS: NonZero<u16> = NonZero::new(30).unwrap();
const COLUMNS: NonZero<u16> = NonZero::new(100).unwrap();

/// A command that has a terminal.
pub(crate) struct TerminalRun {
    screen: Arc<TerminalScreen>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    /// The terminal is closed with it.
    _terminal: Box<dyn MasterPty + Send>,
}

/// What the terminal shows.
struct TerminalScreen {
    parser: Mutex<vt100::Parser>,
    changed: Condvar,
}

/// How a command ended that had a terminal.
pub(crate) struct TerminalEnd {
    pub(crate) code: u32,
    /// Whether the terminal is as a shell expects it.
    pub(crate) is_left_clean: bool,
}

impl TerminalRun {
    /// Runs a script of the shell on a terminal of 100 columns and 30 rows. `unspool` in it is the program.
    pub(crate) fn start(home: &TestHome, script: &str) -> Self {
        let size = PtySize {
            rows: ROWS.get(),
            cols: COLUMNS.get(),
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system().openpty(size).expect("a terminal");
        let program = env!("CARGO_BIN_EXE_unspool");
        let mut command = CommandBuilder::new("sh");
        command.args([
            "-c",
            &format!("unspool() {{ {program} \"$@\"; }}; {script}"),
        ]);
        command.env_clear();
        for (name, value) in home.env() {
            command.env(name, value);
        }
        command.env("TERM", "xterm-256color");
        command.cwd(home.user_home());
        let child = pair.slave.spawn_command(command).expect("a shell");
        drop(pair.slave);
        let screen = Arc::new(TerminalScreen {
            parser: Mutex::new(vt100::Parser::new(ROWS, COLUMNS, 0)),
            changed: Condvar::new(),
        });
        let mut output = pair.master.try_clone_reader().expect("a reader");
        let shown = Arc::clone(&screen);
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                shown
                    .parser
                    .lock()
                    .expect("a lock")
                    .process(&bytes[..count]);
                shown.changed.notify_all();
            }
        });
        Self {
            screen,
            keys: pair.master.take_writer().expect("a writer"),
            child,
            _terminal: pair.master,
        }
    }

    /// Waits until the screen shows a text.
    pub(crate) fn wait_for(&self, text: &str) {
        let shows = |parser: &mut vt100::Parser| !parser.screen().contents().contains(text);
        let parser = self.screen.parser.lock().expect("a lock");
        let waited = self
            .screen
            .changed
            .wait_timeout_while(parser, PATIENCE, shows);
        let (parser, waited) = waited.expect("a lock");
        let contents = parser.screen().contents();
        assert!(!waited.timed_out(), "no `{text}` in\n{contents}");
    }

    /// Presses keys, as the terminal sends them.
    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("a terminal");
        self.keys.flush().expect("a terminal");
    }

    /// Waits for the end.
    pub(crate) fn end(mut self) -> TerminalEnd {
        let status = self.child.wait().expect("an end");
        let parser = self.screen.parser.lock().expect("a lock");
        let screen = parser.screen();
        let is_mouse_off = screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None;
        TerminalEnd {
            code: status.exit_code(),
            is_left_clean: !screen.alternate_screen()
                && !screen.hide_cursor()
                && !screen.bracketed_paste()
                && is_mouse_off,
        }
    }
}
