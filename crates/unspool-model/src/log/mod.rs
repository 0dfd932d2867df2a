//! A log: the entries of one file in order, and other data of its records.
//!
//! A log reads bytes line by line and does not keep them. It has a table of small [`Entry`]s
//! whose spans add up to the bytes, the strings that they refer to, and session-wide [`Facts`].
//! It does not link entries; that is the task of [`crate::graph`].
//!
//! A log grows: [`Log::push`] reads whole lines, [`Log::push_tail`] a last line without newline, which is
//! reverted as soon as more bytes come. Reading in any number of steps gives the same log as reading at once.

mod classify;
mod record;
mod snapshot;
mod tail;

use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;
use memchr::memchr_iter;

use crate::diagnostic::{Diagnostic, DiagnosticKind};
use crate::dialect::{self, Draft, RecordDialect};
use crate::entry::{Block, BlockKind, Entry, EntryKind, Flags};
use crate::facts::Facts;
use crate::json;
use crate::line::{self, PieceKind, Span};
use crate::positions::EntryIndex;
use crate::symbols::{Symbol, Symbols};
use crate::usage::{Claim, Ledger, ModelAt, Tokens};

pub use classify::is_agent_tool;
pub use snapshot::SnapshotError;
use tail::Checkpoint;

/// Lines longer than this are kept as fragments and never loaded into memory.
///
/// A request to the API has 32 MB at most, and a record may contain the same data twice: as the
/// result for the model and as the outcome of a tool. This is four times as much.
pub const LONGEST_LINE: u64 = 256 << 20;

/// The entries of one file.
#[derive(Default)]
pub struct Log {
    /// Every record and fragment, in file order.
    pub entries: Vec<Entry>,
    /// The content blocks of all entries.
    pub blocks: Vec<Block>,
    /// The strings that entries and blocks refer to.
    pub symbols: Symbols,
    /// Facts about the session as a whole.
    pub facts: Facts,
    /// Problems with the bytes.
    pub diagnostics: Vec<Diagnostic>,
    /// The usage that each line states.
    pub usage: Vec<UsageRow>,
    /// Compactions, in the order of their entries.
    pub compactions: Vec<Compaction>,
    /// Evidence that links calls to agents, in file order.
    pub links: Vec<AgentLink>,
    /// Result entries whose source is not their parent, with the uuid of the source.
    pub sources: Vec<(EntryIndex, Symbol)>,
    /// Durations of turns in milliseconds, by the entry that states them.
    pub durations: Vec<(EntryIndex, u64)>,
    /// Lines that calls added to files and removed from them, by the entry with the result.
    ///
    /// Only results of successful calls that changed a line have a row. The numbers come from
    /// the shape of the result, which a tool of an MCP server may have too.
    pub changes: Vec<(EntryIndex, u32, u32)>,
    /// Changes of the git branch: each first entry of the conversation that names another
    /// branch than the entry before it, or none. See [`Log::branch_of`].
    pub branches: Vec<(EntryIndex, Option<Symbol>)>,
    /// Entries that were copied from another session under new uuids, with the uuid of the original.
    pub origins: Vec<(EntryIndex, Symbol)>,
    bytes: u64,
    lines: u32,
    blank: Vec<Span>,
    tail: Option<Box<Checkpoint>>,
    detail: Detail,
}

/// How much of a record a log keeps.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Detail {
    /// Every field that a log has room for.
    #[default]
    Full,
    /// Only the kinds of records, messages and blocks, see [`Log::sketch`].
    Kinds,
}

/// The usage of an answer, as one entry states it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UsageRow {
    /// The entry.
    pub entry: EntryIndex,
    /// The id of the API message; without one, the uuid of the entry or of its original.
    pub message: Symbol,
    /// The id of the API request.
    pub request: Option<Symbol>,
    /// The model.
    pub model: Symbol,
    /// The tokens that the entry states.
    pub tokens: Tokens,
}

