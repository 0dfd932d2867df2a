//! `unspool check`

use std::io::Write as _;

use anyhow::Result;
use clap::ValueEnum;
use clap::builder::TypedValueParser;
use serde::Serialize;
use unspool_engine::home::{FileClass, Resolved, SessionFile, Target};
use unspool_engine::ops::check::{
    self, BySeverity, Finding, Overview, RuleId, Severity, Summary, Verdict,
};
use unspool_engine::render::json::{self, SCHEMA};
use unspool_engine::render::terminal::{check_finding, check_rule, check_table};
use unspool_engine::render::{Line, Role, human, wrap};
use unspool_engine::session::Session;

use crate::args::RuleArg;
use crate::errors::{self, Outcome};
use crate::filters::one_of;
use crate::sessions::Homes;
use crate::ui::Ui;

/// The most columns that prose is spread over.
const PAGE: usize = 100;

/// Check logs for damage and broken rules
///
/// What was found goes to standard output, rule by rule with a verdict, and a summary to standard
/// error. Nothing is changed. Ends with exit code 1 if there are errors.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Args {
    /// Files or sessions to check; all sessions if none
    #[arg(value_name = "FILE|SESSION")]
    sessions: Vec<String>,

    /// List every finding too
    #[arg(long)]
    all: bool,

    /// Say what a rule means and what to do about it, and check nothing
    #[arg(long, value_name = "RULE", value_parser = rules(), hide_possible_values = true)]
    #[arg(conflicts_with_all = ["sessions", "all", "min", "rule", "json"])]
    explain: Option<RuleId>,

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

impl From<SeverityArg> for Severity {
    fn from(least: SeverityArg) -> Self {
        match least {
            SeverityArg::Info => Self::Info,
            SeverityArg::Warning => Self::Warning,
            SeverityArg::Error => Self::Error,
        }
    }
}

pub(crate) fn run(args: &Args, homes: &Homes, ui: &Ui) -> Result<Outcome> {
    if let Some(rule) = args.explain {
        return explain(rule, ui);
    }
    let mut run = Run {
        args,
        user_home: homes.user_home().map(|home| home.display().to_string()),
        summary: Summary::default(),
        overview: Overview::default(),
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
    run.conclude(out, ui)?;
    let Run { summary, worst, .. } = run;
    if !args.json && summary.sessions > 0 {
        for line in summary_lines(&summary) {
            ui.plain_note(&line);
        }
    }
    if !args.json && !args.all && summary.findings != BySeverity::default() {
        ui.note("`--all` lists every finding, `--explain RULE` says what a rule means");
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

/// Explains a rule.
fn explain(rule: RuleId, ui: &Ui) -> Result<Outcome> {
    let mut page = ui.page();
    for line in check_rule(rule, ui.width().min(PAGE)) {
        page.line(&line)?;
    }
    page.finish()?;
    Ok(Outcome::Done)
}

struct Run<'a> {
    args: &'a Args,
    user_home: Option<String>,
    summary: Summary,
    overview: Overview,
    worst: Outcome,
}

impl Run<'_> {
    /// Checks one session.
    fn one(&mut self, session: &Session, out: &mut Output) -> Result<()> {
        let report = check::check(session, self.args.rule.into());
        self.summary.add(&report.summary);
        self.overview.add(&report);
        let least = Severity::from(self.args.min);
        let told = report.findings.iter();
        for finding in told.filter(|finding| finding.severity >= least) {
            match out {
                Output::Lines(out) => json::write_line(&FindingJson::from(finding), out)?,
                Output::Page(page) if self.args.all => {
                    page.line(&check_finding(finding, self.user_home.as_deref()))?;
                }
                Output::Page(_) => {}
            }
        }
        Ok(())
    }

    /// Says what all of it comes to.
    fn conclude(&self, out: Output, ui: &Ui) -> Result<()> {
        let mut page = match out {
            Output::Lines(mut out) => {
                let summary = SummaryJson {
                    schema: SCHEMA,
                    summary: &self.summary,
                };
                json::write_line(&summary, &mut out)?;
                return Ok(out.flush()?);
            }
            Output::Page(page) => page,
        };
        if self.summary.sessions > 0 {
            let rules = self.overview.rules(self.args.min.into());
            let lines = check_table(&rules, ui.width(), self.user_home.as_deref());
            if !lines.is_empty() {
                let before = (self.args.all).then(Line::new);
                for line in before.iter().chain(&lines).chain([&Line::new()]) {
                    page.line(line)?;
                }
            }
            let verdict = Verdict::of(self.summary.findings).words();
            for line in wrap(&Line::of(verdict, Role::Title), ui.width().min(PAGE)) {
                page.line(&line)?;
            }
        }
        Ok(page.finish()?)
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

impl<'a> From<&'a Finding> for FindingJson<'a> {
    fn from(finding: &'a Finding) -> Self {
        Self {
            schema: SCHEMA,
            finding,
        }
    }
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

fn rules() -> impl TypedValueParser<Value = RuleId> {
    one_of(RuleId::ALL, RuleId::id)
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
