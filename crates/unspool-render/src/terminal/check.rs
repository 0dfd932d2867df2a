//! Results of a check: a table of rules, single findings, and the explanation of a rule.

use unspool_text::style::{Line, Role};
use unspool_text::{human, wrap};

use super::insight::{headed, left, right};
use super::tilde;
use unspool_engine::ops::check::{CheckSummary, Finding, RuleCount, RuleId, Severity};

/// Draws the rules with findings: severity, number of findings, number of files, and meaning; below
/// each rule its first finding.
pub fn check_table(rules: &[&RuleCount], width: usize, user_home: Option<&str>) -> Vec<Line> {
    if rules.is_empty() {
        return Vec::new();
    }
    let mut table = headed(vec![
        ("SEVERITY", left()),
        ("RULE", left()),
        ("FOUND", right()),
        ("FILES", right().priority(10)),
        ("WHAT IT MEANS", left().min(24).priority(20).flexible()),
    ]);
    for count in rules {
        let severity = count.rule.severity();
        table.row(vec![
            Line::of(severity.name(), role(severity)),
            Line::of(count.rule.id(), Role::Plain),
            Line::of(human::count(count.found), Role::Number),
            Line::of(human::count(count.files), Role::Number),
            Line::of(count.rule.meaning(), Role::Muted),
        ]);
    }
    let mut drawn = table.lines(width).into_iter();
    let mut lines: Vec<Line> = drawn.next().into_iter().collect();
    for (line, count) in drawn.zip(rules) {
        lines.push(line);
        let mut example = Line::of("  ", Role::Muted);
        example.append(place(&count.example, user_home));
        lines.push(example);
    }
    lines
}

/// Draws a finding.
pub fn check_finding(finding: &Finding, user_home: Option<&str>) -> Line {
    let head = format!("{}[{}] ", finding.severity.name(), finding.rule.id());
    let mut line = Line::of(head, role(finding.severity));
    line.append(place(finding, user_home));
    line
}

/// Explains a rule.
pub fn check_rule(rule: RuleId, width: usize) -> Vec<Line> {
    let severity = rule.severity();
    let mut head = Line::of(rule.id(), Role::Title);
    head.add(format!("  {}", severity.name()), role(severity));
    let mut lines = vec![head];
    for text in [rule.meaning(), of_severity(severity), rule.advice()] {
        lines.push(Line::new());
        lines.extend(wrap(&Line::of(text, Role::Plain), width));
    }
    lines
}

/// Summarizes a check in a few lines.
pub fn check_summary(summary: &CheckSummary) -> Vec<String> {
    let count = |count: u64, noun: &str| human::plural(count as usize, noun);
    let percent = |rate: f64| format!("{:.1} %", rate * 100.0);
    vec![
        format!(
            "checked {} in {}: {}, {}, {}",
            count(summary.entries, "entry"),
            count(summary.files, "file"),
            count(summary.findings.error, "error"),
            count(summary.findings.warning, "warning"),
            count(summary.findings.info, "remark"),
        ),
        format!(
            "orphans: {} ({} of messages); compactions: {} ({:.1} per session)",
            summary.orphans.count,
            percent(summary.orphans.rate),
            summary.compactions.count,
            summary.compactions.per_session,
        ),
        format!(
            "subagents: {}, {:.1} exchanges each, {} at most; longest chain: {}; other branches: {}",
            summary.sidechains.delegations,
            summary.sidechains.mean_depth,
            summary.sidechains.max_depth,
            count(summary.chain_depth, "entry"),
            summary.branches,
        ),
    ]
}

/// Explains a severity.
fn of_severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "An info is worth knowing, and common in healthy logs.",
        Severity::Warning => {
            "A warning says that something was lost or is not as it was meant to be."
        }
        Severity::Error => {
            "An error says that the log breaks a rule of its own dialect; logs of real clients have none."
        }
    }
}

fn place(finding: &Finding, user_home: Option<&str>) -> Line {
    let number = finding.line.map(|line| format!(":{line}"));
    let file = tilde(&finding.file.display().to_string(), user_home);
    Line::of(format!("{file}{}", number.unwrap_or_default()), Role::Path)
        .and(format!(": {}", finding.message), Role::Plain)
}

fn role(severity: Severity) -> Role {
    match severity {
        Severity::Error => Role::Failure,
        Severity::Warning => Role::Warning,
        Severity::Info => Role::Muted,
    }
}
