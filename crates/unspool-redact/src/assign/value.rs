//! Decides which values are secrets, not variables, types, calls, messages or placeholders.

use std::ops::Range;

use memchr::memmem;

use super::super::bytes::{ByteSet, MARKER, is_mask, skip_backslashes, skip_blanks};
use super::NameTrust;

/// How many bytes of a value are judged; the rest of the value is treated like them.
const JUDGED: usize = 512;
/// The maximal length of a value in a record; longer strings are text.
pub(super) const LONGEST: usize = 1 << 16;
/// The minimal length of a secret.
const SHORTEST: usize = 4;

/// A value after an assignment sign.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct AssignedValue {
    pub(super) range: Range<usize>,
    form: ValueForm,
}

/// Whether a value is quoted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ValueForm {
    /// In quotation marks.
    Quoted,
    /// Without quotation marks, up to a blank or a sign.
    Bare,
}

/// The surroundings of a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueContext {
    pub(super) trust: NameTrust,
    /// Whether it is assigned as in a shell, or an option's argument: it is not source code.
    pub(super) environment: bool,
    /// Whether it follows a colon.
    pub(super) colon: bool,
    /// Whether it is the value of a header: it is not source code.
    pub(super) header: bool,
    /// Whether the name begins its line, without blanks around the sign.
    pub(super) begins_line: bool,
}

/// Placeholders in place of a secret.
const WORDS: &str = "\
    none null nil undefined true false yes string str bool boolean int integer number float \
    bytes byte char varchar text any object unknown never void optional required hidden masked \
    redacted removed empty unset missing invalid expired valid secret password pass passwd token \
    apikey changeme change_me change-me example placeholder dummy todo tbd default prompt stdin \
    env self this type value await async function return const static let var new not keyring \
    keychain vault file auto inherit disabled enabled omitted secretstr uuid json date field \
    input button label option self.token";

/// Starts of expressions and references.
const REFERENCES: &str = "\
    process.env os.environ os.getenv getenv env. env( ENV[ System. import. std:: secrets. \
    secret: vault: vars. var. config. settings. self. this. args. ctx. req. request. data. \
    options. props. params. op:// arn: file: ssm: http:// https:// local. module. your my- my_ \
    insert replace Option< Vec< Arc< Box< Promise< Optional[ Union[ List[ Dict[ Annotated[ &' \
    &str &mut -----BEGIN @ < ... %{ #{ ! process.";

impl AssignedValue {
    /// Reads the value that begins at `at`.
    pub(super) fn read(text: &[u8], at: usize) -> Option<Self> {
        let quote = skip_backslashes(text, at);
        match text.get(quote) {
            Some(mark @ (b'"' | b'\'' | b'`')) => quoted(text, &text[at..quote], *mark, quote + 1),
            Some(b'b' | b'r' | b'u' | b'f') if matches!(text.get(at + 1), Some(b'"' | b'\'')) => {
                quoted(text, b"", text[at + 1], at + 2)
            }
            Some(_) => bare(text, at),
            None => None,
        }
    }

    /// Wraps a whole text as a quoted value.
    pub(super) fn whole(text: &[u8]) -> Self {
        Self { range: 0..text.len().min(JUDGED), form: ValueForm::Quoted }
    }

    pub(super) fn is_quoted(&self) -> bool {
        self.form == ValueForm::Quoted
    }

    /// Returns the range of the whole value, including the part of a long value that was not judged.
    pub(super) fn whole_range(&self, text: &[u8]) -> Range<usize> {
        let mut range = self.range.clone();
        if range.len() >= JUDGED {
            let rest = text[range.end..].iter();
            let more = rest.take_while(|&&byte| !ends_bare(byte)).count();
            unspool_work::add(more);
            range.end += more;
        }
        range
    }

