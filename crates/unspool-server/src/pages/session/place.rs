//! Positions in a session, for the script: the message of an entry, and the messages that contain a text.

use serde::Serialize;
use unspool_engine::library::LibraryError;
use unspool_engine::ops::find::{self, Needle};
use unspool_engine::ops::locate;
use unspool_model::positions::PathNumber;

use super::chunks::ChunkPlan;
use super::request::SheetRequest;
use super::sheet::SessionSheet;
use super::signs::{MessageSign, signs};
use crate::route::Call;
use crate::web::{RequestProblem, WebReply};

/// The maximum number of messages that one request searches; the script sends another for the rest.
const LOOKED_THROUGH: u32 = 20_000;
/// The maximum length of a text to search for, in bytes.
const LONGEST: usize = 1_000;

/// The position of a message.
#[derive(Serialize)]
struct PlaceJson {
    schema: u32,
    /// The position of the message, counted from zero.
    ordinal: u32,
    /// Its chunk: the first message, and the one after the last.
    from: u32,
    to: u32,
    /// The number of its path; null without one.
    path: Option<PathNumber>,
    /// The agent whose conversation it is in; null for the main conversation.
    agent: Option<String>,
    /// Whether it is in the requested conversation.
    here: bool,
    /// The address of the page that shows it.
    way: String,
}

/// `GET …/where?entry=|turn=|call=`: the message of an entry, a turn or a call, with its path or
/// agent. `next=error|change|call&from=&way=`: the next message with that sign.
pub(super) fn place(call: &Call) -> Result<WebReply, RequestProblem> {
    let asked = SheetRequest::of(call)?;
    let open = asked.open(call)?;
    let view = open.view();
    let sheet = SessionSheet::new(&view, &asked, call.state.prices())?;
    let unknown = || RequestProblem::not_found("nothing of this name is in the conversation");
    if let Some(turn) = call.query.read("turn")? {
        let ordinal = sheet.message_of_turn(turn).ok_or_else(unknown)?;
        return reply(&sheet, ordinal, true, sheet.ways.turn(turn.get()));
    }
    if let Some(id) = call.query.get("call") {
        let ordinal = sheet.message_of_call(id).ok_or_else(unknown)?;
        let way = sheet.ways.page_with(&[("call", id)]);
        return reply(&sheet, ordinal, true, way);
    }
    if let Some(sign) = call.query.named("next")? {
        let ordinal = next(&sheet, sign, call)?.ok_or_else(unknown)?;
        let way = sheet.ways.page_with(&[("m", &ordinal.to_string())]);
        return reply(&sheet, ordinal, true, way);
    }
    let Some(uuid) = call.query.get("entry") else {
        return Err(RequestProblem::parameter("entry", "an entry, a turn or a call is needed"));
    };
    let place = locate::find(view.session(), uuid).map_err(LibraryError::from)?;
    if let Some(ordinal) = sheet.message_of_entry(&place) {
        return reply(&sheet, ordinal, true, sheet.ways.entry(uuid));
    }
    let elsewhere = SessionSheet::at(&view, &asked, call.state.prices(), place.clone())?;
    let ordinal = elsewhere.message_of_entry(&place).ok_or_else(unknown)?;
    reply(&elsewhere, ordinal, false, elsewhere.ways.entry(uuid))
}

/// Finds the first message with a sign, from `from` on, forwards or backwards.
fn next(
    sheet: &SessionSheet<'_>,
    sign: MessageSign,
    call: &Call,
) -> Result<Option<u32>, RequestProblem> {
    let from: u32 = call.query.read("from")?.unwrap_or(0);
    let is_back = call.query.choose("way", &[("on", false), ("back", true)])?;
    let messages = &sheet.shown.view.messages;
    let has = |at: &u32| signs(&sheet.shown, &messages[*at as usize]).any(|known| known == sign);
    let all = 0..sheet.len();
    Ok(if is_back.unwrap_or(false) {
        (0..all.end.min(from.saturating_add(1))).rev().find(has)
    } else {
        (from.min(all.end)..all.end).find(has)
    })
}

fn reply(
    sheet: &SessionSheet<'_>,
    ordinal: u32,
    here: bool,
    way: String,
) -> Result<WebReply, RequestProblem> {
    let plan = sheet.plan();
    let chunk = plan.position_of(ordinal).map(|at| plan.chunks()[at]);
    WebReply::json(&PlaceJson {
        schema: unspool_render::json::SCHEMA,
        ordinal,
        from: chunk.map_or(ordinal, |chunk| chunk.from),
        to: chunk.map_or(ordinal + 1, |chunk| chunk.to),
        path: sheet.path_number(),
        agent: sheet.shown.agent.clone(),
        here,
        way,
    })
}

/// The messages that contain a text.
#[derive(Serialize)]
struct FoundJson {
    schema: u32,
    /// The number of matches in the searched messages.
    total: usize,
    /// The chunks with matches.
    chunks: Vec<FoundChunkJson>,
    /// The message to continue with; null if all were searched.
    next: Option<u32>,
}

/// A chunk with matches.
#[derive(Serialize)]
struct FoundChunkJson {
    from: u32,
    to: u32,
    count: usize,
    /// The messages with matches, and the number of matches in each.
    messages: Vec<(u32, usize)>,
}

/// `GET …/find?q=&from=`: the messages that contain a text, by chunk.
pub(super) fn find(call: &Call) -> Result<WebReply, RequestProblem> {
    let asked = SheetRequest::of(call)?;
    let text = call.query.get("q").unwrap_or_default();
    if text.len() > LONGEST {
        return Err(RequestProblem::parameter("q", "the text is too long"));
    }
    let from: u32 = call.query.read("from")?.unwrap_or(0);
    let open = asked.open(call)?;
    let view = open.view();
    let sheet = SessionSheet::new(&view, &asked, call.state.prices())?;
    let end = from.saturating_add(LOOKED_THROUGH).min(sheet.len());
    let from = from.min(end);
    let mut found = Vec::new();
    if !text.trim().is_empty() {
        let mut reader = sheet.shown.reader();
        let messages = &sheet.shown.view.messages[from as usize..end as usize];
        let mut texts = messages.iter().map(|message| reader.read(&sheet.shown.view, message));
        found = find::find(&Needle::new(text), from as usize, &mut texts)?;
    }
    let total = found.iter().map(|found| found.count).sum();
    let found = found.into_iter().map(|found| (found.message as u32, found.count));
    WebReply::json(&FoundJson {
        schema: unspool_render::json::SCHEMA,
        total,
        chunks: by_chunk(&sheet.plan(), found),
        next: (end < sheet.len()).then_some(end),
    })
}

/// Groups messages by chunk.
fn by_chunk(plan: &ChunkPlan, found: impl Iterator<Item = (u32, usize)>) -> Vec<FoundChunkJson> {
    let mut chunks: Vec<FoundChunkJson> = Vec::new();
    for (message, count) in found {
        let Some(at) = plan.position_of(message) else {
            continue;
        };
        let chunk = plan.chunks()[at];
        match chunks.last_mut().filter(|last| last.from == chunk.from) {
            Some(last) => {
                last.count += count;
                last.messages.push((message, count));
            }
            None => chunks.push(FoundChunkJson {
                from: chunk.from,
                to: chunk.to,
                count,
                messages: vec![(message, count)],
            }),
        }
    }
    chunks
}
