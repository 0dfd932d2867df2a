//! A short look at a log: a field near its start, the time near its end.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use unspool_model::ids::SessionId;
use unspool_model::json::{Cursor, Str};
use unspool_model::log::Log;
use unspool_model::time::Time;

use super::SessionFile;
use crate::files::File;

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
            Self::SessionId => b"sessionId",
            Self::Cwd => b"cwd",
        }
    }
}

/// Returns the first session id near the start of a regular file.
pub(crate) fn session_id(path: &Path) -> Option<SessionId> {
    first(path, Field::SessionId).map(SessionId::new)
}

/// Returns the first value of a field near the start of a regular file.
pub(crate) fn first(path: &Path, field: Field) -> Option<String> {
    let file = File::open(path).ok()?;
    let mut reader = file.reader();
    let mut head = Vec::new();
    for limit in [STEP, LIMIT] {
        let more = (limit - head.len()) as u64;
        reader.by_ref().take(more).read_to_end(&mut head).ok()?;
        let found = head
            .split(|&byte| byte == b'\n')
            .find_map(|line| in_line(line, field));
        if found.is_some() || head.len() < limit {
            return found;
        }
    }
    None
}

/// Returns a field of a line; of a torn or cut one, what stands before the tear.
fn in_line(line: &[u8], field: Field) -> Option<String> {
    let mut found = None;
    let _ = Cursor::new(line).object(|cursor, key| {
        let value = cursor.string()?;
        if key == field.key() {
            found = value.map(Str::decode);
        }
        Ok(())
    });
    found.map(Into::into)
}

/// Returns the time of a session's last entry, as far as the end of its file tells; else
/// when the file was written. In milliseconds since the epoch.
pub(crate) fn last_time(session: &SessionFile) -> i64 {
    let entry = || -> Option<Time> {
        let file = File::open(&session.path).ok()?;
        let mut reader = file.reader();
        let start = session.stamp.bytes.saturating_sub(LIMIT as u64);
        reader.seek(SeekFrom::Start(start)).ok()?;
        let mut tail = Vec::new();
        reader.take(LIMIT as u64).read_to_end(&mut tail).ok()?;
        Log::read(&tail).facts.ended
    };
    entry().map_or_else(|| session.stamp.modified_ms(), Time::as_millis)
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
