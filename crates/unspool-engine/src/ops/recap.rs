//! What was done in some time, by project: prompts, changed files, cost, how sessions ended.
//!
//! A session goes in with the time that is asked about; what comes out is only what happened then.
//! A session that began earlier contributes the turns of that time, and a turn that began earlier
//! is marked. Prompts and changes that a fork or a resume copied into another log are told once, for
//! the session that began first. Numbers come from the ledger of totals, which counts each message
//! once and knows every path; prompts are those of the active path.

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

/// How many columns of a prompt are told. Chosen by judgement: about three lines of a terminal.
const PROMPT: usize = 240;

/// What was done in some time.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Recap {
    /// The time that it is about.
    pub time: TimeRange,
    /// The projects, the one first in which something happened last.
    pub projects: Vec<RecapProject>,
    /// What all of it comes to.
    pub total: RecapTotals,
    /// Models that used tokens and have no price, by name.
    pub unpriced_models: Vec<String>,
}

/// What was done in a project.
#[derive(Clone, PartialEq, Debug)]
pub struct RecapProject {
    /// What people call it.
    pub name: String,
    /// Its name in its home.
    pub project: Option<ProjectId>,
    /// Its folder, as its newest session says.
    pub cwd: Option<String>,
    /// Its sessions, in the order in which they had something to do.
    pub sessions: Vec<RecapSession>,
    /// What they come to.
    pub total: RecapTotals,
}

/// What was done in a session.
#[derive(Clone, PartialEq, Debug)]
pub struct RecapSession {
    /// The session as lists show it, with all of its time.
    pub row: SessionRow,
    /// The first and the last moment of that time in which something happened.
    pub active: Option<(Time, Time)>,
    /// What was asked, in order.
    pub prompts: Vec<RecapPrompt>,
    /// The files that were changed, by path.
    pub files: Vec<RecapFile>,
    /// How its last turn of that time ended; none without one.
    pub outcome: Option<TurnOutcome>,
    /// Whether it went on after that time.
    pub goes_on: bool,
    /// What was counted.
    pub sums: Sums,
}

/// A prompt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecapPrompt {
    /// Its entry.
    pub entry: Option<EntryId>,
    /// When it was given.
    pub time: Option<Time>,
    /// Its first line.
    pub text: String,
    /// Whether it was given before the time that is asked about, and worked on in it.
    pub earlier: bool,
    /// How its turn ended.
    pub outcome: TurnOutcome,
}

/// A file that was changed.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct RecapFile {
    /// The file.
    pub path: String,
    /// How many calls changed it.
    pub edits: u32,
    /// Lines that were added.
    pub added: u64,
    /// Lines that were removed.
    pub removed: u64,
    /// Whether it was made.
    pub created: bool,
    /// Whether it was removed in the end.
    pub deleted: bool,
}

/// What sessions come to.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RecapTotals {
    /// How many sessions.
    pub sessions: usize,
    /// How many prompts.
    pub prompts: usize,
    /// How many files were changed, each path once.
    pub files: usize,
    /// What was counted.
    pub sums: Sums,
}

/// Tells what happened in a session in some time; the numbers are for the caller to fill in.
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

/// Returns the edits of a session that worked in some time, each with its file.
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

/// Tells whether a turn was worked on in some time.
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

/// A session with its edits, before copies are taken out.
pub type RecapPart = (RecapSession, Vec<(String, FileEdit)>);

/// Puts sessions together by project. `sums` has the numbers of each session by its id.
pub fn recap(time: TimeRange, mut parts: Vec<RecapPart>, sums: &BTreeMap<String, Sums>) -> Recap {
    // What two logs have belongs to the session that began first.
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

/// Adds edits up by file, without those that were told before.
fn files(edits: &[(String, FileEdit)], told: &mut HashSet<(EntryId, String)>) -> Vec<RecapFile> {
    let mut files: BTreeMap<&str, RecapFile> = BTreeMap::new();
    // One call may edit a file in several places, so copies are left out by whole calls.
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

/// Tells whether something was not told before, and remembers it.
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
            // Each message is credited to one session, so sums add up.
            total.sums += session.sums;
        }
        total.sums.sessions = total.sessions as u64;
        total.files = paths.len();
        total
    }
}
