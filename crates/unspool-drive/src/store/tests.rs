//! Tests of writing and reading the store.

use std::path::{Path, PathBuf};

use serde_json::json;
use unspool_model::time::Time;
use unspool_store::home::HomeNaming;

use super::*;
use crate::ids::{ApprovalId, PromptId, RunId, random_uuid};
use crate::launch::{ClientProgram, RunPlan, RunSession};
use crate::money::UsdAmount;
use crate::state::FailureCause;
use crate::state::{
    ApprovalKind, Decision, PermissionMode, PromptState, Resolution, RunEnd, RunLimits, RunState,
    SendWhen,
};
use crate::wire::{AskedRequest, PersonChoice, PromptContent};

fn at(millis: i64) -> Time {
    Time::from_millis(millis)
}

struct StoreFixture {
    folder: tempfile::TempDir,
    store: DriveStore,
    run: RunId,
}

impl StoreFixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let store = DriveStore::open(&folder.path().join("drive")).expect("a store");
        let run = RunId::random();
        let new = NewRun {
            id: run.clone(),
            plan: RunPlan {
                client: ClientProgram::new("/bin/claude"),
                cwd: "/w".into(),
                home: "/h".into(),
                naming: HomeNaming::Named("/h".into()),
                session: RunSession::New { session: random_uuid() },
                model: Some("opus".to_owned()),
                mode: PermissionMode::Plan,
                may_bypass: false,
            },
            limits: RunLimits::default(),
            budget: UsdAmount::parse("2.5"),
            cost: None,
            by: "cli".to_owned(),
            at: at(1),
        };
        store.write(&[StoreChange::NewRun(Box::new(new))]).expect("a run");
        Self { folder, store, run }
    }

    fn put(&self, text: &str) -> PromptId {
        let id = PromptId::random();
        let prompt = PutPrompt {
            id: id.clone(),
            run: self.run.clone(),
            content: PromptContent::text(text),
            send: SendWhen::Idle,
            by: "tab".to_owned(),
            at: at(2),
        };
        self.write(&[StoreChange::Put(Box::new(prompt))]);
        id
    }

    fn ask(&self, request_id: &str) -> ApprovalId {
        let id = ApprovalId::of(&self.run, request_id);
        let request = json!({ "subtype": "can_use_tool", "tool_name": "Bash" });
        let asked = ApprovalRecord {
            id: id.clone(),
            run: self.run.clone(),
            session: "s".to_owned(),
            cwd: PathBuf::new(),
            request_id: request_id.to_owned(),
            kind: ApprovalKind::Tool,
            request: AskedRequest::read(&request.to_string()),
            asked: at(3),
            deadline: Some(at(9)),
            resolution: None,
            decided: None,
            at: None,
        };
        self.write(&[StoreChange::Asked(Box::new(asked))]);
        id
    }

    fn write(&self, changes: &[StoreChange]) {
        self.store.write(changes).expect("changes that are made");
    }

    fn run(&self) -> RunRecord {
        self.store.run(&self.run).expect("an answer").expect("a run")
    }

    fn prompt(&self, id: &PromptId) -> PromptRecord {
        self.store.prompt(id).expect("an answer").expect("a prompt")
    }

    fn approval(&self, id: &ApprovalId) -> ApprovalRecord {
        self.store.approval(id).expect("an answer").expect("an approval")
    }

    fn texts(&self) -> Vec<String> {
        let prompts = self.store.prompts(&self.run).expect("prompts");
        prompts.into_iter().map(|one| one.content.text).collect()
    }
}

fn decided(id: &ApprovalId, decision: Decision) -> StoreChange {
    StoreChange::Decided {
        id: id.clone(),
        resolution: Resolution::Answered,
        decision,
        choice: Some(Box::new(PersonChoice::allow())),
        answer: Box::new(json!({ "behavior": "allow" })),
        by: "cli".to_owned(),
        at: at(5),
    }
}

