//! The menus of the program: actions on a session, and the confirmations before some of them.
//!
//! Each item contains all data of its action, so the meaning of a menu does not change while it is open.

use std::path::PathBuf;

use unspool_engine::ops::resume::ResumeBranch;
use unspool_render::keys::{KeyAction, KeySection};
use unspool_text::human;

use super::TuiProgram;
use crate::menu::{Menu, MenuChoice, MenuItem, ProgramChoice};
use crate::settings::{
    ExportKind, MissingClient, PageRefusal, ResumeOffer, ResumeRefusal, ResumeWay, ResumeWayOut,
};

/// The name of a copied command.
pub(super) const RESUME_COMMAND: &str = "the command that resumes the session";

/// The export formats of the menu.
const EXPORTS: [(ExportKind, &str); 4] = [
    (ExportKind::Markdown, "export as Markdown"),
    (ExportKind::Html, "export as a page"),
    (ExportKind::Text, "export as plain text"),
    (ExportKind::Json, "export as JSON"),
];

impl TuiProgram {
    /// Lists all actions of the screen on top.
    pub(super) fn actions_menu(&self) -> Menu {
        let mut items = Vec::new();
        if let Some((_, screen)) = self.stack.last() {
            let context = screen.input_mode().context;
            // Actions on the session come first; movements are left to the keys.
            let of = |sections: &[KeySection]| self.items(context, sections);
            items = of(&[KeySection::Session]);
            items.retain(|item| item.choice != MenuChoice::Action(KeyAction::ActionMenu));
            if screen.subject().is_some() && self.may_become_client() {
                let fork = ProgramChoice::Resume(ResumeWay::fork());
                items.push(MenuItem::of_program(fork, "resume the session in a copy"));
            }
            if screen.subject().is_some() {
                if KeyAction::GoFiles.binding(context).is_none() {
                    let label = "the files that the session changed";
                    items.push(MenuItem::of_program(ProgramChoice::Files, label));
                }
                items.extend(exports(screen.subjects().len()));
            }
            items.extend(of(&[
                KeySection::Copy,
                KeySection::Go,
                KeySection::Show,
                KeySection::Search,
                KeySection::Program,
            ]));
        }
        let mouse =
            if self.takes_mouse { "give the mouse back to the terminal" } else { "take the mouse" };
        items.push(MenuItem::of_program(ProgramChoice::SwitchMouse, mouse));
        Menu::new("actions", "Actions", items)
    }
}

fn exports(sessions: usize) -> impl Iterator<Item = MenuItem> {
    EXPORTS.into_iter().map(move |(kind, words)| {
        let item = MenuItem::of_program(ProgramChoice::Export(kind), words);
        if sessions > 1 { item.with_note(human::plural(sessions, "marked session")) } else { item }
    })
}

fn copy_item(text: String, what: &'static str, label: impl Into<String>) -> MenuItem {
    MenuItem::of_program(ProgramChoice::Copy { text, what }, label)
}

fn close_item() -> MenuItem {
    MenuItem::of_program(ProgramChoice::Close, "leave it")
}

/// Shows the command that resumes a session, and offers to run or copy it.
pub(super) fn offered(offer: ResumeOffer, way: &ResumeWay) -> Menu {
    let ResumeOffer { command, line, remarks } = offer;
    let copy = copy_item(line.clone(), RESUME_COMMAND, "copy the command");
    match command {
        Ok(command) => {
            let run = ProgramChoice::Replace(Box::new(command));
            let run = MenuItem::of_program(run, "run it").with_note("unspool ends");
            let mut items = vec![run, copy];
            if way.branch == ResumeBranch::Same {
                items.push(fork_item(way.folder.clone()));
            }
            Menu::new("resume", "Resume", items)
                .with_remarks([line].into_iter().chain(remarks))
                .with_numbers()
        }
        Err(MissingClient { words, advice }) => {
            Menu::new("resume", NOT_RESUMED, vec![copy, close_item()])
                .with_remarks([words].into_iter().chain(advice).chain([line]))
                .with_numbers()
        }
    }
}

const NOT_RESUMED: &str = "This session is not resumed";

fn fork_item(folder: Option<PathBuf>) -> MenuItem {
    let fork = ResumeWay { folder, ..ResumeWay::fork() };
    MenuItem::of_program(ProgramChoice::Resume(fork), "resume in a copy instead")
}

/// Explains why a session cannot be resumed, and offers alternatives.
pub(super) fn refused(refusal: ResumeRefusal) -> Menu {
    let mut items: Vec<MenuItem> = refusal.remedies.into_iter().map(way_out).collect();
    items.push(close_item());
    Menu::new("resume", NOT_RESUMED, items)
        .with_remarks([refusal.words].into_iter().chain(refusal.remarks))
        .with_numbers()
}

fn way_out(way: ResumeWayOut) -> MenuItem {
    match way {
        ResumeWayOut::Resume(way) => {
            let what = match way.branch {
                ResumeBranch::Same => "resume it",
                ResumeBranch::Fork => "resume a copy",
            };
            let label = match &way.folder {
                Some(folder) => format!("{what} in {}", folder.display()),
                None => format!("{what} instead"),
            };
            MenuItem::of_program(ProgramChoice::Resume(way), label)
        }
        ResumeWayOut::Copy(command) => {
            let label = format!("copy `{command}`");
            copy_item(command, "the command", label)
        }
    }
}

/// Explains why the page cannot be opened, and offers to start a server.
pub(super) fn no_page(refusal: PageRefusal) -> Result<Menu, String> {
    let (start, line) = match refusal {
        PageRefusal::NoServer { start, line } => (start, line),
        PageRefusal::Other(words) => return Err(words),
    };
    let start = ProgramChoice::HandOver(start);
    let label = format!("copy `{line}`");
    let items = vec![
        MenuItem::of_program(start, "start one in this terminal").with_note("Ctrl-C comes back"),
        copy_item(line, "the command", label),
        MenuItem::of_program(
            ProgramChoice::Export(ExportKind::Html),
            "export the session as a page",
        ),
        close_item(),
    ];
    let words = "Pages come from `unspool serve`, and no server runs.";
    Ok(Menu::new("page", "No server shows this page yet", items)
        .with_remarks([words.to_owned()])
        .with_numbers())
}

/// Lists the texts that can be copied, for screens where letters are text.
pub(super) fn copy_menu() -> Menu {
    let item = |key: &str, label: &str, action| MenuItem {
        key: key.to_owned(),
        label: label.to_owned(),
        note: String::new(),
        words: "copy yank".to_owned(),
        choice: MenuChoice::Action(action),
    };
    let items = vec![
        item("i", "the id of the session", KeyAction::CopyId),
        item("c", "the command that resumes it", KeyAction::CopyResume),
        item("p", "the path of its log", KeyAction::CopyLogPath),
        item("l", "the link to its page", KeyAction::CopyLink),
    ];
    Menu::new("copy", "Copy", items).with_letters()
}
