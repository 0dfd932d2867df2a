//! The event loop: one update for each event, one frame for all events that were waiting.

#![expect(
    clippy::disallowed_methods,
    reason = "frames are spaced by the clock, and screens are woken by it"
)]

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::Stdio;
use std::rc::Rc;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};
use signal_hook::consts::SIGTSTP;
use signal_hook::low_level::emulate_default_handler;
use unspool_drive::json::DriveEventJson;
use unspool_drive::{FollowStop, RunId};
use unspool_engine::library::{
    LibraryWatcher, OpenLimits, OpenSessions, ViewGuard, WatchNews, WatchSubscription,
};
use unspool_model::time::Time;
use unspool_text::base64;

use super::TuiError;
use super::keyboard::Keyboard;
use super::modes::TerminalModes;
use super::signals::SignalWatch;
use crate::canvas::Canvas;
use crate::effect::TuiEffect;
use crate::event::{ScreenSize, TuiEvent, TuiMoment};
use crate::press::KeyName;
use crate::program::TuiProgram;
use crate::settings::{MouseUse, TuiCommand, TuiFault, TuiOutcome, TuiSettings};
use crate::work::{WorkContext, Workers};

/// The least time between two frames (125 frames a second).
const BETWEEN_FRAMES: Duration = Duration::from_millis(8);
/// How long the first frame waits for rows, so that it is not empty.
const FIRST_FRAME: Duration = Duration::from_millis(60);
/// Clears the screen.
const EMPTY_SCREEN: &[u8] = b"\x1b[0m\x1b[H\x1b[2J";
/// How long the program waits at its end for unfinished actions of the user.
const LAST_WORK: Duration = Duration::from_secs(2);
/// How many sessions stay open after reading: the current one and the two before.
const SESSIONS_OPEN: usize = 3;

/// Runs the program on the terminal until it is left.
pub fn run(settings: TuiSettings) -> Result<TuiOutcome, TuiError> {
    let modes = Arc::new(TerminalModes::open().map_err(TuiError::NoTerminal)?);
    leave_on_panic(&modes);
    let (send, events) = crossbeam_channel::unbounded();
    let size = modes.size()?;
    let settings = Arc::new(settings);
    let signals = SignalWatch::start(Arc::clone(&modes), send.clone())?;
    modes.enter(settings.mouse)?;
    let keyboard = Keyboard::start(modes.reopened()?, settings.fault, send.clone())?;
    let mut running = RunningProgram::new(settings, modes, keyboard, signals, send, size)?;
    let outcome = running.run(&events);
    // Keys that are typed from here on are for the shell.
    running.keyboard.park();
    running.modes.leave();
    running.workers.finish(LAST_WORK);
    let outcome = outcome?;
    Ok(match running.signals.ended_by() {
        Some(signal) => TuiOutcome::Ended(signal),
        None => outcome,
    })
}

/// Restores the terminal before a panic on any thread is reported, and ends the process: a program
/// that lost a thread would only seem to work.
fn leave_on_panic(modes: &Arc<TerminalModes>) {
    let modes = Arc::downgrade(modes);
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let Some(modes) = modes.upgrade() else {
            return report(info);
        };
        modes.leave();
        report(info);
        std::process::exit(101);
    }));
}

/// The bytes of a frame, which are written to the terminal at once.
#[derive(Clone, Default)]
struct FrameBytes(Rc<RefCell<Vec<u8>>>);

impl FrameBytes {
    fn take(&self) -> Vec<u8> {
        self.0.take()
    }
}

