//! The arguments, the environment and the folder of the client.
//!
//! Builds the command line of a plan, which can be shown before anything is started.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use unspool_model::ids::is_uuid;
use unspool_store::home::HomeNaming;

use crate::ids::RunId;
use crate::state::PermissionMode;

/// The variable that has the id of the run, for the client and the processes that it starts.
pub const RUN_VARIABLE: &str = "UNSPOOL_RUN";
/// The prefix of unspool's own variables. The client inherits none of them, and gets only the run's id.
const OURS: &[u8] = b"UNSPOOL_";

/// The text shown for the id of a session that is created when the run starts.
const NEW_SESSION: &str = "NEW";

/// Tells whether a variable belongs to unspool and is removed from the client's environment.
pub fn is_ours(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(OURS)
}

/// The client's program, resolved by the caller.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ClientProgram {
    /// The path of the program.
    pub path: PathBuf,
    /// Arguments that precede all others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
}

impl ClientProgram {
    /// Returns a program without arguments of its own.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), arguments: Vec::new() }
    }
}

/// The session of a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RunSession {
    /// A new session.
    New {
        /// The id of the session.
        session: String,
    },
    /// A session that is continued.
    Resume {
        /// The id of the session.
        session: String,
        /// The last entry to keep; `None` keeps all.
        at: Option<String>,
    },
    /// A new session that begins as a copy of another.
    Fork {
        /// The id of the session that is copied.
        from: String,
        /// The last entry to keep; `None` keeps all.
        at: Option<String>,
        /// The id of the new session.
        session: String,
    },
}

impl RunSession {
    /// Returns the session that the client writes.
    pub fn written(&self) -> &str {
        match self {
            Self::New { session } | Self::Resume { session, .. } | Self::Fork { session, .. } => {
                session
            }
        }
    }

    /// Returns all ids that become arguments.
    fn ids(&self) -> Vec<&str> {
        match self {
            Self::New { session } => vec![session],
            Self::Resume { session, at } => {
                let at = at.as_deref();
                std::iter::once(session.as_str()).chain(at).collect()
            }
            Self::Fork { from, at, session } => {
                let ids = [from.as_str(), session.as_str()];
                ids.into_iter().chain(at.as_deref()).collect()
            }
        }
    }
}

/// Everything that determines how the client of a run is started. The store has the plan, so that a host is
/// started with only the id of the run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RunPlan {
    /// The program.
    pub client: ClientProgram,
    /// The folder that the client works in.
    pub cwd: PathBuf,
    /// The client's home.
    pub home: PathBuf,
    /// Whether the home is passed to the client. The default home is not, because a client that gets it
    /// explicitly asks for a login.
    #[serde(default)]
    pub naming: HomeNaming,
    /// The session.
    pub session: RunSession,
    /// The model; `None` is the client's default.
    pub model: Option<String>,
    /// What the client may do without asking.
    pub mode: PermissionMode,
    /// Whether a person may let the client do everything without asking.
    pub may_bypass: bool,
}

/// Errors of a plan.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlanFault {
    /// An id that is not a uuid.
    #[error("`{0}` is not a session or entry that the client can resume; it should be a uuid")]
    Id(String),
    /// A model whose name could be parsed as a flag or has characters that no model name has.
    #[error("`{0}` is not the name of a model")]
    Model(String),
    /// The mode that skips permissions is not allowed here.
    #[error(
        "the mode `bypassPermissions` is refused; it has to be allowed when the server or the command starts"
    )]
    Bypass,
    /// The folder does not exist, is not a folder, or is relative.
    #[error("{}: not an absolute path of a folder", .0.display())]
    Folder(PathBuf),
}

/// Tells whether a text is valid as the name of a model.
pub fn is_model_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:/@[]".contains(c);
    !name.is_empty() && name.len() <= 200 && !name.starts_with('-') && name.chars().all(plain)
}

