//! A builder for ordered JSON objects.
//!
//! Keeps members in the order of their addition, and values as JSON text, so that wrong types, duplicate keys
//! and lone surrogates can be written as easily as valid values.

/// Builds an ordered JSON object.
#[derive(Clone, Debug, Default)]
pub(crate) struct JsonFields {
    members: Vec<MemberValue>,
}

#[derive(Clone, Debug)]
enum MemberValue {
    Field(String, String),
    /// The text between the braces of another object.
    Splice(String),
}

impl JsonFields {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a member whose value is JSON text.
    pub(crate) fn raw(&mut self, key: &str, json: impl Into<String>) -> &mut Self {
        self.members.push(MemberValue::Field(key.to_owned(), json.into()));
        self
    }

    pub(crate) fn text(&mut self, key: &str, value: &str) -> &mut Self {
        self.raw(key, quote(value))
    }

    pub(crate) fn number(&mut self, key: &str, value: u64) -> &mut Self {
        self.raw(key, value.to_string())
    }

    pub(crate) fn flag(&mut self, key: &str, value: bool) -> &mut Self {
        self.raw(key, value.to_string())
    }

    pub(crate) fn null(&mut self, key: &str) -> &mut Self {
        self.raw(key, "null")
    }

    pub(crate) fn object(&mut self, key: &str, value: &Self) -> &mut Self {
        self.raw(key, value.to_json())
    }

    pub(crate) fn array(&mut self, key: &str, values: &[String]) -> &mut Self {
        self.raw(key, array(values))
    }

    /// Adds a text if it is set.
    pub(crate) fn maybe(&mut self, key: &str, value: Option<&str>) -> &mut Self {
        match value {
            Some(value) => self.text(key, value),
            None => self,
        }
    }

    /// Adds the members of an object given as JSON text.
    pub(crate) fn splice(&mut self, object: &str) -> &mut Self {
        let object = object.trim();
        let inner = object
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'))
            .unwrap_or_else(|| panic!("not a JSON object: {object}"));
        if !inner.trim().is_empty() {
            self.members.push(MemberValue::Splice(inner.to_owned()));
        }
        self
    }

    /// Replaces the value of a member, or adds the member at the end.
    pub(crate) fn replace(&mut self, key: &str, json: &str) {
        for member in &mut self.members {
            if let MemberValue::Field(name, value) = member
                && name == key
            {
                json.clone_into(value);
                return;
            }
        }
        self.raw(key, json);
    }

    pub(crate) fn remove(&mut self, key: &str) {
        self.members.retain(|member| !matches!(member, MemberValue::Field(name, _) if name == key));
    }

    pub(crate) fn to_json(&self) -> String {
        let members: Vec<String> = self
            .members
            .iter()
            .map(|member| match member {
                MemberValue::Field(key, value) => format!("{}:{value}", quote(key)),
                MemberValue::Splice(inner) => inner.clone(),
            })
            .collect();
        format!("{{{}}}", members.join(","))
    }
}

/// Formats a text as a JSON string.
pub(crate) fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Formats JSON texts as an array.
pub(crate) fn array(values: &[String]) -> String {
    format!("[{}]", values.join(","))
}
