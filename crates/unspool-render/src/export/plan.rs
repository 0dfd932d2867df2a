//! Decides which paths become which files.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use unspool_model::ids::SessionId;
use unspool_model::positions::PathNumber;

use super::names::UniqueNames;
use super::subset::{self, PathId};
use super::survey::{Compare, SessionSurvey, entries};
use super::{ExportRequest, Format, PathRef};
use crate::document::{HeldPath, PathStatus};
use crate::html::SiteSession;
use unspool_store::home::{Resolved, Target};
use unspool_store::session::{Session, SessionFileError};

/// The plan of an export.
pub struct ExportPlan {
    /// The sessions with something to write, in the order of the sources.
    pub sessions: Vec<PlannedSession>,
    /// Paths that other paths contain.
    pub left_out: Vec<SkippedPath>,
    /// Sessions with neither a conversation nor agents.
    pub empty: Vec<SessionId>,
    /// The number of sessions with agents but no conversation; they get files only if agents do.
    pub only_agents: usize,
    /// Files that could not be read.
    pub file_errors: Vec<SessionFileError>,
}

impl ExportPlan {
    /// Returns the number of transcripts.
    pub fn transcripts(&self) -> usize {
        let sessions = self.sessions.iter();
        sessions.map(|session| session.paths.len() + session.agents.len()).sum()
    }
}

/// A session with something to write.
pub struct PlannedSession {
    /// The index of its source.
    pub source: usize,
    /// The id.
    pub id: SessionId,
    /// The number of its paths, written or not.
    pub total: usize,
    /// The paths to write.
    pub paths: Vec<PlannedPath>,
    /// The agents that get files of their own.
    pub agents: Vec<PlannedAgent>,
    /// Sources with agents whose paths this session contains.
    pub(super) sources_of_agents: Vec<usize>,
    /// Sources that share entries with it.
    pub(super) related: Vec<usize>,
    /// The facts that a site lists, if the export is a site.
    pub(super) listed: Option<SiteSession>,
    /// The session itself, if it is the only one and was read already.
    pub(super) session: Option<Session>,
}

/// A path to write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlannedPath {
    /// The number.
    pub number: PathNumber,
    /// Whether a resume would continue the path.
    pub status: PathStatus,
    /// The name of its file.
    pub name: String,
    /// Paths of other sessions that the path contains.
    pub held_paths: Vec<HeldPath>,
}

/// An agent that gets a file of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlannedAgent {
    /// The id.
    pub id: String,
    /// The source of the agent's session.
    pub(super) source: usize,
    /// The name of its file.
    pub name: String,
}

/// A path that is not written, and the path that contains all of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SkippedPath {
    /// The path.
    pub path: PathRef,
    /// The path that contains it.
    pub held_by: PathRef,
    /// The file of the path that contains it.
    pub file: String,
}

/// Plans an export; `done` counts the bytes of sessions that were read.
pub fn plan(request: &ExportRequest<'_>, done: &AtomicU64) -> ExportPlan {
    let compare = match request.sources.len() {
        0 | 1 => Compare::Alone,
        _ => Compare::WithOthers,
    };
    let surveyed: Vec<_> = request
        .sources
        .par_iter()
        .map(|source| {
            let surveyed = survey(source, request, compare);
            done.fetch_add(bytes(source), Ordering::Relaxed);
            surveyed
        })
        .collect();
    let mut drafts = Vec::new();
    let mut file_errors = Vec::new();
    for (source, surveyed) in surveyed.into_iter().enumerate() {
        match surveyed {
            Ok((survey, session)) => drafts.push(SessionDraft { source, survey, session }),
            Err(file_error) => file_errors.push(file_error),
        }
    }
    Drafts { request, drafts }.finish(file_errors)
}

