//! Messages with their text, read from the log on demand.

mod media;

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;

use unspool_model::conversation::{
    BlockOrder, CallResult, CallStatus, Conversation, Liveness, Message, Speaker, View,
};
use unspool_model::entry::{BlockKind, EntryKind, Flags, MessageKind};
use unspool_model::ids::EntryId;
use unspool_model::json;
use unspool_model::line::Span;
use unspool_model::names;
use unspool_model::positions::NodeId;
use unspool_model::record::{Record, RecordPart, ResultPart};
use unspool_model::symbols::Symbol;
use unspool_model::time::Time;
use unspool_model::tool;
use unspool_model::words::{self, InjectedAuthor};
use unspool_redact::SessionRedactor;

use self::media::media_text;
pub use self::media::{MediaBytes, MediaText};
use unspool_store::tail::{LogFile, SpanReader};

/// A message with its text.
#[derive(Clone, Debug)]
pub struct MessageText {
    /// The speaker.
    pub speaker: Speaker,
    /// The kind of the message.
    pub kind: MessageKind,
    /// Whether a resume would leave the message out without a rewind.
    pub left_out: bool,
    /// The uuids of its entries, including merged copies.
    pub entries: Vec<EntryId>,
    /// The time of its first entry.
    pub time: Option<Time>,
    /// The model of an answer.
    pub model: Option<String>,
    /// The client's name for a system message, such as `turn_duration`.
    pub name: Option<String>,
    /// The effect of a compaction, if this is its boundary.
    pub compaction: Option<CompactionText>,
    /// Whether the message is marked as deleted.
    pub deleted: bool,
    /// The content.
    pub blocks: Vec<BlockText>,
}

/// The effect of a compaction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompactionText {
    /// The trigger: `auto` or `manual`.
    pub trigger: Option<String>,
    /// The tokens in the context before.
    pub tokens_before: Option<u64>,
    /// The tokens in the context after.
    pub tokens_after: Option<u64>,
    /// How many entries stayed in the context.
    pub kept: usize,
}

impl MessageText {
    /// Returns the texts of the message, joined by line breaks.
    pub fn said(&self) -> String {
        let texts: Vec<&str> = self
            .blocks
            .iter()
            .filter_map(|block| match block {
                BlockText::Text(text) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        texts.join("\n")
    }

    /// Returns the voice of the message, if another speaker than the person at the prompt spoke to
    /// the model.
    pub fn voice(&self) -> Option<InjectedAuthor> {
        match self.kind {
            MessageKind::Meta | MessageKind::AgentReport => words::voice(&self.said()),
            _ => None,
        }
    }

    /// Reports whether the message is part of a turn, so that an outline lists it below the prompt.
    pub fn is_interjection(&self) -> bool {
        matches!(self.kind, MessageKind::Queued | MessageKind::Reply) || self.voice().is_some()
    }
}

/// Reports whether messages of a kind can be part of a turn, so that an outline must read them.
pub fn may_interject(kind: MessageKind) -> bool {
    matches!(
        kind,
        MessageKind::Queued | MessageKind::Reply | MessageKind::Meta | MessageKind::AgentReport
    )
}

/// A part of a message, with its text.
#[derive(Clone, Debug)]
pub enum BlockText {
    /// Text.
    Text(String),
    /// Thinking; empty if the text was withheld.
    Thinking(String),
    /// A call with its result.
    Call(Box<CallText>),
    /// An image or a document.
    Media(MediaText),
    /// A block of another type.
    Other {
        /// The type of the block.
        name: String,
    },
}

/// A call with its result.
#[derive(Clone, Debug)]
pub struct CallText {
    /// The call's id.
    pub id: Option<String>,
    /// The name of the tool.
    pub name: String,
    /// The input, as strict JSON.
    pub input: String,
    /// The status of the call.
    pub status: CallStatus,
    /// The result.
    pub result: Option<ResultText>,
    /// The agent that the call started.
    pub agent: Option<String>,
    /// The duration of the call.
    pub duration_ms: Option<u64>,
}

/// The summary of a call in one line.
pub(super) struct CallHeading {
    /// The index of the call among the blocks of its entry.
    pub(super) position: usize,
    /// The name of the tool.
    pub(super) name: String,
    /// The summary.
    pub(super) summary: String,
}

/// The result of a call, with its text.
#[derive(Clone, Debug)]
pub struct ResultText {
    /// The uuid of its entry; `None` for a synthetic result.
    pub entry: Option<EntryId>,
    /// The text of the result.
    pub text: String,
    /// Whether the result reports an error.
    pub is_error: bool,
    /// Whether the result contains a person's reply, which is a separate message.
    pub replied: bool,
    /// Whether the result is marked as deleted.
    pub deleted: bool,
    /// The structured outcome next to the result in the record, as raw JSON.
    pub outcome: Option<Vec<u8>>,
    /// The images and documents in the result.
    pub media: Vec<MediaText>,
}

names! {
    /// How calls are shown that have no result and will get none.
    #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
    pub enum Unanswered {
        /// Shows them as interrupted.
        #[default]
        Mark = "mark",
        /// Leaves them out.
        Hide = "hide",
        /// Adds a synthetic result that reports the interruption.
        Synthesize = "synthesize",
    }
}

/// The text of a synthetic result.
const SYNTHETIC_RESULT: &str = "[Tool call interrupted: no result was recorded]";

/// Reads the messages of one log.
pub struct MessageReader<'s> {
    conversation: &'s Conversation<'s>,
    reader: SpanReader<'s>,
    results: SpanReader<'s>,
    agents: &'s HashMap<String, String>,
    live: Liveness,
    unanswered: Unanswered,
    media: MediaBytes,
    lens: Option<&'s SessionRedactor<'s>>,
}

impl<'s> MessageReader<'s> {
    /// Returns a reader; `agents` maps calls to the agents that they started.
    pub fn new(
        conversation: &'s Conversation<'s>,
        file: &'s LogFile,
        agents: &'s HashMap<String, String>,
        live: Liveness,
        unanswered: Unanswered,
    ) -> Self {
        let (reader, results) = (file.reader(), file.reader());
        Self {
            conversation,
            reader,
            results,
            agents,
            live,
            unanswered,
            media: MediaBytes::default(),
            lens: None,
        }
    }

