//! The findings of many checks by rule, and a verdict on them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use super::findings::Finding;
use super::rules::{RuleId, Severity};
use super::{BySeverity, CheckReport};

/// The findings of many sessions by rule.
#[derive(Clone, Default, Debug)]
pub struct Overview {
    rules: BTreeMap<RuleId, RuleCount>,
}

/// The findings of one rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleCount {
    /// The rule.
    pub rule: RuleId,
    /// The number of findings, including those beyond the limit.
    pub found: u64,
    /// The number of files with findings.
    pub files: u64,
    /// The first finding.
    pub example: Finding,
}

impl Overview {
    /// Adds the findings of a session.
    pub fn add(&mut self, report: &CheckReport) {
        let mut files: HashSet<(RuleId, &Path)> = HashSet::new();
        for finding in &report.findings {
            let count = self.rules.entry(finding.rule).or_insert_with(|| RuleCount {
                rule: finding.rule,
                found: 0,
                files: 0,
                example: finding.clone(),
            });
            count.files += u64::from(files.insert((finding.rule, &finding.file)));
        }
        for (id, found) in &report.summary.rules {
            let rule = RuleId::from_id(id);
            if let Some(count) = rule.and_then(|rule| self.rules.get_mut(&rule)) {
                count.found += found;
            }
        }
    }

    /// Lists the rules with findings of at least the severity `least`: the most severe first, then
    /// the most frequent.
    pub fn rules(&self, least: Severity) -> Vec<&RuleCount> {
        let counts = self.rules.values();
        let mut rules: Vec<&RuleCount> =
            counts.filter(|count| count.rule.severity() >= least).collect();
        rules.sort_by_key(|count| {
            let severity = count.rule.severity();
            (Reverse(severity), Reverse(count.found), count.rule)
        });
        rules
    }
}

/// The verdict on all findings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckVerdict {
    /// There are no findings.
    Clean,
    /// Only findings that healthy logs have too.
    Healthy,
    /// Something was lost or differs from what was intended.
    Losses,
    /// A log breaks the rules of its dialect.
    Broken,
}

impl CheckVerdict {
    /// Returns the verdict on the number of findings by severity.
    pub fn of(findings: BySeverity) -> Self {
        match findings {
            BySeverity { error: 1.., .. } => Self::Broken,
            BySeverity { warning: 1.., .. } => Self::Losses,
            BySeverity { info: 1.., .. } => Self::Healthy,
            BySeverity { .. } => Self::Clean,
        }
    }

    /// Returns the verdict as a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Self::Clean => "Healthy: there is nothing to remark.",
            Self::Healthy => "Healthy: nothing was lost. Such remarks are common in good logs.",
            Self::Losses => {
                "Readable, with losses: something is missing or not as it was meant to be, as it \
                 happens when a client is killed. No rule is broken."
            }
            Self::Broken => {
                "Broken: a tool wrote what its dialect does not allow. Everything that can be read \
                 is shown all the same."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::check::CheckSummary;

    fn finding(rule: RuleId, file: &str) -> Finding {
        Finding {
            rule,
            severity: rule.severity(),
            file: file.into(),
            line: Some(1),
            entry: None,
            message: format!("in {file}"),
        }
    }

    fn report(found: &[(RuleId, &str)]) -> CheckReport {
        let mut summary = CheckSummary::default();
        for (rule, _) in found {
            summary.count(*rule, 1);
        }
        CheckReport {
            findings: found.iter().map(|(rule, file)| finding(*rule, file)).collect(),
            summary,
        }
    }

    #[test]
    fn rules_are_counted_with_their_files_and_the_first_finding() {
        let (lost, odd) = (RuleId::DamagedLine, RuleId::EmptyFile);
        let mut overview = Overview::default();
        overview.add(&report(&[(odd, "a"), (lost, "b"), (lost, "b")]));
        overview.add(&report(&[(odd, "c"), (odd, "d"), (odd, "e")]));
        let told = |least| -> Vec<_> {
            let rules = overview.rules(least).into_iter();
            rules
                .map(|count| (count.rule, count.found, count.files, count.example.message.as_str()))
                .collect()
        };
        let worst = (lost, 2, 1, "in b");
        assert_eq!(told(Severity::Info), [worst, (odd, 4, 4, "in a")]);
        assert_eq!(told(Severity::Warning), [worst]);
        assert!(told(Severity::Error).is_empty());
    }

    #[test]
    fn the_worst_finding_decides() {
        for (error, warning, info, expected) in [
            (0, 0, 0, CheckVerdict::Clean),
            (0, 0, 9, CheckVerdict::Healthy),
            (0, 1, 9, CheckVerdict::Losses),
            (1, 0, 0, CheckVerdict::Broken),
        ] {
            let findings = BySeverity { error, warning, info };
            assert_eq!(CheckVerdict::of(findings), expected);
        }
    }
}
