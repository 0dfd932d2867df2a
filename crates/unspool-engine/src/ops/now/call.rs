//! A call without a result: its summary, and its question to a person.

use std::borrow::Cow;
use std::io;

use unspool_model::log::Log;
use unspool_model::positions::EntryIndex;
use unspool_model::record::{Record, RecordPart};
use unspool_model::time::Time;
use unspool_model::tool::{self, Tool, UserQuestion};

use unspool_store::home::{Home, plan_file};
use unspool_store::session::Session;
use unspool_store::tail::SpanReader;

/// The maximum length of a plan in bytes. Chosen by judgement: plans are a few pages.
const LONGEST_PLAN: usize = 64 * 1024;

/// A call without a result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallNow {
    /// The id of the call.
    pub id: Option<String>,
    /// The name of the tool.
    pub tool: String,
    /// The summary of the call in one line.
    pub summary: String,
    /// The time of the call.
    pub since: Option<Time>,
    /// The question of the call to a person.
    pub asks: CallAsk,
}

/// The question of a call to a person.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CallAsk {
    /// None, but the client may ask for permission.
    Nothing,
    /// Questions with answers.
    Questions(Vec<UserQuestion<'static>>),
    /// The approval of a plan, with its text if it can be found.
    Plan(Option<String>),
}

/// The place of a block: its entry, and its index among the blocks of the entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockPlace {
    pub(super) entry: EntryIndex,
    pub(super) position: usize,
}

/// Reads the call at a place.
pub(super) fn read_call(
    log: &Log,
    reader: &mut SpanReader<'_>,
    place: BlockPlace,
) -> io::Result<Option<CallNow>> {
    let entry = &log.entries[place.entry];
    let block = log.blocks_of(entry).get(place.position);
    let record = Record::read(reader.bytes(entry.span)?);
    let Some(RecordPart::Call { name, input }) = record.parts.get(place.position) else {
        return Ok(None);
    };
    let tool = tool::parse(name, input);
    let id = block.and_then(|block| block.call);
    Ok(Some(CallNow {
        id: id.map(|id| log.text(id).to_owned()),
        tool: name.clone().into_owned(),
        summary: tool.summary(),
        since: entry.time,
        asks: asks(tool),
    }))
}

fn asks(tool: Tool<'_>) -> CallAsk {
    match tool {
        Tool::AskUserQuestion { questions } => {
            let owned = questions.into_iter().map(UserQuestion::into_owned);
            CallAsk::Questions(owned.collect())
        }
        Tool::ExitPlanMode { plan } => CallAsk::Plan(plan.map(Cow::into_owned)),
        _ => CallAsk::Nothing,
    }
}

impl CallNow {
    /// Adds the text of a plan that is not in the call: newer clients write it to a file.
    pub(super) fn find_plan(&mut self, session: &Session) {
        if self.asks == CallAsk::Plan(None) {
            self.asks = CallAsk::Plan(plan_of(session));
        }
    }
}

fn plan_of(session: &Session) -> Option<String> {
    let home = Home::new(session.home.as_ref()?);
    let log = session.log();
    let slug = log.facts.slugs.iter().last()?;
    let file = plan_file(&home, log.text(*slug))?;
    let bytes = unspool_store::files::read(&file).ok()?;
    let bytes = bytes.get(..LONGEST_PLAN).unwrap_or(&bytes);
    Some(String::from_utf8_lossy(bytes).into_owned())
}
