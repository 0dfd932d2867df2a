//! A hermetic Claude home in a temporary folder.
//!
//! Has the paths of files under `~/.claude`, and the environment that keeps a program inside it. The folder
//! is removed when the value is dropped.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::process::start_of;

/// A Claude home in a temporary folder.
///
/// ```
/// use unspool_testkit::{TestHome, session, uuid};
///
/// let home = TestHome::new();
/// let file = home.add_session("/srv/demo", &uuid("session"), session(r#"u1 user "hello""#));
/// assert!(file.starts_with(home.path().join("projects/-srv-demo")));
/// ```
#[derive(Debug)]
pub struct TestHome {
    /// Dropping it removes the folder.
    _folder: TempDir,
    user: PathBuf,
    claude: PathBuf,
}

/// The position of an agent's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentFilePlace {
    /// `<project>/agent-<id>.jsonl`, next to the session (2.0.x).
    Sibling,
    /// `<project>/<session>/subagents/agent-<id>.jsonl` (2.1.x).
    Subagents,
    /// `<project>/<session>/subagents/workflows/<run>/agent-<id>.jsonl`.
    Workflow {
        /// The id of the workflow's run.
        run: String,
    },
}

/// A side file of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestSideFile {
    /// `todos/<session>-agent-<session>.json`.
    Todos,
    /// `tasks/<session>/<number>.json`.
    Task(u32),
    /// `plans/<slug>.md`.
    Plan(String),
    /// `projects/<project>/<session>/tool-results/<name>`.
    ToolResult {
        /// The project folder.
        cwd: String,
        /// The name of the file, such as `toolu_01A.txt`.
        name: String,
    },
    /// `projects/<project>/<session>/subagents/workflows/<run>/journal.jsonl`.
    WorkflowJournal {
        /// The project folder.
        cwd: String,
        /// The id of the workflow's run.
        run: String,
    },
}

