//! Runs one task in its own process and reports its cost.
//!
//! The program starts itself with a hidden subcommand and the task as JSON. The child has a clean
//! heap, its peak of memory is that of the task, and a crash is reported like any other result.

use std::env;
use std::ffi::OsString;
use std::hint::black_box;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicU64;
use std::time::SystemTime;

use anyhow::{Context as _, Result, ensure};
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use unspool_engine::ops::transcript;
use unspool_engine::ops::transcript::ViewKind;
use unspool_model::conversation::Conversation;
use unspool_model::graph::Rule;
use unspool_model::names;
use unspool_model::query::{self, Clock};
use unspool_model::time::Time;
use unspool_redact::{RedactRules, Redactor, Treatment};
use unspool_render::document::AgentLayout;
use unspool_render::export::{ExportRequest, Format, OutputSetting, PathChoice, plan, write_one};
use unspool_search::hit::SnippetSize;
use unspool_search::ranked as search;
use unspool_search::text::Freshness;
use unspool_search::text::TextIndex;
use unspool_store::home::{self, Home, Resolved};
use unspool_store::index::{Index, RefreshBasis};
use unspool_store::prices::PriceTable;
use unspool_store::progress::Unwatched;
use unspool_store::rows::AgentRows;
use unspool_store::session::{Session, scope_of};
use unspool_store::tail::LogFile;
use unspool_text::html::Painting;

use crate::bare;
use crate::grown;
use crate::logs;
use crate::machine;
use crate::stopwatch::{Lap, timed};

/// A task for a process of its own.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum ProbeTask {
    /// Opens one session and computes its history, turns and counts.
    Open { file: PathBuf },
    /// Reads every transcript of a home into a conversation, one after the other.
    Conversations { home: PathBuf },
    /// Brings the catalogue of a home up to date, with as many threads as cores.
    Catalogue { home: PathBuf, index: PathBuf },
    /// Brings the full text of a home up to date; its catalogue is up to date.
    Text { home: PathBuf, index: PathBuf },
    /// Indexes the same texts with a minimal writer.
    BareText { home: PathBuf, index: PathBuf },
    /// Indexes them with a minimal writer while they are read from the logs.
    BareLogs { home: PathBuf, index: PathBuf },
    /// Searches a home whose index is up to date, in this process.
    Search { home: PathBuf, index: PathBuf },
    /// Opens one session, then computes its layout.
    Show { file: PathBuf },
    /// Opens a copy of one session, then appends and reads one line at a time.
    Grow { file: PathBuf },
    /// Exports the active path of one session to a file.
    Export { way: ExportWay, file: PathBuf },
}

names! {
    /// How a session is exported.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
    pub(crate) enum ExportWay {
        /// As Markdown.
        Markdown = "markdown",
        /// As a page without colours for code.
        Html = "html",
        /// As Markdown without secrets.
        Redacted = "redacted",
    }
}

impl ExportWay {
    fn format(self) -> Format {
        match self {
            Self::Markdown | Self::Redacted => Format::Markdown,
            Self::Html => Format::Html(Painting::Plain),
        }
    }
}

/// The cost of a task.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TaskCost {
    /// The time of each part of the task.
    pub(crate) laps: Vec<Lap>,
    /// The peak of resident memory, including mapped pages.
    pub(crate) peak_bytes: Option<u64>,
}

impl ProbeTask {
    /// Returns the command that runs the task in its own process.
    pub(crate) fn command(&self) -> Result<Vec<OsString>> {
        let program = env::current_exe().context("cannot find myself")?;
        Ok(vec![program.into(), "probe".into(), serde_json::to_string(self)?.into()])
    }

    /// Runs the task in its own process.
    pub(crate) fn run(&self) -> Result<TaskCost> {
        let words = self.command()?;
        let out = Command::new(&words[0])
            .args(&words[1..])
            .output()
            .context("cannot start a child process")?;
        let complaint = String::from_utf8_lossy(&out.stderr);
        ensure!(out.status.success(), "{self:?}: {}: {}", out.status, complaint.trim());
        serde_json::from_slice(&out.stdout).context("a child process did not tell what it took")
    }

    /// Runs the task in this process.
    pub(crate) fn perform(&self) -> Result<TaskCost> {
        let laps = match self {
            Self::Open { file } => open(file)?,
            Self::Conversations { home } => conversations(home)?,
            Self::Catalogue { home, index } => catalogue(home, index)?,
            Self::Text { home, index } => text(home, index)?,
            Self::BareText { home, index } => bare::texts(home, index)?,
            Self::BareLogs { home, index } => bare::logs(home, index)?,
            Self::Search { home, index } => search(home, index)?,
            Self::Show { file } => show(file)?,
            Self::Grow { file } => grown::laps(file)?,
            Self::Export { way, file } => export(*way, file)?,
        };
        Ok(TaskCost { laps, peak_bytes: machine::peak_memory() })
    }
}

