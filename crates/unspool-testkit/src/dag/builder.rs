//! The session builder.
//!
//! Collects lines and settings in file order and hands them to the writer. Knows no JSON.

use super::entry::EntrySpec;
use super::envelope::{Envelope, IdScheme};
use super::metadata::Metadata;
use super::notation;
use super::writer::DagWriter;

/// Builds the bytes of a session file, from notation, from values, or from both.
///
/// ```
/// use unspool_testkit::SessionBuilder;
/// use unspool_testkit::dag::{Assistant, EntrySpec, Metadata, User};
///
/// let bytes = SessionBuilder::new()
///     .session_id("0d6e2d7a-54a1-4c9e-9d49-0c1b5f1b1a11")
///     .cwd("/srv/demo/app")
///     .entry(EntrySpec::new("u1", User::new("hello")))
///     .entry(EntrySpec::new("a1", Assistant::new().text("Hi.")))
///     .metadata(Metadata::last_prompt("a1"))
///     .notation(r#"u2 user "go on""#)
///     .build();
/// assert_eq!(bytes.split(|byte| *byte == b'\n').count(), 5);
/// ```
#[derive(Clone, Debug, Default)]
pub struct SessionBuilder {
    pub(crate) start: Envelope,
    pub(crate) items: Vec<DagItem>,
}

/// A line or a setting for the lines that follow.
#[derive(Clone, Debug)]
pub(crate) enum DagItem {
    Entry(Box<EntrySpec>),
    Metadata(Metadata),
    /// Bytes as they are, with or without a line end.
    Literal(Vec<u8>, LineEnd),
    Set(LineSetting),
}

/// What follows the bytes of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineEnd {
    Newline,
    /// Nothing: the next record is glued to it.
    Glued,
    /// A line end, unless it is the last line of the file.
    Torn,
}

/// A change of what the following lines repeat.
#[derive(Clone, Debug)]
pub(crate) enum LineSetting {
    Session(String),
    Cwd(String),
    Version(String),
    Branch(String),
    Entrypoint(String),
    Agent(Option<String>),
}

impl SessionBuilder {
    /// Creates an empty session in `/srv/demo`, version 2.1.325.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the session id; a name that is not a uuid is expanded like every other name.
    #[must_use]
    pub fn session_id(self, id: impl Into<String>) -> Self {
        self.set(LineSetting::Session(id.into()))
    }

    /// Sets the project folder.
    #[must_use]
    pub fn cwd(self, cwd: impl Into<String>) -> Self {
        self.set(LineSetting::Cwd(cwd.into()))
    }

    /// Makes the following lines the transcript of an agent.
    #[must_use]
    pub fn agent(self, id: impl Into<String>) -> Self {
        self.set(LineSetting::Agent(Some(id.into())))
    }

    /// Writes names as they are instead of expanding them to uuids. Call it before [`Self::notation`].
    #[must_use]
    pub fn verbatim_ids(mut self) -> Self {
        self.start.ids = IdScheme::Verbatim;
        self
    }

    /// Adds an entry.
    #[must_use]
    pub fn entry(mut self, entry: EntrySpec) -> Self {
        self.push_entry(entry);
        self
    }

    /// Adds a metadata line.
    #[must_use]
    pub fn metadata(mut self, metadata: Metadata) -> Self {
        self.push_metadata(metadata);
        self
    }

    /// Adds a line as it is; it need not be JSON.
    #[must_use]
    pub fn raw(mut self, line: impl Into<Vec<u8>>) -> Self {
        self.items.push(DagItem::Literal(line.into(), LineEnd::Newline));
        self
    }

    /// Adds an entry.
    pub fn push_entry(&mut self, entry: EntrySpec) {
        self.items.push(DagItem::Entry(Box::new(entry)));
    }

    /// Adds a metadata line.
    pub fn push_metadata(&mut self, metadata: Metadata) {
        self.items.push(DagItem::Metadata(metadata));
    }

    /// Adds lines in the notation described in [`crate::dag`].
    ///
    /// # Panics
    ///
    /// On any mistake in the notation, with the line that contains it.
    #[must_use]
    pub fn notation(mut self, text: &str) -> Self {
        notation::parse(text, self.start.ids, &mut self.items);
        self
    }

    /// Returns the uuid that represents a name in this session.
    pub fn uuid(&self, name: &str) -> String {
        self.start.ids.uuid(name)
    }

    /// Returns the bytes of the file.
    ///
    /// # Panics
    ///
    /// When an entry names a parent, or a result a call, that the session does not have.
    pub fn build(&self) -> Vec<u8> {
        let mut file = Vec::new();
        let lines = self.lines();
        let last = lines.len().saturating_sub(1);
        for (index, (line, end)) in lines.into_iter().enumerate() {
            file.extend_from_slice(&line);
            let torn_off = end == LineEnd::Torn && index == last;
            if end != LineEnd::Glued && !torn_off {
                file.push(b'\n');
            }
        }
        file
    }

    pub(crate) fn lines(&self) -> Vec<(Vec<u8>, LineEnd)> {
        DagWriter::new(self).lines()
    }

    fn set(mut self, setting: LineSetting) -> Self {
        self.items.push(DagItem::Set(setting));
        self
    }
}