    /// Tells whether the value is a secret.
    pub(super) fn is_secret(&self, text: &[u8], context: ValueContext) -> bool {
        let value = &text[self.range.clone()];
        let least = match context.trust {
            NameTrust::Sure | NameTrust::Header => SHORTEST,
            NameTrust::Perhaps => 8,
        };
        if value.len() < least || is_placeholder(value) {
            return false;
        }
        match self.form {
            ValueForm::Quoted if context.trust == NameTrust::Sure => !is_message(value),
            ValueForm::Quoted => looks_random(value),
            ValueForm::Bare => self.is_bare_secret(text, value, context),
        }
    }

    fn is_bare_secret(&self, text: &[u8], value: &[u8], context: ValueContext) -> bool {
        let next = text.get(self.range.end).copied().unwrap_or(b'\n');
        let program = matches!(next, b'(' | b'[' | b'{');
        if program || (next == b'<' && !context.environment) {
            return false;
        }
        let sure = context.trust == NameTrust::Sure;
        if !sure && !looks_random(value) {
            return false;
        }
        if context.environment {
            return true;
        }
        let ends_line = ends_line(text, self.range.end);
        let word = is_identifier(value);
        if context.header {
            let quoted = matches!(next, b'"' | b'\'' | b'`' | b'\\');
            return (quoted || ends_line) && (has_digit(value) || value.len() >= 16);
        }
        if context.begins_line && (ends_line || matches!(next, b';' | b'&')) {
            return sure || !word;
        }
        if context.colon {
            // YAML: a lower-case word at the end of a line is a value. In source code it would be a
            // type, but types are known or begin with a capital.
            let plain = value.iter().all(u8::is_ascii_lowercase) && value.len() >= 6;
            return ends_line && (!word || (sure && (plain || has_digit(value))));
        }
        let number = value[0].is_ascii_digit() && value.iter().all(u8::is_ascii_hexdigit);
        (!word && !number && !value.starts_with(b"0x"))
            || (word && has_digit(value) && (ends_line || matches!(next, b';' | b'&')))
    }
}

fn quoted(text: &[u8], escape: &[u8], mark: u8, start: usize) -> Option<AssignedValue> {
    let limit = text.len().min(start + JUDGED);
    unspool_work::add(limit - start);
    let mut at = start;
    while at < limit && text[at] != b'\n' {
        if text[at] == mark && text[start..at].ends_with(escape) {
            let end = at - escape.len();
            let slashes = text[start..end].iter().rev();
            if slashes.take_while(|&&byte| byte == b'\\').count() % 2 == 0 {
                let form = ValueForm::Quoted;
                return Some(AssignedValue { range: start..end, form });
            }
        }
        at += 1;
    }
    // The string is cut off, longer than the judged part, or not a string at all.
    let unclosed = text[start..at].iter().position(|&byte| ends_bare(byte));
    let end = unclosed.map_or(at, |length| start + length);
    let form = ValueForm::Quoted;
    (at == limit).then_some(AssignedValue { range: start..end, form })
}

/// Tells whether a byte ends a value without quotation marks.
fn ends_bare(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte.is_ascii_control() || b",;\"'`<>(){}[]|&\\".contains(&byte)
}

fn bare(text: &[u8], start: usize) -> Option<AssignedValue> {
    let rest = &text[start..text.len().min(start + JUDGED)];
    unspool_work::add(rest.len());
    // Brackets are read with a variable or a marker, so that both are recognised.
    let brackets = rest.iter().take(3).take_while(|byte| b"${<[%&*".contains(byte)).count();
    let length = rest[brackets..].iter().position(|&byte| ends_bare(byte));
    let end = start + length.map_or(rest.len(), |length| brackets + length);
    let form = ValueForm::Bare;
    (end > start).then_some(AssignedValue { range: start..end, form })
}

