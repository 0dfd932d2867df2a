//! Passwords in URLs: `scheme://user:password@host`.

use std::ops::Range;

use memchr::memmem;

use super::bytes::{MARKER, is_mask};

/// The maximal length of a URL's authority, in bytes.
const LONGEST: usize = 1024;
/// The length from which a user without a password is a token.
const TOKEN: usize = 20;

/// Finds the password of the URL whose `://` ends at `at`.
pub(super) fn password(text: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = &text[at..text.len().min(at + LONGEST)];
    if rest.starts_with(b"[redacted:home]") {
        // A home folder was redacted in the path of a file.
        return None;
    }
    let ends = |byte: &u8| {
        byte.is_ascii_whitespace() || byte.is_ascii_control() || b"/?#\"'`<>\\|,".contains(byte)
    };
    let length = rest.iter().position(ends).unwrap_or(rest.len());
    unspool_work::add(length);
    let user = rest[..length].iter().rposition(|&byte| byte == b'@')?;
    let user = &rest[..user];
    let colon = |&at: &usize| user[at] == b':' && !user[..at].ends_with(b"[redacted");
    let Some(colon) = (0..user.len()).find(colon) else {
        let token = user.len() >= TOKEN && user.iter().all(u8::is_ascii_alphanumeric);
        return token.then_some(at..at + user.len());
    };
    let password = &user[colon + 1..];
    let fits = !password.is_empty() && !is_variable(password);
    fits.then_some(at + colon + 1..at + user.len())
}

/// Tells whether a password is a placeholder, or was redacted.
fn is_variable(password: &[u8]) -> bool {
    let first = password.first().copied().unwrap_or_default();
    let opens = matches!(first, b'$' | b'{' | b'[' | b'(' | b'%') && !is_escaped(password);
    let replaced = memmem::find(password, MARKER).is_some();
    opens || replaced || is_mask(password)
}

/// Tells whether a percent sign begins an encoded character, not a variable.
fn is_escaped(password: &[u8]) -> bool {
    let hex = |at: usize| password.get(at).is_some_and(u8::is_ascii_hexdigit);
    password[0] == b'%' && hex(1) && hex(2)
}
