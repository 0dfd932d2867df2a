//! A log: the entries of one file in their order, and what was learnt on the way.
//!
//! Bytes go in line by line and are not kept. What comes out is a table of small
//! [`Entry`]s whose spans add up to the bytes that went in, the strings they name,
//! and session-wide [`Facts`]. Nothing is concluded here about how entries hang
//! together; that is [`crate::graph`]'s work.
//!
//! A log grows: [`Log::push`] takes whole lines, [`Log::push_tail`] a last line without
//! newline, which is taken back as soon as more bytes come. Reading in any number of
//! steps gives the same log as reading at once.

use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;
use memchr::memchr_iter;

use crate::diagnostic::{Diagnostic, Oddity};
use crate::dialect::{self, BlockDraft, BlockType, Draft};
use crate::entry::{Block, BlockKind, BlockRange, Entry, EntryKind, Flags, MessageKind, Verdict};
use crate::facts::Facts;
use crate::json::Str;
use crate::line::{self, PieceKind, Span};
use crate::symbols::{Symbol, Symbols};
use crate::time::Time;
use crate::usage::{Claim, Ledger, Tokens};
use crate::words;

/// Lines longer than this are kept as fragments and never held in memory.
pub const LONGEST_LINE: u64 = 1 << 30;

/// The entries of one file.
#[derive(Default)]
pub struct Log {
    /// Every record and fragment, in file order.
    pub entries: Vec<Entry>,
    /// The content blocks of all entries.
    pub blocks: Vec<Block>,
    /// The strings that entries and blocks name.
    pub symbols: Symbols,
    /// What the file says about the session as a whole.
    pub facts: Facts,
    /// What was odd about the bytes.
    pub diagnostics: Vec<Diagnostic>,
    /// What each line claims to have used.
    pub usage: Vec<UsageRow>,
    /// Compactions, by entry.
    pub compactions: Vec<Compaction>,
    /// What links calls to agents, in file order.
    pub links: Vec<AgentLink>,
    /// Result entries whose source is not their parent.
    pub sources: Vec<(u32, Symbol)>,
    /// How long turns took, in milliseconds, by the entry that says so.
    pub durations: Vec<(u32, u64)>,
    bytes: u64,
    lines: u32,
    blank: Vec<Span>,
    tail: Option<Box<Checkpoint>>,
}

/// What one entry claims that an answer used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UsageRow {
    /// The entry.
    pub entry: u32,
    /// The API message's id, or the entry's uuid.
    pub message: Symbol,
    /// The request's id.
    pub request: Option<Symbol>,
    /// The model.
    pub model: Symbol,
    /// What it used.
    pub tokens: Tokens,
}

/// What a compaction boundary says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compaction {
    /// The boundary's entry.
    pub entry: u32,
    /// Messages that stay in the model's context, in order.
    pub preserved: Vec<Symbol>,
    /// First and last of them, when only the ends are named.
    pub segment: Option<(Symbol, Symbol)>,
    /// The entry behind which they are put.
    pub anchor: Option<Symbol>,
    /// Who asked for it: `auto` or `manual`.
    pub trigger: Option<Symbol>,
    /// Tokens in the context before.
    pub tokens_before: Option<u64>,
    /// Tokens in the context after.
    pub tokens_after: Option<u64>,
}

/// A statement that ties a call to an agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgentLink {
    /// A call asks for an agent; the hash is that of its prompt.
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
    /// A sign of life names both.
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
    /// A subagent's conversation inside this file begins with this prompt.
    Opening {
        /// The entry it begins with.
        entry: u32,
        /// The hash of the prompt, see [`text_hash`].
        prompt: u64,
    },
}

/// The state to go back to when a last line without newline goes on.
struct Checkpoint {
    entries: usize,
    blocks: usize,
    diagnostics: usize,
    usage: usize,
    compactions: usize,
    links: usize,
    sources: usize,
    durations: usize,
    blank: usize,
    bytes: u64,
    lines: u32,
    facts: Facts,
}

