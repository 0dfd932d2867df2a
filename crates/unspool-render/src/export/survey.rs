//! Surveys a session before anything is written: its paths and its agents.

use std::hash::BuildHasher as _;

use foldhash::quality::FixedState;
use unspool_model::conversation::{Conversation, ConversationStructure};
use unspool_model::graph::Rule;
use unspool_model::ids::SessionId;
use unspool_model::log::Log;
use unspool_model::paths::{Path, PathNodeLister, PathOrder};
use unspool_model::positions::{NodeId, PathNumber};
use unspool_model::time::Time;

use super::listed::listed;
use super::subset::{ComparedSession, Entries, PathCandidate, SharedEntry};
use super::{ExportRequest, OutputSetting};
use crate::document::{AgentLayout, PathStatus};
use crate::html::SiteSession;
use unspool_engine::ops::agents;
use unspool_engine::ops::transcript::ViewKind;
use unspool_store::session::Session;

/// The paths and agents that a session can export.
pub(super) struct SessionSurvey {
    pub(super) id: SessionId,
    pub(super) started: Option<Time>,
    /// The number of paths, exported or not.
    pub(super) total: usize,
    /// The paths to export.
    pub(super) paths: Vec<(PathNumber, PathStatus)>,
    /// The ids of the agents, if agents get files.
    pub(super) agents: Vec<String>,
    /// Whether the session has agents.
    pub(super) has_agents: bool,
    /// The sessions that its log names as origins of a fork.
    pub(super) forked_from: Vec<String>,
    /// The facts that are compared with other sessions.
    pub(super) member: ComparedSession,
    /// The facts that a site lists, if the export is a site.
    pub(super) listed: Option<SiteSession>,
}

impl SessionSurvey {
    /// Surveys a session; entries are collected only if there are other sessions.
    pub(super) fn of(session: &Session, request: &ExportRequest<'_>, compare: Compare) -> Self {
        let conversation = session.conversation(Rule::Current);
        let wanted = wanted(&conversation, request);
        let mut survey = Self {
            id: session.id.clone(),
            started: session.log().facts.started,
            total: conversation.paths.paths.len(),
            paths: wanted.iter().map(|path| (path.index, PathStatus::of(path))).collect(),
            agents: Vec::new(),
            has_agents: !session.agents.is_empty(),
            forked_from: forked_from(session.log()),
            member: ComparedSession::default(),
            listed: (request.setting == OutputSetting::Site).then(|| listed(session, request)),
        };
        let has_inline = || conversation.graph.nodes.iter().any(|node| node.sidechain);
        survey.has_agents |= has_inline();
        if survey.has_agents && request.agents == AgentLayout::Separate {
            let inline = conversation.inline_agents();
            let all = agents::agents(session, &conversation, &inline);
            survey.agents = all.into_iter().map(|agent| agent.id).collect();
        }
        if compare == Compare::WithOthers {
            survey.member = member(&conversation, &wanted, request);
        }
        survey
    }
}

/// Whether a session is compared with others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Compare {
    /// It is compared.
    WithOthers,
    /// It is not, since there are no others.
    Alone,
}

/// Returns the paths of a session to export.
fn wanted<'c>(conversation: &'c Conversation<'_>, request: &ExportRequest<'_>) -> Vec<&'c Path> {
    let paths = conversation.paths.paths.iter();
    paths.filter(|path| path.active || !request.only_active()).collect()
}

/// Returns the sessions that a log names as origins of a fork.
fn forked_from(log: &Log) -> Vec<String> {
    let named = log.facts.forked_from.keys();
    named.map(|&session| log.text(session).to_owned()).collect()
}

fn member(
    conversation: &Conversation<'_>,
    wanted: &[&Path],
    request: &ExportRequest<'_>,
) -> ComparedSession {
    let mut spelled = Spelled::new(conversation, request.view);
    let row = PathOrder::new(&conversation.paths);
    let mut wanted = wanted.to_vec();
    // In this order, the paths through a group are a range.
    wanted.sort_unstable_by_key(|path| row.place(path));
    let mut member = ComparedSession::default();
    let mut places = Vec::with_capacity(wanted.len());
    for path in wanted {
        let length = spelled.nodes(path).len();
        let Some(key) = spelled.hash(path.head) else {
            continue;
        };
        if path.active {
            // It may contain entries of other paths, or be a context, so any entry may be on it.
            member.anywhere = Some(member.paths.len());
        }
        places.push(row.place(path));
        member.paths.push(PathCandidate {
            number: path.index,
            key,
            length,
            is_active: path.active,
        });
    }
    let position = |place: u32| places.partition_point(|&other| other < place) as u32;
    let nodes = NodeId::all(conversation.graph.nodes.len());
    let shared = |node: NodeId| {
        let group = conversation.paths.group_of(node);
        let through = group.map_or(0..0, |group| row.through(group));
        Some(SharedEntry {
            hash: spelled.hash(node)?,
            paths: position(through.start)..position(through.end),
        })
    };
    member.entries = nodes.filter_map(shared).collect();
    member
}

/// Returns the paths of a session to export, with the hashes of their entries.
pub(super) fn entries(session: &Session, request: &ExportRequest<'_>) -> Vec<Entries> {
    let conversation = session.conversation(Rule::Current);
    let mut spelled = Spelled::new(&conversation, request.view);
    let paths = wanted(&conversation, request);
    paths
        .into_iter()
        .map(|path| {
            let nodes = spelled.nodes(path);
            let hashes = nodes.into_iter().filter_map(|node| spelled.hash(node));
            let mut entries: Vec<u64> = hashes.collect();
            entries.sort_unstable();
            entries.dedup();
            (path.index, entries)
        })
        .collect()
}

/// A reader of the entries of paths in a view.
struct Spelled<'c> {
    conversation: &'c Conversation<'c>,
    speller: PathNodeLister,
    view: ViewKind,
}

impl<'c> Spelled<'c> {
    fn new(conversation: &'c Conversation<'c>, view: ViewKind) -> Self {
        Self { conversation, speller: PathNodeLister::default(), view }
    }

    fn nodes(&mut self, path: &Path) -> Vec<NodeId> {
        match self.view {
            ViewKind::History => {
                let ConversationStructure { paths, graph, .. } = &**self.conversation;
                self.speller.nodes(paths, graph, path)
            }
            ViewKind::Context => {
                let view = self.conversation.context(path);
                let messages = view.messages.iter();
                messages.flat_map(|message| view.nodes(message)).copied().collect()
            }
        }
    }

    fn hash(&self, node: NodeId) -> Option<u64> {
        let log = self.conversation.log;
        let uuid = self.conversation.graph.entry(log, node).uuid?;
        Some(FixedState::default().hash_one(log.text(uuid)))
    }
}
