//! A log that is followed: its conversation by whole lines, and the index of its active path.
//!
//! A [`FollowedLog`] belongs to a log file, which it does not own. It takes in what was added to
//! the file; half of a line at the end is left out until the line is whole. For other paths than
//! the active one it lays out the path when a caller asks for it, and keeps it as long as new lines
//! do not concern it.
//!
//! A *generation* is a number for messages that only grow: while it is the same, every message of
//! the path has kept its place, its entries and the results of its calls. No two followed logs of a
//! process have the same.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use unspool_model::conversation::{Conversation, Extension, KeptConversation, View};
use unspool_model::graph::{Rule, Scope};
use unspool_model::log::Log;
use unspool_model::positions::PathNumber;
use unspool_store::tail::{LogFile, LogFileChange};

use super::index::FeedIndex;
use super::position::short_print;

/// How many paths besides the active one stay laid out. Chosen by judgement: readers of a
/// session look at few branches at the same time.
const OTHERS: usize = 8;

/// What is known of a log that is followed.
pub(crate) struct FollowedLog {
    kept: KeptConversation,
    index: FeedIndex,
    generation: u64,
    scope: Scope,
    /// The print of the first line, once it is whole.
    head: Option<u32>,
    /// The end of the whole lines that were taken in.
    end: u64,
    /// The conversation with half of a line at the end, made when it is asked for.
    with_tail: OnceLock<KeptConversation>,
    others: Mutex<Vec<(StrandPath, Arc<LaidOutPath>)>>,
}

/// A path that is not the active one of a log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum StrandPath {
    /// A path of the conversation.
    Numbered(PathNumber),
    /// A path of an agent inside the file: the position of the agent, and its path if it is
    /// not the agent's active one.
    Inside(usize, Option<PathNumber>),
}

/// A path that was laid out, with its index.
pub(crate) struct LaidOutPath {
    pub(crate) view: View,
    pub(crate) index: FeedIndex,
    pub(crate) generation: u64,
    pub(crate) number: Option<PathNumber>,
    /// The generation of the log that it was laid out for.
    made_for: u64,
    /// How many entries of the log were looked at for results of its calls.
    looked_at: AtomicUsize,
}

/// Returns a number that no other messages of this process have.
fn next_generation() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed)
}

impl FollowedLog {
    /// Follows a log from now on.
    pub(crate) fn new(file: &mut LogFile, scope: Scope) -> Self {
        let (kept, index) = file.with_whole_lines(|log| {
            let kept = KeptConversation::new(log, Rule::Current, scope);
            let index = FeedIndex::new(&kept.conversation(log), kept.history());
            (kept, index)
        });
        Self {
            kept,
            index,
            generation: next_generation(),
            scope,
            head: first_line(file),
            end: file.log().resume_offset(),
            with_tail: OnceLock::new(),
            others: Mutex::default(),
        }
    }

    /// Takes in what happened to the file.
    pub(crate) fn refresh(
        &mut self,
        file: &mut LogFile,
        change: LogFileChange,
        scope: Scope,
    ) -> Extension {
        if change == LogFileChange::Replaced || scope != self.scope {
            *self = Self::new(file, scope);
            return Extension::Rebuilt;
        }
        if change == LogFileChange::Same {
            return Extension::Nothing;
        }
        self.with_tail = OnceLock::new();
        let end = file.log().resume_offset();
        if end == self.end {
            return Extension::Nothing;
        }
        self.end = end;
        self.head = self.head.or_else(|| first_line(file));
        file.with_whole_lines(|log| self.extend(log))
    }

    fn extend(&mut self, log: &Log) -> Extension {
        let extension = self.kept.extend(log);
        let conversation = self.kept.conversation(log);
        let is_added = extension != Extension::Rebuilt
            && self.index.extend(&conversation, self.kept.history());
        if !is_added {
            self.index = FeedIndex::new(&conversation, self.kept.history());
            self.generation = next_generation();
        }
        extension
    }

    /// Returns the conversation of everything in the file, half of a line at its end included.
    pub(crate) fn whole(&self, log: &Log) -> &KeptConversation {
        if log.has_open_tail() {
            let made = || KeptConversation::new(log, Rule::Current, self.scope);
            return self.with_tail.get_or_init(made);
        }
        &self.kept
    }

    /// Returns the conversation of whole lines.
    pub(crate) fn lines(&self) -> &KeptConversation {
        &self.kept
    }

    /// Returns the index of the active path.
    pub(crate) fn index(&self) -> &FeedIndex {
        &self.index
    }

    /// Returns the generation of the active path's messages.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns the print of the first line, if it is whole.
    pub(crate) fn head(&self) -> Option<u32> {
        self.head
    }

    /// Returns the end of the whole lines.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Returns a path that is not the active one, laid out; none if there is no such path.
    pub(crate) fn other(&self, log: &Log, path: &StrandPath) -> Option<Arc<LaidOutPath>> {
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        let known = others.iter().position(|(known, _)| known == path);
        let known = known.map(|at| others.remove(at).1);
        let laid_out = match known.filter(|known| self.is_current(log, known)) {
            Some(known) => known,
            None => Arc::new(self.lay_out(log, path)?),
        };
        others.insert(0, (path.clone(), Arc::clone(&laid_out)));
        others.truncate(OTHERS);
        Some(laid_out)
    }

    /// Tells whether a path is as it was laid out. Lines that only add to the active path change
    /// another one only by results of its calls.
    fn is_current(&self, log: &Log, path: &LaidOutPath) -> bool {
        let entries = self.index.entries();
        let added = path.looked_at.load(Ordering::Relaxed)..entries;
        let is_same = path.made_for == self.generation && !path.index.is_answered(log, added);
        path.looked_at.store(entries, Ordering::Relaxed);
        is_same
    }

    fn lay_out(&self, log: &Log, path: &StrandPath) -> Option<LaidOutPath> {
        let conversation = self.kept.conversation(log);
        let (view, number) = match path {
            StrandPath::Numbered(number) => {
                let path = conversation.paths.path(*number)?;
                (conversation.history(path), Some(*number))
            }
            StrandPath::Inside(agent, number) => inside(&conversation, *agent, *number)?,
        };
        Some(LaidOutPath {
            index: FeedIndex::new(&conversation, &view),
            view,
            generation: next_generation(),
            number,
            made_for: self.generation,
            looked_at: AtomicUsize::new(self.index.entries()),
        })
    }
}

/// Lays out a path of an agent inside a file. Its paths are numbered from one.
fn inside(
    conversation: &Conversation<'_>,
    agent: usize,
    number: Option<PathNumber>,
) -> Option<(View, Option<PathNumber>)> {
    let inline = conversation.inline_agents();
    let agent = inline.agents.get(agent)?;
    let listed = inline.paths_of(agent);
    let path = match number {
        None => &agent.path,
        Some(number) => inline.paths.path(*listed.get(number.index())?)?,
    };
    let number = listed.iter().position(|index| *index == path.index);
    let view = conversation.inline_history(&inline, path);
    Some((view, number.map(PathNumber::at)))
}

/// Takes the print of a log's first line. A file that cannot be read has none, so positions of it
/// do not fit later.
fn first_line(file: &LogFile) -> Option<u32> {
    let print = file.first_line_print().ok().flatten();
    print.map(short_print)
}
