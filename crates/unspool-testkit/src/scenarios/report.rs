//! The results of a scenario, compared with the expected ones.

use std::fmt;

/// One comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioCheck {
    /// A description of the compared value.
    pub what: String,
    /// The expected lines, or several alternatives if the result depends on timing.
    pub expected: Vec<Vec<String>>,
    /// The actual lines.
    pub found: Vec<String>,
}

impl ScenarioCheck {
    /// Tells whether the actual lines are one of the alternatives.
    pub fn is_right(&self) -> bool {
        self.expected.contains(&self.found)
    }
}

/// The comparisons of a scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScenarioReport {
    /// The comparisons, in order.
    pub checks: Vec<ScenarioCheck>,
}

impl ScenarioReport {
    /// Compares lines.
    pub(super) fn check<E: Into<String>, F: Into<String>>(
        &mut self,
        what: &str,
        found: impl IntoIterator<Item = F>,
        expected: impl IntoIterator<Item = E>,
    ) {
        let expected = expected.into_iter().map(Into::into).collect();
        self.check_any(what, found, [expected]);
    }

    /// Compares lines with several alternatives.
    pub(super) fn check_any<F: Into<String>>(
        &mut self,
        what: &str,
        found: impl IntoIterator<Item = F>,
        expected: impl IntoIterator<Item = Vec<String>>,
    ) {
        self.checks.push(ScenarioCheck {
            what: what.to_owned(),
            expected: expected.into_iter().collect(),
            found: found.into_iter().map(Into::into).collect(),
        });
    }

    /// Compares numbers.
    pub(super) fn count(&mut self, what: &str, found: usize, expected: usize) {
        self.check(what, [found.to_string()], [expected.to_string()]);
    }

    /// Tells whether all comparisons are right.
    pub fn is_right(&self) -> bool {
        self.checks.iter().all(ScenarioCheck::is_right)
    }
}

impl fmt::Display for ScenarioReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for check in &self.checks {
            let word = if check.is_right() { "ok" } else { "WRONG" };
            writeln!(f, "  {word:5} {}: {}", check.what, in_line(&check.found))?;
            if !check.is_right() {
                for expected in &check.expected {
                    writeln!(f, "        expected: {}", in_line(expected))?;
                }
            }
        }
        Ok(())
    }
}

fn in_line(lines: &[String]) -> String {
    const MOST: usize = 40;
    const LONGEST: usize = 60;
    let brief = |line: &String| {
        let line = line.replace('\n', "⏎");
        match line.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        }
    };
    let mut shown: Vec<String> = lines.iter().take(MOST).map(brief).collect();
    if lines.len() > MOST {
        shown.push(format!("and {} more", lines.len() - MOST));
    }
    shown.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_check_shows_what_was_expected() {
        let mut report = ScenarioReport::default();
        report.count("runs", 1, 1);
        assert!(report.is_right());
        let outcomes = [vec!["a".to_owned()], vec!["b".to_owned()]];
        report.check_any("sent", ["b"], outcomes.clone());
        assert!(report.is_right());
        report.check_any("sent", ["c"], outcomes);
        assert!(!report.is_right());
        let text = report.to_string();
        assert!(text.contains("WRONG sent: c\n        expected: a\n"), "{text}");
    }
}
