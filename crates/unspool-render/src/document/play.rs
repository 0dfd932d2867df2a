//! Plays a transcript, or a range of its messages, to a surface.
//!
//! The player knows where agents and branches belong, and nothing about painting. It keeps one
//! message in memory at a time and reads agents when they come up.
//!
//! A range is played exactly like the same part of the whole transcript. State that depends on
//! earlier messages (the day shown last, the agents shown already) is derived from the tables of
//! the logs, once for all ranges, and no message outside the range is read.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::io;
use std::ops::Range;

use jiff::tz::TimeZone;
use unspool_model::conversation::{Message, Turn, View};
use unspool_model::paths::PathNodeLister;
use unspool_model::positions::{GroupId, TurnNumber};
use unspool_model::time::Time;

use super::agents::{DEEPEST, TranscriptAgents};
use super::folder::StartFolder;
use super::head::{AgentHead, AgentLocation, OtherPaths, TranscriptHead};
use super::interlude::DayTracker;
use super::seam::Seam;
use super::surface::{DocumentSurface, MessagePlace, Surface};
use super::{Passage, PassagePart, ShownCall};
use unspool_engine::ops::agents::AgentInfo;
use unspool_engine::ops::message::{MediaBytes, MessageReader};
use unspool_engine::ops::transcript::Transcript;

/// Where the conversations of agents are shown.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum AgentLayout {
    /// Under the call that started the agent.
    #[default]
    Inline,
    /// In files of their own.
    Separate,
    /// Nowhere: agents are only named.
    None,
}

/// A transcript to play, with options.
pub struct PlaybackRequest<'a> {
    /// The transcript, set to the path or agent to show.
    pub shown: &'a Transcript<'a>,
    /// Sessions whose paths this transcript contains; some agents may exist only there.
    pub held: &'a [&'a Transcript<'a>],
    /// The session's other paths with their files; `None` names all of them without files.
    pub others: Option<&'a OtherPaths>,
    /// Where agents are shown.
    pub agents: AgentLayout,
    /// The files of agents, by agent id, for [`AgentLayout::Separate`].
    pub agent_files: Option<&'a HashMap<String, String>>,
    /// The time zone of days.
    pub zone: TimeZone,
    /// Whether to read the bytes of images and documents.
    pub media: MediaBytes,
}

impl<'a> PlaybackRequest<'a> {
    /// Creates the default: agents under their calls, times in UTC, with the bytes of images.
    pub fn new(shown: &'a Transcript<'a>) -> Self {
        Self {
            shown,
            held: &[],
            others: None,
            agents: AgentLayout::Inline,
            agent_files: None,
            zone: TimeZone::UTC,
            media: MediaBytes::Read,
        }
    }
}

/// A transcript that can be played, whole or in ranges of messages.
pub struct Playback<'a> {
    stage: PlaybackRequest<'a>,
    /// The messages to show.
    messages: Range<u32>,
    cast: TranscriptAgents<'a>,
    folder: StartFolder,
    past: OnceCell<StateBefore>,
}

/// State at each message that depends on earlier messages.
struct StateBefore {
    /// The latest time before each message to show.
    latest: Vec<Option<Time>>,
    /// The messages under which agents are shown, by agent id.
    homes: HashMap<String, u32>,
}

impl<'a> Playback<'a> {
    /// Prepares to play a transcript.
    pub fn new(stage: PlaybackRequest<'a>) -> Self {
        let (shown, held) = (stage.shown, stage.held.iter().copied());
        Self {
            messages: shown.start()..shown.shown.end,
            cast: TranscriptAgents::of(std::iter::once(shown).chain(held)),
            folder: StartFolder::new(shown.cwd()),
            past: OnceCell::new(),
            stage,
        }
    }

    /// Returns the positions of the messages to show.
    pub fn messages(&self) -> Range<u32> {
        self.messages.clone()
    }

    /// Plays the whole transcript.
    pub fn play(&self, head: &TranscriptHead, surface: &mut dyn DocumentSurface) -> io::Result<()> {
        surface.begin(head)?;
        let mut player = self.player(self.messages.start, &mut *surface);
        player.messages(self.messages())?;
        player.unlinked()?;
        surface.end()
    }

    /// Plays a range of the messages, with the branches and interludes between them.
    pub fn play_range(&self, range: Range<u32>, surface: &mut dyn Surface) -> io::Result<()> {
        let range = self.within(range);
        self.player(range.start, surface).messages(range)
    }

    /// Clamps a range to the messages to show.
    pub(crate) fn within(&self, range: Range<u32>) -> Range<u32> {
        let all = self.messages();
        let start = range.start.clamp(all.start, all.end);
        start..range.end.clamp(start, all.end)
    }

    /// Reads a message, and returns whether an agent is nested in it.
    pub(crate) fn passage(&self, index: u32) -> io::Result<(Passage, bool)> {
        let shown = self.stage.shown;
        let mut reader = shown.reader();
        let message = &shown.view.messages[index as usize];
        let nests = reader.agents_of(&shown.view, message).any(|id| {
            self.stage.agents == AgentLayout::Inline && self.past().homes.get(id) == Some(&index)
        });
        let text = reader.read(&shown.view, message)?;
        Ok((Passage::of(text, &self.folder), nests))
    }

