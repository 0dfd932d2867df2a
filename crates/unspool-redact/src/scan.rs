//! Finds secrets in a text: searches for a few hundred literals in one pass, and checks the text
//! around each of them.
//!
//! Every rule has one or more literals that its secrets must contain (`ghp_`, `@`, `PRIVATE KEY`).
//! All literals are searched for at once, with case, and only the text around a match is read
//! again, by code that reads a bounded part or ends a secret there. So the work grows with the
//! length of the text, whatever it contains.

use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};

use super::ansi::{self, Stripped};
use super::bytes::{ByteSet, back, begins_token};
use super::key_block::{self, BlockState, KeyBlock};
use super::tokens::SHAPES;
use super::view::{self, PlainBytes};
use super::{RedactRules, SecretKind, UserPattern, assign, email, escape, home, url};

/// How many levels of JSON inside JSON are decoded.
const DEPTH: usize = 3;

/// A range of a text to replace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SecretSpan {
    pub(super) range: Range<usize>,
    pub(super) kind: SecretKind,
}

/// What a scan searches for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ScanScope {
    /// Everything.
    All,
    /// Credentials only, without addresses, folders and names.
    Secrets,
}

/// Whether a string is text, which may contain user names, or a word of the format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StringPlace {
    Text,
    Word,
}

/// The rule that a literal belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LiteralRule {
    Shape(u16),
    Telegram,
    Discord,
    KeyBlock,
    Putty,
    Assignment,
    Bearer,
    UserOption,
    Signature,
    Url,
    Email,
    Folder,
    EncodedFolder,
    GivenFolder,
    User,
    PathName,
    /// An escape of JSON, which may be inside any other literal.
    Escape,
    /// An ANSI code, which may be inside any other literal too.
    Code,
}

/// Literals of all rules but the shapes of tokens.
const SIGNS: &[(&str, LiteralRule)] = &[
    (":AA", LiteralRule::Telegram),
    (".G", LiteralRule::Discord),
    (".H", LiteralRule::Discord),
    (".X", LiteralRule::Discord),
    (".Y", LiteralRule::Discord),
    (".Z", LiteralRule::Discord),
    ("PRIVATE KEY", LiteralRule::KeyBlock),
    ("Private-Lines:", LiteralRule::Putty),
    ("?sig=", LiteralRule::Signature),
    ("&sig=", LiteralRule::Signature),
    ("earer ", LiteralRule::Bearer),
    (" -u ", LiteralRule::UserOption),
    (" --user ", LiteralRule::UserOption),
    ("://", LiteralRule::Url),
    ("\\u00", LiteralRule::Escape),
    ("\\/", LiteralRule::Escape),
];

/// Literals of personal data.
const PERSONAL: &[(&str, LiteralRule)] = &[
    ("@", LiteralRule::Email),
    ("/home/", LiteralRule::Folder),
    ("/Users/", LiteralRule::Folder),
    ("Users\\", LiteralRule::Folder),
    ("home\\", LiteralRule::Folder),
    ("-home-", LiteralRule::EncodedFolder),
    ("-Users-", LiteralRule::EncodedFolder),
];

/// All rules, compiled.
#[derive(Debug)]
pub(super) struct SecretScanner {
    literals: AhoCorasick,
    signs: Vec<LiteralRule>,
    own: Vec<UserPattern>,
}

