//! What a person can answer to a request, in the order of the keys 1 to 9.

use serde_json::{Map, Value};
use unspool_drive::store::ApprovalRecord;
use unspool_drive::suggestion::suggestion_words;
use unspool_drive::{ApprovalKind, PermissionMode, PersonChoice};

/// One answer.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct AskChoice {
    pub(super) label: String,
    pub(super) act: ChoiceAct,
}

/// What choosing an answer does.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum ChoiceAct {
    /// It is given.
    Give(Box<PersonChoice>),
    /// Words are typed first.
    Type(TypedFor),
    /// It answers the question at hand.
    Answer(String),
    /// It is one of several answers to the question at hand: taken, or taken back.
    Toggle(String),
    /// The answers that were taken are the ones.
    Done,
}

/// What words are typed for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TypedFor {
    /// A refusal.
    Refusal,
    /// The question at hand.
    Question,
    /// The fields of a form.
    Form,
}

/// A question of the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct AskedQuestionView {
    pub(super) text: String,
    labels: Vec<String>,
    /// What the answers mean: each label with its description.
    pub(super) details: Vec<(String, String)>,
    is_multiple: bool,
}

/// Returns the questions of a request.
pub(super) fn questions(input: &Value) -> Vec<AskedQuestionView> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let questions = input["questions"].as_array().into_iter().flatten();
    let questions = questions.map(|question| {
        let options = question["options"].as_array().into_iter().flatten();
        let described = options.clone().map(|option| {
            let words = [&option["description"], &option["preview"]].map(text);
            (text(&option["label"]), words.join("\n").trim().to_owned())
        });
        AskedQuestionView {
            text: text(&question["question"]),
            details: described.filter(|(_, words)| !words.is_empty()).collect(),
            labels: options.map(|option| text(&option["label"])).collect(),
            is_multiple: question["multiSelect"].as_bool().unwrap_or(false),
        }
    });
    questions.collect()
}

/// Returns the answers to a request; to a question, those to the one at hand.
pub(super) fn choices(approval: &ApprovalRecord, question: usize) -> Vec<AskChoice> {
    match approval.kind {
        ApprovalKind::Tool => tool_choices(approval),
        ApprovalKind::Plan => plan_choices(),
        ApprovalKind::Question => question_choices(approval, question),
        ApprovalKind::Elicitation => vec![
            choice("fill in the form …", ChoiceAct::Type(TypedFor::Form)),
            choice("decline", give(PersonChoice::deny(""))),
        ],
    }
}

fn tool_choices(approval: &ApprovalRecord) -> Vec<AskChoice> {
    let mut choices = vec![choice("allow once", give(PersonChoice::allow()))];
    let suggested = approval.request.suggestions().iter().enumerate();
    choices.extend(suggested.map(|(index, suggestion)| {
        let taken = PersonChoice {
            suggestions: vec![index],
            ..PersonChoice::allow()
        };
        choice(
            format!("allow, and {}", suggestion_words(suggestion)),
            give(taken),
        )
    }));
    choices.push(choice("deny", give(PersonChoice::deny(""))));
    choices.push(choice(
        "deny, and say why …",
        ChoiceAct::Type(TypedFor::Refusal),
    ));
    choices
}

fn plan_choices() -> Vec<AskChoice> {
    let with = |mode| PersonChoice {
        mode: Some(mode),
        ..PersonChoice::allow()
    };
    vec![
        choice(
            "accept it, and ask before each edit",
            give(with(PermissionMode::Default)),
        ),
        choice(
            "accept it, and accept edits",
            give(with(PermissionMode::AcceptEdits)),
        ),
        choice(
            "go on planning, and say what to change …",
            ChoiceAct::Type(TypedFor::Refusal),
        ),
    ]
}

fn question_choices(approval: &ApprovalRecord, question: usize) -> Vec<AskChoice> {
    let asked = questions(&approval.request.input());
    let mut choices = Vec::new();
    if let Some(asked) = asked.get(question) {
        choices.extend(asked.labels.iter().map(|label| {
            let act = if asked.is_multiple {
                ChoiceAct::Toggle(label.clone())
            } else {
                ChoiceAct::Answer(label.clone())
            };
            choice(label.clone(), act)
        }));
        if asked.is_multiple {
            choices.push(choice("these", ChoiceAct::Done));
        }
    }
    choices.push(choice(
        "in my own words …",
        ChoiceAct::Type(TypedFor::Question),
    ));
    choices.push(choice("do not answer", give(PersonChoice::deny(""))));
    choices
}

/// Puts the answers to all questions together.
pub(super) fn answered(answers: Map<String, Value>) -> PersonChoice {
    PersonChoice {
        answers: Some(answers),
        ..PersonChoice::allow()
    }
}

fn choice(label: impl Into<String>, act: ChoiceAct) -> AskChoice {
    AskChoice {
        label: label.into(),
        act,
    }
}

fn give(choice: PersonChoice) -> ChoiceAct {
    ChoiceAct::Give(Box::new(choice))
}
