//! The command line and the environment of a scripted client.

use std::path::PathBuf;

use super::entropy;
use crate::ids;

/// The version that a scripted client reports: the one whose behaviour was measured.
pub const CLIENT_VERSION: &str = "2.1.325";

/// The permission modes.
pub(super) const MODES: [&str; 6] =
    ["acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan"];

/// The session that a client starts or continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SessionFlag {
    /// A new session; its id comes from the host or is random.
    New(Option<String>),
    /// A session whose log exists.
    Resumed {
        /// The id of the session.
        id: String,
        /// The last entry to keep.
        at: Option<String>,
        /// The id of a new session that begins as a copy of this one.
        fork: Option<String>,
    },
}

/// The command line of a client.
#[derive(Clone, Debug)]
pub(super) struct ClientFlags {
    pub(super) session: SessionFlag,
    pub(super) mode: String,
    pub(super) model: String,
    pub(super) partial: bool,
    pub(super) replay: bool,
    pub(super) forwards: bool,
    /// Whether the mode that skips permissions can be set later.
    pub(super) may_bypass: bool,
}

/// The action that a command line selects.
#[derive(Debug)]
pub(super) enum ClientRequest {
    /// Print the version.
    Version,
    /// Communicate over standard input and output.
    Talk(ClientFlags),
}

/// The folders of a client, and options from the environment.
#[derive(Clone, Debug)]
pub(super) struct ClientPlace {
    pub(super) config: PathBuf,
    pub(super) cwd: PathBuf,
    pub(super) tells_states: bool,
    pub(super) reruns: bool,
}

/// Flags that have a value.
const WITH_VALUE: &str = "--input-format --output-format --permission-prompt-tool --permission-prompts --session-id \
     --resume --resume-session-at --resume-drops-turn --permission-mode --model --effort \
     --fallback-model --max-turns --max-budget-usd --add-dir --settings --setting-sources \
     --mcp-config --append-system-prompt --name";

/// Flags without a value.
const WITHOUT_VALUE: &str = "-p --print --verbose --fork-session --include-partial-messages --replay-user-messages \
     --include-hook-events --forward-subagent-text --session-mirror --await-initialize \
     --strict-mcp-config --dangerously-skip-permissions --allow-dangerously-skip-permissions";

/// Parses a command line.
pub(super) fn parse(words: &[String]) -> Result<ClientRequest, String> {
    if words.iter().any(|word| word == "--version" || word == "-v") {
        return Ok(ClientRequest::Version);
    }
    let mut given: Vec<(&str, String)> = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (flag, attached) = match word.split_once('=') {
            Some((flag, value)) if flag.starts_with("--") => (flag, Some(value.to_owned())),
            _ => (word.as_str(), None),
        };
        let flag = if flag == "-r" { "--resume" } else { flag };
        let is_one_of = |flags: &str| flags.split(' ').any(|known| known == flag);
        if is_one_of(WITHOUT_VALUE) {
            given.push((flag, String::new()));
        } else if is_one_of(WITH_VALUE) {
            let value = attached.or_else(|| words.next().cloned());
            let value = value.ok_or_else(|| format!("option '{flag}' needs a value"))?;
            given.push((flag, value));
        } else {
            return Err(format!("unknown option '{word}'"));
        }
    }
    flags(&given).map(ClientRequest::Talk)
}

fn flags(given: &[(&str, String)]) -> Result<ClientFlags, String> {
    let has = |name: &str| given.iter().any(|(flag, _)| *flag == name);
    let value = |name: &str| {
        let found = given.iter().rev().find(|(flag, _)| *flag == name);
        found.map(|(_, value)| value.clone())
    };
    if !has("-p") && !has("--print") {
        return Err("a scripted client has no terminal: it needs -p".to_owned());
    }
    for (flag, expected) in [("--input-format", "stream-json"), ("--output-format", "stream-json")]
    {
        if value(flag).as_deref() != Some(expected) {
            return Err(format!("a scripted client needs {flag} {expected}"));
        }
    }
    let mode = value("--permission-mode").unwrap_or_else(|| "default".to_owned());
    if !MODES.contains(&mode.as_str()) {
        return Err(format!("'{mode}' is not a permission mode"));
    }
    let id = value("--session-id");
    if id.as_ref().is_some_and(|id| !ids::is_uuid(id)) {
        return Err("Invalid session ID. Must be a valid UUID.".to_owned());
    }
    let at = value("--resume-session-at");
    let session = match value("--resume") {
        Some(resumed) => SessionFlag::Resumed {
            id: resumed,
            at,
            fork: has("--fork-session").then(|| id.unwrap_or_else(entropy::new_uuid)),
        },
        None if at.is_some() => return Err("--resume-session-at needs --resume".to_owned()),
        None => SessionFlag::New(id),
    };
    let skips = ["--dangerously-skip-permissions", "--allow-dangerously-skip-permissions"];
    Ok(ClientFlags {
        session,
        may_bypass: mode == "bypassPermissions" || skips.into_iter().any(has),
        forwards: has("--forward-subagent-text"),
        mode,
        model: value("--model").unwrap_or_else(|| "scripted-model".to_owned()),
        partial: has("--include-partial-messages"),
        replay: has("--replay-user-messages"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: &str = "-p --input-format stream-json --output-format stream-json --verbose";

    fn parsed(line: &str) -> Result<ClientRequest, String> {
        let words: Vec<String> = line.split_whitespace().map(String::from).collect();
        parse(&words)
    }

    fn talk(line: &str) -> ClientFlags {
        match parsed(&format!("{USUAL} {line}")) {
            Ok(ClientRequest::Talk(flags)) => flags,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn sessions_are_new_or_resumed_or_forked() {
        let id = ids::uuid("s");
        assert_eq!(talk("").session, SessionFlag::New(None));
        assert_eq!(talk(&format!("--session-id {id}")).session, SessionFlag::New(Some(id.clone())));
        let flags =
            talk(&format!("--resume=old --fork-session --session-id {id} --resume-session-at x"));
        let expected =
            SessionFlag::Resumed { id: "old".to_owned(), at: Some("x".to_owned()), fork: Some(id) };
        assert_eq!(flags.session, expected);
    }

    #[test]
    fn the_usual_flags_are_known() {
        let flags = talk(
            "--permission-prompt-tool stdio --permission-mode plan --include-partial-messages \
             --replay-user-messages --model m",
        );
        assert_eq!((flags.mode.as_str(), flags.model.as_str()), ("plan", "m"));
        assert!(flags.partial && flags.replay);
        assert!(matches!(parsed("--version"), Ok(ClientRequest::Version)));
    }

    #[test]
    fn what_it_cannot_do_is_refused() {
        for (line, part) in [
            ("--nope", "unknown option '--nope'"),
            ("--permission-mode often", "not a permission mode"),
            ("--session-id 7", "Invalid session ID"),
            ("--resume-session-at x", "needs --resume"),
            ("--resume", "needs a value"),
        ] {
            let error = parsed(&format!("{USUAL} {line}")).expect_err("must fail");
            assert!(error.contains(part), "{line}: {error}");
        }
        assert!(parsed("hello").is_err());
        assert!(parsed("--verbose").is_err());
    }
}
