//! Secrets as scripts see them: one line for each session, the last one with the summary. No
//! secret is in it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use unspool_model::ids::{AgentId, EntryId, ProjectId};
use unspool_redact::SecretTally;

use super::{SCHEMA, time};
use unspool_engine::library::SecretsAnswer;
use unspool_engine::ops::secrets::{SecretPlace, SecretReport};

/// A session with secrets.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SecretsJson<'a> {
    schema: u32,
    session: &'a str,
    home: Option<Cow<'a, str>>,
    project: Option<&'a str>,
    title: Option<&'a str>,
    secrets: u64,
    kinds: BTreeMap<&'a str, u64>,
    places: Vec<SecretPlaceJson<'a>>,
    more_places: u64,
}

/// A line of a log, or a file, with secrets.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SecretPlaceJson<'a> {
    file: Cow<'a, str>,
    line: Option<u32>,
    entry: Option<&'a str>,
    agent: Option<&'a str>,
    role: &'static str,
    time: Option<String>,
    kinds: BTreeMap<&'a str, u64>,
}

impl<'a> From<&'a SecretReport> for SecretsJson<'a> {
    fn from(report: &'a SecretReport) -> Self {
        Self {
            schema: SCHEMA,
            session: report.session.as_str(),
            home: report.home.as_ref().map(|home| home.to_string_lossy()),
            project: report.project.as_ref().map(ProjectId::as_str),
            title: report.title.as_deref(),
            secrets: report.kinds.total(),
            kinds: kinds(&report.kinds),
            places: report.places.iter().map(Into::into).collect(),
            more_places: report.more_places,
        }
    }
}

impl<'a> From<&'a SecretPlace> for SecretPlaceJson<'a> {
    fn from(place: &'a SecretPlace) -> Self {
        Self {
            file: place.file.to_string_lossy(),
            line: place.line,
            entry: place.entry.as_ref().map(EntryId::as_str),
            agent: place.agent.as_ref().map(AgentId::as_str),
            role: place.role.name(),
            time: time(place.time),
            kinds: kinds(&place.kinds),
        }
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
