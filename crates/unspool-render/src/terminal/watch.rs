//! Events of sessions, one line for each.

use std::collections::{HashMap, HashSet};

use jiff::tz::TimeZone;
use unspool_model::conversation::CallStatus;
use unspool_model::entry::MessageKind;
use unspool_model::ids::{SessionId, short};
use unspool_model::words;
use unspool_text::style::{Line, Role};
use unspool_text::{human, sanitize};

use super::{ClockStyle, clock, tilde};
use unspool_engine::library::{
    FollowedAgent, FollowedCall, FollowedEvent, FollowedEventKind, FollowedMessage,
    FollowedSessionHead,
};
use unspool_engine::ops::inbox::{AskKind, InboxAsk};
use unspool_engine::ops::now::CallAsk;
use unspool_store::rows::last_part;

/// The most columns of a text that no terminal cuts: enough to know its topic.
const LONGEST: usize = 300;

/// The most columns of the name of a project.
const LONGEST_NAME: usize = 16;

/// Whether lines name their session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WatchLabels {
    /// They do not, since there is only one session.
    None,
    /// They do, since there are several sessions.
    Sessions,
}

/// Paints events, and remembers the names of sessions.
pub struct WatchPainter {
    zone: TimeZone,
    /// The width of the lines; `None` does not cut them.
    width: Option<usize>,
    user_home: Option<String>,
    labels: WatchLabels,
    names: HashMap<SessionId, String>,
}

impl WatchPainter {
    /// Creates a painter.
    pub fn new(
        labels: WatchLabels,
        width: Option<usize>,
        zone: TimeZone,
        user_home: Option<String>,
    ) -> Self {
        Self { zone, width, user_home, labels, names: HashMap::new() }
    }

    /// Paints consecutive events. A call that starts and ends among them is shown once, with its end.
    pub fn paint(&mut self, events: &[FollowedEvent]) -> Vec<Line> {
        let ended: HashSet<&str> = events.iter().filter_map(ended_call).collect();
        let mut lines = Vec::new();
        for event in events {
            if let FollowedEventKind::Session(head) = &event.what {
                self.name(event, head);
            }
            let is_over = |id: &str| ended.contains(id);
            if started_call(event).is_some_and(is_over) {
                continue;
            }
            if let Some(what) = self.what(event) {
                lines.push(self.line(event, what));
            }
        }
        lines
    }

    /// Remembers the name of a session on its lines: its folder, and the beginning of its id.
    fn name(&mut self, event: &FollowedEvent, head: &FollowedSessionHead) {
        let last = head.cwd.as_deref().map(last_part).filter(|last| !last.is_empty());
        let id = short(event.session.as_str());
        let name = match last {
            Some(last) => format!("{} {id}", sanitize::one_line(last, LONGEST_NAME)),
            None => id.to_owned(),
        };
        self.names.insert(event.session.clone(), name);
    }

    fn line(&self, event: &FollowedEvent, what: Line) -> Line {
        let time = event.time.map(|time| clock(time, &self.zone, ClockStyle::Seconds));
        let mut line = Line::of(format!("{:8} ", time.unwrap_or_default()), Role::Time);
        if self.labels == WatchLabels::Sessions {
            let name = self.names.get(&event.session).map_or("", String::as_str);
            line.add(format!("{name}  "), Role::Id);
        }
        if event.agent.is_some() {
            line.pad(2);
        }
        line.append(what);
        match self.width {
            Some(width) => line.truncated(width),
            None => line,
        }
    }

    fn what(&self, event: &FollowedEvent) -> Option<Line> {
        Some(match &event.what {
            FollowedEventKind::Session(head) => self.head(head),
            FollowedEventKind::Began { pid } => remark(&format!("runs, process {pid}")),
            FollowedEventKind::Ended => remark("the process has ended"),
            FollowedEventKind::Waiting(ask) => waiting(ask),
            FollowedEventKind::Working => remark("works"),
            FollowedEventKind::Idle => remark("idle"),
            FollowedEventKind::Said(message) => said(message, event.agent.is_some())?,
            FollowedEventKind::CallStarted(shown) => call("▸", Role::Muted, shown, None),
            FollowedEventKind::CallEnded { call: shown, status, duration_ms } => {
                ended(shown, *status, *duration_ms)
            }
            FollowedEventKind::AgentStarted(shown) => agent("▸", Role::Muted, shown, None),
            FollowedEventKind::AgentEnded(shown) => {
                let messages = human::plural(shown.messages, "message");
                agent("✔", Role::Success, shown, Some(&messages))
            }
            FollowedEventKind::Rewound => remark("rewound: it goes on from an earlier message"),
            FollowedEventKind::Rewritten { untold: 0 } => remark("the log was rewritten"),
            FollowedEventKind::Rewritten { untold } => {
                let untold = human::plural(*untold, "older message");
                remark(&format!("the log was rewritten; {untold} not shown"))
            }
            FollowedEventKind::Gone => remark("the log is gone"),
        })
    }

