//! Finds a text within a session.
//!
//! Searches messages in the order in which they are shown, and reports the index of each match.
//! Case is ignored unless the text contains an uppercase letter. The search covers messages as they
//! are read, not as they are painted: the input and result of a call are searched as they are in
//! the log.

use std::io;
use std::ops::Range;

use super::message::{BlockText, MessageText};

/// A message that contains the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FoundMessage {
    /// The index of the message in its view.
    pub message: usize,
    /// The number of occurrences in the message.
    pub count: usize,
}

/// A text to search for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Needle {
    text: String,
    is_exact: bool,
}

impl Needle {
    /// Returns a needle; an empty text never matches.
    pub fn new(text: &str) -> Self {
        let is_exact = text.chars().any(char::is_uppercase);
        Self { text: if is_exact { text.to_owned() } else { text.to_lowercase() }, is_exact }
    }

    /// Returns the number of occurrences in a text.
    pub fn count_in(&self, text: &str) -> usize {
        match () {
            () if self.text.is_empty() => 0,
            () if self.is_exact => text.matches(&self.text).count(),
            () => text.to_lowercase().matches(&self.text).count(),
        }
    }

    /// Returns the byte ranges of the occurrences in a text.
    pub fn places(&self, text: &str) -> Vec<Range<usize>> {
        if self.text.is_empty() {
            return Vec::new();
        }
        if self.is_exact {
            let found = text.match_indices(&self.text);
            return found.map(|(at, _)| at..at + self.text.len()).collect();
        }
        // Lowercasing can change the number of bytes of a letter.
        let mut small = String::with_capacity(text.len());
        let mut origins = Vec::with_capacity(text.len() + 1);
        for (at, character) in text.char_indices() {
            for lower in character.to_lowercase() {
                let before = small.len();
                small.push(lower);
                origins.extend(std::iter::repeat_n(
                    (at, at + character.len_utf8()),
                    small.len() - before,
                ));
            }
        }
        let found = small.match_indices(&self.text);
        found.map(|(at, _)| origins[at].0..origins[at + self.text.len() - 1].1).collect()
    }

    /// Returns the number of occurrences in a message.
    pub fn count_in_message(&self, message: &MessageText) -> usize {
        let blocks = message.blocks.iter();
        blocks
            .map(|block| match block {
                BlockText::Text(text) | BlockText::Thinking(text) => self.count_in(text),
                BlockText::Call(call) => {
                    let result = call.result.as_ref();
                    let texts = [call.name.as_str(), call.input.as_str()];
                    let texts = texts.into_iter().chain(result.map(|it| it.text.as_str()));
                    texts.map(|text| self.count_in(text)).sum()
                }
                _ => 0,
            })
            .sum()
    }
}

/// Finds the messages that contain a text, in order. The first message has the index `first`.
pub fn find(
    needle: &Needle,
    first: usize,
    messages: impl Iterator<Item = io::Result<MessageText>>,
) -> io::Result<Vec<FoundMessage>> {
    let mut found = Vec::new();
    for (message, text) in (first..).zip(messages) {
        let count = needle.count_in_message(&text?);
        if count > 0 {
            found.push(FoundMessage { message, count });
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capital_letters_count_only_if_the_text_has_some() {
        for (needle, text, count) in [
            ("load", "Load, reload, LOAD", 3),
            ("Load", "Load, reload, LOAD", 1),
            ("é", "É é", 2),
            ("", "anything", 0),
            ("zzz", "anything", 0),
        ] {
            assert_eq!(Needle::new(needle).count_in(text), count, "{needle}");
        }
    }

    #[test]
    fn places_are_those_of_the_text_as_it_is_written() {
        for (needle, text, expected) in [
            ("load", "Load, reload", vec![0..4, 8..12]),
            ("Load", "Load, reLoad", vec![0..4, 8..12]),
            ("i", "İi", vec![0..2, 2..3]),
            ("", "x", vec![]),
        ] {
            assert_eq!(Needle::new(needle).places(text), expected, "{needle}");
        }
    }
}
