//! What a person can answer to a request, in the order of the keys 1 to 9.

use serde_json::{Map, Value};
use unspool_drive::store::ApprovalRecord;
use unspool_drive::suggestion::suggestion_words;
use unspool_drive::{ApprovalKind, PermissionMode, PersonChoice};
use unspool_model::tool::UserQuestion;
use unspool_text::style::{Line, Role};

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

/// Says what the answers to a question mean: each label with its description.
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

/// Puts the answers to all questions together.
pub(super) fn answered(answers: Map<String, Value>) -> PersonChoice {
    PersonChoice { answers: Some(answers), ..PersonChoice::allow() }
}

fn choice(label: impl Into<String>, act: ChoiceAct) -> AskChoice {
    AskChoice { label: label.into(), act }
}

fn give(choice: PersonChoice) -> ChoiceAct {
    ChoiceAct::Give(Box::new(choice))
}
