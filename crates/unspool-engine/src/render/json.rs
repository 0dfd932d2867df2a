//! JSON for scripts: the documented contract, one place.
//!
//! Messages are read and written one at a time, so a session of any size goes through
//! with the memory of one message. `docs/json.md` says what every field means.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;

use serde::ser::{SerializeMap as _, SerializeSeq as _};
use serde::{Serialize, Serializer};
use serde_json::ser::Formatter;
use serde_json::value::RawValue;
use unspool_model::conversation::{Counts, Liveness, Turn};
use unspool_model::ids::ProjectId;
use unspool_model::paths::Speller;
use unspool_model::record::MediaKind;
use unspool_model::time::Time;
use unspool_model::usage::Tokens;

use crate::ops::agents::AgentInfo;
use crate::ops::list::Row;
use crate::ops::message::{BlockText, CallText, MessageText, ResultText};
use crate::ops::transcript::Transcript;
use crate::ops::tree::TreeRow;

/// The version of the contract.
pub const SCHEMA: u32 = 1;

/// Writes a session as one object.
pub fn transcript(transcript: &Transcript<'_>, out: impl io::Write) -> io::Result<()> {
    let failure = RefCell::new(None);
    let document = Document {
        transcript,
        failure: &failure,
    };
    let result = write(&document, out);
    match failure.into_inner() {
        Some(error) => Err(error),
        None => result,
    }
}

/// Writes any value as JSON that is safe to print: see [`Escaped`].
pub fn write(value: &impl Serialize, out: impl io::Write) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(out, Escaped);
    value.serialize(&mut serializer).map_err(io::Error::from)
}

/// Writes one value and a newline.
pub fn write_line(value: &impl Serialize, mut out: impl io::Write) -> io::Result<()> {
    write(value, &mut out)?;
    out.write_all(b"\n")
}

/// Compact JSON in which control characters beyond ASCII and those that turn the direction
/// of writing are escaped too, so that printing it does nothing to a terminal.
struct Escaped;

impl Escaped {
    fn fragment(fragment: &str, writer: &mut (impl io::Write + ?Sized)) -> io::Result<()> {
        let acts = |c: char| matches!(c, '\u{7f}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        let mut rest = fragment;
        while let Some(at) = rest.find(acts) {
            writer.write_all(rest[..at].as_bytes())?;
            let character = rest[at..].chars().next().unwrap_or_default();
            write!(writer, "\\u{:04x}", character as u32)?;
            rest = &rest[at + character.len_utf8()..];
        }
        writer.write_all(rest.as_bytes())
    }
}

impl Formatter for Escaped {
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

/// Tokens as scripts see them.
#[derive(Serialize)]
pub struct TokensJson {
    input: u64,
    output: u64,
    cache_write_5m: u64,
    cache_write_1h: u64,
    cache_read: u64,
}

impl From<Tokens> for TokensJson {
    fn from(tokens: Tokens) -> Self {
        Self {
            input: tokens.input,
            output: tokens.output,
            cache_write_5m: tokens.cache_write_5m,
            cache_write_1h: tokens.cache_write_1h,
            cache_read: tokens.cache_read,
        }
    }
}

/// Writes an instant as scripts see it.
pub fn time(time: Option<Time>) -> Option<String> {
    time.map(|time| time.to_string())
}

struct Document<'t, 's> {
    transcript: &'t Transcript<'s>,
    failure: &'t RefCell<Option<io::Error>>,
}

impl Serialize for Document<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let shown = self.transcript;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("schema", &SCHEMA)?;
        map.serialize_entry("session", &session(shown))?;
        map.serialize_entry("rule", shown.conversation.rule.name())?;
        map.serialize_entry("view", shown.kind.name())?;
        map.serialize_entry("agent", &shown.agent)?;
        map.serialize_entry("path", &shown.path.as_ref().map(|path| path.index))?;
        map.serialize_entry("counts", &CountsJson::from(shown.counts()))?;
        map.serialize_entry("paths", &PathsJson(shown))?;
        map.serialize_entry("messages", &Messages(self))?;
        let prompts = prompts(shown).map_err(serde::ser::Error::custom)?;
        let turns = &shown.turns[as_range(&shown.shown_turns)];
        let turns: Vec<_> = (shown.shown_turns.start + 1..)
            .zip(turns.iter().zip(&prompts))
            .map(|(index, (turn, prompt))| turn_json(index, turn, prompt))
            .collect();
        map.serialize_entry("turns", &turns)?;
        map.serialize_entry("tokens", &TokensJson::from(shown.tokens()))?;
        let agents: Vec<_> = shown.agents.iter().map(agent_json).collect();
        map.serialize_entry("agents", &agents)?;
        let side_files: Vec<_> = shown
            .side_files()
            .into_iter()
            .map(|file| SideFileJson {
                kind: file.kind.as_str(),
                path: file.path.display().to_string(),
                bytes: file.bytes,
            })
            .collect();
        map.serialize_entry("side_files", &side_files)?;
        let lineage: Vec<_> = shown
            .lineage
            .iter()
            .map(|kin| LineageJson {
                session: kin.session.as_str(),
                shared: kin.shared,
            })
            .collect();
        map.serialize_entry("lineage", &lineage)?;
        map.end()
    }
}

