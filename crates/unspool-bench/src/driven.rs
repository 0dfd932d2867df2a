//! The program driving a client: runs with their hosts, and a client that prints given lines.

use std::env;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use unspool_testkit::process::{kernel_bytes, parent_of, ticks_of};

use crate::program;

/// The variable that names the pipe whose lines the client prints.
const LINES_VARIABLE: &str = "BENCH_LINES";

/// An idle client that ends with its input, or prints the lines of a pipe.
const CLIENT: &str = r#"#!/bin/sh
echo '{"type":"system","subtype":"session_state_changed","state":"idle"}'
if [ -n "$BENCH_LINES" ]; then exec cat "$BENCH_LINES"; fi
exec cat >/dev/null
"#;

/// The program with a folder for driving.
pub(crate) struct DrivenProgram {
    binary: PathBuf,
    folder: PathBuf,
}

/// A run. It is stopped when it is dropped.
pub(crate) struct DrivenRun<'p> {
    program: &'p DrivenProgram,
    id: String,
    pub(crate) host: HostProcess,
}

/// The process of a host.
pub(crate) struct HostProcess(u32);

/// The pipe whose lines a client prints.
pub(crate) struct ClientLines(File);

/// The events of a run. The following program is killed on drop.
pub(crate) struct FollowedRun {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl DrivenProgram {
    /// Creates a home, a client and a trusted folder.
    pub(crate) fn prepare(folder: &Path) -> Result<Self> {
        let binary = program::binary()?;
        let program = Self { binary, folder: folder.to_owned() };
        fs::create_dir_all(folder.join("work"))?;
        fs::create_dir_all(folder.join("home"))?;
        fs::write(folder.join("client"), CLIENT)?;
        fs::set_permissions(folder.join("client"), Permissions::from_mode(0o755))?;
        program.run(&["drive", "trust", "--yes", "."], None)?;
        Ok(program)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command
            .env_clear()
            .envs(env::var_os("PATH").map(|path| ("PATH", path)))
            .env("HOME", &self.folder)
            .env("XDG_DATA_HOME", self.folder.join("data"))
            .env("CLAUDE_CONFIG_DIR", self.folder.join("home"))
            .env("UNSPOOL_CLAUDE", self.folder.join("client"))
            .current_dir(self.folder.join("work"))
            .stdin(Stdio::null())
            .args(args);
        command
    }

    fn run(&self, args: &[&str], lines: Option<&OsStr>) -> Result<String> {
        let mut command = self.command(args);
        command.envs(lines.map(|lines| (LINES_VARIABLE, lines)));
        let output =
            command.output().with_context(|| format!("cannot start {}", self.binary.display()))?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{args:?}: {said}");
        Ok(String::from_utf8(output.stdout)?)
    }

    /// Starts a run; its client prints the lines of the named pipe, if any.
    pub(crate) fn start(&self, lines: Option<&str>) -> Result<DrivenRun<'_>> {
        let pipe = lines.map(|name| self.folder.join(name));
        if let Some(pipe) = &pipe {
            let made = Command::new("mkfifo").arg(pipe).status()?;
            ensure!(made.success(), "a pipe cannot be made");
        }
        let args = ["drive", "start", "--idle", "off", "--json"];
        let started = self.run(&args, pipe.as_ref().map(|pipe| pipe.as_os_str()))?;
        let started: serde_json::Value = serde_json::from_str(&started)?;
        let client = started["pid"].as_u64().context("a run without a client")?;
        let host = parent_of(client as u32).context("a client without a host")?;
        let id = started["run"].as_str().context("a run without an id")?;
        Ok(DrivenRun { program: self, id: id.to_owned(), host: HostProcess(host) })
    }

    /// Opens the pipe of a client.
    pub(crate) fn client(&self, name: &str) -> Result<ClientLines> {
        let pipe = OpenOptions::new().write(true).open(self.folder.join(name))?;
        Ok(ClientLines(pipe))
    }

    /// Follows a run from its current state.
    pub(crate) fn follow(&self, run: &DrivenRun<'_>) -> Result<FollowedRun> {
        let args = ["drive", "attach", &run.id, "--json"];
        let mut child = self.command(&args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let lines = child.stdout.take().context("no standard output")?;
        let mut events = FollowedRun { child, lines: BufReader::new(lines) };
        events.wait_for("idle")?;
        Ok(events)
    }
}

impl Drop for DrivenRun<'_> {
    fn drop(&mut self) {
        // A host outlives the program that started it.
        let _ = self.program.run(&["drive", "stop", &self.id], None);
    }
}

impl HostProcess {
    /// Returns the processor time of the host, in ticks of a hundredth of a second.
    pub(crate) fn ticks(&self) -> Option<u64> {
        ticks_of(self.0)
    }

    /// Returns the memory that the host does not share with other processes.
    pub(crate) fn own_memory(&self) -> Option<u64> {
        let file = format!("/proc/{}/smaps_rollup", self.0);
        let kinds = ["Private_Clean", "Private_Dirty", "Private_Hugetlb"];
        kinds.map(|kind| kernel_bytes(&file, kind)).into_iter().sum()
    }
}

impl ClientLines {
    /// Prints an event of the model.
    pub(crate) fn say(&mut self, event: &str) -> Result<()> {
        let line = format!("{{\"type\":\"stream_event\",\"event\":{event},\"session_id\":\"\"}}\n");
        Ok(self.0.write_all(line.as_bytes())?)
    }
}

impl FollowedRun {
    /// Reads until a line contains a text.
    pub(crate) fn wait_for(&mut self, text: &str) -> Result<()> {
        let mut line = String::new();
        loop {
            line.clear();
            ensure!(self.lines.read_line(&mut line)? > 0, "the run ended");
            if line.contains(text) {
                return Ok(());
            }
        }
    }
}

impl Drop for FollowedRun {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
