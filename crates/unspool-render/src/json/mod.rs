//! JSON for scripts: the documented contract, in one place.
//!
//! Messages are read and written one at a time, so a session of any size takes the memory of one
//! message. `docs/json.md` explains every field.

mod archive;
mod changes;
mod check;
mod compare;
mod config;
mod context;
mod hits;
mod inbox;
mod message;
mod overview;
mod pages;
mod recap;
mod resume;
mod rows;
mod secrets;
mod served;
mod stats;
mod summary;
#[cfg(test)]
mod tests;
mod timeline;
mod watch;
mod wire;

use std::borrow::Cow;
use std::cell::RefCell;
use std::io;

use serde::ser::SerializeSeq as _;
use serde::{Serialize, Serializer};
use serde_json::ser::Formatter;
use unspool_model::conversation::{Liveness, RecordCounts, Turn};
use unspool_model::facts::Facts;
use unspool_model::ids::EntryId;
use unspool_model::paths::PathNodeLister;
use unspool_model::positions::NodeId;
use unspool_model::symbols::Symbol;
use unspool_model::time::Time;
use unspool_model::usage::Tokens;

use unspool_engine::ops::agents::AgentInfo;
use unspool_engine::ops::lineage::RelatedSession;
use unspool_engine::ops::transcript::Transcript;
use unspool_store::home::SideFile;

pub use archive::{DamageJson, KeptJson, RestoredJson, StoredJson};
pub use changes::ChangesJson;
pub use check::{CheckSummaryJson, FindingJson};
pub use compare::CompareJson;
pub use config::{ConfigFileJson, ConfigJson, PriceJson, SettingJson, SettingValueJson};
pub use context::ContextSeriesJson;
pub use hits::HitJson;
pub use inbox::{InboxItemJson, InboxJson, ProjectsJson};
pub use message::MessageJson;
pub use overview::OverviewJson;
pub use pages::{
    CheckReportJson, HitsPageJson, MessagesPageJson, SessionAgentsJson, SessionsPageJson,
};
pub use recap::RecapJson;
pub use resume::ResumeJson;
pub use rows::{RowJson, TreeJson};
pub use secrets::{SecretsJson, SecretsSummaryJson};
pub use served::{
    AgentChangedJson, NothingJson, ProblemJson, ServerStatusJson, SessionChangedJson,
    StreamEndJson, StreamHelloJson, StreamMessageJson, StreamPathJson, StreamResetJson,
    StreamStatusJson,
};
pub use stats::{ExplainedJson, StatsJson};
pub use summary::SummaryJson;
pub use timeline::TimelineJson;
pub use watch::WatchJson;
pub(crate) use wire::wire;

/// The version of the contract.
pub const SCHEMA: u32 = 1;

/// Writes a session as one object.
pub fn transcript(transcript: &Transcript<'_>, out: impl io::Write) -> io::Result<()> {
    // Serde turns an error of the reader into a text, so the error itself is passed around it.
    let failure = RefCell::new(None);
    let result = write(&DocumentJson::new(transcript, &failure), out);
    match failure.into_inner() {
        Some(error) => Err(error),
        None => result,
    }
}

/// Writes a value as JSON that is safe to print: no character in it acts on a terminal.
pub fn write(value: &impl Serialize, out: impl io::Write) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(out, EscapedJson);
    value.serialize(&mut serializer).map_err(io::Error::from)
}

/// Writes one value and a newline.
pub fn write_line(value: &impl Serialize, mut out: impl io::Write) -> io::Result<()> {
    write(value, &mut out)?;
    out.write_all(b"\n")
}

/// The format of compact JSON that also escapes control characters beyond ASCII and characters that
/// change the direction of writing, so that a terminal can print it safely.
struct EscapedJson;

impl EscapedJson {
    fn fragment(fragment: &str, writer: &mut (impl io::Write + ?Sized)) -> io::Result<()> {
        let acts = |c: char| matches!(c, '\u{7f}'..='\u{9f}' | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        let mut rest = fragment;
        while let Some(at) = rest.find(acts) {
            writer.write_all(&rest.as_bytes()[..at])?;
            let character = rest[at..].chars().next().unwrap_or_default();
            write!(writer, "\\u{:04x}", character as u32)?;
            rest = &rest[at + character.len_utf8()..];
        }
        writer.write_all(rest.as_bytes())
    }
}

impl Formatter for EscapedJson {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        Self::fragment(fragment, writer)
    }

    fn write_raw_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        Self::fragment(fragment, writer)
    }
}

wire! {
    /// Tokens by kind.
    pub struct TokensJson from(tokens: Tokens) {
        input: u64 = tokens.input,
        output: u64 = tokens.output,
        cache_write_5m: u64 = tokens.cache_write_5m,
        cache_write_1h: u64 = tokens.cache_write_1h,
        cache_read: u64 = tokens.cache_read,
    }
}

