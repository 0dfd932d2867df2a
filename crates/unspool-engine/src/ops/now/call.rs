//! A call that has no result yet: what it does, and what it asks a person.

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

/// How many bytes of a plan are told. Chosen by judgement: plans are a few pages.
const LONGEST_PLAN: usize = 64 * 1024;

/// A call that has no result yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallNow {
    /// Its id.
    pub id: Option<String>,
    /// The tool.
    pub tool: String,
    /// One line that says what it does.
    pub summary: String,
    /// When it was made.
    pub since: Option<Time>,
    /// What it asks a person.
    pub asks: CallAsk,
}

/// What a call itself asks a person.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CallAsk {
    /// Nothing, but the client may ask whether the call is allowed.
    Nothing,
    /// Questions.
    Questions(Vec<UserQuestion<'static>>),
    /// Whether a plan is good; its text, if it can be found.
    Plan(Option<String>),
}

/// Where a block is: its entry, and its position among the blocks of that.
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
    /// Looks for a plan that the call does not have: newer clients keep it in a file.
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
