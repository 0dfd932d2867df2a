//! Recaps of a period by project: prompts, changed files, cost, and outcomes of sessions.
//!
//! A session goes in with the period; only the work in that period comes out. A session that began
//! earlier contributes its turns in the period, and a turn that began earlier is marked. Prompts
//! and changes that a fork or a resume copied into another log are listed once, for the session
//! that began first. Sums come from the ledger, which counts each message once and covers every
//! path; prompts are those of the active path.

use std::collections::{BTreeMap, HashSet};
use std::io;

use unspool_model::conversation::{Turn, TurnOutcome};
use unspool_model::ids::{EntryId, ProjectId};
use unspool_model::query::TimeRange;
use unspool_model::time::Time;
use unspool_text::sanitize;

use super::changes::{self, FileEdit};
use super::stats::Sums;
use super::transcript::Transcript;
use unspool_store::rows::SessionRow;

/// The width of prompts in columns. Chosen by judgement: about three lines of a terminal.
const PROMPT: usize = 240;

/// The work in a period.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Recap {
    /// The period.
    pub time: TimeRange,
    /// The projects, the most recently active first.
    pub projects: Vec<RecapProject>,
    /// The totals of all projects.
    pub total: RecapTotals,
    /// Models without a price that used tokens, by name.
    pub unpriced_models: Vec<String>,
}

/// The work in a project.
#[derive(Clone, PartialEq, Debug)]
pub struct RecapProject {
    /// The display name.
    pub name: String,
    /// The name of its folder in the home.
    pub project: Option<ProjectId>,
    /// Its folder, from the newest session.
    pub cwd: Option<String>,
    /// Its sessions, in the order of their activity.
    pub sessions: Vec<RecapSession>,
    /// The totals of the project.
    pub total: RecapTotals,
}

/// The work in a session.
#[derive(Clone, PartialEq, Debug)]
pub struct RecapSession {
    /// The row of the session, for all of its time.
    pub row: SessionRow,
    /// The times of the first and last activity in the period.
    pub active: Option<(Time, Time)>,
    /// The prompts in order.
    pub prompts: Vec<RecapPrompt>,
    /// The changed files, by path.
    pub files: Vec<RecapFile>,
    /// The outcome of its last turn in the period, if there is one.
    pub outcome: Option<TurnOutcome>,
    /// Whether the session continued after the period.
    pub goes_on: bool,
    /// The sums from the ledger.
    pub sums: Sums,
}

/// A prompt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecapPrompt {
    /// The entry of the prompt.
    pub entry: Option<EntryId>,
    /// The time of the prompt.
    pub time: Option<Time>,
    /// The prompt in one line, shortened.
    pub text: String,
    /// Whether the prompt was given before the period, and worked on in it.
    pub earlier: bool,
    /// The outcome of its turn.
    pub outcome: TurnOutcome,
}

/// A changed file.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct RecapFile {
    /// The file.
    pub path: String,
    /// The number of edits.
    pub edits: u32,
    /// The number of added lines.
    pub added: u64,
    /// The number of removed lines.
    pub removed: u64,
    /// Whether the file was created.
    pub created: bool,
    /// Whether the last edit deleted the file.
    pub deleted: bool,
}

/// The totals of sessions.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RecapTotals {
    /// The number of sessions.
    pub sessions: usize,
    /// The number of prompts.
    pub prompts: usize,
    /// The number of changed files, each path once.
    pub files: usize,
    /// The sums from the ledger.
    pub sums: Sums,
}

/// Returns the work of a session in a period; the caller adds files and sums.
pub fn recap_of(
    row: SessionRow,
    shown: &Transcript<'_>,
    time: TimeRange,
) -> io::Result<RecapSession> {
    let turns: Vec<&Turn> = shown.turns.iter().filter(|turn| meets(turn, time)).collect();
    let mut reader = shown.reader();
    let mut prompts = Vec::with_capacity(turns.len());
    for turn in &turns {
        let message = &shown.view.messages[turn.messages.start as usize];
        let text = reader.read(&shown.view, message)?;
        prompts.push(RecapPrompt {
            entry: text.entries.first().cloned(),
            time: turn.started,
            text: sanitize::one_line(&text.said(), PROMPT),
            earlier: turn.started.is_some_and(|started| is_before(started, time)),
            outcome: turn.outcome,
        });
    }
    let times = turns.iter().flat_map(|turn| [turn.started, turn.ended]);
    let times: Vec<Time> = times.flatten().filter(|&at| time.contains(at)).collect();
    let active = times.iter().min().copied().zip(times.iter().max().copied());
    let until = time.until;
    Ok(RecapSession {
        active,
        prompts,
        files: Vec::new(),
        outcome: turns.last().map(|turn| turn.outcome),
        goes_on: until.is_some_and(|until| row.ended.is_some_and(|ended| ended >= until)),
        sums: Sums::default(),
        row,
    })
}

