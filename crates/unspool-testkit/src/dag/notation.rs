//! Reads the notation.
//!
//! Knows lines and the words that all entries share; what a word means to one kind of entry is in
//! [`super::words`]. Turns text into items and writes nothing.

use super::builder::{Item, LineEnd, Setting};
use super::entry::{At, Entry, Parent, Side};
use super::envelope::Ids;
use super::metadata::{Leaf, Metadata, NAMED};
use super::tokens::{Token, Tokens, Value};
use super::words;

/// Reads a text in the notation and appends its lines to `items`.
pub(crate) fn parse(text: &str, ids: Ids, items: &mut Vec<Item>) {
    for (index, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        let mut tokens = Tokens::new(index + 1, trimmed, ids);
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        items.push(if let Some(rest) = trimmed.strip_prefix("--") {
            metadata(&mut Tokens::new(index + 1, rest, ids))
        } else if let Some(rest) = trimmed.strip_prefix('%') {
            Item::Set(setting(&mut Tokens::new(index + 1, rest, ids)))
        } else {
            Item::Entry(Box::new(entry(&mut tokens)))
        });
    }
}

fn setting(tokens: &mut Tokens<'_>) -> Setting {
    let name = tokens.word("a setting");
    let value = tokens.verbatim();
    match name {
        "session" => Setting::Session(value),
        "cwd" => Setting::Cwd(value),
        "version" => Setting::Version(value),
        "branch" => Setting::Branch(value),
        "entrypoint" => Setting::Entrypoint(value),
        "agent" if value == "-" => Setting::Agent(None),
        "agent" => Setting::Agent(Some(value)),
        _ => tokens.fail(format_args!("no setting is called `{name}`")),
    }
}

fn metadata(tokens: &mut Tokens<'_>) -> Item {
    let kind = tokens.word("a metadata line");
    let item = match kind {
        "raw" => return Item::Literal(tokens.verbatim().into_bytes(), LineEnd::Newline),
        "torn" => return Item::Literal(tokens.verbatim().into_bytes(), LineEnd::Torn),
        "glue" => return Item::Literal(tokens.verbatim().into_bytes(), LineEnd::Glued),
        "bytes" => return Item::Literal(hex(tokens), LineEnd::Newline),
        "blank" => Item::Literal(Vec::new(), LineEnd::Newline),
        _ if NAMED.contains(&kind) => Item::Metadata(Metadata::named(kind, text_or_word(tokens))),
        "last-prompt" => Item::Metadata(last_prompt(tokens)),
        "summary" => {
            let text = text_or_word(tokens);
            let leaf = tokens.word("the name of the leaf");
            Item::Metadata(Metadata::Summary {
                text,
                leaf: unmarked(leaf).to_owned(),
            })
        }
        "queue" => {
            let operation = tokens.word("an operation").to_owned();
            Item::Metadata(Metadata::Queue {
                operation,
                text: tokens.text(),
            })
        }
        "snapshot" | "snapshot-update" => Item::Metadata(Metadata::Snapshot {
            prompt: tokens.word("the name of the prompt").to_owned(),
            files: tokens.json().unwrap_or_else(|| "{}".to_owned()),
            update: kind == "snapshot-update",
        }),
        _ => tokens.fail(format_args!(
            "no metadata line is called `{kind}`; write `raw` JSON"
        )),
    };
    tokens.end();
    item
}

fn last_prompt(tokens: &mut Tokens<'_>) -> Metadata {
    let leaf = match tokens.word("the name of the leaf, `0` or `-`") {
        "0" => Leaf::Zero,
        "-" => Leaf::Missing,
        "explicit" => Leaf::Chosen(unmarked(tokens.word("the name of the leaf")).to_owned()),
        name => Leaf::Named(unmarked(name).to_owned()),
    };
    Metadata::LastPrompt {
        leaf,
        text: tokens.text(),
    }
}

fn text_or_word(tokens: &mut Tokens<'_>) -> String {
    match tokens.next() {
        Some(Token::Text(text)) => text,
        Some(Token::Word(word)) => word.to_owned(),
        _ => tokens.fail("expected a text"),
    }
}

fn hex(tokens: &mut Tokens<'_>) -> Vec<u8> {
    let digits: Vec<char> = tokens
        .verbatim()
        .chars()
        .filter(|c| !c.is_whitespace())
        .collect();
    let byte = |pair: &[char]| match pair {
        [high, low] => Some((high.to_digit(16)? * 16 + low.to_digit(16)?) as u8),
        _ => None,
    };
    let bytes: Option<Vec<u8>> = digits.chunks(2).map(byte).collect();
    bytes.unwrap_or_else(|| tokens.fail("expected pairs of hexadecimal digits"))
}

/// Removes the mark of a name that is not meant to exist.
fn unmarked(name: &str) -> &str {
    name.strip_prefix('?').unwrap_or(name)
}

fn entry(tokens: &mut Tokens<'_>) -> Entry {
    let name = tokens.word("a name");
    let kind = tokens.word("a kind");
    let mut entry = Entry::new(name, words::body(kind, tokens));
    while let Some(token) = tokens.next() {
        if let Some(token) = common(&mut entry, token, tokens) {
            words::apply(&mut entry.body, token, tokens);
        }
    }
    entry
}

/// Takes a word that every entry understands, or gives it back.
fn common<'a>(entry: &mut Entry, token: Token<'a>, tokens: &Tokens<'_>) -> Option<Token<'a>> {
    match token {
        Token::Parent("-") => entry.parent = Parent::Null,
        Token::Parent(name) => {
            entry.parent = match name.strip_prefix('?') {
                Some(name) => Parent::Unknown(name.to_owned()),
                None => Parent::Named(name.to_owned()),
            }
        }
        Token::Word(word) if word.starts_with('@') => {
            entry.at = time(&word[1..]).unwrap_or_else(|| tokens.fail("expected a time"));
        }
        Token::Word("sidechain") => entry.side = Side::Inline,
        Token::Pair("sidechain", Value::Word(id)) => entry.side = Side::Agent(id.to_owned()),
        Token::Word("meta") => entry.meta = true,
        Token::Word("again") => entry.again = true,
        Token::Word(word) if word.len() > 1 && word.starts_with('!') => {
            entry.without.push(word[1..].to_owned());
        }
        Token::Pair(key, value) if key.len() > 1 && key.starts_with('+') => {
            entry.fields.push((key[1..].to_owned(), value.into_json()));
        }
        token => return Some(token),
    }
    None
}

/// Reads `+2`, `-2` (after the line above) or `2` (after the start), in seconds.
fn time(text: &str) -> Option<At> {
    let ms = (text.parse::<f64>().ok()? * 1000.0).round() as i64;
    Some(if text.starts_with(['+', '-']) {
        At::After(ms)
    } else {
        At::SinceStart(ms)
    })
}
