//! `unspool export`

mod args;
mod job;
mod notes;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use unspool_engine::library::{ExportSources, SessionChoice, TitleNeed};
use unspool_redact::{RedactRules, Redactor, Treatment};
use unspool_render::export::{self, ExportRequest, Format};
use unspool_store::home::Resolved;

pub(crate) use self::args::ExportArgs;
use self::job::ExportJob;
use crate::context::CommandContext;
use crate::errors::{RunOutcome, wrong_use};
use crate::filters;
use crate::settings::Settings;

pub(crate) fn run(args: &ExportArgs, context: &CommandContext<'_>) -> Result<RunOutcome> {
    let format = args.format()?;
    let sources = sources(args, context)?;
    context.ui.notes(&sources.unmatched);
    let reading = RunOutcome::from(sources.reading);
    if sources.sessions.is_empty() {
        context.ui.note("no session fits all of this; nothing was exported");
        return Ok(reading.max(RunOutcome::Problems));
    }
    // An export of original lines shows no titles.
    let opener = sources.opener(match format {
        Format::Jsonl => TitleNeed::Unused,
        _ => TitleNeed::Shown,
    });
    let (redactor, treatment) = redaction(args, &sources, context.settings);
    let request = ExportRequest {
        sources: &sources.sessions,
        open: &|resolved: &Resolved| opener.open(resolved),
        relatives: &|resolved: &Resolved| sources.relatives(resolved),
        format,
        paths: args.path_choice(),
        agents: args.agent_layout(),
        view: args.view(),
        prices: &context.library.settings().prices,
        setting: args.setting(sources.sessions.len()),
        redaction: Some((&redactor, treatment)),
    };
    let job = ExportJob {
        args,
        request: &request,
        folder: folder(args, context.settings)?,
        bytes: sources.bytes(),
        settings: context.settings,
        ui: context.ui,
    };
    Ok(job.run()?.max(reading))
}

/// Returns the output folder. For `--open` that is a temporary folder which is not deleted here, because
/// the browser reads it after this run.
#[expect(clippy::disallowed_methods, reason = "an export is files")]
fn folder(args: &ExportArgs, settings: &Settings) -> Result<PathBuf> {
    match &args.out {
        // Paths in JSON are absolute.
        Some(folder) if args.json => Ok(settings.here.join(folder)),
        Some(folder) => Ok(folder.clone()),
        None if args.open => {
            let made = tempfile::Builder::new().prefix("unspool-export-").tempdir();
            Ok(made.context("cannot make a folder to export into")?.keep())
        }
        None => Ok(settings.here.clone()),
    }
}

/// Finds the sessions by name or by filter.
fn sources(args: &ExportArgs, context: &CommandContext<'_>) -> Result<ExportSources> {
    let filter;
    let choice = match (args.sessions.is_empty(), args.filter.is_empty()) {
        (false, false) => {
            return wrong_use("name sessions or filter them, not both");
        }
        (true, true) if !args.all => {
            return wrong_use(
                "which sessions? Name some (@ is the newest here), filter them as \
                `unspool list` does, or export --all",
            );
        }
        (false, true) => SessionChoice::Named(&args.sessions),
        (true, _) => {
            let clock = filters::clock(context.ui);
            filter = args.filter.resolve(&clock, context.settings)?;
            SessionChoice::Matching(&filter)
        }
    };
    Ok(context.library.export_sources(choice, context)?)
}

/// Builds the redactor, and decides whether it replaces or only counts secrets.
fn redaction(
    args: &ExportArgs,
    sources: &ExportSources,
    settings: &Settings,
) -> (Redactor, Treatment) {
    let mut rules = rules(settings);
    if !args.redact {
        return (Redactor::for_secrets(&rules), Treatment::Count);
    }
    export::people(&sources.sessions).add_to(&mut rules);
    (Redactor::new(&rules), Treatment::Replace)
}

/// Returns the rules of redaction in addition to the built-in ones.
fn rules(settings: &Settings) -> RedactRules {
    let home = settings.user_home.as_deref();
    let name = home.and_then(Path::file_name);
    let text = |text: &OsStr| text.to_string_lossy().into_owned();
    RedactRules {
        extra: settings.redact.iter().map(|own| own.value.clone()).collect(),
        home_dirs: home.iter().map(|home| text(home.as_os_str())).collect(),
        user_names: name.map(text).into_iter().collect(),
        ..RedactRules::default()
    }
}
