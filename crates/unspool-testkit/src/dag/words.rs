//! What the words of the notation mean to each kind of entry.
//!
//! Knows the options of every body. Words that all entries share are taken before they come here.

use super::assistant::{Assistant, Request, Stop, Usage};
use super::block::Block;
use super::entry::Body;
use super::inert::{Inert, Shape};
use super::system::{Logical, System};
use super::tokens::{Token, Tokens, Value};
use super::tool_result::{Answer, ToolResult};
use super::user::User;

/// Creates the body of an entry from its kind.
pub(crate) fn body(kind: &str, tokens: &mut Tokens<'_>) -> Body {
    match kind {
        "user" => User::default().into(),
        "assistant" => Assistant::new().into(),
        "result" => ToolResult::default().into(),
        "system" => System::new(tokens.word("a subtype")).into(),
        "attachment" => Inert::attachment(tokens.word("a kind of attachment")).into(),
        "progress" => Inert::progress(tokens.word("a kind of progress")).into(),
        _ => match kind.strip_prefix('?') {
            Some(unknown) => Inert::of(Shape::Unknown, unknown.to_owned()).into(),
            None => tokens.fail(format_args!(
                "no kind is called `{kind}`; write `?{kind}` for an unknown type"
            )),
        },
    }
}

/// Applies a word to a body.
pub(crate) fn apply(body: &mut Body, token: Token<'_>, tokens: &mut Tokens<'_>) {
    let rest = match body {
        Body::User(user) => apply_user(user, token),
        Body::Assistant(assistant) => apply_assistant(assistant, token, tokens),
        Body::Result(result) => apply_result(result, token),
        Body::System(system) => apply_system(system, token, tokens),
        Body::Inert(inert) => apply_inert(inert, token),
    };
    match rest {
        None => {}
        Some(Token::Word(word)) => tokens.fail(format_args!("`{word}` means nothing here")),
        Some(Token::Pair(key, _)) => tokens.fail(format_args!("`{key}=` means nothing here")),
        Some(Token::Text(text)) => tokens.fail(format_args!("no place for the text {text:?}")),
        Some(Token::Json(json)) => tokens.fail(format_args!("no place for the JSON {json}")),
        Some(Token::Parent(_)) => tokens.fail("no place for a parent"),
    }
}

fn apply_user<'a>(user: &mut User, token: Token<'a>) -> Option<Token<'a>> {
    match token {
        Token::Text(text) => user.blocks.push(Block::Text(text)),
        Token::Word("image") => user.blocks.push(Block::Image),
        Token::Word("blocks") => user.as_blocks = true,
        Token::Word("summary") => user.summary = true,
        Token::Pair("source", value) => user.source = Some(value.into_text()),
        Token::Pair("origin", value) => user.origin = Some(value.into_text()),
        Token::Pair("prompt", value) => user.prompt = Some(value.into_text()),
        Token::Pair("interrupted", value) => user.interrupted = Some(value.into_text()),
        token => return Some(token),
    }
    None
}