fn as_range(range: &std::ops::Range<u32>) -> std::ops::Range<usize> {
    range.start as usize..range.end as usize
}

#[derive(Serialize)]
struct SessionJson {
    id: String,
    home: Option<String>,
    project: Option<String>,
    cwd: Option<String>,
    title: Option<String>,
    file: String,
    started: Option<String>,
    ended: Option<String>,
    version: Option<String>,
    git_branch: Option<String>,
    bytes: u64,
    live: bool,
}

fn session(shown: &Transcript<'_>) -> SessionJson {
    let session = shown.session;
    let log = session.log();
    let facts = &log.facts;
    let text = |symbol: Option<_>| symbol.map(|symbol| log.text(symbol).to_owned());
    SessionJson {
        id: session.id.as_str().to_owned(),
        home: session.home.as_ref().map(|home| home.display().to_string()),
        project: session
            .project
            .as_ref()
            .map(|project| project.as_str().to_owned()),
        cwd: text(facts.cwd),
        title: shown.title(),
        file: shown.file.path().display().to_string(),
        started: time(facts.started),
        ended: time(facts.ended),
        version: text(facts.version),
        git_branch: text(facts.branch),
        bytes: shown.file.log().bytes(),
        live: shown.live == Liveness::Live,
    }
}

#[derive(Serialize)]
struct CountsJson {
    entries: u64,
    active: u64,
    other_paths: u64,
    agents: u64,
    metadata: u64,
    damaged: u64,
}

impl From<Counts> for CountsJson {
    fn from(counts: Counts) -> Self {
        Self {
            entries: counts.entries,
            active: counts.active,
            other_paths: counts.other_paths,
            agents: counts.agents,
            metadata: counts.metadata,
            damaged: counts.damaged,
        }
    }
}

struct PathsJson<'t, 's>(&'t Transcript<'s>);

impl Serialize for PathsJson<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let conversation = &self.0.conversation;
        let (log, graph) = (conversation.log, &conversation.graph);
        let uuid = |node: u32| graph.entry(log, node).uuid.map(|uuid| log.text(uuid));
        let (set, listed) = self.0.listed_paths();
        let mut speller = Speller::new(set, graph);
        let mut list = serializer.serialize_seq(Some(listed.len()))?;
        for path in listed {
            let nodes = speller.nodes(path);
            list.serialize_element(&PathJson {
                index: path.index,
                status: if path.active { "active" } else { "abandoned" },
                head: uuid(path.head),
                fork_point: path.fork_point.and_then(uuid),
                entries: nodes.iter().filter_map(|&node| uuid(node)).collect(),
                message_count: conversation.view_of(&nodes).messages.len(),
            })?;
        }
        list.end()
    }
}

#[derive(Serialize)]
struct PathJson<'a> {
    index: u32,
    status: &'static str,
    head: Option<&'a str>,
    fork_point: Option<&'a str>,
    entries: Vec<&'a str>,
    message_count: usize,
}

struct Messages<'d, 't, 's>(&'d Document<'t, 's>);

impl Serialize for Messages<'_, '_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let shown = self.0.transcript;
        let mut reader = shown.reader();
        let messages = &shown.view.messages[as_range(&shown.shown)];
        let mut list = serializer.serialize_seq(Some(messages.len()))?;
        for message in messages {
            match reader.read(&shown.view, message) {
                Ok(text) => list.serialize_element(&MessageJson::from(&text))?,
                Err(error) => {
                    let said = serde::ser::Error::custom(&error);
                    *self.0.failure.borrow_mut() = Some(error);
                    return Err(said);
                }
            }
        }
        list.end()
    }
}

