//! The graph of a session as rows to draw: one for each turn.
//!
//! At a fork, the branches that were left come first, one level deeper, and the branch that
//! continues follows on the level of the fork. So the rows of the active path are on level zero,
//! from top to bottom.

use std::collections::{HashMap, HashSet};
use std::io;

use unspool_model::entry::{Flags, MessageKind};
use unspool_model::ids::EntryId;
use unspool_model::names;
use unspool_model::paths::{Group, GroupStart};
use unspool_model::positions::{GroupId, NodeId, PathNumber};
use unspool_model::record::{Record, RecordPart};
use unspool_model::time::Time;
use unspool_model::words;

use super::agents::AgentInfo;
use super::message::may_interject;
use super::transcript::Transcript;
use unspool_store::tail::SpanReader;

/// A row of the tree.
#[derive(Clone, Debug)]
pub struct TreeRow {
    /// The number of forks between the row and the active path.
    pub depth: u32,
    /// The kind of the row.
    pub kind: TreeRowKind,
    /// The uuid of its first entry.
    pub entry: Option<EntryId>,
    /// The time of its first entry.
    pub time: Option<Time>,
    /// The text of its first entry.
    pub text: String,
    /// Whether the row is on the active path.
    pub active: bool,
    /// The number of messages.
    pub messages: u32,
    /// The number of calls.
    pub calls: u32,
    /// Further messages to the model: replies, queued prompts, words of others.
    pub said: Vec<String>,
    /// The agents that the row started.
    pub agents: Vec<AgentInfo>,
    /// The paths that end in the row.
    pub paths: Vec<PathNumber>,
    /// Whether the active path ends in the row.
    pub ends_active: bool,
    /// The number of other paths that continue from the row.
    pub forks: u32,
    /// Why the row leaves the path above, if it does.
    pub branch: Option<TreeBranch>,
}

names! {
    /// Why a row leaves the path above it.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum TreeBranch {
        /// A person sent another prompt instead.
        Rewind = "rewind",
        /// The model gave another answer.
        Retry = "retry",
        /// A resume would leave the row out, without a rewind.
        LeftOut = "left_out",
    }
}

impl TreeBranch {
    fn of(group: &Group) -> Self {
        match group.begins {
            _ if group.left_out => Self::LeftOut,
            GroupStart::Answer => Self::Retry,
            GroupStart::Prompt | GroupStart::Other => Self::Rewind,
        }
    }
}

names! {
    /// The kind of a row.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum TreeRowKind {
        /// A turn, beginning with its prompt.
        Turn = "turn",
        /// Messages before the first turn, or after a fork without a new prompt.
        Continuation = "continuation",
        /// A compaction.
        Compaction = "compaction",
    }
}

/// Returns the rows of a session.
pub fn rows(shown: &Transcript<'_>) -> io::Result<Vec<TreeRow>> {
    let mut builder = TreeBuilder::new(shown);
    builder.walk()?;
    Ok(builder.rows)
}

struct TreeBuilder<'t, 's> {
    shown: &'t Transcript<'s>,
    children: Vec<Vec<GroupId>>,
    roots: Vec<GroupId>,
    on_active: Vec<bool>,
    ends: HashMap<GroupId, Vec<PathNumber>>,
    /// The last group of the active path.
    active_end: Option<GroupId>,
    agents: HashMap<&'t str, &'t AgentInfo>,
    /// The agents that each agent started.
    started: HashMap<&'t str, Vec<&'t AgentInfo>>,
    /// The agents that are already in rows.
    listed: HashSet<(usize, &'t str)>,
    rows: Vec<TreeRow>,
    reader: SpanReader<'t>,
}

/// A group to visit: its depth, and the row that it may extend.
struct GroupVisit {
    group: GroupId,
    depth: u32,
    row: Option<usize>,
    /// Whether the group leaves the path above.
    leaves: bool,
}

impl<'t, 's> TreeBuilder<'t, 's> {
    fn new(shown: &'t Transcript<'s>) -> Self {
        let paths = &shown.conversation.paths;
        let mut on_active = vec![false; paths.groups.len()];
        let active_end = paths.active().map(|path| path.last);
        for group in active_end.map_or_else(Vec::new, |last| paths.trail(last)) {
            on_active[group] = true;
        }
        let mut ends: HashMap<GroupId, Vec<PathNumber>> = HashMap::new();
        for path in &paths.paths {
            ends.entry(path.last).or_default().push(path.index);
        }
        let agents =
            shown.agents.iter().filter_map(|agent| Some((agent.call.as_deref()?, agent))).collect();
        let mut started: HashMap<_, Vec<_>> = HashMap::new();
        for agent in &shown.agents {
            if let Some(parent) = agent.parent.as_deref() {
                started.entry(parent).or_default().push(agent);
            }
        }
        let roots = GroupId::enumerate(&paths.groups)
            .filter(|(_, group)| group.parent().is_none())
            .map(|(index, _)| index)
            .collect();
        Self {
            shown,
            children: paths.continuations(),
            roots,
            on_active,
            ends,
            active_end,
            agents,
            started,
            listed: HashSet::new(),
            rows: Vec::new(),
            reader: shown.file.reader(),
        }
    }

