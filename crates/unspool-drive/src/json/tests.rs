//! The schemas of documents, as they are reviewed.

use std::path::Path;

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use unspool_testkit::{assert_reviewed, spread_kinds};

use super::*;

/// A run that needs a person: a line of `drive wait`.
#[derive(Serialize, JsonSchema)]
struct WaitLine {
    /// Why: `answer`, `held`, `budget` or `idle`.
    need: String,
    /// Why the last turn of an idle run failed; null if it did not.
    failed: Option<String>,
    #[serde(flatten)]
    run: RunJson,
}

/// An event of a run: a line of `drive attach`.
#[derive(Serialize, JsonSchema)]
struct EventLine {
    /// The version of the contract.
    schema: u32,
    /// Where to go on after it: an offset in the spool.
    cursor: u64,
    #[serde(flatten)]
    event: DriveEventJson,
}

/// The bodies of requests, one by one.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct DriveBodies {
    start: StartBodyJson,
    next_run: NextRunBodyJson,
    prompt: PromptBodyJson,
    order: OrderBodyJson,
    action: ActionBodyJson,
    mode: ModeBodyJson,
    deadlines: DeadlinesBodyJson,
    answer: AnswerBodyJson,
    trust: TrustBodyJson,
}

/// Returns the schema of a document that is written.
fn schema<T: JsonSchema>(title: &str) -> String {
    schema_with::<T>(SchemaSettings::draft2020_12().for_serialize(), title)
}

/// Returns the schema of a document that is read.
fn read_schema<T: JsonSchema>(title: &str) -> String {
    // What is left out is not null where that says something else: a deadline that stays.
    let without_null = |schema: &mut Schema| {
        if schema.get("default") == Some(&Value::Null) {
            schema.remove("default");
        }
    };
    let settings = SchemaSettings::draft2020_12()
        .for_deserialize()
        .with_transform(RecursiveTransform(without_null));
    schema_with::<T>(settings, title)
}

fn schema_with<T: JsonSchema>(settings: SchemaSettings, title: &str) -> String {
    // Rust's widths of numbers say nothing in JSON.
    let without_format = |schema: &mut Schema| drop(schema.remove("format"));
    let settings = settings.with_transform(RecursiveTransform(without_format));
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("title".to_owned(), title.into());
    serde_json::to_string_pretty(&schema).expect("a schema is JSON") + "\n"
}

/// Makes each kind of a document list all of its fields.
fn spread(text: &str) -> String {
    let mut schema: Value = serde_json::from_str(text).expect("a schema");
    spread_kinds(&mut schema);
    let schema = Schema::try_from(schema).expect("a schema");
    serde_json::to_string_pretty(&schema).expect("a schema is JSON") + "\n"
}

#[test]
fn every_document_of_a_run_has_a_reviewed_schema() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
    for (name, expected) in [
        (
            "drive-answer",
            schema::<AnswerReceiptJson>("POST /api/approvals/{approval}"),
        ),
        (
            "drive-approvals",
            schema::<ApprovalsJson>("GET /api/approvals"),
        ),
        (
            "drive-attach",
            spread(&schema::<EventLine>("unspool drive attach --json")),
        ),
        (
            "drive-bodies",
            read_schema::<DriveBodies>("Bodies of requests to drive"),
        ),
        (
            "drive-commands",
            schema::<RunMenuJson>("unspool drive commands --json"),
        ),
        (
            "drive-files",
            schema::<SuggestedFilesJson>("GET /api/runs/{run}/files"),
        ),
        ("drive-folder", schema::<FolderTrustJson>("GET /api/trust")),
        (
            "drive-prompt",
            schema::<PromptReceiptJson>("POST /api/runs/{run}/prompts"),
        ),
        (
            "drive-plan",
            schema::<RunPlanJson>("unspool drive start --dry-run --json"),
        ),
        ("drive-list", schema::<RunJson>("unspool drive list --json")),
        ("drive-runs", schema::<RunsJson>("GET /api/runs")),
        (
            "drive-wait",
            schema::<WaitLine>("unspool drive wait --json"),
        ),
    ] {
        assert_reviewed(&folder.join(format!("{name}.json")), &expected);
    }
}