impl SecretScanner {
    pub(super) fn new(rules: &RedactRules, scope: ScanScope) -> Self {
        let mut literals: Vec<String> = Vec::new();
        let mut signs = Vec::new();
        let mut add = |literal: &str, sign: LiteralRule| {
            literals.push(literal.to_owned());
            signs.push(sign);
        };
        for (number, shape) in SHAPES.iter().enumerate() {
            add(shape.prefix, LiteralRule::Shape(number as u16));
        }
        for (literal, sign) in SIGNS {
            add(literal, *sign);
        }
        for literal in assign::literals() {
            add(&literal, LiteralRule::Assignment);
        }
        for literal in ansi::LITERALS {
            add(literal, LiteralRule::Code);
        }
        if scope == ScanScope::All {
            for (literal, sign) in PERSONAL {
                add(literal, *sign);
            }
            for folder in rules.home_dirs.iter().flat_map(|home| spellings(home)) {
                add(&folder, LiteralRule::GivenFolder);
            }
            let users = rules.user_names.iter().map(|name| (name, LiteralRule::User));
            let names = rules.path_names.iter().map(|name| (name, LiteralRule::PathName));
            for (name, sign) in users.chain(names) {
                if home::is_telling(name) {
                    add(name, sign);
                }
            }
        }
        let literals = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::DFA))
            .match_kind(MatchKind::Standard)
            .build(literals)
            .expect("a few hundred short literals make a small automaton");
        Self { literals, signs, own: rules.extra.clone() }
    }

    /// Tells whether there are patterns of the user, which have no literals.
    pub(super) fn has_own(&self) -> bool {
        !self.own.is_empty()
    }

    /// Returns the end of the first literal from `at` on. Escapes of control characters other than
    /// newlines and ANSI codes are skipped.
    pub(super) fn first_literal(&self, text: &[u8], at: usize) -> Option<usize> {
        let mut from = at;
        loop {
            let hit = self.literals.find(Input::new(text).range(from..));
            unspool_work::add(hit.map_or(text.len(), |hit| hit.end()).saturating_sub(from));
            let hit = hit?;
            let escape = self.signs[hit.pattern()] == LiteralRule::Escape;
            if !escape || JsonEscape::at(text, &hit.range()) != JsonEscape::Nothing {
                return Some(hit.end());
            }
            from = hit.end();
        }
    }

    /// Finds all spans to replace in a text, in order and without overlaps, and a key block that
    /// continues after the text.
    pub(super) fn spans(&self, text: &[u8], place: StringPlace) -> ScanResult {
        let mut found = self.layers(text, place, 0);
        found.spans = merge(found.spans);
        found
    }

    /// Scans a text, the text without ANSI codes, and the text with its JSON escapes resolved.
    fn layers(&self, text: &[u8], place: StringPlace, depth: usize) -> ScanResult {
        let mut found = self.level(PlainBytes::plain(text), place);
        if let Some(stripped) = found.coloured.then(|| Stripped::of(text)).flatten() {
            for span in &mut found.spans {
                stripped.widen(&mut span.range);
            }
            let shown = self.level(stripped.view(), place);
            let back = |ranges: &mut [Range<usize>]| view::locate(&stripped.codes, ranges);
            found.open = shown.open.map(|block| block.located(&back)).or(found.open);
            found.spans.extend(located(shown.spans, &back));
        }
        if found.escaped && depth < DEPTH {
            unspool_work::add(text.len());
            let inner = self.layers(&escape::decode(text), place, depth + 1);
            let back = |ranges: &mut [Range<usize>]| escape::locate(text, ranges);
            found.spans.extend(located(inner.spans, &back));
        }
        found
    }

    fn level(&self, text: PlainBytes<'_>, place: StringPlace) -> ScanResult {
        unspool_work::add(text.len());
        let mut found = ScanResult::default();
        let mut passed = [0; SHAPES.len()];
        for hit in self.literals.find_overlapping_iter(&*text) {
            let range = hit.range();
            // A literal inside the last secret is replaced with it.
            if found.contains(&range) {
                continue;
            }
            let sign = self.signs[hit.pattern()];
            match sign {
                LiteralRule::Code => found.coloured = true,
                LiteralRule::Escape => found.escape(JsonEscape::at(&text, &range)),
                LiteralRule::User | LiteralRule::PathName if place == StringPlace::Word => {}
                LiteralRule::KeyBlock | LiteralRule::Putty => found.block(key(&text, range, sign)),
                LiteralRule::Email if found.ends_password(range.start) => {}
                LiteralRule::Shape(number) => {
                    let passed = &mut passed[usize::from(number)];
                    found.spans.extend(token(text, range, number, passed));
                }
                _ => found.spans.extend(look(text, range, sign)),
            }
        }
        self.own_patterns(&text, &mut found.spans);
        found
    }

    fn own_patterns(&self, text: &[u8], spans: &mut Vec<SecretSpan>) {
        for pattern in &self.own {
            for hit in pattern.regex.find_iter(text) {
                let range = hit.range();
                if !range.is_empty() && !is_in_marker(text, &range) {
                    let kind = pattern.kind.clone();
                    spans.push(SecretSpan { range, kind });
                }
            }
        }
    }
}

