//! The inbox and the projects as scripts see them.

use serde::Serialize;
use unspool_engine::library::ProjectsPage;
use unspool_engine::ops::inbox::{Inbox, InboxAsk, InboxItem};
use unspool_engine::ops::now::{AgentNow, AgentState, CallAsk, CallNow, OpenQuestion};
use unspool_engine::ops::projects::ProjectRow;

use super::rows::RowFields;
use super::{SCHEMA, time, wire};

/// The inbox as scripts see it: one object.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InboxJson<'a> {
    schema: u32,
    since: Option<String>,
    needs_input: Vec<InboxItemJson<'a>>,
    working: Vec<InboxItemJson<'a>>,
    idle: Vec<InboxItemJson<'a>>,
    done: Vec<InboxItemJson<'a>>,
    done_left: usize,
}

impl<'a> From<&'a Inbox> for InboxJson<'a> {
    fn from(inbox: &'a Inbox) -> Self {
        let part = |items: &'a [InboxItem]| items.iter().map(InboxItemJson::from).collect();
        Self {
            schema: SCHEMA,
            since: time(inbox.since),
            needs_input: part(&inbox.needs_input),
            working: part(&inbox.working),
            idle: part(&inbox.idle),
            done: part(&inbox.done),
            done_left: inbox.done_left,
        }
    }
}

/// A session of the inbox.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InboxItemJson<'a> {
    #[serde(flatten)]
    fields: RowFields<'a>,
    since: Option<String>,
    pid: Option<u32>,
    waiting_for: Option<&'a str>,
    asks: Option<AskJson<'a>>,
    doing: Option<CallNowJson<'a>>,
    turn_started: Option<String>,
    agents_running: usize,
    agents_done: usize,
    agents_now: Vec<AgentNowJson<'a>>,
    context_tokens: Option<u64>,
    last_said: Option<&'a str>,
}

