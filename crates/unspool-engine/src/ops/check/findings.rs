//! The findings of one file, limited in number.

use std::path::{Path, PathBuf};

use unspool_model::entry::Entry;
use unspool_model::log::Log;

use super::rules::{RuleId, Severity};
use super::summary::CheckSummary;

/// How many findings of one rule are reported per file.
pub const MOST_PER_RULE: u64 = 1000;

/// How many characters of a log's text a message quotes.
const LONGEST_QUOTE: usize = 80;

/// A finding of a rule at a place in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The rule.
    pub rule: RuleId,
    /// The severity of the rule.
    pub severity: Severity,
    /// The file.
    pub file: PathBuf,
    /// The line, counted from one; `None` for the whole file.
    pub line: Option<u32>,
    /// The uuid of the entry, if it has one.
    pub entry: Option<String>,
    /// The description, in one line.
    pub message: String,
}

/// The number of findings of a rule in a file, and the line of the first one beyond the limit.
#[derive(Clone, Copy, Default)]
struct RuleTally {
    met: u64,
    cut_at: Option<u32>,
}

/// Collects the findings of one file.
pub(super) struct Findings {
    file: PathBuf,
    found: Vec<Finding>,
    tallies: Vec<RuleTally>,
}

impl Findings {
    pub(super) fn new(file: &Path) -> Self {
        Self {
            file: file.to_owned(),
            found: Vec::new(),
            tallies: vec![RuleTally::default(); RuleId::ALL.len()],
        }
    }

    /// Adds a finding about an entry.
    pub(super) fn at(
        &mut self,
        rule: RuleId,
        log: &Log,
        entry: &Entry,
        message: impl FnOnce() -> String,
    ) {
        let uuid = entry.uuid.map(|uuid| log.text(uuid));
        self.add(rule, Some(entry.line), uuid, message);
    }

    /// Adds a finding about the whole file.
    pub(super) fn whole(&mut self, rule: RuleId, message: impl FnOnce() -> String) {
        self.add(rule, None, None, message);
    }

    /// Adds a finding, unless its rule has reached the limit.
    pub(super) fn add(
        &mut self,
        rule: RuleId,
        line: Option<u32>,
        entry: Option<&str>,
        message: impl FnOnce() -> String,
    ) {
        let tally = &mut self.tallies[rule as usize];
        tally.met += 1;
        if tally.met > MOST_PER_RULE {
            tally.cut_at = tally.cut_at.or(line);
            return;
        }
        let entry = entry.map(str::to_owned);
        let finding = self.finding(rule, line, entry, message());
        self.found.push(finding);
    }

    fn finding(
        &self,
        rule: RuleId,
        line: Option<u32>,
        entry: Option<String>,
        message: String,
    ) -> Finding {
        let (severity, file) = (rule.severity(), self.file.clone());
        Finding { rule, severity, file, line, entry, message }
    }

    /// Returns the findings by line, and counts all of them, including those beyond the limit.
    pub(super) fn finish(mut self, summary: &mut CheckSummary) -> Vec<Finding> {
        for &rule in RuleId::ALL {
            let RuleTally { met, cut_at } = self.tallies[rule as usize];
            summary.count(rule, met);
            if let Some(left @ 1..) = met.checked_sub(MOST_PER_RULE) {
                let more = format!("and {left} more of `{}` in this file", rule.id());
                let finding = self.finding(rule, cut_at, None, more);
                self.found.push(finding);
            }
        }
        self.found.sort_by_key(|finding| (finding.line, finding.rule));
        self.found
    }
}

/// Quotes a text from a log on one line, shortened.
pub(super) fn quoted(text: &str) -> String {
    match text.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}
