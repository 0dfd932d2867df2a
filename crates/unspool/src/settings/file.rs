//! The settings file: parses bytes into values with line numbers.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use clap::ValueEnum as _;
use toml::de::{DeTable, DeValue};
use unspool_engine::library::RefreshPolicy;
use unspool_model::near::near;
use unspool_redact::UserPattern;
use unspool_store::prices::Override;

use super::checker::{SettingsChecker, SettingsSection, named};
use super::driving::FileDriving;
use super::terminal::FileTerminal;
use super::{Environment, Pager, Presence, SettingsError, Sourced, Zone, price, redact, shown};
use crate::args::ColorChoice;

/// The largest accepted file.
const LARGEST: u64 = 1 << 20;
/// The accepted widths of output.
const WIDTHS: std::ops::RangeInclusive<usize> = 20..=1000;

const KEYS: [&str; 12] = [
    "homes",
    "index",
    "refresh",
    "archive",
    "client",
    "idle_timeout",
    "waiting_timeout",
    "on_waiting",
    "display",
    "terminal",
    "prices",
    "redact",
];
const DISPLAY_KEYS: [&str; 4] = ["color", "pager", "width", "time_zone"];

/// The settings of the file.
#[derive(Clone, Default, Debug)]
pub(crate) struct FileSettings {
    pub(super) presence: Presence,
    pub(super) homes: Option<Sourced<Vec<PathBuf>>>,
    pub(super) index: Option<Sourced<PathBuf>>,
    pub(super) refresh: Option<Sourced<RefreshPolicy>>,
    pub(super) archive: Option<Sourced<PathBuf>>,
    pub(super) driving: FileDriving,
    pub(super) color: Option<Sourced<ColorChoice>>,
    pub(super) pager: Option<Sourced<Pager>>,
    pub(super) width: Option<Sourced<usize>>,
    pub(super) zone: Option<Sourced<Zone>>,
    pub(super) terminal: FileTerminal,
    pub(super) prices: Vec<Sourced<Override>>,
    pub(super) redact: Vec<Sourced<UserPattern>>,
}

impl FileSettings {
    /// Reads the file, if it exists.
    pub(crate) fn read(environment: &Environment) -> Result<Self, SettingsError> {
        let Some(path) = environment.settings_file() else {
            return Ok(Self::default());
        };
        let home = environment.user_home.as_deref();
        let bytes = match contents(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Self::absent(&path, environment);
            }
            Err(error) => {
                return Err(SettingsError::Unreadable {
                    path: shown(&path, home),
                    reason: error.kind(),
                });
            }
        };
        Self::parse(&bytes, &path, home)
    }

    /// Returns no settings for a missing file, or an error if the user named the file.
    fn absent(path: &Path, environment: &Environment) -> Result<Self, SettingsError> {
        if environment.names_settings_file() {
            let path = shown(path, environment.user_home.as_deref());
            return Err(SettingsError::Missing { path });
        }
        Ok(Self::default())
    }

    /// Parses the content of a file.
    pub(super) fn parse(
        bytes: &[u8],
        path: &Path,
        home: Option<&Path>,
    ) -> Result<Self, SettingsError> {
        let name = shown(path, home);
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let text = match str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
                let mut checker = SettingsChecker::new(&valid, path);
                checker.wrong(valid.len()..valid.len(), "this is not UTF-8");
                return checker.finish(Self::default(), &name);
            }
        };
        let mut checker = SettingsChecker::new(text, path);
        let file = match DeTable::parse(text) {
            Ok(table) => PathBases { path, home }.file(&mut checker, table.get_ref()),
            Err(error) => {
                let end = text.len()..text.len();
                checker.wrong(error.span().unwrap_or(end), error.message());
                Self::default()
            }
        };
        checker.finish(file, &name)
    }
}