/// Hashes a prompt the same way wherever it stands.
pub fn text_hash(text: &str) -> u64 {
    FixedState::default().hash_one(text.trim())
}

impl Log {
    /// Reads all of `bytes` at once.
    pub fn read(bytes: &[u8]) -> Self {
        let mut log = Self::default();
        let end = memchr::memrchr(b'\n', bytes).map_or(0, |newline| newline + 1);
        log.push(&bytes[..end]);
        log.push_tail(&bytes[end..]);
        log
    }

    /// Returns how many bytes have gone in, a last line without newline included.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns how many bytes of whole lines have gone in: where reading goes on when the file grows.
    pub fn resume_offset(&self) -> u64 {
        self.tail.as_ref().map_or(self.bytes, |tail| tail.bytes)
    }

    /// Returns how many lines there are, the last one without newline included.
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

    /// Returns the text behind a symbol.
    pub fn text(&self, symbol: Symbol) -> &str {
        self.symbols.text(symbol)
    }

    /// Returns the blocks of an entry.
    pub fn blocks_of(&self, entry: &Entry) -> &[Block] {
        &self.blocks[entry.blocks.indices()]
    }

    /// Returns the entry that counts for a uuid: the last record that has it.
    pub fn find(&self, uuid: &str) -> Option<usize> {
        let symbol = self.symbols.find(uuid)?;
        self.entries
            .iter()
            .rposition(|entry| entry.uuid == Some(symbol))
    }

