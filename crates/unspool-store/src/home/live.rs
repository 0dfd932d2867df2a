//! Sessions that running processes own.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use unspool_model::ids::SessionId;
use unspool_model::named::Named as _;
use unspool_model::names;

use super::list::list;
use super::{Home, Problem, Reason};

/// The most bytes that are read of a process's file.
const LIMIT: u64 = 1024 * 1024;

/// Queries running processes.
pub trait Processes {
    /// Returns the start time of a process, in the unit that Claude Code records; `None` if it does
    /// not run or the system cannot tell.
    fn start_time(&self, pid: u32) -> Option<String>;
}

/// Queries the operating system; only Linux has an answer.
#[derive(Clone, Copy, Default, Debug)]
pub struct SystemProcesses;

impl Processes for SystemProcesses {
    #[cfg(target_os = "linux")]
    fn start_time(&self, pid: u32) -> Option<String> {
        let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
        start_time_in_stat(&stat)
    }

    #[cfg(not(target_os = "linux"))]
    fn start_time(&self, _: u32) -> Option<String> {
        None
    }
}

/// Reads the start time, field 22 of `/proc/<pid>/stat`; `None` for a dead process whose parent has
/// not waited for it.
#[cfg(any(target_os = "linux", test))]
fn start_time_in_stat(stat: &[u8]) -> Option<String> {
    // The second field is the program's name in parentheses, and may contain both
    // spaces and parentheses.
    let name_end = memchr::memrchr(b')', stat)?;
    let rest = std::str::from_utf8(&stat[name_end + 1..]).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X" | "x") {
        return None;
    }
    // The state is field 3.
    fields.nth(22 - 4).map(str::to_owned)
}

/// A session that a running process owns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LiveSession {
    /// The session's id.
    pub session: SessionId,
    /// The process id.
    pub pid: u32,
    /// The working folder of the process.
    pub cwd: Option<String>,
    /// When the session began, in milliseconds since the epoch.
    pub started_at: Option<i64>,
    /// What the process is doing: `busy`, `idle`, `waiting` …
    pub status: Option<String>,
    /// When the status last changed, in milliseconds since the epoch.
    pub status_at: Option<i64>,
    /// What the process is waiting for.
    pub waiting_for: Option<String>,
    /// The session's short name.
    pub name: Option<String>,
    /// How the session is run, such as `interactive`.
    pub kind: Option<String>,
    /// How the process was started, such as `cli` or `sdk-cli`.
    pub entrypoint: Option<String>,
    /// The version of Claude Code.
    pub version: Option<String>,
    /// The file that these facts were read from.
    pub file: PathBuf,
}

names! {
    /// The state of a process that owns a session, according to its file.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum ProcessState {
        /// It is waiting for a person.
        Waiting = "waiting",
        /// It is working.
        Busy = "busy" | "shell",
        /// It is idle.
        Idle = "idle",
    }
}

impl LiveSession {
    /// Returns the state of the process; `None` if its file has no status, as in older releases, or
    /// an unknown one.
    pub fn state(&self) -> Option<ProcessState> {
        ProcessState::from_name(self.status.as_deref()?)
    }
}

/// The content of a process's file; every field may be missing or of another type.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ProcessRecord {
    #[serde(default, deserialize_with = "lenient")]
    pid: Option<u32>,
    #[serde(default, deserialize_with = "lenient")]
    session_id: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    proc_start: Option<ProcessStart>,
    #[serde(default, deserialize_with = "lenient")]
    cwd: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    started_at: Option<i64>,
    #[serde(default, deserialize_with = "lenient")]
    status: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    status_updated_at: Option<i64>,
    #[serde(default, deserialize_with = "lenient")]
    waiting_for: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    name: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    kind: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    entrypoint: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    version: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum ProcessStart {
    Text(String),
    Number(u64),
}

impl ProcessStart {
    fn is(&self, time: &str) -> bool {
        match self {
            Self::Text(text) => text == time,
            Self::Number(number) => number.to_string() == time,
        }
    }
}

/// Reads a value of an unexpected type as a missing one.
fn lenient<'de, D: Deserializer<'de>, T: DeserializeOwned>(from: D) -> Result<Option<T>, D::Error> {
    let value = serde_json::Value::deserialize(from)?;
    Ok(T::deserialize(value).ok())
}

/// The sessions of a home that running processes own.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LiveSessions {
    /// The sessions, sorted by the names of their files.
    pub sessions: Vec<LiveSession>,
    /// Files that could not be read.
    pub problems: Vec<Problem>,
}

impl LiveSessions {
    /// Reads `sessions/<pid>.json` and keeps the sessions whose process is running.
    ///
    /// A file is a leftover if its process has ended, or if its process id belongs to another
    /// process by now. A file without a start time is ignored, since it may be a leftover.
    pub fn read(home: &Home, processes: &dyn Processes) -> Self {
        let folder = home.processes_dir();
        let mut live = Self::default();
        if !folder.is_dir() {
            return live;
        }
        // The folder also contains keys, which must not be read.
        let items = list(&folder, &mut live.problems).into_iter();
        for item in items.filter(|item| item.path.extension().is_some_and(|end| end == "json")) {
            match read_record(&item.path) {
                Ok(record) => live.sessions.extend(running(record, &item.path, processes)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    live.problems.push(Problem::new(item.path, Reason::Malformed));
                }
                Err(error) => live.problems.push(Problem::io(&item.path, &error)),
            }
        }
        live
    }

