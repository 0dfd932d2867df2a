//! The possible answers to a request, in the order of the keys 1 to 9.

use serde_json::{Map, Value};
use unspool_drive::store::ApprovalRecord;
use unspool_drive::suggestion::suggestion_words;
use unspool_drive::{ApprovalKind, PermissionMode, PersonChoice};
use unspool_model::tool::UserQuestion;
use unspool_text::style::{Line, Role};

/// One possible answer.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct AskChoice {
    pub(super) label: String,
    pub(super) act: ChoiceAct,
}

/// The effect of choosing an answer.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum ChoiceAct {
    /// Gives the answer.
    Give(Box<PersonChoice>),
    /// Opens an input line first.
    Type(TypedFor),
    /// Answers the current question.
    Answer(String),
    /// Selects or deselects one of several answers to the current question.
    Toggle(String),
    /// Answers the current question with the selected answers.
    Done,
}

/// The purpose of an input line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TypedFor {
    /// The reason of a refusal.
    Refusal,
    /// The answer to the current question.
    Question,
    /// The fields of a form.
    Form,
}

/// Lists the options of a question with their descriptions.
pub(super) fn details(question: &UserQuestion<'_>) -> Vec<Line> {
    let described = question.options.iter().filter_map(|option| {
        let words = [&option.description, &option.preview];
        let words: Vec<&str> = words.into_iter().flatten().map(|words| &**words).collect();
        let words = words.join("\n").trim().to_owned();
        let mut line = Line::of(format!("{}  ", option.label), Role::Code);
        (!words.is_empty()).then(|| {
            line.add(words, Role::Muted);
            line
        })
    });
    described.collect()
}

/// Returns the possible answers to a request; for several questions, those to the current one.
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
        let taken = PersonChoice { suggestions: vec![index], ..PersonChoice::allow() };
        choice(format!("allow, and {}", suggestion_words(suggestion)), give(taken))
    }));
    choices.push(choice("deny", give(PersonChoice::deny(""))));
    choices.push(choice("deny, and say why …", ChoiceAct::Type(TypedFor::Refusal)));
    choices
}

fn plan_choices() -> Vec<AskChoice> {
    let with = |mode| PersonChoice { mode: Some(mode), ..PersonChoice::allow() };
    let accepted = PermissionMode::FOR_PLANS.map(|mode| {
        let words = format!("accept it, and {}", mode.words());
        choice(words, give(with(mode)))
    });
    let mut choices = Vec::from(accepted);
    choices.push(choice(
        "go on planning, and say what to change …",
        ChoiceAct::Type(TypedFor::Refusal),
    ));
    choices
}

fn question_choices(approval: &ApprovalRecord, question: usize) -> Vec<AskChoice> {
    let asked = approval.request.asked().questions();
    let mut choices = Vec::new();
    if let Some(asked) = asked.get(question) {
        choices.extend(asked.options.iter().map(|option| {
            let label = option.label.to_string();
            let act = if asked.multiple {
                ChoiceAct::Toggle(label.clone())
            } else {
                ChoiceAct::Answer(label.clone())
            };
            choice(label, act)
        }));
        if asked.multiple {
            choices.push(choice("these", ChoiceAct::Done));
        }
    }
    choices.push(choice("in my own words …", ChoiceAct::Type(TypedFor::Question)));
    choices.push(choice("do not answer", give(PersonChoice::deny(""))));
    choices
}

/// Builds the answer from the answers to all questions.
pub(super) fn answered(answers: Map<String, Value>) -> PersonChoice {
    PersonChoice { answers: Some(answers), ..PersonChoice::allow() }
}

fn choice(label: impl Into<String>, act: ChoiceAct) -> AskChoice {
    AskChoice { label: label.into(), act }
}

fn give(choice: PersonChoice) -> ChoiceAct {
    ChoiceAct::Give(Box::new(choice))
}
