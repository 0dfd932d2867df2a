//! The header of a transcript: its session, its path, and its cost.
//!
//! Plain data, known before the first passage is built. Texts come from the log and are hostile;
//! every surface escapes them.

use std::ops::Range;

use unspool_model::conversation::TurnOutcome;
use unspool_model::ids::{EntryId, ProjectId, SessionId};
use unspool_model::names;
use unspool_model::paths::{LeavingPaths, Path, Paths};
use unspool_model::positions::{PathNumber, TurnNumber};
use unspool_model::time::Time;
use unspool_model::usage::Tokens;
use unspool_text::human;

use unspool_engine::ops::transcript::ViewKind;

/// Facts about a transcript that are known before it begins.
#[derive(Clone, Debug)]
pub struct TranscriptHead {
    /// The session.
    pub session: SessionId,
    /// The path that is shown.
    pub path: PathHead,
    /// Whether the whole path is shown, or the context that the model would be sent.
    pub view: ViewKind,
    /// The number of compactions on the path; zero for a context.
    pub compactions: usize,
    /// The number of messages that are shown.
    pub messages: usize,
    /// The session's title.
    pub title: Option<String>,
    /// The project, by the name of its folder in the home.
    pub project: Option<ProjectId>,
    /// The folder that the session began in.
    pub cwd: Option<String>,
    /// The last git branch in the log.
    pub branch: Option<String>,
    /// The last version of the client in the log.
    pub version: Option<String>,
    /// The earliest entry of the file.
    pub started: Option<Time>,
    /// The latest entry of the file.
    pub ended: Option<Time>,
    /// The models that answered.
    pub models: Vec<String>,
    /// The tokens that the session and its agents used.
    pub tokens: Tokens,
    /// The cost of the tokens in US dollars; `None` if a model has no price.
    pub cost_usd: Option<f64>,
    /// The agent whose conversation this is; `None` for the session's own.
    pub agent: Option<AgentHead>,
    /// The turns, for an outline.
    pub turns: Vec<TurnHead>,
    /// The session's other paths.
    pub others: OtherPaths,
    /// Paths that are not written because this one contains all of them.
    pub held_paths: Vec<HeldPath>,
}

impl TranscriptHead {
    /// Returns the lines that every transcript begins with; `escape` escapes a text of the log,
    /// `strong` emphasizes a text.
    pub fn opening(
        &self,
        escape: impl Fn(&str) -> String,
        strong: impl Fn(&str) -> String,
    ) -> Vec<String> {
        let mut lines = vec![
            format!("Session ID: {}", escape(self.session.as_str())),
            format!("Path: {} of {}", self.path.number, self.path.total),
            format!("Status: {}", self.path.status.word()),
        ];
        let fork = self.path.fork_point.as_ref();
        lines.extend(fork.map(|fork| format!("Fork Point: {}", escape(fork.as_str()))));
        if self.compactions > 0 {
            let words = strong("Contains Compact Operation(s)");
            lines.push(format!("{words} - Full conversation including compacted segments"));
        }
        lines.push(format!("Total Messages: {}", self.messages));
        lines
    }

    /// Returns further known facts as names and values.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = Vec::new();
        let mut add = |name: &'static str, value: Option<String>| {
            let value = value.filter(|value| !value.is_empty());
            facts.extend(value.map(|value| (name, value)));
        };
        let agent = self.agent.as_ref();
        add("Agent", agent.map(|agent| agent.id.clone()));
        add("Agent type", agent.and_then(|agent| agent.kind.clone()));
        add("Task", agent.and_then(|agent| agent.description.clone()));
        add("Title", self.title.clone());
        let folder = || self.project.as_ref().map(ToString::to_string);
        add("Project", self.cwd.clone().or_else(folder));
        add("Branch", self.branch.clone());
        add("Started", self.started.map(utc));
        add("Ended", self.ended.map(utc));
        // Models and tokens are known for a session with all its agents, not for one of them.
        let (models, used, cost) = match agent {
            None => ("Models", "Tokens", "Cost"),
            Some(_) => ("Models of the session", "Tokens of the session", "Cost of the session"),
        };
        add(models, Some(self.models.join(", ")));
        let any = Some(self.tokens).filter(|used| used.sum() > 0);
        add(used, any.map(tokens));
        add(cost, self.cost_usd.filter(|_| any.is_some()).map(human::dollars));
        add("Claude Code", self.version.clone());
        if self.view == ViewKind::Context {
            let words = "what the model would be sent next, from the last compaction on";
            add("View", Some(words.to_owned()));
        }
        facts
    }
}

/// Formats a time in UTC, as in every transcript: `2026-11-09 08:28:31 UTC`.
pub fn utc(time: Time) -> String {
    let Ok(instant) = jiff::Timestamp::from_millisecond(time.as_millis()) else {
        return String::new();
    };
    instant.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}

fn tokens(tokens: Tokens) -> String {
    let parts = [
        (tokens.input, "input"),
        (tokens.output, "output"),
        (tokens.cache_write_5m, "cache writes for 5 minutes"),
        (tokens.cache_write_1h, "cache writes for 1 hour"),
        (tokens.cache_read, "cache reads"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    format!("{} ({})", tokens.sum(), parts.join(", "))
}

/// A path among those of a session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PathHead {
    /// The number, the same as in `tree` and `show --path`.
    pub number: PathNumber,
    /// The number of paths of the session.
    pub total: usize,
    /// Whether a resume would continue the path.
    pub status: PathStatus,
    /// The entry where the path leaves another one; only for abandoned paths.
    pub fork_point: Option<EntryId>,
}

names! {
    /// Whether a resume would continue a path.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum PathStatus {
        /// A resume would continue the path.
        Active = "active",
        /// A resume would continue another path.
        Abandoned = "abandoned",
    }
}

