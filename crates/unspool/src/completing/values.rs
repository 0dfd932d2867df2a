//! Values from the index and the store of driven runs: sessions, projects, branches, models, tools, runs.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use anyhow::Result;
use clap::{Arg, Command};
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _,
};
use tempfile::TempDir;
use unspool_engine::library::{KnownRequest, Library};
use unspool_model::time::Time;
use unspool_store::home::layout::is_log;
use unspool_store::rows::SessionRow;

use crate::context::CommandContext;
use crate::filters;
use crate::settings::{HomeChoice, Settings};
use crate::ui::Ui;

/// The largest number of sessions: more than a screen shows. Two letters of an id find older ones.
const SESSIONS: usize = 200;

/// The largest number of projects.
const PROJECTS: usize = 200;

/// The number of newest sessions whose branches, models and tools are offered.
const LOOKED_AT: usize = 500;

/// The sources of values.
pub(super) struct KnownValues {
    /// The library; `None` if the index would have to be built first.
    library: Option<Library>,
    /// The unpacked demo, deleted when dropped.
    _demo: Option<TempDir>,
    newest: OnceLock<Vec<SessionRow>>,
    /// The settings, for the store of runs.
    pub(super) settings: Settings,
    /// The time that ages are relative to.
    pub(super) now: Time,
}

/// The values that an argument takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OfferedValues {
    Sessions,
    Runs,
    RunsAndSessions,
    Projects,
    Branches,
    Models,
    Tools,
}

impl OfferedValues {
    /// Returns the kind of an argument's values, by the value names of the help; `None` if clap completes
    /// it.
    pub(super) fn of(arg: &Arg) -> Option<Self> {
        let names = arg.get_value_names()?;
        let name = names.first()?.as_str();
        match (name, arg.get_long()) {
            ("SESSION" | "FILE|SESSION", _) => Some(Self::Sessions),
            ("RUN", _) => Some(Self::Runs),
            ("RUN|SESSION", _) => Some(Self::RunsAndSessions),
            ("NAME|PATH", Some("project")) => Some(Self::Projects),
            ("NAME", Some("branch")) => Some(Self::Branches),
            ("NAME", Some("model")) => Some(Self::Models),
            ("NAME", Some("tool")) => Some(Self::Tools),
            _ => None,
        }
    }
}

impl KnownValues {
    /// Opens the index, unless it would have to be built first.
    pub(super) fn new(settings: &Settings, ui: &Ui) -> Result<Self> {
        let is_demo = settings.homes.value == HomeChoice::Demo;
        let (library, demo) = if is_demo || settings.index.value.is_some() {
            let (library, demo) = CommandContext::open(settings, ui)?.into_library();
            (Some(library), demo)
        } else {
            (None, None)
        };
        Ok(Self {
            library,
            _demo: demo,
            newest: OnceLock::new(),
            settings: settings.clone(),
            now: filters::clock(ui).now,
        })
    }

    /// Adds completers to every argument with such values.
    pub(super) fn attached(self: &Arc<Self>, command: Command) -> Command {
        let command = command.mut_args(|arg| match OfferedValues::of(&arg) {
            None => arg,
            Some(source) => {
                let known = Arc::clone(self);
                let offer = move |word: &OsStr| known.offered(source, word);
                arg.add(ArgValueCompleter::new(offer))
            }
        });
        command.mut_subcommands(|below| self.attached(below))
    }

    fn offered(&self, source: OfferedValues, word: &OsStr) -> Vec<CompletionCandidate> {
        match source {
            OfferedValues::Sessions => self.sessions_and_files(word),
            OfferedValues::Runs => self.runs(word),
            OfferedValues::RunsAndSessions => {
                let mut found = self.runs(word);
                found.extend(self.sessions(word));
                found
            }
            OfferedValues::Projects => {
                let library = self.library.as_ref();
                let projects = library.map(|library| library.known_projects(PROJECTS));
                let projects = projects.and_then(Result::ok).unwrap_or_default();
                offered_of(&projects, word, |row| {
                    let folder = row.cwd.clone().unwrap_or_default();
                    vec![(row.project_name().to_owned(), folder)]
                })
            }
            OfferedValues::Branches => {
                let branch = |row: &SessionRow| row.git_branch.clone();
                self.named(word, |row| without_help(branch(row)))
            }
            OfferedValues::Models => self.named(word, |row| without_help(row.models.clone())),
            OfferedValues::Tools => {
                self.named(word, |row| without_help(row.tools.keys().map(ToString::to_string)))
            }
        }
    }

    /// Completes sessions, or logs if a path is typed.
    fn sessions_and_files(&self, word: &OsStr) -> Vec<CompletionCandidate> {
        let text = word.to_string_lossy();
        if text.contains('/') || text.starts_with(['.', '~']) {
            let is_offered = |path: &Path| path.is_dir() || is_log(path);
            return PathCompleter::file().filter(is_offered).complete(word);
        }
        self.sessions(word)
    }

    /// Completes session ids, newest first; if none matches, the names that people gave to sessions.
    pub(super) fn sessions(&self, word: &OsStr) -> Vec<CompletionCandidate> {
        let Some(beginning) = word.to_str() else {
            return Vec::new();
        };
        let rows = self.rows(beginning, SESSIONS);
        if rows.is_empty() {
            return self.named(word, |row| {
                let called = row.name.clone().map(|name| (name, row.id.to_string()));
                called.into_iter().collect()
            });
        }
        rows.iter().map(|row| candidate(row.id.as_str(), &described(row))).collect()
    }

    /// Completes values of the newest sessions.
    fn named(
        &self,
        word: &OsStr,
        values: impl Fn(&SessionRow) -> Vec<(String, String)>,
    ) -> Vec<CompletionCandidate> {
        let newest = self.newest.get_or_init(|| self.rows("", LOOKED_AT));
        offered_of(newest, word, values)
    }

    /// Queries the index. Errors are ignored while a line is being typed.
    pub(super) fn rows(&self, beginning: &str, limit: usize) -> Vec<SessionRow> {
        let request = KnownRequest { beginning, limit };
        let asked = self.library.as_ref().map(|library| library.stored_sessions(&request));
        asked.and_then(Result::ok).unwrap_or_default()
    }
}

/// Completes values of some sessions, each once, in the order of the sessions.
fn offered_of(
    rows: &[SessionRow],
    word: &OsStr,
    values: impl Fn(&SessionRow) -> Vec<(String, String)>,
) -> Vec<CompletionCandidate> {
    let Some(beginning) = word.to_str() else {
        return Vec::new();
    };
    let mut seen = BTreeSet::new();
    rows.iter()
        .flat_map(values)
        .filter(|(value, _)| value.starts_with(beginning))
        .filter(|(value, _)| seen.insert(value.clone()))
        .map(|(value, help)| candidate(&value, &help))
        .collect()
}

fn without_help(values: impl IntoIterator<Item = String>) -> Vec<(String, String)> {
    let pair = |value| (value, String::new());
    values.into_iter().map(pair).collect()
}

/// Describes a session by its title and its project.
fn described(row: &SessionRow) -> String {
    let title = row.title.as_deref().unwrap_or("no title");
    format!("{} · {}", unspool_text::sanitize::one_line(title, 50), row.project_name())
}

pub(super) fn candidate(value: &str, help: &str) -> CompletionCandidate {
    let help = Some(help.to_owned()).filter(|help| !help.is_empty());
    CompletionCandidate::new(OsString::from(value)).help(help.map(Into::into))
}
