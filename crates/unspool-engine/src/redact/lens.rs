//! A redactor at work on one session: what is read of it goes through here.
//!
//! Either secrets are replaced, or they are only counted for a warning. A record is read as
//! often as transcripts show it, and counted once: the tally says how many secrets the
//! session holds, not how often they would have been written. The folder that every record
//! repeats is replaced and not counted.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashSet;
use std::hash::BuildHasher as _;

use foldhash::quality::FixedState;

use super::{Redactor, Tally};

/// What becomes of secrets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Treatment {
    /// They are replaced.
    Replace,
    /// They stay and are counted.
    Count,
}

/// Looks at everything that is read of a session.
#[derive(Debug)]
pub struct Lens<'r> {
    redactor: &'r Redactor,
    treatment: Treatment,
    tally: RefCell<Tally>,
    /// Hashes of what was counted.
    seen: RefCell<HashSet<u64>>,
}

impl<'r> Lens<'r> {
    /// Makes a lens that has seen nothing yet.
    pub fn new(redactor: &'r Redactor, treatment: Treatment) -> Self {
        Self {
            redactor,
            treatment,
            tally: RefCell::default(),
            seen: RefCell::default(),
        }
    }

    /// Shows a record of a log.
    pub fn record<'b>(&self, record: &'b [u8]) -> Cow<'b, [u8]> {
        let is_new = self.is_new(record);
        if self.treatment == Treatment::Count {
            if is_new {
                self.redactor.look(record, &mut self.tally.borrow_mut());
            }
            return Cow::Borrowed(record);
        }
        if is_new {
            self.redactor.entry(record, &mut self.tally.borrow_mut())
        } else {
            self.redactor.entry(record, &mut Tally::default())
        }
    }

    /// Shows a text that stands in no record, such as a title.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.treatment {
            Treatment::Replace => self.redactor.text(text, &mut Tally::default()),
            Treatment::Count => Cow::Borrowed(text),
        }
    }

    /// Returns what was found.
    pub fn into_tally(self) -> Tally {
        self.tally.into_inner()
    }

    fn is_new(&self, record: &[u8]) -> bool {
        let hash = FixedState::default().hash_one(record);
        self.seen.borrow_mut().insert(hash)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Rules;
    use super::*;

    #[test]
    fn a_record_is_replaced_each_time_and_counted_once() {
        let redactor = Redactor::new(&Rules::default());
        let secret = format!("ghp_{}", "a1B2".repeat(9));
        let record = format!("{{\"cwd\":\"/home/someone/x\",\"text\":\"{secret}\"}}");
        let lens = Lens::new(&redactor, Treatment::Replace);
        for _ in 0..2 {
            let shown = lens.record(record.as_bytes());
            let shown = String::from_utf8_lossy(&shown);
            assert!(!shown.contains(&secret) && !shown.contains("someone"));
        }
        assert!(!lens.text(&secret).contains(&secret));
        assert_eq!(lens.into_tally().total(), 1);

        let redactor = Redactor::for_secrets(&Rules::default());
        let lens = Lens::new(&redactor, Treatment::Count);
        assert_eq!(&*lens.record(record.as_bytes()), record.as_bytes());
        assert_eq!(lens.text(&secret), secret);
        assert_eq!(lens.into_tally().total(), 1);
    }
}
