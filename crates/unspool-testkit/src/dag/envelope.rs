//! What every line of a session has in common.
//!
//! Knows the session id, folder, version and branch that lines carry, how names become uuids, and
//! since which version a field is written. Does not know single lines.

use super::fields::JsonFields;
use crate::ids;

/// How names of the notation become uuids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum IdScheme {
    /// Each name is expanded to a valid uuid, see [`crate::uuid`].
    #[default]
    Hashed,
    /// Names are written as they are.
    Verbatim,
}

impl IdScheme {
    /// Returns the uuid that represents a name.
    pub(crate) fn uuid(self, name: &str) -> String {
        match self {
            Self::Hashed => ids::uuid(name),
            Self::Verbatim => name.to_owned(),
        }
    }
}

/// The fields that every line of a session repeats.
#[derive(Clone, Debug)]
pub(crate) struct Envelope {
    pub(crate) ids: IdScheme,
    pub(crate) session: String,
    pub(crate) cwd: String,
    pub(crate) version: String,
    pub(crate) branch: String,
    pub(crate) entrypoint: String,
    /// The agent whose transcript this is.
    pub(crate) agent: Option<String>,
}

impl Default for Envelope {
    fn default() -> Self {
        Self {
            ids: IdScheme::Hashed,
            session: "session".to_owned(),
            cwd: "/srv/demo".to_owned(),
            version: "2.1.325".to_owned(),
            branch: "main".to_owned(),
            entrypoint: "cli".to_owned(),
            agent: None,
        }
    }
}

impl Envelope {
    /// Says whether the writing version is at least the given one.
    pub(crate) fn since(&self, major: u32, minor: u32, patch: u32) -> bool {
        let mut parts = self.version.split('.').map(|part| part.parse().unwrap_or(0));
        let mut next = || parts.next().unwrap_or(0);
        (next(), next(), next()) >= (major, minor, patch)
    }

    pub(crate) fn session_id(&self) -> String {
        self.ids.uuid(&self.session)
    }

    /// Adds the fields that end every entry.
    pub(crate) fn write_tail(&self, fields: &mut JsonFields) {
        fields.text("userType", "external");
        if self.since(2, 1, 92) {
            fields.text("entrypoint", &self.entrypoint);
        }
        fields
            .text("cwd", &self.cwd)
            .text("sessionId", &self.session_id())
            .text("version", &self.version)
            .text("gitBranch", &self.branch);
    }
}
