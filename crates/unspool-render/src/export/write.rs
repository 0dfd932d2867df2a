//! Writes the files of a plan.

#![expect(clippy::disallowed_methods, reason = "exports are files")]

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use unspool_model::ids::SessionId;
use unspool_model::positions::{NodeId, PathNumber};
use unspool_redact::{SecretTally, SessionRedactor};
use unspool_text::html::Painting;

use super::head::head;
use super::paper::{FilePaper, Finished, sweep};
use super::plan::{ExportPlan, PlannedAgent, PlannedPath, PlannedSession, bytes};
use super::site::Site;
use super::{ExportRequest, Format, OutputSetting, WriteError};
use crate::document::{
    DocumentSurface, HeldPath, Paper, PathStatus, Playback, PlaybackRequest, WriterPaper,
};
use crate::html::{HtmlSurface, PageOptions};
use crate::json;
use crate::plain::PlainSurface;
use crate::transcript_md::MarkdownSurface;
use unspool_engine::ops::lineage::lineage;
use unspool_engine::ops::transcript::{self, Transcript};
use unspool_store::home::Target;
use unspool_store::rows::Bill;
use unspool_store::session::{Session, SessionFileError};

/// Up to this many sessions, relatives are searched everywhere; with more, only among them.
const FEW: usize = 64;

/// The results of an export.
#[derive(Default)]
pub struct ExportReport {
    /// The transcripts, in the order of the plan.
    pub written: Vec<WrittenTranscript>,
    /// Sessions that could not be read.
    pub file_errors: Vec<SessionFileError>,
    /// The secrets that were found.
    pub secrets: SecretTally,
}

/// A transcript that was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrittenTranscript {
    /// The path of its file.
    pub path: PathBuf,
    /// The number of bytes, including further pages and side files.
    pub bytes: u64,
    /// The number of pages.
    pub pages: u32,
    /// The number of side files.
    pub side_files: usize,
    /// The session.
    pub session: SessionId,
    /// The agent whose conversation it is, if any.
    pub agent: Option<String>,
    /// The number of the path; `None` without a conversation.
    pub number: Option<PathNumber>,
    /// The number of paths of the session.
    pub total: usize,
    /// Whether a resume would continue the path.
    pub status: PathStatus,
    /// The number of messages.
    pub messages: usize,
}

/// Writes all transcripts of a plan into a folder, which is created if it is missing; `done` counts
/// the bytes of sessions that were written.
pub fn write(
    request: &ExportRequest<'_>,
    plan: &mut ExportPlan,
    folder: &Path,
    done: &AtomicU64,
) -> Result<ExportReport, WriteError> {
    let failed = |error| WriteError { path: folder.to_owned(), error };
    fs::create_dir_all(folder).map_err(failed)?;
    let site = match request.setting {
        OutputSetting::Folder => None,
        OutputSetting::Site => Some(Site::begin(plan, folder).map_err(failed)?),
    };
    let place = site.as_ref().map_or_else(|| folder.to_owned(), Site::folder);
    sweep(&place);
    let results: Vec<_> = plan
        .sessions
        .par_iter_mut()
        .enumerate()
        .map(|(at, planned)| {
            let spot = site.as_ref().map(|site| (site, at));
            let result = SessionExport::write(request, planned, &place, spot);
            done.fetch_add(bytes(&request.sources[planned.source]), Ordering::Relaxed);
            result
        })
        .collect();
    let mut report = ExportReport::default();
    for result in results {
        match result {
            Ok((written, secrets)) => {
                report.written.extend(written);
                report.secrets.merge(&secrets);
            }
            Err(ExportFailure::Read(file_error)) => report.file_errors.push(file_error),
            Err(ExportFailure::Write(error)) => return Err(error),
        }
    }
    site.map_or(Ok(()), Site::finish).map_err(failed)?;
    Ok(report)
}

/// Writes the first transcript of a plan to a writer, and returns the secrets that were found.
/// Images are named but not written.
pub fn write_one(
    request: &ExportRequest<'_>,
    plan: &mut ExportPlan,
    out: &mut (dyn Write + Send),
) -> io::Result<SecretTally> {
    let Some(planned) = plan.sessions.first_mut() else {
        return Ok(SecretTally::default());
    };
    let session = open(request, planned).map_err(|file_error| file_error.error)?;
    let held = sources_of_agents(request, planned);
    let lens = request.lens();
    let cast =
        TranscriptSources { session: &session, sources_of_agents: &held, lens: lens.as_ref() };
    let mut job = SessionExport::new(request, planned, cast, None)?;
    let mut roll = WriterPaper(out);
    if let Some(path) = planned.paths.first() {
        job.turn_to(path)?;
        job.write_to(&mut roll, &path.held_paths)?;
    } else if let Some(agent) = planned.agents.first() {
        job.turn_to_agent(agent)?;
        job.write_to(&mut roll, &[])?;
    }
    drop(job);
    Ok(lens.map(SessionRedactor::into_tally).unwrap_or_default())
}

/// Why a session was not written.
enum ExportFailure {
    Read(SessionFileError),
    Write(WriteError),
}

