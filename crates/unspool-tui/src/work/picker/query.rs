//! Parses the typed query into words that match titles, and filters.
//!
//! `project:` `branch:` `model:` `tool:` `file:` `since:` `until:` are the filters of `unspool search` that
//! apply to sessions, with the same meaning. Everything else matches titles.

use unspool_store::filter::TypedFilter;

/// The names of the filters.
const FILTERS: [&str; 7] = ["project", "branch", "model", "tool", "file", "since", "until"];

/// A parsed query.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct TypedWords {
    /// The words that match titles.
    pub(crate) words: String,
    pub(crate) filter: TypedFilter,
}

impl TypedWords {
    /// Parses a query.
    pub(crate) fn of(text: &str) -> Self {
        let mut typed = Self::default();
        let mut words = Vec::new();
        for word in split(text) {
            match filter_in(word) {
                Some((name, value)) => typed.add(name, value),
                None => words.push(word),
            }
        }
        typed.words = words.join(" ");
        typed
    }

    fn add(&mut self, name: &str, value: &str) {
        let value = value.trim_matches('"').to_owned();
        // A filter without a value is still being typed.
        if value.is_empty() {
            return;
        }
        let filter = &mut self.filter;
        match name {
            "project" => filter.projects.push(value),
            "branch" => filter.branches.push(value),
            "model" => filter.models.push(value),
            "tool" => filter.tools.push(value),
            "file" => filter.files.push(value),
            "since" => filter.since = Some(value),
            _ => filter.until = Some(value),
        }
    }

    /// Tells whether the query is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty() && !self.has_filters()
    }

    /// Tells whether the query contains filters.
    pub(crate) fn has_filters(&self) -> bool {
        self.filter != TypedFilter::default()
    }
}

/// Splits a text at spaces outside of quotes.
fn split(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = None;
    let mut is_quoted = false;
    for (at, character) in text.char_indices() {
        is_quoted ^= character == '"';
        if character.is_whitespace() && !is_quoted {
            words.extend(start.take().map(|start: usize| &text[start..at]));
        } else {
            start.get_or_insert(at);
        }
    }
    words.extend(start.map(|start| &text[start..]));
    words
}

fn filter_in(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once(':')?;
    // `file://…` and `model::Log` are words.
    let is_value = !value.starts_with([':', '/']) || value.starts_with('/') && name == "project";
    (FILTERS.contains(&name) && is_value).then_some((name, value))
}

/// The filter at the cursor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct OpenWord {
    /// The name of the filter.
    pub(crate) name: &'static str,
    /// The byte offset of its value.
    pub(crate) start: usize,
    /// The typed part of its value.
    pub(crate) value: String,
}

impl OpenWord {
    /// Finds the filter at the end of a text.
    pub(crate) fn at_end_of(before_cursor: &str) -> Option<Self> {
        let last = split(before_cursor).pop()?;
        if !before_cursor.ends_with(last) {
            return None;
        }
        let (name, value) = filter_in(last)?;
        let name = FILTERS.iter().find(|known| **known == name)?;
        Some(Self {
            name,
            start: before_cursor.len() - value.len(),
            value: value.trim_start_matches('"').to_owned(),
        })
    }
}

/// Quotes a value of a filter if it contains spaces.
pub(crate) fn quoted(value: &str) -> String {
    if value.contains(char::is_whitespace) { format!("\"{value}\"") } else { value.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_and_words_are_told_apart() {
        let typed = TypedWords::of("imp project:tide branch:\"my branch\" file://x model::Log row");
        assert_eq!(typed.words, "imp file://x model::Log row");
        assert_eq!(typed.filter.projects, ["tide"]);
        assert_eq!(typed.filter.branches, ["my branch"]);
        assert!(typed.filter.models.is_empty() && typed.filter.files.is_empty());
        assert!(TypedWords::of(" project: ").is_empty());
    }

    #[test]
    fn the_word_at_the_cursor_is_found() {
        let open = OpenWord::at_end_of("imp project:ti").expect("a word");
        assert_eq!((open.name, open.start, open.value.as_str()), ("project", 12, "ti"));
        assert_eq!(OpenWord::at_end_of("project:ti "), None);
        assert_eq!(OpenWord::at_end_of("imp"), None);
        assert_eq!(OpenWord::at_end_of("branch:").map(|open| open.value), Some(String::new()));
    }
}
