//! All changes of a session in one view: the files that a path changed, edit by edit.
//!
//! A [`Transcript`] goes in; out come the files in the order of their first change, each with its
//! edits and their diffs. Edits of agents are included, sorted by time. Calls that failed or were
//! denied are included too, marked, with the changes that they requested; they count in no sum.
//!
//! Only answers are read whose calls edit files by name, or whose results report changed lines, so
//! a command that only creates or removes empty files is not found. The content of a file at a
//! given time is not reconstructed.

mod call;

use std::collections::HashMap;
use std::io;
use std::ops::AddAssign;

use unspool_model::conversation::{CallStatus, Conversation, Message, Turn, View};
use unspool_model::ids::EntryId;
use unspool_model::positions::{NodeId, TurnNumber};
use unspool_model::symbols::Symbol;
use unspool_model::time::Time;
use unspool_model::tool::changes_files;
use unspool_text::diff::Diff;

use super::lanes::{AgentRow, AgentTree};
use super::message::{BlockText, CallText, MessageReader};
use super::transcript::Transcript;

pub(crate) use call::each_change;
pub use call::{EditSource, edit_of, patch_diff};

/// The files that a path changed.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SessionChanges {
    /// The files, in the order of their first change.
    pub files: Vec<ChangedFile>,
}

/// A file with changes, made or requested.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChangedFile {
    /// The file.
    pub path: String,
    /// Its edits in order.
    pub edits: Vec<FileEdit>,
}

/// The change of one call to a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileEdit {
    /// The entry that contains the call.
    pub entry: Option<EntryId>,
    /// The id of the call.
    pub call: Option<String>,
    /// The turn of the path that made the call; `None` before the first prompt.
    pub turn: Option<TurnNumber>,
    /// The time of the result, or of the call if there is no result.
    pub time: Option<Time>,
    /// The tool.
    pub tool: String,
    /// The agent that made the call; `None` for the conversation itself.
    pub agent: Option<String>,
    /// The status of the call: only a call that is done changed the file.
    pub status: CallStatus,
    /// The source of the change.
    pub source: EditSource,
    /// Whether the file was created.
    pub created: bool,
    /// Whether the file was deleted.
    pub deleted: bool,
    /// The number of added lines.
    pub added: u64,
    /// The number of removed lines.
    pub removed: u64,
    /// The diff.
    pub diff: Diff,
}

impl FileEdit {
    /// Reports whether the edit changed the file.
    pub fn worked(&self) -> bool {
        self.status == CallStatus::Done
    }
}

/// The sums of edits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct EditTotals {
    /// The number of edits that changed a file.
    pub edits: u32,
    /// The number of edits without success.
    pub failed: u32,
    /// The number of added lines.
    pub added: u64,
    /// The number of removed lines.
    pub removed: u64,
}

impl EditTotals {
    fn add(&mut self, edit: &FileEdit) {
        if edit.worked() {
            self.edits += 1;
            self.added = self.added.saturating_add(edit.added);
            self.removed = self.removed.saturating_add(edit.removed);
        } else {
            self.failed += 1;
        }
    }
}

impl AddAssign for EditTotals {
    fn add_assign(&mut self, other: Self) {
        self.edits += other.edits;
        self.failed += other.failed;
        self.added = self.added.saturating_add(other.added);
        self.removed = self.removed.saturating_add(other.removed);
    }
}

impl ChangedFile {
    /// Returns the sums of its edits.
    pub fn totals(&self) -> EditTotals {
        let mut totals = EditTotals::default();
        self.edits.iter().for_each(|edit| totals.add(edit));
        totals
    }

    /// Reports whether its first successful edit created the file.
    pub fn is_new(&self) -> bool {
        let mut worked = self.edits.iter().filter(|edit| edit.worked());
        worked.next().is_some_and(|edit| edit.created)
    }
}

impl SessionChanges {
    /// Returns the sums of all edits.
    pub fn totals(&self) -> EditTotals {
        let mut totals = EditTotals::default();
        for file in &self.files {
            totals += file.totals();
        }
        totals
    }
}

/// Returns the changes of a transcript, including those of the agents below it.
pub fn changes(shown: &Transcript<'_>) -> io::Result<SessionChanges> {
    let mut collector = EditCollector::new(shown);
    collector.conversation(&shown.view, &shown.turns, |_| true)?;
    collector.unlinked();
    Ok(SessionChanges { files: collector.finish()?.files })
}

/// An edit with its file.
struct FoundEdit {
    path: String,
    edit: FileEdit,
}

/// The result of a collection.
pub(super) struct CollectedEdits {
    /// The changed files.
    pub(super) files: Vec<ChangedFile>,
    /// The number of agents that worked, including those that agents started.
    pub(super) agents: u32,
}

/// Groups edits by file, in the order of each file's first edit.
fn by_file(edits: impl Iterator<Item = FoundEdit>) -> Vec<ChangedFile> {
    let mut rows: HashMap<String, usize> = HashMap::new();
    let mut files: Vec<ChangedFile> = Vec::new();
    for FoundEdit { path, edit } in edits {
        let next = files.len();
        let row = *rows.entry(path.clone()).or_insert(next);
        if row == next {
            files.push(ChangedFile { path, edits: Vec::new() });
        }
        files[row].edits.push(edit);
    }
    files
}

