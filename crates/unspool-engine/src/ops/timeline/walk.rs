//! Walks the conversations of a path and builds their spans.

use std::cmp::Reverse;
use std::io;

use unspool_model::conversation::{
    CallStatus, Conversation, Liveness, Message, Speaker, Turn, TurnOutcome, View,
};
use unspool_model::entry::{Block, BlockKind, Entry, Flags, MessageKind};
use unspool_model::ids::EntryId;
use unspool_model::log::{Log, is_agent_tool};
use unspool_model::positions::{NodeId, TurnNumber};
use unspool_model::time::Time;
use unspool_model::tool::asks_the_person;

use super::clock::{EventClock, before};
use super::label::Labels;
use super::{SpanId, SpanKind, TimeSpan};
use crate::ops::lanes::{AgentRow, AgentTree};
use crate::ops::spending::{TaggedLedger, claim};
use crate::ops::transcript::Transcript;

/// Whether names and labels are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LabelReading {
    /// Names and labels are read.
    Read,
    /// Only times are computed.
    Skip,
}

/// A span before it is arranged. Its parent is an index into the drafts.
pub(super) struct DraftSpan {
    pub(super) span: TimeSpan,
    /// For an agent, the time at which the call that started it returned: the agent may continue after that.
    pub(super) returned: Option<Time>,
}

/// A turn at its beginning.
pub(super) struct DraftTurn {
    pub(super) index: TurnNumber,
    pub(super) entry: Option<EntryId>,
    pub(super) prompt: Option<String>,
    /// The time of the prompt.
    pub(super) started: Time,
    /// The time at which the wait for the prompt began.
    pub(super) from: Time,
}

/// An agent whose conversation is walked later.
struct WaitingAgent {
    row: AgentRow,
    /// Its span; `None` for an agent without a call, whose span is not built yet.
    span: Option<usize>,
    turn: Option<TurnNumber>,
}

/// Collects the spans of a path.
pub(super) struct TimelineBuilder<'t, 's> {
    pub(super) shown: &'t Transcript<'s>,
    agents: AgentTree<'t, 's>,
    reading: LabelReading,
    pub(super) spans: Vec<DraftSpan>,
    pub(super) turns: Vec<DraftTurn>,
    /// The usage of answers by span; of copies the first one counts.
    pub(super) ledger: TaggedLedger<'t, Reverse<usize>>,
    waiting: Vec<WaitingAgent>,
    pub(super) untimed: u32,
}

impl<'t, 's> TimelineBuilder<'t, 's> {
    pub(super) fn new(shown: &'t Transcript<'s>, reading: LabelReading) -> Self {
        Self {
            shown,
            agents: AgentTree::new(shown),
            reading,
            spans: Vec::new(),
            turns: Vec::new(),
            ledger: TaggedLedger::default(),
            waiting: Vec::new(),
            untimed: 0,
        }
    }

    /// Builds the spans of the shown conversation and of all agents below it.
    pub(super) fn walk(&mut self) -> io::Result<()> {
        let shown = self.shown;
        let is_session = shown.agent.is_none();
        let lane = LaneSource {
            conversation: &shown.conversation,
            log: shown.conversation.log,
            view: &shown.view,
            turns: &shown.turns,
            inside: None,
            turn: None,
            waits: is_session,
        };
        LaneWalk::new(self, &lane, Labels::new(shown.reader())).walk()?;
        for row in self.agents.unlinked() {
            self.waiting.push(WaitingAgent { row, span: None, turn: None });
        }
        while let Some(next) = self.waiting.pop() {
            self.walk_agent(&next)?;
        }
        Ok(())
    }

    fn walk_agent(&mut self, agent: &WaitingAgent) -> io::Result<()> {
        let Some(lane) = self.agents.lane(agent.row) else {
            return Ok(());
        };
        let conversation = lane.conversation();
        let span = if let Some(span) = agent.span {
            span
        } else {
            let nodes = lane.view.walk().iter();
            let mut times =
                nodes.filter_map(|&node| conversation.graph.entry(lane.log(), node).time);
            let Some(start) = times.next() else {
                return Ok(());
            };
            let span = self.agent_span(agent.row, None, start, None);
            self.push(span, Some(start))
        };
        let source = LaneSource {
            conversation,
            log: lane.log(),
            view: &lane.view,
            turns: &[],
            inside: Some(span),
            turn: agent.turn,
            waits: false,
        };
        let labels = Labels::new(lane.reader(self.shown));
        LaneWalk::new(self, &source, labels).walk()
    }

