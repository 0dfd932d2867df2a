//! A fake of the binary for the program under test.

use std::collections::BTreeMap;
use std::sync::Mutex;

use unspool_drive::RunId;

use crate::settings::{
    ExportKind, PageRefusal, ResumeOffer, ResumeRefusal, ResumeWay, SessionSubject, TuiCommand,
    TuiHost,
};

/// A host that does nothing but record its calls.
#[derive(Default)]
pub(crate) struct LabHost {
    pub(super) asked: Mutex<Vec<String>>,
    pub(super) copied: Mutex<Vec<String>>,
    pub(super) kept: Mutex<Option<String>>,
    /// The result of resuming; an offer without remarks if `None`.
    pub(super) resumes: Mutex<Option<Result<ResumeOffer, ResumeRefusal>>>,
    pub(super) drafts: Mutex<BTreeMap<String, String>>,
}

/// Creates a command without arguments.
pub(crate) fn command(program: &str) -> TuiCommand {
    TuiCommand::new(program, [""; 0])
}

impl LabHost {
    fn note(&self, words: String) {
        self.asked.lock().expect("a lock").push(words);
    }
}

impl TuiHost for LabHost {
    fn resume(
        &self,
        session: &SessionSubject,
        way: &ResumeWay,
    ) -> Result<ResumeOffer, ResumeRefusal> {
        let id = session.place.session.as_str();
        self.note(format!("resume {id} {way:?}"));
        if let Some(said) = self.resumes.lock().expect("a lock").clone() {
            return said;
        }
        Ok(ResumeOffer {
            command: Ok(command("claude")),
            line: format!("claude --resume {id}"),
            remarks: Vec::new(),
        })
    }

    fn export(&self, sessions: &[SessionSubject], kind: ExportKind) -> Result<String, String> {
        let ids = sessions.iter().map(|it| it.place.session.as_str());
        let ids: Vec<&str> = ids.collect();
        self.note(format!("export {kind:?} {}", ids.join(" ")));
        Ok(format!("exported {}", sessions.len()))
    }

    fn browse(&self, session: &SessionSubject) -> Result<String, PageRefusal> {
        let entry = session.entry.as_ref().map_or("", |entry| entry.as_str());
        Ok(format!("opened {entry}"))
    }

    fn link(&self, _: &SessionSubject) -> Result<String, PageRefusal> {
        Err(PageRefusal::NoServer {
            start: Box::new(command("unspool")),
            line: "unspool serve --open".to_owned(),
        })
    }

    fn editor(&self, text: &str, line: usize) -> Result<TuiCommand, String> {
        let shown = text.lines().nth(line - 1).unwrap_or_default();
        Ok(command(&format!("vi +{line} {shown}")))
    }

    fn copy(&self, text: &str) -> bool {
        self.copied.lock().expect("a lock").push(text.to_owned());
        true
    }

    fn load(&self) -> Option<String> {
        self.kept.lock().expect("a lock").clone()
    }

    fn save(&self, kept: &str) {
        *self.kept.lock().expect("a lock") = Some(kept.to_owned());
    }

    fn draft(&self, session: &str) -> Option<String> {
        self.drafts.lock().expect("a lock").get(session).cloned()
    }

    fn keep_draft(&self, session: &str, text: &str) {
        let mut drafts = self.drafts.lock().expect("a lock");
        if text.is_empty() {
            drafts.remove(session);
        } else {
            drafts.insert(session.to_owned(), text.to_owned());
        }
    }

    fn run_began(&self, run: &RunId) {
        self.note(format!("began {run}"));
    }
}