/// Collects the edits of conversations.
pub(super) struct EditCollector<'t, 's> {
    shown: &'t Transcript<'s>,
    agents: AgentTree<'t, 's>,
    waiting: Vec<(AgentRow, Option<TurnNumber>)>,
    edits: Vec<FoundEdit>,
}

/// The agent and the turn of the calls in a conversation.
struct Caller<'c> {
    agent: Option<&'c str>,
    turn: Option<TurnNumber>,
}

impl<'t, 's> EditCollector<'t, 's> {
    pub(super) fn new(shown: &'t Transcript<'s>) -> Self {
        Self { shown, agents: AgentTree::new(shown), waiting: Vec::new(), edits: Vec::new() }
    }

    /// Collects the edits of the wanted messages of the shown conversation; `turns` are those of
    /// the view. The agents that they started are read by `finish`.
    pub(super) fn conversation(
        &mut self,
        view: &View,
        turns: &[Turn],
        is_wanted: impl Fn(&Message) -> bool,
    ) -> io::Result<()> {
        let conversation = &self.shown.conversation;
        let mut reader = self.shown.reader();
        let mut turns = TurnNumber::enumerate(turns).peekable();
        let mut caller = Caller { agent: None, turn: None };
        for (index, message) in (0u32..).zip(&view.messages) {
            if let Some((number, _)) = turns.next_if(|(_, turn)| turn.messages.start == index) {
                caller.turn = Some(number);
            }
            if is_wanted(message) {
                self.message(conversation, &mut reader, view, message, &caller)?;
            }
        }
        Ok(())
    }

    /// Adds the agents without a known call to those that `finish` reads.
    fn unlinked(&mut self) {
        let rows = self.agents.unlinked().into_iter();
        self.waiting.extend(rows.map(|row| (row, None)));
    }

    /// Collects the edits of the agents, and sorts all edits by time.
    pub(super) fn finish(mut self) -> io::Result<CollectedEdits> {
        let mut agents = 0;
        while let Some((row, turn)) = self.waiting.pop() {
            agents += 1;
            let Some(lane) = self.agents.lane(row) else {
                continue;
            };
            let mut reader = lane.reader(self.shown);
            let caller = Caller { agent: Some(&self.agents.info(row).id), turn };
            for message in &lane.view.messages {
                self.message(lane.conversation(), &mut reader, &lane.view, message, &caller)?;
            }
        }
        // An edit without a time stays with the edit before it.
        let mut latest = None;
        let mut timed: Vec<(Option<Time>, FoundEdit)> = Vec::with_capacity(self.edits.len());
        for found in self.edits {
            latest = found.edit.time.or(latest);
            timed.push((latest, found));
        }
        timed.sort_by_key(|(time, _)| *time);
        Ok(CollectedEdits { files: by_file(timed.into_iter().map(|(_, found)| found)), agents })
    }

    fn message(
        &mut self,
        conversation: &Conversation<'_>,
        reader: &mut MessageReader<'_>,
        view: &View,
        message: &Message,
        caller: &Caller<'_>,
    ) -> io::Result<()> {
        unspool_work::add(1);
        let (log, mut edits) = (conversation.log, false);
        let mut nodes: HashMap<String, (NodeId, Symbol)> = HashMap::new();
        for &node in view.nodes(message) {
            let entry = conversation.graph.entry(log, node);
            for block in log.calls_of(entry) {
                let Some(call) = block.call else { continue };
                let started = self.agents.started_by(log.text(call)).into_iter();
                self.waiting.extend(started.map(|row| (row, caller.turn)));
                let name = block.name.map_or("", |name| log.text(name));
                let found = conversation.result_in(view, node, call);
                let changed = found.map_or((0, 0), |found| log.changes_of(found.entry));
                if changes_files(name) || changed != (0, 0) {
                    edits = true;
                    nodes.insert(self.shown.shown_id(log.text(call)), (node, call));
                }
            }
        }
        if !edits {
            return Ok(());
        }
        let text = reader.read(view, message)?;
        for block in &text.blocks {
            let BlockText::Call(call) = block else {
                continue;
            };
            let place = call.id.as_ref().and_then(|id| nodes.get(id)).copied();
            if let Some((node, symbol)) = place {
                let found = conversation.result_in(view, node, symbol);
                let result = found.and_then(|found| log.entries[found.entry].time);
                let entry = conversation.graph.entry(log, node);
                let uuid = entry.uuid.map(|uuid| self.shown.entry_id(log.text(uuid)));
                let uuid = uuid.map(EntryId::new);
                self.call(call, caller, uuid.as_ref(), result.or(entry.time));
            }
        }
        Ok(())
    }

    fn call(
        &mut self,
        call: &CallText,
        caller: &Caller<'_>,
        entry: Option<&EntryId>,
        time: Option<Time>,
    ) {
        each_change(call, |change| {
            unspool_work::add(1);
            self.edits.push(FoundEdit {
                path: change.path.to_string(),
                edit: FileEdit {
                    entry: entry.cloned(),
                    call: call.id.clone(),
                    turn: caller.turn,
                    time,
                    tool: call.name.clone(),
                    agent: caller.agent.map(str::to_owned),
                    status: call.status,
                    source: change.source,
                    created: change.created,
                    deleted: change.deleted,
                    added: change.lines.0,
                    removed: change.lines.1,
                    diff: change.diff(),
                },
            });
        });
    }
}
