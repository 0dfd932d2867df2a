//! Passwords, tokens and secrets that are assigned to a name.
//!
//! `PASSWORD=…`, `"api_key": "…"`, `secret: …`, `--token …`, `Authorization: Bearer …`: such a value
//! does not identify itself, so the name and the way it is written decide. The scanner finds a part
//! of a name that may matter (`pass`, `token`, `_key`); this module reads the whole name
//! ([`name`]) and the value after it ([`value`]), and judges both. Source code assigns variables,
//! types and calls to such names all the time; those are kept.

mod name;
mod value;

use std::ops::Range;

use memchr::memmem;

use self::name::{NameTrust, SecretName};
use self::value::{AssignedValue, ValueContext};
use super::SecretKind;
use super::bytes::{ByteSet, back, first_char, joins, skip_backslashes, skip_blanks};

/// The maximal length of a name on either side of the part that was found, in bytes.
const NAME: usize = 48;
/// How many blanks may be around an assignment sign.
const BLANKS: usize = 24;

/// Returns literals, one of which is in every name, in the usual spellings.
pub(super) fn literals() -> Vec<String> {
    name::literals()
}

/// Finds the secret that is assigned to the name around `hit`.
pub(super) fn secret(text: &[u8], hit: Range<usize>) -> Option<(Range<usize>, SecretKind)> {
    let inside = |byte: u8| ByteSet::Token.contains(byte);
    let start = back(text, hit.start, NAME, inside);
    let option = memmem::rfind(&text[start..hit.start], b"--").map(|dashes| start + dashes + 2);
    let start = option.unwrap_or(start);
    // A literal may include the character after a name.
    let last = text[hit.clone()].iter().rposition(|&byte| inside(byte))?;
    let last = hit.start + last + 1;
    let end = last + ByteSet::Token.run(text, last, NAME);
    if start > 0 && text[start - 1] == b'/' {
        // The name is that of a file.
        return None;
    }
    let written = &text[start..end];
    let form = match option {
        Some(_) => NameForm::Option,
        None if name::is_header(written) => NameForm::Header,
        None => NameForm::Variable,
    };
    let sign = AssignmentSign::following(text, start, end, form)?;
    let name = SecretName::read(written)?;
    let value = AssignedValue::read(text, sign.value)?;
    if sign.comma && !value.is_quoted() && form == NameForm::Header {
        return None;
    }
    let context = ValueContext {
        trust: name.trust,
        environment: sign.tight && name.is_upper(written) || sign.is_argument,
        colon: sign.colon,
        header: sign.colon && form == NameForm::Header,
        begins_line: sign.tight && begins_line(text, start),
    };
    let range = if name.trust == NameTrust::Header {
        value::after_scheme(text, &value)?
    } else if value.is_secret(text, context) {
        value.whole_range(text)
    } else {
        return typed(text, &value, &name, context);
    };
    Some((range, name.kind))
}

/// Finds the secret after a type annotation: `password: &str = "…"`.
fn typed(
    text: &[u8],
    first: &AssignedValue,
    name: &SecretName,
    context: ValueContext,
) -> Option<(Range<usize>, SecretKind)> {
    if !context.colon || first.is_quoted() {
        return None;
    }
    let start = first.range.start;
    let line = &text[start..text.len().min(start + 64)];
    let inside = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_&'<>[]|. ".contains(byte);
    let length = line.iter().take_while(inside).count();
    if line.get(length) != Some(&b'=') {
        return None;
    }
    let at = skip_blanks(text, start + length + 1, BLANKS);
    let value = AssignedValue::read(text, at)?;
    let fits = value.is_quoted() && value.is_secret(text, context);
    fits.then(|| (value.whole_range(text), name.kind.clone()))
}

/// Judges a value that is separate from its name, as in a JSON record.
pub(super) fn is_secret_under(name: &[u8], value: &[u8]) -> Option<SecretKind> {
    let name = SecretName::read(strip_dashes(name)?)?;
    let long = value.len() > value::LONGEST;
    if long || (value.len() > 512 && value.iter().any(u8::is_ascii_whitespace)) {
        return None;
    }
    let whole = AssignedValue::whole(value);
    let context = ValueContext {
        trust: name.trust,
        environment: false,
        colon: true,
        header: false,
        begins_line: false,
    };
    let secret = match name.trust {
        NameTrust::Header => value::after_scheme(value, &whole).is_some(),
        _ => whole.is_secret(value, context),
    };
    secret.then_some(name.kind)
}

/// Returns a name without the dashes of an option; none if it is not a name.
fn strip_dashes(name: &[u8]) -> Option<&[u8]> {
    let dashes = name.iter().take(2).take_while(|&&byte| byte == b'-').count();
    let name = &name[dashes..];
    let is_name = name.len() <= 2 * NAME && name.iter().all(|&byte| ByteSet::Dotted.contains(byte));
    is_name.then_some(name)
}

