//! A transcript in which every text is malicious.

use unspool_engine::ops::message::MediaText;
use unspool_model::entry::MessageKind;
use unspool_model::ids::{EntryId, SessionId};
use unspool_model::record::MediaKind;
use unspool_model::tool::TodoStatus;
use unspool_render::document::{
    AgentHead, AgentLocation, AskedQuestion, CallSide, ClientNote, DetailBody, DisplayWeight,
    PassagePart, ShownCall, TodoItem, TranscriptHead, WebLink,
};
use unspool_text::Diff;

use super::{call, called, detail, folded, head, prose, said, typed};
use crate::paper::Told;

/// Returns a transcript in which every text is the given one.
pub(crate) fn made_of(text: &str) -> (TranscriptHead, Vec<Told>) {
    let mut told = said(MessageKind::Answer, 0, parts(text));
    told.passage.entries = vec![EntryId::new(text)];
    told.passage.model = Some(text.to_owned());
    let inner = said(MessageKind::Prompt, 1, vec![typed(text)]);
    told.agents.push((agent(text), vec![inner]));
    let mut aside = folded(MessageKind::Notice, 1, text, text);
    aside.passage.entries = vec![EntryId::new(text)];
    let mut head = head(&[(text, 2)]);
    head.title = Some(text.to_owned());
    head.cwd = Some(text.to_owned());
    head.branch = Some(text.to_owned());
    head.version = Some(text.to_owned());
    head.models = vec![text.to_owned()];
    head.session = SessionId::new(text);
    head.path.fork_point = Some(EntryId::new(text));
    (head, vec![told, aside])
}

/// Returns every part that a message can have.
fn parts(text: &str) -> Vec<PassagePart> {
    vec![
        prose(text),
        typed(text),
        PassagePart::Pasted(text.to_owned()),
        PassagePart::Note(ClientNote { words: text.to_owned(), text: text.to_owned() }),
        PassagePart::Thinking(text.to_owned()),
        PassagePart::Command { line: Some(text.to_owned()), output: text.to_owned() },
        called(call_of(text)),
        PassagePart::Media(media(MediaKind::Document, text)),
        PassagePart::Unknown { name: text.to_owned() },
    ]
}

/// Returns a call with every kind of detail.
fn call_of(text: &str) -> ShownCall {
    let details =
        bodies(text).into_iter().map(|body| detail(CallSide::Answered, DisplayWeight::Open, body));
    let mut everywhere = call(text, text, Some(text), details.collect());
    everywhere.id = Some(text.to_owned());
    everywhere.agent = Some(text.to_owned());
    everywhere
}

fn bodies(text: &str) -> Vec<DetailBody> {
    let code =
        |language: &str| DetailBody::Code { language: language.to_owned(), text: text.to_owned() };
    vec![
        code(text),
        code("html"),
        DetailBody::Change { path: text.to_owned(), diff: Diff::between(text, "x") },
        DetailBody::Output { text: text.to_owned(), is_error: true },
        DetailBody::Todos(vec![TodoItem { status: TodoStatus::Other, text: text.to_owned() }]),
        DetailBody::Prose(text.to_owned()),
        DetailBody::Questions(vec![AskedQuestion {
            question: text.to_owned(),
            choices: vec![(text.to_owned(), Some(text.to_owned()))],
            answer: Some(text.to_owned()),
        }]),
        DetailBody::Links(vec![WebLink { title: text.to_owned(), url: text.to_owned() }]),
        DetailBody::Media(media(MediaKind::Image, text)),
    ]
}

fn media(kind: MediaKind, text: &str) -> MediaText {
    MediaText { kind, media_type: text.to_owned(), bytes: None, data: Some(text.to_owned()) }
}

fn agent(text: &str) -> AgentHead {
    AgentHead {
        id: text.to_owned(),
        kind: Some(text.to_owned()),
        description: Some(text.to_owned()),
        forked_at: Some(text.to_owned()),
        messages: Some(1),
        location: AgentLocation::Nested,
    }
}
