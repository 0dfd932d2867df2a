//! Settings of driven sessions: the client, deadlines, and the command for runs that wait.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use toml::de::DeValue;
use unspool_drive::LONGEST_DEADLINE;
use unspool_store::home::layout::DEFAULT_HOME;

use super::checker::{SettingsChecker, SettingsSection};
use super::{Environment, Sourced};

/// The default idle deadline of a client, in seconds.
const IDLE: u64 = 300;
/// The default deadline of a request that waits for a person, in seconds.
const WAITING: u64 = 30 * 60;

/// The settings of driven sessions.
#[derive(Clone, Debug)]
pub(crate) struct DrivingSettings {
    /// The client program.
    pub(crate) client: Sourced<ClientChoice>,
    /// How long a client may be idle.
    pub(crate) idle: Sourced<DeadlineChoice>,
    /// How long a request may wait for a person.
    pub(crate) waiting: Sourced<DeadlineChoice>,
    /// The program, with arguments, that is run when a run needs a person; none if empty.
    pub(crate) on_waiting: Sourced<Vec<String>>,
    /// Environment variables whose values are not deadlines.
    pub(crate) misread: Vec<&'static str>,
    /// The folder for sockets; `None` if they are in the data folder.
    pub(crate) sockets: Option<PathBuf>,
    /// The folders that are searched for programs.
    pub(crate) program_folders: Vec<PathBuf>,
    /// The home in the environment, unresolved.
    pub(crate) named_home: Option<PathBuf>,
    /// The home that the client uses by default.
    pub(crate) own_home: Option<PathBuf>,
}

/// A deadline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DeadlineChoice {
    /// No deadline.
    Off,
    /// A number of seconds.
    After(u64),
}

impl DeadlineChoice {
    /// Parses a deadline: a number of seconds, or `off`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text {
            "off" => Some(Self::Off),
            text => Self::after(text.parse().ok()?),
        }
    }

    fn after(seconds: u64) -> Option<Self> {
        (1..=LONGEST_DEADLINE).contains(&seconds).then_some(Self::After(seconds))
    }

    /// Returns the seconds; `None` without a deadline.
    pub(crate) fn seconds(self) -> Option<u64> {
        match self {
            Self::Off => None,
            Self::After(seconds) => Some(seconds),
        }
    }
}

/// The client program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ClientChoice {
    /// A path, or a name that is searched in the folders of programs.
    pub(crate) program: PathBuf,
    /// The first arguments, before those of each run.
    pub(crate) arguments: Vec<String>,
}

impl ClientChoice {
    /// Parses a program: a text with a separator is a path, any other is a name.
    fn new(text: &OsStr, path: impl FnOnce(&OsStr) -> Option<PathBuf>) -> Option<Self> {
        let named = Path::new(text);
        let is_name = named.components().count() == 1 && !text.as_encoded_bytes().contains(&b'/');
        let program = if is_name { named.to_owned() } else { path(text)? };
        Some(Self { program, arguments: Vec::new() })
    }

    /// Returns the program with its arguments.
    pub(crate) fn words(&self) -> Vec<String> {
        let program = self.program.display().to_string();
        std::iter::once(program).chain(self.arguments.iter().cloned()).collect()
    }
}

/// The values of the settings file.
#[derive(Clone, Default, Debug)]
pub(super) struct FileDriving {
    client: Option<Sourced<ClientChoice>>,
    idle: Option<Sourced<DeadlineChoice>>,
    waiting: Option<Sourced<DeadlineChoice>>,
    on_waiting: Option<Sourced<Vec<String>>>,
}

