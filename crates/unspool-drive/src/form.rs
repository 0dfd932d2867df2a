//! Forms that an MCP server asks a person to fill in, parsed from the schema that it sends.
//!
//! The schema comes from [`crate::wire::AskedRequest::input`]; the fields are returned in the order in which
//! they are asked. Parsing is lenient: a field of an unknown kind accepts any JSON. Typed or chosen text
//! becomes a value of the field's type, or an error that describes the expected value.

use serde_json::{Map, Number, Value};

/// A field of a form.
#[derive(Clone, PartialEq, Debug)]
pub struct FormField {
    /// The name of the field in the answer.
    pub name: String,
    /// The name that is shown.
    pub title: String,
    /// The purpose of the field.
    pub description: Option<String>,
    /// The values that the field accepts.
    pub kind: FormFieldKind,
    /// Whether the form cannot be sent without a value.
    pub is_required: bool,
    /// The value if none is given; null if the field has no default.
    pub default: Value,
}

/// The values that a field accepts.
#[derive(Clone, PartialEq, Debug)]
pub enum FormFieldKind {
    /// A string.
    Text {
        /// The `format` of the schema: `email`, `uri`, `date`, `date-time` …
        format: Option<String>,
        /// The minimum number of characters.
        shortest: Option<u64>,
        /// The maximum number of characters.
        longest: Option<u64>,
    },
    /// A number.
    Number {
        /// Whether only integers are accepted.
        is_whole: bool,
        /// The minimum.
        least: Option<f64>,
        /// The maximum.
        most: Option<f64>,
    },
    /// True or false.
    Switch,
    /// One of several choices.
    OneOf(Vec<FormChoice>),
    /// Any number of several choices.
    AnyOf(Vec<FormChoice>),
    /// Any other JSON.
    Json,
}

/// A choice of a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormChoice {
    /// The value in the answer.
    pub value: String,
    /// The name that is shown.
    pub title: String,
}

/// Errors of a form or of one of its fields.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FormFault {
    /// The form has no field of this name.
    #[error("the form has no field `{name}`; it has {known}")]
    Unknown {
        /// The given name.
        name: String,
        /// The names of the form's fields.
        known: String,
    },
    /// A value that the field does not accept.
    #[error("`{name}` should be {wanted}, not `{given}`")]
    Value {
        /// The name of the field.
        name: String,
        /// The accepted values, in words.
        wanted: String,
        /// The given value.
        given: String,
    },
    /// Required fields without a value.
    #[error("not filled in: {0}")]
    Missing(String),
}