impl<'a> From<&'a InboxItem> for InboxItemJson<'a> {
    fn from(item: &'a InboxItem) -> Self {
        let process = item.process.as_ref();
        Self {
            fields: RowFields(&item.row),
            since: time(item.since),
            pid: process.map(|process| process.pid),
            waiting_for: process.and_then(|process| process.waiting_for.as_deref()),
            asks: item.asks.as_ref().map(AskJson::from),
            doing: item.doing().map(CallNowJson::from),
            turn_started: time(item.now.turn_started),
            agents_running: item.now.agents_in(AgentState::Running),
            agents_done: item.now.agents_in(AgentState::Done),
            agents_now: item.now.agents.iter().map(AgentNowJson::from).collect(),
            context_tokens: item.now.context_tokens,
            last_said: item.now.last_said.as_deref(),
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct AskJson<'a> {
    kind: &'static str,
    agent: Option<&'a str>,
    call: Option<CallNowJson<'a>>,
    questions: Vec<QuestionJson<'a>>,
    plan: Option<&'a str>,
}

impl<'a> From<&'a InboxAsk> for AskJson<'a> {
    fn from(ask: &'a InboxAsk) -> Self {
        let asks = ask.call.as_ref().map(|call| &call.asks);
        let (questions, plan) = match asks {
            Some(CallAsk::Questions(questions)) => (questions.as_slice(), None),
            Some(CallAsk::Plan(plan)) => (&[][..], plan.as_deref()),
            Some(CallAsk::Nothing) | None => (&[][..], None),
        };
        Self {
            kind: ask.kind.name(),
            agent: ask.agent.as_deref(),
            call: ask.call.as_ref().map(CallNowJson::from),
            questions: questions.iter().map(QuestionJson::from).collect(),
            plan,
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct QuestionJson<'a> {
    question: &'a str,
    header: Option<&'a str>,
    multiple: bool,
    options: Vec<OptionJson<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OptionJson<'a> {
    label: &'a str,
    description: Option<&'a str>,
}

impl<'a> From<&'a OpenQuestion> for QuestionJson<'a> {
    fn from(asked: &'a OpenQuestion) -> Self {
        let options = asked.options.iter().map(|option| OptionJson {
            label: &option.label,
            description: option.description.as_deref(),
        });
        Self {
            question: &asked.question,
            header: asked.header.as_deref(),
            multiple: asked.multiple,
            options: options.collect(),
        }
    }
}

wire! {
    struct CallNowJson<'a> from call: &'a CallNow {
        id: Option<&'a str> = call.id.as_deref(),
        name: &'a str = &call.tool,
        summary: &'a str = &call.summary,
        since: Option<String> = time(call.since),
    }

    struct AgentNowJson<'a> from agent: &'a AgentNow {
        id: &'a str = &agent.id,
        #[serde(rename = "type")]
        kind: Option<&'a str> = agent.kind.as_deref(),
        description: Option<&'a str> = agent.description.as_deref(),
        state: &'static str = agent.state.name(),
        since: Option<String> = time(agent.since),
        last_active: Option<String> = time(agent.last_active),
        message_count: usize = agent.messages,
        doing: Option<CallNowJson<'a>> = agent.call.as_ref().map(CallNowJson::from),
    }

    /// A page of projects as scripts see it: one object.
    pub struct ProjectsJson<'a> from page: &'a ProjectsPage {
        schema: u32 = SCHEMA,
        projects: Vec<ProjectJson<'a>> = page.projects.iter().map(ProjectJson::from).collect(),
        next: Option<String> = page.next.as_ref().map(ToString::to_string),
    }

    struct ProjectJson<'a> from row: &'a ProjectRow {
        id: &'a str = row.id.as_str(),
        home: String = row.home.display().to_string(),
        name: &'a str = &row.name,
        cwd: Option<&'a str> = row.cwd.as_deref(),
        sessions: usize = row.sessions,
        last_active: String = row.last_active.to_string(),
        live: bool = row.live,
        activity: ActivityJson<'a> = ActivityJson {
            from: row.activity.from.to_string(),
            days: &row.activity.days,
        },
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ActivityJson<'a> {
    from: String,
    days: &'a [u32],
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use unspool_engine::ops::inbox::AskKind;
    use unspool_engine::ops::now::{OfferedAnswer, SessionNow};
    use unspool_store::testing::{row, time as instant};

    use super::*;

    fn written(inbox: &Inbox) -> Value {
        let mut text = Vec::new();
        super::super::write(&InboxJson::from(inbox), &mut text).expect("written");
        serde_json::from_slice(&text).expect("JSON")
    }

    #[test]
    fn an_item_has_the_fields_of_a_list_and_what_it_asks() {
        let call = CallNow {
            id: Some("t1".to_owned()),
            tool: "AskUserQuestion".to_owned(),
            summary: "Which one?".to_owned(),
            since: Some(instant("2026-11-01T10:30:00Z")),
            asks: CallAsk::Questions(vec![OpenQuestion {
                question: "Which one?".to_owned(),
                header: None,
                options: vec![OfferedAnswer {
                    label: "\u{202e}this".to_owned(),
                    description: None,
                }],
                multiple: false,
            }]),
        };
        let item = InboxItem {
            row: row("s", "/srv/demo"),
            process: None,
            since: Some(instant("2026-11-01T10:30:00Z")),
            asks: Some(InboxAsk { kind: AskKind::Question, call: Some(call.clone()), agent: None }),
            now: SessionNow {
                calls: vec![call],
                context_tokens: Some(1200),
                ..SessionNow::default()
            },
        };
        let inbox = Inbox {
            needs_input: vec![item],
            done: vec![InboxItem::done(row("d", "/srv/demo"), None)],
            done_left: 3,
            ..Inbox::default()
        };
        let json = written(&inbox);
        assert_eq!(json["schema"], 1);
        assert_eq!(json["done_left"], 3);
        let item = &json["needs_input"][0];
        assert_eq!(item["id"], "s");
        assert_eq!(item["title"], "about s");
        let asks = json!({
            "kind": "question",
            "agent": null,
            "call": {
                "id": "t1",
                "name": "AskUserQuestion",
                "summary": "Which one?",
                "since": "2026-11-01T10:30:00.000Z",
            },
            "questions": [{
                "question": "Which one?",
                "header": null,
                "multiple": false,
                "options": [{"label": "\u{202e}this", "description": null}],
            }],
            "plan": null,
        });
        assert_eq!(item["asks"], asks);
        assert_eq!(item["doing"], asks["call"]);
        assert_eq!(item["context_tokens"], 1200);
        let done = &json["done"][0];
        assert_eq!(done["since"], "2026-11-01T11:00:00.000Z");
        for unknown in ["pid", "waiting_for", "asks", "doing", "context_tokens", "last_said"] {
            assert!(done.get(unknown).is_some_and(Value::is_null), "{unknown}");
        }
    }
}