impl io::Write for FrameBytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct RunningProgram {
    settings: Arc<TuiSettings>,
    program: TuiProgram,
    terminal: Terminal<CrosstermBackend<FrameBytes>>,
    /// The painted bytes that were not written yet.
    painted: FrameBytes,
    modes: Arc<TerminalModes>,
    keyboard: Keyboard,
    signals: SignalWatch,
    workers: Workers,
    send: Sender<TuiEvent>,
    mouse: MouseUse,
    /// The earliest time that a screen asked to be woken at.
    wake: Option<Time>,
    watcher: LibraryWatcher,
    watching: Option<WatchSubscription>,
    looks: BTreeMap<PathBuf, ViewGuard>,
    /// The runs that were ever followed, including ended ones.
    followed: BTreeSet<RunId>,
    /// The threads that follow runs; ended ones are removed before the next run is followed.
    followers: Vec<FollowGuard>,
    last_frame: Option<Instant>,
    first_effects: Vec<TuiEffect>,
}

impl RunningProgram {
    fn new(
        settings: Arc<TuiSettings>,
        modes: Arc<TerminalModes>,
        keyboard: Keyboard,
        signals: SignalWatch,
        send: Sender<TuiEvent>,
        size: ScreenSize,
    ) -> Result<Self, TuiError> {
        let context = WorkContext {
            settings: Arc::clone(&settings),
            sessions: Arc::new(OpenSessions::new(OpenLimits {
                sessions: SESSIONS_OPEN,
                ..OpenLimits::default()
            })),
        };
        let told = send.clone();
        // The receiver is gone if the program has ended meanwhile.
        let answers = Arc::new(move |answer| drop(told.send(TuiEvent::Answer(answer))));
        let workers = Workers::new(context, answers);
        let moment = TuiMoment { now: settings.library.settings().clock.time(), size };
        let painted = FrameBytes::default();
        let (program, first_effects) = TuiProgram::new(Arc::clone(&settings), moment);
        Ok(Self {
            watcher: settings.library.watcher(),
            mouse: settings.mouse,
            settings,
            program,
            terminal: terminal(size, &painted)?,
            painted,
            modes,
            keyboard,
            signals,
            workers,
            send,
            wake: None,
            watching: None,
            looks: BTreeMap::new(),
            followed: BTreeSet::new(),
            followers: Vec::new(),
            last_frame: None,
            first_effects,
        })
    }

    fn now(&self) -> Time {
        self.settings.library.settings().clock.time()
    }

    fn run(&mut self, events: &Receiver<TuiEvent>) -> Result<TuiOutcome, TuiError> {
        let first = std::mem::take(&mut self.first_effects);
        if let Some(outcome) = self.carry_out(first)? {
            return Ok(outcome);
        }
        if let Some(outcome) = self.wait_for_rows(events)? {
            return Ok(outcome);
        }
        self.draw()?;
        self.watch();
        loop {
            let event = self.next(events);
            let waiting = std::iter::once(event).chain(events.try_iter().collect::<Vec<_>>());
            for event in waiting {
                if let Some(outcome) = self.take(event)? {
                    return Ok(outcome);
                }
            }
            self.look_at_sessions();
            self.follow_runs();
            self.draw()?;
        }
    }

    /// Handles events until a worker has answered and there is content, at most for `FIRST_FRAME`.
    fn wait_for_rows(
        &mut self,
        events: &Receiver<TuiEvent>,
    ) -> Result<Option<TuiOutcome>, TuiError> {
        let deadline = Instant::now() + FIRST_FRAME;
        while let Ok(event) = events.recv_deadline(deadline) {
            let is_answer = matches!(event, TuiEvent::Answer(_));
            if let Some(outcome) = self.take(event)? {
                return Ok(Some(outcome));
            }
            if is_answer && self.program.has_content() {
                break;
            }
        }
        Ok(None)
    }

    /// Waits for the next event or the next wake-up, then until the next frame is due.
    fn next(&mut self, events: &Receiver<TuiEvent>) -> TuiEvent {
        let wait = self.wake.map(|at| {
            let millis = at.as_millis() - self.now().as_millis();
            Duration::from_millis(u64::try_from(millis).unwrap_or(0))
        });
        let event = match wait {
            Some(wait) => events.recv_timeout(wait).ok(),
            // The program itself has a sender, so the channel never closes.
            None => events.recv().ok(),
        };
        let since = self.last_frame.map(|at| at.elapsed());
        if let Some(early) = since.and_then(|since| BETWEEN_FRAMES.checked_sub(since)) {
            std::thread::sleep(early);
        }
        event.unwrap_or_else(|| {
            self.wake = None;
            TuiEvent::Tick
        })
    }