    fn push(&mut self, span: TimeSpan, returned: Option<Time>) -> usize {
        self.spans.push(DraftSpan { span, returned });
        self.spans.len() - 1
    }

    /// Returns the span of an agent; its end is extended by the spans inside it.
    fn agent_span(
        &self,
        row: AgentRow,
        parent: Option<usize>,
        start: Time,
        turn: Option<TurnNumber>,
    ) -> TimeSpan {
        let info = self.agents.info(row);
        TimeSpan {
            agent: Some(info.id.clone()),
            name: info.kind.clone(),
            label: info.description.clone(),
            ..blank(SpanKind::Agent, parent, start, Some(start), turn)
        }
    }
}

fn blank(
    kind: SpanKind,
    parent: Option<usize>,
    start: Time,
    end: Option<Time>,
    turn: Option<TurnNumber>,
) -> TimeSpan {
    TimeSpan {
        kind,
        parent: parent.map(SpanId::at),
        depth: 0,
        lane: 0,
        start,
        end,
        turn,
        entry: None,
        call: None,
        agent: None,
        name: None,
        label: None,
        status: CallStatus::Done,
        spending: None,
    }
}

/// A conversation to build spans of.
struct LaneSource<'l, 't> {
    conversation: &'l Conversation<'t>,
    log: &'t Log,
    view: &'l View,
    /// The turns of the shown path; agents have none.
    turns: &'l [Turn],
    /// The span of the agent that the conversation belongs to.
    inside: Option<usize>,
    /// The turn in which the agent was started.
    turn: Option<TurnNumber>,
    /// Whether the conversation waits for a person.
    waits: bool,
}

/// The walk through one conversation.
struct LaneWalk<'w, 'l, 't, 's> {
    builder: &'w mut TimelineBuilder<'t, 's>,
    source: &'w LaneSource<'l, 't>,
    labels: Labels<'l>,
    turn: Option<TurnNumber>,
    /// The moments at which work was done.
    work: EventClock,
    /// The moments at which the model had input to continue from.
    ready: EventClock,
    /// Calls without a result since the last interruption.
    open: Vec<usize>,
    /// Whether the last message was a command.
    after_command: bool,
}

impl<'w, 'l, 't, 's> LaneWalk<'w, 'l, 't, 's> {
    fn new(
        builder: &'w mut TimelineBuilder<'t, 's>,
        source: &'w LaneSource<'l, 't>,
        labels: Labels<'l>,
    ) -> Self {
        Self {
            builder,
            source,
            labels,
            turn: source.turn,
            work: EventClock::default(),
            ready: EventClock::default(),
            open: Vec::new(),
            after_command: false,
        }
    }

    fn walk(mut self) -> io::Result<()> {
        let source = self.source;
        let mut turns = TurnNumber::enumerate(source.turns).peekable();
        for (index, message) in (0u32..).zip(&source.view.messages) {
            unspool_work::add(1);
            let begins = turns.next_if(|(_, turn)| turn.messages.start == index);
            if let Some((number, _)) = begins {
                self.turn = Some(number);
            }
            self.message(message, begins.is_some())?;
        }
        self.go_on();
        Ok(())
    }

    fn message(&mut self, message: &Message, begins_turn: bool) -> io::Result<()> {
        let nodes = self.source.view.nodes(message);
        let first = self.entry(nodes[0]);
        let (time, flags) = (first.time, first.flags);
        let made_up = flags.has(Flags::SYNTHETIC) && !flags.has(Flags::API_ERROR);
        match message.kind {
            MessageKind::Answer | MessageKind::Error if message.speaker == Speaker::Assistant => {
                if made_up {
                    self.ready.note(time);
                } else {
                    self.answer(nodes)?;
                }
            }
            MessageKind::Prompt => self.person(message, time, begins_turn)?,
            MessageKind::Command => {
                let goes_on = std::mem::replace(&mut self.after_command, true);
                if begins_turn || !goes_on {
                    self.person(message, time, begins_turn)?;
                } else {
                    self.moment(time);
                }
                self.after_command = true;
            }
            MessageKind::Boundary => self.compaction(nodes[0], time)?,
            MessageKind::Interruption => self.interruption(time),
            MessageKind::Meta | MessageKind::Summary | MessageKind::AgentReport => {
                self.ready.note(time);
            }
            // Messages sent while the model works and remarks of the client take no time; a reply
            // arrived with the result of a call.
            _ => {}
        }
        Ok(())
    }

