//! What unspool says a resume sends.

use unspool_model::conversation::{BlockOrder, Conversation, Message, View};
use unspool_model::entry::{BlockKind, EntryKind, MessageKind};
use unspool_model::graph::{Rule, Scope};
use unspool_model::log::Log;
use unspool_model::positions::{EntryIndex, NodeId};
use unspool_model::record::{Record, RecordPart};

/// One block that is sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Sent {
    /// A text of the user or of the model.
    Text(String),
    /// Thinking.
    Thinking(String),
    /// A call, with the text of its result; `None` if the client makes one up.
    Call(String, Option<String>),
}

/// What a resume sends, and the entry that the next prompt hangs on.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Resumed {
    pub(crate) sent: Vec<Sent>,
    pub(crate) tip: Option<String>,
}

/// Reads a log and returns what a resume would send.
pub(crate) fn resumed(bytes: &[u8]) -> Resumed {
    let (messages, tip) = messages(bytes);
    Resumed { sent: messages.into_iter().flat_map(|(_, sent)| sent).collect(), tip }
}

/// Reads a log and returns the messages that a resume would send, and the tip.
pub(crate) fn messages(bytes: &[u8]) -> (Vec<(MessageKind, Vec<Sent>)>, Option<String>) {
    let log = Log::read(bytes);
    let conversation = Conversation::new(&log, Rule::Current, Scope::Session);
    let Some(path) = conversation.paths.active() else {
        return (Vec::new(), None);
    };
    let view = conversation.context(path);
    let tip = conversation.graph.entry(&log, path.head).uuid;
    let reader = Reader { bytes, conversation: &conversation, view: &view };
    let messages = view.messages.iter();
    let messages = messages.map(|message| (message.kind, reader.message(message)));
    (messages.collect(), tip.map(|uuid| log.text(uuid).to_owned()))
}

struct Reader<'a> {
    bytes: &'a [u8],
    conversation: &'a Conversation<'a>,
    view: &'a View,
}

impl Reader<'_> {
    fn message(&self, message: &Message) -> Vec<Sent> {
        let nodes = self.view.nodes(message);
        let mut sent: Vec<Sent> = nodes.iter().flat_map(|&node| self.node(node)).collect();
        if self.view.block_order() == BlockOrder::CallsLast {
            sent.sort_by_key(|block| matches!(block, Sent::Call(..)));
        }
        sent
    }

    fn record(&self, entry: EntryIndex) -> Record<'_> {
        let span = self.conversation.log.entries[entry].span;
        Record::read(&self.bytes[span.start as usize..span.end() as usize])
    }

    fn node(&self, node: NodeId) -> Vec<Sent> {
        let log = self.conversation.log;
        let content = self.conversation.graph.nodes[node].content;
        let entry = &log.entries[content];
        let record = self.record(content);
        let mut sent = Vec::new();
        if entry.kind == EntryKind::Attachment {
            sent.extend(record.text.map(|text| Sent::Text(text.into_owned())));
        }
        for ((place, block), part) in
            entry.blocks.indices().zip(log.blocks_of(entry)).zip(record.parts)
        {
            if !self.view.has_block(place as u32) {
                continue;
            }
            match part {
                RecordPart::Text(text) => sent.push(Sent::Text(text.into_owned())),
                RecordPart::Thinking(text) => sent.push(Sent::Thinking(text.into_owned())),
                RecordPart::Call { .. } if block.kind == BlockKind::Call => {
                    let call = block.call.expect("calls of these logs have ids");
                    let result = self.conversation.result_in(self.view, node, call);
                    let result = result.map(|found| {
                        let parts = self.record(found.entry).parts;
                        match &parts[found.block.unwrap_or(0) as usize] {
                            RecordPart::Result(result) => result.text.clone().into_owned(),
                            other => panic!("a result is expected: {other:?}"),
                        }
                    });
                    sent.push(Sent::Call(log.text(call).to_owned(), result));
                }
                _ => {}
            }
        }
        sent
    }
}