    fn take(&mut self, event: TuiEvent) -> Result<Option<TuiOutcome>, TuiError> {
        if let TuiEvent::Resize(size) = event {
            self.terminal = terminal(size, &self.painted)?;
        }
        if let (TuiEvent::Key(press), Some(fault)) = (&event, self.settings.fault)
            && press.key == KeyName::Function(12)
        {
            fail(fault);
            return Ok(None);
        }
        let effects = self.program.update(event, self.now());
        self.carry_out(effects)
    }

    fn carry_out(&mut self, effects: Vec<TuiEffect>) -> Result<Option<TuiOutcome>, TuiError> {
        for effect in effects {
            match effect {
                TuiEffect::Ask(question) => self.workers.ask(question),
                TuiEffect::CopyToTerminal(text) => {
                    let text = base64::encode(text.as_bytes());
                    self.modes.write(format!("\u{1b}]52;c;{text}\u{7}").as_bytes())?;
                }
                TuiEffect::HandOver(command) => self.hand_over(&command)?,
                TuiEffect::Leave(outcome) => return Ok(Some(*outcome)),
                TuiEffect::Suspend => self.suspend()?,
                TuiEffect::Redraw => {
                    let area = self.terminal.get_frame().area();
                    let size = ScreenSize { columns: area.width, rows: area.height };
                    self.terminal = terminal(size, &self.painted)?;
                }
                TuiEffect::WakeAt(time) => {
                    self.wake = Some(self.wake.map_or(time, |wake| wake.min(time)));
                }
                TuiEffect::TakeMouse(takes) => {
                    self.mouse = if takes { MouseUse::Taken } else { MouseUse::Released };
                    self.modes.set_mouse(self.mouse)?;
                }
            }
        }
        Ok(None)
    }

    /// Suspends the process until the shell continues it.
    fn suspend(&mut self) -> Result<(), TuiError> {
        self.away(|_| {
            // Without job control the signal has no effect, and the program continues.
            let _ = emulate_default_handler(SIGTSTP);
            Ok(())
        })
    }

    /// Gives the terminal to a command until it ends.
    fn hand_over(&mut self, command: &TuiCommand) -> Result<(), TuiError> {
        let run = |modes: &TerminalModes| -> io::Result<()> {
            let mut process = command.process();
            process.stdin(Stdio::from(modes.reopened()?));
            process.stdout(Stdio::from(modes.reopened()?));
            process.stderr(Stdio::from(modes.reopened()?));
            process.status().map(drop)
        };
        self.away(run)
    }

    /// Runs `act` while the program does not have the terminal.
    fn away(&mut self, act: impl FnOnce(&TerminalModes) -> io::Result<()>) -> Result<(), TuiError> {
        self.keyboard.park();
        self.signals.set_away(true);
        self.modes.leave();
        let done = act(&self.modes);
        let entered = self.modes.enter(self.mouse);
        self.signals.set_away(false);
        self.keyboard.go_on();
        entered?;
        let size = self.modes.size()?;
        let _ = self.send.send(TuiEvent::Resize(size));
        let _ = self.send.send(TuiEvent::Returned);
        if let Err(error) = done {
            self.program.say(&format!("the command could not be run: {error}"));
        }
        Ok(())
    }

    /// Paints and writes a frame.
    fn draw(&mut self) -> Result<(), TuiError> {
        let (program, depth) = (&self.program, self.settings.depth);
        self.terminal.draw(|frame| {
            let mut canvas = Canvas::new(frame.buffer_mut(), depth);
            program.view(&mut canvas);
            if let Some(cursor) = canvas.cursor() {
                frame.set_cursor_position(cursor);
            }
        })?;
        let frame = self.painted.take();
        self.modes.write_frame(&frame)?;
        self.last_frame = Some(Instant::now());
        Ok(())
    }

