//! `unspool resume`

mod hand_over;

use std::path::PathBuf;

use anyhow::Result;
use unspool_engine::ops::resume::{ResumeBranch, ResumeObstacle, ResumeRequest};
use unspool_render::json::ResumeJson;
use unspool_text::{Line, TextSpan};

use self::hand_over::TmuxPlace;
use crate::args::SessionArgs;
use crate::context::CommandContext;
use crate::driving::open::{ClientNeed, client};
use crate::errors::RunOutcome;
use crate::report;
use crate::resuming;
use crate::settings::Settings;

/// Resume a session in Claude Code, in the right folder
///
/// Finds the session wherever it is, changes into its folder and hands the terminal to `claude
/// --resume`, after it has printed what it will do. Refuses a session that a running process owns;
/// `--fork` continues in a copy. If the folder is gone, `--in DIR` names another one: the session
/// keeps its log and its id.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
    unspool resume                    the newest session of this project\n  \
    unspool resume 4ba648c7 --print   only show the command\n  \
    unspool resume @2 --fork          go on in a copy\n  \
    unspool resume spike --in ~/src/tidepool\n  \
    unspool resume @ -- --model opus  more arguments for Claude Code")]
pub(crate) struct ResumeArgs {
    #[command(flatten)]
    session: SessionArgs,

    /// Continue in a copy, which leaves the session as it is
    #[arg(long)]
    fork: bool,

    /// Work in this folder instead of the session's own
    #[arg(long = "in", value_name = "DIR")]
    folder: Option<PathBuf>,

    /// Open a new pane or window of tmux instead of using this one
    #[arg(
        long,
        value_name = "pane|window",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "pane",
        conflicts_with_all = ["print", "json"]
    )]
    tmux: Option<TmuxPlace>,

    /// Print the command for a shell instead of running it
    #[arg(long, conflicts_with = "json")]
    print: bool,

    /// Print one JSON object instead of running it, see docs/json.md
    #[arg(long)]
    json: bool,

    /// Further arguments for Claude Code
    #[arg(last = true, value_name = "ARGUMENT")]
    arguments: Vec<String>,
}

pub(crate) fn run(args: &ResumeArgs, context: &CommandContext<'_>) -> Result<RunOutcome> {
    let (settings, ui) = (context.settings, context.ui);
    let (session, request) = (args.session.request(), args.request(settings));
    let plan = resuming::plan(&session, &request, &context.library, settings, context)?;
    let program = settings.driving.client.value.words();
    let program: Vec<&str> = program.iter().map(String::as_str).collect();
    if args.json {
        ui.print_json(&ResumeJson::new(&plan, &program))?;
        return Ok(plan.obstacle.as_ref().map_or(RunOutcome::Done, outcome));
    }
    if let Some(obstacle) = &plan.obstacle {
        ui.error(&obstacle.to_string());
        for way in resuming::remedies(&plan, request.branch, settings) {
            ui.note(&way.to_string());
        }
        return Ok(outcome(obstacle));
    }
    ui.notes(&plan.remarks);
    let line = plan.shell_line(&program);
    if args.print {
        ui.live().lines(&[Line::from(TextSpan::plain(&line))])?;
        return Ok(RunOutcome::Done);
    }
    let client = match client(settings, ClientNeed::Started) {
        Ok(client) => client,
        Err(error) => {
            report::report(ui, &error);
            return Ok(RunOutcome::Io);
        }
    };
    ui.note(&line);
    match args.tmux {
        Some(place) => hand_over::open_in_tmux(place, &plan, &client, settings),
        None => hand_over::become_client(&plan, &client),
    }
}

impl ResumeArgs {
    fn request(&self, settings: &Settings) -> ResumeRequest {
        ResumeRequest {
            branch: if self.fork { ResumeBranch::Fork } else { ResumeBranch::Same },
            folder: self.folder.as_ref().map(|it| settings.here.join(it)),
            arguments: self.arguments.clone(),
        }
    }
}

fn outcome(obstacle: &ResumeObstacle) -> RunOutcome {
    match obstacle {
        ResumeObstacle::Agent { .. } | ResumeObstacle::NotAFolder(_) => RunOutcome::Usage,
        _ => RunOutcome::Problems,
    }
}
