//! Turns the fields of a record into an entry and rows of the log's other tables.

use super::classify::{
    agent_in_text, flags, is_agent_tool, is_turn_end, kind, message_kind, verdict,
};
use super::{AgentLink, Compaction, Detail, Log, Reading, UsageRow, text_hash};
use crate::diagnostic::DiagnosticKind;
use crate::dialect::{self, BlockDraft, Draft};
use crate::entry::{Block, BlockKind, BlockRange, Entry, EntryKind, Flags, MessageKind, Verdict};
use crate::json::Str;
use crate::line::Span;
use crate::positions::EntryIndex;
use crate::schema::BlockType;
use crate::symbols::Symbol;
use crate::time::Time;
use crate::tool;

impl Log {
    /// Adds a record as an entry.
    pub(super) fn record(&mut self, draft: &Draft<'_>, bytes: &[u8], reading: Reading) {
        if self.detail == Detail::Full && simdutf8::basic::from_utf8(bytes).is_err() {
            self.remark(DiagnosticKind::BadUtf8);
        }
        let index = EntryIndex::at(self.entries.len());
        let kind = kind(draft);
        let uuid = self.symbol(draft.uuid);
        let message = self.symbol(draft.message.id).filter(|_| kind == EntryKind::Assistant);
        let blocks = self.push_blocks(draft, uuid, kind);
        let time = draft.time.and_then(|text| Time::parse(&text.decode()));
        let says = message_kind(draft, kind, &self.blocks[blocks.indices()], bytes);
        let mut flags = flags(draft, kind, says);
        flags.set(Flags::UNREAD, reading == Reading::Ours);
        let entry = Entry {
            span: Span { start: self.bytes, len: bytes.len() as u64 },
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
        if self.detail == Detail::Full {
            self.note(draft, &entry, index);
        } else {
            self.facts.note_slug(draft, &mut self.symbols);
        }
        self.entries.push(entry);
    }

    /// Adds the data of a record that is not in its entry: usage, links, compactions, facts.
    fn note(&mut self, draft: &Draft<'_>, entry: &Entry, index: EntryIndex) {
        self.note_usage(draft, entry, index);
        self.note_links(draft, entry, index);
        self.note_compaction(draft, entry, index);
        if let Some(duration) = draft.duration_ms.filter(|_| is_turn_end(draft)) {
            self.durations.push((index, duration));
        }
        self.note_changes(draft, entry, index);
        self.note_branch(draft, entry, index);
        if let Some(origin) = self.symbol(copied_from(draft)) {
            self.origins.push((index, origin));
        }
        self.facts.note(draft, entry, index, &mut self.symbols);
    }

    /// Returns the symbol of a string that ties records together; a sketch has none.
    fn symbol(&mut self, text: Option<Str<'_>>) -> Option<Symbol> {
        let text = text.filter(|_| self.detail == Detail::Full);
        text.map(|text| self.symbols.add_raw(text))
    }

    fn name(&mut self, draft: &Draft<'_>, kind: EntryKind) -> Option<Symbol> {
        let inner = match kind {
            EntryKind::System => draft.subtype,
            EntryKind::Attachment => draft.attachment.kind,
            EntryKind::Progress => draft.progress.kind,
            _ => draft.kind,
        };
        inner.map(|name| self.symbols.add_raw(name))
    }

    fn push_blocks(
        &mut self,
        draft: &Draft<'_>,
        uuid: Option<Symbol>,
        kind: EntryKind,
    ) -> BlockRange {
        let start = self.blocks.len() as u32;
        let has_blocks = matches!(kind, EntryKind::User | EntryKind::Assistant);
        if has_blocks {
            for block in &draft.message.blocks {
                let block = self.block(draft, block, uuid);
                self.blocks.push(block);
            }
        }
        BlockRange { start, end: self.blocks.len() as u32 }
    }

    fn block(&mut self, draft: &Draft<'_>, block: &BlockDraft<'_>, uuid: Option<Symbol>) -> Block {
        let thinking =
            draft.flat && draft.subtype.is_some_and(|subtype| subtype.raw() == b"thinking");
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
        Block { kind, call, name: self.symbol(block.name), file: self.symbol(block.file) }
    }

    fn note_usage(&mut self, draft: &Draft<'_>, entry: &Entry, index: EntryIndex) {
        let (message, request, fallback) = match entry.kind {
            EntryKind::Assistant => {
                (&draft.message, draft.request, copied_from(draft).or(draft.uuid))
            }
            EntryKind::Progress => {
                (&draft.progress.message, draft.progress.request, draft.progress.uuid)
            }
            _ => return,
        };
        let Some(tokens) = message.usage else { return };
        let Some(id) = message.id.or(fallback) else {
            return;
        };
        let model = match message.model {
            Some(model) => self.symbols.add_raw(model),
            None => self.symbols.add(""),
        };
        // The client made this answer up, so it used no tokens.
        if self.text(model) == "<synthetic>" {
            return;
        }
        let row = UsageRow {
            entry: index,
            message: self.symbols.add_raw(id),
            request: self.symbol(request),
            model,
            tokens,
        };
        self.usage.push(row);
    }

    fn note_links(&mut self, draft: &Draft<'_>, entry: &Entry, index: EntryIndex) {
        if entry.kind == EntryKind::Progress
            && let (Some(call), Some(agent)) = (draft.progress.call, draft.progress.agent)
        {
            let (call, agent) = (self.symbols.add_raw(call), self.symbols.add_raw(agent));
            let link = AgentLink::Progress { call, agent };
            // A running call has many equal progress records, one after the other.
            if self.links.last() != Some(&link) {
                self.links.push(link);
            }
        }
        for block in &draft.message.blocks {
            // In the flat dialect, the call is the entry itself.
            let own = draft.uuid.filter(|_| draft.flat && block.kind == BlockType::Call);
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
            self.links
                .push(AgentLink::FirstTexts { entry: index, prompt: text_hash(&text.decode()) });
        }
    }

    fn note_launch(&mut self, block: &BlockDraft<'_>, call: Str<'_>) {
        let starts = block.name.is_some_and(|name| is_agent_tool(name.raw()));
        if let Some(prompt) = block.prompt.filter(|_| starts) {
            let call = self.symbols.add_raw(call);
            self.links.push(AgentLink::Launch { call, prompt: text_hash(&prompt.decode()) });
        }
    }

    fn note_result(&mut self, draft: &Draft<'_>, block: &BlockDraft<'_>, call: Str<'_>) {
        let call = self.symbols.add_raw(call);
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

    fn note_changes(&mut self, draft: &Draft<'_>, entry: &Entry, index: EntryIndex) {
        let worked = |block: &Block| block.kind == BlockKind::Result(Verdict::Done);
        if !self.blocks_of(entry).iter().any(worked) {
            return;
        }
        // The tool's name is in another record, so only the shape of the result decides.
        let (added, removed) =
            draft.outcome.changes.and_then(tool::line_changes).unwrap_or_default();
        let [added, removed] =
            [added, removed].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        if added | removed > 0 {
            self.changes.push((index, added, removed));
        }
    }

    fn note_branch(&mut self, draft: &Draft<'_>, entry: &Entry, index: EntryIndex) {
        if !entry.kind.links() {
            return;
        }
        let branch = self.symbol(draft.branch.filter(|text| !text.raw().is_empty()));
        let before = self.branches.last().and_then(|(_, branch)| *branch);
        if branch != before {
            self.branches.push((index, branch));
        }
        self.facts.branch = branch.or(self.facts.branch);
    }

    fn note_compaction(&mut self, draft: &Draft<'_>, entry: &Entry, index: EntryIndex) {
        if !entry.flags.has(Flags::BOUNDARY) {
            return;
        }
        let none = dialect::Boundary::default();
        let boundary = draft.boundary.as_ref().unwrap_or(&none);
        let preserved = boundary.preserved.iter().map(|&uuid| self.symbols.add_raw(uuid)).collect();
        let segment = boundary
            .segment
            .map(|(head, tail)| (self.symbols.add_raw(head), self.symbols.add_raw(tail)));
        let compaction = Compaction {
            entry: index,
            names_kept: boundary.names_messages || boundary.names_segment,
            names_messages: boundary.names_messages,
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

/// Returns the uuid of the entry that a record was copied from.
fn copied_from<'d>(draft: &Draft<'d>) -> Option<Str<'d>> {
    draft.copy_of.filter(|text| !text.raw().is_empty())
}
