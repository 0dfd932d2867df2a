//! The terminal: the only module that prints.
//!
//! Data goes to standard output, through a pager if that is a terminal; everything else goes to standard
//! error. A closed pipe is not an error.

#![expect(clippy::disallowed_methods, reason = "the terminal says what it can")]

use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use jiff::tz::TimeZone;
use serde::Serialize;
use unspool_render::json;
use unspool_store::progress::Progress;
use unspool_text::chart::Glyphs;
use unspool_text::{ColorMode, Line, Role, TextSpan, paint, sanitize};

use crate::args::ColorChoice;
use crate::settings::{Display, Pager, Width, Zone};

/// The width of output that is not on a terminal.
const PIPE_WIDTH: usize = 100;

/// How long work may take before its progress is shown.
const TIMEOUT: Duration = Duration::from_millis(500);

/// The state of the terminal.
pub(crate) struct Ui {
    colors: StreamColors,
    pager: Pager,
    width: usize,
    interactive: bool,
    zone: Zone,
    /// Set after the note that the run waits for another process.
    has_waited: AtomicBool,
}

impl Ui {
    pub(crate) fn new(display: &Display) -> Self {
        let (out, err) = (io::stdout().is_terminal(), io::stderr().is_terminal());
        Self {
            colors: StreamColors::of(display.color.value, [out, err], is_dumb()),
            pager: pager(&display.pager.value, out && io::stdin().is_terminal(), is_dumb()),
            width: width(display.width.value),
            interactive: out,
            zone: display.zone.value.clone(),
            has_waited: AtomicBool::new(false),
        }
    }

    /// Returns the width of the output.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Returns the zone that times are shown in.
    pub(crate) fn zone(&self) -> TimeZone {
        self.zone.time_zone()
    }

    /// Tells whether the terminal supports no control sequences.
    #[expect(clippy::unused_self, reason = "only the user interface asks the terminal")]
    pub(crate) fn is_dumb(&self) -> bool {
        is_dumb()
    }

    /// Returns the glyphs that charts are drawn with.
    #[expect(clippy::unused_self, reason = "only the user interface asks the terminal")]
    pub(crate) fn glyphs(&self) -> Glyphs {
        if is_dumb() { Glyphs::Ascii } else { Glyphs::Blocks }
    }

    /// Tells whether standard output is a terminal.
    pub(crate) fn is_interactive(&self) -> bool {
        self.interactive
    }

    /// Opens standard output for many lines, through a pager if there is one.
    pub(crate) fn page(&self) -> OutputPage {
        self.page_from(None)
    }

    /// Opens standard output for many lines. A pager that supports it starts at the line with the mark.
    pub(crate) fn page_from(&self, mark: Option<&str>) -> OutputPage {
        let child = match &self.pager {
            Pager::None => None,
            Pager::Command(line) => start_pager(line, mark),
        };
        match child {
            Some((child, stdin)) => OutputPage {
                out: Box::new(BufWriter::new(stdin)),
                child: Some(child),
                color: self.colors.out,
            },
            None => OutputPage {
                out: Box::new(BufWriter::with_capacity(64 * 1024, io::stdout())),
                child: None,
                color: self.colors.out,
            },
        }
    }

    /// Opens standard output for data.
    #[expect(clippy::unused_self, reason = "only the user interface opens standard output")]
    pub(crate) fn data(&self) -> impl Write + use<> {
        BufWriter::with_capacity(64 * 1024, io::stdout())
    }

    /// Prints lines, through a pager if there is one.
    pub(crate) fn print_lines(&self, lines: impl IntoIterator<Item = Line>) -> Result<()> {
        let mut page = self.page();
        page.lines(lines)?;
        Ok(page.finish()?)
    }

    /// Prints a value as a line of JSON.
    pub(crate) fn print_json(&self, value: &impl Serialize) -> Result<()> {
        self.print_json_lines([value])
    }

    /// Prints each value as a line of JSON.
    pub(crate) fn print_json_lines(
        &self,
        values: impl IntoIterator<Item = impl Serialize>,
    ) -> Result<()> {
        let mut out = self.data();
        for value in values {
            json::write_line(&value, &mut out)?;
        }
        Ok(out.flush()?)
    }