impl RunPlan {
    /// Checks that ids and model are valid as arguments, that the mode is allowed, and that the folder
    /// exists.
    pub fn check(&self) -> Result<(), PlanFault> {
        if let Some(id) = self.session.ids().into_iter().find(|id| !is_uuid(id)) {
            return Err(PlanFault::Id(id.to_owned()));
        }
        let odd_model = self.model.as_deref().filter(|name| !is_model_name(name));
        if let Some(name) = odd_model {
            return Err(PlanFault::Model(name.to_owned()));
        }
        if self.mode == PermissionMode::BypassPermissions && !self.may_bypass {
            return Err(PlanFault::Bypass);
        }
        if !self.cwd.is_absolute() || !self.cwd.is_dir() {
            return Err(PlanFault::Folder(self.cwd.clone()));
        }
        Ok(())
    }

    /// Tells whether the client starts in the mode that skips permissions. Only then can it be switched back
    /// to this mode later.
    pub fn begins_with_bypass(&self) -> bool {
        self.may_bypass && self.mode == PermissionMode::BypassPermissions
    }

    /// Returns the arguments of the client, without the program.
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = self.client.arguments.clone();
        let mut add =
            |words: &[&str]| arguments.extend(words.iter().map(|word| (*word).to_owned()));
        add(&["-p", "--verbose"]);
        add(&["--input-format", "stream-json"]);
        add(&["--output-format", "stream-json"]);
        add(&["--permission-prompt-tool", "stdio"]);
        add(&["--include-partial-messages", "--replay-user-messages"]);
        // Without this flag the user's default mode applies, which may not ask for permissions.
        add(&["--permission-mode", self.mode.name()]);
        if let Some(model) = &self.model {
            add(&["--model", model]);
        }
        match &self.session {
            RunSession::New { session } => add(&["--session-id", session]),
            RunSession::Resume { session, .. } => add(&["--resume", session]),
            RunSession::Fork { from, session, .. } => {
                add(&["--resume", from, "--fork-session", "--session-id", session]);
            }
        }
        if let RunSession::Resume { at: Some(at), .. } | RunSession::Fork { at: Some(at), .. } =
            &self.session
        {
            add(&["--resume-session-at", at]);
        }
        arguments
    }

    /// Returns the environment of the client: the caller's without unspool's variables, plus the variables
    /// that the protocol needs and the run's id.
    pub fn environment(
        &self,
        run: &RunId,
        callers: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Vec<(OsString, OsString)> {
        let callers = callers.into_iter().filter(|(name, _)| !is_ours(name));
        let mut all: Vec<_> = callers.collect();
        let mut set = |name: &str, value: &OsStr| {
            all.retain(|(other, _)| other != name);
            all.push((name.into(), value.to_owned()));
        };
        set("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", OsStr::new("1"));
        set("CLAUDE_CODE_STARTUP_FAILURE_RESULTS", OsStr::new("1"));
        set(RUN_VARIABLE, OsStr::new(run.as_str()));
        if let Some((name, home)) = self.naming.variable() {
            all.retain(|(other, _)| other != name);
            all.extend(home.map(|home| (name.into(), home.into())));
        }
        all
    }

    /// Returns the program with its arguments.
    pub fn command(&self) -> Vec<String> {
        let program = self.client.path.display().to_string();
        std::iter::once(program).chain(self.arguments()).collect()
    }

    /// Returns the variables that the client's environment adds, and `None` for those that it removes, apart
    /// from unspool's own.
    pub fn changed_environment(&self, run: &RunId) -> BTreeMap<String, Option<String>> {
        let set = self.environment(run, []).into_iter();
        let mut all: BTreeMap<_, _> = set
            .map(|(name, value)| {
                let value = value.display().to_string();
                (name.display().to_string(), Some(value))
            })
            .collect();
        if let Some((name, None)) = self.naming.variable() {
            all.insert(name.to_owned(), None);
        }
        all
    }

    /// Returns the plan with `NEW` as the id of a session that is created when the run starts.
    #[must_use]
    pub fn unstarted(mut self) -> Self {
        if let RunSession::New { session } | RunSession::Fork { session, .. } = &mut self.session {
            NEW_SESSION.clone_into(session);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::random_uuid;

    fn plan(session: RunSession) -> RunPlan {
        RunPlan {
            client: ClientProgram::new("/bin/claude"),
            cwd: "/".into(),
            home: "/h".into(),
            naming: HomeNaming::AsIs,
            session,
            model: None,
            mode: PermissionMode::Default,
            may_bypass: false,
        }
    }

    fn new_session() -> RunSession {
        let session = random_uuid();
        RunSession::New { session }
    }

    #[test]
    fn the_mode_is_always_passed_and_the_session_named() {
        let (id, at, other) = (random_uuid(), random_uuid(), random_uuid());
        let resume = RunSession::Resume { session: id.clone(), at: Some(at.clone()) };
        let fork = RunSession::Fork { from: id.clone(), at: None, session: other.clone() };
        let new = RunSession::New { session: id.clone() };
        for (session, end) in [
            (new, format!("--session-id {id}")),
            (resume, format!("--resume {id} --resume-session-at {at}")),
            (fork, format!("--resume {id} --fork-session --session-id {other}")),
        ] {
            let arguments = plan(session).arguments().join(" ");
            assert!(arguments.contains("--permission-mode default"), "{arguments}");
            assert!(arguments.contains("--permission-prompt-tool stdio"));
            assert!(arguments.ends_with(&end), "{arguments}");
        }
    }

    #[test]
    fn nothing_of_ours_is_in_the_environment_but_the_run() {
        let run = RunId::random();
        let callers = [
            ("PATH", "/bin"),
            ("UNSPOOL_TOKEN", "secret"),
            ("UNSPOOL_RUN", "another"),
            ("CLAUDE_CONFIG_DIR", "/theirs"),
        ];
        let callers = callers.map(|(name, value)| (name.into(), value.into()));
        let mut plan = plan(new_session());
        let text = |plan: &RunPlan| {
            let all = plan.environment(&run, callers.clone()).into_iter();
            let mut all: Vec<String> = all
                .map(|(name, value)| format!("{}={}", name.display(), value.display()))
                .collect();
            all.sort();
            all
        };
        let run_line = format!("UNSPOOL_RUN={run}");
        let expected = |home: &str| {
            vec![
                "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS=1".to_owned(),
                "CLAUDE_CODE_STARTUP_FAILURE_RESULTS=1".to_owned(),
                format!("CLAUDE_CONFIG_DIR={home}"),
                "PATH=/bin".to_owned(),
                run_line.clone(),
            ]
        };
        assert_eq!(text(&plan), expected("/theirs"));
        plan.naming = HomeNaming::Named("/h".into());
        assert_eq!(text(&plan), expected("/h"));
        plan.naming = HomeNaming::Unnamed;
        let unnamed = text(&plan);
        assert!(!unnamed.iter().any(|it| it.starts_with("CLAUDE_CONFIG_DIR")));
    }

    #[test]
    fn a_plan_that_could_be_taken_for_something_else_is_refused() {
        let with = |change: &dyn Fn(&mut RunPlan)| {
            let mut plan = plan(new_session());
            change(&mut plan);
            plan.check()
        };
        assert_eq!(with(&|_| {}), Ok(()));
        let dash = "--dangerously-skip-permissions".to_owned();
        let session = RunSession::New { session: dash.clone() };
        assert_eq!(with(&|plan| plan.session = session.clone()), Err(PlanFault::Id(dash.clone())));
        assert_eq!(
            with(&|plan| plan.model = Some(dash.clone())),
            Err(PlanFault::Model(dash.clone()))
        );
        let bypass = PermissionMode::BypassPermissions;
        assert_eq!(with(&|plan| plan.mode = bypass), Err(PlanFault::Bypass));
        let nowhere = PathBuf::from("/nowhere/at/all");
        assert_eq!(
            with(&|plan| plan.cwd.clone_from(&nowhere)),
            Err(PlanFault::Folder(nowhere.clone()))
        );
    }
}