    fn walk(&mut self) -> io::Result<()> {
        let main = self.goes_on(&self.roots);
        let mut stack: Vec<GroupVisit> = self
            .roots
            .iter()
            .rev()
            .map(|&group| GroupVisit {
                group,
                depth: u32::from(Some(group) != main),
                row: None,
                leaves: Some(group) != main,
            })
            .collect();
        while let Some(visit) = stack.pop() {
            let row = self.visit(&visit)?;
            let children = &self.children[visit.group];
            let Some(main) = self.goes_on(children) else {
                continue;
            };
            let groups = &self.shown.conversation.paths.groups;
            let on_paths =
                children.iter().filter(|&&child| child != main && !groups[child].left_out).count();
            self.rows[row].forks += on_paths as u32;
            // A single child extends the row; at a fork each child begins its own.
            let joins = (children.len() == 1).then_some(row);
            // Pushed first, so that it is visited after the branches that were left.
            stack.push(GroupVisit { group: main, depth: visit.depth, row: joins, leaves: false });
            for &child in children.iter().rev().filter(|&&child| child != main) {
                stack.push(GroupVisit {
                    group: child,
                    depth: visit.depth + 1,
                    row: None,
                    leaves: true,
                });
            }
        }
        Ok(())
    }

    /// Returns the group that continues on the same level: the active one, or else the first on a path.
    fn goes_on(&self, children: &[GroupId]) -> Option<GroupId> {
        unspool_work::add(children.len());
        let active = children.iter().copied().find(|&child| self.on_active[child]);
        let groups = &self.shown.conversation.paths.groups;
        let on_path = |child: &GroupId| !groups[*child].left_out;
        let mut others = children.iter().copied();
        active.or_else(|| others.clone().find(on_path)).or_else(|| others.next())
    }

    /// Adds a group to its row, or begins a new row.
    fn visit(&mut self, visit: &GroupVisit) -> io::Result<usize> {
        let conversation = &self.shown.conversation;
        let first = conversation.paths.groups[visit.group].first;
        let entry = conversation.graph.entry(conversation.log, first);
        let kind = if entry.flags.has(Flags::BOUNDARY) {
            TreeRowKind::Compaction
        } else if conversation.commands.begins_turn(entry) {
            TreeRowKind::Turn
        } else {
            TreeRowKind::Continuation
        };
        let row = match visit.row.filter(|_| kind == TreeRowKind::Continuation) {
            Some(row) => row,
            None => self.begin(visit, kind, first)?,
        };
        self.count(row, visit.group);
        self.interject(row, visit.group)?;
        self.rows[row].paths.extend(self.ends.get(&visit.group).into_iter().flatten());
        self.rows[row].ends_active |= self.active_end == Some(visit.group);
        Ok(row)
    }

    fn begin(&mut self, visit: &GroupVisit, kind: TreeRowKind, first: NodeId) -> io::Result<usize> {
        let conversation = &self.shown.conversation;
        let entry = conversation.graph.entry(conversation.log, first);
        let text = match kind {
            TreeRowKind::Compaction => self.compaction_text(first),
            TreeRowKind::Turn | TreeRowKind::Continuation => self.first_text(first)?,
        };
        self.rows.push(TreeRow {
            depth: visit.depth,
            kind,
            entry: entry.uuid.map(|uuid| EntryId::new(conversation.log.text(uuid))),
            time: entry.time,
            text,
            active: self.on_active[visit.group],
            messages: 0,
            calls: 0,
            said: Vec::new(),
            agents: Vec::new(),
            paths: Vec::new(),
            ends_active: false,
            forks: 0,
            branch: self.branch(visit),
        });
        Ok(self.rows.len() - 1)
    }

    /// Returns why a row leaves the path above it, if it does.
    fn branch(&self, visit: &GroupVisit) -> Option<TreeBranch> {
        let groups = &self.shown.conversation.paths.groups;
        let group = &groups[visit.group];
        let inside = group.parent().is_some_and(|parent| groups[parent].left_out);
        if group.left_out {
            return (!inside).then_some(TreeBranch::LeftOut);
        }
        visit.leaves.then(|| TreeBranch::of(group))
    }