/// Returns the fields of a form, in the order in which they are asked.
pub fn form_fields(schema: &Value) -> Vec<FormField> {
    let Some(properties) = schema["properties"].as_object() else {
        return Vec::new();
    };
    let needed: Vec<&str> = texts(&schema["required"]).collect();
    let ordered = texts(&schema["property_order"]).filter(|name| properties.contains_key(*name));
    let mut names: Vec<&str> = Vec::new();
    for name in ordered.chain(properties.keys().map(String::as_str)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let read = |name: &str| FormField::read(name, &properties[name], needed.contains(&name));
    names.into_iter().map(read).collect()
}

/// Checks the given values and adds the defaults of the other fields.
pub fn fill_form(
    schema: &Value,
    given: &Map<String, Value>,
) -> Result<Map<String, Value>, FormFault> {
    if !schema["properties"].is_object() {
        // A schema without properties accepts any values.
        return Ok(given.clone());
    }
    let fields = form_fields(schema);
    if let Some(name) = given.keys().find(|name| fields.iter().all(|field| field.name != **name)) {
        return Err(unknown(&fields, name));
    }
    let mut filled = Map::new();
    let mut missing = Vec::new();
    for field in &fields {
        match given.get(&field.name) {
            Some(value) if field.kind.takes(value) => {
                filled.insert(field.name.clone(), value.clone());
            }
            Some(value) => return Err(field.refuses(&value.to_string())),
            None if !field.default.is_null() => {
                filled.insert(field.name.clone(), field.default.clone());
            }
            None if field.is_required => missing.push(field.name.as_str()),
            None => {}
        }
    }
    if missing.is_empty() { Ok(filled) } else { Err(FormFault::Missing(missing.join(", "))) }
}

/// Parses a value that was typed for a field.
pub fn typed_field(fields: &[FormField], name: &str, text: &str) -> Result<Value, FormFault> {
    let field = fields.iter().find(|field| field.name == name);
    let field = field.ok_or_else(|| unknown(fields, name))?;
    let value = field.kind.typed(text);
    let value = value.filter(|value| field.kind.takes(value));
    value.ok_or_else(|| field.refuses(text))
}

fn unknown(fields: &[FormField], name: &str) -> FormFault {
    let known: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    FormFault::Unknown { name: name.to_owned(), known: known.join(", ") }
}

impl FormField {
    fn read(name: &str, schema: &Value, is_required: bool) -> Self {
        let text = |name: &str| schema[name].as_str().filter(|text| !text.is_empty());
        let kind = FormFieldKind::read(schema);
        let default = Some(&schema["default"]).filter(|value| kind.takes(value));
        Self {
            name: name.to_owned(),
            title: text("title").unwrap_or(name).to_owned(),
            description: text("description").map(str::to_owned),
            default: default.cloned().unwrap_or_default(),
            kind,
            is_required,
        }
    }

    fn refuses(&self, given: &str) -> FormFault {
        FormFault::Value {
            name: self.name.clone(),
            wanted: self.kind.words(),
            given: given.to_owned(),
        }
    }
}

impl FormFieldKind {
    fn read(schema: &Value) -> Self {
        let choices = choices(schema);
        match schema["type"].as_str() {
            Some("boolean") => Self::Switch,
            Some(kind @ ("number" | "integer")) => Self::Number {
                is_whole: kind == "integer",
                least: schema["minimum"].as_f64(),
                most: schema["maximum"].as_f64(),
            },
            Some("array") => match self::choices(&schema["items"]) {
                choices if choices.is_empty() => Self::Json,
                choices => Self::AnyOf(choices),
            },
            Some("string") | None if !choices.is_empty() => Self::OneOf(choices),
            Some("string") => Self::Text {
                format: schema["format"].as_str().map(str::to_owned),
                shortest: schema["minLength"].as_u64(),
                longest: schema["maxLength"].as_u64(),
            },
            _ => Self::Json,
        }
    }

    /// Describes the accepted values.
    pub fn words(&self) -> String {
        let titles = |choices: &[FormChoice]| {
            let values: Vec<&str> = choices.iter().map(|one| one.value.as_str()).collect();
            values.join(", ")
        };
        let range = |least: Option<String>, most: Option<String>| match (least, most) {
            (Some(least), Some(most)) => format!(" from {least} to {most}"),
            (Some(least), None) => format!(" of {least} or more"),
            (None, Some(most)) => format!(" of {most} or less"),
            (None, None) => String::new(),
        };
        match self {
            Self::Text { format, shortest, longest } => {
                let what = match format.as_deref() {
                    Some("email") => "an e-mail address",
                    Some("uri") => "an address of a page",
                    Some("date") => "a date such as 2026-01-31",
                    Some("date-time") => "a time such as 2026-01-31T12:00:00Z",
                    _ => "a text",
                };
                let least = shortest.filter(|least| *least > 0);
                let range = range(
                    least.map(|least| least.to_string()),
                    longest.map(|most| most.to_string()),
                );
                let unit = if range.is_empty() { "" } else { " characters" };
                format!("{what}{range}{unit}")
            }
            Self::Number { is_whole, least, most } => {
                let what = if *is_whole { "a whole number" } else { "a number" };
                let bounds =
                    (least.map(|least| least.to_string()), most.map(|most| most.to_string()));
                format!("{what}{}", range(bounds.0, bounds.1))
            }
            Self::Switch => "true or false".to_owned(),
            Self::OneOf(choices) => format!("one of {}", titles(choices)),
            Self::AnyOf(choices) => format!("any of {}", titles(choices)),
            Self::Json => "JSON".to_owned(),
        }
    }

    /// Parses typed text; `None` if it is not a value of this kind.
    fn typed(&self, text: &str) -> Option<Value> {
        let is_called = |choice: &&FormChoice, text: &str| {
            choice.value == text || choice.title.eq_ignore_ascii_case(text)
        };
        let chosen = |choices: &[FormChoice], text: &str| {
            let found = choices.iter().find(|choice| is_called(choice, text));
            found.map(|choice| choice.value.clone())
        };
        match self {
            Self::Text { .. } => Some(text.into()),
            Self::Number { is_whole: true, .. } => text.trim().parse::<i64>().ok().map(Value::from),
            Self::Number { .. } => {
                let number: Number = text.trim().parse().ok()?;
                Some(number.into())
            }
            Self::Switch => match text.trim().to_lowercase().as_str() {
                "true" | "yes" | "y" | "on" => Some(true.into()),
                "false" | "no" | "n" | "off" => Some(false.into()),
                _ => None,
            },
            Self::OneOf(choices) => chosen(choices, text.trim()).map(Value::from),
            Self::AnyOf(choices) => {
                let parts = text.split(',').map(str::trim);
                let parts = parts.filter(|part| !part.is_empty());
                let all: Option<Vec<String>> = parts.map(|part| chosen(choices, part)).collect();
                all.map(Value::from)
            }
            Self::Json => serde_json::from_str(text).ok(),
        }
    }

    /// Tells whether the field accepts a value.
    fn takes(&self, value: &Value) -> bool {
        let has = |choices: &[FormChoice], value: &Value| {
            choices.iter().any(|choice| value.as_str() == Some(choice.value.as_str()))
        };
        match self {
            Self::Text { shortest, longest, .. } => value.as_str().is_some_and(|text| {
                let count = text.chars().count() as u64;
                shortest.is_none_or(|least| count >= least)
                    && longest.is_none_or(|most| count <= most)
            }),
            Self::Number { is_whole, least, most } => value.as_f64().is_some_and(|number| {
                (!is_whole || value.is_i64() || value.is_u64())
                    && least.is_none_or(|least| number >= least)
                    && most.is_none_or(|most| number <= most)
            }),
            Self::Switch => value.is_boolean(),
            Self::OneOf(choices) => has(choices, value),
            Self::AnyOf(choices) => value
                .as_array()
                .is_some_and(|values| values.iter().all(|value| has(choices, value))),
            Self::Json => !value.is_null(),
        }
    }
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// Reads choices: `enum` with optional `enumNames`, or `oneOf` or `anyOf` with `const` and `title`.
fn choices(schema: &Value) -> Vec<FormChoice> {
    let named = schema["oneOf"].as_array().or(schema["anyOf"].as_array());
    if let Some(named) = named {
        let read = |one: &Value| {
            let value = one["const"].as_str()?;
            Some(FormChoice {
                value: value.to_owned(),
                title: one["title"].as_str().unwrap_or(value).to_owned(),
            })
        };
        return named.iter().filter_map(read).collect();
    }
    let mut titles = texts(&schema["enumNames"]);
    texts(&schema["enum"])
        .map(|value| FormChoice {
            value: value.to_owned(),
            title: titles.next().unwrap_or(value).to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({
            "type": "object",
            "property_order": ["name", "port"],
            "required": ["name", "colour"],
            "properties": {
                "colour": {"type": "string", "enum": ["r", "b"], "enumNames": ["Red", "Blue"]},
                "fast": {"type": "boolean", "default": true},
                "name": {"type": "string", "title": "Name", "description": "Of the site", "minLength": 2},
                "port": {"type": "integer", "minimum": 1, "maximum": 65535},
                "share": {"type": "number"},
                "sizes": {"type": "array", "items": {"anyOf": [
                    {"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}]}},
                "odd": {"type": "object"},
            },
        })
    }

    #[test]
    fn fields_come_in_their_order_with_what_they_take() {
        let fields = form_fields(&schema());
        let shown: Vec<String> = fields
            .iter()
            .map(|field| format!("{} ({}): {}", field.title, field.name, field.kind.words()))
            .collect();
        assert_eq!(
            shown,
            [
                "Name (name): a text of 2 or more characters",
                "port (port): a whole number from 1 to 65535",
                "colour (colour): one of r, b",
                "fast (fast): true or false",
                "odd (odd): JSON",
                "share (share): a number",
                "sizes (sizes): any of s, l",
            ]
        );
        assert!(fields[0].is_required && !fields[1].is_required);
        assert_eq!(fields[3].default, true);
        assert_eq!(form_fields(&Value::Null), []);
        assert_eq!(form_fields(&json!({"properties": 5})), []);
    }

    #[test]
    fn what_is_typed_becomes_a_value_of_its_field() {
        let fields = form_fields(&schema());
        let typed = |name: &str, text: &str| typed_field(&fields, name, text);
        for (name, text, value) in [
            ("name", "5x", json!("5x")),
            ("port", "8080", json!(8080)),
            ("share", "0.5", json!(0.5)),
            ("fast", "no", json!(false)),
            ("colour", "blue", json!("b")),
            ("sizes", "Small, l", json!(["s", "l"])),
            ("odd", "{}", json!({})),
        ] {
            assert_eq!(typed(name, text), Ok(value), "{name}={text}");
        }
        for (name, text, words) in [
            ("name", "x", "`name` should be a text of 2 or more characters, not `x`"),
            ("port", "0", "`port` should be a whole number from 1 to 65535, not `0`"),
            ("port", "1.5", "`port` should be a whole number from 1 to 65535, not `1.5`"),
            ("fast", "maybe", "`fast` should be true or false, not `maybe`"),
            ("colour", "green", "`colour` should be one of r, b, not `green`"),
            ("sizes", "s, m", "`sizes` should be any of s, l, not `s, m`"),
        ] {
            let fault = typed(name, text).expect_err(text);
            assert_eq!(fault.to_string(), words);
        }
        assert!(matches!(typed("nope", "1"), Err(FormFault::Unknown { .. })));
    }

    #[test]
    fn a_form_has_its_defaults_and_needs_what_is_required() {
        let given = json!({"name": "site", "colour": "r", "port": 80});
        let given = given.as_object().expect("fields");
        let filled = fill_form(&schema(), given).expect("a form");
        assert_eq!(
            Value::from(filled),
            json!({"name": "site", "colour": "r", "port": 80, "fast": true})
        );
        let fault = fill_form(&schema(), &Map::new()).expect_err("two are missing");
        assert_eq!(fault.to_string(), "not filled in: name, colour");
        let wrong = json!({"name": 5});
        let wrong = wrong.as_object().expect("fields");
        assert!(matches!(fill_form(&schema(), wrong), Err(FormFault::Value { .. })));
    }
}
