//! The schemas of all documents, which are kept in `docs/schema` for people to read.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use unspool_testkit::{assert_reviewed, spread_kinds};

use super::rows::RowFields;
use super::*;
use crate::export::json::{LeftOutJson, TranscriptJson};
use crate::row_fields::{FIELDS, JsonForm};

/// Describes the fields of a row, from their table.
impl JsonSchema for RowFields<'_> {
    fn schema_name() -> Cow<'static, str> {
        "Session".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({ "type": "object" });
        for field in FIELDS {
            let mut form = match field.form {
                JsonForm::Text => generator.subschema_for::<String>(),
                JsonForm::MaybeText | JsonForm::MaybeTime => {
                    generator.subschema_for::<Option<String>>()
                }
                JsonForm::Texts => generator.subschema_for::<Vec<String>>(),
                JsonForm::Integer => generator.subschema_for::<u64>(),
                JsonForm::MaybeInteger => generator.subschema_for::<Option<u64>>(),
                JsonForm::MaybeNumber => generator.subschema_for::<Option<f64>>(),
                JsonForm::Boolean => generator.subschema_for::<bool>(),
                JsonForm::Counts => generator.subschema_for::<BTreeMap<String, u64>>(),
                JsonForm::Tokens => generator.subschema_for::<TokensJson>(),
            };
            form.insert("description".to_owned(), field.meaning.into());
            let properties = schema.ensure_object().entry("properties");
            properties.or_insert_with(|| serde_json::json!({}))[field.name] = form.to_value();
            let required = schema.ensure_object().entry("required");
            if let Some(required) = required.or_insert_with(|| serde_json::json!([])).as_array_mut()
            {
                required.push(field.name.into());
            }
        }
        schema
    }
}

/// A line of `check --json`.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is asked for")]
enum CheckLine<'a> {
    Finding(FindingJson<'a>),
    Summary(CheckSummaryJson<'a>),
}

/// A line of `check --secrets --json`.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is asked for")]
enum SecretsLine<'a> {
    Session(SecretsJson<'a>),
    Summary(SecretsSummaryJson),
}

/// A line of `export --json`.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is asked for")]
enum ExportLine<'a> {
    Transcript(TranscriptJson<'a>),
    LeftOut(LeftOutJson<'a>),
}

/// The events of `/api/events`, by name.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
#[expect(dead_code, reason = "only its schema is asked for")]
struct LibraryEvents<'a> {
    session_list_changed: NothingJson,
    session_changed: SessionChangedJson<'a>,
    agent_session_changed: AgentChangedJson<'a>,
    inbox_changed: NothingJson,
    heartbeat: NothingJson,
}

/// The events of the stream of a session, by name.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is asked for")]
struct StreamEvents<'a> {
    hello: StreamHelloJson<'a>,
    message: StreamMessageJson<'a>,
    change: StreamMessageJson<'a>,
    status: StreamStatusJson<'a>,
    path: StreamPathJson,
    reset: StreamResetJson,
    gone: StreamEndJson,
}

/// Returns the schema of a command's document.
fn schema<T: JsonSchema>(command: &str) -> String {
    titled::<T>(format!("unspool {command} --json"))
}

/// Makes each kind of a document list all of its fields.
fn spread(text: &str) -> String {
    let mut schema = serde_json::from_str(text).expect("a schema");
    spread_kinds(&mut schema);
    let schema = Schema::try_from(schema).expect("a schema");
    let text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
    text + "\n"
}

/// Returns the schema of an answer of the API.
fn answer<T: JsonSchema>(way: &str) -> String {
    titled::<T>(format!("GET {way}"))
}

fn titled<T: JsonSchema>(title: String) -> String {
    // Names of Rust's integers are not formats of JSON Schema.
    let without_format = |schema: &mut Schema| drop(schema.remove("format"));
    let settings = SchemaSettings::draft2020_12()
        .for_serialize()
        .with_transform(RecursiveTransform(without_format));
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("title".to_owned(), title.into());
    let text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
    text + "\n"
}

/// Returns the schemas of the API's documents, with their names.
fn of_the_api() -> Vec<(&'static str, String)> {
    vec![
        ("api-agents", answer::<SessionAgentsJson<'_>>("/api/sessions/{id}/agents")),
        ("api-check", answer::<CheckReportJson<'_>>("/api/check")),
        ("api-events", answer::<LibraryEvents<'_>>("/api/events")),
        ("api-messages", answer::<MessagesPageJson<'_>>("/api/sessions/{id}/messages")),
        ("api-problem", titled::<ProblemJson<'_>>("Problem".to_owned())),
        ("api-search", answer::<HitsPageJson<'_>>("/api/search")),
        ("api-session", answer::<OverviewJson<'_, '_>>("/api/sessions/{id}")),
        ("api-sessions", answer::<SessionsPageJson<'_>>("/api/sessions")),
        ("api-status", answer::<ServerStatusJson<'_>>("/api/status")),
        ("api-stream", answer::<StreamEvents<'_>>("/api/sessions/{id}/stream")),
        ("inbox", answer::<InboxJson<'_>>("/api/inbox")),
        ("projects", answer::<ProjectsJson<'_>>("/api/projects")),
    ]
}

/// Returns the schemas of the commands' documents, with their names.
fn of_commands() -> Vec<(&'static str, String)> {
    vec![
        ("archive", schema::<StoredJson<'_>>("archive")),
        ("archive-list", schema::<KeptJson<'_>>("archive list")),
        ("archive-restore", schema::<RestoredJson>("archive restore")),
        ("archive-verify", schema::<DamageJson>("archive verify")),
        ("check", schema::<CheckLine<'_>>("check")),
        ("check-secrets", schema::<SecretsLine<'_>>("check --secrets")),
        ("config", schema::<ConfigJson>("config")),
        ("export", schema::<ExportLine<'_>>("export")),
        ("list", schema::<RowJson<'_>>("list")),
        ("recap", schema::<RecapJson<'_>>("recap")),
        ("resume", schema::<ResumeJson<'_>>("resume")),
        ("search", schema::<HitJson<'_>>("search")),
        ("show", schema::<DocumentJson<'_, '_>>("show")),
        ("show-changes", schema::<ChangesJson<'_>>("show --changes")),
        ("show-compare", schema::<CompareJson<'_>>("show --compare A,B")),
        ("show-context-series", schema::<ContextSeriesJson<'_>>("show --context-series")),
        ("show-summary", schema::<SummaryJson<'_>>("show --summary")),
        ("show-timeline", schema::<TimelineJson<'_>>("show --timeline")),
        ("stats", schema::<StatsJson<'_>>("stats")),
        ("stats-explain", schema::<ExplainedJson<'_>>("stats --explain SESSION")),
        ("tree", schema::<TreeJson<'_>>("tree")),
        ("watch", spread(&schema::<WatchJson<'_>>("watch"))),
    ]
}

#[test]
fn every_document_has_a_reviewed_schema() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
    let documents = of_the_api().into_iter().chain(of_commands());
    let mut documents: BTreeMap<_, _> = documents.collect();
    for (name, expected) in &documents {
        assert_reviewed(&folder.join(format!("{name}.json")), expected);
    }
    for file in fs::read_dir(folder).expect("the folder") {
        let file = file.expect("a file").path();
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        // The documents of `unspool-drive`, whose test lists them all.
        if !name.starts_with("drive-") {
            assert!(documents.remove(&*name).is_some(), "{name} has no document");
        }
    }
}