    /// Adds what this log's entries claim to have used.
    pub fn claim_usage<'l>(&'l self, ledger: &mut Ledger<'l>) {
        self.claim(&self.usage, ledger);
    }

    /// Adds what one entry claims to have used.
    pub fn claim_usage_of<'l>(&'l self, entry: u32, ledger: &mut Ledger<'l>) {
        let start = self.usage.partition_point(|row| row.entry < entry);
        let rows = &self.usage[start..];
        let end = rows.iter().take_while(|row| row.entry == entry).count();
        self.claim(&rows[..end], ledger);
    }

    fn claim<'l>(&'l self, rows: &[UsageRow], ledger: &mut Ledger<'l>) {
        for row in rows {
            ledger.add(&Claim {
                message: self.text(row.message),
                request: row.request.map(|request| self.text(request)),
                model: self.text(row.model),
                tokens: row.tokens,
            });
        }
    }

    /// Takes whole lines; every line of `bytes` ends with a newline.
    pub fn push(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.take_back_tail();
        let mut start = 0;
        for newline in memchr_iter(b'\n', bytes) {
            self.line(&bytes[start..=newline]);
            start = newline + 1;
        }
        debug_assert_eq!(start, bytes.len(), "only whole lines are pushed");
    }

    /// Takes a last line that has no newline (yet), in place of an earlier one.
    pub fn push_tail(&mut self, bytes: &[u8]) {
        self.take_back_tail();
        if bytes.is_empty() {
            return;
        }
        self.tail = Some(Box::new(Checkpoint {
            entries: self.entries.len(),
            blocks: self.blocks.len(),
            diagnostics: self.diagnostics.len(),
            usage: self.usage.len(),
            compactions: self.compactions.len(),
            links: self.links.len(),
            sources: self.sources.len(),
            durations: self.durations.len(),
            blank: self.blank.len(),
            bytes: self.bytes,
            lines: self.lines,
            facts: self.facts.clone(),
        }));
        self.line(bytes);
    }

    /// Takes note of a line that was too long to be held in memory.
    pub fn push_overlong(&mut self, len: u64) {
        self.take_back_tail();
        self.lines += 1;
        self.remark(Oddity::TooLong);
        self.fragment(len);
    }

    /// Gives back memory that was set aside for growth.
    pub fn shrink(&mut self) {
        self.entries.shrink_to_fit();
        self.blocks.shrink_to_fit();
        self.usage.shrink_to_fit();
        self.symbols.shrink();
    }

    fn take_back_tail(&mut self) {
        let Some(tail) = self.tail.take() else { return };
        self.entries.truncate(tail.entries);
        self.blocks.truncate(tail.blocks);
        self.diagnostics.truncate(tail.diagnostics);
        self.usage.truncate(tail.usage);
        self.compactions.truncate(tail.compactions);
        self.links.truncate(tail.links);
        self.sources.truncate(tail.sources);
        self.durations.truncate(tail.durations);
        self.blank.truncate(tail.blank);
        self.bytes = tail.bytes;
        self.lines = tail.lines;
        self.facts = tail.facts;
    }

    fn remark(&mut self, oddity: Oddity) {
        self.diagnostics.push(Diagnostic {
            line: self.lines,
            oddity,
        });
    }

    /// Takes one line, newline included unless it is the last one.
    fn line(&mut self, line: &[u8]) {
        self.lines += 1;
        if let Ok((draft, length)) = dialect::read(line)
            && line[length..].iter().all(u8::is_ascii_whitespace)
        {
            self.record(&draft, line);
            return;
        }
        let pieces = line::pieces(line);
        let records = pieces
            .iter()
            .filter(|piece| piece.kind == PieceKind::Record)
            .count();
        match records {
            0 if pieces.iter().all(|piece| piece.kind == PieceKind::Blank) => {}
            0 if crate::json::Cursor::new(line)
                .skip()
                .is_ok_and(|value| line.trim_ascii().len() == value.len()) =>
            {
                self.remark(Oddity::NotAnObject);
            }
            0 if !line.ends_with(b"\n") => self.remark(Oddity::Unfinished),
            0 => self.remark(Oddity::Damaged),
            _ => self.remark(Oddity::Glued),
        }
        for piece in pieces {
            let bytes = &line[piece.start..piece.end];
            match piece.kind {
                PieceKind::Blank => {
                    let len = bytes.len() as u64;
                    self.blank.push(Span {
                        start: self.bytes,
                        len,
                    });
                    self.bytes += len;
                }
                PieceKind::Fragment => self.fragment(bytes.len() as u64),
                PieceKind::Record => match dialect::read(bytes) {
                    Ok((draft, _)) => self.record(&draft, bytes),
                    Err(_) => self.fragment(bytes.len() as u64),
                },
            }
        }
    }

    fn fragment(&mut self, len: u64) {
        self.entries.push(Entry {
            span: Span {
                start: self.bytes,
                len,
            },
            line: self.lines,
            kind: EntryKind::Fragment,
            says: None,
            flags: Flags::default(),
            name: None,
            uuid: None,
            parent: None,
            logical_parent: None,
            message: None,
            agent: None,
            time: None,
            blocks: BlockRange::default(),
        });
        self.bytes += len;
    }

    /// Turns what was read of a record into an entry.
    fn record(&mut self, draft: &Draft<'_>, bytes: &[u8]) {
        if !bytes.is_ascii() && std::str::from_utf8(bytes).is_err() {
            self.remark(Oddity::BadUtf8);
        }
        let index = self.entries.len() as u32;
        let kind = kind(draft);
        let uuid = self.symbol(draft.uuid);
        let message = self
            .symbol(draft.message.id)
            .filter(|_| kind == EntryKind::Assistant);
        let blocks = self.push_blocks(draft, uuid, kind);
        let time = draft.time.and_then(|text| Time::parse(&text.decode()));
        let says = says(draft, kind, &self.blocks[blocks.indices()]);
        let mut flags = flags(draft, kind, says);
        flags.set(
            Flags::UNTERMINATED,
            !bytes.ends_with(b"\n") && self.tail.is_some(),
        );
        let entry = Entry {
            span: Span {
                start: self.bytes,
                len: bytes.len() as u64,
            },
            line: self.lines,
            kind,
            says,
            flags,
            name: self.name(draft, kind),
            uuid,
            parent: self.symbol(draft.parent),
            logical_parent: self.symbol(draft.logical_parent),
            message,
            agent: self.symbol(draft.agent),
            time,
            blocks,
        };
        self.bytes += entry.span.len;
        self.note_usage(draft, &entry, index);
        self.note_links(draft, &entry, index);
        self.note_compaction(draft, &entry, index);
        if let Some(duration) = draft.duration_ms.filter(|_| is_turn_end(draft)) {
            self.durations.push((index, duration));
        }
        self.facts.note(draft, &entry, index, &mut self.symbols);
        self.entries.push(entry);
    }

    fn symbol(&mut self, text: Option<Str<'_>>) -> Option<Symbol> {
        text.map(|text| self.symbols.add(&text.decode()))
    }

    fn name(&mut self, draft: &Draft<'_>, kind: EntryKind) -> Option<Symbol> {
        let inner = match kind {
            EntryKind::System => draft.subtype,
            EntryKind::Attachment => draft.attachment.kind,
            EntryKind::Progress => draft.progress.kind,
            _ => draft.kind,
        };
        self.symbol(inner)
    }

    fn push_blocks(
        &mut self,
        draft: &Draft<'_>,
        uuid: Option<Symbol>,
        kind: EntryKind,
    ) -> BlockRange {
        let start = self.blocks.len() as u32;
        let holds_blocks = matches!(kind, EntryKind::User | EntryKind::Assistant);
        if holds_blocks {
            for block in &draft.message.blocks {
                let block = self.block(draft, block, uuid);
                self.blocks.push(block);
            }
        }
        let says_call = draft
            .subtype
            .is_some_and(|subtype| subtype.raw() == b"tool_use");
        if holds_blocks
            && says_call
            && draft
                .message
                .blocks
                .iter()
                .all(|b| b.kind != BlockType::Call)
        {
            self.blocks.push(Block {
                kind: BlockKind::Call,
                call: uuid,
                name: None,
                file: None,
            });
        }
        BlockRange {
            start,
            end: self.blocks.len() as u32,
        }
    }

    fn block(&mut self, draft: &Draft<'_>, block: &BlockDraft<'_>, uuid: Option<Symbol>) -> Block {
        let thinking = draft.flat
            && draft
                .subtype
                .is_some_and(|subtype| subtype.raw() == b"thinking");
        let kind = match block.kind {
            BlockType::Text if thinking => BlockKind::Thinking,
            BlockType::Text => BlockKind::Text,
            BlockType::Thinking => BlockKind::Thinking,
            BlockType::Call => BlockKind::Call,
            BlockType::Result => BlockKind::Result(verdict(draft, block)),
            BlockType::Image => BlockKind::Image,
            BlockType::Document => BlockKind::Document,
            BlockType::Other => BlockKind::Other,
        };
        let call = match kind {
            BlockKind::Call if draft.flat => uuid,
            BlockKind::Call | BlockKind::Result(_) => self.symbol(block.call),
            _ => None,
        };
        Block {
            kind,
            call,
            name: self.symbol(block.name),
            file: self.symbol(block.file),
        }
    }

    fn note_usage(&mut self, draft: &Draft<'_>, entry: &Entry, index: u32) {
        let (message, request, fallback) = match entry.kind {
            EntryKind::Assistant => (&draft.message, draft.request, draft.uuid),
            EntryKind::Progress => (
                &draft.progress.message,
                draft.progress.request,
                draft.progress.uuid,
            ),
            _ => return,
        };
        let Some(tokens) = message.usage else { return };
        let Some(id) = message.id.or(fallback) else {
            return;
        };
        let model = message.model.map(Str::decode).unwrap_or_default();
        if model == "<synthetic>" {
            return;
        }
        let row = UsageRow {
            entry: index,
            message: self.symbols.add(&id.decode()),
            request: self.symbol(request),
            model: self.symbols.add(&model),
            tokens,
        };
        self.usage.push(row);
    }

    fn note_links(&mut self, draft: &Draft<'_>, entry: &Entry, index: u32) {
        if entry.kind == EntryKind::Progress
            && let (Some(call), Some(agent)) = (draft.progress.call, draft.progress.agent)
        {
            let (call, agent) = (
                self.symbols.add(&call.decode()),
                self.symbols.add(&agent.decode()),
            );
            let link = AgentLink::Progress { call, agent };
            if self.links.last() != Some(&link) {
                self.links.push(link);
            }
        }
        for block in &draft.message.blocks {
            // In the flat dialect the call is the entry itself.
            let own = draft
                .uuid
                .filter(|_| draft.flat && block.kind == BlockType::Call);
            let Some(call) = block.call.or(own) else {
                continue;
            };
            match block.kind {
                BlockType::Call => self.note_launch(block, call),
                BlockType::Result => self.note_result(draft, block, call),
                _ => {}
            }
        }
        if entry.kind == EntryKind::User
            && let Some(source) = self.symbol(draft.source_entry)
            && Some(source) != entry.parent
        {
            self.sources.push((index, source));
        }
        if entry.kind == EntryKind::User
            && draft.sidechain
            && let Some(text) = draft.message.blocks.iter().find_map(|block| block.text)
            && (draft.parent.is_none() || entry.says == Some(MessageKind::Prompt))
        {
            self.links.push(AgentLink::Opening {
                entry: index,
                prompt: text_hash(&text.decode()),
            });
        }
    }

    fn note_launch(&mut self, block: &BlockDraft<'_>, call: Str<'_>) {
        let starts = block.name.is_some_and(|name| is_agent_tool(name.raw()));
        if let Some(prompt) = block.prompt.filter(|_| starts) {
            let call = self.symbols.add(&call.decode());
            self.links.push(AgentLink::Launch {
                call,
                prompt: text_hash(&prompt.decode()),
            });
        }
    }

    fn note_result(&mut self, draft: &Draft<'_>, block: &BlockDraft<'_>, call: Str<'_>) {
        let call = self.symbols.add(&call.decode());
        if let Some(agent) = self.symbol(draft.outcome.agent) {
            self.links.push(AgentLink::Result { call, agent });
        } else if let Some(agent) = block.text.and_then(agent_in_text) {
            let agent = self.symbols.add(&agent);
            self.links.push(AgentLink::Text { call, agent });
        }
        if let Some(run) = self.symbol(draft.outcome.run) {
            self.links.push(AgentLink::Run { call, run });
        }
    }

    fn note_compaction(&mut self, draft: &Draft<'_>, entry: &Entry, index: u32) {
        if !entry.flags.has(Flags::BOUNDARY) {
            return;
        }
        let none = dialect::Boundary::default();
        let boundary = draft.boundary.as_ref().unwrap_or(&none);
        let preserved = boundary
            .preserved
            .iter()
            .map(|uuid| self.symbols.add(&uuid.decode()))
            .collect();
        let segment = boundary.segment.map(|(head, tail)| {
            (
                self.symbols.add(&head.decode()),
                self.symbols.add(&tail.decode()),
            )
        });
        let compaction = Compaction {
            entry: index,
            preserved,
            segment,
            anchor: self.symbol(boundary.anchor.or(boundary.segment_anchor)),
            trigger: self.symbol(boundary.trigger),
            tokens_before: boundary.before,
            tokens_after: boundary.after,
        };
        self.compactions.push(compaction);
    }
}

