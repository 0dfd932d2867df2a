//! The parameters of a query.

use std::str::FromStr;

use unspool_model::named::Named;

use super::problem::RequestProblem;

/// The parameters of a query, decoded, in order.
#[derive(Clone, Default, Debug)]
pub(crate) struct Queries(Vec<(String, String)>);

impl Queries {
    /// Parses a query. `min-size` is the same name as `min_size`: options and parameters are
    /// spelled differently.
    pub(crate) fn parse(text: &str) -> Self {
        let pairs = form_urlencoded::parse(text.as_bytes());
        let pairs = pairs.map(|(name, value)| (name.replace('-', "_"), value.into_owned()));
        Self(pairs.collect())
    }

    /// Returns the last value of a parameter; none if it is missing or empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let values = self.0.iter().rev();
        let mut values = values.filter(|(known, _)| known == name);
        values.next().map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// Returns all names with their values, in order.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.0.iter();
        pairs.map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns how often a parameter is given.
    pub(super) fn count(&self, name: &str) -> usize {
        self.pairs().filter(|(known, _)| *known == name).count()
    }

    /// Returns all values of a parameter that are not empty.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let values = self.0.iter().filter(move |(known, _)| known == name);
        values.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// Parses the value of a parameter.
    pub(crate) fn read<T: FromStr>(&self, name: &'static str) -> Result<Option<T>, RequestProblem> {
        let read = |text: &str| {
            text.parse()
                .map_err(|_| RequestProblem::parameter(name, format!("{text:?} cannot be read")))
        };
        self.get(name).map(read).transpose()
    }

    /// Reads the value of a parameter, which must be one of some choices.
    pub(crate) fn choose<T: Copy>(
        &self,
        name: &'static str,
        choices: &[(&str, T)],
    ) -> Result<Option<T>, RequestProblem> {
        let Some(text) = self.get(name) else {
            return Ok(None);
        };
        let found = choices.iter().find(|(known, _)| *known == text);
        found.map(|(_, value)| Some(*value)).ok_or_else(|| {
            let known: Vec<&str> = choices.iter().map(|(known, _)| *known).collect();
            RequestProblem::parameter(name, format!("{text:?} is not one of {}", known.join(", ")))
        })
    }

    /// Reads the value of a parameter, which must be a name of `T`.
    pub(crate) fn named<T: Named>(&self, name: &'static str) -> Result<Option<T>, RequestProblem> {
        let pairs = T::NAMES.iter().copied().zip(T::ALL.iter().copied());
        self.choose(name, &pairs.collect::<Vec<_>>())
    }

    /// Returns whether a switch is on: `name`, `name=1` and `name=true`, unlike `name=0`.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        let values = self.0.iter().rev();
        let mut values = values.filter(|(known, _)| known == name);
        values.next().is_some_and(|(_, value)| !matches!(value.as_str(), "0" | "false"))
    }

    /// Formats the parameters with some of them changed or removed.
    pub(crate) fn with(&self, changes: &[(&str, Option<&str>)]) -> String {
        let mut out = form_urlencoded::Serializer::new(String::new());
        let is_changed = |name: &str| changes.iter().any(|(known, _)| *known == name);
        for (known, old) in self.0.iter().filter(|(known, _)| !is_changed(known)) {
            out.append_pair(known, old);
        }
        for (name, value) in changes {
            if let Some(value) = value {
                out.append_pair(name, value);
            }
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
        assert_eq!(queries.with(&[("a", Some("2"))]), "b=x%26y&a=2");
        assert_eq!(queries.with(&[("b", None)]), "a=1");
    }
}
