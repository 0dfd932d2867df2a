//! Parses the text that a person types as an answer to a request.
//!
//! Covers questions, forms and the words typed at a terminal, for all surfaces.

use serde_json::{Map, Value};
use unspool_model::tool::UserQuestion;

use crate::form::{fill_form, form_fields, typed_field};
use crate::state::ApprovalKind;
use crate::wire::{ASKING_TOOL, PersonChoice, asked_input};

/// An error that explains why the typed text does not answer the request.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct ReplyFault(pub String);

/// Parses answers to questions. Each is typed as `QUESTION=ANSWER`, or as the answer alone if there is only
/// one question. A question is named by its number, its header, or the beginning of its text.
pub fn answers(input: &Value, typed: &[String]) -> Result<PersonChoice, ReplyFault> {
    let questions = questions_of(input);
    let mut given = Map::new();
    for text in typed {
        let (question, answer) = split(&questions, text)?;
        if answer.trim().is_empty() {
            continue;
        }
        let name = question.question.to_string();
        if given.contains_key(&name) {
            return Err(ReplyFault(format!("answered twice: {name}")));
        }
        given.insert(name, meant(question, answer).into());
    }
    let is_missing = |question: &&UserQuestion<'_>| !given.contains_key(&*question.question);
    let missing: Vec<&str> =
        questions.iter().filter(is_missing).map(|question| &*question.question).collect();
    if !missing.is_empty() {
        let words = format!("not answered: {}", missing.join("; "));
        return Err(ReplyFault(words));
    }
    Ok(PersonChoice { answers: Some(given), ..PersonChoice::allow() })
}

/// Parses the values of a form, each typed as `FIELD=VALUE`.
pub fn form(schema: &Value, typed: &[String]) -> Result<PersonChoice, ReplyFault> {
    let fields = form_fields(schema);
    let mut given = Map::new();
    for text in typed.iter().filter(|text| !text.is_empty()) {
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| ReplyFault(format!("`{text}` should be FIELD=VALUE")))?;
        let value = typed_field(&fields, name, value);
        let value = value.map_err(|fault| ReplyFault(fault.to_string()))?;
        given.insert(name.to_owned(), value);
    }
    let filled = fill_form(schema, &given).map_err(|fault| ReplyFault(fault.to_string()))?;
    Ok(PersonChoice { input: Some(filled.into()), ..PersonChoice::allow() })
}

/// Returns the questions of a request.
fn questions_of(input: &Value) -> Vec<UserQuestion<'static>> {
    asked_input(ApprovalKind::Question, Some(ASKING_TOOL), input).questions()
}

/// Returns the label of the option that was typed, or the typed text if it matches none.
fn meant(question: &UserQuestion<'_>, typed: &str) -> String {
    let mut labels = question.options.iter().map(|option| &*option.label);
    let typed_label = typed.trim();
    if let Some(label) = labels.find(|label| label.eq_ignore_ascii_case(typed_label)) {
        return label.to_owned();
    }
    let number: Option<usize> = typed_label.parse().ok();
    let numbered = number.and_then(|number| question.options.get(number.checked_sub(1)?));
    numbered.map_or_else(|| typed.to_owned(), |option| option.label.to_string())
}

fn is_named(question: &UserQuestion<'_>, place: usize, name: &str) -> bool {
    let begins = |text: &str| {
        let (text, name) = (text.to_lowercase(), name.to_lowercase());
        !name.is_empty() && text.starts_with(&name)
    };
    let header = question.header.as_deref();
    name == (place + 1).to_string() || header.is_some_and(begins) || begins(&question.question)
}

/// Splits a typed text into its question and the answer.
fn split<'q, 't>(
    questions: &'q [UserQuestion<'static>],
    text: &'t str,
) -> Result<(&'q UserQuestion<'static>, &'t str), ReplyFault> {
    // The text of a question may contain `=`, so whole texts are tried first.
    let whole = questions.iter().find_map(|question| {
        let rest = text.strip_prefix(&*question.question)?;
        Some((question, rest.trim_start().strip_prefix('=')?))
    });
    if let Some(found) = whole {
        return Ok(found);
    }
    for (at, _) in text.match_indices('=') {
        let (name, answer) = (text[..at].trim(), &text[at + 1..]);
        let named = questions.iter().enumerate();
        let named = named.filter(|(place, question)| is_named(question, *place, name));
        let named: Vec<_> = named.map(|(_, question)| question).collect();
        match named.as_slice() {
            [question] => return Ok((question, answer)),
            [] => {}
            several => {
                let texts: Vec<&str> = several.iter().map(|one| &*one.question).collect();
                let words = format!("`{name}` could be any of: {}", texts.join("; "));
                return Err(ReplyFault(words));
            }
        }
    }
    if let [question] = questions {
        return Ok((question, text));
    }
    let count = questions.len();
    let words = format!("`{text}` names no question; there are {count}: answer them as N=ANSWER");
    Err(ReplyFault(words))
}