fn survey(
    source: &Resolved,
    request: &ExportRequest<'_>,
    compare: Compare,
) -> Result<(SessionSurvey, Option<Session>), SessionFileError> {
    let session = (request.open)(source)?;
    let survey = SessionSurvey::of(&session, request, compare);
    Ok((survey, Some(session).filter(|_| compare == Compare::Alone)))
}

pub(super) fn bytes(source: &Resolved) -> u64 {
    match &source.target {
        Target::Session(file) => file.stamp.bytes,
        Target::Agent(file) => file.stamp.bytes,
    }
}

/// A session that was surveyed.
struct SessionDraft {
    source: usize,
    survey: SessionSurvey,
    session: Option<Session>,
}

/// All sessions that were surveyed.
struct Drafts<'r, 'a> {
    request: &'r ExportRequest<'a>,
    drafts: Vec<SessionDraft>,
}

impl Drafts<'_, '_> {
    fn finish(mut self, file_errors: Vec<SessionFileError>) -> ExportPlan {
        let held = self.held();
        let related = self.related();
        let mut held_paths: BTreeMap<PathId, Vec<PathId>> = BTreeMap::new();
        for (&path, &holder) in &held {
            held_paths.entry(holder).or_default().push(path);
        }
        let mut plan = ExportPlan {
            sessions: Vec::new(),
            left_out: Vec::new(),
            empty: Vec::new(),
            only_agents: 0,
            file_errors,
        };
        let mut names = UniqueNames::default();
        let mut files: HashMap<PathId, String> = HashMap::new();
        for (at, related) in related.into_iter().enumerate() {
            let mut planned = self.session(at, &held, &held_paths, &mut names);
            planned.related = related;
            for path in &planned.paths {
                files.insert((at, path.number), path.name.clone());
            }
            if !planned.paths.is_empty() || !planned.agents.is_empty() {
                plan.sessions.push(planned);
            } else if planned.total == 0 {
                let survey = &self.drafts[at].survey;
                if survey.has_agents {
                    plan.only_agents += 1;
                } else {
                    plan.empty.push(planned.id);
                }
            }
        }
        for (at, draft) in self.drafts.iter().enumerate() {
            for &(number, _) in &draft.survey.paths {
                let Some(&holder) = held.get(&(at, number)) else {
                    continue;
                };
                plan.left_out.push(SkippedPath {
                    path: self.path_ref((at, number)),
                    held_by: self.path_ref(holder),
                    file: files.get(&holder).cloned().unwrap_or_default(),
                });
            }
        }
        plan
    }

    /// Finds the paths that other paths contain. Sessions that began earlier take precedence.
    fn held(&self) -> HashMap<PathId, PathId> {
        if self.drafts.len() < 2 {
            return HashMap::new();
        }
        let mut order: Vec<usize> = (0..self.drafts.len()).collect();
        order.sort_by_key(|&at| {
            let survey = &self.drafts[at].survey;
            (survey.started.is_none(), survey.started, &survey.id, at)
        });
        let members: Vec<_> =
            order.iter().map(|&at| self.drafts[at].survey.member.clone()).collect();
        let mut load = |position: usize| {
            let source = &self.request.sources[self.drafts[order[position]].source];
            // A session that cannot be read any more contains nothing.
            let session = (self.request.open)(source);
            session.map_or_else(|_| Vec::new(), |session| entries(&session, self.request))
        };
        let held = subset::held(&members, &mut load);
        let place = |(position, number): PathId| (order[position], number);
        held.into_iter().map(|(path, holder)| (place(path), place(holder))).collect()
    }