/// Tells whether a tool starts agents. `Task` was renamed to `Agent`.
pub fn is_agent_tool(name: &[u8]) -> bool {
    matches!(name, b"Task" | b"Agent" | b"Workflow")
}

fn kind(draft: &Draft<'_>) -> EntryKind {
    match draft.kind.map(Str::raw) {
        Some(b"user") => EntryKind::User,
        Some(b"assistant") => EntryKind::Assistant,
        Some(b"system" | b"compact_system") => EntryKind::System,
        Some(b"attachment") => EntryKind::Attachment,
        Some(b"progress") => EntryKind::Progress,
        _ => EntryKind::Metadata,
    }
}

fn is_boundary(draft: &Draft<'_>) -> bool {
    match draft.kind.map(Str::raw) {
        Some(b"system") => draft
            .subtype
            .is_some_and(|subtype| subtype.raw() == b"compact_boundary"),
        Some(b"compact_system") => draft.message.blocks.iter().any(|block| {
            block
                .text
                .is_some_and(|text| text.raw() == b"conversation_compacted")
        }),
        _ => false,
    }
}

/// Tells whether a record says that a turn is over, and how long it took.
fn is_turn_end(draft: &Draft<'_>) -> bool {
    draft.kind.is_some_and(|kind| kind.raw() == b"system")
        && draft
            .subtype
            .is_some_and(|subtype| subtype.raw() == b"turn_duration")
}

