//! A driven session of the harbour, with pending requests and queued prompts.

use serde_json::{Value, json};
use unspool_drive::launch::{RunPlan, RunSession};
use unspool_drive::store::{ApprovalRecord, PromptRecord, RunRecord};
use unspool_drive::wire::AskedRequest;
use unspool_drive::{
    ApprovalId, ApprovalKind, ClientProgram, PermissionMode, PromptContent, PromptId, PromptState,
    RunId, RunLimits, RunState, RunView, SendWhen,
};
use unspool_engine::ops::inbox::LiveGroup;
use unspool_model::ids::SessionId;
use unspool_model::time::Time;
use unspool_store::home::HomeNaming;
use unspool_testkit::time::START;
use unspool_testkit::{TestHome, uuid};

use crate::picker::tests::{board, harbour_lab};
use crate::settings::StartScreen;
use crate::testing::lab::{LabSetup, screens};
use crate::work::live::LiveBoard;

/// The time of the harbour.
const NOW_MS: i64 = START + 30 * 86_400 * 1000;
/// The id of the run.
const RUN: &str = "11111111-1111-4111-8111-111111111111";

/// The driven session, which is the one about photos.
#[derive(Clone)]
pub(super) struct DrivenStage {
    pub(super) view: RunView,
}

impl DrivenStage {
    /// Creates a working run, without prompts and requests.
    pub(super) fn new() -> Self {
        Self { view: RunView { run: run_record(), prompts: Vec::new(), approvals: Vec::new() } }
    }

    /// Adds a pending request.
    pub(super) fn asks(mut self, kind: ApprovalKind, request: &Value) -> Self {
        let number = self.view.approvals.len();
        self.view.approvals.push(ApprovalRecord {
            id: ApprovalId::new(format!("approval-{number}")),
            run: run_id(),
            session: uuid("photos"),
            cwd: "/srv/lanterna".into(),
            request_id: number.to_string(),
            kind,
            request: AskedRequest::read(&request.to_string()),
            asked: Time::from_millis(NOW_MS - 125_000),
            deadline: Some(Time::from_millis(NOW_MS + 1_675_000)),
            resolution: None,
            decided: None,
            at: None,
        });
        self.view.run.state = RunState::Waiting(kind);
        self
    }

    /// Adds a request to run a command.
    pub(super) fn asks_command(self, command: &str) -> Self {
        let request = json!({
            "subtype": "can_use_tool",
            "tool_name": "Bash",
            "input": { "command": command, "description": "Make a mark" },
            "permission_suggestions": [{
                "type": "addRules",
                "behavior": "allow",
                "destination": "session",
                "rules": [{ "toolName": "Bash", "ruleContent": "touch:*" }],
            }],
        });
        self.asks(ApprovalKind::Tool, &request)
    }

    /// Adds a prompt.
    pub(super) fn with_prompt(mut self, text: &str, state: PromptState) -> Self {
        let number = self.view.prompts.len();
        let id = format!("22222222-2222-4222-8222-22222222222{number}");
        self.view.prompts.push(PromptRecord {
            id: PromptId::parse(&id).expect("a uuid"),
            run: run_id(),
            content: PromptContent::text(text),
            send: SendWhen::Idle,
            by: "terminal".to_owned(),
            state,
            was: None,
            put: Time::from_millis(NOW_MS),
            changed: Time::from_millis(NOW_MS),
        });
        self
    }

    pub(super) fn prompt(&self, number: usize) -> PromptId {
        self.view.prompts[number].id.clone()
    }

    /// Returns the board of the harbour with this run.
    pub(super) fn board(&self, home: &TestHome) -> LiveBoard {
        let mut board = board(home);
        let photos = SessionId::new(uuid("photos"));
        let card = board.cards.iter_mut().find(|it| it.item.row.id == photos);
        let card = card.expect("a card");
        card.run = Some(Box::new(self.view.clone()));
        if matches!(self.view.run.state, RunState::Waiting(_)) {
            card.group = LiveGroup::NeedsInput;
        }
        card.item.now.context_tokens = Some(121_000);
        card.item.row.models = vec!["claude-opus-4-5".to_owned()];
        board
    }

    /// Sets up the screen of running sessions, with the driven one selected.
    pub(super) fn lab<'h>(&self, home: &'h TestHome) -> LabSetup<'h> {
        live_lab(home).board(self.board(home))
    }
}

pub(super) fn run_id() -> RunId {
    RunId::parse(RUN).expect("a uuid")
}

fn run_record() -> RunRecord {
    RunRecord {
        id: run_id(),
        made: Time::from_millis(NOW_MS - 600_000),
        by: "cli".to_owned(),
        plan: RunPlan {
            client: ClientProgram::new("/bin/claude"),
            cwd: "/srv/lanterna".into(),
            home: "/h".into(),
            naming: HomeNaming::Named("/h".into()),
            session: RunSession::New { session: uuid("photos") },
            model: None,
            mode: PermissionMode::Default,
            may_bypass: false,
        },
        session: uuid("photos"),
        state: RunState::Running,
        limits: RunLimits::default(),
        idle_deadline: None,
        mode: Some("plan".to_owned()),
        model: Some("opus".to_owned()),
        held_by: None,
        held_for: None,
        broken_settings: Vec::new(),
        last_failure: None,
        budget: None,
        cost: None,
        host: None,
        client: None,
        end: None,
    }
}

/// Sets up the screen of running sessions.
pub(super) fn live_lab(home: &TestHome) -> LabSetup<'_> {
    harbour_lab(home).start(StartScreen::Live)
}

/// Paints a state in all sizes.
pub(super) fn seen<'h>(open: impl Fn() -> LabSetup<'h>, keys: &str) -> String {
    screens(|(columns, rows)| open().size(columns, rows).keys(keys))
}
