//! Exports sessions from the full-screen program.

use std::path::Path;
use std::sync::atomic::AtomicU64;

use anyhow::{Result, bail};
use unspool_engine::library::{CollectedNotes, Library, SessionChoice, TitleNeed};
use unspool_engine::ops::transcript::ViewKind;
use unspool_render::document::AgentLayout;
use unspool_render::export::{self, ExportRequest, Format, OutputSetting, PathChoice};
use unspool_store::home::Resolved;
use unspool_text::html::Painting;
use unspool_text::human;
use unspool_tui::{ExportKind, SessionSubject};

/// Exports the active paths of sessions into a folder, and describes the written files.
pub(super) fn export(
    library: &Library,
    sessions: &[SessionSubject],
    kind: ExportKind,
    folder: &Path,
) -> Result<String> {
    let logs: Vec<String> =
        sessions.iter().map(|session| session.file.display().to_string()).collect();
    let notes = CollectedNotes::default();
    let sources = library.export_sources(SessionChoice::Named(&logs), &notes)?;
    let opener = sources.opener(TitleNeed::Shown);
    let request = ExportRequest {
        sources: &sources.sessions,
        open: &|resolved: &Resolved| opener.open(resolved),
        relatives: &|resolved: &Resolved| sources.relatives(resolved),
        format: match kind {
            ExportKind::Markdown => Format::Markdown,
            ExportKind::Html => Format::Html(Painting::Highlighted),
            ExportKind::Text => Format::Text,
            ExportKind::Json => Format::Json,
        },
        paths: PathChoice::Active,
        agents: AgentLayout::Inline,
        view: ViewKind::History,
        prices: &library.settings().prices,
        setting: OutputSetting::Folder,
        redaction: None,
    };
    let done = AtomicU64::new(0);
    let mut plan = export::plan(&request, &done);
    let report = export::write(&request, &mut plan, folder, &done)?;
    if let Some(file_error) = plan.file_errors.iter().chain(&report.file_errors).next() {
        bail!("{file_error}");
    }
    Ok(match report.written.as_slice() {
        [] => "nothing was written".to_owned(),
        [one] => format!("wrote {}", one.path.display()),
        several => {
            let files = human::plural(several.len(), "file");
            format!("wrote {files} to {}", folder.display())
        }
    })
}
