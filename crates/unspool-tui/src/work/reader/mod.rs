//! The reader's requests, and the worker that lays out messages.
//!
//! A [`LayoutRequest`] is complete: it describes everything that the reader currently needs of a conversation,
//! so only the newest request counts. The answer contains the requested messages, and the facts of the
//! conversation if the reader has outdated ones.

pub(crate) mod aside;
mod find;
mod place;

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::tz::TimeZone;
use unspool_engine::library::{LibraryError, OpenSession, OpenState, SessionPlace, WatchedSession};
use unspool_engine::ops::locate;
use unspool_engine::ops::marks::{MessageMark, marks};
use unspool_engine::ops::transcript::{Transcript, TranscriptRequest};
use unspool_model::conversation::Liveness;
use unspool_model::ids::EntryId;
use unspool_model::positions::PathNumber;
use unspool_model::time::Time;
use unspool_render::terminal::{
    AgentDisplay, BlockKey, DetailLevel, DiffSides, FoldHints, FoldLevel, Options, ReaderBlock,
    Tools, TranscriptBlocks,
};
use unspool_store::home::{LiveSessions, SystemProcesses};
use unspool_text::style::Line;
use unspool_text::wrap;

use self::aside::{AsideReply, AsideRequest};
pub(crate) use self::find::FindText;
pub(crate) use self::place::ReadPlace;
use super::{WorkCall, WorkContext, WorkLane, WorkReply};

/// A request of the reader.
#[derive(Clone, Debug)]
pub(crate) enum ReaderRequest {
    /// Lays out messages of a conversation.
    Read(Box<LayoutRequest>),
    /// Reads what is next to the messages.
    Aside(Box<AsideRequest>),
}

impl ReaderRequest {
    /// Returns the lane of the request.
    pub(crate) fn lane(&self) -> WorkLane {
        match self {
            Self::Read(_) => WorkLane::Reader,
            Self::Aside(_) => WorkLane::Aside,
        }
    }
}

/// An answer to the reader.
#[derive(Debug)]
pub(crate) enum ReaderReply {
    Read(Box<ReadReply>),
    Aside(Box<AsideReply>),
}

/// A conversation of a session.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct ReadTarget {
    /// The agent; `None` for the session's own conversation.
    pub(crate) agent: Option<String>,
    /// The path; the active one if `None`.
    pub(crate) path: Option<PathNumber>,
}

impl ReadTarget {
    pub(crate) fn request(&self) -> TranscriptRequest {
        TranscriptRequest {
            agent: self.agent.clone(),
            path: self.path,
            ..TranscriptRequest::default()
        }
    }
}

/// The style in which messages are laid out.
#[derive(Clone, Debug)]
pub(crate) struct ReadStyle {
    pub(crate) width: usize,
    pub(crate) calls: FoldLevel,
    pub(crate) thinking: DetailLevel,
    pub(crate) sides: DiffSides,
    pub(crate) folds: Arc<HashMap<BlockKey, FoldLevel>>,
}

/// Everything that the reader currently needs.
#[derive(Clone, Debug)]
pub(crate) struct LayoutRequest {
    pub(crate) place: SessionPlace,
    pub(crate) target: ReadTarget,
    /// Set to check the files for changes first.
    pub(crate) refresh: bool,
    /// The fingerprint of the facts that the reader has.
    pub(crate) known: Option<u64>,
    /// An entry that the reader shows. If the conversation no longer contains it, the path that contains it
    /// is shown instead.
    pub(crate) stay: Option<EntryId>,
    /// The entry to go to.
    pub(crate) at: Option<EntryId>,
    pub(crate) style: ReadStyle,
    /// The number of the layout, so that the reader recognizes answers for an older one.
    pub(crate) generation: u64,
    pub(crate) ranges: Vec<Range<u32>>,
}

/// The answer to a request.
#[derive(Debug)]
pub(crate) struct ReadReply {
    pub(crate) target: ReadTarget,
    pub(crate) generation: u64,
    /// The facts, if the reader's are outdated.
    pub(crate) facts: Option<ReadFacts>,
    pub(crate) laid: Vec<(u32, Vec<ReaderBlock>)>,
    /// The entry to go to, and the message that contains it.
    pub(crate) at: Option<(EntryId, Option<u32>)>,
    pub(crate) problem: Option<ReadProblem>,
}

/// Why there are no messages, or no new ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ReadProblem {
    /// The log was deleted.
    Gone,
    /// The log no longer contains the shown entry.
    Replaced,
    /// The log cannot be read, with the reason.
    Failed(String),
}