impl TestHome {
    /// Creates an empty home.
    pub fn new() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("unspool-home-")
            .tempdir()
            .expect("a temporary folder can be made");
        let user = fs::canonicalize(folder.path()).expect("the temporary folder exists");
        let claude = user.join(".claude");
        fs::create_dir_all(claude.join("projects")).expect("the temporary folder is writable");
        Self { _folder: folder, user, claude }
    }

    /// Returns the Claude home, `~/.claude`.
    pub fn path(&self) -> &Path {
        &self.claude
    }

    /// Returns the home of the user.
    pub fn user_home(&self) -> &Path {
        &self.user
    }

    /// Returns the folder of the sessions of a project.
    pub fn project_dir(&self, cwd: &str) -> PathBuf {
        self.claude.join("projects").join(project_folder(cwd))
    }

    /// Writes the log of a session and returns its path.
    pub fn add_session(&self, cwd: &str, session: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        write(self.project_dir(cwd).join(format!("{session}.jsonl")), bytes)
    }

    /// Writes the log of an agent and returns its path.
    pub fn add_agent(
        &self,
        cwd: &str,
        session: &str,
        place: &AgentFilePlace,
        agent: &str,
        bytes: impl AsRef<[u8]>,
    ) -> PathBuf {
        let folder = self.agent_dir(cwd, session, place);
        write(folder.join(format!("agent-{agent}.jsonl")), bytes)
    }

    /// Writes the metadata file of an agent and returns its path.
    pub fn add_agent_meta(
        &self,
        cwd: &str,
        session: &str,
        place: &AgentFilePlace,
        agent: &str,
        json: impl AsRef<[u8]>,
    ) -> PathBuf {
        let folder = self.agent_dir(cwd, session, place);
        write(folder.join(format!("agent-{agent}.meta.json")), json)
    }

    /// Writes a side file of a session and returns its path.
    pub fn add_side_file(
        &self,
        session: &str,
        place: &TestSideFile,
        content: impl AsRef<[u8]>,
    ) -> PathBuf {
        let path = match place {
            TestSideFile::Todos => format!("todos/{session}-agent-{session}.json").into(),
            TestSideFile::Task(number) => format!("tasks/{session}/{number}.json").into(),
            TestSideFile::Plan(slug) => format!("plans/{slug}.md").into(),
            TestSideFile::ToolResult { cwd, name } => {
                self.project_dir(cwd).join(session).join("tool-results").join(name)
            }
            TestSideFile::WorkflowJournal { cwd, run } => {
                let place = AgentFilePlace::Workflow { run: run.clone() };
                self.agent_dir(cwd, session, &place).join("journal.jsonl")
            }
        };
        write(self.claude.join(path), content)
    }

    /// Writes the file of a running client that has a session open, and returns its path. `says` has
    /// additional fields. The file appears atomically, like that of the client.
    pub fn add_running(&self, session: &str, pid: u32, says: &Value) -> PathBuf {
        let mut record = json!({"pid": pid, "sessionId": session, "procStart": start_of(pid)});
        for (name, value) in says.as_object().expect("an object") {
            record[name] = value.clone();
        }
        let path = self.claude.join(format!("sessions/{pid}.json"));
        let new = write(path.with_extension("new"), record.to_string());
        fs::rename(new, &path).expect("renamed");
        path
    }

    /// Writes a prompt to `history.jsonl` with a time in milliseconds since 1970.
    pub fn add_history(&self, project: &str, session: &str, unix_ms: i64, prompt: &str) -> PathBuf {
        let path = self.claude.join("history.jsonl");
        let mut text = fs::read_to_string(&path).unwrap_or_default();
        let line = json!({
            "display": prompt,
            "pastedContents": {},
            "timestamp": unix_ms,
            "project": project,
            "sessionId": session,
        });
        text.push_str(&line.to_string());
        text.push('\n');
        write(path, text)
    }

    /// Writes a file at a path relative to the Claude home, and returns its full path.
    pub fn add_file(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        write(self.claude.join(path), content)
    }

    /// Writes an executable shell script at a path relative to the user's home, and returns its full path.
    #[cfg(unix)]
    pub fn add_script(&self, path: impl AsRef<Path>, text: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt as _;
        let path = write(self.user.join(path), format!("#!/bin/sh\n{text}\n"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
        path
    }

    /// Copies all files below a folder to the Claude home.
    pub fn copy_from(&self, folder: &Path) {
        assert!(folder.is_dir(), "cannot read {}", folder.display());
        for file in files_below(folder) {
            let below = file.strip_prefix(folder).expect("it is below");
            write(self.claude.join(below), fs::read(&file).expect("the file is readable"));
        }
    }

    /// Sets the times of all files in the home to an hour ago. A file with a recent time is read again by
    /// each refresh until its time is old enough.
    pub fn age(&self) {
        let hour_ago = SystemTime::now() - Duration::from_hours(1);
        for path in files_below(&self.claude) {
            let file = OpenOptions::new().append(true).open(path);
            let set = file.and_then(|file| file.set_modified(hour_ago));
            set.expect("the file takes a time");
        }
    }

    /// Returns the whole environment of a program under test: the usual program folders, the user's home in
    /// the temporary folder, UTC and UTF-8. Nothing else is inherited from the machine.
    pub fn env(&self) -> Vec<(&'static str, String)> {
        vec![
            ("HOME", self.user.display().to_string()),
            ("LANG", "C.UTF-8".to_owned()),
            ("PATH", "/usr/local/bin:/usr/bin:/bin".to_owned()),
            ("TZ", "UTC".to_owned()),
        ]
    }

    /// Returns a command that runs a program in [this environment](Self::env), in the user's home.
    pub fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command.env_clear().envs(self.env()).current_dir(&self.user);
        command
    }

    /// Returns the folder in which a program started by [`TestHome::command`] keeps its state.
    pub fn state(&self) -> PathBuf {
        self.user.join(".local/share/unspool")
    }

    fn agent_dir(&self, cwd: &str, session: &str, place: &AgentFilePlace) -> PathBuf {
        let project = self.project_dir(cwd);
        match place {
            AgentFilePlace::Sibling => project,
            AgentFilePlace::Subagents => project.join(session).join("subagents"),
            AgentFilePlace::Workflow { run } => {
                project.join(session).join("subagents/workflows").join(run)
            }
        }
    }
}

impl Default for TestHome {
    fn default() -> Self {
        Self::new()
    }
}

/// Appends bytes to a file with one write.
pub fn append(file: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
    let opened = OpenOptions::new().append(true).open(file);
    let written = opened.and_then(|mut file| file.write_all(bytes.as_ref()));
    written.expect("the file takes more");
}

/// Waits until new files in the temporary folder get a later time than those written before this call. The
/// duration depends on the file system, whose clock may have steps of nanoseconds or of seconds.
pub fn next_tick() {
    let mut probe = tempfile::NamedTempFile::new().expect("a temporary file can be made");
    let mut written = || {
        probe.write_all(b".").expect("the file is writable");
        let data = probe.as_file().metadata();
        data.and_then(|data| data.modified()).expect("a time")
    };
    let before = written();
    while written() == before {
        thread::sleep(Duration::from_millis(1));
    }
}

