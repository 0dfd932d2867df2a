//! Decides how a call is presented.
//!
//! The input of a tool is shown if the one line about the call does not contain all of it. The
//! result is shown unless it is visible elsewhere: a file that was read and the answer of an agent
//! are hidden, and an edit is shown as its change.

use std::borrow::Cow;

use unspool_model::conversation::CallStatus;
use unspool_model::tool::{self, AgentStatus, AnswerAuthor, Tool, ToolOutcome};
use unspool_text::diff::Diff;

use super::folder::StartFolder;
use super::{
    AskedQuestion, CallDetail, CallSide, DetailBody, DisplayWeight, ShownCall, TodoItem, WebLink,
    words,
};
use unspool_engine::ops::changes::{edit_of, patch_diff};
use unspool_engine::ops::message::{CallText, ResultText};

/// Calls that take at least this long show their duration.
const SLOW_MS: u64 = 1000;
/// Shown instead of an answer in the user's own words, which is a message of its own.
const OWN_WORDS: &str = "own words, below";

impl ShownCall {
    /// Decides how a call is presented; `folder` shortens its paths.
    pub fn of(call: CallText, folder: &StartFolder) -> Self {
        let CallText { id, name, input, status, mut result, agent, duration_ms } = call;
        let raw = result.as_mut().and_then(|result| result.outcome.take());
        let mut tool = tool::parse(&name, input.as_bytes());
        if let Some(path) = tool.path_mut() {
            *path = Cow::Owned(folder.shorten(path).to_owned());
        }
        let outcome = raw.as_deref().map(|raw| tool::outcome(&name, raw));
        let shown = ShownDetails {
            tool: &tool,
            outcome: outcome.as_ref(),
            status,
            starts_agent: agent.is_some(),
            folder,
        };
        let summary = summary(&tool, folder);
        let note = match &result {
            Some(result) if result.deleted => Some("deleted".to_owned()),
            _ => outcome.as_ref().and_then(ToolOutcome::note),
        };
        Self {
            name: display_name(&name, &tool),
            status,
            // A new status of a task is part of the summary already.
            note: note.filter(|note| !summary.ends_with(note.as_str())),
            summary,
            duration_ms: duration_ms.filter(|&ms| ms >= SLOW_MS),
            details: shown.details(&input, result),
            agent,
            id,
        }
    }
}

fn display_name(name: &str, tool: &Tool<'_>) -> String {
    match tool {
        Tool::Mcp { server, tool, .. } => format!("{server}:{tool}"),
        _ if name.is_empty() => "unnamed tool".to_owned(),
        _ => name.to_owned(),
    }
}

/// Returns one line about the input.
fn summary(tool: &Tool<'_>, folder: &StartFolder) -> String {
    let summary = tool.summary();
    match tool {
        Tool::Bash { .. } => folder.without_cd(&summary).to_owned(),
        _ => summary,
    }
}

/// A call whose details are being built.
struct ShownDetails<'c> {
    tool: &'c Tool<'c>,
    outcome: Option<&'c ToolOutcome<'c>>,
    status: CallStatus,
    starts_agent: bool,
    folder: &'c StartFolder,
}

/// Whether the details cover the text of the result already.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ResultCoverage {
    Told,
    Untold,
}

