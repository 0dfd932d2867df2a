//! Colours for code.
//!
//! Text in a known language goes in, the same text in labelled pieces comes out; pages and the
//! terminal paint them. A lexer per family of languages walks over the text once; there is no grammar, no backtracking and
//! nothing that recurses, so time is linear whatever the text is, and the bytes that come out
//! depend on nothing but the text.
//!
//! # Why an own lexer
//!
//! What transcripts contain is hostile and cut off anywhere, and an export must end, with the
//! same bytes each time. The libraries that were looked at do more and promise less:
//!
//! - `arborium` 2.18 (a tree-sitter set; 18 languages add 27 MB to a program and 84 s of
//!   compiling): a text of 51 KB made of random tokens kept its Java grammar busy for more than five minutes,
//!   one of 64 KB its C++ grammar for 3 s. A time limit would end that, and make the
//!   bytes depend on the machine. Its grammars are C, so a mistake in one is not a panic.
//!   `lumis` 0.19 is built on the same.
//! - `giallo` 0.5 is under the EUPL, which this project does not take in.
//! - `syntect` 5.3 with `two-face` (0.4 MB/s) reads its grammars with `bincode` 1, which is
//!   no longer kept, and bounds backtracking for each expression but not for a line.
//!
//! What is lost: names are told apart by their shape (`name(` is called, `Name` is a type),
//! and languages inside languages stay in one colour.

mod config;
mod lines;
mod markup;
mod rules;
mod scan;
mod shell;
#[cfg(test)]
mod tests;

pub use self::lines::code_lines;
use super::sanitize::clean;
use super::style::CodeToken;

/// Bytes of a block above which it is shown in one colour. Chosen by judgement to bound the work for
/// one page.
const MAX_BYTES: usize = 64 * 1024;

/// A language whose code can be highlighted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Language {
    /// One that the general lexer reads, by its rules.
    General(&'static rules::LanguageRules),
    /// Commands for a shell.
    Shell,
    /// HTML, XML and what looks like them.
    Html,
    /// Style sheets.
    Css,
    /// Markdown.
    Markdown,
    /// Changes.
    Diff,
    /// YAML.
    Yaml,
    /// TOML and files of `key = value`.
    Toml,
}

impl Language {
    /// Finds a language by the name that a fence gives it, or by the extension of a file.
    pub(super) fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        Some(match name.as_str() {
            "bash" | "sh" | "shell" | "zsh" | "console" | "fish" | "shellscript" => Self::Shell,
            "html" | "htm" | "xml" | "svg" | "vue" | "svelte" | "xhtml" | "plist" => Self::Html,
            "css" | "scss" | "less" => Self::Css,
            "markdown" | "md" | "mdx" => Self::Markdown,
            "diff" | "patch" => Self::Diff,
            "yaml" | "yml" => Self::Yaml,
            "toml" | "ini" | "cfg" | "conf" | "properties" | "env" => Self::Toml,
            _ => return rules::named(&name).map(Self::General),
        })
    }
}

/// Returns the language that a fence names: its first word, up to a comma or a brace.
pub(super) fn fence_name(info: &str) -> &str {
    /// Longer than the name of any language.
    const LONGEST: usize = 24;
    let word = info.split([' ', '\t', ',', '{', '\n']).next().unwrap_or_default();
    if word.len() > LONGEST { "" } else { word }
}

/// Hands out code piece by piece, each with its label if it has one. Put together, the pieces are
/// the cleaned text.
pub(super) fn highlight(
    language: Language,
    text: &str,
    piece: &mut dyn FnMut(Option<CodeToken>, &str),
) {
    let text = clean(text);
    if text.len() > MAX_BYTES {
        piece(None, &text);
        return;
    }
    let mut painter = CodePainter { text: &text, painted: 0, piece };
    match language {
        Language::General(rules) => scan::scan(&text, rules, &mut painter),
        Language::Shell => shell::shell(&text, &mut painter),
        Language::Html => markup::html(&text, &mut painter),
        Language::Markdown => markup::markdown(&text, &mut painter),
        Language::Diff => markup::diff(&text, &mut painter),
        Language::Css => config::css(&text, &mut painter),
        Language::Yaml => config::yaml(&text, &mut painter),
        Language::Toml => config::toml(&text, &mut painter),
    }
    painter.finish();
}

/// Takes labels for ranges of a text, in their order, and leaves the rest without one.
struct CodePainter<'a> {
    text: &'a str,
    painted: usize,
    piece: &'a mut dyn FnMut(Option<CodeToken>, &str),
}

impl CodePainter<'_> {
    /// Labels a range, if there is a label for it; it must not begin before the end of the last
    /// one.
    fn label(&mut self, token: impl Into<Option<CodeToken>>, start: usize, end: usize) {
        let Some(token) = token.into().filter(|_| start < end) else {
            return;
        };
        self.plain(start);
        (self.piece)(Some(token), &self.text[start..end]);
        self.painted = end;
    }

    /// Hands out what has no label, up to a place.
    fn plain(&mut self, end: usize) {
        if self.painted < end {
            (self.piece)(None, &self.text[self.painted..end]);
        }
    }

    fn finish(&mut self) {
        self.plain(self.text.len());
    }
}

/// Takes note that everything between two places was looked at, and returns the second. Code
/// that looks further than the next character calls this, so that tests can count.
fn looked(from: usize, to: usize) -> usize {
    unspool_work::add(to - from + 1);
    to
}

/// Finds the end of the line that a place is on.
fn line_end(text: &str, at: usize) -> usize {
    let end = memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |end| at + end);
    looked(at, end)
}

/// Finds a character between two places.
fn find_char(text: &str, from: usize, to: usize, what: char) -> Option<usize> {
    let found = text[from..to].find(what).map(|len| from + len);
    looked(from, found.unwrap_or(to));
    found
}

/// Finds the end of the first occurrence of a text, or the end of everything.
fn end_of(text: &str, from: usize, what: &str) -> usize {
    let end = text[from..].find(what).map_or(text.len(), |at| from + at + what.len());
    looked(from, end)
}

/// Finds the end of what a test accepts, from a place on.
fn while_char(text: &str, from: usize, accepts: impl Fn(char) -> bool) -> usize {
    let rest = &text[from..];
    let end = rest.find(|c| !accepts(c)).map_or(text.len(), |len| from + len);
    looked(from, end)
}

/// The length of the character at a place; one at the end.
fn char_len(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(1, char::len_utf8)
}

/// Finds the end of a quoted text whose quote is at `start`, with `\` as the escape. It
/// must end on its line.
fn quoted_on_line(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let quote = bytes[start];
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        unspool_work::add(1);
        match byte {
            b'\n' => return None,
            b'\\' if bytes.get(at + 1) != Some(&b'\n') => at += 2,
            _ if byte == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

/// Finds the end of a quoted text like [`quoted_on_line`], and looks at each line and quote
/// only once when there is none.
#[derive(Default)]
struct Quotes {
    /// Where each quote is known not to end a text before.
    hopeless: [usize; 3],
}

impl Quotes {
    fn end(&mut self, text: &str, start: usize) -> Option<usize> {
        let slot = match text.as_bytes()[start] {
            b'"' => 0,
            b'\'' => 1,
            _ => 2,
        };
        if start < self.hopeless[slot] {
            return None;
        }
        let end = quoted_on_line(text, start);
        if end.is_none() {
            self.hopeless[slot] = line_end(text, start);
        }
        end
    }
}
