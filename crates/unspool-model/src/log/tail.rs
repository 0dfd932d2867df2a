//! A last line without newline, set aside for a moment.
//!
//! A log has read such a line as if it were complete. Code that must not depend on half of a line
//! asks for the log of whole lines. The rows of the line are taken off the ends of the tables and
//! put back, so this costs work for the line alone.

use super::{
    AgentLink, Block, Checkpoint, Compaction, Diagnostic, Entry, EntryIndex, Facts, Log, Span,
    Symbol, UsageRow,
};

/// What a log knows from a last line without newline.
struct TailRows {
    checkpoint: Box<Checkpoint>,
    entries: Vec<Entry>,
    blocks: Vec<Block>,
    diagnostics: Vec<Diagnostic>,
    usage: Vec<UsageRow>,
    compactions: Vec<Compaction>,
    links: Vec<AgentLink>,
    sources: Vec<(EntryIndex, Symbol)>,
    durations: Vec<(EntryIndex, u64)>,
    changes: Vec<(EntryIndex, u32, u32)>,
    branches: Vec<(EntryIndex, Option<Symbol>)>,
    origins: Vec<(EntryIndex, Symbol)>,
    blank: Vec<Span>,
    facts: Facts,
    bytes: u64,
    lines: u32,
}

impl Log {
    /// Does work with the log of whole lines: without a last line that has no newline (yet). Its
    /// names stay among the symbols.
    pub fn without_tail<T>(&mut self, work: impl FnOnce(&Self) -> T) -> T {
        let tail = self.tail.take().map(|tail| self.take_off(tail));
        let done = work(self);
        if let Some(tail) = tail {
            self.put_back(tail);
        }
        done
    }

    fn take_off(&mut self, checkpoint: Box<Checkpoint>) -> TailRows {
        let extent = checkpoint.extent;
        TailRows {
            entries: self.entries.split_off(extent.entries),
            blocks: self.blocks.split_off(extent.blocks),
            diagnostics: self.diagnostics.split_off(extent.diagnostics),
            usage: self.usage.split_off(extent.usage),
            compactions: self.compactions.split_off(extent.compactions),
            links: self.links.split_off(extent.links),
            sources: self.sources.split_off(extent.sources),
            durations: self.durations.split_off(extent.durations),
            changes: self.changes.split_off(extent.changes),
            branches: self.branches.split_off(extent.branches),
            origins: self.origins.split_off(extent.origins),
            blank: self.blank.split_off(extent.blank),
            facts: std::mem::replace(&mut self.facts, checkpoint.facts.clone()),
            bytes: std::mem::replace(&mut self.bytes, extent.bytes),
            lines: std::mem::replace(&mut self.lines, extent.lines),
            checkpoint,
        }
    }

    fn put_back(&mut self, tail: TailRows) {
        self.entries.extend(tail.entries);
        self.blocks.extend(tail.blocks);
        self.diagnostics.extend(tail.diagnostics);
        self.usage.extend(tail.usage);
        self.compactions.extend(tail.compactions);
        self.links.extend(tail.links);
        self.sources.extend(tail.sources);
        self.durations.extend(tail.durations);
        self.changes.extend(tail.changes);
        self.branches.extend(tail.branches);
        self.origins.extend(tail.origins);
        self.blank.extend(tail.blank);
        self.facts = tail.facts;
        self.bytes = tail.bytes;
        self.lines = tail.lines;
        self.tail = Some(tail.checkpoint);
    }
}
