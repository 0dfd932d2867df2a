//! Counts distinct secrets without keeping them.

use std::collections::HashMap;
use std::hash::BuildHasher as _;

use foldhash::quality::FixedState;

use super::scan::StringPlace;
use super::{Redactor, SecretKind, SecretTally, escape, record};

/// Distinct secrets. They are identified by their hashes; the secrets themselves are not kept.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SeenSecrets(HashMap<u64, SecretKind>);

impl SeenSecrets {
    /// Tells whether there are no secrets.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the secrets of another set.
    pub fn merge(&mut self, other: Self) {
        for (hash, kind) in other.0 {
            self.note(hash, kind);
        }
    }

    /// Returns the number of secrets of each kind.
    pub fn tally(&self) -> SecretTally {
        let mut tally = SecretTally::default();
        for kind in self.0.values() {
            tally.add(kind);
        }
        tally
    }

    fn add(&mut self, kind: &SecretKind, secret: &[u8]) {
        self.note(FixedState::default().hash_one(secret), kind.clone());
    }

    /// Adds a secret. A kind by shape replaces one by the name that the secret is assigned to.
    fn note(&mut self, hash: u64, kind: SecretKind) {
        let known = self.0.entry(hash).or_insert_with(|| kind.clone());
        if is_by_name(known) {
            *known = kind;
        }
    }
}

/// Tells whether a kind comes from the name that a secret is assigned to.
fn is_by_name(kind: &SecretKind) -> bool {
    [SecretKind::TOKEN, SecretKind::SECRET, SecretKind::PASSWORD].contains(kind)
}

impl Redactor {
    /// Returns the secrets of a raw JSON record, torn or whole.
    pub fn see_record(&self, record: &[u8]) -> SeenSecrets {
        let mut seen = SeenSecrets::default();
        for span in record::spans(&self.scanner, record) {
            seen.add(&span.kind, &escape::decode(&record[span.range]));
        }
        seen
    }

    /// Returns the secrets of a text.
    pub fn see_text(&self, text: &[u8]) -> SeenSecrets {
        let mut seen = SeenSecrets::default();
        for span in self.scanner.spans(text, StringPlace::Text).spans {
            seen.add(&span.kind, &text[span.range]);
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::super::RedactRules;
    use super::*;

    #[test]
    fn a_secret_counts_once_however_often_and_wherever_it_is_written() {
        let redactor = Redactor::for_secrets(&RedactRules::default());
        let secret = format!("ghp_{}", "a1B2".repeat(9));
        let record =
            format!("{{\"text\":\"{secret} {secret}\",\"copy\":\"\\u0067{}\"}}", &secret[1..]);
        let mut seen = redactor.see_record(record.as_bytes());
        assert_eq!(seen.tally().to_string(), "1 GitHub token");
        seen.merge(redactor.see_text(format!("TOKEN={secret}\n").as_bytes()));
        assert_eq!(seen.tally().to_string(), "1 GitHub token");
        assert!(!format!("{seen:?}").contains(&secret));
        let other = format!("ghp_{}", "b1B2".repeat(9));
        seen.merge(redactor.see_text(other.as_bytes()));
        assert_eq!(seen.tally().total(), 2);
        assert!(redactor.see_text(b"someone@example.org /home/someone").is_empty());
    }
}