/// Returns the files below a folder, sorted; empty if the folder does not exist.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                _ => files.push(entry.path()),
            }
        }
    }
    files.sort();
    files
}

/// Returns the name of the folder of a project's sessions.
///
/// Every character except ASCII letters and digits becomes `-`. A name of more than 200 characters is cut
/// there and gets a hash of the whole path.
pub fn project_folder(cwd: &str) -> String {
    let name: String =
        cwd.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    if name.len() <= 200 {
        return name;
    }
    format!("{}-{}", &name[..200], path_hash(cwd))
}

/// Hashes a path like the Python SDK: multiplies by 31 for each code point in 32 bits, and formats in base
/// 36.
fn path_hash(path: &str) -> String {
    let hash =
        path.chars().fold(0_i32, |hash, c| hash.wrapping_mul(31).wrapping_add_unsigned(c as u32));
    let mut rest = hash.unsigned_abs();
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(rest % 36, 36).expect("a digit below 36"));
        rest /= 36;
        if rest == 0 {
            return digits.iter().rev().collect();
        }
    }
}

fn write(path: PathBuf, content: impl AsRef<[u8]>) -> PathBuf {
    let folder = path.parent().expect("a file is in a folder");
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&path, content))
        .unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reallogs;

    #[test]
    fn project_folders_agree_with_the_sdk() {
        let vectors = reallogs::sdk_vectors();
        let cases = vectors["sanitize_path"].as_object().expect("an object of cases");
        for (path, folder) in cases {
            assert_eq!(project_folder(path), folder.as_str().expect("a name"), "{path}");
        }
        for (text, hash) in vectors["simple_hash"].as_object().expect("an object of cases") {
            assert_eq!(path_hash(text), hash.as_str().expect("a hash"), "{text}");
        }
    }

    #[test]
    fn every_layout_has_its_place() {
        let home = TestHome::new();
        let under = |path: PathBuf| {
            assert!(path.is_file());
            let short = path.strip_prefix(home.path()).expect("inside the home");
            short.display().to_string()
        };
        let workflow = AgentFilePlace::Workflow { run: "run1".to_owned() };
        assert_eq!(under(home.add_session("/a.b", "s", "")), "projects/-a-b/s.jsonl");
        assert_eq!(
            under(home.add_agent("/a", "s", &AgentFilePlace::Sibling, "1f", "")),
            "projects/-a/agent-1f.jsonl"
        );
        assert_eq!(
            under(home.add_agent("/a", "s", &AgentFilePlace::Subagents, "1f", "")),
            "projects/-a/s/subagents/agent-1f.jsonl"
        );
        assert_eq!(
            under(home.add_agent_meta("/a", "s", &AgentFilePlace::Subagents, "1f", "{}")),
            "projects/-a/s/subagents/agent-1f.meta.json"
        );
        assert_eq!(
            under(home.add_agent("/a", "s", &workflow, "1f", "")),
            "projects/-a/s/subagents/workflows/run1/agent-1f.jsonl"
        );
        let spilled = TestSideFile::ToolResult { cwd: "/a".to_owned(), name: "t1.txt".to_owned() };
        assert_eq!(
            under(home.add_side_file("s", &spilled, "x")),
            "projects/-a/s/tool-results/t1.txt"
        );
        assert_eq!(under(home.add_running("s", 7, &json!({}))), "sessions/7.json");
        assert_eq!(under(home.add_side_file("s", &TestSideFile::Task(1), "{}")), "tasks/s/1.json");
    }

    #[test]
    fn history_grows_by_lines() {
        let home = TestHome::new();
        home.add_history("/a", "s", 1, "one");
        let path = home.add_history("/a", "s", 2, "two");
        let text = fs::read_to_string(path).expect("the history is there");
        assert_eq!(text.lines().count(), 2);
    }

    #[test]
    fn a_command_sees_only_the_test_environment() {
        let home = TestHome::new();
        let output = home.command("/usr/bin/env").output().expect("env runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let names: Vec<&str> = text.lines().filter_map(|line| line.split('=').next()).collect();
        assert_eq!(names.len(), 4, "{text}");
        assert!(!text.contains("CLAUDE") && !text.contains("XDG") && !text.contains("NO_COLOR"));
    }

    #[test]
    fn the_folder_goes_with_the_value() {
        let home = TestHome::new();
        let path = home.path().to_owned();
        drop(home);
        assert!(!path.exists());
    }
}