    /// Subscribes to changes of the homes.
    fn watch(&mut self) {
        let send = self.send.clone();
        self.watching = Some(self.watcher.subscribe(move |news| {
            if let WatchNews::Changed(events) = news {
                let _ = send.send(TuiEvent::News(events.to_vec()));
            }
        }));
    }

    /// Watches the folders of the sessions that screens show.
    fn look_at_sessions(&mut self) {
        let watched = self.program.watched();
        self.looks.retain(|log, _| watched.iter().any(|session| session.file == *log));
        for session in watched {
            if !self.looks.contains_key(&session.file) {
                let look = self.watcher.start_viewing(&session);
                self.looks.insert(session.file.clone(), look);
            }
        }
    }
}

impl RunningProgram {
    /// Follows the runs that unspool drives, each in a thread that waits for its host.
    fn follow_runs(&mut self) {
        let Ok(drive) = &self.settings.drive else {
            return;
        };
        self.followers.retain(|follower| !follower.has_ended());
        for run in self.program.runs() {
            if !self.followed.insert(run.clone()) {
                continue;
            }
            let Ok(follower) = drive.follow(run, drive.spool_length(run)) else {
                continue;
            };
            let stop = follower.stopper();
            let send = self.send.clone();
            let follow = move || {
                for told in follower {
                    let is_partial = matches!(told.event, DriveEventJson::Partial { .. });
                    if !is_partial && send.send(TuiEvent::RunsChanged).is_err() {
                        return;
                    }
                }
                let _ = send.send(TuiEvent::RunsChanged);
            };
            // Without the thread, the run is read again only when something else changes.
            self.followers.extend(FollowGuard::start(stop, follow));
        }
    }
}

/// Panics in the thread that a test chose.
fn fail(fault: TuiFault) {
    let fail = || panic!("a test asked for it");
    match fault {
        TuiFault::Loop => fail(),
        // The thread that reads keys panics by itself.
        TuiFault::Keys => {}
        TuiFault::Worker => {
            let _ = std::thread::spawn(fail);
        }
    }
}

/// A thread that follows a run; it is told to stop when this is dropped.
struct FollowGuard {
    stop: FollowStop,
    thread: JoinHandle<()>,
}

impl FollowGuard {
    /// Starts a thread that follows a run until `stop` ends it.
    fn start(stop: FollowStop, follow: impl FnOnce() + Send + 'static) -> io::Result<Self> {
        let thread = std::thread::Builder::new().name("unspool-run".to_owned()).spawn(follow)?;
        Ok(Self { stop, thread })
    }

    fn has_ended(&self) -> bool {
        self.thread.is_finished()
    }
}

impl Drop for FollowGuard {
    fn drop(&mut self) {
        self.stop.stop();
    }
}

/// Creates a terminal of this size and clears the screen. The viewport is fixed, so ratatui does not query
/// the cursor position: the query would go to standard output, and the reply would be read as keys.
fn terminal(
    size: ScreenSize,
    painted: &FrameBytes,
) -> io::Result<Terminal<CrosstermBackend<FrameBytes>>> {
    let area = Rect::new(0, 0, size.columns, size.rows);
    painted.clone().write_all(EMPTY_SCREEN)?;
    Terminal::with_options(
        CrosstermBackend::new(painted.clone()),
        TerminalOptions { viewport: Viewport::Fixed(area) },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_follower_ends_with_its_run() {
        let (end, ended) = crossbeam_channel::bounded::<()>(0);
        let follow = move || {
            let _ = ended.recv();
        };
        let follower = FollowGuard::start(FollowStop::default(), follow).expect("a thread");
        assert!(!follower.has_ended());
        drop(end);
        while !follower.has_ended() {
            std::thread::yield_now();
        }
    }
}