impl FileDriving {
    /// Reads the keys; `path` resolves the paths of the file.
    pub(super) fn read(
        checker: &mut SettingsChecker<'_>,
        top: SettingsSection<'_, '_>,
        path: impl Fn(&str) -> Option<PathBuf>,
    ) -> Self {
        const SECONDS: &str = "a number of seconds, or false";
        const PROGRAM: &str = r#"a program such as "claude", or a list of it and its arguments"#;
        const COMMAND: &str =
            r#"a list of a program and its arguments such as ["notify-send", "unspool"]"#;
        let client = |value: &DeValue<'_>| {
            let words = match value {
                DeValue::String(text) => vec![text.to_string()],
                value => words(value)?,
            };
            let (program, arguments) = words.split_first()?;
            let of = |text: &OsStr| path(text.to_str()?);
            let choice = ClientChoice::new(OsStr::new(program), of)?;
            let arguments = arguments.to_vec();
            Some(ClientChoice { arguments, ..choice })
        };
        Self {
            client: checker.take(top, "client", PROGRAM, client),
            idle: checker.take(top, "idle_timeout", SECONDS, seconds),
            waiting: checker.take(top, "waiting_timeout", SECONDS, seconds),
            on_waiting: checker.take(top, "on_waiting", COMMAND, words),
        }
    }
}

/// Reads a list of words that starts with a program.
fn words(value: &DeValue<'_>) -> Option<Vec<String>> {
    let list = value.as_array()?.iter();
    let words: Option<Vec<String>> =
        list.map(|word| word.get_ref().as_str().map(str::to_owned)).collect();
    words.filter(|words| words.first().is_some_and(|program| !program.is_empty()))
}

fn seconds(value: &DeValue<'_>) -> Option<DeadlineChoice> {
    if let DeValue::Boolean(false) = value {
        return Some(DeadlineChoice::Off);
    }
    let number = value.as_integer()?;
    let seconds = u64::from_str_radix(number.as_str(), number.radix()).ok()?;
    DeadlineChoice::after(seconds)
}

impl DrivingSettings {
    pub(super) fn resolve(environment: &Environment, file: &FileDriving) -> Self {
        let folders = environment.get("PATH").map(env::split_paths);
        let named_home = environment.get("CLAUDE_CONFIG_DIR");
        let usual_home = environment.user_home.as_ref();
        let usual_home = usual_home.map(|home| home.join(DEFAULT_HOME));
        Self {
            client: client(environment, file),
            idle: limit(environment, LIMIT_VARIABLES[0], file.idle.as_ref(), IDLE),
            waiting: limit(environment, LIMIT_VARIABLES[1], file.waiting.as_ref(), WAITING),
            misread: misread(environment),
            on_waiting: file.on_waiting.clone().unwrap_or_else(|| Sourced::by_default(Vec::new())),
            sockets: environment.runtime_dir.as_ref().map(|folder| folder.join("unspool")),
            program_folders: folders.into_iter().flatten().collect(),
            named_home: named_home.map(PathBuf::from),
            own_home: named_home.map_or(usual_home, |home| Some(environment.here.join(home))),
        }
    }
}

fn client(environment: &Environment, file: &FileDriving) -> Sourced<ClientChoice> {
    let here = |text: &OsStr| Some(environment.here.join(text));
    let named = environment.take("UNSPOOL_CLAUDE", |text| ClientChoice::new(text, here));
    let usual = || ClientChoice { program: "claude".into(), arguments: Vec::new() };
    named.or_else(|| file.client.clone()).unwrap_or_else(|| Sourced::by_default(usual()))
}

/// The environment variables with deadlines.
const LIMIT_VARIABLES: [&str; 2] = ["IDLE_TIMEOUT", "WAITING_TIMEOUT"];

/// Returns the variables that are neither a number of seconds nor `off`. They are ignored, because other
/// programs may use the same names.
fn misread(environment: &Environment) -> Vec<&'static str> {
    let is_misread = |name: &&'static str| {
        let value = environment.get(name);
        value.is_some_and(|value| value.to_str().and_then(DeadlineChoice::parse).is_none())
    };
    LIMIT_VARIABLES.into_iter().filter(is_misread).collect()
}

fn limit(
    environment: &Environment,
    variable: &'static str,
    file: Option<&Sourced<DeadlineChoice>>,
    usual: u64,
) -> Sourced<DeadlineChoice> {
    let set = environment.take(variable, |text| DeadlineChoice::parse(text.to_str()?));
    let set = set.or_else(|| file.cloned());
    set.unwrap_or_else(|| Sourced::by_default(DeadlineChoice::After(usual)))
}