fn open_session(file: &Path) -> Result<Session> {
    let found = Resolved { home: None, project: None, target: home::describe_log(file)? };
    Ok(Session::open(&found, None)?)
}

fn export(way: ExportWay, file: &Path) -> Result<Vec<Lap>> {
    let sources = [Resolved { home: None, project: None, target: home::describe_log(file)? }];
    let redactor = Redactor::new(&RedactRules::default());
    let request = ExportRequest {
        sources: &sources,
        open: &|found| Session::open(found, None),
        relatives: &|_| Vec::new(),
        format: way.format(),
        paths: PathChoice::Active,
        agents: AgentLayout::Inline,
        view: ViewKind::History,
        prices: &PriceTable::built_in(),
        setting: OutputSetting::Folder,
        redaction: (way == ExportWay::Redacted).then_some((&redactor, Treatment::Replace)),
    };
    let mut out = BufWriter::new(tempfile::tempfile()?);
    // On this thread only, so that its processor time is that of the whole task.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build()?;
    let (lap, ()) = timed(|| {
        let mut plan = pool.install(|| plan(&request, &AtomicU64::new(0)));
        ensure!(plan.transcripts() > 0, "there is nothing to export");
        write_one(&request, &mut plan, &mut out)?;
        Ok(out.flush()?)
    })?;
    Ok(vec![lap])
}

fn open(file: &Path) -> Result<Vec<Lap>> {
    let (lap, ()) = timed(|| {
        let session = open_session(file)?;
        let conversation = session.conversation(Rule::Current);
        let view = conversation.paths.active().map(|path| conversation.history(path));
        let turns = view.as_ref().map(|view| conversation.turns(view, session.live));
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

fn catalogue(home: &Path, index: &Path) -> Result<Vec<Lap>> {
    let homes = [Home::new(home)];
    let prices = &PriceTable::built_in();
    let (lap, rows) = timed(|| {
        let mut index = Index::open(index)?;
        let now = SystemTime::now();
        let refreshed = index.refresh(&homes, &RefreshBasis { now, prices }, &Unwatched)?;
        ensure!(refreshed.file_errors.is_empty(), "{}", refreshed.file_errors[0]);
        Ok(index.rows(&homes, AgentRows::Folded)?)
    })?;
    ensure!(!rows.is_empty(), "there are no sessions");
    Ok(vec![lap])
}

fn text(home: &Path, index: &Path) -> Result<Vec<Lap>> {
    let homes = [Home::new(home)];
    let prices = &PriceTable::built_in();
    let now = SystemTime::now();
    let mut index = Index::open(index)?;
    let found = index.refresh(&homes, &RefreshBasis { now, prices }, &Unwatched)?.found;
    let (lap, (_, report)) = timed(|| TextIndex::open(&index, &homes, &found, now, &Unwatched))?;
    ensure!(report.freshness == Freshness::Fresh, "{:?}", report.freshness);
    Ok(vec![lap])
}

fn search(home: &Path, index: &Path) -> Result<Vec<Lap>> {
    let homes = [Home::new(home)];
    let index = Index::open(index)?;
    let clock = Clock { now: Time::from_millis(0), zone: TimeZone::UTC };
    let query = query::parse("the error in the test of the parser", &clock)?;
    let (lap, ()) = timed(|| {
        let (text, _) = TextIndex::open_as_it_is(&index, &homes, SystemTime::now())?;
        let places = search::CatalogueLookup::new(&index, &homes, &[], None);
        let request = search::RankedRequest {
            query: &query,
            now: clock.now,
            limit: 20,
            of_session: Some(3),
            extent: SnippetSize::default(),
        };
        let answer = search::search(&text, &places, &request)?;
        ensure!(!answer.sessions.is_empty(), "nothing was found");
        Ok(())
    })?;
    Ok(vec![lap])
}

fn show(file: &Path) -> Result<Vec<Lap>> {
    let (opening, session) = timed(|| open_session(file))?;
    let request = transcript::TranscriptRequest::default();
    let (layout, transcript) = timed(|| transcript::Transcript::new(&session, &request))?;
    ensure!(!transcript.view.messages.is_empty(), "there is nothing to show");
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
        let index = folder.path().join("index");
        for (task, laps) in [
            (ProbeTask::Open { file: file.clone() }, 1),
            (ProbeTask::Show { file }, 2),
            (ProbeTask::Conversations { home: home.clone() }, 1),
            (ProbeTask::Catalogue { home, index }, 1),
        ] {
            let reading = task.perform().expect("can be done");
            assert_eq!(reading.laps.len(), laps, "{task:?}");
        }
    }

    #[test]
    fn a_task_says_what_is_wrong() {
        let file = PathBuf::from("/nowhere/x.jsonl");
        let error = ProbeTask::Open { file }.perform().expect_err("no file");
        assert_eq!(error.to_string(), "/nowhere/x.jsonl: does not exist");
    }
}
