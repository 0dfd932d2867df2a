//! The log of a scripted client: one line per entry, in the real client's format.

use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::entropy;
use super::options::CLIENT_VERSION;
use crate::home::project_folder;

/// Returns the path of a session's log.
pub(super) fn log_path(config: &Path, cwd: &Path, session: &str) -> PathBuf {
    let folder = project_folder(&cwd.to_string_lossy());
    config.join("projects").join(folder).join(format!("{session}.jsonl"))
}

/// A log that is appended to.
#[derive(Debug)]
pub(super) struct ClientLog {
    path: PathBuf,
    session: String,
    cwd: String,
    agent: Option<String>,
    /// Lines in memory, for a client that dies before it writes them.
    held: Option<Vec<u8>>,
}

impl ClientLog {
    /// Returns the log of a session; the file need not exist.
    pub(super) fn of_session(config: &Path, cwd: &Path, session: &str) -> Self {
        Self {
            path: log_path(config, cwd, session),
            session: session.to_owned(),
            cwd: cwd.to_string_lossy().into_owned(),
            agent: None,
            held: None,
        }
    }

    /// Returns the log of an agent of this session, and writes the side file with the id of its call.
    pub(super) fn of_agent(&self, agent: &str, tool_use_id: &str) -> Self {
        let folder = self.path.with_extension("").join("subagents");
        let meta = json!({
            "agentType": "general-purpose", "description": "scripted",
            "toolUseId": tool_use_id, "spawnDepth": 1,
        });
        write_new(&folder.join(format!("agent-{agent}.meta.json")), &meta);
        Self {
            path: folder.join(format!("agent-{agent}.jsonl")),
            session: self.session.clone(),
            cwd: self.cwd.clone(),
            agent: Some(agent.to_owned()),
            held: None,
        }
    }

    /// Returns the id of the session.
    pub(super) fn session(&self) -> &str {
        &self.session
    }

    /// Keeps all further lines in memory.
    pub(super) fn hold(&mut self) {
        self.held.get_or_insert_default();
    }

    /// Writes an entry of the conversation with the fields that all entries have.
    pub(super) fn entry(&mut self, uuid: &str, parent: Option<&str>, fields: Value) {
        let mut entry = json!({
            "parentUuid": parent, "isSidechain": self.agent.is_some(), "uuid": uuid,
            "timestamp": entropy::now_iso(), "userType": "external", "entrypoint": "sdk-cli",
            "cwd": self.cwd, "sessionId": self.session, "version": CLIENT_VERSION, "gitBranch": "",
        });
        if let Some(agent) = &self.agent {
            entry["agentId"] = json!(agent);
        }
        merge(&mut entry, fields);
        self.line(&entry);
    }

    /// Copies entries of another session to this one.
    pub(super) fn copy(&mut self, entries: &[Value]) {
        for entry in entries {
            let mut entry = entry.clone();
            entry["sessionId"] = json!(self.session);
            self.line(&entry);
        }
    }

    /// Writes a line that is not an entry.
    pub(super) fn metadata(&mut self, mut fields: Value) {
        fields["sessionId"] = json!(self.session);
        self.line(&fields);
    }

    /// Writes a line unchanged.
    pub(super) fn line(&mut self, line: &Value) {
        let mut bytes = line.to_string().into_bytes();
        bytes.push(b'\n');
        self.bytes(&bytes);
    }

    /// Writes bytes that may be part of a line.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        if let Some(held) = &mut self.held {
            held.extend_from_slice(bytes);
            return;
        }
        let mut file = self.open();
        let mut bytes = bytes.to_vec();
        // The real client also begins with a newline after a torn line.
        if ends_torn(&mut file) {
            bytes.insert(0, b'\n');
        }
        file.write_all(&bytes)
            .unwrap_or_else(|error| panic!("cannot write {}: {error}", self.path.display()));
    }

    fn open(&self) -> File {
        make_parent(&self.path);
        OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(&self.path)
            .unwrap_or_else(|error| panic!("cannot open {}: {error}", self.path.display()))
    }
}

fn ends_torn(file: &mut File) -> bool {
    let mut last = [0];
    file.seek(SeekFrom::End(-1))
        .and_then(|_| file.read_exact(&mut last))
        .is_ok_and(|()| last != *b"\n")
}

fn make_parent(path: &Path) {
    let folder = path.parent().expect("a file is in a folder");
    fs::create_dir_all(folder)
        .unwrap_or_else(|error| panic!("cannot make {}: {error}", folder.display()));
}

/// Replaces a small file atomically.
pub(super) fn write_new(path: &Path, content: &Value) {
    make_parent(path);
    // A rename keeps readers from seeing a partial file.
    let draft = path.with_extension("tmp");
    fs::write(&draft, content.to_string())
        .and_then(|()| fs::rename(&draft, path))
        .unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
}

/// Appends a line to a file for tests.
pub(super) fn append_text(path: &Path, line: &str) {
    let written = OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
    written.unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
}

/// Copies the fields of one object to another.
pub(super) fn merge(into: &mut Value, fields: Value) {
    if let (Value::Object(into), Value::Object(fields)) = (into, fields) {
        into.extend(fields);
    }
}
