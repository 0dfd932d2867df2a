//! The fields that every line of a session repeats, and the versions of the client that write them.

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
    /// The agent whose log this is.
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
    /// Tells whether the version of the client is at least the given one.
    pub(crate) fn since(&self, major: u32, minor: u32, patch: u32) -> bool {
        let mut parts = self.version.split('.').map(|part| part.parse().unwrap_or(0));
        let mut next = || parts.next().unwrap_or(0);
        (next(), next(), next()) >= (major, minor, patch)
    }

    /// Changes a value for the following lines; returns false if the setting is unknown.
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

    /// Adds the fields at the end of every entry.
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
