//! The parameters of operations: their names, forms and meanings.
//!
//! The same table checks requests and describes the operations in the API's document, so the two
//! cannot contradict each other.

use super::problem::RequestProblem;
use super::queries::Queries;

/// A parameter of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameter {
    /// The name in the query, or in the braces of the path.
    pub(crate) name: &'static str,
    /// Where it is given, and how often.
    pub(crate) presence: ParameterPresence,
    /// The form of its values.
    pub(crate) form: ParameterForm,
    /// The meaning: a sentence without its full stop.
    pub(crate) meaning: &'static str,
}

/// The parameters of an operation, in groups that several operations share.
pub(crate) type ParameterGroups = &'static [&'static [Parameter]];

/// Where a parameter is given, and how often.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ParameterPresence {
    /// In the path.
    Path,
    /// In the query, once.
    Required,
    /// In the query, once or not at all.
    Optional,
    /// In the query, any number of times.
    Repeated,
}

/// The form of a parameter's values.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ParameterForm {
    /// Any text.
    Text,
    /// A cursor from an answer.
    Cursor,
    /// A number.
    Integer {
        /// The minimum.
        least: u64,
        /// The maximum.
        most: u64,
        /// The default.
        usual: Option<u64>,
    },
    /// One of some names.
    Choice {
        /// The names.
        names: ChoiceNames,
        /// The default.
        usual: Option<&'static str>,
    },
    /// Some of these names, separated by commas.
    Choices {
        /// The names.
        names: ChoiceNames,
    },
    /// `true` or `false`; the name alone means true.
    Switch,
}

/// A function that lists the names of a choice.
pub(crate) type ChoiceNames = fn() -> Vec<&'static str>;

impl Parameter {
    /// Describes a part of the path.
    pub(crate) const fn path(name: &'static str, meaning: &'static str) -> Self {
        Self::new(name, ParameterPresence::Path, ParameterForm::Text, meaning)
    }

    /// Describes a parameter that may be given once.
    pub(crate) const fn one(
        name: &'static str,
        form: ParameterForm,
        meaning: &'static str,
    ) -> Self {
        Self::new(name, ParameterPresence::Optional, form, meaning)
    }

    /// Describes a parameter that must be given.
    pub(crate) const fn needed(
        name: &'static str,
        form: ParameterForm,
        meaning: &'static str,
    ) -> Self {
        Self::new(name, ParameterPresence::Required, form, meaning)
    }

    /// Describes a parameter that may be given several times.
    pub(crate) const fn many(
        name: &'static str,
        form: ParameterForm,
        meaning: &'static str,
    ) -> Self {
        Self::new(name, ParameterPresence::Repeated, form, meaning)
    }

    const fn new(
        name: &'static str,
        presence: ParameterPresence,
        form: ParameterForm,
        meaning: &'static str,
    ) -> Self {
        Self { name, presence, form, meaning }
    }
}

/// Checks the query of a request for unknown parameters, wrong values, and missing parameters.
pub(crate) fn check_parameters(
    groups: ParameterGroups,
    query: &Queries,
) -> Result<(), RequestProblem> {
    let all = || groups.iter().flat_map(|group| group.iter());
    let in_query = || all().filter(|parameter| parameter.presence != ParameterPresence::Path);
    for (name, value) in query.pairs() {
        let Some(parameter) = in_query().find(|parameter| parameter.name == name) else {
            let known: Vec<&str> = in_query().map(|parameter| parameter.name).collect();
            let detail = if known.is_empty() {
                "is not a parameter of this operation, which has none".to_owned()
            } else {
                format!("is not a parameter; there are {}", known.join(", "))
            };
            return Err(RequestProblem::parameter(name, detail));
        };
        if parameter.presence != ParameterPresence::Repeated && query.count(name) > 1 {
            return Err(RequestProblem::parameter(name, "is given more than once"));
        }
        check_value(parameter, value)?;
    }
    let is_missing = |parameter: &&Parameter| {
        parameter.presence == ParameterPresence::Required && query.get(parameter.name).is_none()
    };
    match in_query().find(is_missing) {
        Some(parameter) => Err(RequestProblem::parameter(parameter.name, "is needed")),
        None => Ok(()),
    }
}

fn check_value(parameter: &Parameter, value: &str) -> Result<(), RequestProblem> {
    let wrong = |detail: String| Err(RequestProblem::parameter(parameter.name, detail));
    match parameter.form {
        _ if value.contains('\0') => wrong("a zero byte is not a part of a text".to_owned()),
        // An empty value counts as missing.
        _ if value.is_empty() => Ok(()),
        ParameterForm::Text | ParameterForm::Cursor => Ok(()),
        ParameterForm::Integer { least, most, .. } => match value.parse::<u64>() {
            Ok(number) if (least..=most).contains(&number) => Ok(()),
            _ => wrong(format!("{value:?} is not a number from {least} to {most}")),
        },
        ParameterForm::Choice { names, .. } => {
            if names().contains(&value) {
                Ok(())
            } else {
                wrong(not_one_of(value, &names()))
            }
        }
        ParameterForm::Choices { names } => {
            let known = names();
            let mut asked = value.split(',');
            match asked.find(|asked| !known.contains(asked)) {
                Some(asked) => wrong(not_one_of(asked, &known)),
                None => Ok(()),
            }
        }
        ParameterForm::Switch => match value {
            "true" | "false" | "1" | "0" => Ok(()),
            _ => wrong(not_one_of(value, &["true", "false"])),
        },
    }
}

fn not_one_of(value: &str, known: &[&str]) -> String {
    format!("{value:?} is not one of {}", known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUP: &[Parameter] = &[
        Parameter::path("id", "the session"),
        Parameter::needed("q", ParameterForm::Text, "what to look for"),
        Parameter::many("tool", ParameterForm::Text, "a tool"),
        Parameter::one("live", ParameterForm::Switch, "whether it runs"),
        Parameter::one(
            "limit",
            ParameterForm::Integer { least: 1, most: 9, usual: Some(5) },
            "how many",
        ),
        Parameter::one("by", ParameterForm::Choices { names: || vec!["day", "tool"] }, "groups"),
    ];

    #[test]
    fn what_does_not_fit_is_told_by_its_name() {
        for (query, expected) in [
            ("q=a", None),
            ("q=a&tool=x&tool=y&live&limit=9&by=day,tool", None),
            ("q=a&limit=", None),
            ("", Some("q: is needed")),
            ("q=", Some("q: is needed")),
            ("q=a&q=b", Some("q: is given more than once")),
            ("q=a&limits=3", Some("limits: is not a parameter")),
            ("q=a&id=3", Some("id: is not a parameter")),
            ("q=a&limit=0", Some("limit: \"0\" is not a number")),
            ("q=a&limit=-1", Some("limit: \"-1\" is not a number")),
            ("q=a&live=maybe", Some("live: \"maybe\" is not one of")),
            ("q=a&by=day,x", Some("by: \"x\" is not one of day, tool")),
            ("q=a%00b", Some("q: a zero byte")),
        ] {
            let checked = check_parameters(&[GROUP], &Queries::parse(query));
            match expected {
                None => assert!(checked.is_ok(), "{query}"),
                Some(detail) => {
                    let problem = checked.expect_err(query);
                    assert!(problem.detail.starts_with(detail), "{}", problem.detail);
                }
            }
        }
    }
}
