//! Quotes parts of a session for a prompt.

use std::fmt::Write as _;
use std::ops::Range;

use unspool_engine::library::{LibraryError, OpenSession};
use unspool_engine::ops::message::{BlockText, MessageText};
use unspool_engine::ops::transcript::TranscriptRequest;
use unspool_model::conversation::Speaker;
use unspool_model::entry::MessageKind;
use unspool_model::positions::TurnNumber;
use unspool_model::tool;
use unspool_text::sanitize;

use super::preview::{opened, unreadable};
use crate::settings::SessionSubject;
use crate::work::WorkContext;

/// The part of a session that is inserted into a prompt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum InsertPart {
    LastAnswer,
    LastPrompt,
    LastTurn,
    /// Turns, as a half-open range.
    Turns(Range<TurnNumber>),
    Id,
}

/// Parses typed turns: `3`, `2..5`, `2-5`, `4..`. The last turn is included.
pub(crate) fn parse_turns(text: &str) -> Option<Range<TurnNumber>> {
    let text = text.trim();
    let number = |text: &str| text.trim().parse::<TurnNumber>().ok();
    let (first, last) = match text.split_once("..").or_else(|| text.split_once('-')) {
        Some((first, "")) => (number(first)?, TurnNumber::at(u32::MAX as usize - 2)),
        Some(("", last)) => (TurnNumber::at(0), number(last)?),
        Some((first, last)) => (number(first)?, number(last)?),
        None => (number(text)?, number(text)?),
    };
    (first <= last).then(|| first..TurnNumber::at(last.index() + 1))
}

/// Returns the text of a part; an error is a sentence for the person.
pub(crate) fn text(
    context: &WorkContext,
    subject: &SessionSubject,
    part: &InsertPart,
) -> Result<String, String> {
    let id = subject.place.session.as_str();
    if *part == InsertPart::Id {
        return Ok(format!("{id}\n"));
    }
    let library = &context.settings.library;
    let open = opened(context, library, subject).map_err(|error| error.to_string())?;
    let messages = messages(&open, part).map_err(|error| error.to_string())?;
    let body = match part {
        InsertPart::LastAnswer => last_said(&messages, Speaker::Assistant),
        InsertPart::LastPrompt => last_said(&messages, Speaker::User),
        _ => Some(conversation(&messages)),
    };
    let body = body.filter(|body| !body.trim().is_empty());
    let body = body.ok_or_else(|| "the session has nothing of this".to_owned())?;
    Ok(paragraph(&subject.title, id, &body))
}

/// Quotes messages that were chosen in the reader: the text of one, or all of them in order. An error is a
/// sentence for the person.
pub(crate) fn text_of_messages(
    title: &str,
    id: &str,
    messages: &[MessageText],
) -> Result<String, String> {
    let body = match messages {
        [one] if !one.said().trim().is_empty() => one.said(),
        several => conversation(several),
    };
    if body.trim().is_empty() {
        return Err("there is no text here that a prompt could have".to_owned());
    }
    Ok(paragraph(title, id, &body))
}

/// Formats a paragraph of a prompt: the source, and the quoted text.
fn paragraph(title: &str, id: &str, body: &str) -> String {
    let title = sanitize::inline(title);
    let short: String = id.chars().take(8).collect();
    format!("From the session “{title}” ({short}):\n\n{}\n", quoted(body))
}

fn messages(open: &OpenSession, part: &InsertPart) -> Result<Vec<MessageText>, LibraryError> {
    let state = open.view();
    let shown = state.transcript(&TranscriptRequest::default())?;
    let count = shown.turns.len();
    let turns = match part {
        InsertPart::Turns(turns) => turns.clone(),
        // The last turn may have no answer yet.
        InsertPart::LastAnswer | InsertPart::LastPrompt => TurnNumber::at(0)..TurnNumber::at(count),
        _ => TurnNumber::at(count.saturating_sub(1))..TurnNumber::at(count),
    };
    let request = TranscriptRequest { turns: Some(turns), ..TranscriptRequest::default() };
    let shown = state.transcript(&request)?.shown;
    let shown = shown.start as usize..shown.end as usize;
    // The last answer is near the end; reading all of a long session would be a waste.
    let shown = match part {
        InsertPart::LastAnswer | InsertPart::LastPrompt => {
            shown.end.saturating_sub(2_000).max(shown.start)..shown.end
        }
        _ => shown,
    };
    Ok(state.messages(shown).map_err(|error| unreadable(&state, error))?)
}

fn last_said(messages: &[MessageText], speaker: Speaker) -> Option<String> {
    let is_meant = |message: &&MessageText| {
        message.speaker == speaker
            && matches!(
                message.kind,
                MessageKind::Prompt | MessageKind::Queued | MessageKind::Answer
            )
            && !message.said().trim().is_empty()
    };
    let last = messages.iter().rev().find(is_meant)?;
    Some(last.said())
}

/// Formats messages in order: prompts, answers, one line for each call.
fn conversation(messages: &[MessageText]) -> String {
    let mut text = String::new();
    for message in messages {
        let who = match (message.kind, message.speaker) {
            (MessageKind::Prompt | MessageKind::Queued | MessageKind::Reply, _) => "User",
            (MessageKind::Answer, _) => "Assistant",
            _ => continue,
        };
        let said = message.said();
        if !said.trim().is_empty() {
            // Writing into a string cannot fail.
            let _ = write!(text, "**{who}:** {}\n\n", said.trim());
        }
        for block in &message.blocks {
            if let BlockText::Call(call) = block {
                let summary = tool::parse(&call.name, call.input.as_bytes()).summary();
                let line = format!("{} {summary}", call.name);
                let line = sanitize::inline(line.trim()).replace('`', "'");
                let _ = write!(text, "- `{line}`\n\n");
            }
        }
    }
    text
}

/// Quotes a text as Markdown. Drops control characters, because an editor and a terminal show the text.
fn quoted(text: &str) -> String {
    let text = sanitize::clean(text.trim());
    let lines = text.lines().map(|line| match line.trim_end() {
        "" => ">".to_owned(),
        line => format!("> {line}"),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_read_as_people_type_them() {
        for (text, turns) in [
            ("3", Some(3..4)),
            ("2..5", Some(2..6)),
            ("2-5", Some(2..6)),
            (" 2 .. 5 ", Some(2..6)),
            ("..3", Some(1..4)),
            ("4..", Some(4..u32::MAX)),
            ("5..2", None),
            ("0", None),
            ("x", None),
            ("", None),
        ] {
            let parsed = parse_turns(text).map(|turns| turns.start.get()..turns.end.get());
            assert_eq!(parsed, turns, "{text}");
        }
    }

    #[test]
    fn quoted_text_is_quoted_line_by_line() {
        assert_eq!(quoted("a\n\nb\u{1b}[31mc\n"), "> a\n>\n> bc");
    }
}
