//! `unspool check`

use std::io::Write as _;

use anyhow::Result;
use clap::ValueEnum;
use serde::Serialize;
use unspool_engine::home::{FileClass, Resolved, SessionFile, Target};
use unspool_engine::ops::check::{self, Finding, Report, Severity, Summary};
use unspool_engine::render::json::{self, SCHEMA};
use unspool_engine::render::{Line, Role, human};
use unspool_engine::session::Session;

use crate::args::RuleArg;
use crate::errors::{self, Outcome};
use crate::sessions::Homes;
use crate::ui::Ui;

/// Check logs for damage and broken rules
///
/// Findings go to standard output, a summary to standard error. Nothing is changed. What
/// each rule means is in docs/check.md. Ends with exit code 1 if there are errors.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Args {
    /// Files or sessions to check; all sessions if none
    #[arg(value_name = "FILE|SESSION")]
    sessions: Vec<String>,

    /// Leave out findings below this
    #[arg(long, value_name = "SEVERITY", default_value = "info")]
    min: SeverityArg,

    /// How the active path is found
    #[arg(long, value_name = "RULE", default_value = "current")]
    rule: RuleArg,

    /// Print one JSON object per line, the last one with the summary, see docs/json.md
    #[arg(long)]
    json: bool,
}

/// How bad a finding is.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum SeverityArg {
    /// Everything
    Info,
    /// Warnings and errors
    Warning,
    /// Errors only
    Error,
}

impl SeverityArg {
    fn admits(self, severity: Severity) -> bool {
        match self {
            Self::Info => true,
            Self::Warning => severity != Severity::Info,
            Self::Error => severity == Severity::Error,
        }
    }
}

pub(crate) fn run(args: &Args, homes: &Homes, ui: &Ui) -> Result<Outcome> {
    let mut run = Run {
        args,
        summary: Summary::default(),
        worst: Outcome::Done,
    };
    let mut out = if args.json {
        Output::Lines(Box::new(ui.data()))
    } else {
        Output::Page(ui.page())
    };
    if args.sessions.is_empty() {
        run.worst = homes.say_problems(ui);
        for resolved in homes.all() {
            match homes.open_resolved(resolved) {
                Ok((_, session)) => run.one(&session, &mut out)?,
                Err(error) => run.worst = run.worst.max(errors::report(ui, &error)),
            }
        }
    }
    for name in &args.sessions {
        match homes.session(name, ui) {
            Ok((_, session)) => run.one(&session, &mut out)?,
            Err(error) => run.worst = run.worst.max(errors::report(ui, &error)),
        }
    }
    let Run { summary, worst, .. } = run;
    out.finish(&summary)?;
    if !args.json && summary.sessions > 0 {
        for line in summary_lines(&summary) {
            ui.plain_note(&line);
        }
    }
    if summary.sessions == 0 && worst == Outcome::Done {
        ui.note("there is nothing to check");
        return Ok(Outcome::Problems);
    }
    Ok(if summary.findings.error > 0 {
        worst.max(Outcome::Problems)
    } else {
        worst
    })
}

struct Run<'a> {
    args: &'a Args,
    summary: Summary,
    worst: Outcome,
}

impl Run<'_> {
    /// Checks one session.
    fn one(&mut self, session: &Session, out: &mut Output) -> Result<()> {
        let Report { findings, summary } = check::check(session, self.args.rule.into());
        self.summary.add(&summary);
        for finding in findings
            .iter()
            .filter(|finding| self.args.min.admits(finding.severity))
        {
            out.finding(finding)?;
        }
        Ok(())
    }
}

/// Where findings go.
enum Output {
    Lines(Box<dyn std::io::Write>),
    Page(crate::ui::Page),
}

#[derive(Serialize)]
struct FindingJson<'a> {
    schema: u32,
    #[serde(flatten)]
    finding: &'a Finding,
}

#[derive(Serialize)]
struct SummaryJson<'a> {
    schema: u32,
    summary: &'a Summary,
}

impl Output {
    fn finding(&mut self, finding: &Finding) -> Result<()> {
        match self {
            Self::Lines(out) => {
                json::write_line(
                    &FindingJson {
                        schema: SCHEMA,
                        finding,
                    },
                    out,
                )?;
            }
            Self::Page(page) => page.line(&finding_line(finding))?,
        }
        Ok(())
    }

    fn finish(self, summary: &Summary) -> Result<()> {
        match self {
            Self::Lines(mut out) => {
                json::write_line(
                    &SummaryJson {
                        schema: SCHEMA,
                        summary,
                    },
                    &mut out,
                )?;
                out.flush()?;
            }
            Self::Page(page) => page.finish()?,
        }
        Ok(())
    }
}

fn finding_line(finding: &Finding) -> Line {
    let role = match finding.severity {
        Severity::Error => Role::Failure,
        Severity::Warning => Role::Warning,
        Severity::Info => Role::Muted,
    };
    let mut line = Line::of(
        format!("{}[{}]", finding.severity.name(), finding.rule.id()),
        role,
    );
    let line_number = finding
        .line
        .map(|number| format!(":{number}"))
        .unwrap_or_default();
    let place = format!("{}{line_number}", finding.file.display());
    line.add(format!(" {place}"), Role::Path);
    line.add(format!(": {}", finding.message), Role::Plain);
    line
}

/// Sums up a run in a few lines.
fn summary_lines(summary: &Summary) -> Vec<String> {
    let count = |count: u64, noun: &str| human::plural(count as usize, noun);
    let percent = |rate: f64| format!("{:.1} %", rate * 100.0);
    vec![
        format!(
            "checked {} in {}: {}, {}, {}",
            count(summary.entries, "entry"),
            count(summary.files, "file"),
            count(summary.findings.error, "error"),
            count(summary.findings.warning, "warning"),
            count(summary.findings.info, "remark"),
        ),
        format!(
            "orphans: {} ({} of messages); compactions: {} ({:.1} per session)",
            summary.orphans.count,
            percent(summary.orphans.rate),
            summary.compactions.count,
            summary.compactions.per_session,
        ),
        format!(
            "subagents: {}, {:.1} exchanges each, {} at most; longest chain: {}; other branches: {}",
            summary.sidechains.delegations,
            summary.sidechains.mean_depth,
            summary.sidechains.max_depth,
            count(summary.chain_depth, "entry"),
            summary.branches,
        ),
    ]
}

impl Homes {
    /// Returns every session of every home, and agents that belong to none.
    fn all(&self) -> Vec<Resolved> {
        let mut all = Vec::new();
        for home in self.found() {
            // What cannot be read was said by the walk.
            let readable = |session: &SessionFile| session.class != FileClass::Unreadable;
            for (project, session) in home.sessions().filter(|(_, session)| readable(session)) {
                all.push(Resolved {
                    home: Some(home.home.clone()),
                    project: Some(project.id.clone()),
                    target: Target::Session(session.clone()),
                });
            }
            for project in &home.projects {
                all.extend(project.loose_agents.iter().map(|agent| Resolved {
                    home: Some(home.home.clone()),
                    project: Some(project.id.clone()),
                    target: Target::Agent(agent.clone()),
                }));
            }
        }
        all
    }
}
