//! `GET /api/openapi.json`: the description of the API for programs, in `OpenAPI` 3.1.
//!
//! Built from the table of operations, the schemas of all documents and the kinds of problems.
//! `docs/openapi.json` is a copy for people.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::operation::{AnswerForm, Operation};
use super::schemas::schemas;
use crate::route::RouteAccess;
use crate::web::{Parameter, ParameterForm, ParameterPresence, ProblemKind};

/// Problems that every request can have.
const COMMON: [ProblemKind; 8] = [
    ProblemKind::BadParameter,
    ProblemKind::BadRequest,
    ProblemKind::NoToken,
    ProblemKind::Foreign,
    ProblemKind::Misdirected,
    ProblemKind::TooLarge,
    ProblemKind::Busy,
    ProblemKind::Unreadable,
];

/// Builds the document for a list of operations.
pub(super) fn document(operations: &[Operation]) -> Value {
    let mut paths = Map::new();
    for operation in operations {
        let item = paths.entry(operation.route.path);
        let item = item.or_insert_with(|| json!({}));
        item[operation.route.method.as_str().to_lowercase()] = described(operation);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "unspool",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Sessions of Claude Code: found, read, followed",
            "description": "What `unspool serve` answers to programs. Objects are those of the \
                commands' JSON. Every answer has `\"schema\": 1`; new fields may come.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "security": [{ "token": [] }, { "cookie": [] }],
        "paths": paths,
        "components": {
            "schemas": all_schemas(),
            "responses": responses(),
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer" },
                "cookie": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": "unspool-PORT",
                    "description": "A browser gets it from the one-time link; PORT is the \
                        server's own.",
                },
            },
        },
    })
}

/// Returns all schemas, and lists the kinds of problems in the schema of problems.
fn all_schemas() -> Map<String, Value> {
    let mut schemas = schemas();
    let kinds: Vec<&str> = ProblemKind::ALL.iter().map(|kind| kind.name()).collect();
    if let Some(kind) = schemas
        .get_mut("RequestProblem")
        .and_then(|problem| problem.pointer_mut("/properties/type"))
    {
        kind["enum"] = json!(kinds);
    }
    schemas
}

/// Builds one response for each status code that problems have.
fn responses() -> Map<String, Value> {
    let mut titles: BTreeMap<u16, Vec<String>> = BTreeMap::new();
    for kind in ProblemKind::ALL {
        let title = format!("{} (`{}`)", kind.title(), kind.name());
        titles.entry(kind.status().as_u16()).or_default().push(title);
    }
    let described = titles.into_iter().map(|(status, titles)| {
        let schema = json!({ "$ref": "#/components/schemas/RequestProblem" });
        let response = json!({
            "description": titles.join(" · "),
            "content": { "application/problem+json": { "schema": schema } },
        });
        (format!("RequestProblem{status}"), response)
    });
    described.collect()
}

fn described(operation: &Operation) -> Value {
    let groups = operation.route.parameters.unwrap_or_default().iter();
    let parameters: Vec<Value> = groups.flat_map(|group| group.iter()).map(parameter).collect();
    let mut described = json!({
        "operationId": operation.id,
        "summary": operation.summary,
        "parameters": parameters,
        "responses": answers(operation),
    });
    if let Some(name) = operation.body {
        described["requestBody"] = body(name);
    }
    if let AnswerForm::Events(name) = operation.answer {
        let events = schemas().remove(name).unwrap_or_default();
        described["x-events"] = events["properties"].clone();
    }
    described
}

/// Describes a request body, which is optional if none of its fields is required.
fn body(name: &str) -> Value {
    let is_needed = schemas().get(name).is_some_and(|body| body.get("required").is_some());
    let schema = json!({ "$ref": format!("#/components/schemas/{name}") });
    json!({ "required": is_needed, "content": { "application/json": { "schema": schema } } })
}

fn answers(operation: &Operation) -> Map<String, Value> {
    let mut answers = Map::new();
    answers.insert(
        "200".to_owned(),
        json!({ "description": "The answer", "content": content(operation.answer) }),
    );
    if matches!(operation.route.access, RouteAccess::Drive { .. }) {
        for (status, meaning) in
            [("201", "The run that was started"), ("202", "It is written down")]
        {
            let answer = json!({ "description": meaning, "content": content(operation.answer) });
            answers.insert(status.to_owned(), answer);
        }
    }
    if !matches!(operation.answer, AnswerForm::Events(_)) {
        let known = json!({ "description": "The client has this state, by its If-None-Match" });
        answers.insert("304".to_owned(), known);
    }
    for kind in COMMON.iter().chain(operation.problems) {
        let status = kind.status().as_u16();
        let response = json!({ "$ref": format!("#/components/responses/RequestProblem{status}") });
        answers.insert(status.to_string(), response);
    }
    answers
}

