//! Splits texts of any length into documents of bounded size.

use unspool_model::json::Str;

use crate::text::document::{EntryPart, TextDocument, TextPlace};

/// The maximal length of a document's text, in bytes. Chosen by judgement: longer than most
/// texts that belong together, and short enough to be read again for a snippet.
pub(crate) const LONGEST: usize = 64 * 1024;
/// How many bytes of a piece the next one repeats, so that a phrase across the cut is found.
const OVERLAP: usize = 128;
/// How many bytes before the end of a piece are searched for a space: words are shorter.
const WORD: usize = 1024;

/// Receives finished documents.
pub(crate) type Sink<'s> = dyn FnMut(TextDocument) + 's;

/// Joins the strings of one part with newlines and passes them on in pieces.
pub(super) struct Pieces<'s, 'd> {
    sink: &'s mut Sink<'d>,
    /// The piece under construction.
    open: TextDocument,
}

impl<'s, 'd> Pieces<'s, 'd> {
    /// Starts a part; its documents get all properties but the text from `like`.
    pub(super) fn new(sink: &'s mut Sink<'d>, like: TextDocument) -> Self {
        Self { sink, open: like }
    }

    /// Adds a string of a record.
    pub(super) fn push(&mut self, text: Str<'_>) {
        self.line();
        let mut at = 0;
        while at < text.raw().len() {
            let part = text.part(at, LONGEST);
            at += part.raw().len().max(1);
            let before = self.open.text.len();
            // Decoded in place; only what crosses the limit is copied.
            part.decode_into(&mut self.open.text);
            if self.open.text.len() > LONGEST {
                let more = self.open.text.split_off(before);
                self.append(&more);
            }
        }
    }

    /// Adds a decoded text.
    pub(super) fn push_text(&mut self, text: &str) {
        self.line();
        self.append(text);
    }

    /// Continues the text that was added last.
    pub(super) fn push_more(&mut self, text: &str) {
        self.append(text);
    }

    /// Passes on the last piece.
    pub(super) fn finish(self) {
        if !self.open.text.trim().is_empty() {
            (self.sink)(self.open);
        }
    }

    fn line(&mut self) {
        if !self.open.text.is_empty() {
            self.open.text.push('\n');
        }
    }

    fn append(&mut self, mut text: &str) {
        while self.open.text.len() + text.len() > LONGEST {
            let room = LONGEST.saturating_sub(self.open.text.len());
            let (head, tail) = text.split_at(text.floor_char_boundary(room));
            self.open.text.push_str(head);
            text = tail;
            self.cut();
        }
        self.open.text.push_str(text);
    }

    /// Passes on the full piece, and starts the next one with the end of it.
    fn cut(&mut self) {
        let full = &self.open.text;
        let late = full.floor_char_boundary(full.len().saturating_sub(WORD));
        let end = full[late..].rfind(char::is_whitespace).map_or(full.len(), |space| late + space);
        let early = full.floor_char_boundary(end.saturating_sub(OVERLAP));
        let start = full[early..end].find(char::is_whitespace).map_or(end, |space| early + space);
        let mut next =
            TextDocument { text: full[start..].to_owned(), ..self.open.clone_without_text() };
        next.place.piece = next.place.piece.saturating_add(1);
        let mut full = std::mem::replace(&mut self.open, next);
        full.text.truncate(end);
        (self.sink)(full);
    }
}

impl TextDocument {
    /// Returns a document without text for another part of the entry.
    pub(super) fn of_part(&self, part: EntryPart) -> Self {
        Self { place: TextPlace { part, piece: 0, ..self.place }, ..self.clone_without_text() }
    }

    pub(super) fn clone_without_text(&self) -> Self {
        Self {
            place: self.place,
            role: self.role,
            style: self.style,
            time: self.time,
            tool: self.tool.clone(),
            marks: self.marks,
            text: String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use unspool_model::json::Cursor;
    use unspool_model::query::TextRole;

    use super::*;
    use crate::text::document::{DocumentFlags, WritingStyle};

    fn pieces(texts: &[&str]) -> Vec<TextDocument> {
        let mut found = Vec::new();
        let like = TextDocument {
            place: TextPlace { offset: 7, part: EntryPart::Fields, piece: 0 },
            role: TextRole::Result,
            style: WritingStyle::Raw,
            time: None,
            tool: None,
            marks: DocumentFlags::default(),
            text: String::new(),
        };
        let mut sink = |document| found.push(document);
        let mut pieces = Pieces::new(&mut sink, like);
        for text in texts {
            let mut quoted = String::new();
            unspool_model::json::quote(text, &mut quoted);
            let string = Cursor::new(quoted.as_bytes()).string();
            pieces.push(string.ok().flatten().expect("a string"));
        }
        pieces.finish();
        found
    }

    #[test]
    fn strings_are_below_one_another() {
        let found = pieces(&["one", "", "t\nwo"]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].text, "one\n\nt\nwo");
        assert!(pieces(&["", "  "]).is_empty());
    }

    #[test]
    fn a_long_text_is_cut_between_words_and_nothing_is_lost() {
        let words = (0..60_000).map(|number| format!("wörd{number}"));
        let long = words.collect::<Vec<_>>().join(" ");
        let found = pieces(&[&long]);
        assert!(found.len() > 5);
        assert!(found.iter().all(|piece| piece.text.len() <= LONGEST));
        for (number, piece) in found.iter().enumerate() {
            assert_eq!(usize::from(piece.place.piece), number);
        }
        for pair in found.windows(2) {
            let last = pair[0].text.split_whitespace().last().expect("a word");
            assert!(pair[1].text.split_whitespace().any(|word| word == last));
        }
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
        let mut all: Vec<String> =
            found.iter().flat_map(|p| -> Vec<_> { words(&p.text) }).collect();
        all.dedup();
        let all: std::collections::HashSet<String> = all.into_iter().collect();
        assert_eq!(all.len(), 60_000, "no word is cut");
    }

    #[test]
    fn a_text_without_spaces_is_cut_anyway() {
        let found = pieces(&[&"é".repeat(100_000)]);
        assert!(found.len() > 2);
        assert!(found.iter().all(|piece| piece.text.len() <= LONGEST));
    }
}
