//! The prompt history: `history.jsonl`, with one line for each prompt of all sessions of a home.
//!
//! It is not a log. A line has the typed text, the pasted texts (or their hashes), the session
//! and the project.

use std::borrow::Cow;

use crate::json::{Cursor, Str};
use crate::schema::{TextKind, is_text};
use crate::time::Time;

/// The key of the hash of a pasted text that is stored in another file.
pub const PASTE_HASH: &str = "contentHash";

/// A line of the history; fields that could not be read are missing.
#[derive(Default, Debug)]
pub struct HistoryLine<'a> {
    display: Option<Str<'a>>,
    attached: &'a [u8],
    session: Option<Str<'a>>,
    project: Option<Str<'a>>,
    /// The time of the prompt.
    pub time: Option<Time>,
}

impl<'a> HistoryLine<'a> {
    /// Reads a line; of a torn one, the fields before the damage.
    pub fn read(line: &'a [u8]) -> Self {
        let mut typed = Self::default();
        let _ = Cursor::new(line).object(|cursor, key| {
            match key {
                b"display" => typed.display = cursor.string()?,
                b"pastedContents" => typed.attached = cursor.skip()?,
                b"timestamp" => {
                    let millis = cursor.count()?;
                    typed.time = millis.map(|millis| Time::from_millis(millis as i64));
                }
                b"project" => typed.project = cursor.string()?,
                b"sessionId" => typed.session = cursor.string()?,
                _ => drop(cursor.skip()?),
            }
            Ok(())
        });
        typed
    }

    /// Returns the id of the session; empty in old histories.
    pub fn session(&self) -> Cow<'a, str> {
        self.session.map(Str::decode).unwrap_or_default()
    }

    /// Returns the folder of the project.
    pub fn project(&self) -> Cow<'a, str> {
        self.project.map(Str::decode).unwrap_or_default()
    }

    /// Passes the typed and the pasted texts to `each`; `pasted` returns the text of a hash.
    pub fn each_text(&self, pasted: &dyn Fn(&str) -> Option<String>, mut each: impl FnMut(&str)) {
        if let Some(text) = self.display {
            each(&text.decode());
        }
        // `read` has skipped this value as JSON, so the walk cannot fail.
        let _ = Cursor::new(self.attached).strings(|key, text| {
            match key {
                b"id" | b"type" | b"mediaType" => {}
                key if key == PASTE_HASH.as_bytes() => {
                    if let Some(text) = pasted(&text.decode()) {
                        each(&text);
                    }
                }
                _ if is_text(TextKind::Result, key, text) => each(&text.decode()),
                _ => {}
            }
            Ok(())
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_was_typed_and_pasted() {
        let line = br#"{"display":"look [Pasted text #1]","pastedContents":{"1":{"id":1,"type":"text","content":"whole"},"2":{"type":"text","contentHash":"h"},"3":{"mediaType":"image/png"}},"timestamp":5,"project":"/p","sessionId":"s"}"#;
        let typed = HistoryLine::read(line);
        let mut texts = Vec::new();
        let pasted = |hash: &str| (hash == "h").then(|| "kept".to_owned());
        typed.each_text(&pasted, |text| texts.push(text.to_owned()));
        assert_eq!(texts, ["look [Pasted text #1]", "whole", "kept"]);
        assert_eq!((&*typed.session(), &*typed.project()), ("s", "/p"));
        assert_eq!(typed.time.map(Time::as_millis), Some(5));
        let torn = HistoryLine::read(&line[..40]);
        assert_eq!(&*torn.session(), "");
    }
}
