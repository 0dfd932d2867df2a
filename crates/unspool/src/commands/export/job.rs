//! Runs an export, and prints the written files.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;

use anyhow::Result;
use unspool_redact::SecretTally;
use unspool_render::document::PathStatus;
use unspool_render::export::json::{LeftOutJson, TranscriptJson};
use unspool_render::export::{
    self, ExportPlan, ExportReport, ExportRequest, OutputSetting, SITE_START,
};
use unspool_render::json;
use unspool_text::human;

use super::args::ExportArgs;
use crate::errors::{RunOutcome, wrong_use};
use crate::opener::{self, OpenedFile};
use crate::settings::Settings;
use crate::ui::Ui;

/// An export to run.
pub(super) struct ExportJob<'a> {
    pub(super) args: &'a ExportArgs,
    pub(super) request: &'a ExportRequest<'a>,
    /// The output folder.
    pub(super) folder: PathBuf,
    /// The size of all sessions, in bytes.
    pub(super) bytes: u64,
    pub(super) settings: &'a Settings,
    pub(super) ui: &'a Ui,
}

impl ExportJob<'_> {
    /// Plans and writes the export, and reports on it.
    pub(super) fn run(&self) -> Result<RunOutcome> {
        let write = |done: &AtomicU64| {
            let mut plan = export::plan(self.request, done);
            let report = if self.args.dry_run {
                ExportReport::default()
            } else if self.args.to_stdout() {
                ExportReport { secrets: self.print(&mut plan)?, ..ExportReport::default() }
            } else {
                export::write(self.request, &mut plan, &self.folder, done)?
            };
            anyhow::Ok((plan, report))
        };
        // Each session is read twice: to plan, and to write.
        let (plan, report) = self.ui.with_progress(2 * self.bytes, write)?;
        for file_error in plan.file_errors.iter().chain(&report.file_errors) {
            self.ui.warning(&file_error.to_string());
        }
        self.list(&plan, &report)?;
        self.print_notes(&plan, &report);
        if self.args.open {
            self.open(&report);
        }
        let all_read = plan.file_errors.is_empty() && report.file_errors.is_empty();
        Ok(if all_read { RunOutcome::Done } else { RunOutcome::Io })
    }

    /// Opens the site, or the transcript of the active path.
    fn open(&self, report: &ExportReport) {
        let of_session = report.written.iter().filter(|written| written.agent.is_none());
        let active = of_session.max_by_key(|written| written.status == PathStatus::Active);
        let path = match (self.request.setting, active) {
            (OutputSetting::Site, _) => self.folder.join(SITE_START),
            (OutputSetting::Folder, Some(active)) => active.path.clone(),
            (OutputSetting::Folder, None) => return,
        };
        let said = path.display();
        match opener::open(&path, self.settings) {
            OpenedFile::Started => {}
            OpenedFile::NoScreen => {
                self.ui.note(&format!("there is no screen; open {said} yourself"));
            }
            OpenedFile::NoProgram => {
                self.ui.note(&format!("no program opens it; open {said} yourself"));
            }
        }
    }

    /// Prints the only transcript.
    fn print(&self, plan: &mut ExportPlan) -> Result<SecretTally> {
        let count = plan.transcripts();
        if count > 1 {
            let transcripts = human::plural(count, "transcript");
            return wrong_use(format!(
                "{transcripts} cannot go to standard output together; choose one session, and \
                 --paths active, or a folder with --out"
            ));
        }
        let mut out = self.ui.data();
        let secrets = export::write_one(self.request, plan, &mut out)?;
        out.flush()?;
        Ok(secrets)
    }

    /// Lists the written files, as paths or as JSON.
    fn list(&self, plan: &ExportPlan, report: &ExportReport) -> Result<()> {
        if self.args.to_stdout() && !self.args.dry_run {
            return Ok(());
        }
        let mut out = self.ui.data();
        if self.args.dry_run {
            self.list_plan(plan, &mut out)?;
        }
        for written in &report.written {
            if self.args.json {
                json::write_line(&TranscriptJson::from(written), &mut out)?;
            } else {
                writeln!(out, "{}", written.path.display())?;
            }
        }
        if self.args.json {
            for left in &plan.left_out {
                json::write_line(&LeftOutJson::from(left), &mut out)?;
            }
        }
        Ok(out.flush()?)
    }

    fn list_plan(&self, plan: &ExportPlan, out: &mut impl std::io::Write) -> Result<()> {
        for session in &plan.sessions {
            let file = |name: &str| self.folder.join(name).display().to_string();
            for path in &session.paths {
                if self.args.json {
                    let line = TranscriptJson::planned(session, path, file(&path.name));
                    json::write_line(&line, &mut *out)?;
                } else {
                    writeln!(out, "{}", file(&path.name))?;
                }
            }
            for agent in &session.agents {
                if self.args.json {
                    let line = TranscriptJson::planned_agent(session, agent, file(&agent.name));
                    json::write_line(&line, &mut *out)?;
                } else {
                    writeln!(out, "{}", file(&agent.name))?;
                }
            }
        }
        Ok(())
    }
}
