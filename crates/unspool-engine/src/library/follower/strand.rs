//! One followed conversation: the session's own, or that of an agent.

use std::collections::VecDeque;

use unspool_model::conversation::{Conversation, Liveness, View};
use unspool_model::ids::EntryId;
use unspool_model::log::Log;

use super::reported::{ReportFacts, ReportedMessages};
use super::{FollowStart, FollowedEventKind, TimedThing};
use crate::library::error::LibraryError;
use crate::library::feed::{FeedEvent, FeedStart, FeedStatus, FeedTarget};
use crate::library::feed_reader::FeedReader;
use crate::library::open::OpenState;
use crate::ops::agents::{self, AgentPlace};
use crate::ops::message::MessageText;

/// How many events of a feed are read at a time, so that a long log is never in memory as a whole.
const AT_ONCE: usize = 64;

/// How many messages before the end are read so that the ends of their calls can be reported.
/// Chosen by judgement: a session has fewer messages with unanswered calls.
const LOOK_BACK: usize = 100;

/// How many messages of a rewritten log are reported: the last ones, not the whole log again.
const AFTER_REWRITE: usize = 20;

/// A followed conversation.
pub(super) struct StrandFollower {
    reader: FeedReader,
    told: ReportedMessages,
    /// [`Liveness::Live`] once a process has owned the session.
    live: Liveness,
    /// The number of messages on the path.
    count: u32,
}

/// The events of one step.
#[derive(Default)]
pub(super) struct StrandNews {
    /// The events, each with its time.
    pub(super) things: Vec<TimedThing>,
    /// The state of the process, if the feed sent it.
    pub(super) status: Option<FeedStatus>,
}

impl StrandFollower {
    /// Begins to follow a conversation, and returns its first events.
    pub(super) fn begin(
        target: FeedTarget,
        start: FollowStart,
        state: &OpenState,
    ) -> Result<(Self, StrandNews), LibraryError> {
        let mut follower = Self {
            reader: FeedReader::new(target, FeedStart::Now),
            told: ReportedMessages::default(),
            live: Liveness::Idle,
            count: 0,
        };
        let mut news = follower.step(state)?;
        let shown = state.feed_transcript(follower.reader.target())?;
        let firsts = first_entries(&shown.conversation, &shown.view);
        let all = firsts.len();
        let from = match start {
            FollowStart::Now => all,
            FollowStart::Last(count) => all.saturating_sub(count),
            FollowStart::Byte(_) => 0,
        };
        let is_told = |ordinal: usize| match start {
            FollowStart::Byte(byte) => firsts[ordinal].1 >= byte,
            _ => ordinal >= from,
        };
        let is_near = |ordinal: usize| ordinal + LOOK_BACK >= all || is_told(ordinal);
        for (ordinal, (first, _)) in firsts.iter().enumerate() {
            if !is_near(ordinal) {
                follower.told.add_old(first.clone());
            }
        }
        let near: Vec<u32> = (0..all).filter(|&at| is_near(at)).map(|at| at as u32).collect();
        for some in near.chunks(AT_ONCE) {
            let messages = state.feed_messages(follower.reader.target(), some)?;
            for (&ordinal, message) in some.iter().zip(&messages) {
                let things = follower.tell(message, state);
                if is_told(ordinal as usize) {
                    news.things.extend(things);
                }
            }
        }
        Ok((follower, news))
    }

    /// Returns the events since the last step.
    pub(super) fn step(&mut self, state: &OpenState) -> Result<StrandNews, LibraryError> {
        let mut news = StrandNews::default();
        let mut rewritten: Option<VecDeque<Vec<TimedThing>>> = None;
        let mut untold = 0;
        loop {
            let step = self.reader.step(state, AT_ONCE)?;
            let messages = state.feed_messages(self.reader.target(), &step.ordinals())?;
            let mut messages = messages.iter();
            for item in &step.items {
                match &item.event {
                    FeedEvent::Hello(hello) => self.count = hello.messages,
                    FeedEvent::Status(status) => news.status = Some(status.clone()),
                    FeedEvent::Reset { .. } => rewritten = Some(VecDeque::new()),
                    FeedEvent::Path { keeps, .. } => {
                        let had = std::mem::replace(&mut self.count, *keeps);
                        if rewritten.is_none() && *keeps < had {
                            news.things.push((None, FollowedEventKind::Rewound));
                        }
                    }
                    FeedEvent::Gone => news.things.push((None, FollowedEventKind::Gone)),
                    FeedEvent::Message { ordinal } | FeedEvent::Change { ordinal } => {
                        self.count = self.count.max(ordinal + 1);
                        let Some(message) = messages.next() else {
                            continue;
                        };
                        let is_new = !self.told.has(message);
                        let things = self.tell(message, state);
                        match &mut rewritten {
                            Some(kept) if is_new => {
                                kept.push_back(things);
                                if kept.len() > AFTER_REWRITE {
                                    kept.pop_front();
                                    untold += 1;
                                }
                            }
                            _ => news.things.extend(things),
                        }
                    }
                }
            }
            if step.is_last {
                break;
            }
        }
        if let Some(kept) = rewritten {
            news.things.push((None, FollowedEventKind::Rewritten { untold }));
            news.things.extend(kept.into_iter().flatten());
        }
        Ok(news)
    }

    fn tell(&mut self, message: &MessageText, state: &OpenState) -> Vec<TimedThing> {
        if state.feed_status().live == Liveness::Live {
            self.live = Liveness::Live;
        }
        let log = log_of(state, self.reader.target());
        let time_of = |entry: &EntryId| {
            let entry = log.find(entry.as_str())?;
            log.entries[entry].time
        };
        let facts = ReportFacts { live: self.live, time_of: &time_of };
        self.told.tell(message, facts)
    }
}

/// Returns the log that contains a conversation.
fn log_of<'s>(state: &'s OpenState, target: &FeedTarget) -> &'s Log {
    let session = state.session();
    let asked = target.agent.as_deref();
    let agent = asked.and_then(|agent| agents::find(state.agents(), agent));
    match agent.map(|agent| agent.place) {
        Some(AgentPlace::File(index)) => session.agents[index].file.log(),
        _ => session.log(),
    }
}

/// Returns the first entry of each message with its offset in the log.
fn first_entries(conversation: &Conversation<'_>, view: &View) -> Vec<(EntryId, u64)> {
    let log = conversation.log;
    let firsts = view.messages.iter().map(|message| {
        let node = view.nodes(message).first();
        let entry = node.map(|&node| &log.entries[conversation.graph.nodes[node].content]);
        let uuid = entry.and_then(|entry| entry.uuid).map(|uuid| log.text(uuid));
        (EntryId::new(uuid.unwrap_or_default()), entry.map_or(0, |entry| entry.span.start))
    });
    firsts.collect()
}