/// Describes the content types and schemas of an answer.
fn content(answer: AnswerForm) -> Value {
    let text = json!({ "schema": { "type": "string" } });
    match answer {
        AnswerForm::Json(name) => {
            let schema = json!({ "$ref": format!("#/components/schemas/{name}") });
            json!({ "application/json": { "schema": schema } })
        }
        AnswerForm::AnyJson => json!({ "application/json": { "schema": {} } }),
        AnswerForm::Record => {
            json!({ "application/json": { "schema": {} }, "application/octet-stream": {} })
        }
        AnswerForm::File(media_type) => json!({ media_type: text }),
        AnswerForm::Events(_) => json!({ "text/event-stream": text }),
    }
}

fn parameter(parameter: &Parameter) -> Value {
    let is_in_path = parameter.presence == ParameterPresence::Path;
    let form = schema(parameter.form);
    let mut described = json!({
        "name": parameter.name,
        "in": if is_in_path { "path" } else { "query" },
        "required": is_in_path || parameter.presence == ParameterPresence::Required,
        "description": parameter.meaning,
    });
    described["schema"] = match parameter.presence {
        ParameterPresence::Repeated => json!({ "type": "array", "items": form }),
        _ => form,
    };
    if let ParameterForm::Choices { .. } = parameter.form {
        // One parameter with commas between its values; a repeated one has its name each time.
        described["explode"] = json!(false);
    }
    described
}

fn schema(form: ParameterForm) -> Value {
    let mut schema = match form {
        ParameterForm::Text => json!({ "type": "string" }),
        ParameterForm::Cursor => json!({ "type": "string", "format": "cursor" }),
        ParameterForm::Integer { least, most, .. } => {
            json!({ "type": "integer", "minimum": least, "maximum": most })
        }
        ParameterForm::Choice { names, .. } => json!({ "type": "string", "enum": names() }),
        ParameterForm::Choices { names } => {
            json!({ "type": "array", "items": { "type": "string", "enum": names() } })
        }
        ParameterForm::Switch => json!({ "type": "boolean", "default": false }),
    };
    match form {
        ParameterForm::Integer { usual: Some(usual), .. } => schema["default"] = json!(usual),
        ParameterForm::Choice { usual: Some(usual), .. } => schema["default"] = json!(usual),
        _ => {}
    }
    schema
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashSet};
    use std::path::Path;

    use axum::http::Method;
    use unspool_testkit::assert_reviewed;

    use super::super::table::OPERATIONS;
    use super::*;

    #[test]
    fn the_document_is_reviewed() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
        let text = serde_json::to_string_pretty(&document(OPERATIONS)).expect("JSON");
        assert_reviewed(&file, &(text + "\n"));
    }

    #[test]
    fn operations_have_names_of_their_own_and_describe_their_paths() {
        let schemas = schemas();
        let mut ids = HashSet::new();
        for operation in OPERATIONS {
            assert!(ids.insert(operation.id), "{}", operation.id);
            let parts = operation.route.path.split(['{', '}']);
            let in_path: BTreeSet<&str> = parts.skip(1).step_by(2).collect();
            let groups = operation.route.parameters.expect("parameters");
            let parameters: Vec<&Parameter> =
                groups.iter().flat_map(|group| group.iter()).collect();
            let described: BTreeSet<&str> = parameters
                .iter()
                .filter(|parameter| parameter.presence == ParameterPresence::Path)
                .map(|parameter| parameter.name)
                .collect();
            assert_eq!(in_path, described, "{}", operation.id);
            let mut names = HashSet::new();
            let mut is_new = |parameter: &&Parameter| {
                names.insert((parameter.presence == ParameterPresence::Path, parameter.name))
            };
            assert!(parameters.iter().copied().all(|p| is_new(&p)), "{}", operation.id);
            let is_driving = matches!(operation.route.access, RouteAccess::Drive { .. });
            let takes_body = is_driving && *operation.route.method == Method::POST;
            assert_eq!(operation.body.is_some(), takes_body, "{}", operation.id);
            if let Some(name) = operation.body {
                assert!(schemas[name]["properties"].is_object(), "{name}");
            }
            if let AnswerForm::Json(name) | AnswerForm::Events(name) = operation.answer {
                assert!(schemas.contains_key(name), "{name}");
            }
        }
    }
}
