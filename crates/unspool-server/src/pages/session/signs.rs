//! Signs of messages that readers look for: failed calls, changes of files, calls.
//!
//! They come from the tables of the log, so all messages can be searched. The rail marks turns with
//! them, and keys move from one to the next.

use unspool_engine::ops::transcript::Transcript;
use unspool_model::conversation::{CallStatus, Message};
use unspool_model::entry::MessageKind;
use unspool_model::names;

names! {
    /// A sign that readers look for.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(super) enum MessageSign {
        /// An error, or a call that failed.
        Error = "error",
        /// A file was changed.
        Change = "change",
        /// A tool was called.
        Call = "call",
    }
}

/// Returns the signs of a message; a sign may occur several times.
pub(super) fn signs<'m>(
    shown: &'m Transcript<'_>,
    message: &'m Message,
) -> impl Iterator<Item = MessageSign> + 'm {
    let (conversation, log) = (&shown.conversation, shown.conversation.log);
    let own = (message.kind == MessageKind::Error).then_some(MessageSign::Error);
    let nodes = shown.view.nodes(message).iter();
    let calls = nodes.flat_map(move |&node| {
        let calls = log.calls_of(conversation.graph.entry(log, node));
        calls.flat_map(move |block| {
            let result =
                block.call.and_then(|call| conversation.result_in(&shown.view, node, call));
            let name = block.name.map_or("", |name| log.text(name));
            let sign = match conversation.call_status(node, result, shown.live) {
                CallStatus::Failed => Some(MessageSign::Error),
                CallStatus::Done if changes_files(name) => Some(MessageSign::Change),
                _ => None,
            };
            [Some(MessageSign::Call), sign].into_iter().flatten()
        })
    });
    own.into_iter().chain(calls)
}

/// Returns whether calls of a tool change files.
pub(super) fn changes_files(tool: &str) -> bool {
    matches!(tool, "Edit" | "MultiEdit" | "Write" | "NotebookEdit")
}
