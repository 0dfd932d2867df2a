//! Highlights code.
//!
//! The input is text in a known language, the output is the same text in labelled pieces, which
//! pages and the terminal paint. A lexer for each family of languages scans the text once, without
//! grammars, backtracking or recursion. So the time is linear for any text, and the output depends
//! on nothing but the text.
//!
//! # Why not a library
//!
//! The code in logs is hostile and cut off anywhere, and an export must end, with the same bytes
//! each time. The libraries that were examined do more and guarantee less:
//!
//! - `arborium` 2.18 (a tree-sitter set; 18 languages add 27 MB to a program and 84 s of
//!   compiling): a text of 51 KB made of random tokens kept its Java grammar busy for more than
//!   five minutes, one of 64 KB its C++ grammar for 3 s. A time limit would end that, and make the
//!   bytes depend on the machine. Its grammars are C, so a mistake in one is not a panic. `lumis`
//!   0.19 is built on the same.
//! - `giallo` 0.5 is under the EUPL, which this project does not accept.
//! - `syntect` 5.3 with `two-face` (0.4 MB/s) reads its grammars with `bincode` 1, which is
//!   unmaintained, and bounds backtracking for each expression but not for a line.
//!
//! The price: names are classified by their form (`name(` is a call, `Name` is a type), and
//! embedded languages stay in one colour.

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

/// The most bytes of a block that is highlighted. Chosen by judgement to bound the work for one
/// page.
const MAX_BYTES: usize = 64 * 1024;

/// A language whose code can be highlighted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Language {
    /// A language of the general lexer, with its rules.
    General(&'static rules::LanguageRules),
    /// Shell commands.
    Shell,
    /// HTML, XML and similar markup.
    Html,
    /// Style sheets.
    Css,
    /// Markdown.
    Markdown,
    /// Diffs.
    Diff,
    /// YAML.
    Yaml,
    /// TOML and files of `key = value`.
    Toml,
}

impl Language {
    /// Finds a language by its name in a fence, or by the extension of a file.
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

/// Passes code to `piece` in parts, each with its label if it has one. Together the parts are the
/// cleaned text.
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

/// Labels ranges of a text in order; the text between them has no label.
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

    /// Passes on the text without a label up to an offset.
    fn plain(&mut self, end: usize) {
        if self.painted < end {
            (self.piece)(None, &self.text[self.painted..end]);
        }
    }

    fn finish(&mut self) {
        self.plain(self.text.len());
    }
}

/// Counts the bytes between two offsets as scanned, and returns the second offset. Code that scans
/// further than the next character calls this, so that tests can count.
fn looked(from: usize, to: usize) -> usize {
    unspool_work::add(to - from + 1);
    to
}

/// Returns the end of the line that contains an offset.
fn line_end(text: &str, at: usize) -> usize {
    let end = memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |end| at + end);
    looked(at, end)
}

/// Finds a character between two offsets.
fn find_char(text: &str, from: usize, to: usize, what: char) -> Option<usize> {
    let found = text[from..to].find(what).map(|len| from + len);
    looked(from, found.unwrap_or(to));
    found
}

/// Returns the end of the first occurrence of a text, or the end of the whole text.
fn end_of(text: &str, from: usize, what: &str) -> usize {
    let end = text[from..].find(what).map_or(text.len(), |at| from + at + what.len());
    looked(from, end)
}

/// Returns the end of the run of characters that a test accepts.
fn while_char(text: &str, from: usize, accepts: impl Fn(char) -> bool) -> usize {
    let rest = &text[from..];
    let end = rest.find(|c| !accepts(c)).map_or(text.len(), |len| from + len);
    looked(from, end)
}

/// Returns the length of the character at an offset; one at the end of the text.
fn char_len(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(1, char::len_utf8)
}

/// Returns the end of a quoted text whose quote is at `start`, with `\` as the escape; `None` if it
/// does not end on its line.
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

/// Finds the end of a quoted text like [`quoted_on_line`], but scans a line without one only once
/// for each kind of quote.
#[derive(Default)]
struct Quotes {
    /// For each kind of quote, the offset up to which none ends a text.
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