/// Parses text typed at a terminal: `y` allows, `n` denies, other text denies with that message, or answers
/// questions and fills in forms.
pub fn typed_reply(
    kind: ApprovalKind,
    input: &Value,
    typed: &str,
) -> Result<PersonChoice, ReplyFault> {
    let word = typed.trim();
    match (kind, word.to_ascii_lowercase().as_str()) {
        (ApprovalKind::Question, _) => {
            let parts: Vec<String> = match questions_of(input).len() {
                1 => vec![word.to_owned()],
                _ => word.split(';').map(|part| part.trim().to_owned()).collect(),
            };
            answers(input, &parts)
        }
        (_, "n" | "no") => Ok(PersonChoice { message: None, ..PersonChoice::deny("") }),
        (ApprovalKind::Elicitation, "y" | "yes") => form(input, &[]),
        (ApprovalKind::Elicitation, _) => {
            let parts: Vec<String> = word.split(';').map(|part| part.trim().to_owned()).collect();
            form(input, &parts)
        }
        (_, "y" | "yes") => Ok(PersonChoice::allow()),
        _ => Ok(PersonChoice::deny(word)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Decision;
    use serde_json::json;

    fn questions() -> Value {
        json!({"questions": [
            {"question": "Which colour?", "header": "Colour", "options": [{"label": "Red"}, {"label": "Blue"}]},
            {"question": "What if a=b?", "header": "Size", "options": [{"label": "S"}]},
        ]})
    }

    fn given(input: &Value, typed: &[&str]) -> Result<Value, String> {
        let typed: Vec<String> = typed.iter().map(ToString::to_string).collect();
        let choice = answers(input, &typed).map_err(|error| error.0)?;
        Ok(choice.answers.expect("answers").into())
    }

    #[test]
    fn questions_are_named_in_several_ways() {
        let both = json!({"Which colour?": "Blue", "What if a=b?": "S"});
        for typed in [
            ["colour=blue", "size=S"],
            ["1=2", "2=1"],
            ["Which colour?=Blue", "What if a=b?=s"],
            ["which=Blue", "What=S"],
        ] {
            assert_eq!(given(&questions(), &typed), Ok(both.clone()), "{typed:?}");
        }
        let free = given(&questions(), &["1=a mix = purple", "2=S"]);
        assert_eq!(free.expect("answers")["Which colour?"], "a mix = purple");
    }

    #[test]
    fn what_is_missing_or_not_clear_is_said() {
        let missing = given(&questions(), &["1=Red"]);
        assert_eq!(missing, Err("not answered: What if a=b?".to_owned()));
        let unclear = given(&questions(), &["wh=Red"]).expect_err("two questions");
        assert!(unclear.contains("could be any of"), "{unclear}");
        assert!(given(&questions(), &["Red"]).is_err());
        let one = json!({"questions": [{"question": "Why?", "options": []}]});
        assert_eq!(given(&one, &["x=y"]), Ok(json!({"Why?": "x=y"})));
    }

    #[test]
    fn a_form_takes_its_own_fields_in_their_types() {
        let schema =
            json!({"properties": {"name": {"type": "string"}, "age": {"type": "integer"}}});
        let fill = |typed: &[&str]| {
            let typed: Vec<String> = typed.iter().map(ToString::to_string).collect();
            form(&schema, &typed).map(|choice| choice.input)
        };
        let filled = fill(&["name=5", "age=7"]).expect("a form");
        assert_eq!(filled, Some(json!({"name": "5", "age": 7})));
        assert!(
            fill(&["age=old"]).is_err() && fill(&["other=1"]).is_err() && fill(&["x"]).is_err()
        );
    }

    #[test]
    fn a_typed_line_allows_refuses_or_answers() {
        let reply = |kind, text| typed_reply(kind, &questions(), text).expect("a reply");
        assert_eq!(reply(ApprovalKind::Tool, "y"), PersonChoice::allow());
        assert_eq!(reply(ApprovalKind::Tool, "no").message, None);
        let words = reply(ApprovalKind::Plan, "shorter please");
        assert_eq!(words, PersonChoice::deny("shorter please"));
        let both = reply(ApprovalKind::Question, "1=Red; 2=S");
        assert_eq!(both.decision, Decision::Allow);
        assert_eq!(both.answers.expect("answers").len(), 2);
    }
}
