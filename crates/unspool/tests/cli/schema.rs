//! What the program prints as JSON, against the schemas in `docs/schema`.
//!
//! Scripts are told to ignore keys that they do not know; here such a key is a mistake.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

/// The commands that print JSON.
const COMMANDS: [&str; 9] = [
    "list", "show", "tree", "search", "stats", "check", "export", "archive", "config",
];

/// Compares every line that a command printed with the schema of its document.
pub(crate) fn assert_fits(args: &[&str], out: &str) {
    let Some(document) = document_of(args) else {
        return;
    };
    let schema = Schema::named(&document);
    for line in out.lines() {
        let value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{args:?}: {line}"));
        if let Err(problem) = schema.fit(&schema.root, &value) {
            panic!("{args:?} does not fit docs/schema/{document}.json: {problem}\n{value:#}");
        }
    }
}

/// Returns the name of what a command prints.
fn document_of(args: &[&str]) -> Option<String> {
    let asked = args.iter().position(|arg| *arg == "--json")?;
    let at = args.iter().position(|arg| COMMANDS.contains(arg))?;
    let has = |flag: &str| args.iter().any(|arg| arg.starts_with(flag));
    let sub = args.get(at + 1).filter(|_| asked != at + 1);
    Some(match args[at] {
        "show" if has("--summary") => "show-summary".to_owned(),
        "show" if has("--timeline") => "show-timeline".to_owned(),
        "show" if has("--context-series") => "show-context-series".to_owned(),
        "show" if has("--compare") => "show-compare".to_owned(),
        "show" if has("--changes") => "show-changes".to_owned(),
        "stats" if has("--explain") => "stats-explain".to_owned(),
        "archive" => match sub {
            Some(sub @ (&"list" | &"verify" | &"restore")) => format!("archive-{sub}"),
            _ => "archive".to_owned(),
        },
        command => command.to_owned(),
    })
}

/// A schema with what it refers to.
struct Schema {
    root: Value,
}

impl Schema {
    fn named(document: &str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
        let text = fs::read_to_string(folder.join(format!("{document}.json"))).expect(document);
        let root = serde_json::from_str(&text).expect("a schema");
        Self { root }
    }

    /// Tells what about a value does not fit.
    fn fit(&self, schema: &Value, value: &Value) -> Result<(), String> {
        for choice in ["anyOf", "oneOf"] {
            if let Some(choices) = schema[choice].as_array() {
                let fits = choices.iter().map(|choice| self.fit(choice, value));
                let problems: Vec<String> = fits.filter_map(Result::err).collect();
                if problems.len() == choices.len() {
                    return Err(format!("none of: {}", problems.join("; ")));
                }
            }
        }
        let is_wrong = |wanted: &Value| !wanted.is_null() && wanted != value;
        let listed = schema["enum"].as_array();
        if is_wrong(&schema["const"]) || listed.is_some_and(|listed| !listed.contains(value)) {
            return Err(format!(
                "{value} is not {}{}",
                schema["const"], schema["enum"]
            ));
        }
        if !has_type(&schema["type"], value) {
            return Err(format!("{value} is not a {}", schema["type"]));
        }
        match value {
            Value::Object(object) => self.fit_object(schema, object),
            Value::Array(items) => items
                .iter()
                .try_for_each(|item| self.fit(&schema["items"], item)),
            _ => self
                .target(schema)
                .map_or(Ok(()), |target| self.fit(target, value)),
        }
    }

    fn fit_object(&self, schema: &Value, object: &Map<String, Value>) -> Result<(), String> {
        let (mut properties, mut rest, mut is_open) = (Map::new(), &Value::Null, true);
        let mut next = Some(schema);
        while let Some(schema) = next {
            let required = schema["required"].as_array().into_iter().flatten();
            for name in required.filter_map(Value::as_str) {
                object
                    .get(name)
                    .ok_or_else(|| format!("{name} is missing"))?;
            }
            if let Some(known) = schema["properties"].as_object() {
                properties.extend(known.clone());
                is_open = false;
            }
            if schema["additionalProperties"].is_object() {
                rest = &schema["additionalProperties"];
            }
            is_open &= schema["type"] != "object" || !rest.is_null();
            next = self.target(schema);
        }
        for (name, value) in object {
            let fits = match properties.get(name) {
                Some(schema) => self.fit(schema, value),
                None if is_open || !rest.is_null() => self.fit(rest, value),
                None => Err("is not in the schema".to_owned()),
            };
            fits.map_err(|problem| format!("{name}: {problem}"))?;
        }
        Ok(())
    }

    /// Returns what a schema refers to.
    fn target(&self, schema: &Value) -> Option<&Value> {
        let reference = schema["$ref"].as_str()?.strip_prefix('#')?;
        self.root.pointer(reference)
    }
}

fn has_type(types: &Value, value: &Value) -> bool {
    let is_a = |name: &Value| match name.as_str().unwrap_or_default() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    };
    match types {
        Value::Null => true,
        Value::Array(types) => types.iter().any(is_a),
        name => is_a(name),
    }
}

#[test]
fn what_does_not_fit_is_told() {
    let root = json!({
        "$defs": { "inner": { "type": "object", "properties": { "c": { "type": "string" } }, "required": ["c"] } },
        "type": "object",
        "properties": {
            "a": { "type": ["integer", "null"] },
            "b": { "anyOf": [{ "$ref": "#/$defs/inner" }, { "type": "null" }] },
            "d": { "type": "array", "items": { "$ref": "#/$defs/inner" } },
            "e": { "type": "object", "additionalProperties": { "type": "integer" } },
            "f": { "oneOf": [
                { "type": "object", "$ref": "#/$defs/inner", "properties": { "t": { "const": "x" } }, "required": ["t"] },
            ] },
            "g": true,
        },
        "required": ["a"],
    });
    let schema = Schema { root };
    for (value, problem) in [
        (
            json!({ "a": 1, "b": { "c": "" }, "d": [{ "c": "" }], "e": { "x": 1 } }),
            None,
        ),
        (
            json!({ "a": null, "b": null, "f": { "t": "x", "c": "" }, "g": { "any": 1 } }),
            None,
        ),
        (json!({}), Some("a is missing")),
        (json!({ "a": "1" }), Some("a: \"1\" is not a")),
        (
            json!({ "a": 1, "new": 1 }),
            Some("new: is not in the schema"),
        ),
        (
            json!({ "a": 1, "d": [{ "c": "", "new": 1 }] }),
            Some("new: is not in the schema"),
        ),
        (
            json!({ "a": 1, "b": { "new": 1 } }),
            Some("b: none of: c is missing"),
        ),
        (json!({ "a": 1, "e": { "x": "1" } }), Some("e: x: ")),
        (
            json!({ "a": 1, "f": { "t": "y", "c": "" } }),
            Some("f: none of: t: "),
        ),
        (
            json!({ "a": 1, "f": { "t": "x", "c": "", "new": 1 } }),
            Some("f: none of: new: "),
        ),
    ] {
        let found = schema.fit(&schema.root, &value).err();
        let is_told = match (problem, &found) {
            (Some(problem), Some(found)) => found.contains(problem),
            (None, None) => true,
            _ => false,
        };
        assert!(is_told, "{value}: {found:?}");
    }
}