/// Converts every item to JSON.
fn all<'a, T, J: From<&'a T>>(items: &'a [T]) -> Vec<J> {
    items.iter().map(J::from).collect()
}

/// Formats a time.
pub fn time(time: Option<Time>) -> Option<String> {
    time.map(|time| time.to_string())
}

wire! {
    /// A session: one object.
    struct DocumentJson<'t, 's> new(
        shown: &'t Transcript<'s>,
        failure: &'t RefCell<Option<io::Error>>,
    ) {
        schema: u32 = SCHEMA,
        session: SessionJson = shown.into(),
        rule: &'static str = shown.conversation.rule.name(),
        view: &'static str = shown.kind.name(),
        agent: Option<&'t str> = shown.agent.as_deref(),
        path: Option<u32> = number(shown),
        at: Option<u32> = shown.at.as_ref().map(|at| at.message),
        counts: CountsJson = CountsJson::from(shown.counts()),
        #[cfg_attr(test, schemars(with = "Vec<PathJson>"))]
        paths: PathsJson<'t, 's> = PathsJson(shown),
        #[cfg_attr(test, schemars(with = "Vec<MessageJson>"))]
        messages: MessagesJson<'t, 's> = MessagesJson { shown, failure },
        #[cfg_attr(test, schemars(with = "Vec<TurnJson>"))]
        turns: TurnsJson<'t, 's> = TurnsJson(shown),
        tokens: TokensJson = TokensJson::from(shown.tokens()),
        agents: Vec<AgentJson<'t>> = agents(shown),
        side_files: Vec<SideFileJson> = side_files(shown),
        lineage: Vec<LineageJson<'t>> = lineage(shown),
    }
}

/// Returns the number of the shown path.
fn number(shown: &Transcript<'_>) -> Option<u32> {
    shown.path.as_ref().map(|path| shown.number_of(path).get())
}

fn agents<'t>(shown: &'t Transcript<'_>) -> Vec<AgentJson<'t>> {
    let redacted = |agent: &AgentInfo| shown.redacted(agent.file.display().to_string());
    let agents = shown.agents.iter();
    agents.map(|agent| AgentJson { file: redacted(agent), ..agent.into() }).collect()
}

fn side_files(shown: &Transcript<'_>) -> Vec<SideFileJson> {
    shown.side_files().iter().map(|file| SideFileJson::new(shown, file)).collect()
}

fn lineage<'t>(shown: &'t Transcript<'_>) -> Vec<LineageJson<'t>> {
    shown.lineage.iter().map(|related| LineageJson::new(shown, related)).collect()
}

/// Returns a fact of the log, redacted.
fn logged(shown: &Transcript<'_>, fact: impl FnOnce(&Facts) -> Option<Symbol>) -> Option<String> {
    let log = shown.session.log();
    fact(&log.facts).map(|symbol| shown.redacted(log.text(symbol).to_owned()))
}

fn as_range(range: &std::ops::Range<u32>) -> std::ops::Range<usize> {
    range.start as usize..range.end as usize
}

wire! {
    struct SessionJson from(shown: &Transcript<'_>) {
        id: String = shown.shown_id(shown.session.id.as_str()),
        home: Option<String> = {
            let home = shown.session.home.as_ref();
            home.map(|home| shown.redacted(home.display().to_string()))
        },
        project: Option<String> = {
            let project = shown.session.project.as_ref();
            project.map(|project| shown.redacted(project.to_string()))
        },
        cwd: Option<String> = shown.cwd(),
        title: Option<String> = shown.title(),
        file: String = shown.redacted(shown.file.path().display().to_string()),
        started: Option<String> = time(shown.started()),
        ended: Option<String> = time(shown.ended()),
        version: Option<String> = logged(shown, |facts| facts.version),
        git_branch: Option<String> = logged(shown, |facts| facts.branch),
        bytes: u64 = shown.file.log().bytes(),
        live: bool = shown.live == Liveness::Live,
    }

    /// The numbers of records in a log, by what they belong to.
    pub struct CountsJson from(counts: RecordCounts) {
        entries: u64 = counts.entries,
        active: u64 = counts.active,
        other_paths: u64 = counts.other_paths,
        agents: u64 = counts.agents,
        metadata: u64 = counts.metadata,
        damaged: u64 = counts.damaged,
    }
}

struct PathsJson<'t, 's>(&'t Transcript<'s>);

impl Serialize for PathsJson<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.path_count()))?;
        each_path(self.0, |path, nodes| {
            let entries = nodes.iter().filter_map(|&node| uuid(self.0, node));
            list.serialize_element(&PathJson { path, entries: entries.collect() })
        })?;
        list.end()
    }
}