fn apply_assistant<'a>(
    assistant: &mut Assistant,
    token: Token<'a>,
    tokens: &mut Tokens<'_>,
) -> Option<Token<'a>> {
    match token {
        Token::Text(text) => assistant.blocks.push(Block::Text(text)),
        Token::Word("image") => assistant.blocks.push(Block::Image),
        Token::Word("thinking") => {
            assistant
                .blocks
                .push(Block::Thinking(tokens.text().unwrap_or_default()));
        }
        Token::Word("call") => assistant.blocks.push(call(tokens)),
        Token::Word("synthetic") => assistant.make_synthetic(),
        Token::Word("no-usage") => assistant.without_usage = true,
        Token::Pair("msg", value) => assistant.message = Some(value.into_text()),
        Token::Pair("req", Value::Word("-")) => assistant.request = Request::Missing,
        Token::Pair("req", value) => assistant.request = Request::Named(value.into_text()),
        Token::Pair("model", value) => assistant.model = Some(value.into_text()),
        Token::Pair("stop", Value::Word("null")) => assistant.stop = Stop::Null,
        Token::Pair("stop", value) => assistant.stop = Stop::Named(value.into_text()),
        Token::Pair("api-error", value) => {
            assistant.make_synthetic();
            assistant.api_error = Some(value.into_text());
        }
        Token::Pair(key @ ("in" | "out" | "cr" | "cw5" | "cw1"), value) => {
            let count = number(value, tokens);
            let usage = assistant.usage.get_or_insert(Usage::PLAIN);
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

/// Reads `Tool:id {input}`.
fn call(tokens: &mut Tokens<'_>) -> Block {
    let word = tokens.word("`Tool:id`");
    let Some((tool, id)) = word.rsplit_once(':') else {
        tokens.fail(format_args!("`{word}` is not `Tool:id`"));
    };
    let input = tokens.json().unwrap_or_else(|| "{}".to_owned());
    Block::Call {
        tool: tool.to_owned(),
        id: id.to_owned(),
        input,
    }
}

fn apply_result<'a>(result: &mut ToolResult, token: Token<'a>) -> Option<Token<'a>> {
    match token {
        Token::Word("error") => result.error = true,
        Token::Word("launched") => result.launched = true,
        Token::Pair("denied", value) => result.denied = Some(value.into_text()),
        Token::Pair("agent", value) => result.agent = Some(value.into_text()),
        Token::Word(call) => {
            let (call, known) = call
                .strip_prefix('?')
                .map_or((call, true), |call| (call, false));
            result.answers.push(Answer {
                call: call.to_owned(),
                known,
                text: None,
            });
        }
        Token::Text(text) => match result.answers.last_mut() {
            Some(answer) if answer.text.is_none() => answer.text = Some(text),
            _ => return Some(Token::Text(text)),
        },
        token => return Some(token),
    }
    None
}

fn apply_system<'a>(
    system: &mut System,
    token: Token<'a>,
    tokens: &Tokens<'_>,
) -> Option<Token<'a>> {
    let names = |value: Value<'_>| value.into_text().split(',').map(str::to_owned).collect();
    let boundary = system.is_boundary();
    let compaction = &mut system.compaction;
    match token {
        Token::Text(text) => system.content = Some(text),
        Token::Pair("ms", value) => {
            let ms = number(value, tokens);
            system
                .details
                .push(("durationMs".to_owned(), ms.to_string()));
        }
        Token::Pair("logical", Value::Word("-")) if boundary => {
            compaction.logical = Logical::Missing;
        }
        Token::Pair("logical", value) if boundary => {
            compaction.logical = Logical::Named(value.into_text());
        }
        Token::Pair("keep", value) if boundary => compaction.kept = names(value),
        Token::Pair("anchor", value) if boundary => compaction.anchor = Some(value.into_text()),
        Token::Word("manual") if boundary => compaction.manual = true,
        Token::Pair("before", value) if boundary => compaction.before = number(value, tokens),
        Token::Pair("after", value) if boundary => compaction.after = number(value, tokens),
        token => return Some(token),
    }
    None
}

fn apply_inert<'a>(inert: &mut Inert, token: Token<'a>) -> Option<Token<'a>> {
    match token {
        Token::Text(text) => inert.text = Some(text),
        Token::Json(json) => inert.payload = Some(json),
        Token::Pair("tool", value) => inert.tool = Some(value.into_text()),
        Token::Pair("agent", value) => inert.agent = Some(value.into_text()),
        token => return Some(token),
    }
    None
}

fn number(value: Value<'_>, tokens: &Tokens<'_>) -> u64 {
    let text = value.into_text();
    text.parse()
        .unwrap_or_else(|_| tokens.fail(format_args!("`{text}` is not a number")))
}
