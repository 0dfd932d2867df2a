//! Home folders and user names.

use std::ops::Range;

use memchr::memmem;

use super::bytes::{
    back, begins_token, begins_word, ends_word, first_char, joins, skip_backslashes,
};
use super::view::PlainBytes;

/// The maximal length of a name, in bytes.
const LONGEST: usize = 64;
/// The maximal number of words of a name with blanks.
const WORDS: usize = 4;

/// Folders next to home folders that do not belong to a person.
const SHARED: &str = "\
    Shared Public Default linuxbrew index Guest";
/// Names that do not identify a person, and words that are common in texts.
const COMMON: &str = "\
    root admin administrator user users username guest test tester testing demo dev developer \
    devel default runner ubuntu debian fedora centos alpine arch node app apps git home www web \
    www-data nobody daemon sys system vagrant docker container jenkins build builder ci \
    codespace vscode claude agent assistant model work worker workspace project projects code \
    coder src main local remote server client host localhost service services postgres mysql \
    redis nginx python rust java linux mac macos windows ec2-user azureuser opc pi deploy ops \
    backup data temp tmp owner name text type tool message content file path shell bash me my \
    you one the and for not new all any some can will may mark grant art bill chip dash ray sky \
    max min";

/// Tells whether a user name can be distinguished from other words.
pub(super) fn is_telling(name: &str) -> bool {
    let common = COMMON.split(' ').any(|word| name.eq_ignore_ascii_case(word));
    (3..=64).contains(&name.len()) && !common && !name.bytes().all(|byte| byte.is_ascii_digit())
}

/// Finds the home folder whose `/home/`, `/Users/`, `home\` or `Users\` is at `hit`.
pub(super) fn folder(text: PlainBytes<'_>, hit: Range<usize>) -> Option<Range<usize>> {
    let start = if text[hit.start] == b'/' {
        drive_before(text, hit.start)
    } else {
        let slashes = back(&text, hit.start, 8, |byte| byte == b'\\');
        if slashes == hit.start && !text.is_seam(hit.start) {
            return None;
        }
        drive_before(text, slashes)
    };
    let at = match text[hit.end - 1] {
        b'\\' => skip_backslashes(&text, hit.end),
        _ => hit.end,
    };
    let backslash = text[hit.end - 1] == b'\\';
    let spaced = backslash.then(|| spaced_name(&text[at..])).flatten();
    let end = at + spaced.or_else(|| name(&text[at..]))?;
    (!is_web(&text, hit.start)).then_some(start..end)
}

/// Finds the home folder in the name of a project's folder, `-home-name-src`; `-home-` is at `hit`.
pub(super) fn encoded(text: PlainBytes<'_>, hit: Range<usize>) -> Option<Range<usize>> {
    let drive = back(&text, hit.start, 2, |byte| byte.is_ascii_alphabetic() || byte == b'-');
    let is_drive = hit.start - drive == 2 && text[drive + 1] == b'-' && begins_token(text, drive);
    let start = if is_drive { drive } else { hit.start };
    if !begins_token(text, start) {
        return None;
    }
    let inside = |byte: &&u8| byte.is_ascii_alphanumeric();
    let length = text[hit.end..].iter().take(65).take_while(inside).count();
    let shared = SHARED.split(' ').any(|name| name.as_bytes() == &text[hit.end..hit.end + length]);
    (length > 0 && ends_word(text, hit.end + length) && !shared).then_some(start..hit.end + length)
}

/// Finds a given home folder at `hit`. In the name of a project's folder, a dash ends the home
/// folder; in a path, a dash makes it a part of another name.
pub(super) fn given(text: PlainBytes<'_>, hit: Range<usize>) -> Option<Range<usize>> {
    let encoded = !text[hit.clone()].iter().any(|byte| b"/\\".contains(byte));
    let inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
    let following = text.get(hit.end);
    let goes_on = !ends_word(text, hit.end)
        || (!encoded && following.is_some_and(inside) && text.get(hit.end + 1).is_some_and(inside));
    // A short match may be a part of another path.
    let whole =
        !encoded && text[hit.clone()].iter().filter(|byte| b"/\\".contains(byte)).count() > 1;
    (!goes_on && (whole || begins_token(text, hit.start))).then_some(hit)
}