    /// Prints a line of text.
    pub(crate) fn print_text(&self, text: &str) -> Result<()> {
        self.print_bytes(format!("{text}\n").as_bytes())
    }

    /// Prints bytes unchanged.
    pub(crate) fn print_bytes(&self, bytes: &[u8]) -> Result<()> {
        let mut out = self.data();
        out.write_all(bytes)?;
        Ok(out.flush()?)
    }

    /// Opens standard output for lines that are shown as they are printed.
    pub(crate) fn live(&self) -> LiveOutput {
        LiveOutput { color: self.colors.out, is_begun: false }
    }

    /// Tells whether a person sees the notes.
    #[expect(clippy::unused_self, reason = "only the user interface asks the terminal")]
    pub(crate) fn can_note(&self) -> bool {
        io::stderr().is_terminal()
    }

    /// Tells whether a person can answer a question.
    #[expect(clippy::unused_self, reason = "only the user interface asks the terminal")]
    pub(crate) fn can_ask(&self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Tells whether the terminal can show a full-screen program.
    #[expect(clippy::unused_self, reason = "only the user interface asks the terminal")]
    pub(crate) fn is_for_a_person(&self) -> bool {
        io::stdin().is_terminal() && io::stdout().is_terminal() && !is_dumb()
    }

    /// Returns the colour depth for a full-screen program, which opens the terminal itself.
    pub(crate) fn depth(&self) -> unspool_tui::ColorDepth {
        match self.colors.terminal {
            ColorMode::Always => unspool_tui::ColorDepth::Sixteen,
            ColorMode::Never => unspool_tui::ColorDepth::Monochrome,
        }
    }

    /// Prints a question and reads the answer.
    #[expect(clippy::unused_self, reason = "only the user interface asks the terminal")]
    pub(crate) fn ask(&self, question: &str) -> io::Result<String> {
        io::stderr().write_all(sanitize::clean(question).as_bytes())?;
        let mut line = String::new();
        io::stdin().read_line(&mut line)?;
        Ok(line)
    }

    /// Runs some work, and shows its progress on a terminal if it takes long.
    #[expect(clippy::unused_self, reason = "only the user interface prints")]
    pub(crate) fn with_progress<T>(&self, total: u64, work: impl FnOnce(&AtomicU64) -> T) -> T {
        let done = AtomicU64::new(0);
        if !io::stderr().is_terminal() || total == 0 {
            return work(&done);
        }
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            let painter = scope.spawn(|| {
                thread::park_timeout(TIMEOUT);
                if over.load(Ordering::Relaxed) {
                    return;
                }
                let bar = progress_bar(total);
                while !over.load(Ordering::Relaxed) {
                    bar.set_position(done.load(Ordering::Relaxed));
                    thread::park_timeout(TIMEOUT / 5);
                }
                bar.finish_and_clear();
            });
            let result = work(&done);
            over.store(true, Ordering::Relaxed);
            painter.thread().unpark();
            result
        })
    }

    /// Prints an error.
    pub(crate) fn error(&self, text: &str) {
        self.print_message("error: ", Role::Failure, text);
    }

    /// Prints a warning.
    pub(crate) fn warning(&self, text: &str) {
        self.print_message("warning: ", Role::Warning, text);
    }

    /// Prints a note.
    pub(crate) fn note(&self, text: &str) {
        self.print_message("note: ", Role::Muted, text);
    }

    /// Prints several notes.
    pub(crate) fn notes(&self, texts: &[impl ToString]) {
        for text in texts {
            self.note(&text.to_string());
        }
    }

    /// Prints several warnings.
    pub(crate) fn warnings(&self, texts: &[impl ToString]) {
        for text in texts {
            self.warning(&text.to_string());
        }
    }

    /// Prints each item on its own line, indented.
    pub(crate) fn list(&self, things: impl IntoIterator<Item = impl ToString>) {
        for thing in things {
            self.plain_note(&format!("  {}", thing.to_string()));
        }
    }

    /// Prints a message without a label.
    pub(crate) fn plain_note(&self, text: &str) {
        self.print_message("", Role::Plain, text);
    }

    fn print_message(&self, label: &str, role: Role, text: &str) {
        let mut message = String::new();
        for (index, said) in sanitize::clean(text).lines().enumerate() {
            let mut line = Line::new();
            if index == 0 {
                line.push(TextSpan::new(label, role));
            }
            line.push(TextSpan::plain(said));
            paint(&line, self.colors.error, &mut message);
            message.push('\n');
        }
        // If standard error is closed, the message is lost.
        let _ = io::stderr().write_all(message.as_bytes());
    }

    /// Installs a panic hook that prints one sentence instead of a backtrace.
    #[expect(clippy::unused_self, reason = "only the user interface prints")]
    pub(crate) fn install_panic_hook(&self) {
        std::panic::set_hook(Box::new(|info| {
            let place = info.location().map(ToString::to_string).unwrap_or_default();
            let message = format!("error: a bug in unspool, at {place}\n");
            let _ = io::stderr().write_all(message.as_bytes());
        }));
    }
}