/// A message as scripts see it.
#[derive(Serialize)]
pub struct MessageJson<'a> {
    role: &'static str,
    kind: &'static str,
    entries: &'a [String],
    time: Option<String>,
    model: Option<&'a str>,
    blocks: Vec<BlockJson<'a>>,
}

impl<'a> From<&'a MessageText> for MessageJson<'a> {
    fn from(message: &'a MessageText) -> Self {
        Self {
            role: message.speaker.name(),
            kind: message.kind.name(),
            entries: &message.entries,
            time: time(message.time),
            model: message.model.as_deref(),
            blocks: message.blocks.iter().map(BlockJson::from).collect(),
        }
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum BlockJson<'a> {
    Text {
        text: &'a str,
    },
    Thinking {
        text: &'a str,
    },
    Call(CallJson<'a>),
    Image {
        media_type: Option<&'a str>,
        bytes: Option<u64>,
    },
    Document {
        media_type: Option<&'a str>,
        bytes: Option<u64>,
    },
    Other {
        name: Option<&'a str>,
    },
}

/// Returns a text, or nothing for one that says nothing.
fn known(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

#[derive(Serialize)]
struct CallJson<'a> {
    id: Option<&'a str>,
    name: Option<&'a str>,
    input: Option<&'a RawValue>,
    status: &'static str,
    result: Option<ResultJson<'a>>,
    agent: Option<&'a str>,
    duration_ms: Option<u64>,
}

#[derive(Serialize)]
struct ResultJson<'a> {
    entry: Option<&'a str>,
    text: &'a str,
    is_error: bool,
}

impl<'a> From<&'a BlockText> for BlockJson<'a> {
    fn from(block: &'a BlockText) -> Self {
        match block {
            BlockText::Text(text) => Self::Text { text },
            BlockText::Thinking(text) => Self::Thinking { text },
            BlockText::Call(call) => Self::Call(CallJson::from(&**call)),
            BlockText::Media(media) => {
                let media_type = known(&media.media_type);
                let bytes = media.bytes;
                match media.kind {
                    MediaKind::Image => Self::Image { media_type, bytes },
                    MediaKind::Document => Self::Document { media_type, bytes },
                }
            }
            BlockText::Other { name } => Self::Other { name: known(name) },
        }
    }
}

impl<'a> From<&'a CallText> for CallJson<'a> {
    fn from(call: &'a CallText) -> Self {
        Self {
            id: call.id.as_deref(),
            name: known(&call.name),
            input: serde_json::from_str(&call.input).ok(),
            status: call.status.name(),
            result: call.result.as_ref().map(
                |ResultText {
                     entry,
                     text,
                     is_error,
                     ..
                 }| ResultJson {
                    entry: entry.as_deref(),
                    text,
                    is_error: *is_error,
                },
            ),
            agent: call.agent.as_deref(),
            duration_ms: call.duration_ms,
        }
    }
}

#[derive(Serialize)]
struct TurnJson<'a> {
    index: u32,
    prompt: &'a str,
    entry: Option<&'a str>,
    started: Option<String>,
    ended: Option<String>,
    duration_ms: Option<u64>,
    calls: u32,
    tokens: TokensJson,
    outcome: &'static str,
}

/// Reads the text of each shown turn's prompt, with the uuid of its entry.
fn prompts(shown: &Transcript<'_>) -> io::Result<Vec<(String, Option<String>)>> {
    let mut reader = shown.reader();
    shown.turns[as_range(&shown.shown_turns)]
        .iter()
        .map(|turn| {
            let message = &shown.view.messages[turn.messages.start as usize];
            let text = reader.read(&shown.view, message)?;
            let said: Vec<&str> = text
                .blocks
                .iter()
                .filter_map(|block| match block {
                    BlockText::Text(text) => Some(text.as_str()),
                    _ => None,
                })
                .collect();
            Ok((said.join("\n"), text.entries.into_iter().next()))
        })
        .collect()
}

fn turn_json<'a>(index: u32, turn: &Turn, prompt: &'a (String, Option<String>)) -> TurnJson<'a> {
    TurnJson {
        index,
        prompt: &prompt.0,
        entry: prompt.1.as_deref(),
        started: time(turn.started),
        ended: time(turn.ended),
        duration_ms: turn.duration_ms,
        calls: turn.calls,
        tokens: turn.tokens.into(),
        outcome: turn.outcome.name(),
    }
}