    /// Redacts everything that is read with a lens.
    #[must_use]
    pub fn through(mut self, lens: Option<&'s SessionRedactor<'s>>) -> Self {
        self.lens = lens;
        self
    }

    /// Sets whether the bytes of images and documents are read.
    #[must_use]
    pub fn with_media(mut self, media: MediaBytes) -> Self {
        self.media = media;
        self
    }

    /// Reads one message.
    pub fn read(&mut self, view: &View, message: &Message) -> io::Result<MessageText> {
        unspool_work::add(1);
        let log = self.conversation.log;
        let nodes = view.nodes(message);
        let first = self.conversation.graph.entry(log, nodes[0]);
        let mut text = MessageText {
            speaker: message.speaker,
            kind: message.kind,
            left_out: message.left_out,
            entries: Vec::with_capacity(nodes.len()),
            time: first.time,
            model: None,
            name: first
                .name
                .filter(|_| matches!(first.kind, EntryKind::System))
                .map(|name| self.redacted(name)),
            compaction: match message.kind {
                MessageKind::Boundary => self.compaction(nodes[0]),
                _ => None,
            },
            deleted: nodes.iter().any(|&node| self.is_deleted(node)),
            blocks: Vec::new(),
        };
        for &node in nodes {
            self.read_node(view, node, &mut text)?;
        }
        if view.block_order() == BlockOrder::CallsLast {
            text.blocks.sort_by_key(|block| matches!(block, BlockText::Call(_)));
        }
        Ok(text)
    }

    /// Returns the agents that the calls of a message started, without reading the message.
    pub fn agents_of<'v>(
        &'v self,
        view: &'v View,
        message: &Message,
    ) -> impl Iterator<Item = &'s str> + 'v {
        let (log, graph) = (self.conversation.log, &self.conversation.graph);
        let calls = view.nodes(message).iter().flat_map(move |&node| {
            let entry = graph.entry(log, node);
            let blocks = entry.blocks.indices().zip(log.blocks_of(entry));
            let shown = blocks.filter(|(place, block)| {
                block.kind == BlockKind::Call && view.has_block(*place as u32)
            });
            shown.filter_map(move |(_, block)| Some((node, block.call?)))
        });
        calls.filter_map(|(node, call)| {
            let agent = self.agents.get(log.text(call))?;
            let found = self.conversation.result_in(view, node, call);
            (!self.hides(node, found)).then_some(agent.as_str())
        })
    }

