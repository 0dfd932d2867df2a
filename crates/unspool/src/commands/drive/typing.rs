//! Lines that the user types while a run is followed.

use std::io::{self, BufRead as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use anyhow::Result;
use unspool_drive::json::ApprovalJson;
use unspool_drive::store::ApprovalRecord;
use unspool_drive::{ActionId, Drive, FollowStop, PromptContent, PromptId, RunId, SendWhen, reply};

use crate::driving::BY;
use crate::driving::paint::approval_lines;
use crate::errors::UsageError;
use crate::report;
use crate::settings::Display;
use crate::ui::Ui;

/// The approval that the user saw last. Only that one is answered by a line, because another one may have
/// arrived while the line was typed.
#[derive(Clone, Default)]
pub(super) struct SeenApproval(Arc<Mutex<Option<String>>>);

impl SeenApproval {
    pub(super) fn set(&self, id: &str) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(id.to_owned());
    }

    fn is(&self, id: &str) -> bool {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.as_deref() == Some(id)
    }
}

/// The run that lines are for.
pub(super) struct TypingPlace {
    pub(super) drive: Arc<Drive>,
    pub(super) run: RunId,
    pub(super) display: Display,
    pub(super) seen: SeenApproval,
}

/// Handles lines of the terminal until its end, then ends the following.
pub(super) fn begin(place: TypingPlace, stop: FollowStop) {
    // The thread reads from the terminal until the process ends.
    thread::spawn(move || {
        let ui = Ui::new(&place.display);
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            if let Err(error) = place.take(&line, &ui) {
                report::report(&ui, &error);
            }
        }
        stop.stop();
    });
}

impl TypingPlace {
    /// Carries out a line.
    fn take(&self, line: &str, ui: &Ui) -> Result<()> {
        match line.trim() {
            "" => return Ok(()),
            ":interrupt" => return Ok(self.drive.interrupt(&ActionId::random(), &self.run)?),
            ":stop" => return Ok(self.drive.stop(&ActionId::random(), &self.run)?),
            _ => {}
        }
        let view = self.drive.run(&self.run)?;
        let open = view.approvals.iter().filter(|one| one.resolution.is_none());
        let open: Vec<&ApprovalRecord> = open.collect();
        let seen = open.iter().find(|one| self.seen.is(one.id.as_str()));
        match (seen, open.first()) {
            (Some(approval), _) => {
                let typed = reply::typed_reply(approval.kind, &approval.request.input(), line);
                let choice = typed.map_err(|fault| UsageError(fault.0))?;
                self.drive.answer(&approval.id, &choice, BY)?;
            }
            (None, Some(oldest)) => self.show(oldest, ui),
            (None, None) => {
                let content = PromptContent::text(line);
                let id = PromptId::random();
                let send = SendWhen::Idle;
                self.drive.put_prompt(&self.run, &id, &content, send, BY)?;
            }
        }
        Ok(())
    }

    /// Shows an approval that the user has not seen.
    fn show(&self, approval: &ApprovalRecord, ui: &Ui) {
        for line in approval_lines(&ApprovalJson::from(approval)) {
            ui.plain_note(&line.plain());
        }
        ui.note("this waits now; answer again");
        self.seen.set(approval.id.as_str());
    }
}