/// The result of a scan.
#[derive(Default, Debug)]
pub(super) struct ScanResult {
    pub(super) spans: Vec<SecretSpan>,
    /// A key block that the end of the text cuts off.
    pub(super) open: Option<KeyBlock>,
    /// Whether the text has an escape of a character that a secret may contain.
    escaped: bool,
    /// Whether the text may have ANSI codes.
    coloured: bool,
}

impl ScanResult {
    /// Creates a result with one span.
    pub(super) fn of(span: SecretSpan) -> Self {
        Self { spans: vec![span], ..Self::default() }
    }

    /// Tells whether a match is inside the last span.
    fn contains(&self, hit: &Range<usize>) -> bool {
        let last = self.spans.last();
        last.is_some_and(|last| last.range.start <= hit.start && hit.end <= last.range.end)
    }

    /// Tells whether the password of a URL ends at an offset.
    fn ends_password(&self, at: usize) -> bool {
        let last = self.spans.last();
        last.is_some_and(|last| last.kind == SecretKind::URL_PASSWORD && last.range.end == at)
    }

    fn escape(&mut self, escaped: JsonEscape) {
        match escaped {
            JsonEscape::Visible => self.escaped = true,
            JsonEscape::Code => (self.escaped, self.coloured) = (true, true),
            JsonEscape::Nothing => {}
        }
    }

    fn block(&mut self, block: Option<KeyBlock>) {
        let Some(block) = block else { return };
        if block.state != BlockState::Closed {
            self.open = Some(block);
        }
        if block.state != BlockState::Bare {
            let range = block.start..block.end;
            let kind = SecretKind::PRIVATE_KEY;
            self.spans.push(SecretSpan { range, kind });
        }
    }
}

fn key(text: &[u8], hit: Range<usize>, sign: LiteralRule) -> Option<KeyBlock> {
    match sign {
        LiteralRule::Putty => key_block::putty(text, hit.start),
        _ => key_block::around(text, hit.start),
    }
}

/// Moves spans back to the text that a decoded text comes from, in order and without overlaps.
pub(super) fn located(
    spans: Vec<SecretSpan>,
    back: &dyn Fn(&mut [Range<usize>]),
) -> Vec<SecretSpan> {
    let (mut ranges, kinds): (Vec<_>, Vec<_>) =
        merge(spans).into_iter().map(|span| (span.range, span.kind)).unzip();
    back(&mut ranges);
    let located = ranges.into_iter().zip(kinds);
    located.map(|(range, kind)| SecretSpan { range, kind }).collect()
}

