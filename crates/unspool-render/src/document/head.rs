//! What is above a transcript: which session and path it is, and what it cost.
//!
//! Plain data, known before the first passage is made. Texts are as the log has them
//! and hostile; every surface escapes them.

use std::ops::Range;

use unspool_model::conversation::TurnOutcome;
use unspool_model::ids::{EntryId, ProjectId, SessionId};
use unspool_model::names;
use unspool_model::paths::{Leaving, Path, Paths};
use unspool_model::positions::{PathNumber, TurnNumber};
use unspool_model::time::Time;
use unspool_model::usage::Tokens;
use unspool_text::human;

use unspool_engine::ops::transcript::ViewKind;

/// What is known of a transcript before it begins.
#[derive(Clone, Debug)]
pub struct TranscriptHead {
    /// The session.
    pub session: SessionId,
    /// Which of its paths this is.
    pub path: PathHead,
    /// Whether the whole path is shown, or what the model would be sent.
    pub view: ViewKind,
    /// How many compactions the path has; none are left in a context.
    pub compactions: usize,
    /// How many messages are shown.
    pub messages: usize,
    /// The session's title.
    pub title: Option<String>,
    /// The project it is in, by the name that its home gives it.
    pub project: Option<ProjectId>,
    /// The folder it began in.
    pub cwd: Option<String>,
    /// The git branch that was named last.
    pub branch: Option<String>,
    /// The client's version that was named last.
    pub version: Option<String>,
    /// The earliest entry of the file.
    pub started: Option<Time>,
    /// The latest entry of the file.
    pub ended: Option<Time>,
    /// The models that answered.
    pub models: Vec<String>,
    /// What the session and its agents used.
    pub tokens: Tokens,
    /// What that cost in US dollars; none if a model has no price.
    pub cost_usd: Option<f64>,
    /// The agent whose conversation this is; none for the session's own.
    pub agent: Option<AgentHead>,
    /// The turns to come, for an outline.
    pub turns: Vec<TurnHead>,
    /// The session's other paths.
    pub others: OtherPaths,
    /// Paths that are not written because this one contains all of them.
    pub held_paths: Vec<HeldPath>,
}

impl TranscriptHead {
    /// Returns the lines that every transcript begins with; `escape` makes a text of the log
    /// harmless, `strong` marks up what is emphasized.
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

    /// Returns what else is known, as names and values; what is not known is left out.
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
        // What was used is known of a session with its agents, not of one of them.
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

/// Writes a time as every transcript does, whatever zone it is made in: `2026-11-09 08:28:31 UTC`.
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

/// One path among those of a session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PathHead {
    /// Its number, the same as in `tree` and `show --path`.
    pub number: PathNumber,
    /// How many there are.
    pub total: usize,
    /// Whether a resume would go on from it.
    pub status: PathStatus,
    /// The entry where it leaves another path; only an abandoned one has one.
    pub fork_point: Option<EntryId>,
}

names! {
    /// Whether a resume would go on from a path.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum PathStatus {
        /// It would.
        Active = "active",
        /// It would not.
        Abandoned = "abandoned",
    }
}

impl PathStatus {
    /// Returns that of a path.
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

/// A turn, as an outline lists it.
#[derive(Clone, Debug)]
pub struct TurnHead {
    /// Its number on the path.
    pub number: TurnNumber,
    /// What was asked for: the first words of it, on one line.
    pub prompt: String,
    /// When it began.
    pub started: Option<Time>,
    /// How long it took.
    pub duration_ms: Option<u64>,
    /// How many calls were made.
    pub calls: u32,
    /// How it ended.
    pub outcome: TurnOutcome,
    /// The messages that belong to it, counted from zero.
    pub messages: Range<u32>,
    /// What else was said to the model in it: replies, queued prompts, words of others.
    pub interjections: Vec<Interjection>,
}

/// What was said to the model inside a turn, as an outline lists it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interjection {
    /// The message, counted from zero.
    pub message: u32,
    /// Its first entry, which links lead to.
    pub entry: Option<EntryId>,
    /// What was said: the first words of it, on one line.
    pub text: String,
}

/// Another path of the session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OtherPath {
    /// Its number.
    pub number: PathNumber,
    /// Whether a resume would go on from it.
    pub status: PathStatus,
    /// The file next to this one that it is written to; none if it is not written.
    pub file: Option<String>,
}

/// Other paths, of which a transcript names some: there may be very many.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct OtherPaths {
    /// Those that are named, by number.
    pub named: Vec<OtherPath>,
    /// How many there are apart from them.
    pub more: usize,
}

impl OtherPaths {
    /// Returns how many there are.
    pub fn count(&self) -> usize {
        self.named.len() + self.more
    }

    /// Names all paths that leave one at one place, without files.
    pub fn leaving(leaving: &Leaving<'_>, paths: &Paths) -> Self {
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

    /// Returns those that leave a path at one place.
    #[must_use]
    pub fn among(&self, leaving: &Leaving<'_>) -> Self {
        let count = leaving.count();
        // Whichever are fewer are gone through.
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

    /// Names some of them, each as `written` does with its words and its file, and says how many
    /// more there are.
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

/// A path that another one contains.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct HeldPath {
    /// The session it is a path of.
    pub session: SessionId,
    /// Its number there.
    pub number: PathNumber,
}

/// What is known of an agent before its conversation begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentHead {
    /// Its id.
    pub id: String,
    /// What kind of agent it is.
    pub kind: Option<String>,
    /// What it was asked to do, in short.
    pub description: Option<String>,
    /// The entry of the parent conversation that it goes on from, if it was forked.
    pub forked_at: Option<String>,
    /// How many messages its conversation has; none if its file is gone.
    pub messages: Option<usize>,
    /// Where its conversation is to be read.
    pub whereabouts: AgentLocation,
}

impl AgentHead {
    /// Says what it is and does.
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

/// Where an agent's conversation is to be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AgentLocation {
    /// Here: it comes next, between `open_agent` and `close_agent`.
    Nested,
    /// In the file of this name next to this one.
    Separate(String),
    /// Not here: its file is gone, it is not exported, or it was shown under a call before.
    Elsewhere,
}