#[test]
fn a_run_comes_back_as_it_was_written() {
    let at_store = StoreFixture::new();
    let run = at_store.run();
    assert_eq!(run.state, RunState::Starting);
    assert_eq!(run.plan.mode, PermissionMode::Plan);
    assert_eq!(run.session, run.plan.session.written());
    let status = RunStatus {
        state: RunState::Waiting(ApprovalKind::Plan),
        session: "other".to_owned(),
        limits: RunLimits { idle: None, waiting: Some(7) },
        idle_deadline: Some(at(99)),
        mode: Some("plan".to_owned()),
        model: None,
        last_failure: Some("a limit".to_owned()),
        budget: UsdAmount::parse("3"),
        cost: UsdAmount::parse("0.123456"),
        held_by: Some(4),
        held_for: Some(FailureCause::Limit),
        broken_settings: vec!["settings.json: broken".to_owned()],
    };
    let mark = ProcessIdentity { pid: 7, start: Some("88".to_owned()) };
    let id = || at_store.run.clone();
    at_store.write(&[
        StoreChange::HostStarted(id(), mark.clone()),
        StoreChange::ClientStarted(id(), mark.clone()),
        StoreChange::Status(id(), Box::new(status.clone())),
    ]);
    let run = at_store.run();
    assert_eq!(run.state, status.state);
    assert_eq!((run.session.as_str(), run.limits), ("other", status.limits));
    assert_eq!(run.broken_settings, status.broken_settings);
    assert_eq!((run.host, run.held_by), (Some(mark), Some(4)));
    let end = EndRecord {
        at: at(100),
        code: Some(1),
        signal: None,
        message: Some("oh".to_owned()),
        survivors: vec![Survivor { pid: 5, command: "sleep".to_owned() }],
    };
    let state = RunState::Ended(RunEnd::Died);
    at_store.write(&[StoreChange::Ended(id(), state, Box::new(end.clone()))]);
    let run = at_store.store.runs().expect("runs").pop().expect("a run");
    assert_eq!((run.state, run.end), (state, Some(end)));
    assert_eq!(at_store.store.open_runs().expect("runs"), []);
}

#[test]
fn only_one_host_takes_a_run() {
    let at_store = StoreFixture::new();
    let mark = ProcessIdentity { pid: 7, start: None };
    let start = StoreChange::HostStarted(at_store.run.clone(), mark);
    at_store.write(std::slice::from_ref(&start));
    let second = at_store.store.write(&[start]);
    assert!(matches!(second, Err(DriveStoreError::Conflict(_))));
    let again = at_store.store.write(&[StoreChange::Restart(at_store.run.clone())]);
    assert!(matches!(again, Err(DriveStoreError::Conflict(_))));
}

#[test]
fn prompts_keep_their_order_until_a_person_changes_it() {
    let at_store = StoreFixture::new();
    let [_, two, three] = ["one", "two", "three"].map(|text| at_store.put(text));
    assert_eq!(at_store.texts(), ["one", "two", "three"]);
    at_store.write(&[StoreChange::Order(at_store.run.clone(), vec![three, two])]);
    at_store.put("four");
    assert_eq!(at_store.texts(), ["one", "three", "two", "four"]);
}

#[test]
fn lost_prompts_say_how_far_they_had_come() {
    let at_store = StoreFixture::new();
    let [one, two, three] = ["one", "two", "three"].map(|text| at_store.put(text));
    let run = at_store.run.clone();
    at_store.write(&[
        StoreChange::Prompt(one, PromptState::Done, at(4)),
        StoreChange::Prompt(two, PromptState::TakenUp, at(4)),
        StoreChange::LosePrompts(run, at(5)),
    ]);
    let prompts = at_store.store.prompts(&at_store.run).expect("prompts");
    let states: Vec<_> = prompts.iter().map(|one| (one.state, one.was)).collect();
    assert_eq!(
        states,
        [
            (PromptState::Done, None),
            (PromptState::Lost, Some(PromptState::TakenUp)),
            (PromptState::Lost, Some(PromptState::Queued)),
        ]
    );
    // The run never started.
    at_store.write(&[StoreChange::Restart(at_store.run.clone())]);
    assert_eq!(at_store.prompt(&three).state, PromptState::Queued);
}

