//! Gathers the findings of checks from the library.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use unspool_engine::library::{
    CheckRequest, CollectedNotes, LibraryNote, ListRequest, SessionChoice, SessionRequest,
};
use unspool_engine::ops::check::{CheckReport, CheckSummary, Finding, Overview, RuleId};
use unspool_model::graph::Rule;
use unspool_model::ids::{ProjectId, SessionId};
use unspool_store::progress::Unwatched;
use unspool_store::rows::SessionRow;

use crate::pages::parts::{SessionUrls, is_linkable};
use crate::route::Call;
use crate::state::is_session_id;
use crate::web::RequestProblem;

/// Logs up to this size in total are checked at once, by judgement: it takes about a second. For
/// larger homes, the page offers the check first.
const AT_ONCE: u64 = 200 * 1000 * 1000;
/// The maximum number of listed findings of a rule.
const LISTED: usize = 20;

/// The data of the page.
pub(super) struct CheckData {
    /// The findings; none if the page has to offer the check first.
    pub(super) checked: Option<Checked>,
    /// The number of sessions, and the size of their logs in bytes.
    pub(super) sessions: usize,
    pub(super) bytes: u64,
    /// The session that the request names.
    pub(super) session: Option<String>,
    pub(super) notes: Vec<LibraryNote>,
}

/// The findings of the checked sessions.
#[derive(Default)]
pub(super) struct Checked {
    pub(super) summary: CheckSummary,
    pub(super) overview: Overview,
    /// The first findings of each rule.
    pub(super) findings: BTreeMap<RuleId, Vec<LocatedFinding>>,
    /// The addresses of the sessions with findings.
    pub(super) ways: SessionUrls,
    /// Errors of sessions that could not be opened.
    pub(super) errors: Vec<String>,
}

/// A finding with its session.
pub(super) struct LocatedFinding {
    pub(super) finding: Finding,
    pub(super) session: Option<SessionId>,
    /// The project of the session.
    pub(super) project: Option<ProjectId>,
}

impl CheckData {
    /// Checks the sessions that a request selects.
    pub(super) fn gather(call: &Call) -> Result<Self, RequestProblem> {
        let library = &call.state.library;
        call.state.refresher.try_refresh()?;
        let notes = CollectedNotes::default();
        let session = call.query.get("session");
        if let Some(id) = session {
            if !is_session_id(id) {
                return Err(RequestProblem::not_found("no session has this id"));
            }
            // An unknown session is an error of the address, not a finding.
            library.session(&SessionRequest::named(id), &Unwatched)?;
        }
        let rows = library.list(&ListRequest::default(), &notes)?.rows;
        let bytes = rows.iter().map(|row| row.bytes).sum();
        let is_wanted = session.is_some() || call.query.is_on("full") || bytes <= AT_ONCE;
        let checked = is_wanted.then(|| Checked::of(call, session, &rows, &notes));
        Ok(Self {
            checked,
            sessions: rows.len(),
            bytes,
            session: session.map(str::to_owned),
            notes: notes.take(),
        })
    }
}

impl Checked {
    fn of(call: &Call, session: Option<&str>, rows: &[SessionRow], notes: &CollectedNotes) -> Self {
        let names: Vec<String> = session.map(str::to_owned).into_iter().collect();
        let request = CheckRequest {
            choice: (!names.is_empty()).then_some(SessionChoice::Named(&names)),
            rule: Rule::Current,
        };
        let known: HashSet<&str> = rows.iter().map(|row| row.id.as_str()).collect();
        let mut checked = Self::default();
        let each = |report: Result<CheckReport, _>| -> Result<(), std::convert::Infallible> {
            match report {
                Ok(report) => checked.add(report, rows, &known),
                Err(error) => checked.errors.push(format!("{error}")),
            }
            Ok(())
        };
        // The error is `Infallible`.
        let _ = call.state.library.check(&request, notes, each);
        let found = checked.findings.values().flatten();
        checked.ways = SessionUrls::of(&call.state, found.filter_map(|one| one.session.as_ref()));
        checked
    }

    fn add(&mut self, report: CheckReport, rows: &[SessionRow], known: &HashSet<&str>) {
        self.summary.add(&report.summary);
        self.overview.add(&report);
        for finding in report.findings {
            let kept = self.findings.entry(finding.rule).or_default();
            if kept.len() < LISTED {
                let session = session_of(&finding.file, known);
                let project = session.as_ref();
                let project = project.and_then(|id| project_of(&finding.file, id, rows));
                kept.push(LocatedFinding { finding, session, project });
            }
        }
    }
}

/// Finds the project of a session's log: a folder above the log has its name.
fn project_of(file: &Path, id: &SessionId, rows: &[SessionRow]) -> Option<ProjectId> {
    let is_above = |project: &&ProjectId| {
        let mut folders = file.ancestors().filter_map(Path::file_name);
        folders.any(|name| name == project.as_str())
    };
    let of_id = rows.iter().filter(|row| row.id == *id);
    let mut projects = of_id.filter_map(|row| row.project.as_ref());
    projects.find(is_above).cloned()
}

/// Finds the session of a log: the log, or a folder above it, has its id as a name.
fn session_of(file: &Path, known: &HashSet<&str>) -> Option<SessionId> {
    let stem = file.file_stem().into_iter();
    let folders = file.ancestors().skip(1).filter_map(Path::file_name);
    let mut names = stem.chain(folders).filter_map(|name| name.to_str());
    let id = SessionId::new(names.find(|name| known.contains(name))?);
    is_linkable(&id).then_some(id)
}