#[derive(Serialize)]
struct AgentJson<'a> {
    id: &'a str,
    call: Option<&'a str>,
    #[serde(rename = "type")]
    kind: Option<&'a str>,
    description: Option<&'a str>,
    depth: u32,
    message_count: usize,
    file: String,
    forked_at: Option<&'a str>,
}

fn agent_json(agent: &AgentInfo) -> AgentJson<'_> {
    AgentJson {
        id: &agent.id,
        call: agent.call.as_deref(),
        kind: agent.kind.as_deref(),
        description: agent.description.as_deref(),
        depth: agent.depth,
        message_count: agent.message_count,
        file: agent.file.display().to_string(),
        forked_at: agent.forked_at.as_deref(),
    }
}

#[derive(Serialize)]
struct SideFileJson {
    kind: &'static str,
    path: String,
    bytes: u64,
}

#[derive(Serialize)]
struct LineageJson<'a> {
    session: &'a str,
    shared: u64,
}

/// A session of a list as scripts see it: one line.
#[derive(Serialize)]
pub struct RowJson<'a> {
    schema: u32,
    id: &'a str,
    home: Option<String>,
    project: Option<&'a str>,
    cwd: Option<&'a str>,
    file: String,
    title: Option<&'a str>,
    first_prompt: Option<&'a str>,
    started: Option<String>,
    ended: Option<String>,
    duration_ms: Option<u64>,
    turns: usize,
    messages: usize,
    calls: usize,
    tools: &'a BTreeMap<String, usize>,
    models: &'a [String],
    git_branch: Option<&'a str>,
    version: Option<&'a str>,
    tokens: TokensJson,
    cost_usd: Option<f64>,
    files_changed: usize,
    agents: usize,
    branches: usize,
    compactions: usize,
    bytes: u64,
    status: &'static str,
    kind: &'static str,
    live: bool,
}

impl<'a> From<&'a Row> for RowJson<'a> {
    fn from(row: &'a Row) -> Self {
        Self {
            schema: SCHEMA,
            id: row.id.as_str(),
            home: row.home.as_ref().map(|home| home.display().to_string()),
            project: row.project.as_ref().map(ProjectId::as_str),
            cwd: row.cwd.as_deref(),
            file: row.file.display().to_string(),
            title: row.title.as_deref(),
            first_prompt: row.first_prompt.as_deref(),
            started: time(row.started),
            ended: time(row.ended),
            duration_ms: row
                .started
                .zip(row.ended)
                .map(|(start, end)| end.since(start)),
            turns: row.turns,
            messages: row.messages,
            calls: row.calls,
            tools: &row.tools,
            models: &row.models,
            git_branch: row.git_branch.as_deref(),
            version: row.version.as_deref(),
            tokens: row.tokens.into(),
            cost_usd: None,
            files_changed: row.files_changed,
            agents: row.agents,
            branches: row.branches,
            compactions: row.compactions,
            bytes: row.bytes,
            status: row.status.name(),
            kind: row.kind.name(),
            live: row.live,
        }
    }
}

/// The tree of a session as scripts see it: one object.
#[derive(Serialize)]
pub struct TreeJson<'a> {
    schema: u32,
    session: &'a str,
    rule: &'static str,
    rows: Vec<TreeRowJson<'a>>,
    unlinked_agents: Vec<&'a str>,
}

#[derive(Serialize)]
struct TreeRowJson<'a> {
    depth: u32,
    kind: &'static str,
    entry: Option<&'a str>,
    time: Option<String>,
    text: &'a str,
    active: bool,
    messages: u32,
    calls: u32,
    agents: Vec<&'a str>,
    paths: &'a [u32],
    forks: u32,
}

impl<'a> TreeJson<'a> {
    /// Takes the rows of a session.
    pub fn new(shown: &'a Transcript<'_>, rows: &'a [TreeRow]) -> Self {
        let rows = rows
            .iter()
            .map(|row| TreeRowJson {
                depth: row.depth,
                kind: row.kind.name(),
                entry: row.entry.as_deref(),
                time: time(row.time),
                text: &row.text,
                active: row.active,
                messages: row.messages,
                calls: row.calls,
                agents: row.agents.iter().map(|agent| agent.id.as_str()).collect(),
                paths: &row.paths,
                forks: row.forks,
            })
            .collect();
        let session = shown.session.id.as_str();
        Self {
            schema: SCHEMA,
            session,
            rule: shown.conversation.rule.name(),
            rows,
            unlinked_agents: shown.unlinked().map(|agent| agent.id.as_str()).collect(),
        }
    }
}