    /// Returns the number of a message's turn, and whether the message begins the turn.
    pub(crate) fn turn_of(&self, index: u32) -> (Option<TurnNumber>, bool) {
        let turns = &self.stage.shown.turns;
        let begun = turns.partition_point(|turn| turn.messages.start <= index);
        let last = begun.checked_sub(1).map(TurnNumber::at);
        let begins = last.is_some_and(|last| turns[last].messages.start == index);
        (last, begins)
    }

    /// Returns the turns that overlap a range of messages, with their numbers.
    pub(crate) fn turns(&self, range: &Range<u32>) -> impl Iterator<Item = (TurnNumber, &'a Turn)> {
        let turns = &self.stage.shown.turns;
        let first = self.turn_of(range.start).0.map_or(0, TurnNumber::index);
        let end = turns.partition_point(|turn| turn.messages.start < range.end);
        let numbers = TurnNumber::all(end).skip(first);
        numbers.zip(turns.get(first..end).unwrap_or_default())
    }

    fn past(&self) -> &StateBefore {
        self.past.get_or_init(|| {
            let shown = self.stage.shown;
            let (log, graph) = (shown.conversation.log, &shown.conversation.graph);
            let mut latest = None;
            let times = self.messages().map(|index| {
                let nodes = shown.view.nodes(&shown.view.messages[index as usize]);
                let before = latest;
                latest = latest.max(graph.entry(log, nodes[0]).time);
                before
            });
            StateBefore {
                latest: times.collect(),
                homes: self.cast.homes(shown, self.messages.start),
            }
        })
    }

    fn player<'p, S: Surface + ?Sized>(
        &'p self,
        start: u32,
        surface: &'p mut S,
    ) -> TranscriptPlayer<'p, 'a, S> {
        let shown = match self.stage.agents {
            AgentLayout::Inline if start > self.messages.start => {
                let homes = self.past().homes.iter();
                homes.filter(|(_, home)| **home < start).map(|(id, _)| id.clone()).collect()
            }
            _ => HashSet::new(),
        };
        TranscriptPlayer {
            playback: self,
            stage: &self.stage,
            shown,
            speller: PathNodeLister::default(),
            surface,
        }
    }

    /// Returns a tracker of days, set to the state before a message.
    fn calendar(&self, start: u32) -> DayTracker {
        let started = self.stage.shown.session.log().facts.started;
        let mut calendar = DayTracker::new(self.stage.zone.clone(), started);
        let first = self.messages.start;
        if start > first {
            let latest = self.past().latest.get((start - first) as usize);
            calendar.turn_to(latest.copied().flatten());
        }
        calendar
    }

    /// Returns the message at an index, if it is shown.
    fn shown_message(&self, index: Option<u32>) -> Option<&'a Message> {
        let index = index.filter(|index| self.messages.contains(index))?;
        Some(&self.stage.shown.view.messages[index as usize])
    }

    /// Returns the group of the last message before an index that is not left out.
    fn group_before(&self, index: u32) -> Option<GroupId> {
        let first = self.messages.start as usize;
        let messages = &self.stage.shown.view.messages[first..index as usize];
        let last = messages.iter().rev().find(|message| !message.left_out)?;
        last.group
    }
}

/// Plays messages, and tracks which agents were shown.
struct TranscriptPlayer<'p, 'a, S: ?Sized> {
    playback: &'p Playback<'a>,
    stage: &'p PlaybackRequest<'a>,
    /// Agents that were shown or are open: each is shown once.
    shown: HashSet<String>,
    speller: PathNodeLister,
    surface: &'p mut S,
}

impl<S: Surface + ?Sized> TranscriptPlayer<'_, '_, S> {
    fn messages(&mut self, range: Range<u32>) -> io::Result<()> {
        let (playback, shown) = (self.playback, self.stage.shown);
        let mut reader = shown.reader().with_media(self.stage.media);
        let mut calendar = playback.calendar(range.start);
        let mut group = playback.group_before(range.start);
        for index in range {
            let message = &shown.view.messages[index as usize];
            let before = playback.shown_message(index.checked_sub(1));
            let passage = Passage::of(reader.read(&shown.view, message)?, &playback.folder);
            let (turn, begins_turn) = playback.turn_of(index);
            let place = MessagePlace {
                message: index,
                turn,
                begins_turn,
                depth: 0,
                interlude: calendar.turn_to(passage.time),
                seam: Seam::before(shown, before, message),
            };
            self.message(passage, place)?;
            // Left-out messages are in the middle of a group and do not end it.
            if !message.left_out {
                group = message.group;
            }
            match playback.shown_message(index.checked_add(1)) {
                Some(next) if next.left_out => {}
                next => self.branches(group, next.and_then(|next| next.group))?,
            }
        }
        Ok(())
    }