/// Creates a bar with the progress, the rate and the remaining time.
fn progress_bar(total: u64) -> ProgressBar {
    const LOOK: &str = "reading {bar:24} {percent:>3} %  {decimal_bytes} of {decimal_total_bytes}  \
        {decimal_bytes_per_sec}  {eta} left";
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template(LOOK) {
        bar.set_style(style);
    }
    bar
}

impl Progress for Ui {
    fn watch(&self, total: u64, work: &mut dyn FnMut(&AtomicU64)) {
        self.with_progress(total, |read| work(read));
    }

    fn wait(&self, waiting: &mut dyn FnMut()) {
        const WORDS: &str = "another process is building the index; waiting until it is done";
        if !io::stderr().is_terminal() {
            // A run may wait several times, for different parts of the index.
            if !self.has_waited.swap(true, Ordering::Relaxed) {
                self.note(WORDS);
            }
            return waiting();
        }
        let spinner = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        spinner.set_message(WORDS);
        spinner.enable_steady_tick(TIMEOUT / 5);
        waiting();
        spinner.finish_and_clear();
    }
}

/// Tells whether the terminal supports no control sequences.
fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Returns the pager for the output; none unless a person reads it on a terminal that supports control
/// sequences.
fn pager(set: &Pager, is_terminal: bool, is_dumb: bool) -> Pager {
    if is_terminal && !is_dumb { set.clone() } else { Pager::None }
}

/// Where colours are used.
struct StreamColors {
    out: ColorMode,
    error: ColorMode,
    /// The terminal, wherever the standard streams go.
    terminal: ColorMode,
}

impl StreamColors {
    /// Decides for standard output and standard error, which may be terminals, and for the terminal.
    fn of(choice: ColorChoice, [out, err]: [bool; 2], is_dumb: bool) -> Self {
        let color = |is_terminal| match choice {
            ColorChoice::Always => ColorMode::Always,
            ColorChoice::Auto if is_terminal && !is_dumb => ColorMode::Always,
            ColorChoice::Auto | ColorChoice::Never => ColorMode::Never,
        };
        Self { out: color(out), error: color(err), terminal: color(true) }
    }
}

/// Returns the width of the terminal that is standard output.
pub(crate) fn terminal_width() -> Option<usize> {
    if !io::stdout().is_terminal() {
        return None;
    }
    let (width, _) = terminal_size::terminal_size()?;
    Some(usize::from(width.0))
}

fn width(wanted: Width) -> usize {
    let there = || terminal_width().unwrap_or(PIPE_WIDTH);
    let width = match wanted {
        Width::Terminal => there(),
        Width::AtMost(most) => there().min(most),
        Width::Exactly(width) => width,
    };
    width.clamp(20, 1000)
}

fn start_pager(line: &str, mark: Option<&str>) -> Option<(Child, ChildStdin)> {
    let mut command = pager_command(line, mark)?;
    command.stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", "FRX");
    }
    let mut child = command.spawn().ok()?;
    let stdin = child.stdin.take()?;
    Some((child, stdin))
}

/// Builds the command of a pager; only `less` can start at a mark.
fn pager_command(line: &str, mark: Option<&str>) -> Option<Command> {
    let mut words = line.split_whitespace();
    let program = words.next()?;
    let mut command = Command::new(program);
    command.args(words);
    let name = std::path::Path::new(program).file_stem();
    if let Some(mark) = mark.filter(|_| name.is_some_and(|name| name == "less")) {
        command.arg(format!("+/{mark}"));
    }
    Some(command)
}