/// The metadata of a compaction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compaction {
    /// The entry of the boundary.
    pub entry: EntryIndex,
    /// Set if it names messages to keep, even none, one by one or by their ends.
    pub names_kept: bool,
    /// Set if it names the kept messages one by one.
    pub names_messages: bool,
    /// Messages that stay in the model's context, in order.
    pub preserved: Vec<Symbol>,
    /// The first and the last of them, if only the ends are named.
    pub segment: Option<(Symbol, Symbol)>,
    /// The entry after which the kept messages are put.
    pub anchor: Option<Symbol>,
    /// What started the compaction: `auto` or `manual`.
    pub trigger: Option<Symbol>,
    /// Tokens in the context before the compaction.
    pub tokens_before: Option<u64>,
    /// Tokens in the context after the compaction.
    pub tokens_after: Option<u64>,
}

/// Evidence that links a call to an agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgentLink {
    /// A call requests an agent with this prompt.
    Launch {
        /// The call.
        call: Symbol,
        /// The hash of the prompt, see [`text_hash`].
        prompt: u64,
    },
    /// The result of a call names the agent.
    Result {
        /// The call.
        call: Symbol,
        /// The agent.
        agent: Symbol,
    },
    /// The result of a call names a workflow run.
    Run {
        /// The call.
        call: Symbol,
        /// The run.
        run: Symbol,
    },
    /// A progress record names both.
    Progress {
        /// The call.
        call: Symbol,
        /// The agent.
        agent: Symbol,
    },
    /// The text of a result names the agent.
    Text {
        /// The call.
        call: Symbol,
        /// The agent.
        agent: Symbol,
    },
    /// The conversation of a subagent inside this file begins with this prompt.
    FirstTexts {
        /// The first entry of the conversation.
        entry: EntryIndex,
        /// The hash of the prompt, see [`text_hash`].
        prompt: u64,
    },
}

/// Which programs read a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reading {
    /// The client and unspool.
    Client,
    /// Only unspool: another `{` comes before the record on its line.
    Ours,
}

/// Receives every field while a log parses lines, so that a caller that needs more of a record
/// than the log keeps avoids a second parse.
pub trait Observer<'a> {
    /// Begins a record. Discards fields of any earlier record that was not reported through `entry`.
    fn begin(&mut self);
    /// Receives the dialect, the key and the raw value of a field of the record.
    fn field(&mut self, dialect: RecordDialect, key: &[u8], value: &'a [u8]);
    /// Receives the bytes of the record, or of a fragment, that is the last entry of the log.
    fn entry(&mut self, log: &Log, bytes: &'a [u8]);
}

/// The no-op observer.
impl Observer<'_> for () {
    fn begin(&mut self) {}
    fn field(&mut self, _: RecordDialect, _: &[u8], _: &[u8]) {}
    fn entry(&mut self, _: &Log, _: &[u8]) {}
}

/// Returns the hash of a prompt, ignoring the white space around it.
pub fn text_hash(text: &str) -> u64 {
    FixedState::default().hash_one(text.trim())
}

impl Log {
    /// Reads all of `bytes` at once.
    pub fn read(bytes: &[u8]) -> Self {
        Self::default().with_all(bytes, &mut ())
    }

