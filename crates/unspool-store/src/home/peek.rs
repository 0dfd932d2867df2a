//! Reads single facts of a log: a field near its start, the time near its end.

use std::io::Read;
use std::path::Path;

use unspool_model::ids::SessionId;
use unspool_model::json::{Cursor, Str};
use unspool_model::log::Log;
use unspool_model::schema::RecordKey;
use unspool_model::time::Time;

use super::SessionFile;
use crate::files::OpenFile;

/// The most bytes that are read at the start of a file, and the first read at its end.
const LIMIT: usize = 64 * 1024;
/// The size of the first read at the start, which is nearly always enough.
const STEP: usize = 8 * 1024;
/// How many times larger each further read at the end is.
const FURTHER: u64 = 16;

/// Returns the first session id near the start of a regular file.
pub(crate) fn session_id(path: &Path) -> Option<SessionId> {
    first(path, RecordKey::SessionId).map(SessionId::new)
}

/// Returns the first value of a field near the start of a regular file.
pub(crate) fn first(path: &Path, field: RecordKey) -> Option<String> {
    let file = OpenFile::open(path).ok()?;
    let mut reader = file.reader();
    let mut head = Vec::new();
    for limit in [STEP, LIMIT] {
        let more = (limit - head.len()) as u64;
        reader.by_ref().take(more).read_to_end(&mut head).ok()?;
        let found = head.split(|&byte| byte == b'\n').find_map(|line| in_line(line, field));
        if found.is_some() || head.len() < limit {
            return found;
        }
    }
    None
}

/// Returns a field of a line; the line may be cut after the field.
pub(super) fn in_line(line: &[u8], field: RecordKey) -> Option<String> {
    let mut found = None;
    let _ = Cursor::new(line).object(|cursor, key| {
        let value = cursor.string()?;
        if RecordKey::of(key) == Some(field) {
            found = value.map(Str::decode);
        }
        Ok(())
    });
    found.map(Into::into)
}

/// Returns the time of a session's last entry, or of the last write if no entry has a time, in
/// milliseconds since the epoch.
///
/// The range that is read grows until it contains a time: the last line may be longer than any
/// first read, and the time of the file may be that of a copy.
pub(crate) fn last_time(session: &SessionFile) -> i64 {
    let ended = || -> Option<Time> {
        let file = OpenFile::open(&session.path).ok()?;
        let bytes = session.stamp.bytes;
        let mut look = LIMIT as u64;
        loop {
            let start = bytes.saturating_sub(look);
            let ended = Log::read(&file.part(start, look).ok()?).facts.ended;
            if ended.is_some() || start == 0 {
                return ended;
            }
            look = look.saturating_mul(FURTHER);
        }
    };
    ended().map_or_else(|| session.stamp.modified_ms(), Time::as_millis)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::home::testing::HomeFixture;

    fn look(content: &str) -> Option<String> {
        let at = HomeFixture::new();
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
            ("{\"input\":{\"sessionId\":\"x\"},\"sessionId\":\"y\"}\n", Some("y")),
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
        assert!(first(Path::new("/nowhere/x.jsonl"), RecordKey::Cwd).is_none());
    }

    #[test]
    fn the_last_time_is_found_after_lines_of_any_length() {
        let entry = |text: &str, time: &str| {
            format!(
                "{{\"type\":\"user\",\"uuid\":\"u\",\"timestamp\":\"{time}\",\
                 \"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}\n"
            )
        };
        let long = format!("{{\"type\":\"tag\",\"x\":\"{}\"}}\n", "x".repeat(5 * LIMIT));
        let (old, new) = ("2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z");
        let at = |content: String| {
            let fixture = HomeFixture::new();
            fixture.file("projects/-p/s.jsonl", &content);
            let found = crate::home::discover(&crate::home::Home::new(fixture.path("")));
            let (_, session) = found.sessions().next().expect("a session");
            last_time(session)
        };
        let expected = Time::parse(new).map(Time::as_millis);
        let short = entry("a", old) + &entry("b", new);
        assert_eq!(Some(at(short.clone())), expected);
        assert_eq!(Some(at(short + &long)), expected, "metadata after it");
        let body = "y".repeat(20 * LIMIT);
        assert_eq!(Some(at(entry("a", old) + &entry(&body, new))), expected);
    }
}