/// Tells what an entry says in the conversation, if anything.
fn says(draft: &Draft<'_>, kind: EntryKind, blocks: &[Block]) -> Option<MessageKind> {
    match kind {
        EntryKind::User => user_says(draft, blocks),
        EntryKind::Assistant if draft.api_error || is_synthetic(draft) => Some(MessageKind::Error),
        EntryKind::Assistant => Some(MessageKind::Answer),
        EntryKind::System if is_boundary(draft) => Some(MessageKind::Boundary),
        EntryKind::System => Some(match draft.subtype.map(Str::raw) {
            Some(b"local_command") => MessageKind::Command,
            Some(b"api_error") => MessageKind::Error,
            _ => MessageKind::Notice,
        }),
        EntryKind::Attachment
            if draft
                .attachment
                .kind
                .is_some_and(|kind| kind.raw() == b"queued_command") =>
        {
            Some(queued_says(draft))
        }
        _ => None,
    }
}

fn user_says(draft: &Draft<'_>, blocks: &[Block]) -> Option<MessageKind> {
    let results = blocks
        .iter()
        .filter(|block| matches!(block.kind, BlockKind::Result(_)))
        .count();
    if results > 0 && results == blocks.len() {
        return None;
    }
    if draft.compact_summary {
        return Some(MessageKind::Summary);
    }
    if draft.meta {
        return Some(MessageKind::Meta);
    }
    if draft.flat
        && draft
            .subtype
            .is_some_and(|subtype| subtype.raw() == b"command")
    {
        return Some(MessageKind::Command);
    }
    let reports = |kind: Str<'_>| kind.raw() == b"task-notification";
    if draft.origin.is_some_and(reports) {
        return Some(MessageKind::AgentReport);
    }
    let said = draft
        .message
        .blocks
        .iter()
        .filter(|block| block.kind == BlockType::Text)
        .map(|block| {
            let Some(text) = block.text else {
                return MessageKind::Prompt;
            };
            let whole = text.raw().len() <= 64 * 1024;
            let look = if whole && text.raw().starts_with(b"<ide_") {
                text.decode()
            } else {
                text.decode_prefix(words::LOOK)
            };
            words::user_text(&look, whole)
        });
    let mut kind = None;
    for said in said {
        if !matches!(
            said,
            MessageKind::Meta | MessageKind::Command | MessageKind::AgentReport
        ) {
            return Some(said);
        }
        kind = kind.or(Some(said));
    }
    let pictures = blocks
        .iter()
        .any(|b| matches!(b.kind, BlockKind::Image | BlockKind::Document));
    match kind {
        Some(MessageKind::Meta) if pictures => Some(MessageKind::Prompt),
        Some(kind) => Some(kind),
        None => Some(MessageKind::Prompt),
    }
}

