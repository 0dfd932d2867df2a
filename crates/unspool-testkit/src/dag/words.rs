//! The options of each kind of entry. [`super::notation`] handles those that all kinds share.

use super::assistant::{Assistant, RequestField, Stop, UsageSpec};
use super::block::BlockSpec;
use super::entry::EntryBody;
use super::inert::{PayloadEntry, PayloadShape};
use super::system::{LogicalParent, System};
use super::tokens::{DagToken, DagTokens, PairValue};
use super::tool_result::{CallAnswer, ToolResult};
use super::user::User;

/// Creates the body of an entry from its kind.
pub(crate) fn body(kind: &str, tokens: &mut DagTokens<'_>) -> EntryBody {
    let inert = |shape, kind| EntryBody::PayloadEntry(PayloadEntry::new(shape, kind));
    match kind {
        "user" => EntryBody::User(User::default()),
        "assistant" => EntryBody::Assistant(Assistant::default()),
        "result" => EntryBody::Result(ToolResult::default()),
        "system" => EntryBody::System(System::new(tokens.word("a subtype"))),
        "attachment" => inert(PayloadShape::Attachment, tokens.word("a kind of attachment")),
        "progress" => inert(PayloadShape::Progress, tokens.word("a kind of progress")),
        _ => match kind.strip_prefix('?') {
            Some(unknown) => inert(PayloadShape::Unknown, unknown),
            None => tokens.fail(format_args!(
                "no kind is called `{kind}`; write `?{kind}` for an unknown type"
            )),
        },
    }
}

/// Applies an option to a body, and panics if the kind does not have it.
pub(crate) fn apply(body: &mut EntryBody, token: DagToken<'_>, tokens: &mut DagTokens<'_>) {
    let rest = match body {
        EntryBody::User(user) => apply_user(user, token),
        EntryBody::Assistant(assistant) => apply_assistant(assistant, token, tokens),
        EntryBody::Result(result) => apply_result(result, token),
        EntryBody::System(system) => apply_system(system, token, tokens),
        EntryBody::PayloadEntry(inert) => apply_inert(inert, token),
    };
    match rest {
        None => {}
        Some(DagToken::Word(word)) => tokens.fail(format_args!("`{word}` means nothing here")),
        Some(DagToken::Pair(key, _)) => tokens.fail(format_args!("`{key}=` means nothing here")),
        Some(DagToken::Text(text)) => tokens.fail(format_args!("no place for the text {text:?}")),
        Some(DagToken::Json(json)) => tokens.fail(format_args!("no place for the JSON {json}")),
        Some(DagToken::Parent(_)) => tokens.fail("no place for a parent"),
    }
}

fn apply_user<'a>(user: &mut User, token: DagToken<'a>) -> Option<DagToken<'a>> {
    match token {
        DagToken::Text(text) => user.blocks.push(BlockSpec::Text(text)),
        DagToken::Word("image") => user.blocks.push(BlockSpec::Image),
        DagToken::Word("blocks") => user.as_blocks = true,
        DagToken::Word("summary") => user.summary = true,
        DagToken::Pair("source", value) => user.source = Some(value.into_text()),
        DagToken::Pair("origin", value) => user.origin = Some(value.into_text()),
        DagToken::Pair("prompt", value) => user.prompt = Some(value.into_text()),
        DagToken::Pair("interrupted", value) => user.interrupted = Some(value.into_text()),
        token => return Some(token),
    }
    None
}

