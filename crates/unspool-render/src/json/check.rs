//! JSON of checks: one line for each finding, and a last line with the summary.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use super::{SCHEMA, wire};
use unspool_engine::ops::check::{
    AgentCounts, BySeverity, CallCounts, CheckSummary, Compactions, Dialects, Finding,
    LogicalParents, Orphans, Sidechains,
};

wire! {
    /// A finding.
    pub struct FindingJson<'a> from(finding: &'a Finding) {
        schema: u32 = SCHEMA,
        rule: &'static str = finding.rule.id(),
        severity: &'static str = finding.severity.name(),
        file: Cow<'a, str> = finding.file.to_string_lossy(),
        line: Option<u32> = finding.line,
        entry: Option<&'a str> = finding.entry.as_deref(),
        message: &'a str = &finding.message,
    }

    /// The summary of a check.
    pub struct CheckSummaryJson<'a> from(summary: &'a CheckSummary) {
        schema: u32 = SCHEMA,
        #[serde(with = "CheckedJson")]
        summary: &'a CheckSummary = summary,
    }
}

/// The totals over the sessions that were checked.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "CheckSummary")]
pub(super) struct CheckedJson {
    sessions: u64,
    files: u64,
    bytes: u64,
    entries: u64,
    messages: u64,
    damaged: u64,
    #[serde(with = "BySeverityJson")]
    findings: BySeverity,
    rules: BTreeMap<&'static str, u64>,
    #[serde(with = "DialectsJson")]
    dialects: Dialects,
    #[serde(with = "OrphansJson")]
    orphans: Orphans,
    #[serde(with = "LogicalParentsJson")]
    logical_parents: LogicalParents,
    #[serde(with = "CompactionsJson")]
    compactions: Compactions,
    #[serde(with = "SidechainsJson")]
    sidechains: Sidechains,
    chain_depth: u64,
    branches: u64,
    #[serde(with = "CallsJson")]
    calls: CallCounts,
    #[serde(with = "AgentsJson")]
    agents: AgentCounts,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "BySeverity")]
struct BySeverityJson {
    error: u64,
    warning: u64,
    info: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "Dialects")]
struct DialectsJson {
    wire: u64,
    flat: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "Orphans")]
struct OrphansJson {
    count: u64,
    rate: f64,
    in_compacted: u64,
    rate_in_compacted: f64,
    first: u64,
    elsewhere: u64,
    compacted: u64,
    flat: u64,
    unknown: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "LogicalParents")]
struct LogicalParentsJson {
    count: u64,
    unknown: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "Compactions")]
struct CompactionsJson {
    count: u64,
    per_session: f64,
    sessions: u64,
    messages: u64,
    most: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "Sidechains")]
struct SidechainsJson {
    entries: u64,
    delegations: u64,
    exchanges: u64,
    max_depth: u64,
    mean_depth: f64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "CallCounts")]
struct CallsJson {
    count: u64,
    without_result: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "AgentCounts")]
struct AgentsJson {
    linked: u64,
    unlinked: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use unspool_engine::ops::check::{RuleId, Severity};

    #[test]
    fn findings_are_written_as_scripts_expect_them() {
        let finding = Finding {
            rule: RuleId::UnknownParent,
            severity: Severity::Warning,
            file: "/logs/s.jsonl".into(),
            line: Some(2),
            entry: Some("b".to_owned()),
            message: "its parent is not in the file".to_owned(),
        };
        let expected = serde_json::json!({
            "schema": 1, "rule": "unknown-parent", "severity": "warning", "file": "/logs/s.jsonl",
            "line": 2, "entry": "b", "message": "its parent is not in the file",
        });
        let line = serde_json::to_value(FindingJson::from(&finding)).expect("plain data");
        assert_eq!(line, expected);
    }

    #[test]
    fn the_documentation_lists_every_field_of_a_summary() {
        let page = include_str!("../../../../docs/check.md");
        let summary = CheckSummary::default();
        let line = serde_json::to_value(CheckSummaryJson::from(&summary)).expect("plain data");
        for (name, value) in line["summary"].as_object().expect("an object") {
            let fields: Vec<String> = match value.as_object().filter(|inner| !inner.is_empty()) {
                Some(inner) => inner.keys().map(|key| format!("{name}.{key}")).collect(),
                None => vec![name.clone()],
            };
            for field in fields {
                assert!(page.contains(&format!("| `{field}` | ")), "{field}");
            }
        }
    }
}
