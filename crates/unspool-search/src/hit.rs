//! A hit: where something was found, and a look at it.

use std::ops::Range;
use std::path::PathBuf;

use unspool_model::entry::MessageKind;
use unspool_model::ids::{AgentId, EntryId, ProjectId, SessionId};
use unspool_model::query::TextRole;
use unspool_model::time::Time;

/// A place where something was found.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchHit {
    /// The home it is in.
    pub home: Option<PathBuf>,
    /// The project it is in.
    pub project: Option<ProjectId>,
    /// The session it belongs to.
    pub session: SessionId,
    /// The agent that it is from.
    pub agent: Option<AgentId>,
    /// The file that contains it.
    pub file: PathBuf,
    /// Where its entry begins in the file.
    pub offset: u64,
    /// Its entry.
    pub entry: Option<EntryId>,
    /// Who or what the text is from.
    pub role: TextRole,
    /// What its message is.
    pub kind: Option<MessageKind>,
    /// When its entry was written.
    pub time: Option<Time>,
    /// How well it fits; zero where hits are not ranked.
    pub score: f32,
    /// Whether it is on the active path; nothing where that was not looked up yet.
    pub active: Option<bool>,
    /// Whether its session's file is gone.
    pub gone: bool,
    /// A look at the text.
    pub snippet: Snippet,
}

impl SearchHit {
    /// Tells whether a hit of the same session shows the same text, perhaps with more or less of it
    /// at its ends.
    pub(crate) fn looks_like(&self, other: &Self) -> bool {
        /// Shorter texts repeat by chance.
        const LONG: usize = 40;
        let (mine, theirs) = (self.snippet.bare(), other.snippet.bare());
        mine == theirs
            || mine.len().min(theirs.len()) >= LONG
                && (mine.contains(theirs) || theirs.contains(mine))
    }
}

/// A part of a text with what was found in it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Snippet {
    /// The part.
    pub text: String,
    /// What was found, in characters of the part.
    pub matches: Vec<Range<usize>>,
}

/// Marks where a part of a text is left out.
pub(crate) const CUT: char = '…';

/// How many lines of a text a snippet shows that has no context around it.
const FEW: usize = 4;

impl Snippet {
    /// Returns the text without the signs for what is left out.
    fn bare(&self) -> &str {
        self.text.trim_matches(CUT).trim()
    }

    /// Keeps a few lines around the first match, and marks where others were.
    #[must_use]
    pub(crate) fn of_few_lines(self) -> Self {
        let lines: Vec<&str> = self.text.split('\n').collect();
        if lines.len() <= FEW {
            return self;
        }
        let first = self.matches.first().map_or(0, |place| place.start);
        let found = self.text.chars().take(first).filter(|&c| c == '\n').count();
        let from = found.saturating_sub(1).min(lines.len() - FEW);
        let before: usize = lines[..from].iter().map(|line| line.chars().count() + 1).sum();
        let mut text = String::new();
        if from > 0 {
            text.push(CUT);
        }
        let shift = text.chars().count();
        text.push_str(&lines[from..from + FEW].join("\n"));
        let end = text.chars().count();
        if from + FEW < lines.len() && !text.ends_with(CUT) {
            text.push(CUT);
        }
        let moved = |place: &Range<usize>| {
            let start = place.start.checked_sub(before)? + shift;
            let place = start..(place.end - before + shift).min(end);
            (!place.is_empty()).then_some(place)
        };
        let matches = self.matches.iter().filter_map(moved).collect();
        Self { text, matches }
    }
}

/// How much of a text a snippet shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SnippetSize {
    /// The most characters of a line.
    pub width: usize,
    /// How many lines of the text are shown before and after the match. With none, the snippet
    /// has a few lines at most, and white space within a line is one space.
    pub context: usize,
}

impl Default for SnippetSize {
    fn default() -> Self {
        Self { width: 160, context: 0 }
    }
}