    fn compaction_text(&self, node: NodeId) -> String {
        let conversation = &self.shown.conversation;
        let content = conversation.graph.nodes[node].content;
        let trigger = conversation.log.compaction_at(content).and_then(|found| found.trigger);
        match trigger.map(|trigger| conversation.log.text(trigger)) {
            Some(trigger) => format!("context compacted ({trigger})"),
            None => "context compacted".to_owned(),
        }
    }

    fn first_text(&mut self, node: NodeId) -> io::Result<String> {
        let conversation = &self.shown.conversation;
        let entry = conversation.graph.entry(conversation.log, node);
        let record = Record::read(self.reader.bytes(entry.span)?);
        let said = record.parts.iter().find_map(|part| match part {
            RecordPart::Text(text) if !text.trim().is_empty() => {
                Some(words::typed(text).into_owned())
            }
            RecordPart::Call { name, .. } => Some(name.clone().into_owned()),
            _ => None,
        });
        let said = said.or(record.text.map(std::borrow::Cow::into_owned));
        Ok(said.unwrap_or_else(|| match entry.says {
            Some(MessageKind::Answer) => "(answer)".to_owned(),
            Some(kind) => format!("({})", kind.name()),
            None => String::new(),
        }))
    }

    fn count(&mut self, row: usize, group: GroupId) {
        let conversation = &self.shown.conversation;
        let log = conversation.log;
        let mut answered = false;
        for &node in conversation.paths.members(group) {
            let entry = conversation.graph.entry(log, node);
            let is_more_of_an_answer = entry.message.is_some() && answered;
            self.rows[row].messages += u32::from(entry.says.is_some() && !is_more_of_an_answer);
            answered |= entry.message.is_some();
            for block in log.calls_of(entry) {
                self.rows[row].calls += 1;
                let call = block.call.map(|call| log.text(call));
                if let Some(&agent) = call.and_then(|call| self.agents.get(call)) {
                    self.add_agent(row, agent);
                }
            }
        }
    }

    /// Adds the messages to the model in a group, without its prompt.
    fn interject(&mut self, row: usize, group: GroupId) -> io::Result<()> {
        let conversation = &self.shown.conversation;
        for &node in conversation.paths.members(group) {
            let entry = conversation.graph.entry(conversation.log, node);
            let Some(kind) = entry.says.filter(|&kind| may_interject(kind)) else {
                continue;
            };
            let record = Record::read(self.reader.bytes(entry.span)?);
            let said = match kind {
                MessageKind::Reply => record.reply(),
                MessageKind::Queued => record.text.map(std::borrow::Cow::into_owned),
                _ => record.said().filter(|said| words::voice(said).is_some()),
            };
            self.rows[row].said.extend(said);
        }
        Ok(())
    }

    /// Adds an agent, followed by the agents that it started.
    fn add_agent(&mut self, row: usize, agent: &'t AgentInfo) {
        let mut waiting = vec![agent];
        while let Some(agent) = waiting.pop() {
            if !self.listed.insert((row, &agent.id)) {
                continue;
            }
            unspool_work::add(1);
            self.rows[row].agents.push(agent.clone());
            let started = self.started.get(agent.id.as_str());
            waiting.extend(started.into_iter().flatten().rev());
        }
    }
}

#[cfg(test)]
mod tests {
    use unspool_testkit::session;

    use super::*;
    use crate::ops::transcript::TranscriptRequest;
    use unspool_store::home::{Resolved, describe_log};
    use unspool_store::session::Session;

    /// Returns the steps to draw a session with this many rewinds to its beginning.
    fn steps(rewinds: usize) -> u64 {
        let start = "u0 user \"start\"\na0 assistant \"ok\"".to_owned();
        let rewound = (1..=rewinds).map(|number| format!("u{number} user < a0 \"again\""));
        let lines: Vec<String> = std::iter::once(start).chain(rewound).collect();
        let notation = lines.join("\n");
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("11111111-1111-4111-8111-111111111111.jsonl");
        std::fs::write(&file, session(&notation)).expect("writes");
        let found = Resolved {
            home: None,
            project: None,
            target: describe_log(&file).expect("a transcript"),
        };
        let session = Session::open(&found, None).expect("a session");
        let shown = Transcript::new(&session, &TranscriptRequest::default()).expect("a transcript");
        unspool_work::count(|| {
            let rows = rows(&shown).expect("rows");
            assert_eq!(rows.len(), rewinds + 1);
        })
    }

    #[test]
    fn very_many_branches_take_work_in_proportion() {
        let (few, many) = (steps(100), steps(1_000));
        assert!(many <= 12 * few, "{few} steps for 100 rewinds, {many} for 1000");
    }
}
