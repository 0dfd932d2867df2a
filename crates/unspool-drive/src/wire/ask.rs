//! Requests of the client to a person, and the answers.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use unspool_model::tool::AskedInput;

use crate::form::{FormFault, fill_form};
use crate::state::{ApprovalKind, Decision, PermissionMode};

/// A request of the client.
#[derive(Clone, PartialEq, Debug)]
pub struct AskedRequest {
    /// The request as the client wrote it.
    pub raw: String,
    /// The type of request: `can_use_tool`, `elicitation` …
    pub subtype: String,
    /// The decoded request; null if it cannot be decoded. Such a request can still be denied.
    fields: Value,
}

/// The answer of a person.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PersonChoice {
    /// The decision.
    pub decision: Decision,
    /// A message for the model if the decision is to deny.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Positions of the client's suggestions to accept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<usize>,
    /// A changed input of the call, or the values of a form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// Answers by the texts of the questions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Map<String, Value>>,
    /// The permission mode after a plan is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<PermissionMode>,
}

impl PersonChoice {
    /// Allows the request.
    pub fn allow() -> Self {
        Self {
            decision: Decision::Allow,
            message: None,
            suggestions: Vec::new(),
            input: None,
            answers: None,
            mode: None,
        }
    }

    /// Denies the request with a message for the model.
    pub fn deny(message: impl Into<String>) -> Self {
        Self { decision: Decision::Deny, message: Some(message.into()), ..Self::allow() }
    }
}

