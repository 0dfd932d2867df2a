//! One task in a process of its own, which tells what it took.
//!
//! The program starts itself with a hidden subcommand. The child's heap is clean, its peak of
//! memory is that of the task, and a crash is a result like any other.

use std::env;
use std::ffi::OsString;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicU64;

use anyhow::{Context as _, Result, ensure};
use clap::Subcommand;
use serde::{Deserialize, Serialize};
use unspool_engine::home::{self, Home, LiveSessions, Resolved, SystemProcesses};
use unspool_engine::ops::{list, transcript};
use unspool_engine::session::{Session, scope_of};
use unspool_engine::tail::LogFile;
use unspool_model::conversation::Conversation;
use unspool_model::graph::Rule;

use crate::logs;
use crate::machine;
use crate::stopwatch::{Lap, timed};

/// Something to do in a process of its own.
#[derive(Subcommand, Clone, Debug)]
pub(crate) enum Task {
    /// Opens one session and asks for its history, turns and counts.
    Open { file: PathBuf },
    /// Reads every transcript of a home into a conversation, one after the other.
    Conversations { home: PathBuf },
    /// Lists the sessions of a home, with as many threads as cores.
    List { home: PathBuf },
    /// Opens one session, then lays it out.
    Show { file: PathBuf },
}

/// What a task took.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Reading {
    /// The time of each part of the task.
    pub(crate) laps: Vec<Lap>,
    /// The most memory that was resident, mapped pages included.
    pub(crate) peak_bytes: Option<u64>,
}

impl Task {
    /// Returns the command that does the task in a process of its own.
    pub(crate) fn command(&self) -> Result<Vec<OsString>> {
        let (name, path) = match self {
            Self::Open { file } => ("open", file),
            Self::Conversations { home } => ("conversations", home),
            Self::List { home } => ("list", home),
            Self::Show { file } => ("show", file),
        };
        let program = env::current_exe().context("cannot find myself")?;
        let words = [program.into(), "probe".into(), name.into(), path.into()];
        Ok(words.to_vec())
    }

    /// Does the task in a process of its own.
    pub(crate) fn run(&self) -> Result<Reading> {
        let words = self.command()?;
        let out = Command::new(&words[0])
            .args(&words[1..])
            .output()
            .context("cannot start a child process")?;
        let complaint = String::from_utf8_lossy(&out.stderr);
        ensure!(
            out.status.success(),
            "{self:?}: {}: {}",
            out.status,
            complaint.trim()
        );
        serde_json::from_slice(&out.stdout).context("a child process did not tell what it took")
    }

    /// Does the task here and now.
    pub(crate) fn perform(&self) -> Result<Reading> {
        let laps = match self {
            Self::Open { file } => open(file)?,
            Self::Conversations { home } => conversations(home)?,
            Self::List { home } => list(home)?,
            Self::Show { file } => show(file)?,
        };
        Ok(Reading {
            laps,
            peak_bytes: machine::peak_memory(),
        })
    }
}

fn open_session(file: &Path) -> Result<Session> {
    let found = Resolved {
        home: None,
        project: None,
        target: home::open_path(file)?,
    };
    Ok(Session::open(&found, None)?)
}

fn open(file: &Path) -> Result<Vec<Lap>> {
    let (lap, ()) = timed(|| {
        let session = open_session(file)?;
        let conversation = session.conversation(Rule::Current);
        let view = conversation
            .paths
            .active()
            .map(|path| conversation.history(path));
        let turns = view
            .as_ref()
            .map(|view| conversation.turns(view, session.live));
        let counts = conversation.counts();
        black_box((&view, &turns, &counts));
        anyhow::Ok(())
    })?;
    Ok(vec![lap])
}

fn conversations(home: &Path) -> Result<Vec<Lap>> {
    let files = logs::transcripts(home)?;
    let (lap, ()) = timed(|| {
        for file in &files {
            let file = LogFile::open(&file.path)?;
            let log = file.log();
            black_box(&Conversation::new(log, Rule::Current, scope_of(log)));
        }
        anyhow::Ok(())
    })?;
    Ok(vec![lap])
}

fn list(home: &Path) -> Result<Vec<Lap>> {
    let (lap, listing) = timed(|| {
        let home = Home::new(home);
        let live = LiveSessions::read(&home, &SystemProcesses);
        let found = home::discover_all(&[home]);
        let read = AtomicU64::new(0);
        anyhow::Ok(list::list(
            &found,
            &[live],
            &list::Request::default(),
            &read,
        ))
    })?;
    ensure!(!listing.rows.is_empty(), "there are no sessions");
    ensure!(listing.troubles.is_empty(), "{}", listing.troubles[0]);
    Ok(vec![lap])
}

fn show(file: &Path) -> Result<Vec<Lap>> {
    let (opening, session) = timed(|| open_session(file))?;
    let request = transcript::Request::default();
    let (layout, transcript) = timed(|| transcript::Transcript::new(&session, &request))?;
    ensure!(
        !transcript.view.messages.is_empty(),
        "there is nothing to show"
    );
    Ok(vec![opening, layout])
}

#[cfg(test)]
mod tests {
    use unspool_testkit::generate::Corpus;

    use super::*;

    #[test]
    fn every_task_can_be_done_on_a_small_home() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = folder.path().to_owned();
        let made = Corpus::new(7, 1_000_000).write_to(&home).expect("writes");
        let file = made.largest;
        for (task, laps) in [
            (Task::Open { file: file.clone() }, 1),
            (Task::Show { file }, 2),
            (Task::Conversations { home: home.clone() }, 1),
            (Task::List { home }, 1),
        ] {
            let reading = task.perform().expect("can be done");
            assert_eq!(reading.laps.len(), laps, "{task:?}");
        }
    }

    #[test]
    fn a_task_says_what_is_wrong() {
        let file = PathBuf::from("/nowhere/x.jsonl");
        let error = Task::Open { file }.perform().expect_err("no file");
        assert_eq!(error.to_string(), "/nowhere/x.jsonl: does not exist");
    }
}
