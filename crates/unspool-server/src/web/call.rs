//! A request as functions see it: names and values, nothing of HTTP.

use std::collections::HashMap;
use std::str::FromStr;
use std::sync::Arc;

use axum::http::{HeaderMap, HeaderName, Method};

use super::problem::Problem;
use crate::state::ServerState;

/// A request.
pub(crate) struct Call {
    /// What the server knows.
    pub(crate) state: Arc<ServerState>,
    /// How it was asked.
    pub(crate) method: Method,
    /// The path that was asked for, as it came.
    pub(crate) path: String,
    /// The values of the names in the route's path, decoded.
    names: HashMap<String, String>,
    /// What stands after the question mark.
    pub(crate) query: Queries,
    headers: HeaderMap,
}

/// The parameters after the question mark, decoded, in order.
#[derive(Clone, Default, Debug)]
pub(crate) struct Queries(Vec<(String, String)>);

impl Call {
    /// Takes a request apart.
    pub(crate) fn new(
        state: Arc<ServerState>,
        names: HashMap<String, String>,
        parts: &axum::http::request::Parts,
    ) -> Self {
        Self {
            state,
            method: parts.method.clone(),
            path: parts.uri.path().to_owned(),
            names,
            query: Queries::parse(parts.uri.query().unwrap_or_default()),
            headers: parts.headers.clone(),
        }
    }

    /// Returns the value of a name in the route's path.
    pub(crate) fn name(&self, name: &str) -> &str {
        self.names.get(name).map_or("", String::as_str)
    }

    /// Returns a header, if it is text.
    pub(crate) fn header(&self, name: &HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns a cookie, decoded.
    pub(crate) fn cookie(&self, name: &str) -> Option<String> {
        let headers = self.headers.get_all(axum::http::header::COOKIE).iter();
        let mut pairs = headers
            .filter_map(|header| header.to_str().ok())
            .flat_map(|header| header.split(';'))
            .filter_map(|pair| pair.trim().split_once('='));
        let (_, value) = pairs.find(|(known, _)| *known == name)?;
        // Read as the name of a parameter without a value, which undoes the encoding.
        let value = value.replace('+', "%2B");
        let (value, _) = form_urlencoded::parse(value.as_bytes()).next()?;
        Some(value.into_owned())
    }

    /// Returns a header by its name, if it is text.
    pub(crate) fn header_named(&self, name: &'static str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

impl Queries {
    /// Reads a query.
    pub(crate) fn parse(text: &str) -> Self {
        Self(
            form_urlencoded::parse(text.as_bytes())
                .into_owned()
                .collect(),
        )
    }

    /// Returns the last value of a name; an empty one counts as none.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let values = self.0.iter().rev();
        let mut values = values.filter(|(known, _)| known == name);
        values
            .next()
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    }

    /// Returns every value of a name that is not empty.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let values = self.0.iter().filter(move |(known, _)| known == name);
        values
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    }

    /// Reads a value of a name, or says what is wrong with it.
    pub(crate) fn read<T: FromStr>(&self, name: &'static str) -> Result<Option<T>, Problem> {
        let read = |text: &str| {
            text.parse()
                .map_err(|_| Problem::parameter(name, format!("{text:?} cannot be read")))
        };
        self.get(name).map(read).transpose()
    }

    /// Reads a choice by its name, or says which there are.
    pub(crate) fn choose<T: Copy>(
        &self,
        name: &'static str,
        choices: &[(&str, T)],
    ) -> Result<Option<T>, Problem> {
        let Some(text) = self.get(name) else {
            return Ok(None);
        };
        let found = choices.iter().find(|(known, _)| *known == text);
        found.map(|(_, value)| Some(*value)).ok_or_else(|| {
            let known: Vec<&str> = choices.iter().map(|(known, _)| *known).collect();
            Problem::parameter(name, format!("{text:?} is not one of {}", known.join(", ")))
        })
    }

    /// Tells whether a switch is on: `name`, `name=1` and `name=true`, unlike `name=0`.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        let values = self.0.iter().rev();
        let mut values = values.filter(|(known, _)| known == name);
        values
            .next()
            .is_some_and(|(_, value)| !matches!(value.as_str(), "0" | "false"))
    }

    /// Writes the parameters with one of them changed, or taken out.
    pub(crate) fn with(&self, name: &str, value: Option<&str>) -> String {
        let mut out = form_urlencoded::Serializer::new(String::new());
        for (known, old) in self.0.iter().filter(|(known, _)| known != name) {
            out.append_pair(known, old);
        }
        if let Some(value) = value {
            out.append_pair(name, value);
        }
        out.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_counts_and_an_empty_one_does_not() {
        let queries = Queries::parse("a=1&a=2&b=&c=x%20y&d");
        assert_eq!(queries.get("a"), Some("2"));
        assert_eq!(queries.all("a").collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!(queries.get("b"), None);
        assert_eq!(queries.get("c"), Some("x y"));
        assert!(queries.is_on("d") && !queries.is_on("e"));
        assert_eq!(queries.read::<u32>("a").expect("a number"), Some(2));
        assert!(queries.read::<u32>("c").is_err());
    }

    #[test]
    fn a_parameter_can_be_changed() {
        let queries = Queries::parse("a=1&b=x%26y");
        assert_eq!(queries.with("a", Some("2")), "b=x%26y&a=2");
        assert_eq!(queries.with("b", None), "a=1");
    }
}