    fn entry(&self, node: NodeId) -> &'t Entry {
        let content = self.source.conversation.graph.nodes[node].content;
        &self.source.log.entries[content]
    }

    fn uuid(&self, node: NodeId) -> Option<EntryId> {
        if self.builder.reading == LabelReading::Skip {
            return None;
        }
        let uuid = self.entry(node).uuid?;
        let shown = self.builder.shown;
        Some(EntryId::new(shown.entry_id(self.source.log.text(uuid))))
    }

    /// Records a moment at which work was done.
    fn moment(&mut self, time: Option<Time>) {
        self.work.note(time);
        self.ready.note(time);
    }

    fn span(&self, kind: SpanKind, start: Time, end: Option<Time>) -> TimeSpan {
        blank(kind, self.source.inside, start, end, self.turn)
    }

    /// Adds the wait for a person's message.
    fn person(
        &mut self,
        message: &Message,
        time: Option<Time>,
        begins_turn: bool,
    ) -> io::Result<()> {
        self.open.clear();
        self.after_command = false;
        let Some(time) = time else { return Ok(()) };
        let since = self.work.before(time).filter(|_| self.source.waits);
        let node = self.source.view.nodes(message)[0];
        let label = match self.builder.reading {
            LabelReading::Read => self.labels.said(self.source.view, message)?,
            LabelReading::Skip => None,
        };
        if begins_turn && let Some(index) = self.turn {
            let entry = self.uuid(node);
            self.builder.turns.push(DraftTurn {
                index,
                entry,
                prompt: label.clone(),
                started: time,
                from: since.unwrap_or(time),
            });
        }
        if let Some(since) = since.filter(|&since| since < time) {
            let span = TimeSpan {
                entry: self.uuid(node),
                label,
                ..self.span(SpanKind::You, since, Some(time))
            };
            self.builder.push(span, None);
        }
        self.moment(Some(time));
        Ok(())
    }

    fn answer(&mut self, nodes: &[NodeId]) -> io::Result<()> {
        self.after_command = false;
        let times = nodes.iter().filter_map(|&node| self.entry(node).time);
        let (first, last) = (times.clone().min(), times.max());
        let known = first.or(self.ready.latest());
        let Some(written) = known else {
            self.builder.untimed += 1;
            return Ok(());
        };
        let start = self.ready.before(written).unwrap_or(written);
        let has = |flag| nodes.iter().any(|&node| self.entry(node).flags.has(flag));
        let status = if has(Flags::API_ERROR) {
            CallStatus::Failed
        } else if has(Flags::ABORTED) {
            CallStatus::Interrupted
        } else {
            CallStatus::Done
        };
        let end = last.unwrap_or(written);
        let span = TimeSpan {
            entry: self.uuid(nodes[0]),
            name: self.model(nodes),
            status,
            ..self.span(SpanKind::Model, start, Some(end))
        };
        let row = self.builder.push(span, None);
        self.moment(Some(end));
        for &node in nodes {
            let content = self.source.conversation.graph.nodes[node].content;
            claim(&mut self.builder.ledger, self.source.log, content, Reverse(row));
            self.calls(node, end)?;
        }
        Ok(())
    }

    /// Returns the model of an answer, if the answer has usage.
    fn model(&self, nodes: &[NodeId]) -> Option<String> {
        if self.builder.reading == LabelReading::Skip {
            return None;
        }
        let log = self.source.log;
        let used = nodes.iter().find_map(|&node| {
            let content = self.source.conversation.graph.nodes[node].content;
            let found = log.usage.binary_search_by_key(&content, |row| row.entry);
            found.ok().map(|at| log.usage[at].model)
        });
        used.map(|model| self.builder.shown.redacted(log.text(model).to_owned()))
    }

    /// Builds the spans of the calls in one entry of an answer.
    fn calls(&mut self, node: NodeId, answered: Time) -> io::Result<()> {
        let (entry, log) = (self.entry(node), self.source.log);
        let start = entry.time.unwrap_or(answered);
        let places = entry.blocks.indices().zip(log.blocks_of(entry));
        let calls = places.filter(|(place, block)| {
            block.kind == BlockKind::Call && self.source.view.has_block(*place as u32)
        });
        let calls: Vec<(usize, Block)> = calls.map(|(place, block)| (place, *block)).collect();
        if calls.is_empty() {
            return Ok(());
        }
        if self.builder.reading == LabelReading::Read {
            self.labels.open_entry(node)?;
        }
        for (place, block) in calls {
            unspool_work::add(1);
            self.call(node, place - entry.blocks.indices().start, block, start);
        }
        Ok(())
    }

    fn call(&mut self, node: NodeId, position: usize, block: Block, start: Time) {
        let (conversation, log) = (self.source.conversation, self.source.log);
        let live = self.builder.shown.live;
        let found =
            block.call.and_then(|call| conversation.result_in(self.source.view, node, call));
        let status = conversation.call_status(node, found, live);
        let returned = found.map(|found| log.entries[found.entry].time.unwrap_or(start));
        let end = match (returned, status) {
            (Some(returned), _) => Some(returned.max(start)),
            (None, CallStatus::Pending) => None,
            (None, _) => Some(start),
        };
        let name = block.name.map_or("", |name| log.text(name));
        let id = block.call.map(|call| log.text(call));
        let agents = id.map_or_else(Vec::new, |id| self.builder.agents.started_by(id));
        let kind = if !agents.is_empty() || is_agent_tool(name.as_bytes()) {
            SpanKind::Agent
        } else if asks_the_person(name) && self.source.waits {
            SpanKind::You
        } else {
            SpanKind::Tool
        };
        let mut span = self.span(kind, start, end);
        span.status = status;
        if self.builder.reading == LabelReading::Read {
            let shown = self.builder.shown;
            let (name, label) = self.labels.call(position, name);
            (span.name, span.label) = (Some(name), label);
            span.entry = self.uuid(node);
            span.call = id.map(|id| shown.shown_id(id));
            span.agent = id.and_then(|id| shown.agent_of.get(id)).cloned();
        }
        let row = self.builder.push(span, end);
        if found.is_none() && status == CallStatus::Interrupted {
            self.open.push(row);
        }
        self.moment(end);
        self.start_agents(row, &agents, start);
    }

    /// Schedules the agents that a call started. A single agent uses the span of the call; several,
    /// as of a workflow, each have their own span inside it.
    fn start_agents(&mut self, call: usize, agents: &[AgentRow], start: Time) {
        let turn = self.turn;
        for &row in agents {
            let span = if agents.len() == 1 {
                self.builder.spans[call].span.agent =
                    Some(self.builder.agents.info(row).id.clone());
                call
            } else {
                self.builder.spans[call].span.agent = None;
                let span = self.builder.agent_span(row, Some(call), start, turn);
                self.builder.push(span, Some(start))
            };
            let span = Some(span);
            self.builder.waiting.push(WaitingAgent { row, span, turn });
        }
    }

    /// Ends the open calls at an interruption by a person.
    fn interruption(&mut self, time: Option<Time>) {
        for row in std::mem::take(&mut self.open) {
            let draft = &mut self.builder.spans[row];
            let end = time.max(Some(draft.span.start));
            draft.span.end = end;
            draft.returned = end;
        }
        self.moment(time);
    }

    fn compaction(&mut self, node: NodeId, time: Option<Time>) -> io::Result<()> {
        let Some(time) = time else { return Ok(()) };
        let took = self.labels.compaction_ms(node)?;
        let idle_since = self.work.before(time);
        let (log, content) = (self.source.log, self.source.conversation.graph.nodes[node].content);
        let trigger = log.compaction_at(content).and_then(|known| known.trigger);
        let trigger = trigger.map(|trigger| log.text(trigger));
        let is_manual = trigger == Some("manual");
        let start = match (took, idle_since) {
            (Some(took), _) => before(time, took).max(idle_since.unwrap_or(before(time, took))),
            (None, Some(since)) if !is_manual => since,
            (None, _) => time,
        };
        let entry = self.uuid(node);
        // Only the boundary shows when a person requested the compaction.
        if let Some(since) = idle_since.filter(|&since| is_manual && since < start)
            && self.source.waits
        {
            let span =
                TimeSpan { entry: entry.clone(), ..self.span(SpanKind::You, since, Some(start)) };
            self.builder.push(span, None);
        }
        let span = TimeSpan {
            entry,
            label: trigger.map(str::to_owned),
            ..self.span(SpanKind::Compaction, start, Some(time))
        };
        self.builder.push(span, None);
        self.moment(Some(time));
        Ok(())
    }

    /// Adds the current work of the model, if a process owns the session and the last turn is open.
    fn go_on(&mut self) {
        let is_open = |turn: &Turn| turn.outcome == TurnOutcome::Open;
        let live = self.builder.shown.live == Liveness::Live;
        let works = live && self.source.turns.last().is_some_and(is_open);
        let is_pending = |draft: &DraftSpan| draft.span.status == CallStatus::Pending;
        if !works || self.builder.spans.iter().any(is_pending) {
            return;
        }
        if let Some(start) = self.ready.latest() {
            let span =
                TimeSpan { status: CallStatus::Pending, ..self.span(SpanKind::Model, start, None) };
            self.builder.push(span, None);
        }
    }
}
