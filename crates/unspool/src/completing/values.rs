//! Values that only the logs and the store of driving know: sessions, projects, branches, models, tools, runs.

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

/// How many sessions are offered: more than a screen shows. Two letters of an id reach older ones.
const SESSIONS: usize = 200;

/// How many projects are offered.
const PROJECTS: usize = 200;

/// How many of the newest sessions say what branches, models and tools there are.
const LOOKED_AT: usize = 500;

/// What the index knows.
pub(super) struct KnownValues {
    /// None if there is no index that could be asked at once.
    library: Option<Library>,
    /// The unpacked demo, removed when the run ends.
    _demo: Option<TempDir>,
    newest: OnceLock<Vec<SessionRow>>,
    /// Where runs are written down.
    pub(super) settings: Settings,
    /// What times are shown against.
    pub(super) now: Time,
}

/// What an option or a place on the command line takes.
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
    /// Says what an argument takes, by the names in the help; none if the definition knows it.
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
    /// Opens the index that is set, unless it would have to be built first.
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

    /// Adds what is known to a definition, at every argument that takes such a value.
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

    /// Offers sessions, or logs where a path is typed.
    fn sessions_and_files(&self, word: &OsStr) -> Vec<CompletionCandidate> {
        let text = word.to_string_lossy();
        if text.contains('/') || text.starts_with(['.', '~']) {
            let is_offered = |path: &Path| path.is_dir() || is_log(path);
            return PathCompleter::file().filter(is_offered).complete(word);
        }
        self.sessions(word)
    }

    /// Offers sessions by the beginnings of their ids, newest first; if none has such an id, by the
    /// names that people gave them.
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

    /// Offers what the newest sessions have.
    fn named(
        &self,
        word: &OsStr,
        values: impl Fn(&SessionRow) -> Vec<(String, String)>,
    ) -> Vec<CompletionCandidate> {
        let newest = self.newest.get_or_init(|| self.rows("", LOOKED_AT));
        offered_of(newest, word, values)
    }

    /// Asks the index. What goes wrong is not for a line that is being typed.
    pub(super) fn rows(&self, beginning: &str, limit: usize) -> Vec<SessionRow> {
        let request = KnownRequest { beginning, limit };
        let asked = self.library.as_ref().map(|library| library.known_sessions(&request));
        asked.and_then(Result::ok).unwrap_or_default()
    }
}

/// Offers values of some sessions that begin with a word, each once, in the order of the sessions.
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
