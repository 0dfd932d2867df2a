//! `unspool check --secrets`

use std::io::Write as _;

use anyhow::Result;
use unspool_engine::library::{SecretsAnswer, SecretsRequest, SessionChoice};
use unspool_redact::{RedactRules, Redactor};
use unspool_render::json::{self, SecretsJson, SecretsSummaryJson};
use unspool_render::terminal::{PlacesShown, secrets_summary, secrets_table};

use super::CheckArgs;
use crate::context::CommandContext;
use crate::errors::RunOutcome;

/// Prints which sessions contain secrets, and where.
pub(super) fn run(
    args: &CheckArgs,
    choice: Option<SessionChoice<'_>>,
    context: &CommandContext<'_>,
) -> Result<RunOutcome> {
    let ui = context.ui;
    let own = context.settings.redact.iter();
    let redactor = Redactor::for_secrets(&RedactRules {
        extra: own.map(|own| own.value.clone()).collect(),
        ..RedactRules::default()
    });
    let request = SecretsRequest { choice, redactor: &redactor };
    let answer = context.library.secrets(&request, context)?;
    ui.notes(&answer.unmatched);
    print(args, &answer, context)?;
    let reading = RunOutcome::from(answer.reading);
    if answer.files == 0 && !args.json {
        ui.note("there is nothing to look at");
        return Ok(reading.max(RunOutcome::Problems));
    }
    if !args.json {
        ui.plain_note(&secrets_summary(&answer));
    }
    if answer.reports.is_empty() {
        return Ok(reading);
    }
    if !args.json {
        ui.note(
            "change what is still in use; `export --redact` replaces secrets in what you share, \
             `--all` lists every place",
        );
    }
    Ok(reading.max(RunOutcome::Problems))
}

fn print(args: &CheckArgs, answer: &SecretsAnswer, context: &CommandContext<'_>) -> Result<()> {
    let ui = context.ui;
    if args.json {
        let mut out = ui.data();
        for report in &answer.reports {
            json::write_line(&SecretsJson::from(report), &mut out)?;
        }
        json::write_line(&SecretsSummaryJson::from(answer), &mut out)?;
        return Ok(out.flush()?);
    }
    let shown = if args.all { PlacesShown::All } else { PlacesShown::First };
    let home = context.logs_home();
    ui.print_lines(secrets_table(&answer.reports, shown, ui.width(), home.as_deref()))
}
