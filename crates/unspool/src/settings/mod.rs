//! What a person set, and where.
//!
//! Flags, environment variables and a file say how the program behaves, in this order; what
//! none of them says has a default. Each is read on its own first: flags by `args`,
//! variables into an [`Environment`], the file into a [`FileSettings`]. [`Settings::resolve`] then puts
//! them together, and commands take nothing but the result. Every value remembers where it
//! came from, for `unspool config`.
//!
//! `docs/settings.md` is the page for users; a key that is added here is described there and
//! in `example.toml`.

mod driving;
mod environment;
mod error;
mod file;
mod judge;
mod price;
mod redact;
mod resolve;
mod terminal;
#[cfg(test)]
mod tests;
mod zone;

use std::path::{Path, PathBuf};

use unspool_redact::UserPattern;

use jiff::tz::TimeZone;
use unspool_engine::library::RefreshPolicy;
use unspool_store::home::Home;
use unspool_store::index::Patience;
use unspool_store::prices::Override;

use crate::args::ColorChoice;

pub(crate) use self::driving::{DeadlineChoice, DrivingSettings};
pub(crate) use self::environment::EDITING;
pub(crate) use self::environment::Environment;
pub(crate) use self::error::SettingsError;
pub(crate) use self::file::FileSettings;
pub(crate) use self::terminal::TerminalSettings;

/// A file with every setting in it, as a comment.
pub(crate) const EXAMPLE: &str = include_str!("example.toml");

/// Everything that is set.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The folder that the program was started in.
    pub(crate) here: PathBuf,
    /// The folder that `~` means.
    pub(crate) user_home: Option<PathBuf>,
    /// The file that settings are read from, if there is a place for one.
    pub(crate) file: Option<SettingsFile>,
    /// What is read.
    pub(crate) homes: Sourced<HomeChoice>,
    /// The folder of the index; none if there is no place for it.
    pub(crate) index: Sourced<Option<PathBuf>>,
    /// The folder for state that cannot be rebuilt from logs; none if there is no place for it.
    pub(crate) data: Option<PathBuf>,
    /// The folder of the archive; none if it must be named.
    pub(crate) archive: Sourced<Option<PathBuf>>,
    /// When the index is brought up to date.
    pub(crate) refresh: Sourced<RefreshPolicy>,
    /// How long to wait for another process that writes the index.
    pub(crate) patience: Patience,
    /// The token of a server, if one was chosen.
    pub(crate) token: Option<String>,
    /// Whether a browser can be shown to the person who started the program.
    pub(crate) has_screen: bool,
    /// The programs that show a page, as `BROWSER` lists them.
    pub(crate) browsers: Vec<String>,
    /// Whether the program was started in a pane of tmux.
    pub(crate) in_tmux: bool,
    /// How sessions are driven.
    pub(crate) driving: DrivingSettings,
    /// How output looks.
    pub(crate) display: Display,
    /// How the full-screen program behaves.
    pub(crate) terminal: TerminalSettings,
    /// Prices before those of the list, in file order.
    pub(crate) prices: Vec<Sourced<Override>>,
    /// What is redacted besides what is known, in file order.
    pub(crate) redact: Vec<Sourced<UserPattern>>,
}

/// The file that settings are read from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SettingsFile {
    pub(crate) path: PathBuf,
    pub(crate) presence: Presence,
}

/// Whether there is such a file.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Presence {
    Read,
    #[default]
    Absent,
}

/// How output looks.
#[derive(Clone, Debug)]
pub(crate) struct Display {
    /// When to use colours, environment included.
    pub(crate) color: Sourced<ColorChoice>,
    /// What long output goes through on a terminal.
    pub(crate) pager: Sourced<Pager>,
    /// How many columns are filled.
    pub(crate) width: Sourced<Width>,
    /// The zone that times are shown in.
    pub(crate) zone: Sourced<Zone>,
}

/// A value and where it was set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Sourced<T> {
    pub(crate) value: T,
    pub(crate) origin: SettingOrigin,
}

impl<T> Sourced<T> {
    fn new(value: T, origin: SettingOrigin) -> Self {
        Self { value, origin }
    }

    fn by_default(value: T) -> Self {
        Self::new(value, SettingOrigin::Default)
    }

    fn by_flag(value: T, flag: &'static str) -> Self {
        Self::new(value, SettingOrigin::Flag(flag))
    }

    fn map<U>(self, change: impl FnOnce(T) -> U) -> Sourced<U> {
        Sourced::new(change(self.value), self.origin)
    }
}

impl Settings {
    /// Returns the options that make another run read the same homes, each as it is typed.
    pub(crate) fn home_options(&self) -> Vec<String> {
        match (&self.homes.value, &self.homes.origin) {
            (HomeChoice::Demo, _) => vec!["--demo".to_owned()],
            (HomeChoice::Folders(homes), SettingOrigin::Flag(_)) => homes
                .iter()
                .flat_map(|home| ["--home".to_owned(), home.root.display().to_string()])
                .collect(),
            (HomeChoice::Folders(_), _) => Vec::new(),
        }
    }
}

/// Where a value was set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum SettingOrigin {
    /// Nowhere.
    Default,
    /// In a file, on a line counted from one.
    File { path: PathBuf, line: usize },
    /// By an environment variable.
    Environment(&'static str),
    /// By a flag.
    Flag(&'static str),
}

/// Which homes are read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum HomeChoice {
    /// The one that is built in.
    Demo,
    /// These; none if not even the user's home is known.
    Folders(Vec<Home>),
}

/// What long output goes through on a terminal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Pager {
    /// Nothing.
    None,
    /// A program with its arguments.
    Command(String),
}

impl Pager {
    /// Reads a command line; an empty one and `cat` mean no pager.
    fn new(line: &str) -> Self {
        match line.split_whitespace().next() {
            None | Some("cat") => Self::None,
            Some(_) => Self::Command(line.to_owned()),
        }
    }
}

/// How many columns are filled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Width {
    /// All that the terminal has.
    Terminal,
    /// Those of the terminal, but no more than these.
    AtMost(usize),
    /// These: there is no terminal to ask.
    Exactly(usize),
}

/// A time zone by the name that it was set by.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Zone {
    pub(crate) name: String,
    /// None for the zone of the machine where no link leads to it, which takes a look at many files
    /// to find: a command that shows no times need not wait for it.
    zone: Option<TimeZone>,
}

impl Zone {
    /// Represents the zone of the machine.
    fn local(name: impl Into<String>) -> Self {
        Self { name: name.into(), zone: None }
    }

    /// Returns the zone.
    pub(crate) fn time_zone(&self) -> TimeZone {
        self.zone.clone().unwrap_or_else(TimeZone::system)
    }
}

/// Writes a path as a person would, with `~` for the home folder.
pub(crate) fn shown(path: &Path, user_home: Option<&Path>) -> String {
    match user_home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    }
}