    /// Reports whether a call is left out because it has no result.
    fn hides(&self, node: NodeId, found: Option<CallResult>) -> bool {
        self.unanswered == Unanswered::Hide
            && found.is_none()
            && self.conversation.call_status(node, found, self.live) == CallStatus::Interrupted
    }

    /// Returns a text from the log's symbol table, redacted.
    fn redacted(&self, name: Symbol) -> String {
        let text = self.conversation.log.text(name);
        match self.lens {
            Some(lens) => lens.text(text).into_owned(),
            None => text.to_owned(),
        }
    }

    /// Returns the id of an entry or a call, redacted.
    fn shown_id(&self, id: &str) -> EntryId {
        match self.lens {
            Some(lens) => EntryId::new(lens.id(id)),
            None => EntryId::new(id),
        }
    }

    fn is_deleted(&self, node: NodeId) -> bool {
        let entry = self.conversation.graph.entry(self.conversation.log, node);
        entry.flags.has(Flags::DELETED)
    }

    /// Returns the effect of the compaction that has its boundary at a node.
    fn compaction(&self, node: NodeId) -> Option<CompactionText> {
        let log = self.conversation.log;
        let compaction = log.compaction_at(self.conversation.graph.nodes[node].content)?;
        let trigger = compaction.trigger;
        Some(CompactionText {
            trigger: trigger.map(|trigger| self.redacted(trigger)),
            tokens_before: compaction.tokens_before,
            tokens_after: compaction.tokens_after,
            kept: compaction.preserved.len(),
        })
    }

    fn read_node(&mut self, view: &View, node: NodeId, text: &mut MessageText) -> io::Result<()> {
        let log = self.conversation.log;
        let entry = self.conversation.graph.entry(log, node);
        text.entries.extend(entry.uuid.map(|uuid| self.shown_id(log.text(uuid))));
        let bytes = record_bytes(&mut self.reader, entry.span, self.lens)?;
        let record = Record::read(&bytes);
        if text.model.is_none() {
            text.model = record.model.as_deref().filter(|model| !model.is_empty()).map(Into::into);
        }
        let reply = (text.kind == MessageKind::Reply).then(|| record.reply());
        text.blocks.extend(reply.flatten().map(BlockText::Text));
        if let Some(said) =
            record.text.filter(|_| matches!(entry.kind, EntryKind::System | EntryKind::Attachment))
        {
            text.blocks.push(BlockText::Text(said.into_owned()));
        }
        let blocks = log.blocks_of(entry);
        for (position, part) in record.parts.into_iter().enumerate() {
            let place = entry.blocks.indices().start + position;
            if !view.has_block(place as u32) {
                continue;
            }
            let call = blocks.get(position).filter(|b| b.kind == BlockKind::Call);
            let call = call.and_then(|block| block.call);
            let thinks = blocks.get(position).is_some_and(|b| b.kind == BlockKind::Thinking);
            let block = match part {
                RecordPart::Text(said) if thinks => Some(BlockText::Thinking(said.into_owned())),
                RecordPart::Text(said) if text.kind == MessageKind::Prompt => {
                    Some(BlockText::Text(words::typed(&said).into_owned()))
                }
                RecordPart::Text(said) => Some(BlockText::Text(said.into_owned())),
                RecordPart::Thinking(said) => Some(BlockText::Thinking(said.into_owned())),
                RecordPart::Call { name, input } => {
                    let found = call.and_then(|call| self.conversation.result_in(view, node, call));
                    self.call(node, call, found, (name.into_owned(), input))?
                }
                RecordPart::Result(_) => None,
                RecordPart::Media(media) => Some(BlockText::Media(media_text(media, self.media))),
                RecordPart::Other { name } => Some(BlockText::Other { name: name.into_owned() }),
            };
            text.blocks.extend(block);
        }
        Ok(())
    }