/// Checks the text around a literal for the secret of its rule.
fn look(text: PlainBytes<'_>, hit: Range<usize>, sign: LiteralRule) -> Option<SecretSpan> {
    let span = |range: Option<Range<usize>>, kind: SecretKind| {
        range.map(|range| SecretSpan { range, kind })
    };
    match sign {
        LiteralRule::Assignment | LiteralRule::User | LiteralRule::PathName
            if is_in_marker(&text, &hit) =>
        {
            None
        }
        LiteralRule::Assignment => {
            let secret = assign::secret(&text, hit);
            secret.map(|(range, kind)| SecretSpan { range, kind })
        }
        LiteralRule::Telegram => span(telegram(text, &hit), SecretKind::known("telegram-token")),
        LiteralRule::Discord => span(discord(text, &hit), SecretKind::known("discord-token")),
        LiteralRule::Bearer => span(assign::bearer(&text, hit.end), SecretKind::TOKEN),
        LiteralRule::UserOption => span(assign::user_option(&text, hit.end), SecretKind::PASSWORD),
        LiteralRule::Signature => {
            span(signature(&text, hit.end), SecretKind::known("azure-signature"))
        }
        LiteralRule::Url => span(url::password(&text, hit.end), SecretKind::URL_PASSWORD),
        LiteralRule::Email => span(email::address(&text, hit.start), SecretKind::EMAIL),
        LiteralRule::Folder => span(home::folder(text, hit), SecretKind::HOME),
        LiteralRule::EncodedFolder => span(home::encoded(text, hit), SecretKind::HOME),
        LiteralRule::GivenFolder => span(home::given(text, hit), SecretKind::HOME),
        LiteralRule::User => span(home::user(text, hit), SecretKind::USER),
        LiteralRule::PathName => span(home::in_path(text, hit), SecretKind::USER),
        LiteralRule::Shape(_)
        | LiteralRule::KeyBlock
        | LiteralRule::Putty
        | LiteralRule::Escape
        | LiteralRule::Code => None,
    }
}

/// Finds a token by its shape, and after the id of an AWS key also the key. A token of the shape
/// cannot begin before `passed`.
fn token(
    text: PlainBytes<'_>,
    hit: Range<usize>,
    number: u16,
    passed: &mut usize,
) -> impl Iterator<Item = SecretSpan> {
    let shape = &SHAPES[usize::from(number)];
    let end = if hit.end <= *passed { Err(*passed) } else { shape.end(text, hit.start) };
    let (token, second) = match end {
        Ok(end) => {
            let range = hit.start..end;
            let secret = (shape.kind == "aws-key")
                .then(|| text.cuts(end).find_map(|text| aws_secret(text, end)));
            (Some(SecretSpan { range, kind: shape.kind() }), secret.flatten())
        }
        Err(reach) => {
            *passed = reach;
            (None, None)
        }
    };
    let kind = SecretKind::known("aws-secret");
    let second = second.map(|range| SecretSpan { range, kind });
    token.into_iter().chain(second)
}

/// Finds the forty characters of a key next to its id, as in a table or a file.
fn aws_secret(text: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..)?.iter().take(8);
    let start = at + rest.take_while(|byte| b",:;|/ \t\"'".contains(byte)).count();
    let length = ByteSet::Base64.run(text, start, 41);
    let secret = text.get(start..start + length)?;
    let has = |test: fn(&u8) -> bool| secret.iter().any(test);
    let mixed =
        has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_digit);
    (start > at && length == 40 && mixed).then_some(start..start + length)
}

/// Finds the signature of an Azure URL, which begins at `at`.
fn signature(text: &[u8], at: usize) -> Option<Range<usize>> {
    let length = ByteSet::Query.run(text, at, 128);
    (length >= 40).then_some(at..at + length)
}

/// Finds the token of a Telegram bot around `:AA`.
fn telegram(text: PlainBytes<'_>, hit: &Range<usize>) -> Option<Range<usize>> {
    const BODY: usize = 33;
    let digits = back(&text, hit.start, 16, |byte| byte.is_ascii_digit());
    // The digits of an escape may come directly before those of the token.
    let starts = digits.max(hit.start.saturating_sub(10))..(hit.start + 1).saturating_sub(8);
    let start = starts.into_iter().find(|&start| begins_token(text, start))?;
    let fits = |text: &&[u8]| {
        let goes_on = text.get(hit.end + BODY).is_some_and(u8::is_ascii_alphanumeric);
        ByteSet::Token.run(text, hit.end, BODY) == BODY && !goes_on
    };
    let found = text.cuts(hit.end).find(fits);
    found.map(|_| start..hit.end + BODY)
}

