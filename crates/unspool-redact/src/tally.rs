//! Counts of secrets.

use std::collections::BTreeMap;
use std::fmt;

use super::{SecretKind, SecretWeight};

/// The number of secrets of each kind.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SecretTally {
    counts: BTreeMap<SecretKind, u64>,
}

impl SecretTally {
    /// Counts one secret.
    pub(super) fn add(&mut self, kind: &SecretKind) {
        *self.counts.entry(kind.clone()).or_default() += 1;
    }

    /// Adds the counts of another tally.
    pub fn merge(&mut self, other: &Self) {
        for (kind, count) in &other.counts {
            *self.counts.entry(kind.clone()).or_default() += count;
        }
    }

    /// Tells whether no secrets were counted.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Returns the number of secrets of all kinds.
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Returns the number of secrets of one kind.
    pub fn count(&self, kind: &str) -> u64 {
        let of_kind = self.counts.iter().filter(|(of, _)| of.name() == kind);
        of_kind.map(|(_, count)| count).sum()
    }

    /// Returns the number of secrets without personal data: addresses, folders and names.
    pub fn secrets(&self) -> u64 {
        let counts = self.counts.iter();
        let secret = counts.filter(|(kind, _)| kind.weight() == SecretWeight::Secret);
        secret.map(|(_, count)| count).sum()
    }

    /// Returns kinds and counts: credentials before personal data, the largest counts first.
    pub fn rows(&self) -> Vec<(&SecretKind, u64)> {
        let mut rows: Vec<(&SecretKind, u64)> =
            self.counts.iter().map(|(kind, n)| (kind, *n)).collect();
        let personal = |kind: &SecretKind| kind.weight() == SecretWeight::Personal;
        rows.sort_by(|(a, m), (b, n)| {
            let weights = personal(a).cmp(&personal(b));
            weights.then(n.cmp(m)).then_with(|| a.cmp(b))
        });
        rows
    }
}

/// Writes a list: `1 private key, 3 e-mail addresses`; writes nothing if there are no secrets.
impl fmt::Display for SecretTally {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, (kind, count)) in self.rows().into_iter().enumerate() {
            let comma = if position == 0 { "" } else { ", " };
            write!(out, "{comma}{count} {}", kind.noun(count))?;
        }
        Ok(())
    }
}