    fn message(&mut self, mut passage: Passage, place: MessagePlace) -> io::Result<()> {
        for part in &mut passage.parts {
            if let PassagePart::Call(call) = part {
                self.drop_prompt(call, place.depth);
            }
        }
        self.surface.open_message(&passage, &place)?;
        for part in &passage.parts {
            match part {
                PassagePart::Call(call) => self.call(call, place.depth)?,
                part => self.surface.part(part, &passage)?,
            }
        }
        self.surface.close_message(&passage)
    }

    /// Removes the prompt of an agent that is about to be nested: its conversation begins with the prompt.
    fn drop_prompt(&self, call: &mut ShownCall, depth: usize) {
        let agent = call.agent.as_deref();
        if agent.is_some_and(|id| self.location(id, depth) == AgentLocation::Nested) {
            call.details.retain(|detail| !detail.is_prompt());
        }
    }

    fn call(&mut self, call: &ShownCall, depth: usize) -> io::Result<()> {
        let agent = call.agent.as_deref().map(|id| self.agent_head(id, depth));
        self.surface.open_call(call, agent.as_ref())?;
        if let Some(agent) = agent.filter(|agent| agent.location == AgentLocation::Nested) {
            self.agent(&agent, depth)?;
        }
        self.surface.close_call(call)
    }

    fn location(&self, id: &str, depth: usize) -> AgentLocation {
        let is_here = || self.playback.cast.has(id) && depth < DEEPEST && !self.shown.contains(id);
        match self.stage.agents {
            AgentLayout::Inline if is_here() => AgentLocation::Nested,
            AgentLayout::Separate => match self.stage.agent_files.and_then(|files| files.get(id)) {
                Some(file) => AgentLocation::Separate(file.clone()),
                None => AgentLocation::Elsewhere,
            },
            AgentLayout::Inline | AgentLayout::None => AgentLocation::Elsewhere,
        }
    }

    fn agent_head(&self, id: &str, depth: usize) -> AgentHead {
        self.playback.cast.head(id, self.location(id, depth))
    }

    /// Plays the conversation of an agent.
    fn agent(&mut self, agent: &AgentHead, depth: usize) -> io::Result<()> {
        self.surface.open_agent(agent)?;
        if agent.location == AgentLocation::Nested {
            self.shown.insert(agent.id.clone());
            if let Some(talk) = self.playback.cast.talk(&agent.id, &mut self.speller) {
                let reader = talk.reader().with_media(self.stage.media);
                self.nested(&talk.view, reader, depth + 1)?;
            }
        }
        self.surface.close_agent(agent)
    }

    fn nested(
        &mut self,
        view: &View,
        mut reader: MessageReader<'_>,
        depth: usize,
    ) -> io::Result<()> {
        for (index, message) in (0u32..).zip(&view.messages) {
            let place = MessagePlace {
                message: index,
                turn: None,
                begins_turn: false,
                depth,
                interlude: None,
                seam: None,
            };
            let passage = Passage::of(reader.read(view, message)?, &self.playback.folder);
            self.message(passage, place)?;
        }
        Ok(())
    }

    /// Announces the paths that leave this one, once the group that they leave from has ended.
    fn branches(&mut self, before: Option<GroupId>, now: Option<GroupId>) -> io::Result<()> {
        let Some(group) = before.filter(|_| before != now) else {
            return Ok(());
        };
        let shown = self.stage.shown;
        let Some(leaving) = shown.leaving(group) else {
            return Ok(());
        };
        let others = match self.stage.others {
            Some(others) => others.among(&leaving),
            None => OtherPaths::leaving(&leaving, &shown.conversation.paths),
        };
        if others.count() == 0 {
            return Ok(());
        }
        self.surface.branches(&others)
    }
}

impl<S: DocumentSurface + ?Sized> TranscriptPlayer<'_, '_, S> {
    /// Plays the agents that no call leads to, at the end of the active path.
    fn unlinked(&mut self) -> io::Result<()> {
        let shown = self.stage.shown;
        let is_main = shown.agent.is_none() && shown.path.as_ref().is_some_and(|path| path.active);
        if !is_main {
            return Ok(());
        }
        let mut met = HashSet::new();
        let agents: Vec<&str> = std::iter::once(shown)
            .chain(self.stage.held.iter().copied())
            .flat_map(|of| of.agents.iter().filter(move |agent| is_unlinked(of, agent)))
            .map(|agent| agent.id.as_str())
            .filter(|id| !self.shown.contains(*id) && met.insert(*id))
            .collect();
        if agents.is_empty() {
            return Ok(());
        }
        self.surface.unlinked(agents.len())?;
        for id in agents {
            let agent = self.agent_head(id, 0);
            self.agent(&agent, 0)?;
        }
        Ok(())
    }
}

/// Returns whether no log of a session contains the call of an agent.
fn is_unlinked(of: &Transcript<'_>, agent: &AgentInfo) -> bool {
    let Some(call) = &agent.call else {
        return true;
    };
    let agents = of.session.agents.iter().map(|agent| agent.file.log());
    let mut logs = std::iter::once(of.session.log()).chain(agents);
    logs.all(|log| log.symbols.find(call).is_none())
}
