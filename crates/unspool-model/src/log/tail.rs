//! A last line without newline, set aside for a moment or taken back.
//!
//! A log has read such a line as if it were complete. Code that must not depend on half of a line
//! asks for the log of whole lines. The rows of the line are taken off the ends of the tables and
//! put back, so this costs work for the line alone.

use super::{
    AgentLink, Block, Compaction, Diagnostic, Entry, EntryIndex, Facts, Log, Span, Symbol, UsageRow,
};

/// The state to go back to when a last line without newline goes on.
pub(super) struct Checkpoint {
    pub(super) extent: LogExtent,
    pub(super) facts: Facts,
}

/// Makes what goes over all tables of a log: each is named here once.
macro_rules! tables {
    ($($table:ident: $row:ty,)+) => {
        /// How far everything goes that a log contains.
        #[derive(Clone, Copy)]
        pub(super) struct LogExtent {
            $(pub(super) $table: usize,)+
            pub(super) symbols: usize,
            pub(super) bytes: u64,
            pub(super) lines: u32,
        }

        /// What a log knows from a last line without newline.
        struct TailRows {
            $($table: Vec<$row>,)+
            facts: Facts,
            bytes: u64,
            lines: u32,
        }

        impl Log {
            /// Returns how far everything goes.
            pub(super) fn extent(&self) -> LogExtent {
                LogExtent {
                    $($table: self.$table.len(),)+
                    symbols: self.symbols.len(),
                    bytes: self.bytes,
                    lines: self.lines,
                }
            }

            /// Goes back to a checkpoint. Symbols stay: the line will name them again when it goes on.
            fn take_off(&mut self, Checkpoint { extent, facts }: &Checkpoint) -> TailRows {
                TailRows {
                    $($table: self.$table.split_off(extent.$table),)+
                    facts: std::mem::replace(&mut self.facts, facts.clone()),
                    bytes: std::mem::replace(&mut self.bytes, extent.bytes),
                    lines: std::mem::replace(&mut self.lines, extent.lines),
                }
            }

            fn put_back(&mut self, tail: TailRows) {
                $(self.$table.extend(tail.$table);)+
                self.facts = tail.facts;
                self.bytes = tail.bytes;
                self.lines = tail.lines;
            }
        }
    };
}

tables! {
    entries: Entry,
    blocks: Block,
    diagnostics: Diagnostic,
    usage: UsageRow,
    compactions: Compaction,
    links: AgentLink,
    sources: (EntryIndex, Symbol),
    durations: (EntryIndex, u64),
    changes: (EntryIndex, u32, u32),
    branches: (EntryIndex, Option<Symbol>),
    origins: (EntryIndex, Symbol),
    blank: Span,
}

impl Log {
    /// Returns how far everything goes that whole lines say.
    pub(super) fn whole_lines(&self) -> LogExtent {
        let before_tail = self.tail.as_ref().map(|tail| tail.extent);
        before_tail.unwrap_or_else(|| self.extent())
    }

    /// Goes back to whole lines.
    pub(super) fn take_back_tail(&mut self) {
        if let Some(tail) = self.tail.take() {
            self.take_off(&tail);
        }
    }

    /// Does work with the log of whole lines: without a last line that has no newline (yet). Its
    /// names stay among the symbols.
    pub fn without_tail<T>(&mut self, work: impl FnOnce(&Self) -> T) -> T {
        let tail = self.tail.take().map(|tail| (self.take_off(&tail), tail));
        let done = work(self);
        if let Some((rows, tail)) = tail {
            self.put_back(rows);
            self.tail = Some(tail);
        }
        done
    }
}