/// Returns the successful edits of a session in a period, each with its file.
pub fn edits_in(shown: &Transcript<'_>, time: TimeRange) -> io::Result<Vec<(String, FileEdit)>> {
    let mut found = Vec::new();
    for file in changes::changes(shown)?.files {
        let path = file.path;
        let in_time =
            |edit: &FileEdit| edit.worked() && edit.time.is_some_and(|at| time.contains(at));
        let edits = file.edits.into_iter().filter(in_time);
        found.extend(edits.map(|edit| (path.clone(), edit)));
    }
    Ok(found)
}

/// Reports whether a turn overlaps a period.
fn meets(turn: &Turn, time: TimeRange) -> bool {
    let Some(started) = turn.started else {
        return false;
    };
    let ended = turn.ended.unwrap_or(started).max(started);
    time.until.is_none_or(|until| started < until) && !is_before(ended, time)
}

fn is_before(at: Time, time: TimeRange) -> bool {
    time.from.is_some_and(|from| at < from)
}

/// A session with its edits, before copies are removed.
pub type RecapPart = (RecapSession, Vec<(String, FileEdit)>);

/// Groups sessions by project. `sums` has the sums of each session by its id.
pub fn recap(time: TimeRange, mut parts: Vec<RecapPart>, sums: &BTreeMap<String, Sums>) -> Recap {
    // Entries that two logs share belong to the session that began first.
    parts.sort_by(|(a, _), (b, _)| {
        let key = |part: &RecapSession| (part.row.started, part.row.id.clone());
        key(a).cmp(&key(b))
    });
    let mut told = HashSet::new();
    let mut projects: BTreeMap<_, RecapProject> = BTreeMap::new();
    for (mut session, edits) in parts {
        session.prompts.retain(|prompt| is_new(prompt.entry.as_ref(), "", &mut told));
        session.files = files(&edits, &mut told);
        session.sums = sums.get(session.row.id.as_str()).copied().unwrap_or_default();
        if session.prompts.is_empty() && session.files.is_empty() && session.sums.messages == 0 {
            continue;
        }
        let key = (session.row.home.clone(), session.row.project.clone());
        let project = projects.entry(key).or_insert_with(|| RecapProject {
            name: session.row.project_name().to_owned(),
            project: session.row.project.clone(),
            cwd: session.row.cwd.clone(),
            sessions: Vec::new(),
            total: RecapTotals::default(),
        });
        project.sessions.push(session);
    }
    let mut projects: Vec<RecapProject> = projects.into_values().collect();
    for project in &mut projects {
        project.sessions.sort_by_key(|session| session.active);
        project.total = RecapTotals::of(project.sessions.iter());
    }
    let last = |project: &RecapProject| {
        let ends = project.sessions.iter().filter_map(|session| session.active);
        ends.map(|(_, end)| end).max()
    };
    projects.sort_by_cached_key(|project| std::cmp::Reverse(last(project)));
    Recap {
        time,
        total: RecapTotals::of(projects.iter().flat_map(|project| &project.sessions)),
        projects,
        unpriced_models: Vec::new(),
    }
}

/// Sums up edits by file, without those listed before.
fn files(edits: &[(String, FileEdit)], told: &mut HashSet<(EntryId, String)>) -> Vec<RecapFile> {
    let mut files: BTreeMap<&str, RecapFile> = BTreeMap::new();
    // A call may edit a file several times, so its entry counts as listed only after all its edits.
    let mut own: HashSet<(EntryId, String)> = HashSet::new();
    for (path, edit) in edits {
        let key = edit.entry.clone().map(|entry| (entry, path.clone()));
        if key.as_ref().is_some_and(|key| told.contains(key)) {
            continue;
        }
        own.extend(key);
        let file = files.entry(path).or_default();
        file.path.clone_from(path);
        file.created |= edit.created && file.edits == 0;
        file.deleted = edit.deleted;
        file.edits += 1;
        file.added = file.added.saturating_add(edit.added);
        file.removed = file.removed.saturating_add(edit.removed);
    }
    told.extend(own);
    files.into_values().collect()
}

/// Reports whether an entry was not listed before, and marks it as listed.
fn is_new(entry: Option<&EntryId>, what: &str, told: &mut HashSet<(EntryId, String)>) -> bool {
    entry.is_none_or(|entry| told.insert((entry.clone(), what.to_owned())))
}

impl RecapTotals {
    fn of<'s>(sessions: impl Iterator<Item = &'s RecapSession>) -> Self {
        let mut total = Self::default();
        let mut paths = HashSet::new();
        for session in sessions {
            total.sessions += 1;
            total.prompts += session.prompts.len();
            paths.extend(session.files.iter().map(|file| file.path.as_str()));
            // Each message is credited to one session, so the sums can be added.
            total.sums += session.sums;
        }
        total.sums.sessions = total.sessions as u64;
        total.files = paths.len();
        total
    }
}
