//! The redactor of one session, for everything that is read of it.
//!
//! Secrets are either replaced, or only counted for a warning. A record may be read several times
//! and is counted once: the tally is the number of secrets in the session, not the number of
//! replacements. Titles, folders and names of files are read in addition to records; a secret that
//! is only in them is counted once too.
//!
//! Parts of a record that no transcript shows are removed before the search: the folder that every
//! record repeats, and copies of whole files next to the results of tools. They are half of many
//! logs.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher as _;

use foldhash::quality::FixedState;
use unspool_model::record::unshown;

use super::scan::StringPlace;
use super::{Redactor, SecretKind, SecretTally, escape};

/// What happens to secrets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Treatment {
    /// They are replaced.
    Replace,
    /// They stay and are counted.
    Count,
}

/// Redacts or counts the secrets of one session.
#[derive(Debug)]
pub struct SessionRedactor<'r> {
    redactor: &'r Redactor,
    treatment: Treatment,
    tally: RefCell<SecretTally>,
    /// Hashes of the records that were counted.
    seen: RefCell<HashSet<u64>>,
    /// Hashes of the secrets that were replaced in records.
    replaced: RefCell<HashSet<u64>>,
    /// The secrets that were replaced in other texts, by their hashes.
    elsewhere: RefCell<HashMap<u64, SecretKind>>,
}

impl<'r> SessionRedactor<'r> {
    /// Creates a lens for a session.
    pub fn new(redactor: &'r Redactor, treatment: Treatment) -> Self {
        Self {
            redactor,
            treatment,
            tally: RefCell::default(),
            seen: RefCell::default(),
            replaced: RefCell::default(),
            elsewhere: RefCell::default(),
        }
    }

    /// Returns a record for a transcript, redacted and without the parts that no transcript shows.
    pub fn record<'b>(&self, record: &'b [u8]) -> Cow<'b, [u8]> {
        match self.treatment {
            Treatment::Count => {
                if self.is_new(record) {
                    let shown = shown(record);
                    self.redactor.look(&shown, &mut self.tally.borrow_mut());
                }
                Cow::Borrowed(record)
            }
            Treatment::Replace => match shown(record) {
                Cow::Borrowed(record) => self.replaced(record),
                Cow::Owned(record) => Cow::Owned(self.replaced(&record).into_owned()),
            },
        }
    }

    /// Returns a whole record, redacted.
    pub fn line<'b>(&self, record: &'b [u8]) -> Cow<'b, [u8]> {
        if self.treatment == Treatment::Replace {
            return self.replaced(record);
        }
        if self.is_new(record) {
            self.redactor.look(record, &mut self.tally.borrow_mut());
        }
        Cow::Borrowed(record)
    }

    fn replaced<'b>(&self, record: &'b [u8]) -> Cow<'b, [u8]> {
        let is_new = self.is_new(record);
        self.redactor.json_noting(record, &mut |kind, secret| {
            if is_new {
                self.tally.borrow_mut().add(kind);
                let hash = mark(kind, &escape::decode(secret));
                self.replaced.borrow_mut().insert(hash);
            }
        })
    }

    /// Returns a redacted text that is not in a record, such as a title.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.treatment {
            Treatment::Replace => {
                self.redactor.noting(text, StringPlace::Text, &mut self.note_elsewhere())
            }
            Treatment::Count => Cow::Borrowed(text),
        }
    }

    /// Returns the redacted id of an entry, a call or an agent. Most are uuids, never secrets.
    pub fn id<'t>(&self, id: &'t str) -> Cow<'t, str> {
        let plain = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
        if self.treatment == Treatment::Count || id.bytes().all(plain) {
            return Cow::Borrowed(id);
        }
        self.redactor.noting(id, StringPlace::Word, &mut self.note_elsewhere())
    }

    /// Returns a function that notes secrets outside of records.
    fn note_elsewhere(&self) -> impl FnMut(&SecretKind, &[u8]) {
        |kind, secret| {
            let hash = mark(kind, secret);
            self.elsewhere.borrow_mut().insert(hash, kind.clone());
        }
    }

    /// Returns the number of secrets of each kind.
    pub fn into_tally(self) -> SecretTally {
        let mut tally = self.tally.into_inner();
        let replaced = self.replaced.into_inner();
        for (hash, kind) in self.elsewhere.into_inner() {
            if !replaced.contains(&hash) {
                tally.add(&kind);
            }
        }
        tally
    }

    fn is_new(&self, record: &[u8]) -> bool {
        let hash = FixedState::default().hash_one(record);
        self.seen.borrow_mut().insert(hash)
    }
}

/// Hashes a secret with its kind.
fn mark(kind: &SecretKind, secret: &[u8]) -> u64 {
    FixedState::default().hash_one((kind, secret))
}

/// Removes the parts of a record that no transcript shows; a torn record is returned whole.
fn shown(record: &[u8]) -> Cow<'_, [u8]> {
    let hidden = unshown(record);
    if hidden.is_empty() {
        return Cow::Borrowed(record);
    }
    let mut rest = Vec::with_capacity(record.len());
    let mut at = 0;
    for range in hidden {
        rest.extend_from_slice(&record[at..range.start]);
        at = range.end;
    }
    rest.extend_from_slice(&record[at..]);
    Cow::Owned(rest)
}

#[cfg(test)]
mod tests {
    use super::super::RedactRules;
    use super::*;

    #[test]
    fn a_record_is_replaced_each_time_and_counted_once() {
        let redactor = Redactor::new(&RedactRules::default());
        let secret = format!("ghp_{}", "a1B2".repeat(9));
        let record = format!("{{\"cwd\":\"/home/someone/x\",\"text\":\"{secret}\"}}");
        let lens = SessionRedactor::new(&redactor, Treatment::Replace);
        for _ in 0..2 {
            let shown = lens.record(record.as_bytes());
            let shown = String::from_utf8_lossy(&shown);
            assert!(!shown.contains(&secret) && !shown.contains("someone"));
        }
        assert!(!lens.text(&secret).contains(&secret));
        for _ in 0..2 {
            assert_eq!(lens.text("/home/wilma/x"), "[redacted:home]/x");
        }
        let tally = lens.into_tally();
        assert_eq!(tally.to_string(), "1 GitHub token, 1 home folder");

        let redactor = Redactor::for_secrets(&RedactRules::default());
        let lens = SessionRedactor::new(&redactor, Treatment::Count);
        assert_eq!(&*lens.record(record.as_bytes()), record.as_bytes());
        assert_eq!(lens.text(&secret), secret);
        assert_eq!(lens.into_tally().total(), 1);
    }

    #[test]
    fn what_no_one_shows_is_taken_out() {
        let record = br#"{"cwd":"/home/x","message":{"content":"a","file":{"content":"b"}},
            "toolUseResult": {"originalFile": "c\"d","file":{"content":"e","filePath":"f"},"n":1}}"#;
        let rest = br#"{"cwd":"","message":{"content":"a","file":{"content":"b"}},
            "toolUseResult": {"originalFile": "","file":{"content":"","filePath":"f"},"n":1}}"#;
        assert_eq!(shown(record), &rest[..]);
        for whole in [
            &br#"{"toolUseResult":"text","cwd":null}"#[..],
            br#"{"toolUseResult":{"originalFile":null,"file":[1]}}"#,
            br#"{"cwd":"/home/x","torn":"#,
            b"",
        ] {
            assert!(matches!(shown(whole), Cow::Borrowed(_)));
        }
    }
}