impl PathStatus {
    /// Returns the status of a path.
    pub fn of(path: &Path) -> Self {
        if path.active { Self::Active } else { Self::Abandoned }
    }

    /// Returns the word in the header of a transcript.
    pub fn word(self) -> &'static str {
        match self {
            Self::Active => "ACTIVE",
            Self::Abandoned => "ABANDONED",
        }
    }
}

/// A turn in an outline.
#[derive(Clone, Debug)]
pub struct TurnHead {
    /// The number on the path.
    pub number: TurnNumber,
    /// The beginning of the prompt, on one line.
    pub prompt: String,
    /// When the turn began.
    pub started: Option<Time>,
    /// How long the turn took.
    pub duration_ms: Option<u64>,
    /// The number of calls.
    pub calls: u32,
    /// How the turn ended.
    pub outcome: TurnOutcome,
    /// The indices of its messages.
    pub messages: Range<u32>,
    /// Other texts sent to the model during the turn: replies, queued prompts, messages of others.
    pub interjections: Vec<Interjection>,
}

/// A text sent to the model during a turn, in an outline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interjection {
    /// The index of its message.
    pub message: u32,
    /// The first entry of the message, the target of links.
    pub entry: Option<EntryId>,
    /// The beginning of the text, on one line.
    pub text: String,
}

/// Another path of the session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OtherPath {
    /// The number.
    pub number: PathNumber,
    /// Whether a resume would continue the path.
    pub status: PathStatus,
    /// The file next to this one that contains the path; `None` if it is not written.
    pub file: Option<String>,
}

/// Other paths; a transcript names only some of them, since there may be very many.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct OtherPaths {
    /// The named paths, by number.
    pub named: Vec<OtherPath>,
    /// The number of further paths.
    pub more: usize,
}

impl OtherPaths {
    /// Returns the number of all paths.
    pub fn count(&self) -> usize {
        self.named.len() + self.more
    }

    /// Returns all paths that leave a path at one place, without files.
    pub fn leaving(leaving: &LeavingPaths<'_>, paths: &Paths) -> Self {
        let numbers = leaving.numbers();
        let named = numbers.iter().filter_map(|&number| paths.path(number));
        Self {
            named: named
                .map(|path| OtherPath {
                    number: path.index,
                    status: PathStatus::of(path),
                    file: None,
                })
                .collect(),
            more: 0,
        }
    }

    /// Returns those of these paths that leave a path at one place.
    #[must_use]
    pub fn among(&self, leaving: &LeavingPaths<'_>) -> Self {
        let count = leaving.count();
        // Go through the shorter one of the two lists.
        let named: Vec<OtherPath> = if count < self.named.len() {
            let numbers = leaving.numbers();
            numbers.iter().filter_map(|number| self.find(*number)).cloned().collect()
        } else {
            let leaves = |other: &&OtherPath| leaving.has(other.number);
            self.named.iter().filter(leaves).cloned().collect()
        };
        let more = match self.more {
            0 => 0,
            _ => count - named.len(),
        };
        Self { named, more }
    }

    /// Returns the path with a number, if it is named.
    fn find(&self, number: PathNumber) -> Option<&OtherPath> {
        let at = self.named.binary_search_by_key(&number, |other| other.number);
        Some(&self.named[at.ok()?])
    }

    /// Lists the first `most` paths, each formatted by `written` from its words and its file, and
    /// then the number of further paths.
    pub fn listed(
        &self,
        most: usize,
        written: impl Fn(String, Option<&str>) -> String,
    ) -> Vec<String> {
        let name = |other: &OtherPath| {
            let words = format!("path {}, {}", other.number, other.status.name());
            written(words, other.file.as_deref())
        };
        let mut names: Vec<String> = self.named.iter().take(most).map(name).collect();
        let more = self.count() - names.len();
        if more > 0 {
            names.push(format!("and {more} more"));
        }
        names
    }
}

/// A path that another path contains.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct HeldPath {
    /// The session of the path.
    pub session: SessionId,
    /// The number of the path in that session.
    pub number: PathNumber,
}

/// Facts about an agent that are known before its conversation begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentHead {
    /// The id.
    pub id: String,
    /// The type of the agent.
    pub kind: Option<String>,
    /// A short description of its task.
    pub description: Option<String>,
    /// The entry of the parent conversation that it was forked from.
    pub forked_at: Option<String>,
    /// The number of messages in its conversation; `None` if its file is missing.
    pub messages: Option<usize>,
    /// Where the conversation is shown.
    pub location: AgentLocation,
}

impl AgentHead {
    /// Returns the type and the task, or the id if neither is known.
    pub fn words(&self) -> String {
        let kind = self.kind.as_deref().unwrap_or_default();
        let description = self.description.as_deref().unwrap_or_default();
        match (kind, description) {
            ("", "") => self.id.clone(),
            ("", text) | (text, "") => text.to_owned(),
            (kind, description) => format!("{kind}: {description}"),
        }
    }
}

/// Where an agent's conversation is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AgentLocation {
    /// Here: it comes next, between `open_agent` and `close_agent`.
    Nested,
    /// In a file with this name, next to this one.
    Separate(String),
    /// Not here: its file is missing, it is not exported, or an earlier call showed it.
    Elsewhere,
}