#[test]
fn the_first_answer_stays_and_a_change_is_made_whole_or_not_at_all() {
    let at_store = StoreFixture::new();
    let id = at_store.ask("r1");
    assert_eq!(at_store.ask("r1"), id, "asking again changes nothing");
    assert_eq!(at_store.store.open_approvals().expect("open").len(), 1);
    at_store.write(&[decided(&id, Decision::Allow)]);
    let prompt = at_store.put("one");
    let both = [
        StoreChange::Prompt(prompt.clone(), PromptState::Sent, at(6)),
        decided(&id, Decision::Deny),
    ];
    let second = at_store.store.write(&both);
    assert!(matches!(second, Err(DriveStoreError::Conflict(_))));
    let found = at_store.approval(&id).decided.expect("decided");
    assert_eq!(found.decision, Decision::Allow);
    assert_eq!(found.choice, Some(PersonChoice::allow()));
    assert_eq!(at_store.prompt(&prompt).state, PromptState::Queued);
    // A later resolution does not replace the answer.
    at_store.write(&[StoreChange::Resolved(id.clone(), Resolution::Cancelled, at(7))]);
    assert_eq!(at_store.approval(&id).resolution, Some(Resolution::Answered));
}

#[test]
fn another_process_sees_what_was_written_and_the_files_are_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let at_store = StoreFixture::new();
    at_store.put("one");
    let folder = at_store.folder.path().join("drive");
    let other = DriveStore::open(&folder).expect("a second opening");
    assert_eq!(other.prompts(&at_store.run).expect("prompts").len(), 1);
    for item in fs::read_dir(&folder).expect("files").flatten() {
        let mode = item.metadata().expect("a file").permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", item.path().display());
    }
}

#[test]
fn a_store_of_a_newer_release_or_damaged_is_refused_and_left_alone() {
    let top = tempfile::tempdir().expect("a folder");
    let folder = top.path().join("drive");
    drop(DriveStore::open(&folder).expect("a store"));
    let path = folder.join(FILE);
    let db = Connection::open(&path).expect("a database");
    db.pragma_update(None, "user_version", 99).expect("a version");
    drop(db);
    let opened = DriveStore::open(&folder);
    assert!(matches!(opened, Err(DriveStoreError::Newer { version: 99, .. })));
    let garbage = b"not a database, and long enough to be looked at ".repeat(40);
    fs::write(&path, &garbage).expect("a file");
    let _ = fs::remove_file(Path::new(&format!("{}-wal", path.display())));
    assert!(matches!(DriveStore::open(&folder), Err(DriveStoreError::Database(_))));
    assert_eq!(fs::read(&path).expect("the file"), garbage);
}

#[test]
fn a_store_of_an_older_release_is_brought_up_to_date_under_its_hosts() {
    let fixture = StoreFixture::new();
    let folder = fixture.folder.path().join("old");
    private_folder(&folder).expect("a folder");
    let path = folder.join(FILE);
    make_file(&path).expect("a file");
    let old = Connection::open(&path).expect("a database");
    old.execute_batch(TABLES).expect("tables");
    old.pragma_update(None, "user_version", 1).expect("a version");
    let plan = fixture.store.run(&fixture.run).expect("a row");
    let plan = serde_json::to_string(&plan.expect("a run").plan).expect("json");
    let mut insert = old
        .prepare(
            "INSERT INTO runs (id, made, by, plan, session, stage, idle, waiting) \
             VALUES (?, 1, 'cli', ?, 's', 'idle', NULL, NULL)",
        )
        .expect("a statement");
    let ids = [RunId::random(), RunId::random()];
    insert.execute((ids[0].as_str(), &plan)).expect("a row");
    let store = DriveStore::open(&folder).expect("an older store");
    // A host of the older release continues to write.
    insert.execute((ids[1].as_str(), &plan)).expect("a row");
    for id in &ids {
        let run = store.run(id).expect("a row").expect("the run");
        assert_eq!(run.state, RunState::Idle);
    }
    assert_eq!(store.runs().expect("rows").len(), 2);
    drop(store);
    let again = DriveStore::open(&folder).expect("the store");
    assert_eq!(again.runs().expect("rows").len(), 2);
}