fn queued_says(draft: &Draft<'_>) -> MessageKind {
    let origin = draft.attachment.origin.or(draft.origin);
    let text = draft
        .attachment
        .prompt
        .map(|prompt| prompt.decode_prefix(words::LOOK));
    match text.map(|text| words::user_text(&text, false)) {
        _ if origin.is_some_and(|kind| kind.raw() == b"task-notification") => {
            MessageKind::AgentReport
        }
        Some(MessageKind::AgentReport) => MessageKind::AgentReport,
        _ => MessageKind::Queued,
    }
}

fn is_synthetic(draft: &Draft<'_>) -> bool {
    draft
        .message
        .model
        .is_some_and(|model| model.raw() == b"<synthetic>")
}

fn flags(draft: &Draft<'_>, kind: EntryKind, says: Option<MessageKind>) -> Flags {
    let mut flags = Flags::default();
    flags.set(Flags::SIDECHAIN, draft.sidechain);
    flags.set(Flags::META, draft.meta);
    flags.set(Flags::TEAM, draft.team);
    flags.set(Flags::STARTS_TURN, starts_turn(draft, says));
    flags.set(Flags::BOUNDARY, says == Some(MessageKind::Boundary));
    flags.set(
        Flags::FLAT,
        draft.flat || draft.kind.is_some_and(|k| k.raw() == b"compact_system"),
    );
    flags.set(Flags::DELETED, draft.deleted);
    flags.set(Flags::ABORTED, draft.aborted);
    flags.set(Flags::API_ERROR, draft.api_error);
    flags.set(
        Flags::SYNTHETIC,
        kind == EntryKind::Assistant && is_synthetic(draft),
    );
    flags.set(
        Flags::ENDS_TURN,
        draft
            .message
            .stop_reason
            .is_some_and(|reason| reason.raw() == b"end_turn")
            || is_turn_end(draft),
    );
    let persisted = |block: &BlockDraft<'_>| {
        block.kind == BlockType::Result
            && block
                .text
                .is_some_and(|text| text.raw().starts_with(b"<persisted-output>"))
    };
    flags.set(
        Flags::SPILLED,
        draft.outcome.spilled || draft.message.blocks.iter().any(persisted),
    );
    flags.set(
        Flags::COMPACTING,
        draft
            .kind
            .is_some_and(|kind| kind.raw() == b"compact_system"),
    );
    flags
}