    /// Reads all of `bytes` at once, for an observer that extracts the texts.
    ///
    /// The entries have places, kinds, flags, times, names and the kinds of their blocks, and the facts
    /// have the slugs. Nothing else of a record is kept: no uuid, no parent, no call and no model.
    pub fn sketch<'a>(bytes: &'a [u8], observer: &mut impl Observer<'a>) -> Self {
        let log = Self { detail: Detail::Kinds, ..Self::default() };
        log.with_all(bytes, observer)
    }

    fn with_all<'a>(mut self, bytes: &'a [u8], observer: &mut impl Observer<'a>) -> Self {
        let log = &mut self;
        let end = memchr::memrchr(b'\n', bytes).map_or(0, |newline| newline + 1);
        log.push_observed(&bytes[..end], observer);
        log.push_tail_observed(&bytes[end..], observer);
        self
    }

    /// Returns the number of bytes that were read, including a last line without newline.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the number of bytes in whole lines: where reading continues when the file grows.
    pub fn resume_offset(&self) -> u64 {
        self.whole_lines().bytes
    }

    /// Tells whether the last line has no newline (yet).
    pub fn has_open_tail(&self) -> bool {
        self.tail.is_some()
    }

    /// Returns the number of lines, including a last one without newline.
    pub fn lines(&self) -> u32 {
        self.lines
    }

    /// Returns every span of the file in order: entries, fragments and blank lines.
    pub fn spans(&self) -> Vec<Span> {
        let mut spans: Vec<_> = self.entries.iter().map(|entry| entry.span).collect();
        spans.extend(&self.blank);
        spans.sort_by_key(|span| span.start);
        spans
    }

    /// Returns the text of a symbol.
    pub fn text(&self, symbol: Symbol) -> &str {
        self.symbols.text(symbol)
    }

    /// Returns the blocks of an entry.
    pub fn blocks_of(&self, entry: &Entry) -> &[Block] {
        &self.blocks[entry.blocks.indices()]
    }

    /// Returns the calls in an entry.
    pub fn calls_of(&self, entry: &Entry) -> impl Iterator<Item = &Block> {
        self.blocks_of(entry).iter().filter(|block| block.kind == BlockKind::Call)
    }

    /// Returns the ids of the calls whose results an entry contains.
    pub(crate) fn calls_answered<'l>(
        &'l self,
        entry: &'l Entry,
    ) -> impl Iterator<Item = Symbol> + use<'l> {
        let blocks = self.blocks_of(entry).iter();
        blocks
            .filter(|block| matches!(block.kind, BlockKind::Result(_)))
            .filter_map(|block| block.call)
    }

    /// Returns the entry that counts for a uuid: the last record with it.
    pub fn find(&self, uuid: &str) -> Option<EntryIndex> {
        let symbol = self.symbols.find(uuid)?;
        let has = |entry: &Entry| entry.uuid == Some(symbol);
        self.entries.iter().rposition(has).map(EntryIndex::at)
    }

    /// Tells whether there are entries of the flat dialect, which the client did not write.
    pub(crate) fn has_flat(&self) -> bool {
        let is_flat = |entry: &Entry| entry.flags.has(Flags::FLAT) && entry.kind.links();
        self.entries.iter().any(is_flat)
    }

    /// Returns the git branch at an entry.
    ///
    /// A record outside the conversation names no branch and gets that of the entry before it.
    pub fn branch_of(&self, entry: EntryIndex) -> Option<Symbol> {
        let runs = self.branches.partition_point(|&(start, _)| start <= entry);
        self.branches[..runs].last()?.1
    }

    /// Returns the numbers of lines that the call whose result is in an entry added and removed.
    pub fn changes_of(&self, entry: EntryIndex) -> (u32, u32) {
        let found = self.changes.binary_search_by_key(&entry, |row| row.0);
        found.map_or((0, 0), |at| (self.changes[at].1, self.changes[at].2))
    }

    /// Returns the uuid of the entry that an entry was copied from, if it names one.
    pub fn origin_of(&self, entry: EntryIndex) -> Option<Symbol> {
        let found = self.origins.binary_search_by_key(&entry, |row| row.0);
        found.ok().map(|at| self.origins[at].1)
    }

    /// Returns the compaction of a boundary entry.
    pub fn compaction_at(&self, entry: EntryIndex) -> Option<&Compaction> {
        // Compactions are in the order of the file.
        let found = self.compactions.binary_search_by_key(&entry, |compaction| {
            unspool_work::add(1);
            compaction.entry
        });
        found.ok().map(|at| &self.compactions[at])
    }

    /// Adds the usage that all entries state to a ledger.
    pub fn claim_usage<'l>(&'l self, ledger: &mut Ledger<&'l str, ModelAt<'l>>) {
        self.claim(&self.usage, ledger);
    }

    /// Adds the usage that one entry states to a ledger.
    pub fn claim_usage_of<'l>(
        &'l self,
        entry: EntryIndex,
        ledger: &mut Ledger<&'l str, ModelAt<'l>>,
    ) {
        let start = self.usage.partition_point(|row| row.entry < entry);
        let rows = &self.usage[start..];
        let end = rows.iter().take_while(|row| row.entry == entry).count();
        self.claim(&rows[..end], ledger);
    }

    fn claim<'l>(&'l self, rows: &[UsageRow], ledger: &mut Ledger<&'l str, ModelAt<'l>>) {
        for row in rows {
            ledger.add(&Claim {
                message: self.text(row.message),
                request: row.request.map(|request| self.text(request)),
                model: (self.text(row.model), self.entries[row.entry].time),
                tokens: row.tokens,
            });
        }
    }

    /// Reads whole lines; every line of `bytes` ends with a newline.
    pub fn push(&mut self, bytes: &[u8]) {
        self.push_observed(bytes, &mut ());
    }

    fn push_observed<'a>(&mut self, bytes: &'a [u8], observer: &mut impl Observer<'a>) {
        if bytes.is_empty() {
            return;
        }
        self.revert_tail();
        let mut start = 0;
        for newline in memchr_iter(b'\n', bytes) {
            self.line(&bytes[start..=newline], observer);
            start = newline + 1;
        }
        debug_assert_eq!(start, bytes.len(), "only whole lines are pushed");
    }

    /// Reads a last line that has no newline (yet), in place of an earlier one.
    pub fn push_tail(&mut self, bytes: &[u8]) {
        self.push_tail_observed(bytes, &mut ());
    }

    fn push_tail_observed<'a>(&mut self, bytes: &'a [u8], observer: &mut impl Observer<'a>) {
        self.revert_tail();
        if bytes.is_empty() {
            return;
        }
        self.tail = Some(Box::new(Checkpoint { extent: self.extent(), facts: self.facts.clone() }));
        self.line(bytes, observer);
    }

    /// Records a line that was too long to be loaded into memory.
    pub fn push_overlong(&mut self, len: u64) {
        self.revert_tail();
        self.lines += 1;
        self.remark(DiagnosticKind::TooLong);
        self.fragment(len);
    }

    /// Releases spare capacity.
    pub fn shrink(&mut self) {
        self.entries.shrink_to_fit();
        self.blocks.shrink_to_fit();
        self.usage.shrink_to_fit();
        self.symbols.shrink();
    }

    fn remark(&mut self, oddity: DiagnosticKind) {
        self.diagnostics.push(Diagnostic { line: self.lines, oddity });
    }

    /// Reads one line, with its newline unless it is the last one.
    fn line<'a>(&mut self, line: &'a [u8], observer: &mut impl Observer<'a>) {
        self.lines += 1;
        let mut draft = Draft::default();
        observer.begin();
        let mut field = |dialect, key: &[u8], value| observer.field(dialect, key, value);
        // Nearly every line is one record. Any other line is split, and its records are read again.
        if let Ok(length) = dialect::read(line, &mut draft, &mut field)
            && json::is_white(&line[length..])
        {
            self.record(&draft, line, Reading::Client);
            observer.entry(self, line);
            return;
        }
        let pieces = line::pieces(line);
        let records = pieces.iter().filter(|piece| piece.kind == PieceKind::Record).count();
        match records {
            0 if pieces.iter().all(|piece| piece.kind == PieceKind::Blank) => {}
            0 if json::Cursor::new(line)
                .skip()
                .is_ok_and(|value| line.trim_ascii().len() == value.len()) =>
            {
                self.remark(DiagnosticKind::NotAnObject);
            }
            0 if !line.ends_with(b"\n") => self.remark(DiagnosticKind::Unfinished),
            0 => self.remark(DiagnosticKind::Damaged),
            _ => self.remark(DiagnosticKind::Glued),
        }
        for piece in pieces {
            let bytes = &line[piece.start..piece.end];
            match piece.kind {
                PieceKind::Blank => {
                    let len = bytes.len() as u64;
                    self.blank.push(Span { start: self.bytes, len });
                    self.bytes += len;
                }
                PieceKind::Fragment => {
                    self.fragment(bytes.len() as u64);
                    observer.entry(self, bytes);
                }
                PieceKind::Record => {
                    let mut draft = Draft::default();
                    observer.begin();
                    let field = |dialect, key: &[u8], value| observer.field(dialect, key, value);
                    // The client reads the object that starts at the first brace of a line.
                    let reading = match memchr::memchr(b'{', &line[..piece.start]) {
                        Some(_) => Reading::Ours,
                        None => Reading::Client,
                    };
                    match dialect::read(bytes, &mut draft, field) {
                        Ok(_) => self.record(&draft, bytes, reading),
                        Err(_) => self.fragment(bytes.len() as u64),
                    }
                    observer.entry(self, bytes);
                }
            }
        }
    }

    fn fragment(&mut self, len: u64) {
        let span = Span { start: self.bytes, len };
        self.entries.push(Entry::new(span, self.lines, EntryKind::Fragment));
        self.bytes += len;
    }
}