/// The facts of a conversation.
#[derive(Clone, Debug)]
pub(crate) struct ReadFacts {
    /// The fingerprint of these facts.
    pub(crate) print: u64,
    pub(crate) title: Option<String>,
    pub(crate) file: PathBuf,
    pub(crate) watched: Option<WatchedSession>,
    /// The name of the agent that is shown.
    pub(crate) agent: Option<String>,
    /// The number of the path that is shown, and all paths.
    pub(crate) path: Option<PathNumber>,
    pub(crate) paths: Vec<ReadPath>,
    pub(crate) path_count: usize,
    pub(crate) marks: Arc<Vec<MessageMark>>,
    /// The first messages of the turns.
    pub(crate) turns: Vec<u32>,
    pub(crate) agents: usize,
    /// The number of messages of all agents.
    pub(crate) agent_messages: usize,
    pub(crate) damaged: u64,
    pub(crate) live: Liveness,
}

/// A path of a conversation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ReadPath {
    pub(crate) number: PathNumber,
    pub(crate) is_active: bool,
    /// The kind of its end, in words.
    pub(crate) words: &'static str,
    /// The time of its last entry.
    pub(crate) ended: Option<Time>,
}

/// The largest number of paths that the reader lists.
const LISTED_PATHS: usize = 500;

/// The number of messages that are laid out before the worker checks for a newer request.
const LAID_AT_ONCE: usize = 16;

/// The worker of the reader.
pub(crate) struct ReaderWork {
    context: WorkContext,
}

impl ReaderWork {
    pub(crate) fn new(context: WorkContext) -> Self {
        Self { context }
    }

    pub(crate) fn answer(&mut self, request: ReaderRequest, call: &mut WorkCall<'_>) {
        match request {
            ReaderRequest::Read(request) => {
                let reply = self.read(&request, call);
                call.reply(WorkReply::Reader(ReaderReply::Read(Box::new(reply))));
            }
            ReaderRequest::Aside(request) => {
                let open = self.open(&request.place);
                aside::answer(&self.context, open, &request, call);
            }
        }
    }

    fn open(&self, place: &SessionPlace) -> Result<Arc<OpenSession>, LibraryError> {
        let library = &self.context.settings.library;
        self.context.sessions.open(library, place)
    }

    fn read(&self, request: &LayoutRequest, call: &WorkCall<'_>) -> ReadReply {
        let mut reply = ReadReply {
            target: request.target.clone(),
            generation: request.generation,
            facts: None,
            laid: Vec::new(),
            at: None,
            problem: None,
        };
        let open = match self.open(&request.place) {
            Ok(open) => open,
            Err(error) => {
                let failed = ReadProblem::Failed(error.to_string());
                // The reader keeps the messages it has; the session just cannot be opened again.
                reply.problem = Some(request.known.map_or(failed, |_| ReadProblem::Gone));
                return reply;
            }
        };
        if request.refresh || request.known.is_none() {
            let home = open.found().home.as_ref();
            let live = home.map(|home| LiveSessions::read(home, &SystemProcesses));
            // If a refresh fails, the state before it is shown.
            let _ = open.refresh(live.as_ref());
        }
        let view = open.view();
        if let Err(problem) = self.fill(&mut reply, request, &open, &view, call) {
            reply.problem = Some(problem);
        }
        if view.is_gone() {
            reply.problem = Some(ReadProblem::Gone);
        }
        reply
    }

    fn fill(
        &self,
        reply: &mut ReadReply,
        request: &LayoutRequest,
        open: &OpenSession,
        state: &OpenState,
        call: &WorkCall<'_>,
    ) -> Result<(), ReadProblem> {
        let failed = |error: LibraryError| ReadProblem::Failed(error.to_string());
        let mut shown = shown_for(state, request).map_err(failed)?;
        if let Some(entry) = &request.stay
            && shown.position_of(entry).is_none()
        {
            let other = other_path(state, &request.target, entry).ok_or(ReadProblem::Replaced)?;
            let transcript = TranscriptRequest { path: Some(other), ..request.target.request() };
            shown = state.transcript(&transcript).map_err(failed)?;
        }
        let print = print_of(&shown);
        if request.known != Some(print) {
            reply.facts = Some(facts(open, &shown, print));
        }
        reply.at = request.at.as_ref().map(|entry| {
            let message = shown.position_of(entry).map(|at| at as u32);
            (entry.clone(), message)
        });
        let options = options(&request.style, &self.context.settings.zone);
        let blocks = TranscriptBlocks::new(&shown, &options, FoldHints::Keys)
            .with_sides(request.style.sides);
        let folds = |key: BlockKey| request.style.folds.get(&key).copied();
        for range in &request.ranges {
            for start in range.clone().step_by(LAID_AT_ONCE) {
                // A newer request does not wait for the whole older one.
                if call.is_stale() && !reply.laid.is_empty() {
                    return Ok(());
                }
                let part = start..range.end.min(start + LAID_AT_ONCE as u32);
                let found =
                    blocks.blocks(part.clone(), &folds).map_err(|error| unreadable(&error))?;
                let mut found = fitted(found, request.style.width).into_iter().peekable();
                for message in part {
                    let is_here = |block: &ReaderBlock| block.key.message == message;
                    let own = std::iter::from_fn(|| found.next_if(is_here));
                    reply.laid.push((message, own.collect()));
                }
            }
        }
        Ok(())
    }
}

