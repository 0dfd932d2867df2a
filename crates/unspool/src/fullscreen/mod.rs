//! Starts the full-screen program, and handles its outcome.
//!
//! The program itself is `unspool-tui`. This module passes it the library, the terminal's colours and a
//! [`ProgramHost`] for services that it does not have: exporting, resuming, browsers, editors.

mod drafts;
mod export;
mod host;
mod tools;

use std::os::unix::process::CommandExt as _;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use unspool_engine::library::RefreshPolicy;
use unspool_store::filter::RowFilter;
use unspool_tui::{
    CatalogueRefresh, ColorDepth, MouseUse, StartScreen, TerminalKind, TuiCommand, TuiOutcome,
    TuiSettings,
};

use self::host::ProgramHost;
use crate::context::CommandContext;
use crate::driving::open;
use crate::driving::session::{drop_default_home, named_home};
use crate::errors::{RunOutcome, wrong_use};
use crate::settings::Settings;
use crate::ui::Ui;

/// Runs the program with a first screen.
pub(crate) fn run(start: StartScreen, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    end(show(start, RowFilter::default(), settings, ui)?)
}

/// Runs the program with a first screen, and returns its outcome. The filter applies to the picker.
pub(crate) fn show(
    start: StartScreen,
    filter: RowFilter,
    settings: &Settings,
    ui: &Ui,
) -> Result<TuiOutcome> {
    if ui.is_dumb() {
        return wrong_use(
            "TERM=dumb: this terminal cannot show a full-screen program; `unspool list` prints \
                     the sessions",
        );
    }
    let context = CommandContext::for_server(settings, ui)?;
    let home_labels = context.home_labels();
    let user_home = context.logs_home();
    // A home without a drive can still be read.
    let drive = open::open(settings).map_err(|error| format!("{error:#}"));
    let (library, _demo) = context.into_library();
    let library = Arc::new(library);
    let keys = settings.terminal.keys.iter().map(|bound| bound.value.clone());
    let outcome = unspool_tui::run(TuiSettings {
        host: Arc::new(ProgramHost::new(Arc::clone(&library), settings)?),
        library,
        drive,
        // If several homes are configured, none of them is the home of new sessions.
        new_home: drop_default_home(named_home(settings).ok().flatten(), settings),
        zone: ui.zone(),
        user_home,
        here: settings.here.clone(),
        depth: match ui.depth() {
            ColorDepth::Sixteen if settings.terminal.has_true_color => ColorDepth::True,
            depth => depth,
        },
        background: settings.terminal.background.value,
        mouse: if settings.terminal.mouse.value { MouseUse::Taken } else { MouseUse::Released },
        terminal: if settings.in_tmux { TerminalKind::Tmux } else { TerminalKind::Plain },
        start,
        keys: keys.collect(),
        home_labels,
        fault: settings.terminal.fault,
        refresh: match settings.refresh.value {
            RefreshPolicy::EachRequest => CatalogueRefresh::Walked,
            RefreshPolicy::OnDemand => CatalogueRefresh::Never,
        },
        filter,
    })?;
    Ok(outcome)
}

/// Ends the process according to the outcome: with a command in its place, or with an exit code.
pub(crate) fn end(outcome: TuiOutcome) -> Result<RunOutcome> {
    Ok(match outcome {
        TuiOutcome::Replaced(command) => return replace(&command),
        TuiOutcome::Ended(signal) => RunOutcome::Signal(u8::try_from(signal).unwrap_or_default()),
        TuiOutcome::Left
        | TuiOutcome::Interrupted
        | TuiOutcome::Chosen(_)
        | TuiOutcome::Inserted(_)
        | TuiOutcome::EditElsewhere => RunOutcome::Done,
    })
}

/// Replaces this process by a command.
pub(crate) fn replace(command: &TuiCommand) -> Result<RunOutcome> {
    let error = command.process().exec();
    let program = command.program.display().to_string();
    Err(error).with_context(|| format!("{program} could not be started"))
}