/// Finds the token of a Discord bot around the dot before its second part.
fn discord(text: PlainBytes<'_>, hit: &Range<usize>) -> Option<Range<usize>> {
    let second = hit.start + 1;
    if ByteSet::Token.run(&text, second, 7) != 6 || text.get(second + 6) != Some(&b'.') {
        return None;
    }
    let run = back(&text, hit.start, 48, |byte| ByteSet::Token.contains(byte));
    let mut starts = run.max(hit.start.saturating_sub(28))..(hit.start + 1).saturating_sub(23);
    let begins =
        |&start: &usize| matches!(text[start], b'M' | b'N' | b'O') && begins_token(text, start);
    let start = starts.find(begins)?;
    let third = second + 7;
    let fits = |text: &[u8]| {
        let length = ByteSet::Token.run(text, third, 46);
        (27..=45).contains(&length).then_some(third + length)
    };
    let end = text.cuts(third).find_map(fits)?;
    Some(start..end)
}

/// The meaning of a JSON escape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum JsonEscape {
    /// A character that a secret may contain: a visible one, or a newline.
    Visible,
    /// The start of an ANSI code.
    Code,
    /// Any other character.
    Nothing,
}

impl JsonEscape {
    /// Reads the escape that begins with `hit`.
    fn at(text: &[u8], hit: &Range<usize>) -> Self {
        let digits = text.get(hit.end..hit.end + 2).unwrap_or_default();
        let seen = matches!(digits, [b'2'..=b'7', _] | [b'0', b'a' | b'A' | b'd' | b'D']);
        if hit.len() == "\\/".len() || seen {
            Self::Visible
        } else if ansi::is_escape(digits) {
            Self::Code
        } else {
            Self::Nothing
        }
    }
}

/// Tells whether a range is inside a marker.
fn is_in_marker(text: &[u8], range: &Range<usize>) -> bool {
    let start = back(text, range.start, 48, |byte| ByteSet::Token.contains(byte) || byte == b':');
    let word = text[start..].starts_with(b"redacted:") || range.start == start;
    word && start > 0 && text[start - 1] == b'[' && text[start..].starts_with(b"redacted:")
}

/// Returns the spellings of a folder in texts: with slashes, backslashes, doubled backslashes, and
/// as the name of a project's folder.
fn spellings(home: &str) -> Vec<String> {
    let home = home.trim_end_matches(['/', '\\']);
    let depth = home.split(['/', '\\']).filter(|part| !part.is_empty()).count();
    if depth == 0 || home.len() < 4 {
        return Vec::new();
    }
    let encoded: String = home
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
        .collect();
    let mut spellings = vec![home.to_owned()];
    if home.contains('\\') {
        spellings.extend([home.replace('\\', "\\\\"), home.replace('\\', "/")]);
    }
    // With one folder below the root, the name would be `-root`, which may be any word after a dash.
    if depth > 1 {
        spellings.push(encoded);
    }
    spellings
}

/// Sorts spans and joins those that overlap, with the kind of the longest.
fn merge(mut spans: Vec<SecretSpan>) -> Vec<SecretSpan> {
    if spans.len() < 2 {
        return spans;
    }
    spans.sort_by_key(|span| (span.range.start, std::cmp::Reverse(span.range.end)));
    let mut merged: Vec<SecretSpan> = Vec::with_capacity(spans.len());
    let mut longest = 0;
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.range.start < last.range.end => {
                if span.range.len() > longest {
                    longest = span.range.len();
                    last.kind = span.kind;
                }
                last.range.end = last.range.end.max(span.range.end);
            }
            _ => {
                longest = span.range.len();
                merged.push(span);
            }
        }
    }
    merged
}
