//! The settings, with their origins.
//!
//! Flags, environment variables and the settings file are read separately: flags by `args`, variables into
//! an [`Environment`], the file into a [`FileSettings`]. [`Settings::resolve`] merges them in this order of
//! precedence and adds the defaults, and commands use only the result. Every value has its origin, for
//! `unspool config`.
//!
//! `docs/settings.md` is the page for users; a new key has to be described there and in `example.toml`.

mod checker;
mod driving;
mod environment;
mod error;
mod file;
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
use unspool_store::index::LockTimeouts;
use unspool_store::prices::Override;

use crate::args::ColorChoice;

pub(crate) use self::driving::{DeadlineChoice, DrivingSettings};
pub(crate) use self::environment::EDITING;
pub(crate) use self::environment::Environment;
pub(crate) use self::error::SettingsError;
pub(crate) use self::file::FileSettings;
pub(crate) use self::terminal::TerminalSettings;

/// A settings file with every setting commented out.
pub(crate) const EXAMPLE: &str = include_str!("example.toml");

/// The resolved settings.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The working directory.
    pub(crate) here: PathBuf,
    /// The folder that `~` means.
    pub(crate) user_home: Option<PathBuf>,
    /// The settings file; `None` if its folder is not known.
    pub(crate) file: Option<SettingsFile>,
    /// The homes to read.
    pub(crate) homes: Sourced<HomeChoice>,
    /// The folder of the index; `None` if it is not known.
    pub(crate) index: Sourced<Option<PathBuf>>,
    /// The folder for data that cannot be rebuilt from logs; `None` if it is not known.
    pub(crate) data: Option<PathBuf>,
    /// The folder of the archive; `None` if it has to be given.
    pub(crate) archive: Sourced<Option<PathBuf>>,
    /// When the index is refreshed.
    pub(crate) refresh: Sourced<RefreshPolicy>,
    /// How long to wait for another process that writes the index.
    pub(crate) lock_timeouts: LockTimeouts,
    /// The token of the server, if one is set.
    pub(crate) token: Option<String>,
    /// Whether the user can see a browser window.
    pub(crate) has_screen: bool,
    /// The browser commands of `BROWSER`.
    pub(crate) browsers: Vec<String>,
    /// Set if the program was started in tmux.
    pub(crate) in_tmux: bool,
    /// The settings of driven sessions.
    pub(crate) driving: DrivingSettings,
    /// The settings of output.
    pub(crate) display: Display,
    /// The settings of the full-screen program.
    pub(crate) terminal: TerminalSettings,
    /// Prices that override the built-in ones, in file order.
    pub(crate) prices: Vec<Sourced<Override>>,
    /// Additional patterns to redact, in file order.
    pub(crate) redact: Vec<Sourced<UserPattern>>,
}

/// The settings file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SettingsFile {
    pub(crate) path: PathBuf,
    pub(crate) presence: Presence,
}

/// Whether the settings file exists.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Presence {
    Read,
    #[default]
    Absent,
}

/// The settings of output.
#[derive(Clone, Debug)]
pub(crate) struct Display {
    /// When to use colours, with the environment taken into account.
    pub(crate) color: Sourced<ColorChoice>,
    /// The pager for long output on a terminal.
    pub(crate) pager: Sourced<Pager>,
    /// The width of output.
    pub(crate) width: Sourced<Width>,
    /// The zone that times are shown in.
    pub(crate) zone: Sourced<Zone>,
}

/// A value and its origin.
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
    /// Returns the options that make another run read the same homes.
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

/// The origin of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum SettingOrigin {
    /// The default.
    Default,
    /// The settings file, with a line counted from one.
    File { path: PathBuf, line: usize },
    /// An environment variable.
    Environment(&'static str),
    /// A flag.
    Flag(&'static str),
}

/// The homes to read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum HomeChoice {
    /// The built-in demo.
    Demo,
    /// These folders; empty if the user's home is not known.
    Folders(Vec<Home>),
}

/// The pager for long output on a terminal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Pager {
    /// No pager.
    None,
    /// A program with its arguments.
    Command(String),
}

impl Pager {
    /// Parses a command line; an empty one and `cat` mean no pager.
    fn new(line: &str) -> Self {
        match line.split_whitespace().next() {
            None | Some("cat") => Self::None,
            Some(_) => Self::Command(line.to_owned()),
        }
    }
}

/// The width of output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Width {
    /// The width of the terminal.
    Terminal,
    /// The width of the terminal, up to this limit.
    AtMost(usize),
    /// This width, because there is no terminal.
    Exactly(usize),
}

/// A time zone and the name that it was set by.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Zone {
    pub(crate) name: String,
    /// `None` for the system's zone if no link names it: finding it then reads many files, which commands
    /// without times need not wait for.
    zone: Option<TimeZone>,
}

impl Zone {
    /// Creates the system's zone.
    fn local(name: impl Into<String>) -> Self {
        Self { name: name.into(), zone: None }
    }

    /// Returns the time zone.
    pub(crate) fn time_zone(&self) -> TimeZone {
        self.zone.clone().unwrap_or_else(TimeZone::system)
    }
}

/// Formats a path with `~` for the home folder.
pub(crate) fn shown(path: &Path, user_home: Option<&Path>) -> String {
    match user_home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    }
}
