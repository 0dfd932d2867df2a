//! The binary, as the program under test sees it.

use std::collections::BTreeMap;
use std::sync::Mutex;

use unspool_drive::RunId;

use crate::settings::{
    ExportKind, PageRefusal, ResumeOffer, ResumeRefusal, ResumeWay, SessionSubject, TuiCommand,
    TuiHost,
};

/// A binary that does nothing and writes down what it was asked.
#[derive(Default)]
pub(crate) struct LabHost {
    pub(super) asked: Mutex<Vec<String>>,
    pub(super) kept: Mutex<Option<String>>,
    pub(super) drafts: Mutex<BTreeMap<String, String>>,
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
        Ok(ResumeOffer {
            command: Ok(TuiCommand {
                program: "claude".into(),
                arguments: vec!["--resume".into(), id.into()],
                folder: None,
                environment: Vec::new(),
                removed: Vec::new(),
            }),
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
        self.note(format!("browse {}", session.place.session));
        Ok("opened the page".to_owned())
    }

    fn link(&self, session: &SessionSubject) -> Result<String, PageRefusal> {
        let id = &session.place.session;
        let entry = session.entry.as_ref();
        let entry = entry.map_or_else(String::new, |entry| format!("#e-{entry}"));
        Ok(format!("http://127.0.0.1:7777/s/{id}{entry}"))
    }

    fn editor(&self, text: &str, line: usize) -> Result<TuiCommand, String> {
        let lines = text.lines().count();
        self.note(format!("edit {lines} lines at {line}"));
        Ok(TuiCommand {
            program: "vi".into(),
            arguments: vec![format!("+{line}").into()],
            folder: None,
            environment: Vec::new(),
            removed: Vec::new(),
        })
    }

    fn copy(&self, text: &str) -> bool {
        self.note(format!("copy {text}"));
        false
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