/// Returns the credentials after a scheme, the `…` of `Bearer …`; without a scheme, the whole value.
pub(super) fn after_scheme(text: &[u8], value: &AssignedValue) -> Option<Range<usize>> {
    let content = &text[value.range.clone()];
    let word = content.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let scheme = &content[..word];
    let known = ["bearer", "basic", "token", "digest", "apikey", "key", "negotiate", "bot"];
    let is_scheme = known.iter().any(|name| scheme.eq_ignore_ascii_case(name.as_bytes()));
    let start =
        if is_scheme { skip_blanks(text, value.range.start + word, 8) } else { value.range.start };
    let inside = |byte: &&u8| ByteSet::Query.contains(**byte) || **byte == b'~';
    let length = text[start..].iter().take_while(inside).count();
    unspool_work::add(length + 1);
    let token = &text[start..start + length];
    let least = if is_scheme { 6 } else { 16 };
    let fits = length >= least && !is_placeholder(token) && (is_scheme || looks_random(token));
    let telling = length >= 16 || !token.iter().all(u8::is_ascii_alphabetic);
    (fits && telling).then_some(start..start + length)
}

/// Tells whether a value is a placeholder for a secret.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let word = WORDS.split(' ').any(|word| value.eq_ignore_ascii_case(word.as_bytes()));
    let begins = |start: &str| {
        value.len() >= start.len() && value[..start.len()].eq_ignore_ascii_case(start.as_bytes())
    };
    let contains = |part: &[u8]| memmem::find(value, part).is_some();
    word || is_mask(value)
        || REFERENCES.split(' ').any(begins)
        || matches!(value[0], b'$' | b'{' | b'*' | b'&')
        || (value[0] == b'%' && (value.ends_with(b"%") || value.len() < 4))
        || is_path(value)
        || is_number(value)
        || contains(MARKER)
        || contains(b"${")
        || contains(b"{{")
        || contains(b"$(")
        || contains(b"xxxx")
        || contains(b"XXXX")
        || contains(b"****")
        || contains(b"_here")
        || contains(b"-here")
        || contains(b"your_")
        || contains(b"your-")
        || value.ends_with(b"example")
        || value.ends_with(b"...")
}

/// Tells whether a value is a version or an id of digits and dots.
fn is_number(value: &[u8]) -> bool {
    let number = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    value.contains(&b'.') && value.iter().all(number)
}

/// Tells whether a value is the path of a file.
fn is_path(value: &[u8]) -> bool {
    let rooted = value.starts_with(b"/") && value[1..].contains(&b'/');
    (rooted && !has_digit(value))
        || value.starts_with(b"./")
        || value.starts_with(b"~/")
        || value.starts_with(b"../")
}

/// Tells whether a value is a message for a person.
fn is_message(value: &[u8]) -> bool {
    let text = String::from_utf8_lossy(value).to_lowercase();
    let about = [
        "password",
        "passwort",
        "passphrase",
        "secret",
        "token",
        "key",
        "required",
        "enter",
        "must",
    ];
    let says = about.iter().any(|word| text.contains(word));
    let blank = text.contains(' ');
    let spoken = text.chars().all(|letter| {
        letter.is_alphabetic() || " .,:!?'-_".contains(letter) || (blank && letter.is_numeric())
    });
    let sentence = blank && text.ends_with(['.', '!', '?', ':']);
    (says && spoken) || sentence || text.split_whitespace().count() > 8 || text.contains('\n')
}

/// Tells whether a value has letters and digits that a person would not choose as a name.
fn looks_random(value: &[u8]) -> bool {
    let letters = value.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let upper = value.iter().filter(|byte| byte.is_ascii_uppercase()).count();
    let blank = value.iter().any(u8::is_ascii_whitespace);
    let mixed = upper > 2 && letters > upper + 2 && value.len() >= 24;
    !blank && letters > 0 && value.len() >= 8 && (digits > 1 || mixed)
}

/// Tells whether a value could be a variable, or a field of one.
fn is_identifier(value: &[u8]) -> bool {
    let inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.:?!".contains(byte);
    value.iter().all(inside) && !value[0].is_ascii_digit()
}

fn has_digit(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_digit)
}

/// Tells whether only blanks and a comment follow on the line.
fn ends_line(text: &[u8], at: usize) -> bool {
    let at = skip_blanks(text, at, 8);
    match text.get(at) {
        None | Some(b'\n' | b'\r' | b'#') => true,
        Some(b'\\') => matches!(text.get(at + 1), Some(b'n' | b'r')),
        Some(_) => false,
    }
}