/// Wraps the lines that are wider than the screen. `show` leaves lines of code whole, for copying; a reader
/// could not see their ends.
pub(crate) fn fitted(mut blocks: Vec<ReaderBlock>, width: usize) -> Vec<ReaderBlock> {
    for block in &mut blocks {
        if block.lines.iter().any(|line| line.width() > width) {
            let lines = std::mem::take(&mut block.lines);
            block.lines = lines.iter().flat_map(|line| broken(line, width)).collect();
        }
    }
    blocks
}

fn broken(line: &Line, width: usize) -> Vec<Line> {
    if line.width() > width { wrap(line, width) } else { vec![line.clone()] }
}

fn unreadable(error: &io::Error) -> ReadProblem {
    ReadProblem::Failed(error.to_string())
}

/// Lays out the requested conversation; at first, the path with the entry to start at.
fn shown_for<'s>(
    state: &'s OpenState,
    request: &LayoutRequest,
) -> Result<Transcript<'s>, LibraryError> {
    let mut transcript = request.target.request();
    if let (Some(entry), None, None) = (&request.at, request.known, request.target.path)
        && let Some(path) = other_path(state, &request.target, entry)
    {
        transcript.path = Some(path);
    }
    state.transcript(&transcript)
}

/// Returns the number of the path with an entry, if the conversation contains it.
fn other_path(state: &OpenState, target: &ReadTarget, entry: &EntryId) -> Option<PathNumber> {
    let place = locate::find(state.session(), entry.as_str()).ok()?;
    let request = TranscriptRequest { at: Some(place), ..TranscriptRequest::default() };
    let shown = state.transcript(&request).ok()?;
    let is_here = match &target.agent {
        Some(agent) => shown.agent.as_ref() == Some(agent),
        None => shown.agent.is_none(),
    };
    let path = shown.path.as_ref().filter(|_| is_here && shown.at.is_some())?;
    Some(shown.number_of(path))
}

/// Returns a fingerprint of a conversation's state.
fn print_of(shown: &Transcript<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    let log = shown.file.log();
    let agents = shown.agents.iter().map(|agent| agent.message_count);
    (
        log.bytes(),
        log.entries.len(),
        shown.view.messages.len(),
        shown.path_count(),
        shown.live == Liveness::Live,
        agents.collect::<Vec<_>>(),
    )
        .hash(&mut hasher);
    let path = shown.path.as_ref().map(|path| shown.number_of(path));
    (path, &shown.agent).hash(&mut hasher);
    hasher.finish()
}

fn facts(open: &OpenSession, shown: &Transcript<'_>, print: u64) -> ReadFacts {
    let (_, listed) = shown.listed_paths();
    let graph = &shown.conversation.graph;
    let paths = listed.iter().take(LISTED_PATHS).map(|path| ReadPath {
        number: shown.number_of(path),
        is_active: path.active,
        words: path.kind.words(),
        ended: graph.entry(shown.file.log(), path.head).time,
    });
    let info = shown.agent.as_ref().and_then(|id| {
        let mut agents = shown.agents.iter();
        agents.find(|agent| agent.id == *id)
    });
    let agent = info.map(|info| {
        let words = info.description.as_ref().or(info.kind.as_ref());
        words.unwrap_or(&info.id).clone()
    });
    ReadFacts {
        print,
        title: shown.title(),
        file: shown.file.path().to_owned(),
        watched: WatchedSession::of(open.found()),
        agent,
        path: shown.path.as_ref().map(|path| shown.number_of(path)),
        paths: paths.collect(),
        path_count: shown.path_count(),
        marks: Arc::new(marks(shown)),
        turns: shown.turns.iter().map(|turn| turn.messages.start).collect(),
        agents: shown.agents.len(),
        agent_messages: shown.agents.iter().map(|agent| agent.message_count).sum(),
        damaged: shown.counts().damaged,
        live: shown.live,
    }
}

/// Returns the options that paint a session in this style.
pub(crate) fn options(style: &ReadStyle, zone: &TimeZone) -> Options {
    Options {
        width: style.width,
        thinking: style.thinking,
        tools: match style.calls {
            FoldLevel::Line => Tools::Line,
            FoldLevel::Summary => Tools::Summary,
            FoldLevel::Full => Tools::Full,
        },
        agents: AgentDisplay::Folded,
        zone: zone.clone(),
        find: None,
    }
}