/// Standard output for lines that are shown as they are printed.
pub(crate) struct LiveOutput {
    color: ColorMode,
    /// Set if the last line is unfinished.
    is_begun: bool,
}

impl LiveOutput {
    /// Prints a part of a line, which the caller has sanitized.
    pub(crate) fn piece(&mut self, text: &str) -> io::Result<()> {
        if !text.is_empty() {
            self.is_begun = !text.ends_with('\n');
        }
        self.raw(text.as_bytes())
    }

    /// Prints lines, after finishing an unfinished line.
    pub(crate) fn lines(&mut self, lines: &[Line]) -> io::Result<()> {
        let mut text = String::new();
        if std::mem::take(&mut self.is_begun) {
            text.push('\n');
        }
        for line in lines {
            paint(line, self.color, &mut text);
            text.push('\n');
        }
        self.raw(text.as_bytes())
    }

    /// Prints bytes unchanged.
    #[expect(clippy::unused_self, reason = "only the user interface opens standard output")]
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        out.flush()
    }
}

/// Standard output for many lines.
pub(crate) struct OutputPage {
    out: Box<dyn Write>,
    child: Option<Child>,
    color: ColorMode,
}

impl OutputPage {
    /// Prints a line.
    pub(crate) fn line(&mut self, line: &Line) -> io::Result<()> {
        let mut text = String::new();
        paint(line, self.color, &mut text);
        text.push('\n');
        self.out.write_all(text.as_bytes())
    }

    /// Prints lines.
    pub(crate) fn lines(&mut self, lines: impl IntoIterator<Item = Line>) -> io::Result<()> {
        lines.into_iter().try_for_each(|line| self.line(&line))
    }

    /// Flushes the output and waits for the pager.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        drop(std::mem::replace(&mut self.out, Box::new(io::sink())));
        if let Some(mut child) = self.child.take() {
            child.wait()?;
        }
        flushed
    }
}

impl Drop for OutputPage {
    fn drop(&mut self) {
        drop(std::mem::replace(&mut self.out, Box::new(io::sink())));
        if let Some(mut child) = self.child.take() {
            // Waiting for the pager keeps the output readable after an error.
            let _ = child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pager_needs_a_terminal_that_can_do_more_than_print() {
        let set = Pager::Command("less".to_owned());
        assert_eq!(pager(&set, true, false), set);
        assert_eq!(pager(&set, true, true), Pager::None);
        assert_eq!(pager(&set, false, false), Pager::None);
    }

    #[test]
    fn each_stream_has_its_own_colours() {
        use ColorMode::{Always, Never};
        for (choice, terminals, is_dumb, expected) in [
            (ColorChoice::Auto, [true, true], false, [Always, Always, Always]),
            (ColorChoice::Auto, [true, false], false, [Always, Never, Always]),
            (ColorChoice::Auto, [false, true], false, [Never, Always, Always]),
            (ColorChoice::Auto, [true, true], true, [Never, Never, Never]),
            (ColorChoice::Always, [false, false], true, [Always, Always, Always]),
            (ColorChoice::Never, [true, true], false, [Never, Never, Never]),
        ] {
            let colors = StreamColors::of(choice, terminals, is_dumb);
            let found = [colors.out, colors.error, colors.terminal];
            assert_eq!(found, expected, "{choice:?} {terminals:?} {is_dumb}");
        }
    }

    #[test]
    fn only_less_is_told_where_to_begin() {
        let args = |line: &str, mark| {
            let command = pager_command(line, mark).expect("a command");
            let args = command.get_args().map(|arg| arg.to_string_lossy().into_owned());
            args.collect::<Vec<_>>()
        };
        assert_eq!(args("less -R", Some("▼ ab")), ["-R", "+/▼ ab"]);
        assert_eq!(args("/usr/bin/less", Some("▼ ab")), ["+/▼ ab"]);
        assert_eq!(args("less", None), [""; 0]);
        assert_eq!(args("more -d", Some("▼ ab")), ["-d"]);
    }
}
