//! The schemas of documents, as they are reviewed.

use std::path::Path;

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use unspool_testkit::assert_reviewed;

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

fn schema<T: JsonSchema>(title: &str) -> String {
    // Rust's widths of numbers say nothing in JSON.
    let without_format = |schema: &mut Schema| drop(schema.remove("format"));
    let settings = SchemaSettings::draft2020_12()
        .for_serialize()
        .with_transform(RecursiveTransform(without_format));
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("title".to_owned(), title.into());
    serde_json::to_string_pretty(&schema).expect("a schema is JSON") + "\n"
}

/// Moves the fields that all kinds of a document have into each kind, so that each lists all of
/// its fields.
fn spread(text: &str) -> String {
    let mut schema: Value = serde_json::from_str(text).expect("a schema");
    let fields = schema.as_object_mut().expect("an object");
    let common = fields.remove("properties").unwrap_or_default();
    let needed = fields.remove("required").unwrap_or_default();
    fields.remove("type");
    let kinds = fields.get_mut("oneOf").and_then(Value::as_array_mut);
    for kind in kinds.expect("kinds") {
        for (name, field) in common.as_object().expect("fields") {
            kind["properties"][name] = field.clone();
        }
        let all = kind["required"].as_array_mut().expect("a list");
        all.extend(needed.as_array().expect("a list").iter().cloned());
    }
    let schema = Schema::try_from(schema).expect("a schema");
    serde_json::to_string_pretty(&schema).expect("a schema is JSON") + "\n"
}

#[test]
fn every_document_of_a_run_has_a_reviewed_schema() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
    for (name, expected) in [
        (
            "drive-approvals",
            schema::<ApprovalsJson>("GET /api/approvals"),
        ),
        (
            "drive-attach",
            spread(&schema::<EventLine>("unspool drive attach --json")),
        ),
        (
            "drive-commands",
            schema::<RunMenuJson>("unspool drive commands --json"),
        ),
        (
            "drive-files",
            schema::<SuggestedFilesJson>("GET /api/runs/{run}/files"),
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
