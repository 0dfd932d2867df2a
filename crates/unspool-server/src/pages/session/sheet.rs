//! A conversation laid out for pages: a transcript, its chunks, and the markup of its parts.
//!
//! Input: an open session and the parameters of a request. Output: ranges of messages as markup,
//! positions of entries, and entity tags of ranges. Live streams, parts and whole pages all paint
//! through this module, so a message looks the same in each of them.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;

use jiff::tz::TimeZone;
use unspool_engine::library::OpenState;
use unspool_engine::ops::locate;
use unspool_engine::ops::message::MediaBytes;
use unspool_engine::ops::transcript::{Transcript, TranscriptRequest};
use unspool_model::conversation::RecordCounts;
use unspool_model::positions::{PathNumber, TurnNumber};
use unspool_render::document::{AgentLayout, Playback, PlaybackRequest};
use unspool_render::html::{FragmentHost, HtmlFragments, PieceForm};
use unspool_store::prices::PriceTable;

use super::chunks::ChunkPlan;
use super::request::SheetRequest;
use super::sizes::sizes;
use super::urls::SheetUrls;
use crate::web::{EntityTag, RequestProblem};

/// A conversation laid out for pages.
pub(crate) struct SessionSheet<'s> {
    pub(super) shown: Transcript<'s>,
    pub(super) ways: SheetUrls,
    pub(super) prices: &'s PriceTable,
    zone: TimeZone,
    /// The address of each agent, by its id.
    agent_ways: HashMap<String, String>,
    counts: OnceCell<RecordCounts>,
}

impl<'s> SessionSheet<'s> {
    /// Lays out the conversation that a request names.
    pub(super) fn new(
        open: &'s OpenState,
        asked: &SheetRequest,
        prices: &'s PriceTable,
    ) -> Result<Self, RequestProblem> {
        Self::laid_out(open, asked, prices, &asked.layout())
    }

    /// Lays out the conversation that contains an entry, whatever path or agent that is.
    pub(super) fn at(
        open: &'s OpenState,
        asked: &SheetRequest,
        prices: &'s PriceTable,
        place: locate::EntryPlace,
    ) -> Result<Self, RequestProblem> {
        let request = TranscriptRequest { at: Some(place), ..TranscriptRequest::default() };
        let mut sheet = Self::laid_out(open, asked, prices, &request)?;
        let agent = sheet.shown.agent.clone();
        // Addresses of a main conversation do not name the active path.
        let path = sheet.shown.path.as_ref();
        let path = path.filter(|path| !path.active || agent.is_some());
        let path = path.map(|path| sheet.shown.number_of(path));
        let ways = sheet.ways.of_agent(agent.as_deref());
        sheet.ways = ways.on_path(path.filter(|_| sheet.shown.path_count() > 1));
        Ok(sheet)
    }

    fn laid_out(
        open: &'s OpenState,
        asked: &SheetRequest,
        prices: &'s PriceTable,
        request: &TranscriptRequest,
    ) -> Result<Self, RequestProblem> {
        let shown = open.transcript(request)?;
        let ways = asked.ways();
        let way = |id: &str| ways.of_agent(Some(id)).page();
        let agents = shown.agents.iter();
        let agent_ways = agents.map(|agent| (agent.id.clone(), way(&agent.id))).collect();
        Ok(Self {
            shown,
            zone: asked.zone.clone(),
            agent_ways,
            prices,
            ways,
            counts: OnceCell::new(),
        })
    }

    /// Returns the number of the shown path; none without a conversation.
    pub(super) fn path_number(&self) -> Option<PathNumber> {
        let path = self.shown.path.as_ref()?;
        Some(self.shown.number_of(path))
    }

    /// Returns the time zone of days.
    pub(super) fn zone(&self) -> &TimeZone {
        &self.zone
    }

    /// Splits the messages into chunks.
    pub(super) fn plan(&self) -> ChunkPlan {
        ChunkPlan::of(sizes(&self.shown))
    }

    /// Returns the number of records of the shown log by place; computed on first use.
    pub(super) fn counts(&self) -> RecordCounts {
        *self.counts.get_or_init(|| self.shown.counts())
    }

