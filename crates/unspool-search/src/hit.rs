//! Hits: the place of a match, with a snippet of its text.

use std::ops::Range;
use std::path::PathBuf;

use unspool_model::entry::MessageKind;
use unspool_model::ids::{AgentId, EntryId, ProjectId, SessionId};
use unspool_model::query::TextRole;
use unspool_model::time::Time;

/// A text that matched a search, and its place.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchHit {
    /// The home of the file.
    pub home: Option<PathBuf>,
    /// The project of the file.
    pub project: Option<ProjectId>,
    /// The session that the text belongs to.
    pub session: SessionId,
    /// The agent that the text is from; none for the session itself.
    pub agent: Option<AgentId>,
    /// The file that contains the text.
    pub file: PathBuf,
    /// The offset of the entry in the file.
    pub offset: u64,
    /// The id of the entry.
    pub entry: Option<EntryId>,
    /// The role of the text.
    pub role: TextRole,
    /// The kind of the message that contains the text.
    pub kind: Option<MessageKind>,
    /// The time of the entry.
    pub time: Option<Time>,
    /// The rank of the hit; zero if hits are not ranked.
    pub score: f32,
    /// Whether the text is on the active path; none if that was not looked up.
    pub active: Option<bool>,
    /// Whether the session's file is gone.
    pub gone: bool,
    /// The part of the text around the match.
    pub snippet: Snippet,
}

impl SearchHit {
    /// Tells whether the snippet of another hit of the same session shows the same text, or a
    /// longer or shorter part of it.
    pub(crate) fn looks_like(&self, other: &Self) -> bool {
        /// Snippets shorter than this, in bytes, may contain one another by chance.
        const LONG: usize = 40;
        let (mine, theirs) = (self.snippet.bare(), other.snippet.bare());
        mine == theirs
            || mine.len().min(theirs.len()) >= LONG
                && (mine.contains(theirs) || theirs.contains(mine))
    }
}

/// A part of a text, with the matches in it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Snippet {
    /// The shown part.
    pub text: String,
    /// The matches, as ranges of characters of `text`.
    pub matches: Vec<Range<usize>>,
}

/// The ellipsis where a part of the text is left out.
pub(crate) const CUT: char = '…';

/// How many lines a snippet without context has at most.
const FEW: usize = 4;

impl Snippet {
    /// Returns the text without the ellipses at its ends.
    fn bare(&self) -> &str {
        self.text.trim_matches(CUT).trim()
    }

    /// Keeps a few lines around the first match, and puts ellipses where lines are left out.
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
    /// The maximal length of a line, in characters.
    pub width: usize,
    /// How many lines are shown before and after the match. With 0, the snippet
    /// has a few lines at most, and runs of white space become one space.
    pub context: usize,
}

impl Default for SnippetSize {
    fn default() -> Self {
        Self { width: 160, context: 0 }
    }
}
