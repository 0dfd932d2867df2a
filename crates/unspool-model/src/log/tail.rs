//! A last line without newline, which is reverted or set aside for a while.
//!
//! A log parses such a line as if it were complete. Code that must not depend on half a line
//! asks for the log of whole lines. The rows of the line are split off the ends of the tables
//! and put back, so this costs work for the line alone.

use super::{
    AgentLink, Block, Compaction, Diagnostic, Entry, EntryIndex, Facts, Log, Span, Symbol, UsageRow,
};

/// The state that is restored when a last line without newline grows.
pub(super) struct Checkpoint {
    pub(super) extent: LogExtent,
    pub(super) facts: Facts,
}

/// Generates the code that covers all tables of a log, so that each is listed once.
macro_rules! tables {
    ($($table:ident: $row:ty,)+) => {
        /// The lengths of all tables of a log.
        #[derive(Clone, Copy)]
        pub(super) struct LogExtent {
            $(pub(super) $table: usize,)+
            pub(super) symbols: usize,
            pub(super) bytes: u64,
            pub(super) lines: u32,
        }

        /// The rows of a last line without newline.
        struct TailRows {
            $($table: Vec<$row>,)+
            facts: Facts,
            bytes: u64,
            lines: u32,
        }

        impl Log {
            /// Returns the current lengths.
            pub(super) fn extent(&self) -> LogExtent {
                LogExtent {
                    $($table: self.$table.len(),)+
                    symbols: self.symbols.len(),
                    bytes: self.bytes,
                    lines: self.lines,
                }
            }

            /// Reverts to a checkpoint. Symbols stay, because the complete line will name them again.
            fn split_off_tail(&mut self, Checkpoint { extent, facts }: &Checkpoint) -> TailRows {
                TailRows {
                    $($table: self.$table.split_off(extent.$table),)+
                    facts: std::mem::replace(&mut self.facts, facts.clone()),
                    bytes: std::mem::replace(&mut self.bytes, extent.bytes),
                    lines: std::mem::replace(&mut self.lines, extent.lines),
                }
            }

            fn restore_tail(&mut self, tail: TailRows) {
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
    /// Returns the lengths without a last line that has no newline.
    pub(super) fn whole_lines(&self) -> LogExtent {
        let before_tail = self.tail.as_ref().map(|tail| tail.extent);
        before_tail.unwrap_or_else(|| self.extent())
    }

    /// Removes a last line that has no newline.
    pub(super) fn revert_tail(&mut self) {
        if let Some(tail) = self.tail.take() {
            self.split_off_tail(&tail);
        }
    }

    /// Calls `work` with the log of whole lines: without a last line that has no newline (yet).
    /// The strings of that line stay among the symbols.
    pub fn without_tail<T>(&mut self, work: impl FnOnce(&Self) -> T) -> T {
        let tail = self.tail.take().map(|tail| (self.split_off_tail(&tail), tail));
        let done = work(self);
        if let Some((rows, tail)) = tail {
            self.restore_tail(rows);
            self.tail = Some(tail);
        }
        done
    }
}
