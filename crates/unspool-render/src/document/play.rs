//! Walks a transcript from its head to its end and tells a surface what comes.
//!
//! Knows where agents and branches belong, and nothing about how anything looks. One
//! message is in memory at a time; agents are read when they come up.

use std::collections::{HashMap, HashSet};
use std::io;

use jiff::tz::TimeZone;
use unspool_model::conversation::{Conversation, View};
use unspool_model::graph::{Rule, Scope};
use unspool_model::paths::Speller;
use unspool_model::positions::GroupId;

use super::folder::Folder;
use super::head::{AgentHead, Head, Whereabouts};
use super::interlude::Calendar;
use super::seam::Seam;
use super::surface::{Paper, Place, Surface};
use super::{Call, Part, Passage, Side};
use unspool_engine::ops::agents::{AgentInfo, AgentPlace};
use unspool_engine::ops::message::{MediaBytes, MessageReader, Unanswered};
use unspool_engine::ops::transcript::Transcript;

/// Agents nested deeper than this are named and not shown.
const DEEPEST: usize = 8;

/// Where the conversations of agents go.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum AgentLayout {
    /// Under the call that started them.
    #[default]
    Inline,
    /// Into files of their own.
    Separate,
    /// Nowhere: they are named.
    None,
}

/// What is to be walked.
pub struct Stage<'a> {
    /// The transcript, turned to the path or agent to show.
    pub shown: &'a Transcript<'a>,
    /// Sessions whose paths this one holds, since their agents may be nowhere else.
    pub held: &'a [&'a Transcript<'a>],
    /// What stands above.
    pub head: &'a Head,
    /// Where agents go.
    pub agents: AgentLayout,
    /// The files of agents that have one of their own, by agent.
    pub agent_files: &'a HashMap<String, String>,
}

/// Tells a surface everything about a transcript, in order.
pub fn play(stage: &Stage<'_>, surface: &mut dyn Surface, paper: &mut dyn Paper) -> io::Result<()> {
    let mut player = Player {
        stage,
        cast: cast(stage),
        folder: Folder::new(stage.shown.cwd()),
        shown: HashSet::new(),
        speller: Speller::default(),
        surface,
        paper,
    };
    player.surface.begin(stage.head, player.paper)?;
    player.body()?;
    player.unlinked()?;
    player.surface.end(player.paper)
}

/// An agent and the transcript of the session that has it.
#[derive(Clone, Copy)]
struct Member<'a> {
    of: &'a Transcript<'a>,
    info: &'a AgentInfo,
}

/// Returns all agents by their ids; those of the session itself count before those of others.
fn cast<'a>(stage: &Stage<'a>) -> HashMap<&'a str, Member<'a>> {
    let mut cast = HashMap::new();
    for of in std::iter::once(stage.shown).chain(stage.held.iter().copied()) {
        for info in &of.agents {
            cast.entry(info.id.as_str()).or_insert(Member { of, info });
        }
    }
    cast
}

struct Player<'p, 'a, 'o> {
    stage: &'p Stage<'a>,
    cast: HashMap<&'a str, Member<'a>>,
    folder: Folder,
    /// Agents that were shown or are being shown: each is shown once.
    shown: HashSet<String>,
    speller: Speller,
    surface: &'o mut dyn Surface,
    paper: &'o mut dyn Paper,
}

impl<'a> Player<'_, 'a, '_> {
    fn body(&mut self) -> io::Result<()> {
        let shown = self.stage.shown;
        let mut reader = shown.reader().with_media(MediaBytes::Read);
        let mut turns = (1u32..).zip(&shown.turns).peekable();
        let mut turn = None;
        let mut last_group = None;
        let mut last = None;
        let mut calendar = Calendar::new(TimeZone::UTC, self.stage.head.started);
        for (index, message) in (0u32..).zip(&shown.view.messages) {
            // What was left out stands between messages of one group.
            if !message.left_out {
                self.branches(last_group, message.group)?;
                last_group = message.group;
            }
            let begun = turns.next_if(|(_, turn)| turn.messages.start == index);
            turn = begun.map(|(number, _)| number).or(turn);
            let passage = Passage::of(reader.read(&shown.view, message)?, &self.folder);
            let place = Place {
                message: index,
                turn,
                begins_turn: begun.is_some(),
                depth: 0,
                interlude: calendar.turn_to(passage.time),
                seam: Seam::before(shown, last.replace(message), message),
            };
            self.message(passage, place)?;
        }
        self.branches(last_group, None)
    }

    fn message(&mut self, mut passage: Passage, place: Place) -> io::Result<()> {
        for part in &mut passage.parts {
            if let Part::Call(call) = part {
                self.drop_prompt(call, place.depth);
            }
        }
        self.surface.open_message(&passage, &place, self.paper)?;
        for part in &passage.parts {
            match part {
                Part::Call(call) => self.call(call, place.depth)?,
                part => self.surface.part(part, &passage, self.paper)?,
            }
        }
        self.surface.close_message(&passage, self.paper)
    }

    /// Takes away what an agent was told where it is about to be shown: its conversation
    /// begins with it.
    fn drop_prompt(&self, call: &mut Call, depth: usize) {
        let agent = call.agent.as_deref();
        if agent.is_some_and(|id| self.whereabouts(id, depth) == Whereabouts::Nested) {
            call.details.retain(|detail| detail.side != Side::Asked);
        }
    }

    fn call(&mut self, call: &Call, depth: usize) -> io::Result<()> {
        let agent = call.agent.as_deref().map(|id| self.agent_head(id, depth));
        self.surface.open_call(call, agent.as_ref(), self.paper)?;
        if let Some(agent) = agent.filter(|agent| agent.whereabouts == Whereabouts::Nested) {
            self.agent(&agent, depth)?;
        }
        self.surface.close_call(call, self.paper)
    }

