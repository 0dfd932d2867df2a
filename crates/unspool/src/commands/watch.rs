//! `unspool watch`

use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use anyhow::Result;
use unspool_engine::library::{
    FollowScope, FollowStart, FollowedEvent, LibraryEvent, LibraryFollower, SessionPlace,
    SessionRequest, WatchNews,
};
use unspool_render::json::{self, WatchJson};
use unspool_render::terminal::{WatchLabels, WatchPainter};
use unspool_tui::StartScreen;

use crate::context::CommandContext;
use crate::errors::{RunOutcome, wrong_use};
use crate::fullscreen;
use crate::settings::Settings;
use crate::ui::{LiveOutput, Ui};

/// How often a log outside of every home is checked: it is not watched by the system.
const POLL: Duration = Duration::from_millis(500);

/// Follow sessions while they run: prompts, answers, calls, agents
///
/// Without a session, follows all that run or whose logs grow. A named session is followed whether
/// it runs or not. Prints a line for each event and does nothing in between. Ctrl-C ends it.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
    unspool watch                 everything that runs\n  \
    unspool watch @ -n 10         the newest session of this project, from 10 messages back\n  \
    unspool watch --full-screen   a card for each that runs, to look at and to answer\n  \
    unspool watch --json | jq -r 'select(.event == \"waiting\") | .session'")]
pub(crate) struct WatchArgs {
    /// The session: an id or a unique prefix, a name, @, @2 …, or a file
    #[arg(value_name = "SESSION")]
    session: Option<String>,

    /// Look for the session in this project: its name, its path, or a part of either
    #[arg(long, value_name = "NAME|PATH", allow_hyphen_values = true, requires = "session")]
    project: Option<String>,

    /// Begin with the last N messages of each session
    #[arg(short = 'n', long = "last", value_name = "N", default_value_t = 0)]
    last: usize,

    /// Print one JSON object per line, see docs/json.md
    #[arg(long)]
    json: bool,

    /// Use the full-screen program: a card for each running session, or the named one
    #[arg(long, conflicts_with_all = ["json", "last"])]
    pub(crate) full_screen: bool,
}

/// News of the watcher.
enum WatcherNews {
    /// The watch has started.
    Began,
    Changed(Vec<LibraryEvent>),
}

pub(crate) fn run(args: &WatchArgs, context: &CommandContext<'_>) -> Result<RunOutcome> {
    let library = &context.library;
    let watcher = library.watcher();
    let scope = match args.session {
        Some(_) => FollowScope::Named,
        None => FollowScope::Running,
    };
    let start = match args.last {
        0 => FollowStart::Now,
        last => FollowStart::Last(last),
    };
    let mut follower = LibraryFollower::new(library, &watcher, scope, start);
    let mut out = WatchOutput::new(args, context);
    let (sender, told) = mpsc::channel();
    let subscription = watcher.subscribe(move |news| {
        // Without a receiver the command has ended.
        let _ = match news {
            WatchNews::Began => sender.send(WatcherNews::Began),
            WatchNews::Changed(events) => sender.send(WatcherNews::Changed(events.to_vec())),
            WatchNews::Report(_) => Ok(()),
        };
    });
    // The first look comes after the watch has started, so that no change between the two is missed.
    let _ = told.recv();
    let mut poll = None;
    if let Some(name) = &args.session {
        let project = args.project.as_deref();
        let mut opened = library.session(&SessionRequest { name, project }, context)?;
        library.add_title(&mut opened);
        poll = (!LibraryFollower::is_watched(&opened)).then_some(POLL);
        out.print(&follower.follow(opened)?)?;
    } else {
        out.print(&follower.look(context))?;
        if follower.live_count() == 0 {
            context.ui.note("no session runs now; waiting for one");
        }
    }
    while let Some(told) = next(&told, poll) {
        let happened = match told {
            WatcherNews::Began => follower.look(context),
            WatcherNews::Changed(events) => follower.take(&events, context),
        };
        out.print(&happened)?;
    }
    drop(subscription);
    Ok(RunOutcome::Done)
}

/// Opens the full-screen program with all running sessions, or with one.
pub(crate) fn full_screen(args: &WatchArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    let start = match &args.session {
        None => StartScreen::Live,
        Some(name) => {
            let context = CommandContext::open(settings, ui)?;
            let project = args.project.as_deref();
            let named = SessionRequest { name, project };
            let found = context.library.session(&named, &context)?;
            let place = SessionPlace::of_found(&found.found, found.session.id.clone());
            if place.home.is_none() {
                return wrong_use(
                    "the file is outside of every home; without --full-screen it is watched",
                );
            }
            context.close();
            StartScreen::Session { place, follows: true }
        }
    };
    fullscreen::run(start, settings, ui)
}

/// Waits for news; with a polling interval, no longer than that.
fn next(told: &Receiver<WatcherNews>, poll: Option<Duration>) -> Option<WatcherNews> {
    match poll {
        None => told.recv().ok(),
        Some(poll) => match told.recv_timeout(poll) {
            Ok(told) => Some(told),
            Err(RecvTimeoutError::Timeout) => Some(WatcherNews::Began),
            Err(RecvTimeoutError::Disconnected) => None,
        },
    }
}

/// The output of the events.
struct WatchOutput {
    out: LiveOutput,
    /// The painter of lines; `None` for JSON.
    painter: Option<WatchPainter>,
}

impl WatchOutput {
    fn new(args: &WatchArgs, context: &CommandContext<'_>) -> Self {
        let ui = context.ui;
        let labels = match args.session {
            Some(_) => WatchLabels::None,
            None => WatchLabels::Sessions,
        };
        let width = ui.is_interactive().then(|| ui.width());
        let painter = || WatchPainter::new(labels, width, ui.zone(), context.logs_home());
        Self { out: ui.live(), painter: (!args.json).then(painter) }
    }

    fn print(&mut self, events: &[FollowedEvent]) -> Result<()> {
        if events.is_empty() {
            return Ok(());
        }
        if let Some(painter) = &mut self.painter {
            return Ok(self.out.lines(&painter.paint(events))?);
        }
        let mut lines = Vec::new();
        for event in events {
            json::write_line(&WatchJson::from(event), &mut lines)?;
        }
        Ok(self.out.raw(&lines)?)
    }
}