/// Tells whether a name is that of an option for a secret: `--password`.
pub(super) fn is_option(name: &[u8]) -> bool {
    name.starts_with(b"--") && strip_dashes(name).and_then(SecretName::read).is_some()
}

/// Finds the token after `Bearer `, which ends at `at`.
pub(super) fn bearer(text: &[u8], at: usize) -> Option<Range<usize>> {
    let inside = |byte: &&u8| ByteSet::Query.contains(**byte) || **byte == b'~';
    let length = text[at..].iter().take_while(inside).count();
    unspool_work::add(length + 1);
    let token = &text[at..at + length];
    let digits = token.iter().filter(|byte| byte.is_ascii_digit()).count();
    let telling = length >= 16 && (digits > 1 || length >= 24);
    (telling && !value::is_placeholder(token)).then_some(at..at + length)
}

/// Finds the password of `-u user:password`, where ` -u ` ends at `at`.
pub(super) fn user_option(text: &[u8], at: usize) -> Option<Range<usize>> {
    let value = AssignedValue::read(text, at)?;
    let content = &text[value.range.clone()];
    let colon = content.iter().position(|&byte| byte == b':')?;
    let password = &content[colon + 1..];
    let user = content[..colon].iter().all(|&byte| ByteSet::Dotted.contains(byte) || byte == b'@');
    let fits = user && colon > 0 && password.len() >= 4 && !password.starts_with(b"/");
    (fits && !value::is_placeholder(password) && !password.iter().all(u8::is_ascii_digit))
        .then(|| value.range.start + colon + 1..value.range.end)
}

/// The way a name is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum NameForm {
    /// As a command-line option: `--api-key`.
    Option,
    /// As a request header: `X-Api-Key`.
    Header,
    /// In any other way.
    Variable,
}

/// An assignment sign after a name.
struct AssignmentSign {
    /// The start of the value.
    value: usize,
    /// Whether there are no blanks around the sign.
    tight: bool,
    /// Whether the sign is a colon, as in YAML, JSON and types.
    colon: bool,
    /// Whether the sign is a comma, as between the arguments of a call.
    comma: bool,
    /// Whether the name is a command-line option or a parameter of a URL.
    is_argument: bool,
}

impl AssignmentSign {
    fn following(text: &[u8], start: usize, end: usize, form: NameForm) -> Option<Self> {
        let option = form == NameForm::Option;
        let mut at = skip_backslashes(text, end);
        let closed = matches!(text.get(at), Some(b'"' | b'\'' | b'`'));
        at = if closed { at + 1 } else { end };
        at += usize::from(text.get(at) == Some(&b']'));
        let sign = skip_blanks(text, at, BLANKS);
        let rest = text.get(sign..)?;
        let length = match rest {
            [b'=', b'=', b'=', ..] => 3,
            [b':' | b'?' | b'!' | b'=', b'=', ..] | [b'=', b'>', ..] => 2,
            [b':', b':', ..] => return None,
            [b':' | b'=', ..] => 1,
            [b',', ..] if form != NameForm::Variable && closed => 1,
            [first, ..] if option && sign > end && !closed && !b"-|&;<>)".contains(first) => 0,
            _ => return None,
        };
        let value = skip_blanks(text, sign + length, BLANKS);
        let before = start.checked_sub(1).map(|at| text[at]);
        let tight = length == 1 && sign == end && value == sign + 1;
        Some(Self {
            value,
            tight,
            colon: rest[0] == b':',
            comma: rest[0] == b',',
            is_argument: option || (matches!(before, Some(b'?' | b'&')) && tight),
        })
    }
}

/// Tells whether a name begins its line, ignoring `export`, numbers, signs and characters that are
/// not letters: `     1→`, `• `, `+ export `.
fn begins_line(text: &[u8], start: usize) -> bool {
    const LONGEST: usize = 32;
    let before = &text[start.saturating_sub(LONGEST)..start];
    let newline = before.iter().rposition(|&byte| byte == b'\n');
    if newline.is_none() && before.len() == LONGEST {
        return false;
    }
    let line = &before[newline.map_or(0, |at| at + 1)..];
    let trimmed = line.trim_ascii_end();
    let mut rest = trimmed.strip_suffix(b"export").unwrap_or(trimmed);
    while let Some(sign) = first_char(rest) {
        let may_precede = match sign {
            '+' | '-' | ' ' | '\t' | '>' | '|' | '#' | '*' | ':' | '0'..='9' => true,
            sign => !sign.is_ascii() && !joins(sign),
        };
        if !may_precede {
            return false;
        }
        rest = &rest[sign.len_utf8()..];
    }
    rest.is_empty()
}
