//! A followed log: its conversation from whole lines, and the index of its active path.
//!
//! A [`FollowedLog`] belongs to a log file, which it does not own. It reads the lines appended to
//! the file; an incomplete last line is left out until its line break is written. Other paths than
//! the active one are laid out on request, and cached as long as new lines do not change them.
//!
//! A *generation* is a number for a list of messages that only grows: while it is unchanged, every
//! message of the path has kept its ordinal, its entries and the results of its calls. No two
//! followed logs of a process share a generation.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use unspool_model::conversation::{Conversation, Extension, KeptConversation, View};
use unspool_model::graph::{Rule, Scope};
use unspool_model::log::Log;
use unspool_model::positions::PathNumber;
use unspool_store::tail::{LogFile, LogFileChange};

use super::index::FeedIndex;
use super::position::short_print;

/// How many paths other than the active one stay cached. Chosen by judgement: readers of a session
/// look at few branches at the same time.
const OTHERS: usize = 8;

/// The state of a followed log.
pub(crate) struct FollowedLog {
    kept: KeptConversation,
    index: FeedIndex,
    generation: u64,
    scope: Scope,
    /// The print of the first line, once it is whole.
    head: Option<u32>,
    /// The end of the whole lines that were read.
    end: u64,
    /// The conversation with the incomplete last line, built on request.
    with_tail: OnceLock<KeptConversation>,
    others: Mutex<Vec<(StrandPath, Arc<LaidOutPath>)>>,
}

/// A path that is not the active one of a log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum StrandPath {
    /// A path of the conversation.
    Numbered(PathNumber),
    /// A path of an inline agent: the position of the agent, and the path if it is not the agent's
    /// active one.
    Inside(usize, Option<PathNumber>),
}

/// A laid out path with its index.
pub(crate) struct LaidOutPath {
    pub(crate) view: View,
    pub(crate) index: FeedIndex,
    pub(crate) generation: u64,
    pub(crate) number: Option<PathNumber>,
    /// The generation of the log for which the path was laid out.
    made_for: u64,
    /// How many entries of the log were checked for results of its calls.
    looked_at: AtomicUsize,
}

/// Returns a number that is unique in this process.
fn next_generation() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed)
}

impl FollowedLog {
    /// Begins to follow a log at its current state.
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

    /// Applies a change of the file.
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

    /// Returns the conversation of the whole file, including an incomplete last line.
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

    /// Returns the print of the first line, if that line is whole.
    pub(crate) fn head(&self) -> Option<u32> {
        self.head
    }

    /// Returns the end of the whole lines.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Returns a path other than the active one, laid out; `None` if it does not exist.
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

    /// Reports whether a cached path is still valid. Lines that only add to the active path change
    /// another path only by results of its calls.
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

/// Lays out a path of an inline agent, whose paths are numbered from one.
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

/// Returns the print of a log's first line. An unreadable file has no print, so positions in it
/// will not match later.
fn first_line(file: &LogFile) -> Option<u32> {
    let print = file.first_line_print().ok().flatten();
    print.map(short_print)
}
