//! Programs in a pseudo-terminal, with a model of the screen.
//!
//! Tests write keys and read the screen that results from the program's output. There are no timeouts: a test
//! waits until the screen has the expected content, or until the program has ended.

use std::ffi::OsString;
use std::io::{Read as _, Write};
use std::num::NonZero;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;

use portable_pty::{
    Child, CommandBuilder, ExitStatus, MasterPty, PtySize, SlavePty, native_pty_system,
};
use vt100::{MouseProtocolMode, Parser};

use crate::{TestHome, process};

/// A program in a pseudo-terminal, which is killed on drop.
pub struct PtyProgram {
    master: Box<dyn MasterPty + Send>,
    /// Kept open so that the line settings can be read after the program has ended.
    _slave: Box<dyn SlavePty + Send>,
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    screen: Arc<PtyScreen>,
    /// The line settings before the program started.
    before: String,
}

#[derive(Default)]
struct PtyScreen {
    state: Mutex<PtyState>,
    changed: Condvar,
}

struct PtyState {
    parser: Parser,
    /// The whole output.
    bytes: Vec<u8>,
    is_closed: bool,
}

impl Default for PtyState {
    fn default() -> Self {
        Self { parser: screen_model(24, 80), bytes: Vec::new(), is_closed: false }
    }
}

/// The settings of a program in a pseudo-terminal, with the environment and the user's folder of a home.
pub struct PtyStart<'a> {
    home: &'a TestHome,
    program: OsString,
    args: Vec<OsString>,
    variables: Vec<(String, String)>,
    size: (u16, u16),
}

impl<'a> PtyStart<'a> {
    /// Configures a program in a terminal of 80 columns and 24 rows.
    pub fn program(home: &'a TestHome, program: impl AsRef<Path>) -> Self {
        Self {
            home,
            program: program.as_ref().into(),
            args: Vec::new(),
            variables: Vec::new(),
            size: (80, 24),
        }
    }

    /// Configures a shell with job control. Its prompt counts the commands.
    pub fn shell(home: &'a TestHome) -> Self {
        Self::program(home, "/bin/bash")
            .args(["--norc", "--noprofile", "-i"])
            .variable("PS1", "ready \\#> ")
    }

    /// Configures a shell that runs a script, in which `name` calls a program.
    pub fn script(
        home: &'a TestHome,
        (name, program): (&str, impl AsRef<Path>),
        script: &str,
    ) -> Self {
        let program = program.as_ref().display();
        let script = format!("{name}() {{ '{program}' \"$@\"; }}; {script}");
        Self::program(home, "/bin/sh").args(["-c", &script])
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<S: Into<OsString>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Adds a variable to the environment.
    #[must_use]
    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sets the size of the terminal.
    #[must_use]
    pub fn sized(mut self, columns: u16, rows: u16) -> Self {
        self.size = (columns, rows);
        self
    }

    /// Starts the program.
    pub fn run(self) -> PtyProgram {
        let (cols, rows) = self.size;
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a terminal");
        let mut command = CommandBuilder::new(&self.program);
        command.args(&self.args);
        command.env_clear();
        command.cwd(self.home.user_home());
        for (name, value) in self.home.env() {
            command.env(name, value);
        }
        command.env("TERM", "xterm-256color");
        for (name, value) in &self.variables {
            command.env(name, value);
        }
        let before = line_settings(&*pair.master);
        let child = pair.slave.spawn_command(command).expect("the program starts");
        let screen = Arc::new(PtyScreen::default());
        screen.lock().parser = screen_model(rows, cols);
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let shown = Arc::clone(&screen);
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                shown.take(&buffer[..count]);
            }
            shown.close();
        });
        PtyProgram {
            keys: pair.master.take_writer().expect("a writer"),
            master: pair.master,
            _slave: pair.slave,
            child,
            screen,
            before,
        }
    }
}

impl PtyScreen {
    fn lock(&self) -> MutexGuard<'_, PtyState> {
        self.state.lock().expect("no thread panics with it")
    }

    fn take(&self, bytes: &[u8]) {
        let mut state = self.lock();
        state.parser.process(bytes);
        state.bytes.extend_from_slice(bytes);
        self.changed.notify_all();
    }

    fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }
}

impl PtyProgram {
    /// Types keys.
    pub fn press(&mut self, keys: &str) -> &mut Self {
        self.keys.write_all(keys.as_bytes()).expect("a terminal");
        self.keys.flush().expect("a terminal");
        self
    }

    /// Waits until the screen shows a text.
    pub fn wait_for(&mut self, text: &str) -> &mut Self {
        self.wait(text, |state| state.parser.screen().contents().contains(text))
    }

    /// Waits until the program has entered or left the alternate screen.
    pub fn wait_for_alternate(&mut self, is_alternate: bool) -> &mut Self {
        let is_so =
            move |state: &PtyState| state.parser.screen().alternate_screen() == is_alternate;
        self.wait("the alternate screen", is_so)
    }

    fn wait(&mut self, what: &str, is_so: impl Fn(&PtyState) -> bool) -> &mut Self {
        let mut state = self.screen.lock();
        while !is_so(&state) {
            let shown = state.parser.screen().contents();
            assert!(!state.is_closed, "{what} does not come:\n{shown}");
            state = self.screen.changed.wait(state).expect("no thread panics");
        }
        drop(state);
        self
    }

    /// Returns the text on the screen.
    pub fn text(&self) -> String {
        self.screen.lock().parser.screen().contents()
    }

    /// Sends a signal to the program.
    pub fn signal(&mut self, name: &str) -> &mut Self {
        let pid = self.child.process_id().expect("it runs").to_string();
        assert!(process::signal(name, &pid), "{name} is sent");
        self
    }

    /// Changes the size of the terminal.
    pub fn resize(&mut self, columns: u16, rows: u16) -> &mut Self {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let (high, wide) = (cells(rows), cells(columns));
        self.screen.lock().parser.screen_mut().set_size(high, wide);
        self.master.resize(size).expect("a terminal");
        self
    }

    /// Waits until the program has ended, and returns its exit status.
    pub fn end(&mut self) -> ExitStatus {
        self.child.wait().expect("it ends")
    }

    /// Checks that the terminal has the state that it had before the program.
    pub fn expect_restored(&mut self) {
        let is_restored = |state: &PtyState| {
            let screen = state.parser.screen();
            !screen.alternate_screen()
                && screen.mouse_protocol_mode() == MouseProtocolMode::None
                && !screen.bracketed_paste()
                && !screen.hide_cursor()
        };
        self.wait("the terminal as it was", is_restored);
        assert_eq!(line_settings(&*self.master), self.before, "the line");
        let bytes = self.screen.lock().bytes.clone();
        let count = |text: &str| {
            let found = bytes.windows(text.len()).filter(|it| *it == text.as_bytes());
            found.count()
        };
        assert_eq!(count("\u{1b}[>"), 0, "no mode of the keyboard is pushed");
    }
}

impl Drop for PtyProgram {
    fn drop(&mut self) {
        // The program still runs only if the test failed.
        let _ = self.child.kill();
    }
}

fn screen_model(rows: u16, columns: u16) -> Parser {
    Parser::new(cells(rows), cells(columns), 0)
}

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).expect("a screen has cells")
}

/// Returns the line settings as text, for comparisons.
fn line_settings(master: &dyn MasterPty) -> String {
    let settings = master.get_termios().expect("a terminal");
    format!("{settings:?}")
}
