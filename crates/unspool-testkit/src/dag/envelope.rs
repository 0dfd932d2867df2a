//! What every line of a session has in common.
//!
//! Knows the session id, folder, version and branch that lines carry, and since which version a
//! field is written. Does not know single lines.

use super::fields::JsonFields;
use crate::ids;

/// The fields that every line of a session repeats.
#[derive(Clone, Debug)]
pub(crate) struct Envelope {
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

    /// Changes what the following lines repeat; false if no setting has the name.
    pub(crate) fn set(&mut self, setting: &str, value: &str) -> bool {
        let field = match setting {
            "session" => &mut self.session,
            "cwd" => &mut self.cwd,
            "version" => &mut self.version,
            "branch" => &mut self.branch,
            "entrypoint" => &mut self.entrypoint,
            "agent" => {
                self.agent = Some(value.to_owned()).filter(|agent| agent != "-");
                return true;
            }
            _ => return false,
        };
        value.clone_into(field);
        true
    }

    pub(crate) fn session_id(&self) -> String {
        ids::uuid(&self.session)
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
