//! Compares the schemas of documents with the reviewed files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use unspool_testkit::{assert_reviewed, spread_kinds};

use super::*;

/// All request bodies, for one schema.
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

/// Returns the schema of a document that the program writes.
fn schema<T: JsonSchema>(title: &str) -> String {
    schema_with::<T>(SchemaSettings::draft2020_12().for_serialize(), title)
}

/// Returns the schema of a document that the program reads.
fn read_schema<T: JsonSchema>(title: &str) -> String {
    // A field that may be left out is not null by default: a missing deadline keeps its value.
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
    // Formats such as `uint32` have no meaning in JSON.
    let without_format = |schema: &mut Schema| drop(schema.remove("format"));
    let settings = settings.with_transform(RecursiveTransform(without_format));
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("title".to_owned(), title.into());
    serde_json::to_string_pretty(&schema).expect("a schema is JSON") + "\n"
}

/// Lists all fields in each variant of a schema.
fn spread(text: &str) -> String {
    let mut schema: Value = serde_json::from_str(text).expect("a schema");
    spread_kinds(&mut schema);
    let schema = Schema::try_from(schema).expect("a schema");
    serde_json::to_string_pretty(&schema).expect("a schema is JSON") + "\n"
}

/// Returns the documents by the names of their schemas.
fn documents() -> BTreeMap<&'static str, String> {
    BTreeMap::from([
        ("drive-approvals", schema::<ApprovalsJson>("GET /api/approvals")),
        ("drive-approve", schema::<AnswerReceiptJson>("unspool drive approve --json")),
        ("drive-attach", spread(&schema::<RunEventJson>("unspool drive attach --json"))),
        ("drive-bodies", read_schema::<DriveBodies>("Bodies of requests to drive")),
        ("drive-commands", schema::<RunMenuJson>("unspool drive commands --json")),
        ("drive-files", schema::<SuggestedFilesJson>("GET /api/runs/{run}/files")),
        ("drive-list", schema::<RunJson>("unspool drive list --json")),
        ("drive-plan", schema::<RunPlanJson>("unspool drive start --dry-run --json")),
        ("drive-runs", schema::<RunsJson>("GET /api/runs")),
        ("drive-send", schema::<PromptReceiptJson>("unspool drive send --json")),
        ("drive-trust", schema::<FolderTrustJson>("unspool drive trust --json")),
        ("drive-wait", schema::<RunNeedJson>("unspool drive wait --json")),
    ])
}

#[test]
fn every_document_of_a_run_has_a_reviewed_schema() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
    let mut documents = documents();
    for (name, expected) in &documents {
        assert_reviewed(&folder.join(format!("{name}.json")), expected);
    }
    for file in fs::read_dir(folder).expect("the folder") {
        let file = file.expect("a file").path();
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        // `unspool-render` tests the other schemas.
        if name.starts_with("drive-") {
            assert!(documents.remove(&*name).is_some(), "{name} has no document");
        }
    }
}
