//! `GET /api/check`: damage and broken rules in logs.

use std::convert::Infallible;

use unspool_engine::library::CheckRequest;
use unspool_engine::ops::check::{self, CheckReport, CheckSummary, Finding, Severity};
use unspool_model::graph::Rule;
use unspool_model::named::Named as _;
use unspool_render::json::CheckReportJson;
use unspool_store::progress::Unwatched;

use crate::route::Call;
use crate::web::{Parameter, ParameterForm, RequestProblem, WebReply};

/// The default number of findings in an answer.
const FINDINGS: u64 = 1_000;

/// The parameters that select sessions and findings.
pub(super) const CHECK_PARAMETERS: &[Parameter] = &[
    Parameter::one(
        "session",
        ParameterForm::Text,
        "The session to check, by its id; all sessions if none, which reads every log",
    ),
    Parameter::one(
        "project",
        ParameterForm::Text,
        "The project of the session, where several have one of this id",
    ),
    Parameter::one(
        "min",
        ParameterForm::Choice { names: || Severity::NAMES.to_vec(), usual: Some("info") },
        "Leave out findings below this",
    ),
    Parameter::one(
        "limit",
        ParameterForm::Integer { least: 1, most: 10_000, usual: Some(FINDINGS) },
        "How many findings are wanted at most; the summary counts all of them",
    ),
];

/// The findings up to a limit, and a summary of all of them.
struct FoundProblems {
    least: Severity,
    limit: usize,
    findings: Vec<Finding>,
    left_out: u64,
    summary: CheckSummary,
}

impl FoundProblems {
    fn add(&mut self, report: CheckReport) {
        self.summary.add(&report.summary);
        let least = self.least;
        let findings = report.findings.into_iter();
        for finding in findings.filter(|finding| finding.severity >= least) {
            if self.findings.len() < self.limit {
                self.findings.push(finding);
            } else {
                self.left_out += 1;
            }
        }
    }
}

/// `GET /api/check`
pub(super) fn check(call: &Call) -> Result<WebReply, RequestProblem> {
    let mut found = FoundProblems {
        least: call.query.named("min")?.unwrap_or(Severity::Info),
        limit: call.query.read("limit")?.unwrap_or(FINDINGS as usize),
        findings: Vec::new(),
        left_out: 0,
        summary: CheckSummary::default(),
    };
    match call.query.get("session") {
        Some(id) => {
            let opened = call.state.session_in(id, call.query.get("project"))?;
            found.add(check::check(opened.view().session(), Rule::Current));
        }
        None => check_all(call, &mut found)?,
    }
    WebReply::json(&CheckReportJson::new(&found.findings, found.left_out, &found.summary))
}

fn check_all(call: &Call, found: &mut FoundProblems) -> Result<(), RequestProblem> {
    call.state.refresher.try_refresh()?;
    let request = CheckRequest::default();
    let library = &call.state.library;
    let checked = library.check(&request, &Unwatched, |report| {
        // A log may disappear after the homes were walked; it has no report.
        if let Ok(report) = report {
            found.add(report);
        }
        Ok::<_, Infallible>(())
    });
    match checked {
        Ok(_) => Ok(()),
        Err(never) => match never {},
    }
}