/// Errors of an answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AnswerError {
    /// The answer accepts a suggestion that the client did not make.
    #[error("the answer takes a suggestion that the client did not make; it made {count}")]
    Suggestion {
        /// The number of suggestions.
        count: usize,
    },
    /// The answer would let the client skip permissions, which is not allowed in this run.
    #[error(
        "the mode `bypassPermissions` is refused: the client takes it only if the run was started in it"
    )]
    Bypass,
    /// Questions have no answer.
    #[error("not answered: {0}")]
    Unanswered(String),
    /// An answer does not belong to a question.
    #[error("`{0}` is not one of the questions")]
    NotAsked(String),
    /// A field does not belong to this kind of request.
    #[error("`{0}` does not belong to an answer of this kind")]
    Field(&'static str),
    /// The values of the form are not valid.
    #[error(transparent)]
    Form(#[from] FormFault),
}

/// The tool that asks a person questions.
pub(crate) const ASKING_TOOL: &str = "AskUserQuestion";
/// The message for the model if the person gives none.
const REFUSED: &str =
    "The user does not want this call to be made. Stop and wait for what the user says.";
/// The message for the model after the waiting deadline.
const NO_PERSON: &str = "No person was there to answer in time. Do not try this again and do not work around it: \
    stop here, and sum up what is done and what is left to do.";

impl AskedRequest {
    /// Parses the `request` of a `control_request`.
    pub fn read(raw: &str) -> Self {
        #[derive(Deserialize)]
        struct Subtype<'a> {
            #[serde(borrow, default)]
            subtype: Option<&'a RawValue>,
        }
        let head: Option<Subtype<'_>> = serde_json::from_str(raw).ok();
        let subtype = super::text(head.and_then(|head| head.subtype));
        Self {
            raw: raw.to_owned(),
            subtype: subtype.unwrap_or_default(),
            fields: serde_json::from_str(raw).unwrap_or(Value::Null),
        }
    }

    fn field(&self, name: &str) -> Option<&str> {
        self.fields.get(name)?.as_str()
    }

    /// Returns the kind of request; `None` if it is not for a person.
    pub fn kind(&self) -> Option<ApprovalKind> {
        match (self.subtype.as_str(), self.field("tool_name")) {
            ("elicitation", _) => Some(ApprovalKind::Elicitation),
            ("can_use_tool", Some(ASKING_TOOL)) => Some(ApprovalKind::Question),
            ("can_use_tool", Some("ExitPlanMode")) => Some(ApprovalKind::Plan),
            ("can_use_tool", _) => Some(ApprovalKind::Tool),
            _ => None,
        }
    }

    /// Returns the tool, or the MCP server that sends the form.
    pub fn tool(&self) -> Option<&str> {
        self.field("tool_name").or_else(|| self.field("mcp_server_name"))
    }

    /// Returns the id of the call.
    pub fn call(&self) -> Option<&str> {
        self.field("tool_use_id")
    }

    /// Returns the agent that makes the request; `None` for the main conversation.
    pub fn agent(&self) -> Option<&str> {
        self.field("agent_id")
    }

    /// Returns the input of the call, or the form as the client sends it: its schema with the order of the
    /// fields (`property_order`), or the page to open (`url`).
    pub fn input(&self) -> Value {
        let field = |name: &str| self.fields.get(name).cloned();
        if self.kind() != Some(ApprovalKind::Elicitation) {
            return field("input").unwrap_or(Value::Null);
        }
        let mut form = field("requested_schema").unwrap_or_else(|| json!({}));
        if let Some(parts) = form.as_object_mut() {
            for name in ["property_order", "url"] {
                let found = field(name).filter(|value| !value.is_null());
                parts.extend(found.map(|value| (name.to_owned(), value)));
            }
        }
        form
    }

    /// Returns the typed input of the call, or the fields of a form's schema.
    pub fn asked(&self) -> AskedInput {
        let kind = self.kind().unwrap_or(ApprovalKind::Tool);
        asked_input(kind, self.tool(), &self.input())
    }

    /// Returns the path that is the reason for asking.
    pub fn blocked_path(&self) -> Option<&str> {
        self.field("blocked_path")
    }

    /// Returns the description of the call, or else the message or title of the request.
    pub fn description(&self) -> Option<&str> {
        let of_input = || self.fields.get("input")?.get("description")?.as_str();
        self.field("description")
            .or_else(of_input)
            .or_else(|| self.field("message"))
            .or_else(|| self.field("title"))
    }

    /// Returns the client's reason for asking.
    pub fn reason(&self) -> Option<&str> {
        self.field("decision_reason")
    }

    /// Returns the permission rules that the client suggests to add.
    pub fn suggestions(&self) -> &[Value] {
        let found = self.fields.get("permission_suggestions");
        found.and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Builds the answer for the client from the choice of a person. `may_bypass` allows the mode that skips
    /// permissions.
    pub fn answer(&self, choice: &PersonChoice, may_bypass: bool) -> Result<Value, AnswerError> {
        let kind = self.kind().unwrap_or(ApprovalKind::Tool);
        if kind != ApprovalKind::Question && choice.answers.is_some() {
            return Err(AnswerError::Field("answers"));
        }
        if kind != ApprovalKind::Plan && choice.mode.is_some() {
            return Err(AnswerError::Field("permission_mode"));
        }
        if kind == ApprovalKind::Question && choice.decision == Decision::Allow {
            self.check_answers(choice)?;
        }
        match (kind, choice.decision) {
            (ApprovalKind::Elicitation, Decision::Allow) => {
                let content = self.filled(choice.input.as_ref())?;
                Ok(json!({ "action": "accept", "content": content }))
            }
            (ApprovalKind::Elicitation, Decision::Deny) => Ok(json!({ "action": "decline" })),
            (_, Decision::Deny) => {
                let message = choice.message.as_deref().map(str::trim);
                let message = message.filter(|message| !message.is_empty());
                Ok(json!({ "behavior": "deny", "message": message.unwrap_or(REFUSED) }))
            }
            (_, Decision::Allow) => self.allow(choice, may_bypass),
        }
    }

    /// Checks that each question has an answer, and that each answer belongs to a question.
    fn check_answers(&self, choice: &PersonChoice) -> Result<(), AnswerError> {
        let in_input = choice.input.as_ref().and_then(|input| input.get("answers"));
        let given = choice.answers.as_ref();
        let given = given.or_else(|| in_input.and_then(Value::as_object));
        let asked = self.asked().questions();
        let texts: Vec<&str> = asked.iter().map(|question| &*question.question).collect();
        let answer = |question: &str| given?.get(question)?.as_str();
        let is_left = |question: &&&str| answer(question).is_none_or(|text| text.trim().is_empty());
        let left: Vec<&str> = texts.iter().filter(is_left).copied().collect();
        if !left.is_empty() {
            return Err(AnswerError::Unanswered(left.join("; ")));
        }
        let mut names = given.into_iter().flat_map(Map::keys);
        let stray = names.find(|name| !texts.contains(&name.as_str()));
        stray.map_or(Ok(()), |name| Err(AnswerError::NotAsked(name.clone())))
    }

    /// Returns the given values of a form with its defaults.
    fn filled(&self, given: Option<&Value>) -> Result<Value, AnswerError> {
        let nothing = Map::new();
        let given = match given {
            None => &nothing,
            Some(Value::Object(given)) => given,
            Some(_) => return Err(AnswerError::Field("input")),
        };
        Ok(fill_form(&self.input(), given)?.into())
    }

    fn allow(&self, choice: &PersonChoice, may_bypass: bool) -> Result<Value, AnswerError> {
        let mut answer = Map::new();
        answer.insert("behavior".to_owned(), json!("allow"));
        if let Some(input) = self.new_input(choice) {
            answer.insert("updatedInput".to_owned(), input);
        }
        let permissions = self.permissions(choice, may_bypass)?;
        if !permissions.is_empty() {
            answer.insert("updatedPermissions".to_owned(), permissions.into());
        }
        Ok(answer.into())
    }

    fn new_input(&self, choice: &PersonChoice) -> Option<Value> {
        let Some(answers) = &choice.answers else {
            return choice.input.clone();
        };
        let input = choice.input.clone().unwrap_or_else(|| self.input());
        let mut input = match input {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        input.insert("answers".to_owned(), answers.clone().into());
        Some(input.into())
    }

    fn permissions(
        &self,
        choice: &PersonChoice,
        may_bypass: bool,
    ) -> Result<Vec<Value>, AnswerError> {
        let all = self.suggestions();
        let mut taken = Vec::new();
        for &index in &choice.suggestions {
            let suggestion = all.get(index);
            let suggestion = suggestion.ok_or(AnswerError::Suggestion { count: all.len() })?;
            taken.push(suggestion.clone());
        }
        if let Some(mode) = choice.mode {
            let mode = mode.name();
            taken.push(json!({ "type": "setMode", "mode": mode, "destination": "session" }));
        }
        let bypass = PermissionMode::BypassPermissions.name();
        let bypasses = |taken: &Value| taken.get("mode").is_some_and(|mode| mode == bypass);
        if !may_bypass && taken.iter().any(bypasses) {
            return Err(AnswerError::Bypass);
        }
        Ok(taken)
    }
}

/// Parses the input of a call. A form is a list of fields; its tool is ignored.
pub(crate) fn asked_input(kind: ApprovalKind, tool: Option<&str>, input: &Value) -> AskedInput {
    let tool = tool.filter(|_| kind != ApprovalKind::Elicitation);
    AskedInput::read(tool.unwrap_or_default(), input.to_string().as_bytes())
}

/// Returns the answer to a request after the waiting deadline: calls and plans are denied with a message for
/// the model, and questions count as not answered.
pub fn unanswered(request: &AskedRequest) -> (Decision, Value) {
    match request.kind() {
        Some(ApprovalKind::Question) => (Decision::Allow, json!({ "behavior": "allow" })),
        Some(ApprovalKind::Elicitation) => (Decision::Deny, json!({ "action": "cancel" })),
        _ => {
            let answer = json!({ "behavior": "deny", "message": NO_PERSON });
            (Decision::Deny, answer)
        }
    }
}