/// Tells whether a person's prompt begins here: by what the client says, else by the text.
fn starts_turn(draft: &Draft<'_>, says: Option<MessageKind>) -> bool {
    let human = draft.origin.is_some_and(|kind| kind.raw() == b"human")
        || matches!(
            draft.prompt_source.map(Str::raw),
            Some(b"typed" | b"queued" | b"suggestion_accepted" | b"sdk")
        );
    match says {
        Some(MessageKind::Prompt | MessageKind::Queued) => true,
        Some(MessageKind::Command) => human,
        _ => false,
    }
}

fn verdict(draft: &Draft<'_>, block: &BlockDraft<'_>) -> Verdict {
    if let Some(denial) = draft.denial {
        return words::denial(&denial.decode());
    }
    if !block.error {
        return Verdict::Done;
    }
    let text = block
        .text
        .map(|text| text.decode_prefix(4096))
        .unwrap_or_default();
    words::failed_result(&text)
}

/// Finds the `agentId: …` line that some versions put into the text of a result.
fn agent_in_text(text: Str<'_>) -> Option<String> {
    const MARK: &[u8] = b"agentId: ";
    if text.raw().len() > 256 * 1024 {
        return None;
    }
    let at = memchr::memmem::find(text.raw(), MARK)? + MARK.len();
    let rest = &text.raw()[at..];
    let length = rest
        .iter()
        .position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')))
        .unwrap_or(rest.len());
    (length > 0).then(|| String::from_utf8_lossy(&rest[..length]).into_owned())
}