/// Passes the head and the nodes of every path to `each`, one path after the other.
fn each_path<'t, E>(
    shown: &'t Transcript<'_>,
    mut each: impl FnMut(PathHeadJson<'t>, &[NodeId]) -> Result<(), E>,
) -> Result<(), E> {
    let conversation = &shown.conversation;
    let (set, listed) = shown.listed_paths();
    let mut speller = PathNodeLister::default();
    for (index, path) in (1u32..).zip(listed) {
        let nodes = speller.nodes(set, &conversation.graph, path);
        let head = PathHeadJson {
            index,
            status: if path.active { "active" } else { "abandoned" },
            kind: path.kind.name(),
            head: uuid(shown, path.head),
            fork_point: path.fork_point.and_then(|node| uuid(shown, node)),
            message_count: conversation.view_of(&nodes).messages.len(),
        };
        each(head, &nodes)?;
    }
    Ok(())
}

/// Returns the uuid of a node, redacted.
fn uuid<'t>(shown: &'t Transcript<'_>, node: NodeId) -> Option<Cow<'t, str>> {
    let conversation = &shown.conversation;
    let log = conversation.log;
    let uuid = conversation.graph.entry(log, node).uuid?;
    Some(shown.entry_id(log.text(uuid)))
}

/// A path with its entries.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PathJson<'a> {
    #[serde(flatten)]
    path: PathHeadJson<'a>,
    entries: Vec<Cow<'a, str>>,
}

/// A path without its entries.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PathHeadJson<'a> {
    index: u32,
    status: &'static str,
    kind: &'static str,
    head: Option<Cow<'a, str>>,
    fork_point: Option<Cow<'a, str>>,
    message_count: usize,
}

/// The messages, each read when it is written.
struct MessagesJson<'t, 's> {
    shown: &'t Transcript<'s>,
    failure: &'t RefCell<Option<io::Error>>,
}

impl Serialize for MessagesJson<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let shown = self.shown;
        let mut reader = shown.reader();
        let messages = &shown.view.messages[as_range(&shown.shown)];
        let mut list = serializer.serialize_seq(Some(messages.len()))?;
        for message in messages {
            match reader.read(&shown.view, message) {
                Ok(text) => list.serialize_element(&MessageJson::from(&text))?,
                Err(error) => {
                    let said = serde::ser::Error::custom(&error);
                    *self.failure.borrow_mut() = Some(error);
                    return Err(said);
                }
            }
        }
        list.end()
    }
}

/// The turns, with prompts that are read when they are written.
struct TurnsJson<'t, 's>(&'t Transcript<'s>);

impl Serialize for TurnsJson<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let shown = self.0;
        let prompts = prompts(shown).map_err(serde::ser::Error::custom)?;
        let turns = &shown.turns[shown.shown_turns.clone()];
        let first = shown.shown_turns.start as u32 + 1;
        let turns = (first..).zip(turns.iter().zip(&prompts));
        serializer
            .collect_seq(turns.map(|(index, (turn, prompt))| TurnJson::new(index, turn, prompt)))
    }
}

/// Reads the text of each shown turn's prompt, with the uuid of its entry.
fn prompts(shown: &Transcript<'_>) -> io::Result<Vec<(String, Option<EntryId>)>> {
    let mut reader = shown.reader();
    shown.turns[shown.shown_turns.clone()]
        .iter()
        .map(|turn| {
            let message = &shown.view.messages[turn.messages.start as usize];
            let text = reader.read(&shown.view, message)?;
            let said = text.said();
            Ok((said, text.entries.into_iter().next()))
        })
        .collect()
}

wire! {
    struct TurnJson<'a> new(index: u32, turn: &Turn, prompt: &'a (String, Option<EntryId>)) {
        index: u32 = index,
        prompt: Option<&'a str> = Some(prompt.0.as_str()).filter(|text| !text.is_empty()),
        entry: Option<&'a str> = prompt.1.as_ref().map(EntryId::as_str),
        started: Option<String> = time(turn.started),
        ended: Option<String> = time(turn.ended),
        duration_ms: Option<u64> = turn.duration_ms,
        calls: u32 = turn.calls,
        tokens: TokensJson = turn.tokens.into(),
        outcome: &'static str = turn.outcome.name(),
    }

    struct AgentJson<'a> from(agent: &'a AgentInfo) {
        id: &'a str = &agent.id,
        call: Option<&'a str> = agent.call.as_deref(),
        #[serde(rename = "type")]
        kind: Option<&'a str> = agent.kind.as_deref(),
        description: Option<&'a str> = agent.description.as_deref(),
        depth: u32 = agent.depth,
        message_count: usize = agent.message_count,
        file: String = agent.file.display().to_string(),
        forked_at: Option<&'a str> = agent.forked_at.as_deref(),
    }

    struct SideFileJson new(shown: &Transcript<'_>, file: &SideFile) {
        kind: &'static str = file.kind.name(),
        path: String = shown.redacted(file.path.display().to_string()),
        bytes: u64 = file.bytes,
    }

    struct LineageJson<'a> new(shown: &Transcript<'_>, related: &'a RelatedSession) {
        session: Cow<'a, str> = shown.entry_id(related.session.as_str()),
        shared: u64 = related.shared,
    }
}
