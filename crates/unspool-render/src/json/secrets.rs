//! Secrets as scripts see them: one line for each session, the last one with the summary. No
//! secret is in it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use unspool_model::ids::{AgentId, EntryId, ProjectId};
use unspool_redact::SecretTally;

use super::{SCHEMA, time, wire};
use unspool_engine::library::SecretsAnswer;
use unspool_engine::ops::secrets::{SecretPlace, SecretReport};

wire! {
    /// A session with secrets.
    pub struct SecretsJson<'a> from report: &'a SecretReport {
        schema: u32 = SCHEMA,
        session: &'a str = report.session.as_str(),
        home: Option<Cow<'a, str>> = report.home.as_ref().map(|home| home.to_string_lossy()),
        project: Option<&'a str> = report.project.as_ref().map(ProjectId::as_str),
        title: Option<&'a str> = report.title.as_deref(),
        secrets: u64 = report.kinds.total(),
        kinds: BTreeMap<&'a str, u64> = kinds(&report.kinds),
        places: Vec<SecretPlaceJson<'a>> = report.places.iter().map(Into::into).collect(),
        more_places: u64 = report.more_places,
    }

    /// A line of a log, or a file, with secrets.
    struct SecretPlaceJson<'a> from place: &'a SecretPlace {
        file: Cow<'a, str> = place.file.to_string_lossy(),
        line: Option<u32> = place.line,
        entry: Option<&'a str> = place.entry.as_ref().map(EntryId::as_str),
        agent: Option<&'a str> = place.agent.as_ref().map(AgentId::as_str),
        role: &'static str = place.role.name(),
        time: Option<String> = time(place.time),
        kinds: BTreeMap<&'a str, u64> = kinds(&place.kinds),
    }
}

fn kinds(tally: &SecretTally) -> BTreeMap<&str, u64> {
    let rows = tally.rows().into_iter();
    rows.map(|(kind, count)| (kind.name(), count)).collect()
}

/// What all of it comes to.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SecretsSummaryJson {
    schema: u32,
    summary: SecretsTotalJson,
}

/// What all of it comes to. A secret that two sessions have counts for both.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SecretsTotalJson {
    sessions: usize,
    files: usize,
    bytes: u64,
    sessions_with_secrets: usize,
    secrets: u64,
    kinds: BTreeMap<String, u64>,
}

impl From<&SecretsAnswer> for SecretsSummaryJson {
    fn from(answer: &SecretsAnswer) -> Self {
        let mut all = SecretTally::default();
        for report in &answer.reports {
            all.merge(&report.kinds);
        }
        let rows = all.rows().into_iter();
        Self {
            schema: SCHEMA,
            summary: SecretsTotalJson {
                sessions: answer.sessions,
                files: answer.files,
                bytes: answer.bytes,
                sessions_with_secrets: answer.reports.len(),
                secrets: all.total(),
                kinds: rows.map(|(kind, count)| (kind.name().to_owned(), count)).collect(),
            },
        }
    }
}