    /// Returns whether a running process owns the session.
    pub fn is_live(&self, session: &SessionId) -> bool {
        self.get(session).is_some()
    }

    /// Returns the first live session with an id.
    pub fn get(&self, session: &SessionId) -> Option<&LiveSession> {
        self.sessions.iter().find(|live| live.session == *session)
    }
}

fn read_record(path: &Path) -> io::Result<ProcessRecord> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut text = Vec::new();
    File::open(path)?.take(LIMIT).read_to_end(&mut text)?;
    serde_json::from_slice(&text).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

fn running(record: ProcessRecord, file: &Path, processes: &dyn Processes) -> Option<LiveSession> {
    let in_name = || file.file_stem()?.to_str()?.parse().ok();
    let pid = record.pid.or_else(in_name)?;
    let session = SessionId::new(record.session_id?);
    let started = processes.start_time(pid)?;
    // Process ids are reused: only the start time identifies the process.
    record.proc_start.filter(|start| start.is(&started))?;
    Some(LiveSession {
        session,
        pid,
        cwd: record.cwd,
        started_at: record.started_at,
        status: record.status,
        status_at: record.status_updated_at,
        waiting_for: record.waiting_for,
        name: record.name,
        kind: record.kind,
        entrypoint: record.entrypoint,
        version: record.version,
        file: file.to_path_buf(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::home::testing::HomeFixture;

    /// Pretends that process 7 has run since 88988 and that no other process runs.
    struct Seven;

    impl Processes for Seven {
        fn start_time(&self, pid: u32) -> Option<String> {
            (pid == 7).then(|| "88988".to_owned())
        }
    }

    #[test]
    fn a_session_is_live_while_its_own_process_runs() {
        for (name, content, expected) in [
            ("7.json", r#"{"pid":7,"sessionId":"s","procStart":"88988"}"#, true),
            ("7.json", r#"{"pid":7,"sessionId":"s","procStart":88988}"#, true),
            ("7.json", r#"{"pid":7,"sessionId":"s"}"#, false),
            ("7.json", r#"{"pid":"?","sessionId":"s","procStart":null,"status":9}"#, false),
            ("7.json", r#"{"pid":7,"sessionId":"s","procStart":"88989"}"#, false),
            ("8.json", r#"{"pid":8,"sessionId":"s","procStart":"88988"}"#, false),
            ("8.json", r#"{"pid":8,"sessionId":"s"}"#, false),
            ("7.json", r#"{"pid":7,"procStart":"88988"}"#, false),
            ("7.json", r#"{"pid":7,"sessionId":"other"}"#, false),
            ("7.key", r#"{"pid":7,"sessionId":"s"}"#, false),
        ] {
            let at = HomeFixture::new();
            at.file(&format!("sessions/{name}"), content);
            let live = LiveSessions::read(&at.home(), &Seven);
            assert_eq!(live.is_live(&SessionId::new("s")), expected, "{content}");
            assert_eq!(live.problems, [], "{content}");
        }
    }

    #[test]
    fn a_damaged_file_is_a_problem_and_the_others_count() {
        let at = HomeFixture::new();
        let damaged = at.file("sessions/6.json", "{\"pid\":6,");
        at.file(
            "sessions/7.json",
            r#"{"sessionId":"s","procStart":"88988","cwd":"/x","status":"busy"}"#,
        );
        let live = LiveSessions::read(&at.home(), &Seven);
        assert_eq!(live.problems, [Problem::new(damaged, Reason::Malformed)]);
        let session = live.get(&SessionId::new("s")).expect("live");
        assert_eq!(session.pid, 7);
        assert_eq!(session.cwd.as_deref(), Some("/x"));
        assert_eq!(session.status.as_deref(), Some("busy"));
    }

    #[test]
    fn a_home_without_the_folder_has_no_live_session() {
        let live = LiveSessions::read(&HomeFixture::new().home(), &Seven);
        assert_eq!(live, LiveSessions::default());
    }

    #[test]
    fn the_start_time_is_after_any_program_name() {
        let rest = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 88988 20 21";
        for (stat, expected) in [
            (format!("7 (node) S {rest}"), Some("88988")),
            (format!("7 (a b) c) (d) R {rest}\n"), Some("88988")),
            (format!("7 (node) Z {rest}"), None),
            ("7 (node) S 1 2".to_owned(), None),
            ("7 node".to_owned(), None),
            (String::new(), None),
        ] {
            let found = start_time_in_stat(stat.as_bytes());
            assert_eq!(found.as_deref(), expected, "{stat}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_runs() {
        let own = SystemProcesses.start_time(std::process::id()).expect("a start time");
        assert!(own.bytes().all(|byte| byte.is_ascii_digit()));
        assert_eq!(SystemProcesses.start_time(u32::MAX), None);
    }
}