    /// Groups the sources of sessions that share entries or were forked from each other.
    fn related(&self) -> Vec<Vec<usize>> {
        let count = self.drafts.len();
        if self.request.format != Format::Json || count < 2 {
            return vec![Vec::new(); count];
        }
        let mut circles = JoinedSets::new(count);
        let mut first: HashMap<u64, usize> = HashMap::new();
        let mut by_id: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, draft) in self.drafts.iter().enumerate() {
            by_id.entry(draft.survey.id.as_str()).or_default().push(at);
            for entry in &draft.survey.member.entries {
                let known = *first.entry(entry.hash).or_insert(at);
                circles.join(known, at);
            }
        }
        for (at, draft) in self.drafts.iter().enumerate() {
            let named = draft.survey.forked_from.iter();
            for &other in named.filter_map(|id| by_id.get(id.as_str())).flatten() {
                circles.join(other, at);
            }
        }
        let mut members: HashMap<usize, Vec<usize>> = HashMap::new();
        for at in 0..count {
            members.entry(circles.find(at)).or_default().push(self.drafts[at].source);
        }
        (0..count).map(|at| members.get(&circles.find(at)).cloned().unwrap_or_default()).collect()
    }

    fn session(
        &mut self,
        at: usize,
        held: &HashMap<PathId, PathId>,
        held_paths: &BTreeMap<PathId, Vec<PathId>>,
        names: &mut UniqueNames,
    ) -> PlannedSession {
        let extension = self.request.format.extension();
        let session = self.drafts[at].session.take();
        let listed = self.drafts[at].survey.listed.take();
        let SessionDraft { source, survey, .. } = &self.drafts[at];
        let mut planned = PlannedSession {
            source: *source,
            id: survey.id.clone(),
            total: survey.total,
            paths: Vec::new(),
            agents: Vec::new(),
            sources_of_agents: Vec::new(),
            related: Vec::new(),
            listed,
            session,
        };
        let written: Vec<_> =
            survey.paths.iter().filter(|(number, _)| !held.contains_key(&(at, *number))).collect();
        if written.is_empty() && survey.total > 0 {
            return planned;
        }
        let stem = names.stem(&self.request.shown_id(survey.id.as_str()));
        let mut contained_sessions = vec![at];
        for &&(number, status) in &written {
            let mut inside = held_paths.get(&(at, number)).cloned().unwrap_or_default();
            inside.sort_unstable();
            contained_sessions.extend(inside.iter().map(|(other, _)| *other));
            planned.paths.push(PlannedPath {
                number,
                status,
                name: names.path(&stem, (number, survey.total), status, extension),
                held_paths: inside.into_iter().map(|path| self.held_path(path)).collect(),
            });
        }
        // The session's own agents take precedence over those of sessions that it contains.
        contained_sessions.sort_unstable_by_key(|&guest| (guest != at, guest));
        contained_sessions.dedup();
        let mut known = HashSet::new();
        for &guest in &contained_sessions {
            let SessionDraft { source, survey, .. } = &self.drafts[guest];
            if guest != at && survey.has_agents {
                planned.sources_of_agents.push(*source);
            }
            for agent in survey.agents.iter().filter(|agent| known.insert(*agent)) {
                planned.agents.push(PlannedAgent {
                    id: agent.clone(),
                    source: *source,
                    name: names.agent(&stem, &self.request.shown_id(agent), extension),
                });
            }
        }
        planned
    }

    fn held_path(&self, (at, number): PathId) -> HeldPath {
        HeldPath {
            session: SessionId::new(self.request.shown_id(self.drafts[at].survey.id.as_str())),
            number,
        }
    }

    fn path_ref(&self, (at, number): PathId) -> PathRef {
        let draft = &self.drafts[at];
        let home = self.request.sources[draft.source].home.as_ref();
        let paths = &draft.survey.paths;
        let known = paths.binary_search_by_key(&number, |(number, _)| *number);
        let status = known.ok().map(|known| paths[known].1);
        PathRef {
            session: draft.survey.id.clone(),
            home: home.map(|home| home.root.clone()),
            number,
            status: status.unwrap_or(PathStatus::Abandoned),
        }
    }
}

/// Disjoint sets of indices, each represented by its smallest one.
struct JoinedSets(Vec<usize>);

impl JoinedSets {
    fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    fn find(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b)] = a.min(b);
    }
}
