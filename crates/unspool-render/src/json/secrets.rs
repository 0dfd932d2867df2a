//! Secrets as JSON: one line for each session, and a last line with the summary. The JSON contains no secret.

use std::borrow::Cow;
use std::collections::BTreeMap;

use unspool_model::ids::{AgentId, EntryId, ProjectId};
use unspool_redact::SecretTally;

use super::{SCHEMA, all, time, wire};
use unspool_engine::library::SecretsAnswer;
use unspool_engine::ops::secrets::{SecretPlace, SecretReport};

wire! {
    /// A session with secrets.
    pub struct SecretsJson<'a> from(report: &'a SecretReport) {
        schema: u32 = SCHEMA,
        session: &'a str = report.session.as_str(),
        home: Option<Cow<'a, str>> = report.home.as_ref().map(|home| home.to_string_lossy()),
        project: Option<&'a str> = report.project.as_ref().map(ProjectId::as_str),
        title: Option<&'a str> = report.title.as_deref(),
        secrets: u64 = report.kinds.total(),
        kinds: BTreeMap<&'a str, u64> = kinds(&report.kinds),
        places: Vec<SecretPlaceJson<'a>> = all(&report.places),
        more_places: u64 = report.more_places,
    }

    /// A line of a log, or a file, with secrets.
    struct SecretPlaceJson<'a> from(place: &'a SecretPlace) {
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

wire! {
    /// The summary of a search for secrets.
    pub struct SecretsSummaryJson from(answer: &SecretsAnswer) {
        schema: u32 = SCHEMA,
        summary: SecretsTotalJson = SecretsTotalJson::new(answer, &answer.found()),
    }

    /// The totals of a search for secrets. A secret in two sessions counts for both.
    struct SecretsTotalJson new(answer: &SecretsAnswer, found: &SecretTally) {
        sessions: usize = answer.sessions,
        files: usize = answer.files,
        bytes: u64 = answer.bytes,
        sessions_with_secrets: usize = answer.reports.len(),
        secrets: u64 = found.total(),
        kinds: BTreeMap<String, u64> =
            kinds(found).into_iter().map(|(kind, count)| (kind.to_owned(), count)).collect(),
    }
}
