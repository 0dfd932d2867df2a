//! A log that is written, a server that follows it, and readers that come and go.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::path::PathBuf;
use std::sync::Arc;

use unspool_engine::library::{
    FeedEvent, FeedItem, FeedPosition, FeedReader, FeedStart, FeedTarget, Library, OpenSession,
    OpenState, SessionRequest,
};
use unspool_engine::ops::transcript::TranscriptRequest;
use unspool_store::progress::Unwatched;
use unspool_testkit::{TestHome, append, session, uuid};

use crate::setup::library;

pub(crate) const CWD: &str = "/srv/demo";

/// Two prompts, and a call with its result.
pub(crate) const TALK: &str = r#"
    u1  user "fix the bug"
    a1  assistant "Looking." call Bash:t1 {"command":"ls"}
    r1  result t1 "src"
    a2  assistant "Done."
    u2  user "and now the docs"
"#;

/// Returns the lines of a session.
pub(crate) fn lines(notation: &str) -> Vec<Vec<u8>> {
    let bytes = session(notation);
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    lines.map(<[u8]>::to_vec).collect()
}

/// A home with one session, and the server that keeps it open.
pub(crate) struct Lab {
    pub(crate) home: TestHome,
    pub(crate) library: Library,
    pub(crate) file: PathBuf,
    pub(crate) open: Arc<OpenSession>,
}

impl Lab {
    /// Writes a log and opens it.
    pub(crate) fn new(bytes: &[u8]) -> Self {
        let home = TestHome::new();
        let file = home.add_session(CWD, &uuid("s"), bytes);
        let library = library(&home);
        let open = open(&library);
        Self { home, library, file, open }
    }

    /// Appends bytes to the log.
    pub(crate) fn append(&self, bytes: &[u8]) {
        append(&self.file, bytes);
    }

    /// Truncates the log.
    pub(crate) fn truncate(&self, length: u64) {
        let file = OpenOptions::new().write(true).open(&self.file);
        file.and_then(|file| file.set_len(length)).expect("truncates");
    }

    /// Replaces the log with another file.
    pub(crate) fn replace(&self, bytes: &[u8]) {
        let other = self.file.with_extension("new");
        fs::write(&other, bytes).and_then(|()| fs::rename(&other, &self.file)).expect("replaces");
    }

    /// Makes the server read the files.
    pub(crate) fn refresh(&self) {
        self.open.refresh(None).expect("a refresh");
    }

    /// Replaces the server with a new one.
    pub(crate) fn restart(&mut self) {
        self.open = open(&self.library);
    }

    /// Returns the messages of the log's whole lines, read by a new library.
    pub(crate) fn expected(&self, target: &FeedTarget) -> Option<BTreeMap<u32, String>> {
        let bytes = fs::read(&self.file).expect("a log");
        let end = bytes.iter().rposition(|byte| *byte == b'\n');
        let home = TestHome::new();
        home.add_session(CWD, &uuid("s"), &bytes[..end.map_or(0, |end| end + 1)]);
        let library = library(&home);
        let name = uuid("s");
        let opened = library.session(&SessionRequest::named(&name), &Unwatched);
        let opened = opened.expect("a session");
        let request = TranscriptRequest {
            path: target.path,
            agent: target.agent.clone(),
            ..TranscriptRequest::default()
        };
        let transcript = opened.transcript(&request).ok()?;
        let messages = transcript.messages().map(|message| message.expect("read"));
        let spelled = messages.map(|message| format!("{message:?}"));
        Some((0..).zip(spelled).collect())
    }
}

fn open(library: &Library) -> Arc<OpenSession> {
    let name = uuid("s");
    let opened = library.open_session(&SessionRequest::named(&name), &Unwatched);
    opened.expect("a session")
}

/// A program that reads a stream and stores messages.
#[derive(Default)]
pub(crate) struct Client {
    pub(crate) name: String,
    pub(crate) target: FeedTarget,
    pub(crate) messages: BTreeMap<u32, String>,
    /// The last id, as text.
    pub(crate) id: Option<String>,
    /// The messages without an id since the last position.
    since_id: BTreeSet<u32>,
    reader: Option<FeedReader>,
    /// The numbers of messages, changes, new paths and resets that were sent.
    pub(crate) sent: SentCounts,
    /// The events that were sent, for failure messages.
    pub(crate) trace: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct SentCounts {
    pub(crate) messages: usize,
    pub(crate) changes: usize,
    pub(crate) paths: usize,
    pub(crate) resets: usize,
}

impl Client {
    pub(crate) fn new(name: impl Into<String>, target: FeedTarget) -> Self {
        Self { name: name.into(), target, ..Self::default() }
    }