    fn head(&self, head: &FollowedSessionHead) -> Line {
        let title = head.title.as_deref().unwrap_or("a session without a prompt");
        let mut line = Line::of("· ", Role::Muted);
        line.add(sanitize::one_line(title, LONGEST), Role::Title);
        if let Some(cwd) = &head.cwd {
            let cwd = tilde(&sanitize::one_line(cwd, LONGEST), self.user_home.as_deref());
            line.add(format!("  {cwd}"), Role::Path);
        }
        let process = match head.pid {
            Some(pid) => format!("  process {pid}"),
            None => "  not running".to_owned(),
        };
        line.add(process, Role::Muted);
        line
    }
}

fn ended_call(event: &FollowedEvent) -> Option<&str> {
    match &event.what {
        FollowedEventKind::CallEnded { call, .. } => call.id.as_deref(),
        _ => None,
    }
}

fn started_call(event: &FollowedEvent) -> Option<&str> {
    match &event.what {
        FollowedEventKind::CallStarted(call) => call.id.as_deref(),
        _ => None,
    }
}

fn remark(words: &str) -> Line {
    Line::of(format!("· {words}"), Role::Muted)
}

/// Paints a message. Texts that the client injected are omitted, and all messages of agents.
fn said(message: &FollowedMessage, of_agent: bool) -> Option<Line> {
    if of_agent {
        return None;
    }
    let (mark, role) = match message.kind {
        MessageKind::Prompt | MessageKind::Queued | MessageKind::Reply | MessageKind::Command => {
            ("❯", Role::User)
        }
        MessageKind::Answer => ("●", Role::Assistant),
        MessageKind::Error => ("✗", Role::Failure),
        MessageKind::Interruption => return Some(Line::of("⊘ interrupted", Role::Warning)),
        MessageKind::Boundary => return Some(remark("the context was compacted")),
        MessageKind::Summary
        | MessageKind::Meta
        | MessageKind::Notice
        | MessageKind::AgentReport => return None,
    };
    let text = words::typed(&message.text);
    let mut line = Line::of(format!("{mark} "), role);
    line.add(sanitize::one_line(&text, LONGEST), role);
    Some(line)
}

fn ended(shown: &FollowedCall, status: CallStatus, duration_ms: Option<u64>) -> Line {
    let (mark, role, word) = match status {
        CallStatus::Done | CallStatus::Pending => ("✔", Role::Success, None),
        CallStatus::Failed => ("✗", Role::Failure, Some("failed")),
        CallStatus::Denied => ("✗", Role::Failure, Some("not allowed")),
        CallStatus::Interrupted => ("⊘", Role::Warning, Some("interrupted")),
    };
    let took = duration_ms.map(human::duration);
    let words: Vec<&str> = word.into_iter().chain(took.as_deref()).collect();
    call(mark, role, shown, Some(&words.join(", ")))
}

fn call(mark: &str, role: Role, shown: &FollowedCall, end: Option<&str>) -> Line {
    let mut line = Line::of(format!("{mark} "), role);
    line.add(sanitize::one_line(&shown.tool, LONGEST), Role::ToolName);
    let summary = sanitize::one_line(&shown.summary, LONGEST);
    if !summary.is_empty() {
        line.add("  ", Role::Plain).add(summary, Role::Tool);
    }
    if let Some(end) = end.filter(|end| !end.is_empty()) {
        line.add(format!("  {end}"), Role::Muted);
    }
    line
}

fn agent(mark: &str, role: Role, shown: &FollowedAgent, end: Option<&str>) -> Line {
    let kind = shown.kind.as_deref().unwrap_or("agent");
    let as_call = FollowedCall {
        id: None,
        tool: format!("agent {kind}"),
        summary: shown.description.clone().unwrap_or_default(),
    };
    call(mark, role, &as_call, end)
}

fn waiting(ask: &InboxAsk) -> Line {
    Line::of("◆ ", Role::Warning)
        .and(sanitize::one_line(&asking_words(ask), LONGEST), Role::Warning)
}

/// Describes what a session asks a person.
pub(super) fn asking_words(ask: &InboxAsk) -> String {
    let call = ask.call.as_ref();
    let question = call.and_then(|call| match &call.asks {
        CallAsk::Questions(questions) => questions.first(),
        _ => None,
    });
    match (ask.kind, question, call) {
        (AskKind::Question, Some(question), _) => format!("asks: {}", question.question),
        (AskKind::Question, None, _) => "asks a question".to_owned(),
        (AskKind::Plan, ..) => "asks whether its plan is good".to_owned(),
        (AskKind::Permission, _, Some(call)) => {
            format!("asks to run {}  {}", call.tool, call.summary)
        }
        (AskKind::Permission | AskKind::Input, ..) => "waits for a person".to_owned(),
    }
}
