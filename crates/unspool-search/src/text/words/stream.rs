//! The tokenizer that tantivy calls.

use std::collections::VecDeque;

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use super::FoundWord;
use super::scan::WordScanner;
use super::stem::Stems;

/// Whether stems are indexed next to words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stemming {
    /// Stems and words, for prose.
    Stems,
    /// Words only, for code and output.
    Words,
}

/// Splits texts into words.
#[derive(Clone)]
pub(crate) struct WordTokenizer {
    stems: Option<Stems>,
    token: Token,
}

impl WordTokenizer {
    /// Makes a tokenizer.
    pub(crate) fn new(stemming: Stemming) -> Self {
        Self { stems: (stemming == Stemming::Stems).then(Stems::new), token: Token::default() }
    }
}

impl Tokenizer for WordTokenizer {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        WordStream { scanner: WordScanner::new(text), tokenizer: self, ahead: VecDeque::new() }
    }
}

/// The words of one text.
pub(crate) struct WordStream<'a> {
    scanner: WordScanner<'a>,
    tokenizer: &'a mut WordTokenizer,
    /// Words that were found but not asked for yet.
    ahead: VecDeque<Token>,
}

fn fill(token: &mut Token, found: &FoundWord<'_>) {
    token.text.clear();
    token.text.push_str(found.text);
    token.position = found.position as usize;
    token.offset_from = found.span.start;
    token.offset_to = found.span.end;
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        while self.ahead.is_empty() {
            let ahead = &mut self.ahead;
            let stems = self.tokenizer.stems.as_mut();
            let more = self.scanner.step(stems, &mut |found| {
                let mut token = Token::default();
                fill(&mut token, &found);
                ahead.push_back(token);
            });
            if !more {
                return false;
            }
        }
        self.tokenizer.token = self.ahead.pop_front().unwrap_or_default();
        true
    }

    fn token(&self) -> &Token {
        &self.tokenizer.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.tokenizer.token
    }

    /// Passes all words to `sink`, without the buffer that [`TokenStream::advance`] needs.
    fn process(&mut self, sink: &mut dyn FnMut(&Token)) {
        let WordTokenizer { stems, token } = &mut *self.tokenizer;
        let mut each = |found: FoundWord<'_>| {
            fill(token, &found);
            sink(token);
        };
        while self.scanner.step(stems.as_mut(), &mut each) {}
    }
}
