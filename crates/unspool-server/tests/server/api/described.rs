//! The API's document, read as a program would: operations, their parameters, and the schemas of
//! their answers.

use serde_json::Value;
use unspool_testkit::SchemaCheck;
use unspool_testkit::http::HttpAnswer;

use super::world::{SECRET, World};

/// The API's document.
pub(crate) struct Described {
    document: SchemaCheck,
}

/// An operation of the document.
#[derive(Clone, Debug)]
pub(crate) struct DescribedOperation {
    pub(crate) path: String,
    /// The HTTP method, in capitals.
    pub(crate) method: String,
    pub(crate) id: String,
    pub(crate) parameters: Vec<Value>,
    responses: Value,
}

impl Described {
    /// Reads the document that a server serves.
    pub(crate) fn of(world: &World) -> Self {
        let document = world.json("/api/openapi.json");
        assert_eq!(document["openapi"], "3.1.0");
        Self { document: SchemaCheck::new(document) }
    }

    /// Returns the value that a reference points to.
    fn followed<'a>(&'a self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str() {
            Some(way) => {
                let way = way.strip_prefix('#').expect("a way inside");
                self.document.root().pointer(way).expect("what it leads to")
            }
            None => value,
        }
    }

    /// Returns the operations that read.
    pub(crate) fn operations(&self) -> Vec<DescribedOperation> {
        let all = self.all_operations().into_iter();
        all.filter(|operation| !operation.drives()).collect()
    }

    /// Returns all operations.
    pub(crate) fn all_operations(&self) -> Vec<DescribedOperation> {
        let paths = self.document.root()["paths"].as_object().expect("paths").iter();
        let operations = paths.flat_map(|(path, item)| {
            let item = item.as_object().expect("an item").iter();
            item.map(move |(method, operation)| DescribedOperation {
                path: path.clone(),
                method: method.to_uppercase(),
                id: operation["operationId"].as_str().expect("an id").to_owned(),
                parameters: operation["parameters"].as_array().expect("a list").clone(),
                responses: operation["responses"].clone(),
            })
        });
        operations.collect()
    }

    /// Checks that the document describes an answer, and that the answer has nothing from outside.
    pub(crate) fn check(&self, operation: &DescribedOperation, way: &str, answer: &HttpAnswer) {
        let place = format!("{way}\n{}\n{:.500}", answer.status, answer.body);
        assert!(answer.status > 0 && answer.status < 500, "{place}");
        assert!(!answer.body.contains(SECRET), "{place}");
        assert!(!answer.body.contains("root:x:"), "{place}");
        let response = &operation.responses[answer.status.to_string()];
        assert!(response.is_object(), "{place}");
        let content = &self.followed(response)["content"];
        if answer.status == 304 {
            return;
        }
        let media_type = answer.header("content-type").expect("a type");
        let media_type = if content[media_type].is_object() {
            media_type
        } else {
            media_type.split(';').next().expect("a type")
        };
        let described = &content[media_type];
        assert!(described.is_object(), "{media_type}: {place}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        if ["application/json", "application/problem+json"].contains(&media_type) {
            self.check_json(&described["schema"], answer, &place);
        }
    }

    fn check_json(&self, schema: &Value, answer: &HttpAnswer, place: &str) {
        let value = answer.json();
        if let Err(problem) = self.document.fit(schema, &value) {
            panic!("{problem}\n{place}");
        }
        if answer.status >= 400 {
            assert_eq!(value["status"], answer.status);
            assert_eq!(value["schema"], 1);
            assert!(value["detail"].as_str().is_some_and(|detail| !detail.is_empty()));
        }
    }
}

impl DescribedOperation {
    /// Returns whether the operation is about driving.
    pub(crate) fn drives(&self) -> bool {
        let parts = ["runs", "plan", "menu", "files", "approvals", "trust"];
        let first = self.path.split('/').nth(2).unwrap_or_default();
        parts.contains(&first)
    }

    /// Returns whether the answer is a stream.
    pub(crate) fn is_stream(&self) -> bool {
        let content = &self.responses["200"]["content"];
        content["text/event-stream"].is_object()
    }

    /// Returns the parameters of the query.
    pub(crate) fn in_query(&self) -> impl Iterator<Item = &Value> {
        self.parameters.iter().filter(|found| found["in"] == "query")
    }
}
