//! The history of prompts: `history.jsonl`, one line for each prompt of all sessions of a home.
//!
//! It is not a log. A line has what was typed, what was pasted (or a hash of it), and where.

use std::borrow::Cow;

use crate::json::{Cursor, Str};
use crate::schema::{TextKind, is_text};
use crate::time::Time;

/// The key of the hash of what was pasted and is kept elsewhere.
pub const PASTE_HASH: &str = "contentHash";

/// A line of the history, as far as it could be read.
#[derive(Default, Debug)]
pub struct HistoryLine<'a> {
    display: Option<Str<'a>>,
    attached: &'a [u8],
    session: Option<Str<'a>>,
    project: Option<Str<'a>>,
    /// When it was typed.
    pub time: Option<Time>,
}

impl<'a> HistoryLine<'a> {
    /// Reads a line; a torn one says what came before the damage.
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

    /// Returns the session it was typed in; empty in old histories.
    pub fn session(&self) -> Cow<'a, str> {
        self.session.map(Str::decode).unwrap_or_default()
    }

    /// Returns the folder it was typed in.
    pub fn project(&self) -> Cow<'a, str> {
        self.project.map(Str::decode).unwrap_or_default()
    }

    /// Hands out what was typed and what was pasted. `pasted` is asked for the text of a hash.
    pub fn each_text(&self, pasted: &dyn Fn(&str) -> Option<String>, mut each: impl FnMut(&str)) {
        if let Some(text) = self.display {
            each(&text.decode());
        }
        // The value was read as JSON before, so the walk comes to its end.
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
