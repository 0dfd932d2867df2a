//! A short look at the start of a log, without parsing it.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use memchr::memmem;
use serde::Deserialize;
use unspool_model::ids::SessionId;

/// Limits how much of a file is looked at.
const LIMIT: usize = 64 * 1024;
/// The first look, which nearly always is enough.
const STEP: usize = 8 * 1024;

/// Names a text field at the top of an entry.
#[derive(Clone, Copy)]
pub(crate) enum Field {
    SessionId,
    Cwd,
}

impl Field {
    fn key(self) -> &'static [u8] {
        match self {
            Self::SessionId => b"\"sessionId\"",
            Self::Cwd => b"\"cwd\"",
        }
    }
}

#[derive(Deserialize)]
struct SessionIdLine {
    #[serde(rename = "sessionId")]
    value: String,
}

#[derive(Deserialize)]
struct CwdLine {
    #[serde(rename = "cwd")]
    value: String,
}

/// Returns the first session id near the start of a regular file.
pub(crate) fn session_id(path: &Path) -> Option<SessionId> {
    first(path, Field::SessionId).map(SessionId::new)
}

/// Returns the first value of a field near the start of a regular file.
pub(crate) fn first(path: &Path, field: Field) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let mut head = Vec::new();
    for limit in [STEP, LIMIT] {
        let more = limit - head.len();
        head.reserve(more);
        file.by_ref()
            .take(more as u64)
            .read_to_end(&mut head)
            .ok()?;
        let whole = head.len() < limit;
        if let Some(value) = in_head(&head, field, whole || limit == LIMIT) {
            return Some(value);
        }
        if whole {
            break;
        }
    }
    None
}

/// Searches complete lines as JSON, then an unfinished one as text if `last`.
fn in_head(head: &[u8], field: Field, last: bool) -> Option<String> {
    let (lines, rest) = match memchr::memrchr(b'\n', head) {
        Some(end) => (&head[..end], &head[end + 1..]),
        None => (&head[..0], head),
    };
    let found = lines
        .split(|&byte| byte == b'\n')
        .find_map(|line| in_line(line, field));
    if found.is_some() || !last {
        return found;
    }
    in_line(rest, field).or_else(|| in_text(rest, field.key()))
}

fn in_line(line: &[u8], field: Field) -> Option<String> {
    memmem::find(line, field.key())?;
    match field {
        Field::SessionId => Some(serde_json::from_slice::<SessionIdLine>(line).ok()?.value),
        Field::Cwd => Some(serde_json::from_slice::<CwdLine>(line).ok()?.value),
    }
}

/// Finds `"key":"value"` in a cut line. Keys inside quoted text have escaped quotes
/// and do not match.
fn in_text(text: &[u8], key: &[u8]) -> Option<String> {
    memmem::find_iter(text, key).find_map(|at| {
        let after = text[at + key.len()..].trim_ascii_start();
        let value = after.strip_prefix(b":")?.trim_ascii_start();
        let mut values = serde_json::Deserializer::from_slice(value).into_iter::<String>();
        values.next()?.ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::home::testing::Fixture;

    fn look(content: &str) -> Option<String> {
        let at = Fixture::new();
        let path = at.file("x.jsonl", content);
        session_id(&path).map(|id| id.to_string())
    }

    #[test]
    fn the_first_line_that_has_an_id_gives_it() {
        for (content, expected) in [
            ("", None),
            ("not json\n\n", None),
            ("{\"sessionId\":\"a\"}\n{\"sessionId\":\"b\"}\n", Some("a")),
            ("{\"sessionId\":\"a\"}", Some("a")),
            ("{}\n{ \"x\": 1, \"sessionId\" : \"b\" }\n", Some("b")),
            (
                "{\"input\":{\"sessionId\":\"x\"},\"sessionId\":\"y\"}\n",
                Some("y"),
            ),
            ("{\"text\":\"\\\"sessionId\\\":\\\"x\\\"\"}\n", None),
            ("{\"sessionId\":7}\n{\"sessionId\":\"z\"}\n", Some("z")),
            ("{\"sessionId\":\"torn\",\"message\":{\"con", Some("torn")),
            ("{\"sessionId\":\"tor", None),
        ] {
            assert_eq!(look(content).as_deref(), expected, "{content}");
        }
    }

    #[test]
    fn a_first_line_longer_than_the_look_is_searched_as_text() {
        let body = "x".repeat(2 * LIMIT);
        let early = format!("{{\"sessionId\":\"a\",\"body\":\"{body}\"}}\n");
        assert_eq!(look(&early).as_deref(), Some("a"));
        let late = format!("{{\"body\":\"{body}\",\"sessionId\":\"a\"}}\n");
        assert_eq!(look(&late), None);
    }

    #[test]
    fn the_look_reaches_past_its_first_step() {
        let body = "x".repeat(2 * STEP);
        let content = format!("{{\"body\":\"{body}\",\"sessionId\":\"a\"}}\n");
        assert_eq!(look(&content).as_deref(), Some("a"));
    }

    #[test]
    fn a_missing_file_has_nothing_to_say() {
        assert!(first(Path::new("/nowhere/x.jsonl"), Field::Cwd).is_none());
    }
}