    /// Reads the calls of one entry with a summary of each; results are not read.
    pub(super) fn call_headings(&mut self, node: NodeId) -> io::Result<Vec<CallHeading>> {
        let entry = self.conversation.graph.entry(self.conversation.log, node);
        let bytes = record_bytes(&mut self.reader, entry.span, self.lens)?;
        let parts = Record::read(&bytes).parts.into_iter().enumerate();
        let calls = parts.filter_map(|(position, part)| match part {
            RecordPart::Call { name, input } => Some(CallHeading {
                position,
                summary: tool::parse(&name, input).summary(),
                name: name.into_owned(),
            }),
            _ => None,
        });
        Ok(calls.collect())
    }

    /// Reads the duration of a compaction, if its boundary has one.
    pub(super) fn compaction_ms(&mut self, node: NodeId) -> io::Result<Option<u64>> {
        let entry = self.conversation.graph.entry(self.conversation.log, node);
        let bytes = record_bytes(&mut self.reader, entry.span, self.lens)?;
        Ok(Record::read(&bytes).compaction_ms)
    }

    fn call(
        &mut self,
        node: NodeId,
        call: Option<Symbol>,
        found: Option<CallResult>,
        (name, input): (String, &[u8]),
    ) -> io::Result<Option<BlockText>> {
        if self.hides(node, found) {
            return Ok(None);
        }
        let log = self.conversation.log;
        let status = self.conversation.call_status(node, found, self.live);
        let unanswered = found.is_none() && status == CallStatus::Interrupted;
        let result = match found {
            Some(found) => {
                let entry = &log.entries[found.entry];
                let bytes = record_bytes(&mut self.results, entry.span, self.lens)?;
                let uuid = entry.uuid.map(|uuid| self.shown_id(log.text(uuid)));
                let mut result = result_text(&bytes, found.block, uuid, self.media);
                result.deleted = entry.flags.has(Flags::DELETED);
                result.replied = entry.says == Some(MessageKind::Reply);
                Some(result)
            }
            None if unanswered && self.unanswered == Unanswered::Synthesize => Some(ResultText {
                entry: None,
                text: SYNTHETIC_RESULT.to_owned(),
                is_error: true,
                replied: false,
                deleted: false,
                outcome: None,
                media: Vec::new(),
            }),
            None => None,
        };
        let id = call.map(|call| log.text(call));
        Ok(Some(BlockText::Call(Box::new(CallText {
            agent: id.and_then(|id| self.agents.get(id)).cloned(),
            id: id.map(|id| self.shown_id(id).as_str().to_owned()),
            name,
            input: json::to_strict(input).into_owned(),
            status,
            result,
            duration_ms: found.and_then(|found| self.conversation.call_duration(node, found)),
        }))))
    }
}

/// Reads the bytes of one record and redacts them. All shown content comes from here.
fn record_bytes(
    reader: &mut SpanReader<'_>,
    span: Span,
    lens: Option<&SessionRedactor<'_>>,
) -> io::Result<Vec<u8>> {
    Ok(match lens {
        Some(lens) => lens.record(reader.bytes(span)?).into_owned(),
        None => reader.take(span)?,
    })
}

fn result_text(
    bytes: &[u8],
    block: Option<u32>,
    entry: Option<EntryId>,
    wanted: MediaBytes,
) -> ResultText {
    let record = Record::read(bytes);
    let part = match (block, record.parts.get(block.unwrap_or(0) as usize)) {
        (Some(_), Some(RecordPart::Result(result))) => result.clone(),
        (None, Some(RecordPart::Text(text))) => {
            ResultPart { text: text.clone(), ..ResultPart::default() }
        }
        (None, None) => ResultPart {
            text: record.text.clone().unwrap_or(Cow::Borrowed("")),
            ..ResultPart::default()
        },
        _ => ResultPart::default(),
    };
    ResultText {
        entry,
        text: part.text.into_owned(),
        is_error: part.is_error,
        replied: false,
        deleted: false,
        outcome: record.outcome.map(<[u8]>::to_vec),
        media: part.media.into_iter().map(|media| media_text(media, wanted)).collect(),
    }
}