    /// Reads all current messages, as a page does.
    pub(crate) fn load(&mut self, session: &OpenState) {
        self.disconnect();
        let Ok(position) = session.feed_position(&self.target) else {
            return;
        };
        let all: Vec<u32> = (0..100_000).collect();
        let read = session.feed_messages(&self.target, &all).expect("messages");
        let spelled = read.iter().map(|message| format!("{message:?}"));
        self.messages = (0..).zip(spelled).collect();
        self.since_id.clear();
        self.id = Some(position.to_string());
        self.trace.push(format!("loaded {}", self.messages.len()));
    }

    pub(crate) fn disconnect(&mut self) {
        if self.reader.take().is_some() {
            self.trace.push("lost".to_owned());
        }
        for ordinal in std::mem::take(&mut self.since_id) {
            self.messages.remove(&ordinal);
        }
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.reader.is_some()
    }

    /// Begins after the last id, unless already connected.
    fn connect(&mut self) {
        if self.reader.is_some() {
            return;
        }
        let position: FeedPosition = match &self.id {
            Some(id) => id.parse().expect("a position"),
            None => FeedPosition::start(),
        };
        let start = FeedStart::After(position);
        self.reader = Some(FeedReader::new(self.target.clone(), start));
    }

    /// Receives at most `most` events. Returns whether nothing is left.
    pub(crate) fn step(&mut self, session: &OpenState, most: usize) -> bool {
        self.connect();
        let Some(reader) = &mut self.reader else {
            return true;
        };
        let Ok(step) = reader.step(session, most) else {
            // The path does not exist, or was removed.
            self.disconnect();
            self.messages.clear();
            self.id = None;
            return true;
        };
        assert!(step.items.len() <= most);
        let ordinals = step.ordinals();
        let read = session.feed_messages(&self.target, &ordinals);
        let mut texts = read.expect("messages").into_iter();
        for item in &step.items {
            let text = match item.event {
                FeedEvent::Message { .. } | FeedEvent::Change { .. } => texts.next(),
                _ => None,
            };
            self.take(item, text.map(|text| format!("{text:?}")));
        }
        step.is_last
    }

    /// Receives all events.
    pub(crate) fn drain(&mut self, session: &OpenState) {
        for _ in 0..100_000 {
            if self.step(session, 64) {
                return;
            }
        }
        panic!("{}: the stream does not end", self.name);
    }

    fn take(&mut self, item: &FeedItem, text: Option<String>) {
        let id = if item.id.is_some() { " id" } else { "" };
        self.trace.push(format!("{:?}{id}", item.event));
        match &item.event {
            FeedEvent::Hello(hello) => {
                self.id = Some(hello.position.to_string());
            }
            FeedEvent::Message { ordinal } => {
                self.sent.messages += 1;
                let before = self.messages.insert(*ordinal, text.expect("a text"));
                let is_new = before.is_none();
                assert!(is_new, "{} got {ordinal} twice: {:#?}", self.name, self.trace);
                self.since_id.insert(*ordinal);
            }
            FeedEvent::Change { ordinal } => {
                self.sent.changes += 1;
                let before = self.messages.insert(*ordinal, text.expect("a text"));
                assert!(before.is_some(), "{}: {:#?}", self.name, self.trace);
            }
            FeedEvent::Path { keeps, position, .. } => {
                self.sent.paths += 1;
                self.id = Some(position.to_string());
                drop(self.messages.split_off(keeps));
                self.since_id.clear();
            }
            FeedEvent::Reset { position } => {
                self.sent.resets += 1;
                self.id = Some(position.to_string());
                self.messages.clear();
                self.since_id.clear();
            }
            FeedEvent::Status(_) | FeedEvent::Gone => {}
        }
        if let Some(id) = item.id {
            self.id = Some(id.to_string());
            self.since_id.clear();
        }
    }

    /// Asserts that the client has the messages of the log.
    #[track_caller]
    pub(crate) fn check(&self, expected: &BTreeMap<u32, String>) {
        for (ordinal, text) in expected {
            let found = self.messages.get(ordinal);
            assert_eq!(
                found,
                Some(text),
                "{}, message {ordinal} of {}: {:#?}",
                self.name,
                expected.len(),
                self.trace
            );
        }
        let more = self.messages.len() - expected.len();
        assert_eq!(more, 0, "{} has more: {:#?}", self.name, self.trace);
    }
}
