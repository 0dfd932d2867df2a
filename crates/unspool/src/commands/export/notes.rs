//! The notes of an export.

use unspool_redact::SecretTally;
use unspool_render::export::{ExportPlan, ExportReport};
use unspool_text::human;

use super::job::ExportJob;

/// The largest number of left-out paths that are listed.
const LEFT_OUT: usize = 20;

impl ExportJob<'_> {
    /// Prints how much was written, and what was left out.
    pub(super) fn print_notes(&self, plan: &ExportPlan, report: &ExportReport) {
        let ui = self.ui;
        for left in plan.left_out.iter().take(LEFT_OUT) {
            ui.note(&format!(
                "left out: session {}, path {}: all of it is in session {}, path {} ({})",
                left.path.session,
                left.path.number,
                left.held_by.session,
                left.held_by.number,
                left.file,
            ));
        }
        let more = plan.left_out.len().saturating_sub(LEFT_OUT);
        if more > 0 {
            ui.note(&format!("{more} more were left out; --json lists all"));
        }
        if !plan.empty.is_empty() {
            let empty = human::plural(plan.empty.len(), "session");
            ui.note(&format!("{empty} without a conversation"));
        }
        if plan.only_agents > 0 {
            let sessions = human::plural(plan.only_agents, "session");
            ui.note(&format!("of {sessions} only agents are left; --agents separate writes them"));
        }
        self.say_secrets(&report.secrets);
        let sessions = human::plural(plan.sessions.len(), "session");
        if self.args.dry_run {
            let transcripts = human::plural(plan.transcripts(), "transcript");
            ui.note(&format!("{transcripts} of {sessions} would be written"));
        } else if !self.args.to_stdout() {
            let transcripts = human::plural(report.written.len(), "transcript");
            let bytes = report.written.iter().map(|written| written.bytes).sum();
            let size = human::bytes(bytes);
            let folder = self.folder.display();
            ui.note(&format!("wrote {transcripts} of {sessions}, {size}, to {folder}"));
        }
    }

    /// Prints which secrets were replaced, or warns that they were not.
    fn say_secrets(&self, secrets: &SecretTally) {
        match (self.args.redact, secrets.is_empty()) {
            (true, true) if !self.args.dry_run => self.ui.note("nothing had to be redacted"),
            (true, false) => self.ui.note(&format!("redacted {secrets}")),
            (false, false) => self.ui.warning(&format!(
                "what was exported contains what looks like secrets: {secrets}; --redact replaces them"
            )),
            (_, true) => {}
        }
    }
}