    fn whereabouts(&self, id: &str, depth: usize) -> Whereabouts {
        let here = self.cast.contains_key(id) && depth < DEEPEST && !self.shown.contains(id);
        match self.stage.agents {
            AgentLayout::Inline if here => Whereabouts::Nested,
            AgentLayout::Separate => match self.stage.agent_files.get(id) {
                Some(file) => Whereabouts::Beside(file.clone()),
                None => Whereabouts::Elsewhere,
            },
            AgentLayout::Inline | AgentLayout::None => Whereabouts::Elsewhere,
        }
    }

    fn agent_head(&self, id: &str, depth: usize) -> AgentHead {
        let whereabouts = self.whereabouts(id, depth);
        match self.cast.get(id) {
            Some(member) => AgentHead::of(member.info, whereabouts),
            None => AgentHead {
                id: id.to_owned(),
                kind: None,
                description: None,
                forked_at: None,
                messages: None,
                whereabouts,
            },
        }
    }

    /// Tells an agent's conversation.
    fn agent(&mut self, agent: &AgentHead, depth: usize) -> io::Result<()> {
        self.surface.open_agent(agent, self.paper)?;
        if let Some(&member) = self.cast.get(agent.id.as_str())
            && agent.whereabouts == Whereabouts::Nested
        {
            self.shown.insert(agent.id.clone());
            match member.info.place {
                AgentPlace::Inline(index) => self.inline_agent(member, index, depth)?,
                AgentPlace::File(index) => self.agent_file(member, index, depth)?,
            }
        }
        self.surface.close_agent(agent, self.paper)
    }

    fn inline_agent(&mut self, member: Member<'a>, index: usize, depth: usize) -> io::Result<()> {
        let of = member.of;
        let Some(agent) = of.inline.agents.get(index) else {
            return Ok(());
        };
        let (paths, graph) = (&of.inline.paths, &of.conversation.graph);
        let nodes = self.speller.nodes(paths, graph, &agent.path);
        let view = of.conversation.inline_history_of(&of.inline, nodes);
        self.nested(&view, of.reader(), depth)
    }

    fn agent_file(&mut self, member: Member<'a>, index: usize, depth: usize) -> io::Result<()> {
        let of = member.of;
        let file = &of.session.agents[index].file;
        let conversation = Conversation::new(file.log(), Rule::Current, Scope::Agent);
        let Some(path) = conversation.paths.active() else {
            return Ok(());
        };
        let view = conversation.history(path);
        let (agents, live) = (&of.agent_of, of.live);
        let reader = MessageReader::new(&conversation, file, agents, live, Unanswered::Mark);
        let reader = reader.through(of.lens());
        self.nested(&view, reader, depth)
    }

    fn nested(&mut self, view: &View, reader: MessageReader<'_>, depth: usize) -> io::Result<()> {
        let mut reader = reader.with_media(MediaBytes::Read);
        for (index, message) in (0u32..).zip(&view.messages) {
            let place = Place {
                message: index,
                turn: None,
                begins_turn: false,
                depth: depth + 1,
                interlude: None,
                seam: None,
            };
            let passage = Passage::of(reader.read(view, message)?, &self.folder);
            self.message(passage, place)?;
        }
        Ok(())
    }

    /// Says where other paths leave this one, when the group they leave from has ended.
    fn branches(&mut self, before: Option<GroupId>, now: Option<GroupId>) -> io::Result<()> {
        let Some(group) = before.filter(|_| before != now) else {
            return Ok(());
        };
        let Some(leaving) = self.stage.shown.leaving(group) else {
            return Ok(());
        };
        let others = self.stage.head.others.among(&leaving);
        if others.count() == 0 {
            return Ok(());
        }
        self.surface.branches(&others, self.paper)
    }

    /// Tells the agents that no call leads to, after the path that a resume goes on from.
    fn unlinked(&mut self) -> io::Result<()> {
        let shown = self.stage.shown;
        let is_main = shown.agent.is_none() && shown.path.as_ref().is_some_and(|path| path.active);
        if !is_main {
            return Ok(());
        }
        let agents: Vec<&str> = std::iter::once(shown)
            .chain(self.stage.held.iter().copied())
            .flat_map(|of| of.agents.iter().filter(move |agent| is_unlinked(of, agent)))
            .map(|agent| agent.id.as_str())
            .filter(|id| !self.shown.contains(*id))
            .collect();
        let mut met = HashSet::new();
        let agents: Vec<&str> = agents.into_iter().filter(|id| met.insert(*id)).collect();
        if agents.is_empty() {
            return Ok(());
        }
        self.surface.unlinked(agents.len(), self.paper)?;
        for id in agents {
            let agent = self.agent_head(id, 0);
            self.agent(&agent, 0)?;
        }
        Ok(())
    }
}

/// Tells whether nothing in any log of a session leads to an agent.
fn is_unlinked(of: &Transcript<'_>, agent: &AgentInfo) -> bool {
    let Some(call) = &agent.call else {
        return true;
    };
    let agents = of.session.agents.iter().map(|agent| agent.file.log());
    let mut logs = std::iter::once(of.session.log()).chain(agents);
    logs.all(|log| log.symbols.find(call).is_none())
}

impl AgentHead {
    /// Says what is known of an agent.
    pub fn of(info: &AgentInfo, whereabouts: Whereabouts) -> Self {
        Self {
            id: info.id.clone(),
            kind: info.kind.clone(),
            description: info.description.clone(),
            forked_at: info.forked_at.clone(),
            messages: Some(info.message_count),
            whereabouts,
        }
    }
}