impl ShownDetails<'_> {
    fn details(&self, input: &str, result: Option<ResultText>) -> Vec<CallDetail> {
        let mut details = Vec::new();
        details.extend(self.given(input).map(|body| asked(DisplayWeight::Hidden, body)));
        let text = self.changes(&mut details);
        let Some(result) = result.filter(|_| text == ResultCoverage::Untold) else {
            return details;
        };
        details.extend(result.media.into_iter().map(|media| CallDetail {
            side: CallSide::Answered,
            weight: DisplayWeight::Open,
            body: DetailBody::Media(media),
        }));
        // The words of a refusal are a message of their own.
        let told = result.replied && self.status == CallStatus::Denied;
        if !told && !result.text.trim_end().is_empty() {
            let known = matches!(self.tool, Tool::Read { .. }) || self.starts_agent;
            details.push(CallDetail {
                side: CallSide::Answered,
                weight: if known && self.is_done() {
                    DisplayWeight::Hidden
                } else {
                    DisplayWeight::Folded
                },
                body: self.came_back(result.text, result.is_error),
            });
        }
        details
    }

    /// Presents the text of a result: an agent's answer as Markdown, anything else as output.
    fn came_back(&self, text: String, is_error: bool) -> DetailBody {
        let answers = matches!(self.outcome, Some(ToolOutcome::Agent(run)) if run.status == AgentStatus::Completed);
        if answers && !is_error {
            return DetailBody::Prose(words::in_words(words::agent_answer(&text)));
        }
        let text = match self.tool {
            Tool::TaskOutput { .. } => words::running(text),
            _ => words::in_words(text),
        };
        DetailBody::Output { text, is_error }
    }

    fn is_done(&self) -> bool {
        self.status == CallStatus::Done
    }

    /// Returns the input of a tool whose summary may not contain all of it.
    fn given(&self, input: &str) -> Option<DetailBody> {
        let code = |language: &str, text: &str| DetailBody::Code {
            language: language.to_owned(),
            text: text.to_owned(),
        };
        Some(match self.tool {
            Tool::Bash { command, .. } => code("bash", command),
            Tool::Agent { prompt, .. } if !prompt.is_empty() => code("markdown", prompt),
            Tool::TaskCreate { description: Some(text), .. }
            | Tool::WebFetch { prompt: Some(text), .. }
            | Tool::SendMessage { message: Some(text), .. } => code("markdown", text),
            Tool::Monitor { command: Some(text), .. } => code("bash", text),
            Tool::Workflow { script: Some(text), .. } => code("javascript", text),
            Tool::Mcp { .. } | Tool::Other(_) if !is_empty_object(input) => code("json", input),
            _ => return None,
        })
    }

    /// Adds changes, lists, plans and questions; returns whether they cover the text of the result.
    fn changes(&self, details: &mut Vec<CallDetail>) -> ResultCoverage {
        match (self.tool, self.outcome) {
            (Tool::TodoWrite { todos }, _) => {
                let todos = todos
                    .iter()
                    .map(|todo| TodoItem { status: todo.status, text: todo.content.to_string() });
                details.push(asked(DisplayWeight::Open, DetailBody::Todos(todos.collect())));
                return ResultCoverage::Told;
            }
            (Tool::ExitPlanMode { plan: Some(plan) }, _) => {
                details.push(asked(DisplayWeight::Open, DetailBody::Prose(plan.to_string())));
            }
            (Tool::AskUserQuestion { questions }, outcome) => {
                let (questions, all_answered) = answered(questions, outcome);
                details.push(asked(DisplayWeight::Open, DetailBody::Questions(questions)));
                if all_answered && self.is_done() {
                    return ResultCoverage::Told;
                }
            }
            (_, Some(ToolOutcome::WebSearch(hits))) if !hits.is_empty() => {
                let links = hits
                    .iter()
                    .map(|hit| WebLink { title: hit.title.to_string(), url: hit.url.to_string() });
                details.push(CallDetail {
                    side: CallSide::Answered,
                    weight: DisplayWeight::Hidden,
                    body: DetailBody::Links(links.collect()),
                });
            }
            (_, Some(ToolOutcome::Shell(shell))) => {
                let changes = shell.patches.iter().map(|patch| CallDetail {
                    side: CallSide::Answered,
                    weight: DisplayWeight::Hidden,
                    body: change(self.folder.shorten(&patch.path).to_owned(), patch_diff(patch)),
                });
                details.extend(changes);
            }
            _ => {}
        }
        self.edit(details)
    }

    /// Adds the change that an edit made, or would have made.
    fn edit(&self, details: &mut Vec<CallDetail>) -> ResultCoverage {
        let Some((path, diff)) = edit_of(self.tool, self.outcome) else {
            return ResultCoverage::Untold;
        };
        let body = change(self.folder.shorten(&path).to_owned(), diff);
        if self.is_done() {
            details.push(CallDetail {
                side: CallSide::Answered,
                weight: DisplayWeight::Folded,
                body,
            });
            ResultCoverage::Told
        } else {
            details.push(asked(DisplayWeight::Hidden, body));
            ResultCoverage::Untold
        }
    }
}

fn asked(weight: DisplayWeight, body: DetailBody) -> CallDetail {
    CallDetail { side: CallSide::Asked, weight, body }
}

fn change(path: String, diff: Diff) -> DetailBody {
    DetailBody::Change { path, diff }
}

fn is_empty_object(input: &str) -> bool {
    matches!(input.trim(), "" | "{}" | "null")
}

/// Pairs questions with their answers; returns whether all of them have one.
fn answered(
    questions: &[tool::UserQuestion<'_>],
    outcome: Option<&ToolOutcome<'_>>,
) -> (Vec<AskedQuestion>, bool) {
    let answers = match outcome {
        Some(ToolOutcome::Question(answers)) => answers.as_slice(),
        _ => &[],
    };
    let answer = |question: &str| {
        let mut known = answers.iter();
        let given = known.find(|given| given.question == question)?;
        Some(match given.wording {
            AnswerAuthor::Offered => given.answer.to_string(),
            AnswerAuthor::Free => OWN_WORDS.to_owned(),
        })
    };
    let questions: Vec<AskedQuestion> = questions
        .iter()
        .map(|question| AskedQuestion {
            question: question.question.to_string(),
            choices: question
                .options
                .iter()
                .map(|choice| {
                    let meaning = choice.description.as_deref().map(str::to_owned);
                    (choice.label.to_string(), meaning)
                })
                .collect(),
            answer: answer(&question.question),
        })
        .collect();
    let all = questions.iter().all(|asked| asked.answer.is_some());
    (questions, all)
}
