//! E-mail addresses.

use std::ops::Range;

use super::bytes::{back, first_char, joins, last_char};

/// The maximal length of the part before the `@`, in bytes.
const LONGEST: usize = 64;
/// Parts before the `@` that name a program or nothing, not a person.
const SHARED_NAMES: &str = "\
    git noreply no-reply donotreply do-not-reply hg this super return break continue self";
/// Ends of names that are those of files, not hosts: `logo@2x.png`.
const FILES: &str = "\
    png jpg jpeg gif svg webp ico avif js mjs cjs ts jsx tsx json css scss html md yml yaml toml \
    lock tgz";

/// Finds the address whose `@` is at `at`.
pub(super) fn address(text: &[u8], at: usize) -> Option<Range<usize>> {
    let is_local = |byte: u8| byte.is_ascii_alphanumeric() || b"._%+-".contains(&byte);
    let mut start = back(text, at, LONGEST, is_local);
    while let Some(letter) = last_char(&text[..start]).filter(|&letter| is_letter(letter)) {
        if at - start > LONGEST {
            break;
        }
        start = back(text, start - letter.len_utf8(), LONGEST, is_local);
    }
    while start < at && matches!(text[start], b'.' | b'-' | b'%' | b'+') {
        start += 1;
    }
    let local = &text[start..at];
    if local.is_empty() || SHARED_NAMES.split(' ').any(|shared| shared.as_bytes() == local) {
        return None;
    }
    let end = at + 1 + domain(&text[at + 1..])?;
    Some(start..end)
}

/// Returns the length of the host name with at least one dot at the start of a text.
fn domain(text: &[u8]) -> Option<usize> {
    let mut length = 0;
    while let Some(letter) = first_char(&text[length..]) {
        let inside = letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-');
        if length > 255 || !(inside || is_letter(letter)) {
            break;
        }
        length += letter.len_utf8();
    }
    unspool_work::add(length + 1);
    let mut dots = (0..length).rev().filter(|&at| text[at] == b'.');
    dots.find_map(|dot| host(text, dot))
}

/// Returns the length of a host whose last dot is at `dot`.
fn host(text: &[u8], dot: usize) -> Option<usize> {
    let letters = text[dot + 1..].iter().take(25);
    let top = letters.take_while(|byte| byte.is_ascii_alphabetic()).count();
    let end = dot + 1 + top;
    let goes_on = text.get(end).is_some_and(u8::is_ascii_alphanumeric);
    let host = &text[..dot];
    let is_host = first_char(host).is_some_and(char::is_alphanumeric);
    let fits = (2..=24).contains(&top) && !goes_on && is_host;
    (fits && !is_file(&text[dot + 1..end]) && !is_version(host)).then_some(end)
}

/// Tells whether a character is a letter outside ASCII that addresses may contain: `jürgen@müller.de`.
fn is_letter(letter: char) -> bool {
    !letter.is_ascii() && joins(letter)
}

fn is_file(top: &[u8]) -> bool {
    FILES.split(' ').any(|file| top.eq_ignore_ascii_case(file.as_bytes()))
}

/// Tells whether a host is a version: `1.2`, `v1.2`, `18.0.0-rc`, or the scale of an image: `2x`.
fn is_version(host: &[u8]) -> bool {
    let host = host.strip_prefix(b"v").unwrap_or(host);
    let digits = host.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0
        && match host.get(digits) {
            None => true,
            Some(b'.') => host.get(digits + 1).is_some_and(u8::is_ascii_digit),
            Some(b'x') => host.len() == digits + 1,
            Some(_) => false,
        }
}
