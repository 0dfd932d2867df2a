//! Checks values against JSON Schemas, for the keywords that the schemas of this project use.
//!
//! Programs must ignore unknown keys; here an unknown key is an error. References point to other parts of the
//! same document.

use serde_json::{Map, Value};

/// A document with schemas.
#[derive(Clone, Debug)]
pub struct SchemaCheck {
    root: Value,
}

impl SchemaCheck {
    /// Wraps a document: a schema, or an object that has several.
    pub fn new(root: Value) -> Self {
        Self { root }
    }

    /// Returns the document.
    pub fn root(&self) -> &Value {
        &self.root
    }

    /// Checks a value against a schema of the document; the error describes the mismatch.
    pub fn fit(&self, schema: &Value, value: &Value) -> Result<(), String> {
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
            return Err(format!("{value} is not {}{}", schema["const"], schema["enum"]));
        }
        if !has_type(&schema["type"], value) {
            return Err(format!("{value} is not a {}", schema["type"]));
        }
        match value {
            Value::Object(object) => self.fit_object(schema, object),
            Value::Array(items) => {
                items.iter().try_for_each(|item| self.fit(&schema["items"], item))
            }
            _ => self.target(schema).map_or(Ok(()), |target| self.fit(target, value)),
        }
    }

    fn fit_object(&self, schema: &Value, object: &Map<String, Value>) -> Result<(), String> {
        let (mut properties, mut rest, mut is_open) = (Map::new(), &Value::Null, true);
        let mut next = Some(schema);
        while let Some(schema) = next {
            let required = schema["required"].as_array().into_iter().flatten();
            for name in required.filter_map(Value::as_str) {
                object.get(name).ok_or_else(|| format!("{name} is missing"))?;
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

    /// Returns the schema that a schema refers to.
    fn target(&self, schema: &Value) -> Option<&Value> {
        let reference = schema["$ref"].as_str()?.strip_prefix('#')?;
        self.root.pointer(reference)
    }
}

/// Copies the fields that all variants of a document share to each variant, so that each lists all of its
/// fields.
///
/// # Panics
///
/// If the schema is not an object with variants.
pub fn spread_kinds(schema: &mut Value) {
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
        let schema = SchemaCheck::new(root);
        for (value, problem) in [
            (json!({ "a": 1, "b": { "c": "" }, "d": [{ "c": "" }], "e": { "x": 1 } }), None),
            (json!({ "a": null, "b": null, "f": { "t": "x", "c": "" }, "g": { "any": 1 } }), None),
            (json!({}), Some("a is missing")),
            (json!({ "a": "1" }), Some("a: \"1\" is not a")),
            (json!({ "a": 1, "new": 1 }), Some("new: is not in the schema")),
            (json!({ "a": 1, "d": [{ "c": "", "new": 1 }] }), Some("new: is not in the schema")),
            (json!({ "a": 1, "b": { "new": 1 } }), Some("b: none of: c is missing")),
            (json!({ "a": 1, "e": { "x": "1" } }), Some("e: x: ")),
            (json!({ "a": 1, "f": { "t": "y", "c": "" } }), Some("f: none of: t: ")),
            (json!({ "a": 1, "f": { "t": "x", "c": "", "new": 1 } }), Some("f: none of: new: ")),
        ] {
            let found = schema.fit(schema.root(), &value).err();
            let is_told = match (problem, &found) {
                (Some(problem), Some(found)) => found.contains(problem),
                (None, None) => true,
                _ => false,
            };
            assert!(is_told, "{value}: {found:?}");
        }
    }
}