    /// Returns the number of messages.
    pub(super) fn len(&self) -> u32 {
        self.shown.view.messages.len() as u32
    }

    fn stage(&self) -> PlaybackRequest<'_> {
        PlaybackRequest {
            agents: AgentLayout::Separate,
            agent_files: Some(&self.agent_ways),
            zone: self.zone.clone(),
            media: MediaBytes::Counted,
            ..PlaybackRequest::new(&self.shown)
        }
    }

    /// Returns a painter for messages and the parts that a host adds around them.
    pub(super) fn fragments<'f>(
        &'f self,
        host: &'f dyn FragmentHost,
        form: PieceForm,
    ) -> HtmlFragments<'f> {
        HtmlFragments::new(self.stage()).served(host, form)
    }

    /// Returns a player that sends messages to any surface.
    pub(super) fn playback(&self) -> Playback<'_> {
        Playback::new(self.stage())
    }

    /// Finds the message that contains an entry of this conversation.
    pub(super) fn message_of_entry(&self, place: &locate::EntryPlace) -> Option<u32> {
        let at = self.shown.at.as_ref();
        let at = at.filter(|at| at.entry == place.uuid).map(|at| at.message);
        at.or_else(|| self.shown.spot(place).map(|spot| spot.message))
    }

    /// Finds the message that contains a call.
    pub(super) fn message_of_call(&self, call: &str) -> Option<u32> {
        let (log, graph) = (self.shown.conversation.log, &self.shown.conversation.graph);
        let call = log.symbols.find(call)?;
        let makes = |node| {
            let mut calls = log.calls_of(graph.entry(log, node));
            calls.any(|block| block.call == Some(call))
        };
        let view = &self.shown.view;
        let mut messages = (0u32..).zip(&view.messages);
        let found =
            messages.find(|(_, message)| view.nodes(message).iter().any(|&node| makes(node)));
        found.map(|(at, _)| at)
    }

    /// Returns the number of the turn that contains a message; none before the first turn.
    pub(super) fn turn_of(&self, message: u32) -> Option<TurnNumber> {
        let turns = &self.shown.turns;
        let begun = turns.partition_point(|turn| turn.messages.start <= message);
        begun.checked_sub(1).map(TurnNumber::at)
    }

    /// Returns the first message of a turn.
    pub(super) fn message_of_turn(&self, number: TurnNumber) -> Option<u32> {
        let turn = self.shown.turns.get(number.index())?;
        Some(turn.messages.start)
    }

    /// Returns the entity tag of a range of messages without reading any of them. The tag covers
    /// the positions of their records and of the results of their calls, and everything else that
    /// is shown between them.
    pub(super) fn tag(&self, range: Range<u32>, more: &[&[u8]]) -> EntityTag {
        let (conversation, view) = (&self.shown.conversation, &self.shown.view);
        let log = conversation.log;
        let mut state: Vec<u64> = vec![
            self.shown.file.mark().prints.head,
            self.shown.live as u64,
            self.shown.path_count() as u64,
            u64::from(range.start),
            u64::from(range.end),
        ];
        let end = range.end.min(self.len());
        for message in &view.messages[range.start.min(end) as usize..end as usize] {
            state.push(u64::from(message.left_out));
            for &node in view.nodes(message) {
                let entry = conversation.graph.entry(log, node);
                state.extend([entry.span.start, entry.span.len]);
                let calls = log.blocks_of(entry).iter().filter_map(|block| block.call);
                for call in calls {
                    let result = conversation.result_in(view, node, call);
                    state.extend(result.map(|result| log.entries[result.entry].span.end()));
                    let agent = self.shown.agent_of.get(log.text(call));
                    let known = agent.and_then(|id| {
                        let mut agents = self.shown.agents.iter();
                        agents.find(|agent| agent.id == *id)
                    });
                    state.extend(known.map(|agent| agent.message_count as u64));
                }
            }
        }
        let state: Vec<u8> = state.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut parts = vec![state.as_slice()];
        parts.extend(more);
        EntityTag::of(&parts)
    }
}
