//! Checks as scripts see them: one line for each finding, the last one with the summary.

use serde::Serialize;

use super::SCHEMA;
use unspool_engine::ops::check::{Finding, Summary};

/// A finding.
#[derive(Serialize)]
pub struct FindingJson<'a> {
    schema: u32,
    #[serde(flatten)]
    finding: &'a Finding,
}

impl<'a> From<&'a Finding> for FindingJson<'a> {
    fn from(finding: &'a Finding) -> Self {
        Self {
            schema: SCHEMA,
            finding,
        }
    }
}

/// The summary of a check.
#[derive(Serialize)]
pub struct CheckSummaryJson<'a> {
    schema: u32,
    summary: &'a Summary,
}

impl<'a> From<&'a Summary> for CheckSummaryJson<'a> {
    fn from(summary: &'a Summary) -> Self {
        Self {
            schema: SCHEMA,
            summary,
        }
    }
}
