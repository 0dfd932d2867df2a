//! The inbox and the projects as JSON.

use unspool_engine::library::ProjectsPage;
use unspool_engine::ops::inbox::{Inbox, InboxAsk, InboxItem};
use unspool_engine::ops::now::{AgentNow, AgentState, CallAsk, CallNow};
use unspool_engine::ops::projects::{ProjectActivity, ProjectRow};
use unspool_model::tool::{Choice, UserQuestion};

use super::rows::RowFields;
use super::{SCHEMA, all, time, wire};

wire! {
    /// The inbox: one object.
    pub struct InboxJson<'a> from(inbox: &'a Inbox) {
        schema: u32 = SCHEMA,
        since: Option<String> = time(inbox.since),
        needs_input: Vec<InboxItemJson<'a>> = all(&inbox.needs_input),
        working: Vec<InboxItemJson<'a>> = all(&inbox.working),
        idle: Vec<InboxItemJson<'a>> = all(&inbox.idle),
        done: Vec<InboxItemJson<'a>> = all(&inbox.done),
        done_left: usize = inbox.done_left,
    }

    /// A session of the inbox.
    pub struct InboxItemJson<'a> from(item: &'a InboxItem) {
        #[serde(flatten)]
        fields: RowFields<'a> = RowFields(&item.row),
        since: Option<String> = time(item.since),
        pid: Option<u32> = item.process.as_ref().map(|process| process.pid),
        waiting_for: Option<&'a str> =
            item.process.as_ref().and_then(|process| process.waiting_for.as_deref()),
        asks: Option<AskJson<'a>> = item.asks.as_ref().map(AskJson::from),
        doing: Option<CallNowJson<'a>> = item.doing().map(CallNowJson::from),
        turn_started: Option<String> = time(item.now.turn_started),
        agents_running: usize = item.now.agents_in(AgentState::Running),
        agents_done: usize = item.now.agents_in(AgentState::Done),
        agents_now: Vec<AgentNowJson<'a>> = all(&item.now.agents),
        context_tokens: Option<u64> = item.now.context_tokens,
        last_said: Option<&'a str> = item.now.last_said.as_deref(),
    }

    pub(super) struct AskJson<'a> from(ask: &'a InboxAsk) {
        kind: &'static str = ask.kind.name(),
        agent: Option<&'a str> = ask.agent.as_deref(),
        call: Option<CallNowJson<'a>> = ask.call.as_ref().map(CallNowJson::from),
        questions: Vec<QuestionJson<'a>> = match call_asks(ask) {
            Some(CallAsk::Questions(questions)) => all(questions),
            _ => Vec::new(),
        },
        plan: Option<&'a str> = match call_asks(ask) {
            Some(CallAsk::Plan(plan)) => plan.as_deref(),
            _ => None,
        },
    }

    struct QuestionJson<'a> from(asked: &'a UserQuestion<'static>) {
        question: &'a str = &asked.question,
        header: Option<&'a str> = asked.header.as_deref(),
        multiple: bool = asked.multiple,
        options: Vec<OptionJson<'a>> = all(&asked.options),
    }

    struct OptionJson<'a> from(option: &'a Choice<'static>) {
        label: &'a str = &option.label,
        description: Option<&'a str> = option.description.as_deref(),
    }

    struct CallNowJson<'a> from(call: &'a CallNow) {
        id: Option<&'a str> = call.id.as_deref(),
        name: &'a str = &call.tool,
        summary: &'a str = &call.summary,
        since: Option<String> = time(call.since),
    }

    struct AgentNowJson<'a> from(agent: &'a AgentNow) {
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

    /// A page of projects: one object.
    pub struct ProjectsJson<'a> from(page: &'a ProjectsPage) {
        schema: u32 = SCHEMA,
        projects: Vec<ProjectJson<'a>> = all(&page.projects),
        next: Option<String> = page.next.as_ref().map(ToString::to_string),
    }

    struct ProjectJson<'a> from(row: &'a ProjectRow) {
        id: &'a str = row.id.as_str(),
        home: String = row.home.display().to_string(),
        name: &'a str = &row.name,
        cwd: Option<&'a str> = row.cwd.as_deref(),
        sessions: usize = row.sessions,
        last_active: String = row.last_active.to_string(),
        live: bool = row.live,
        activity: ActivityJson<'a> = ActivityJson::from(&row.activity),
    }

    struct ActivityJson<'a> from(activity: &'a ProjectActivity) {
        from: String = activity.from.to_string(),
        days: &'a [u32] = &activity.days,
    }
}

/// Returns what a call asks a person.
fn call_asks(ask: &InboxAsk) -> Option<&CallAsk> {
    ask.call.as_ref().map(|call| &call.asks)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use unspool_engine::ops::inbox::AskKind;
    use unspool_engine::ops::now::SessionNow;
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
            asks: CallAsk::Questions(vec![UserQuestion {
                question: "Which one?".into(),
                header: None,
                options: vec![Choice {
                    label: "\u{202e}this".into(),
                    description: None,
                    preview: None,
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
