//! `unspool check`

mod args;
mod secrets;

use std::io::Write as _;

use anyhow::Result;
use unspool_engine::library::{CheckRequest, SessionChoice};
use unspool_engine::ops::check::{
    BySeverity, CheckReport, CheckSummary, CheckVerdict, Overview, RuleId, Severity,
};
use unspool_render::json::{self, CheckSummaryJson, FindingJson};
use unspool_render::terminal::{check_finding, check_rule, check_summary, check_table};
use unspool_text::{Line, Role, wrap};

pub(crate) use self::args::CheckArgs;
use crate::context::CommandContext;
use crate::errors::{RunOutcome, wrong_use};
use crate::filters;
use crate::report;
use crate::ui::{OutputPage, Ui};

/// The largest width of prose.
const PAGE: usize = 100;

pub(crate) fn run(args: &CheckArgs, context: &CommandContext<'_>) -> Result<RunOutcome> {
    let ui = context.ui;
    if let Some(rule) = args.explain {
        return explain(rule, ui);
    }
    let filter;
    let choice = match (args.sessions.is_empty(), args.filter.is_empty()) {
        (true, true) => None,
        (false, true) => Some(SessionChoice::Named(&args.sessions)),
        (true, false) => {
            filter = args.filter.resolve(&filters::clock(ui), context.settings)?;
            Some(SessionChoice::Matching(&filter))
        }
        (false, false) => {
            return wrong_use("name sessions or filter them, not both");
        }
    };
    if args.secrets {
        return secrets::run(args, choice, context);
    }
    let request = CheckRequest { choice, rule: args.rule.into() };
    let mut findings = FindingPrinter::new(args, context);
    let mut worst = RunOutcome::Done;
    let reading = context.library.check(&request, context, |report| {
        match report {
            Ok(report) => findings.add(&report)?,
            Err(error) => worst = worst.max(report::report(ui, &error.into())),
        }
        anyhow::Ok(())
    })?;
    let summary = findings.finish(ui)?;
    Ok(conclude(args, &summary, worst.max(reading.into()), ui))
}

/// Prints the summary, and returns the outcome.
fn conclude(args: &CheckArgs, summary: &CheckSummary, worst: RunOutcome, ui: &Ui) -> RunOutcome {
    if !args.json && summary.sessions > 0 {
        for line in check_summary(summary) {
            ui.plain_note(&line);
        }
    }
    if !args.json && !args.all && summary.findings != BySeverity::default() {
        ui.note("`--all` lists every finding, `--explain RULE` says what a rule means");
    }
    if summary.sessions == 0 && worst == RunOutcome::Done {
        ui.note("there is nothing to check");
        return RunOutcome::Problems;
    }
    if summary.findings.error > 0 { worst.max(RunOutcome::Problems) } else { worst }
}

/// Explains a rule.
fn explain(rule: RuleId, ui: &Ui) -> Result<RunOutcome> {
    ui.print_lines(check_rule(rule, ui.width().min(PAGE)))?;
    Ok(RunOutcome::Done)
}

/// Prints findings as they are found, and counts them.
struct FindingPrinter<'a> {
    args: &'a CheckArgs,
    user_home: Option<String>,
    out: FindingOutput,
    summary: CheckSummary,
    overview: Overview,
}

/// The output of findings.
enum FindingOutput {
    Lines(Box<dyn std::io::Write>),
    Page(OutputPage),
}

impl<'a> FindingPrinter<'a> {
    fn new(args: &'a CheckArgs, context: &CommandContext<'_>) -> Self {
        Self {
            args,
            user_home: context.logs_home(),
            out: if args.json {
                FindingOutput::Lines(Box::new(context.ui.data()))
            } else {
                FindingOutput::Page(context.ui.page())
            },
            summary: CheckSummary::default(),
            overview: Overview::default(),
        }
    }

    /// Takes the findings of one session.
    fn add(&mut self, report: &CheckReport) -> Result<()> {
        self.summary.add(&report.summary);
        self.overview.add(report);
        let least = Severity::from(self.args.min);
        let findings = report.findings.iter();
        for finding in findings.filter(|finding| finding.severity >= least) {
            match &mut self.out {
                FindingOutput::Lines(out) => json::write_line(&FindingJson::from(finding), out)?,
                FindingOutput::Page(page) if self.args.all => {
                    page.line(&check_finding(finding, self.user_home.as_deref()))?;
                }
                FindingOutput::Page(_) => {}
            }
        }
        Ok(())
    }

    /// Prints the totals.
    fn finish(self, ui: &Ui) -> Result<CheckSummary> {
        let lines = self.verdict(ui);
        match self.out {
            FindingOutput::Lines(mut out) => {
                json::write_line(&CheckSummaryJson::from(&self.summary), &mut out)?;
                out.flush()?;
            }
            FindingOutput::Page(mut page) => {
                for line in &lines {
                    page.line(line)?;
                }
                page.finish()?;
            }
        }
        Ok(self.summary)
    }

    /// Formats the table of broken rules and the verdict.
    fn verdict(&self, ui: &Ui) -> Vec<Line> {
        if self.summary.sessions == 0 {
            return Vec::new();
        }
        let rules = self.overview.rules(self.args.min.into());
        let mut lines = check_table(&rules, ui.width(), self.user_home.as_deref());
        if !lines.is_empty() {
            if self.args.all {
                lines.insert(0, Line::new());
            }
            lines.push(Line::new());
        }
        let words = CheckVerdict::of(self.summary.findings).words();
        let width = ui.width().min(PAGE);
        lines.extend(wrap(&Line::of(words, Role::Title), width));
        lines
    }
}
