//! Classifies records: the kind of entry, the kind of message, and the flags.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::dialect::{BlockDraft, Draft};
use crate::entry::{Block, BlockKind, EntryKind, Flags, MessageKind, Verdict};
use crate::json::Str;
use crate::record::Record;
use crate::schema::BlockType;
use crate::words;

/// Tells whether a tool starts agents. `Task` was renamed to `Agent`.
pub fn is_agent_tool(name: &[u8]) -> bool {
    matches!(name, b"Task" | b"Agent" | b"Workflow")
}

pub(super) fn kind(draft: &Draft<'_>) -> EntryKind {
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
        Some(b"system") => {
            draft.subtype.is_some_and(|subtype| subtype.raw() == b"compact_boundary")
        }
        Some(b"compact_system") => draft
            .message
            .blocks
            .iter()
            .any(|block| block.text.is_some_and(|text| text.raw() == b"conversation_compacted")),
        _ => false,
    }
}

/// Tells whether a record is about a compaction: any such record of the flat dialect, or a microcompaction.
fn is_compacting(draft: &Draft<'_>) -> bool {
    draft.kind.is_some_and(|kind| kind.raw() == b"compact_system")
        || draft.subtype.is_some_and(|subtype| subtype.raw() == b"microcompact_boundary")
}

/// Tells whether a record marks the end of a turn and states its duration.
pub(super) fn is_turn_end(draft: &Draft<'_>) -> bool {
    draft.kind.is_some_and(|kind| kind.raw() == b"system")
        && draft.subtype.is_some_and(|subtype| subtype.raw() == b"turn_duration")
}

/// Returns the kind of message of an entry, if the entry says anything in the conversation.
///
/// `bytes` are the record, which is read again if a person may speak in a result.
pub(super) fn message_kind(
    draft: &Draft<'_>,
    kind: EntryKind,
    blocks: &[Block],
    bytes: &[u8],
) -> Option<MessageKind> {
    match kind {
        EntryKind::User => {
            user_message_kind(draft, blocks, bytes).map(|kind| with_source(draft, kind))
        }
        EntryKind::Assistant if draft.api_error || is_synthetic(draft) => Some(MessageKind::Error),
        EntryKind::Assistant => Some(MessageKind::Answer),
        EntryKind::System if is_boundary(draft) => Some(MessageKind::Boundary),
        EntryKind::System => Some(match draft.subtype.map(Str::raw) {
            Some(b"local_command") => MessageKind::Command,
            Some(b"api_error") => MessageKind::Error,
            _ => MessageKind::Notice,
        }),
        EntryKind::Attachment
            if draft.attachment.kind.is_some_and(|kind| kind.raw() == b"queued_command") =>
        {
            Some(queued_message_kind(draft))
        }
        _ => None,
    }
}

fn user_message_kind(draft: &Draft<'_>, blocks: &[Block], bytes: &[u8]) -> Option<MessageKind> {
    let results = blocks.iter().filter(|block| matches!(block.kind, BlockKind::Result(_))).count();
    if results == 0 {
        return Some(texts_say(draft, blocks));
    }
    if results == blocks.len() {
        return replies(draft, bytes).then_some(MessageKind::Reply);
    }
    // A text next to a result was said together with it, so it is not a prompt of its own.
    Some(match texts_say(draft, blocks) {
        MessageKind::Prompt => MessageKind::Reply,
        kind => kind,
    })
}

/// Tells whether a person speaks in the results of a record.
fn replies(draft: &Draft<'_>, bytes: &[u8]) -> bool {
    // These letters begin the two refusals that quote a person, see `words::refusal`.
    let refused = |block: &BlockDraft<'_>| {
        let begins = |text: Str<'_>| matches!(text.raw().first(), Some(b'T' | b'P'));
        block.error && block.text.is_some_and(begins)
    };
    let may =
        draft.denial.is_some() || draft.outcome.answers || draft.message.blocks.iter().any(refused);
    may && Record::read(bytes).reply().is_some()
}

/// Classifies the texts of a user entry.
fn texts_say(draft: &Draft<'_>, blocks: &[Block]) -> MessageKind {
    if draft.compact_summary {
        return MessageKind::Summary;
    }
    if draft.meta {
        return MessageKind::Meta;
    }
    if draft.flat && draft.subtype.is_some_and(|subtype| subtype.raw() == b"command") {
        return MessageKind::Command;
    }
    let reports = |kind: Str<'_>| kind.raw() == b"task-notification";
    if draft.origin.is_some_and(reports) {
        return MessageKind::AgentReport;
    }
    let said =
        draft.message.blocks.iter().filter(|block| block.kind == BlockType::Text).map(|block| {
            let Some(text) = block.text else {
                return MessageKind::Prompt;
            };
            // Only a text that begins like one of the client's is decoded in full.
            let whole = text.raw().len() <= 64 * 1024;
            let tagged = matches!(text.raw().first(), Some(b'<' | b'['));
            let look =
                if whole && tagged { text.decode() } else { text.decode_prefix(words::LOOK) };
            words::user_text(&look, whole && tagged)
        });
    // The first text that is not the client's decides; without one, the first text does.
    let mut kind = None;
    for said in said {
        if !matches!(said, MessageKind::Meta | MessageKind::Command | MessageKind::AgentReport) {
            return said;
        }
        kind = kind.or(Some(said));
    }
    let pictures = blocks.iter().any(|b| matches!(b.kind, BlockKind::Image | BlockKind::Document));
    match kind {
        Some(MessageKind::Meta) if pictures => MessageKind::Prompt,
        Some(kind) => kind,
        None => MessageKind::Prompt,
    }
}

