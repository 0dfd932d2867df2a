//! The schemas of answers and bodies, merged from the files of `docs/schema`.
//!
//! Each file describes one document and the types that it contains. In the API's document all types are next
//! to each other, under their Rust names without the ending that distinguishes them from types of the engine.

use serde_json::{Map, Value};

/// Builds a table of names and the schema files of documents.
macro_rules! documents {
    ($($name:literal: $file:literal,)*) => {
        &[$(($name, include_str!(concat!("../../../../docs/schema/", $file, ".json")))),*]
    };
}

/// The documents that are answers or bodies: their names in the API's document, and their schemas.
const DOCUMENTS: &[(&str, &str)] = documents! {
    "AnswerReceipt": "drive-approve",
    "Approvals": "drive-approvals",
    "Changes": "show-changes",
    "CheckReport": "api-check",
    "Document": "show",
    "ContextSeries": "show-context-series",
    "DriveBodies": "drive-bodies",
    "RunPlan": "drive-plan",
    "FolderTrust": "drive-trust",
    "HitsPage": "api-search",
    "Inbox": "inbox",
    "LibraryEvents": "api-events",
    "MessagesPage": "api-messages",
    "Overview": "api-session",
    "PathComparison": "show-compare",
    "PromptReceipt": "drive-send",
    "RunMenu": "drive-commands",
    "Runs": "drive-runs",
    "SuggestedFiles": "drive-files",
    "RequestProblem": "api-problem",
    "ProjectsPage": "projects",
    "ServerStatus": "api-status",
    "SessionAgents": "api-agents",
    "SessionsPage": "api-sessions",
    "Stats": "stats",
    "StreamEvents": "api-stream",
    "Timeline": "show-timeline",
    "Tree": "tree",
};

/// The prefixes of references to a type: in a schema file, and in the API's document.
const PARTS: (&str, &str) = ("#/$defs/", "#/components/schemas/");

/// The ending of the names of types that are written as JSON.
const ENDING: &str = "Json";

/// Returns all schemas by name. A test ensures that types with the same name have the same schema.
pub(super) fn schemas() -> Map<String, Value> {
    let mut all = Map::new();
    for (name, text) in DOCUMENTS {
        // A file that does not parse gives an empty schema, and a test fails.
        let mut document: Value = serde_json::from_str(text).unwrap_or_default();
        redirect(&mut document);
        let Some(fields) = document.as_object_mut() else {
            continue;
        };
        fields.remove("$schema");
        fields.remove("title");
        if let Some(Value::Object(parts)) = fields.remove("$defs") {
            for (name, part) in parts {
                all.insert(short(&name).to_owned(), part);
            }
        }
        all.insert((*name).to_owned(), document);
    }
    all
}

fn short(name: &str) -> &str {
    name.strip_suffix(ENDING).unwrap_or(name)
}

/// Rewrites references to types so that they point into the API's document.
fn redirect(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            for (name, value) in fields.iter_mut() {
                match value.as_str().and_then(|to| to.strip_prefix(PARTS.0)) {
                    Some(part) if name == "$ref" => {
                        *value = Value::from(format!("{}{}", PARTS.1, short(part)));
                    }
                    _ => redirect(value),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(redirect),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn parts_of_one_name_are_the_same_and_no_document_has_the_name_of_a_part() {
        let mut known: BTreeMap<String, Value> = BTreeMap::new();
        for (name, text) in DOCUMENTS {
            let document: Value = serde_json::from_str(text).expect("a schema");
            let parts = document["$defs"].as_object().cloned().unwrap_or_default();
            for (part, schema) in parts {
                let part = short(&part).to_owned();
                assert!(DOCUMENTS.iter().all(|(name, _)| *name != part), "{part}");
                let before = known.insert(part.clone(), schema.clone());
                assert!(before.is_none_or(|before| before == schema), "{name}: {part}");
            }
        }
        assert!(known.len() > 20);
    }

    #[test]
    fn every_reference_leads_somewhere() {
        let schemas = schemas();
        let text = serde_json::to_string(&schemas).expect("JSON");
        assert!(!text.contains("$defs"));
        for reference in text.split(PARTS.1).skip(1) {
            let name = reference.split('"').next().expect("a name");
            assert!(schemas.contains_key(name), "{name}");
        }
    }
}