fn apply_assistant<'a>(
    assistant: &mut Assistant,
    token: DagToken<'a>,
    tokens: &mut DagTokens<'_>,
) -> Option<DagToken<'a>> {
    match token {
        DagToken::Text(text) => assistant.blocks.push(BlockSpec::Text(text)),
        DagToken::Word("image") => assistant.blocks.push(BlockSpec::Image),
        DagToken::Word("thinking") => {
            assistant.blocks.push(BlockSpec::Thinking(tokens.text().unwrap_or_default()));
        }
        DagToken::Word("call") => assistant.blocks.push(call(tokens)),
        DagToken::Word("synthetic") => assistant.make_synthetic(),
        DagToken::Word("no-usage") => assistant.without_usage = true,
        DagToken::Pair("msg", value) => assistant.message = Some(value.into_text()),
        DagToken::Pair("req", PairValue::Word("-")) => assistant.request = RequestField::Missing,
        DagToken::Pair("req", value) => assistant.request = RequestField::Named(value.into_text()),
        DagToken::Pair("model", value) => assistant.model = Some(value.into_text()),
        DagToken::Pair("stop", PairValue::Word("null")) => assistant.stop = Stop::Null,
        DagToken::Pair("stop", value) => assistant.stop = Stop::Named(value.into_text()),
        DagToken::Pair("api-error", value) => {
            assistant.make_synthetic();
            assistant.api_error = Some(value.into_text());
        }
        DagToken::Pair(key @ ("in" | "out" | "cr" | "cw5" | "cw1"), value) => {
            let count = number(value, tokens);
            let usage = assistant.usage.get_or_insert(UsageSpec::PLAIN);
            *match key {
                "in" => &mut usage.input,
                "out" => &mut usage.output,
                "cr" => &mut usage.cache_read,
                "cw5" => &mut usage.cache_write_5m,
                _ => &mut usage.cache_write_1h,
            } = count;
        }
        token => return Some(token),
    }
    None
}

/// Parses `Tool:id {input}`.
fn call(tokens: &mut DagTokens<'_>) -> BlockSpec {
    let word = tokens.word("`Tool:id`");
    let Some((tool, id)) = word.rsplit_once(':') else {
        tokens.fail(format_args!("`{word}` is not `Tool:id`"));
    };
    let input = tokens.json().unwrap_or_else(|| "{}".to_owned());
    BlockSpec::Call { tool: tool.to_owned(), id: id.to_owned(), input }
}

fn apply_result<'a>(result: &mut ToolResult, token: DagToken<'a>) -> Option<DagToken<'a>> {
    match token {
        DagToken::Word("error") => result.error = true,
        DagToken::Word("launched") => result.launched = true,
        DagToken::Pair("denied", value) => result.denied = Some(value.into_text()),
        DagToken::Pair("agent", value) => result.agent = Some(value.into_text()),
        DagToken::Word(call) => {
            let (call, known) = call.strip_prefix('?').map_or((call, true), |call| (call, false));
            result.answers.push(CallAnswer { call: call.to_owned(), known, text: None });
        }
        DagToken::Text(text) => match result.answers.last_mut() {
            Some(answer) if answer.text.is_none() => answer.text = Some(text),
            _ => return Some(DagToken::Text(text)),
        },
        token => return Some(token),
    }
    None
}

fn apply_system<'a>(
    system: &mut System,
    token: DagToken<'a>,
    tokens: &DagTokens<'_>,
) -> Option<DagToken<'a>> {
    let names = |value: PairValue<'_>| value.into_text().split(',').map(str::to_owned).collect();
    let boundary = system.is_boundary();
    let compaction = &mut system.compaction;
    match token {
        DagToken::Text(text) => system.content = Some(text),
        DagToken::Pair("ms", value) => {
            let ms = number(value, tokens);
            system.details.push(("durationMs".to_owned(), ms.to_string()));
        }
        DagToken::Pair("logical", PairValue::Word("-")) if boundary => {
            compaction.logical = LogicalParent::Missing;
        }
        DagToken::Pair("logical", value) if boundary => {
            compaction.logical = LogicalParent::Named(value.into_text());
        }
        DagToken::Pair("keep", value) if boundary => compaction.kept = names(value),
        DagToken::Pair("anchor", value) if boundary => compaction.anchor = Some(value.into_text()),
        DagToken::Word("manual") if boundary => compaction.manual = true,
        DagToken::Pair("before", value) if boundary => compaction.before = number(value, tokens),
        DagToken::Pair("after", value) if boundary => compaction.after = number(value, tokens),
        token => return Some(token),
    }
    None
}

fn apply_inert<'a>(inert: &mut PayloadEntry, token: DagToken<'a>) -> Option<DagToken<'a>> {
    match token {
        DagToken::Text(text) => inert.text = Some(text),
        DagToken::Json(json) => inert.payload = Some(json),
        DagToken::Pair("tool", value) => inert.tool = Some(value.into_text()),
        DagToken::Pair("agent", value) => inert.agent = Some(value.into_text()),
        token => return Some(token),
    }
    None
}

fn number(value: PairValue<'_>, tokens: &DagTokens<'_>) -> u64 {
    let text = value.into_text();
    text.parse().unwrap_or_else(|_| tokens.fail(format_args!("`{text}` is not a number")))
}
