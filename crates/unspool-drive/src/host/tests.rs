//! Tests of a host whose disk is full, without processes.

use std::cell::{Cell, RefCell};

use serde_json::json;
use unspool_model::time::Time;

use super::keeper::HostJournal;
use super::*;
use crate::ids::{ApprovalId, PromptId};
use crate::machine::MachineStart;
use crate::machine::tests::ready;
use crate::spool::SpoolWriter;
use crate::store::{DriveStoreError, StoreChange};
use crate::wire::{PersonChoice, PromptContent};

/// A disk that is full while the test sets `is_full`.
#[derive(Default)]
struct MoodyDisk {
    is_full: Cell<bool>,
    written: RefCell<Vec<StoreChange>>,
}

impl HostJournal for MoodyDisk {
    fn write(&self, changes: &[StoreChange]) -> Result<(), DriveStoreError> {
        if self.is_full.get() {
            return Err(DriveStoreError::File {
                path: "drive.db".into(),
                error: std::io::ErrorKind::StorageFull.into(),
            });
        }
        self.written.borrow_mut().extend_from_slice(changes);
        Ok(())
    }

    fn content(&self, _: &PromptId) -> Result<Option<PromptContent>, DriveStoreError> {
        Ok(Some(PromptContent::text("hi")))
    }
}

/// Records what a host would have sent.
#[derive(Default)]
struct OutletTally {
    said: Vec<String>,
    replies: Vec<HostReply>,
}

impl HostOutlet for OutletTally {
    fn say(&mut self, line: &ClientLine) {
        self.said.push(line.as_str().to_owned());
    }

    fn reply(&mut self, _: ReplyTo, reply: HostReply) {
        self.replies.push(reply);
    }

    fn other_owner(&mut self, _: &str) -> Option<u32> {
        None
    }

    fn lock_session(&mut self, _: &str) {}

    fn close_input(&mut self) {}

    fn terminate(&mut self) {}

    fn kill_group(&mut self) {}
}

const NOW: i64 = 5_000;

struct KeeperFixture {
    keeper: StepExecutor<MoodyDisk, OutletTally>,
    run: RunId,
    _folder: tempfile::TempDir,
}

impl KeeperFixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let spool = SpoolWriter::create(&folder.path().join("spool"), SpoolLimits::default());
        let start = MachineStart::of_session("s");
        let run = start.run.clone();
        let keeper = StepExecutor::new(
            RunMachine::new(start),
            MoodyDisk::default(),
            OutletTally::default(),
            spool.expect("a spool"),
        );
        let mut at = Self { keeper, run, _folder: folder };
        at.take(HostEvent::Started);
        at.say(&ready());
        at.keeper.outlet.said.clear();
        at
    }

    fn take(&mut self, event: HostEvent) -> HostProgress {
        self.keeper.take(Time::from_millis(NOW), event)
    }

    fn say(&mut self, line: &serde_json::Value) {
        let frame = ClientFrame::read(line.to_string().as_bytes()).expect("a frame");
        self.take(HostEvent::Said(Box::new(frame)));
    }

    fn ask(&mut self, request: HostRequest) -> HostReply {
        self.take(HostEvent::Asked(ReplyTo(1), Box::new(request)));
        self.keeper.outlet.replies.pop().expect("a reply")
    }

    fn disk_is_full(&self, is_full: bool) {
        self.keeper.journal.is_full.set(is_full);
    }
}

fn put() -> HostRequest {
    HostRequest::Put {
        id: PromptId::random(),
        content: PromptContent::text("hi"),
        send: SendWhen::Idle,
        by: "test".to_owned(),
    }
}

#[test]
fn what_cannot_be_written_down_is_not_sent_and_may_be_repeated() {
    let mut at = KeeperFixture::new();
    at.disk_is_full(true);
    let request = put();
    assert!(matches!(at.ask(request.clone()), HostReply::Failed { .. }));
    assert_eq!(at.keeper.outlet.said, Vec::<String>::new());
    at.disk_is_full(false);
    assert!(matches!(at.ask(request), HostReply::Prompt { .. }));
    assert_eq!(at.keeper.outlet.said.len(), 1);
}

#[test]
fn what_the_client_asked_waits_for_the_disk() {
    let mut at = KeeperFixture::new();
    at.disk_is_full(true);
    at.say(&json!({ "type": "control_request", "request_id": "r", "request": {
        "subtype": "can_use_tool", "tool_name": "Bash",
    } }));
    assert!(at.keeper.failure.is_some());
    let answer = HostRequest::Answer {
        approval: ApprovalId::of(&at.run, "r"),
        choice: PersonChoice::allow(),
        by: "test".to_owned(),
    };
    assert!(matches!(at.ask(answer.clone()), HostReply::Failed { .. }));
    assert_eq!(at.keeper.outlet.said, Vec::<String>::new());
    at.disk_is_full(false);
    at.keeper.retry(Time::from_millis(NOW));
    assert_eq!(at.keeper.failure, None);
    let is_asked = |change: &StoreChange| matches!(change, StoreChange::Asked(_));
    assert!(at.keeper.journal.written.borrow().iter().any(is_asked));
    assert!(matches!(at.ask(answer), HostReply::Decided(_)));
    assert_eq!(at.keeper.outlet.said.len(), 1);
}

#[test]
fn the_end_of_the_client_waits_for_the_disk() {
    let mut at = KeeperFixture::new();
    at.disk_is_full(true);
    let gone = ClientGone { code: Some(0), signal: None, survivors: Vec::new() };
    assert_eq!(at.take(HostEvent::Gone(gone)), HostProgress::GoesOn);
    assert_eq!(at.keeper.retry(Time::from_millis(NOW)), HostProgress::GoesOn);
    at.disk_is_full(false);
    assert_eq!(at.keeper.retry(Time::from_millis(NOW)), HostProgress::IsOver);
    let is_end = |change: &StoreChange| matches!(change, StoreChange::Ended(..));
    assert!(at.keeper.journal.written.borrow().iter().any(is_end));
}