/// Finds a user name that is a whole word.
pub(super) fn user(text: PlainBytes<'_>, hit: Range<usize>) -> Option<Range<usize>> {
    let alone = begins_word(text, hit.start) && ends_word(text, hit.end);
    (alone && !is_in_uuid(&text, &hit)).then_some(hit)
}

/// Finds a user name that is a whole component of a path, or of the name of a project's folder.
pub(super) fn in_path(text: PlainBytes<'_>, hit: Range<usize>) -> Option<Range<usize>> {
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let before = &text[..hit.start];
    let encoded = before.ends_with(b"-") && {
        let start = back(&text, hit.start, 256, inside);
        text[start] == b'-' && begins_token(text, start)
    };
    let separated = matches!(before.last(), Some(b'/' | b'\\' | b'~'))
        || before.ends_with(b"%2F")
        || before.ends_with(b"%2f");
    let goes_on = |byte: &u8| b".-".contains(byte) && !encoded;
    let alone = ends_word(text, hit.end) && !text.get(hit.end).is_some_and(goes_on);
    ((separated || encoded) && alone).then_some(hit)
}

/// Tells whether a name of hexadecimal digits is part of a uuid.
fn is_in_uuid(text: &[u8], hit: &Range<usize>) -> bool {
    let hex = |byte: &u8| byte.is_ascii_hexdigit();
    let neighbour = |at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(hex);
    let before =
        hit.start > 0 && text[hit.start - 1] == b'-' && neighbour(hit.start.checked_sub(2));
    let following = text.get(hit.end) == Some(&b'-') && neighbour(Some(hit.end + 1));
    text[hit.clone()].iter().all(hex) && (before || following)
}

/// Returns the start of the drive before a folder, such as `C:`; `at` if there is none.
fn drive_before(text: PlainBytes<'_>, at: usize) -> usize {
    let is_drive = at >= 2 && text[at - 1] == b':' && text[at - 2].is_ascii_alphabetic();
    if is_drive && begins_token(text, at - 2) { at - 2 } else { at }
}

/// Returns the length of a name of several words before a backslash.
fn spaced_name(text: &[u8]) -> Option<usize> {
    let inside =
        |byte: &&u8| **byte >= 0x80 || byte.is_ascii_alphanumeric() || b"_.- ".contains(byte);
    let length = text.iter().take(LONGEST).take_while(inside).count();
    let words = text[..length].split(|&byte| byte == b' ');
    let fits = words.clone().count() <= WORDS && words.clone().all(|word| !word.is_empty());
    (fits && length > 0 && text.get(length) == Some(&b'\\')).then_some(length)
}

/// Returns the length of the name of a person's folder at the start of a text.
fn name(text: &[u8]) -> Option<usize> {
    let mut length = name_run(text);
    unspool_work::add(length + 1);
    while length > 0 && text[length - 1] == b'.' {
        length -= 1;
    }
    let name = &text[..length];
    let page = [".html", ".php", ".tsx", ".jsx", ".ts", ".js", ".css", ".vue", ".md"];
    let is_page = page.iter().any(|end| name.ends_with(end.as_bytes()));
    let shared = SHARED.split(' ').any(|shared| shared.as_bytes() == name);
    ((1..=LONGEST).contains(&length) && !is_page && !shared).then_some(length)
}

/// Returns how many bytes may belong to a name. A name in Latin letters ends before a script
/// without capitals, since that is the text after it.
fn name_run(text: &[u8]) -> usize {
    let latin = text.first().is_some_and(u8::is_ascii);
    let mut length = 0;
    while let Some(letter) = first_char(&text[length..]) {
        let inside = letter.is_ascii_alphanumeric()
            || matches!(letter, '_' | '.' | '-')
            || joins(letter)
            || (!latin && letter.is_alphanumeric());
        let full = length > LONGEST || (!latin && length + letter.len_utf8() > LONGEST);
        if !inside || full {
            break;
        }
        length += letter.len_utf8();
    }
    length
}

/// Tells whether a folder is part of a URL other than a file's: web paths do not have home folders.
fn is_web(text: &[u8], at: usize) -> bool {
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/@%[]".contains(&byte);
    let start = back(text, at, 128, inside);
    let before = &text[start..at];
    let found = memmem::find(before, b"://");
    found.is_some_and(|found| !before[..found].ends_with(b"file") && !before.ends_with(b"://"))
}