/// Lets the source of a prompt, if the client states it, overrule the text: what a person typed
/// is a prompt unless it is just an element of the client's.
fn with_source(draft: &Draft<'_>, kind: MessageKind) -> MessageKind {
    let text = draft.message.blocks.iter().find_map(|block| block.text);
    let ends_in_tag = text.is_some_and(|text| text.raw().trim_ascii_end().ends_with(b">"));
    match (source(draft), kind) {
        (Some(PromptSource::Human), MessageKind::AgentReport) if !ends_in_tag => {
            MessageKind::Prompt
        }
        (Some(PromptSource::Client), MessageKind::Prompt) => MessageKind::Meta,
        (Some(PromptSource::Other), MessageKind::Prompt) => MessageKind::AgentReport,
        _ => kind,
    }
}

/// The author of a prompt.
#[derive(PartialEq, Eq)]
enum PromptSource {
    /// A person, or a program in place of one.
    Human,
    /// Another agent or session.
    Other,
    /// The client itself.
    Client,
}

/// Returns the author of a prompt, if the client states it.
fn source(draft: &Draft<'_>) -> Option<PromptSource> {
    match (draft.prompt_source.map(Str::raw), draft.origin.map(Str::raw)) {
        (Some(b"typed" | b"queued" | b"suggestion_accepted" | b"sdk"), _) | (_, Some(b"human")) => {
            Some(PromptSource::Human)
        }
        (_, Some(b"peer" | b"coordinator" | b"observer")) => Some(PromptSource::Other),
        (Some(b"system"), _) => Some(PromptSource::Client),
        _ => None,
    }
}

fn queued_message_kind(draft: &Draft<'_>) -> MessageKind {
    let origin = draft.attachment.origin.or(draft.origin);
    let text = draft.attachment.prompt.map(|prompt| prompt.decode_prefix(words::LOOK));
    match text.map(|text| words::user_text(&text, false)) {
        _ if origin.is_some_and(|kind| kind.raw() == b"task-notification") => {
            MessageKind::AgentReport
        }
        Some(MessageKind::AgentReport) => MessageKind::AgentReport,
        _ => MessageKind::Queued,
    }
}

fn is_synthetic(draft: &Draft<'_>) -> bool {
    draft.message.model.is_some_and(|model| model.raw() == b"<synthetic>")
}

pub(super) fn flags(draft: &Draft<'_>, kind: EntryKind, says: Option<MessageKind>) -> Flags {
    let mut flags = Flags::default();
    flags.set(Flags::SIDECHAIN, draft.sidechain);
    flags.set(Flags::META, draft.meta);
    flags.set(Flags::TEAM, draft.team);
    flags.set(Flags::STARTS_TURN, says == Some(MessageKind::Prompt));
    flags.set(Flags::SLASH, says == Some(MessageKind::Command) && is_slash(draft));
    flags.set(Flags::EXPANSION, kind == EntryKind::User && is_expansion(draft));
    flags.set(Flags::BOUNDARY, says == Some(MessageKind::Boundary));
    flags.set(Flags::FLAT, draft.flat || draft.kind.is_some_and(|k| k.raw() == b"compact_system"));
    flags.set(Flags::DELETED, draft.deleted);
    flags.set(Flags::ABORTED, draft.aborted);
    flags.set(Flags::API_ERROR, draft.api_error);
    flags.set(Flags::SYNTHETIC, kind == EntryKind::Assistant && is_synthetic(draft));
    flags.set(
        Flags::ENDS_TURN,
        draft.message.stop_reason.is_some_and(|reason| reason.raw() == b"end_turn")
            || is_turn_end(draft),
    );
    let persisted = |block: &BlockDraft<'_>| {
        block.kind == BlockType::Result
            && block.text.is_some_and(|text| text.raw().starts_with(b"<persisted-output>"))
    };
    flags.set(Flags::SPILLED, draft.outcome.spilled || draft.message.blocks.iter().any(persisted));
    flags.set(Flags::COMPACTING, is_compacting(draft));
    flags
}

/// Returns the beginning of the first text of a record.
fn beginning<'d>(draft: &Draft<'d>) -> Option<Cow<'d, str>> {
    let text = draft.message.blocks.iter().find_map(|block| block.text)?;
    Some(text.decode_prefix(words::LOOK))
}

/// Tells whether the record of a command is a slash command that was typed, and not called by the model.
fn is_slash(draft: &Draft<'_>) -> bool {
    let is_user = draft.kind.is_some_and(|kind| kind.raw() == b"user");
    let typed = is_user && !draft.flat && !draft.called;
    typed && beginning(draft).is_some_and(|text| words::is_slash(&text))
}

/// Tells whether a record may be the expansion of a slash command.
fn is_expansion(draft: &Draft<'_>) -> bool {
    let put_in = draft.meta && !draft.compact_summary;
    put_in && beginning(draft).is_some_and(|text| words::is_expansion(&text))
}

pub(super) fn verdict(draft: &Draft<'_>, block: &BlockDraft<'_>) -> Verdict {
    if let Some(denial) = draft.denial {
        return words::denial(&denial.decode());
    }
    if !block.error {
        return Verdict::Done;
    }
    let text = block.text.map(|text| text.decode_prefix(4096)).unwrap_or_default();
    words::failed_result(&text)
}

/// Finds the agent's id in the `agentId: …` line that some versions add to the text of a result.
pub(super) fn agent_in_text(text: Str<'_>) -> Option<String> {
    static MARK: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(b"agentId: "));
    if text.raw().len() > 256 * 1024 {
        return None;
    }
    let at = MARK.find(text.raw())? + MARK.needle().len();
    let rest = &text.raw()[at..];
    let length = rest
        .iter()
        .position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')))
        .unwrap_or(rest.len());
    (length > 0).then(|| String::from_utf8_lossy(&rest[..length]).into_owned())
}
