//! How to open a hit: the command that shows it, or the file that contains it.

use std::path::{Path, PathBuf};

use unspool_model::query::TextRole;

use crate::hit::SearchHit;
use unspool_store::home::layout;

/// How many characters of an id are in the command.
const SHORT: usize = 8;
/// How many characters of the query are in the command.
const WORDS: usize = 60;

/// The parts of a search that the commands for its hits repeat.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct OpeningQuery {
    /// The query.
    pub words: String,
    /// The options that select homes, each as it is typed.
    pub options: Vec<String>,
}

/// The way to open a hit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HitOpening {
    /// A command that shows the hit.
    Command(String),
    /// The file of the hit, which no command shows.
    File(PathBuf),
}

impl HitOpening {
    /// Returns the way to open a hit.
    pub fn of(hit: &SearchHit, asked: &OpeningQuery) -> Self {
        let session = hit.session.as_str();
        if session.is_empty() || !(hit.gone || is_log(&hit.file)) {
            return Self::File(hit.file.clone());
        }
        let mut words = vec!["unspool".to_owned()];
        words.extend(asked.options.iter().map(|option| quoted(option)));
        words.extend(["show".to_owned(), quoted(short(session))]);
        words.extend(place(hit, &telling(&asked.words)));
        Self::Command(words.join(" "))
    }
}

/// Returns the options that select the place of a hit in its session.
fn place(hit: &SearchHit, words: &str) -> Vec<String> {
    let entry = match (&hit.entry, &hit.agent) {
        // The command shows all that is left of the session, with its title.
        _ if hit.gone => return Vec::new(),
        (Some(entry), _) => quoted(short(entry.as_str())),
        (None, Some(agent)) => return vec!["--agent".to_owned(), quoted(short(agent.as_str()))],
        (None, None) if hit.role == TextRole::Title => return Vec::new(),
        (None, None) => format!("byte:{}", hit.offset),
    };
    let mut options = vec!["--at".to_owned(), entry];
    if words.starts_with('-') {
        // A query that begins with a dash must not be taken for an option.
        options.push(format!("--find={}", quoted(words)));
    } else if !words.is_empty() {
        options.extend(["--find".to_owned(), quoted(words)]);
    }
    options
}

fn is_log(file: &Path) -> bool {
    layout::is_log(file) && !layout::is_journal(file)
}

fn short(id: &str) -> &str {
    id.char_indices().nth(SHORT).map_or(id, |(end, _)| &id[..end])
}

/// Returns the query as one line, cut between words.
fn telling(words: &str) -> String {
    let mut line = String::new();
    for word in words.split_whitespace() {
        if !line.is_empty() && line.chars().count() + word.chars().count() >= WORDS {
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().take(WORDS).filter(|c| !c.is_control()));
    }
    line
}

/// Quotes a word for a shell if needed.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':');
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell_and_cut_between_words() {
        for (words, expected) in [
            ("parser", "parser"),
            ("two words", "'two words'"),
            ("it's $HOME", r"'it'\''s $HOME'"),
            ("/a b/c", "'/a b/c'"),
            ("a\nb", "'a b'"),
        ] {
            assert_eq!(quoted(&telling(words)), expected);
        }
        assert_eq!(telling(&"word ".repeat(30)).split(' ').count(), 12);
    }
}