/// Reads the file, up to the largest accepted size.
fn contents(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = fs::File::open(path)?;
    if file.take(LARGEST + 1).read_to_end(&mut bytes)? as u64 > LARGEST {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

/// The folders that paths in the file are relative to.
#[derive(Clone, Copy)]
struct PathBases<'a> {
    path: &'a Path,
    home: Option<&'a Path>,
}

impl PathBases<'_> {
    fn file(self, checker: &mut SettingsChecker<'_>, table: &DeTable<'_>) -> FileSettings {
        let top = SettingsSection { head: "", table };
        let elsewhere = DISPLAY_KEYS.map(|key| (key, "under [display]"));
        checker.reject_unknown_keys(top, &KEYS, &elsewhere);
        let mut file = FileSettings {
            presence: Presence::Read,
            homes: self.homes(checker, top),
            index: checker.take(top, "index", "a folder", |value| self.folder(value)),
            archive: checker.take(top, "archive", "a folder", |value| self.folder(value)),
            refresh: checker.take(top, "refresh", "true or false", |value| {
                Some(if value.as_bool()? {
                    RefreshPolicy::EachRequest
                } else {
                    RefreshPolicy::OnDemand
                })
            }),
            driving: FileDriving::read(checker, top, |text| self.path(text)),
            redact: redact::read(checker, top),
            ..FileSettings::default()
        };
        if let Some(display) = section(checker, top, "display") {
            read_display(checker, display, &mut file);
        }
        if let Some(terminal) = section(checker, top, "terminal") {
            file.terminal = FileTerminal::read(checker, terminal);
        }
        if let Some(prices) = section(checker, top, "prices") {
            file.prices = price::read(checker, prices);
        }
        file
    }

    fn homes(
        self,
        checker: &mut SettingsChecker<'_>,
        top: SettingsSection<'_, '_>,
    ) -> Option<Sourced<Vec<PathBuf>>> {
        let value = top.table.get("homes")?;
        let list = value.get_ref().as_array().filter(|list| !list.is_empty());
        let Some(list) = list else {
            checker.type_error(
                &named("homes", ""),
                value,
                r#"a list of folders such as ["~/.claude"]"#,
                None,
            );
            return None;
        };
        let mut homes = Vec::new();
        for home in list {
            match self.folder(home.get_ref()) {
                Some(home) => homes.push(home),
                None => checker.type_error("each of `homes`", home, "a folder", None),
            }
        }
        Some(Sourced::new(homes, checker.origin(&value.span())))
    }

    /// Reads a folder: `~` is the user's home, and a relative path starts at the file's folder.
    fn folder(self, value: &DeValue<'_>) -> Option<PathBuf> {
        self.path(value.as_str()?)
    }

    fn path(self, text: &str) -> Option<PathBuf> {
        match text.strip_prefix('~') {
            _ if text.is_empty() => None,
            None => Some(self.path.parent()?.join(text)),
            Some("") => self.home.map(Path::to_owned),
            Some(rest) => Some(self.home?.join(rest.strip_prefix('/')?)),
        }
    }
}

fn read_display(
    checker: &mut SettingsChecker<'_>,
    display: SettingsSection<'_, '_>,
    file: &mut FileSettings,
) {
    let elsewhere = KEYS.map(|key| (key, "at the top of the file, before any [table]"));
    checker.reject_unknown_keys(display, &DISPLAY_KEYS, &elsewhere);
    file.color = checker.take_word(
        display,
        "color",
        "one of auto, always, never",
        |word| ColorChoice::from_str(word, false).ok(),
        |word| near(word, &["auto", "always", "never"]).first().map(ToString::to_string),
    );
    let expected = r#"a command such as "less -FRX", or false"#;
    file.pager = checker.take(display, "pager", expected, |value| match value {
        DeValue::String(line) => Some(Pager::new(line)),
        DeValue::Boolean(false) => Some(Pager::None),
        _ => None,
    });
    let (least, most) = (WIDTHS.start(), WIDTHS.end());
    let expected = format!("a whole number from {least} to {most}");
    file.width = checker.take(display, "width", &expected, |value| {
        let number = value.as_integer()?;
        let width = usize::from_str_radix(number.as_str(), number.radix()).ok()?;
        WIDTHS.contains(&width).then_some(width)
    });
    file.zone = checker.take_word(
        display,
        "time_zone",
        r#""local", "utc" or a time zone such as "Europe/Berlin""#,
        Zone::find,
        Zone::near,
    );
}

/// Returns a table of the file.
fn section<'d, 't>(
    checker: &mut SettingsChecker<'_>,
    top: SettingsSection<'d, 't>,
    head: &'d str,
) -> Option<SettingsSection<'d, 't>> {
    let value = top.table.get(head)?;
    if let Some(table) = value.get_ref().as_table() {
        return Some(SettingsSection { head, table });
    }
    let expected = format!("a table: [{head}]");
    checker.type_error(&named(head, ""), value, &expected, None);
    None
}