fn open(
    request: &ExportRequest<'_>,
    planned: &mut PlannedSession,
) -> Result<Session, SessionFileError> {
    let source = &request.sources[planned.source];
    planned.session.take().map_or_else(|| (request.open)(source), Ok)
}

/// Opens the sessions whose agents may exist only there; sessions that cannot be opened are skipped.
fn sources_of_agents(
    request: &ExportRequest<'_>,
    planned: &PlannedSession,
) -> Vec<(usize, Session)> {
    let sources_of_agents = planned.sources_of_agents.iter();
    sources_of_agents
        .filter_map(|&source| Some((source, (request.open)(&request.sources[source]).ok()?)))
        .collect()
}

/// The sessions that a transcript is built from, and the lens that redacts them.
#[derive(Clone, Copy)]
struct TranscriptSources<'s> {
    session: &'s Session,
    /// Sessions whose agents may exist only there, with the indices of their sources.
    sources_of_agents: &'s [(usize, Session)],
    lens: Option<&'s SessionRedactor<'s>>,
}

/// A session that is being written.
struct SessionExport<'j, 's> {
    request: &'j ExportRequest<'j>,
    planned: &'j PlannedSession,
    shown: Transcript<'s>,
    held: Vec<(usize, Transcript<'s>)>,
    bill: Bill,
    files: HashMap<PathNumber, String>,
    agent_files: HashMap<String, String>,
    /// The site that the session is written into, and the index of the session there.
    site: Option<(&'j Site, usize)>,
}

impl<'j, 's> SessionExport<'j, 's> {
    /// Writes all planned transcripts of a session.
    fn write(
        request: &'j ExportRequest<'j>,
        planned: &'j mut PlannedSession,
        folder: &Path,
        site: Option<(&'j Site, usize)>,
    ) -> Result<(Vec<WrittenTranscript>, SecretTally), ExportFailure> {
        let session = open(request, planned).map_err(ExportFailure::Read)?;
        let sources_of_agents = sources_of_agents(request, planned);
        let lens = request.lens();
        let cast = TranscriptSources {
            session: &session,
            sources_of_agents: &sources_of_agents,
            lens: lens.as_ref(),
        };
        let read = |error| {
            ExportFailure::Read(SessionFileError { path: session.main.path().to_owned(), error })
        };
        let mut job = SessionExport::new(request, planned, cast, site).map_err(read)?;
        let mut written = Vec::new();
        for path in &planned.paths {
            job.turn_to(path).map_err(read)?;
            let finished = job.file(folder, &path.name, &path.held_paths)?;
            written.push(job.written(folder.join(&path.name), finished));
        }
        // The plan lists agents inside the session's file first: after an agent with a file of its
        // own, the session would be laid out again.
        for agent in &planned.agents {
            job.turn_to_agent(agent).map_err(read)?;
            let finished = job.file(folder, &agent.name, &[])?;
            written.push(job.written(folder.join(&agent.name), finished));
        }
        drop(job);
        Ok((written, lens.map(SessionRedactor::into_tally).unwrap_or_default()))
    }

    fn new(
        request: &'j ExportRequest<'j>,
        planned: &'j PlannedSession,
        cast: TranscriptSources<'s>,
        site: Option<(&'j Site, usize)>,
    ) -> io::Result<Self> {
        let TranscriptSources { session, sources_of_agents, lens } = cast;
        let layout = transcript::TranscriptRequest {
            view: request.view,
            ..transcript::TranscriptRequest::default()
        };
        let open = |session: &'s Session| -> io::Result<Transcript<'s>> {
            let shown = Transcript::new(session, &layout).map_err(io::Error::other)?;
            Ok(match lens {
                Some(lens) => shown.through(lens),
                None => shown,
            })
        };
        let mut shown = open(session)?;
        if request.format == Format::Json {
            shown.lineage = lineage(session, &relatives(request, planned));
        }
        let held = sources_of_agents.iter().map(|(source, session)| Ok((*source, open(session)?)));
        let names = planned.paths.iter();
        let agents = planned.agents.iter();
        Ok(Self {
            request,
            planned,
            shown,
            held: held.collect::<io::Result<_>>()?,
            bill: Bill::of(session, request.prices),
            files: names.map(|path| (path.number, path.name.clone())).collect(),
            agent_files: agents
                .map(|agent| (request.shown_id(&agent.id), agent.name.clone()))
                .collect(),
            site,
        })
    }

    fn turn_to(&mut self, path: &PlannedPath) -> io::Result<()> {
        self.shown.turn_to_path(path.number).map_err(io::Error::other)
    }

    /// Turns to an agent; for an agent of another session, that session replaces `shown`.
    fn turn_to_agent(&mut self, agent: &PlannedAgent) -> io::Result<()> {
        if agent.source != self.planned.source {
            let at = self.held.iter().position(|(source, _)| *source == agent.source);
            if let Some(at) = at {
                self.shown = self.held.swap_remove(at).1;
            }
        }
        self.shown.turn_to_agent(&agent.id).map_err(io::Error::other)
    }

    /// Writes the current path or agent to a file.
    fn file(
        &self,
        folder: &Path,
        name: &str,
        held_paths: &[HeldPath],
    ) -> Result<Finished, ExportFailure> {
        let path = folder.join(name);
        let failed = |error| ExportFailure::Write(WriteError { path: path.clone(), error });
        let extension = self.request.format.extension();
        let mut paper = FilePaper::new(folder, name, extension).map_err(failed)?;
        match self.write_to(&mut paper, held_paths) {
            Ok(()) => paper.finish().map_err(failed),
            Err(error) if paper.has_failed() => Err(failed(error)),
            Err(error) => Err(ExportFailure::Read(SessionFileError {
                path: self.shown.file.path().to_owned(),
                error,
            })),
        }
    }

    fn write_to(&self, paper: &mut dyn Paper, held_paths: &[HeldPath]) -> io::Result<()> {
        match self.request.format {
            Format::Json => {
                json::transcript(&self.shown, &mut *paper)?;
                paper.write_all(b"\n")
            }
            Format::Jsonl => lines(&self.shown, paper),
            Format::Markdown => self.paint(&mut MarkdownSurface::new(paper), held_paths),
            Format::Text => self.paint(&mut PlainSurface::new(paper), held_paths),
            Format::Html(painting) => self.page(painting, paper, held_paths),
        }
    }

    fn page(
        &self,
        painting: Painting,
        paper: &mut dyn Paper,
        held_paths: &[HeldPath],
    ) -> io::Result<()> {
        let site = self.site;
        let neighbours = site.map(|(site, at)| site.neighbours(at));
        let options = PageOptions { painting, site: neighbours };
        let mut surface = HtmlSurface::new(options, paper);
        let Some((site, at)) = site else {
            return self.paint(&mut surface, held_paths);
        };
        surface = surface.gathering_words();
        self.paint(&mut surface, held_paths)?;
        site.add(at, &surface.into_words())
    }

    fn paint(&self, surface: &mut dyn DocumentSurface, held_paths: &[HeldPath]) -> io::Result<()> {
        let Some(head) = head(&self.shown, &self.bill, &self.files, held_paths)? else {
            return Ok(());
        };
        let sources_of_agents: Vec<&Transcript<'_>> =
            self.held.iter().map(|(_, held)| held).collect();
        let stage = PlaybackRequest {
            held: &sources_of_agents,
            others: Some(&head.others),
            agents: self.request.agents,
            agent_files: Some(&self.agent_files),
            ..PlaybackRequest::new(&self.shown)
        };
        Playback::new(stage).play(&head, surface)
    }

    fn written(&self, path: PathBuf, finished: Finished) -> WrittenTranscript {
        let shown = &self.shown;
        let own = shown.path.as_ref();
        let number = own.map(|path| shown.number_of(path));
        WrittenTranscript {
            path,
            bytes: finished.bytes,
            pages: finished.pages,
            side_files: finished.side_files,
            session: self.planned.id.clone(),
            agent: shown.agent.clone(),
            number,
            total: shown.path_count(),
            status: own.map_or(PathStatus::Abandoned, PathStatus::of),
            messages: shown.view.messages.len(),
        }
    }
}

/// Lists the sessions that a session may share entries with.
fn relatives(
    request: &ExportRequest<'_>,
    planned: &PlannedSession,
) -> Vec<unspool_store::home::SessionFile> {
    let own = &request.sources[planned.source];
    if request.sources.len() <= FEW {
        return (request.relatives)(own);
    }
    let related = planned.related.iter().map(|&source| &request.sources[source]);
    related
        .filter(|other| other.project == own.project)
        .filter_map(|other| match &other.target {
            Target::Session(file) => Some(file.clone()),
            Target::Agent(_) => None,
        })
        .collect()
}

/// Writes the original lines of a transcript, byte for byte, in the order of the path.
fn lines(shown: &Transcript<'_>, paper: &mut dyn Paper) -> io::Result<()> {
    let conversation = &shown.conversation;
    let mut reader = shown.file.reader();
    for node in nodes(shown) {
        let entry = conversation.graph.entry(conversation.log, node);
        let bytes = reader.bytes(entry.span)?;
        let bytes = match shown.lens() {
            Some(lens) => lens.line(bytes),
            None => Cow::Borrowed(bytes),
        };
        paper.write_all(&bytes)?;
        if !bytes.ends_with(b"\n") {
            // The last line of a file, or a record that is followed by another one on the same line.
            paper.write_all(b"\n")?;
        }
    }
    Ok(())
}

/// Returns the nodes of a transcript; messages that a resume would leave out are on no path.
fn nodes(shown: &Transcript<'_>) -> Vec<NodeId> {
    match shown.kind {
        transcript::ViewKind::History => {
            let is_left_out = |node: NodeId| shown.conversation.paths.is_left_out(node);
            let nodes = shown.view.walk().iter().copied();
            nodes.filter(|&node| !is_left_out(node)).collect()
        }
        transcript::ViewKind::Context => {
            let messages = shown.view.messages.iter();
            let nodes = messages.flat_map(|message| shown.view.nodes(message));
            nodes.copied().collect()
        }
    }
}
