//! Parses the notation.
//!
//! Covers lines and the options that all entries share; [`super::words`] has the options of each kind.

use super::entry::{ConversationSide, EntrySpec, EntryTime, ParentSpec};
use super::envelope::Envelope;
use super::metadata::{Metadata, NAMED, PinnedLeaf};
use super::tokens::{DagToken, DagTokens, PairValue};
use super::words;

/// A line, or a setting for the lines that follow.
#[derive(Clone, Debug)]
pub(crate) enum DagItem {
    Entry(Box<EntrySpec>),
    Metadata(Metadata),
    /// Bytes that are written unchanged, with or without a line end.
    Literal(Vec<u8>, LineEnd),
    /// A setting of the envelope, with its value.
    Set(String, String),
}

/// The line end after the bytes of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineEnd {
    Newline,
    /// None: the next record continues the line.
    Glued,
    /// A line end, unless it is the last line of the file.
    Torn,
}

/// Parses a text in the notation.
pub(crate) fn parse(text: &str) -> Vec<DagItem> {
    let lines = text.lines().map(str::trim_start).enumerate();
    let items = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    items
        .map(|(index, line)| {
            let tokens = |line| DagTokens::new(index + 1, line);
            if let Some(rest) = line.strip_prefix("--") {
                metadata(&mut tokens(rest))
            } else if let Some(rest) = line.strip_prefix('%') {
                setting(&mut tokens(rest))
            } else {
                DagItem::Entry(Box::new(entry(&mut tokens(line))))
            }
        })
        .collect()
}

fn setting(tokens: &mut DagTokens<'_>) -> DagItem {
    let name = tokens.word("a setting");
    let value = tokens.verbatim();
    if !Envelope::default().set(name, &value) {
        tokens.fail(format_args!("no setting is called `{name}`"));
    }
    DagItem::Set(name.to_owned(), value)
}

fn metadata(tokens: &mut DagTokens<'_>) -> DagItem {
    let kind = tokens.word("a metadata line");
    let item = match kind {
        "raw" => return DagItem::Literal(tokens.verbatim().into_bytes(), LineEnd::Newline),
        "torn" => return DagItem::Literal(tokens.verbatim().into_bytes(), LineEnd::Torn),
        "glue" => return DagItem::Literal(tokens.verbatim().into_bytes(), LineEnd::Glued),
        "bytes" => return DagItem::Literal(hex(tokens), LineEnd::Newline),
        "blank" => DagItem::Literal(Vec::new(), LineEnd::Newline),
        _ if NAMED.contains(&kind) => {
            let kind = kind.to_owned();
            DagItem::Metadata(Metadata::Named { kind, value: text_or_word(tokens) })
        }
        "last-prompt" => DagItem::Metadata(last_prompt(tokens)),
        "summary" => {
            let text = text_or_word(tokens);
            let leaf = tokens.word("the name of the leaf");
            DagItem::Metadata(Metadata::Summary { text, leaf: unmarked(leaf).to_owned() })
        }
        "queue" => {
            let operation = tokens.word("an operation").to_owned();
            DagItem::Metadata(Metadata::Queue { operation, text: tokens.text() })
        }
        "snapshot" | "snapshot-update" => DagItem::Metadata(Metadata::Snapshot {
            prompt: tokens.word("the name of the prompt").to_owned(),
            files: tokens.json().unwrap_or_else(|| "{}".to_owned()),
            update: kind == "snapshot-update",
        }),
        _ => tokens.fail(format_args!("no metadata line is called `{kind}`; write `raw` JSON")),
    };
    tokens.end();
    item
}

fn last_prompt(tokens: &mut DagTokens<'_>) -> Metadata {
    let leaf = match tokens.word("the name of the leaf, `0` or `-`") {
        "0" => PinnedLeaf::Zero,
        "-" => PinnedLeaf::Missing,
        "explicit" => PinnedLeaf::Chosen(unmarked(tokens.word("the name of the leaf")).to_owned()),
        name => PinnedLeaf::Named(unmarked(name).to_owned()),
    };
    Metadata::LastPrompt { leaf, text: tokens.text() }
}

fn text_or_word(tokens: &mut DagTokens<'_>) -> String {
    match tokens.next() {
        Some(DagToken::Text(text)) => text,
        Some(DagToken::Word(word)) => word.to_owned(),
        _ => tokens.fail("expected a text"),
    }
}

fn hex(tokens: &mut DagTokens<'_>) -> Vec<u8> {
    let digits: Vec<char> = tokens.verbatim().chars().filter(|c| !c.is_whitespace()).collect();
    let byte = |pair: &[char]| match pair {
        [high, low] => Some((high.to_digit(16)? * 16 + low.to_digit(16)?) as u8),
        _ => None,
    };
    let bytes: Option<Vec<u8>> = digits.chunks(2).map(byte).collect();
    bytes.unwrap_or_else(|| tokens.fail("expected pairs of hexadecimal digits"))
}

/// Removes the mark of a name that need not exist.
fn unmarked(name: &str) -> &str {
    name.strip_prefix('?').unwrap_or(name)
}

fn entry(tokens: &mut DagTokens<'_>) -> EntrySpec {
    let name = tokens.word("a name");
    let kind = tokens.word("a kind");
    let mut entry = EntrySpec::new(name, words::body(kind, tokens));
    while let Some(token) = tokens.next() {
        if let Some(token) = common(&mut entry, token, tokens) {
            words::apply(&mut entry.body, token, tokens);
        }
    }
    entry
}

/// Applies an option that all kinds of entries have; returns any other token unchanged.
fn common<'a>(
    entry: &mut EntrySpec,
    token: DagToken<'a>,
    tokens: &DagTokens<'_>,
) -> Option<DagToken<'a>> {
    match token {
        DagToken::Parent("-") => entry.parent = ParentSpec::Null,
        DagToken::Parent(name) => {
            entry.parent = match name.strip_prefix('?') {
                Some(name) => ParentSpec::Unknown(name.to_owned()),
                None => ParentSpec::Named(name.to_owned()),
            }
        }
        DagToken::Word(word) if word.starts_with('@') => {
            entry.at = time(&word[1..]).unwrap_or_else(|| tokens.fail("expected a time"));
        }
        DagToken::Word("sidechain") => entry.side = ConversationSide::Inline,
        DagToken::Pair("sidechain", PairValue::Word(id)) => {
            entry.side = ConversationSide::Agent(id.to_owned());
        }
        DagToken::Word("meta") => entry.meta = true,
        DagToken::Word("again") => entry.again = true,
        DagToken::Word(word) if word.len() > 1 && word.starts_with('!') => {
            entry.without.push(word[1..].to_owned());
        }
        DagToken::Pair(key, value) if key.len() > 1 && key.starts_with('+') => {
            entry.fields.push((key[1..].to_owned(), value.into_json()));
        }
        token => return Some(token),
    }
    None
}

/// Parses `+2`, `-2` (after the line above) or `2` (after the start), in seconds.
fn time(text: &str) -> Option<EntryTime> {
    let ms = (text.parse::<f64>().ok()? * 1000.0).round() as i64;
    Some(if text.starts_with(['+', '-']) {
        EntryTime::After(ms)
    } else {
        EntryTime::SinceStart(ms)
    })
}
