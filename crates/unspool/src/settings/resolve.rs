//! Puts flags, environment and file together: the first that says something counts.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use unspool_store::home;
use unspool_store::index::Patience;

use super::{
    Display, DrivingSettings, Environment, FileSettings, HomeChoice, Pager, Refresh, SettingOrigin,
    Settings, SettingsFile, Sourced, TerminalSettings, Width, Zone,
};
use crate::args::{ColorChoice, DisplayArgs, GlobalArgs, HomeArgs, IndexArgs};

impl Settings {
    /// Resolves what is set.
    pub(crate) fn resolve(
        flags: &GlobalArgs,
        environment: &Environment,
        file: &FileSettings,
    ) -> Self {
        Self {
            here: environment.here.clone(),
            user_home: environment.user_home.clone(),
            file: environment
                .settings_file()
                .map(|path| SettingsFile { path, presence: file.presence }),
            homes: homes(&flags.homes, environment, file),
            index: index(&flags.index, environment, file),
            data: environment.data_dir.as_ref().map(|data| data.join("unspool")),
            archive: archive(file),
            refresh: refresh(&flags.index, environment, file),
            patience: patience(environment),
            token: token(environment),
            has_screen: has_screen(environment),
            browsers: browsers(environment),
            in_tmux: environment.get("TMUX").is_some(),
            driving: DrivingSettings::resolve(environment, &file.driving),
            display: Display::resolve(&flags.display, environment, file),
            terminal: TerminalSettings::resolve(environment, &file.terminal),
            prices: file.prices.clone(),
            redact: file.redact.clone(),
        }
    }
}

fn homes(flags: &HomeArgs, environment: &Environment, file: &FileSettings) -> Sourced<HomeChoice> {
    if flags.demo {
        return Sourced::new(HomeChoice::Demo, SettingOrigin::Flag("--demo"));
    }
    let of = |folders: &[PathBuf]| HomeChoice::Folders(home::resolve_homes(folders, None, None));
    if !flags.home.is_empty() {
        let here = |home: &PathBuf| environment.here.join(home);
        let folders: Vec<PathBuf> = flags.home.iter().map(here).collect();
        return Sourced::new(of(&folders), SettingOrigin::Flag("--home"));
    }
    if let Some(named) = environment.get("CLAUDE_CONFIG_DIR") {
        let homes = home::resolve_homes(&[], Some(named), None);
        let origin = SettingOrigin::Environment("CLAUDE_CONFIG_DIR");
        return Sourced::new(HomeChoice::Folders(homes), origin);
    }
    if let Some(homes) = &file.homes {
        return Sourced::new(of(&homes.value), homes.origin.clone());
    }
    let homes = home::resolve_homes(&[], None, environment.user_home.as_deref());
    Sourced::by_default(HomeChoice::Folders(homes))
}

fn index(
    flags: &IndexArgs,
    environment: &Environment,
    file: &FileSettings,
) -> Sourced<Option<PathBuf>> {
    let here = |folder: &Path| Some(environment.here.join(folder));
    if let Some(folder) = &flags.index {
        return Sourced::new(here(folder), SettingOrigin::Flag("--index"));
    }
    if let Some(folder) = environment.get("UNSPOOL_INDEX") {
        let origin = SettingOrigin::Environment("UNSPOOL_INDEX");
        return Sourced::new(here(Path::new(folder)), origin);
    }
    if let Some(index) = &file.index {
        return Sourced::new(Some(index.value.clone()), index.origin.clone());
    }
    let caches = environment.cache_dir.as_ref();
    Sourced::by_default(caches.map(|caches| caches.join("unspool")))
}

fn archive(file: &FileSettings) -> Sourced<Option<PathBuf>> {
    match &file.archive {
        Some(archive) => Sourced::new(Some(archive.value.clone()), archive.origin.clone()),
        None => Sourced::by_default(None),
    }
}

fn refresh(flags: &IndexArgs, environment: &Environment, file: &FileSettings) -> Sourced<Refresh> {
    if flags.no_refresh {
        return Sourced::new(Refresh::Never, SettingOrigin::Flag("--no-refresh"));
    }
    if flags.refresh {
        return Sourced::new(Refresh::First, SettingOrigin::Flag("--refresh"));
    }
    if environment.get("UNSPOOL_NO_REFRESH").is_some() {
        let origin = SettingOrigin::Environment("UNSPOOL_NO_REFRESH");
        return Sourced::new(Refresh::Never, origin);
    }
    let set = file.refresh.clone();
    set.unwrap_or_else(|| Sourced::by_default(Refresh::First))
}

/// `UNSPOOL_WAIT` says for how many seconds to wait for another process that builds the index.
fn patience(environment: &Environment) -> Patience {
    let usual = Patience::default();
    let seconds = environment.get("UNSPOOL_WAIT").and_then(OsStr::to_str);
    let first =
        seconds.and_then(|seconds| seconds.parse().ok()).map_or(usual.first, Duration::from_secs);
    Patience { usual: usual.usual.min(first), first }
}

/// `UNSPOOL_TOKEN` is the token of a server, unless it is empty.
fn token(environment: &Environment) -> Option<String> {
    let token = environment.get("UNSPOOL_TOKEN")?.to_str()?;
    (!token.is_empty()).then(|| token.to_owned())
}

/// A person who came over SSH sits at another machine, and without a display there is no window.
fn has_screen(environment: &Environment) -> bool {
    let is_set = |name| environment.get(name).is_some();
    let has_display = is_set("DISPLAY") || is_set("WAYLAND_DISPLAY") || !cfg!(target_os = "linux");
    has_display && !is_set("SSH_CONNECTION")
}

/// Several browsers are separated as folders are in `PATH`; the first that starts is taken.
fn browsers(environment: &Environment) -> Vec<String> {
    let listed = environment.get("BROWSER").unwrap_or_default();
    let listed = listed.to_string_lossy().into_owned();
    let listed = listed.split(':').map(str::trim);
    listed.filter(|command| !command.is_empty()).map(str::to_owned).collect()
}

impl Display {
    fn resolve(flags: &DisplayArgs, environment: &Environment, file: &FileSettings) -> Self {
        Self {
            color: color(flags, environment, file),
            pager: pager(flags, environment, file),
            width: width(environment, file),
            zone: zone(environment, file),
        }
    }
}

/// `--color auto` leaves the choice to the environment, but not to the file.
fn color(
    flags: &DisplayArgs,
    environment: &Environment,
    file: &FileSettings,
) -> Sourced<ColorChoice> {
    let by_flag = flags.color.map(|color| Sourced::new(color, SettingOrigin::Flag("--color")));
    if let Some(color) = by_flag.clone().filter(|by| by.value != ColorChoice::Auto) {
        return color;
    }
    for (name, color) in [("NO_COLOR", ColorChoice::Never), ("CLICOLOR_FORCE", ColorChoice::Always)]
    {
        if environment.get(name).is_some() {
            return Sourced::new(color, SettingOrigin::Environment(name));
        }
    }
    by_flag.or_else(|| file.color.clone()).unwrap_or_else(|| Sourced::by_default(ColorChoice::Auto))
}

/// A variable that is set to nothing means no pager.
fn pager(flags: &DisplayArgs, environment: &Environment, file: &FileSettings) -> Sourced<Pager> {
    if flags.no_pager {
        return Sourced::new(Pager::None, SettingOrigin::Flag("--no-pager"));
    }
    for name in ["UNSPOOL_PAGER", "PAGER"] {
        if let Some(line) = environment.raw(name) {
            let pager = Pager::new(&line.to_string_lossy());
            return Sourced::new(pager, SettingOrigin::Environment(name));
        }
    }
    let set = file.pager.clone();
    set.unwrap_or_else(|| Sourced::by_default(Pager::new("less")))
}

/// `COLUMNS` only counts where there is no terminal to ask.
fn width(environment: &Environment, file: &FileSettings) -> Sourced<Width> {
    let columns = environment.get("COLUMNS").and_then(|columns| columns.to_str());
    let columns = columns.filter(|_| environment.terminal_width.is_none());
    if let Some(columns) = columns.and_then(|columns| columns.parse().ok()) {
        return Sourced::new(Width::Exactly(columns), SettingOrigin::Environment("COLUMNS"));
    }
    match &file.width {
        Some(width) => Sourced::new(Width::AtMost(width.value), width.origin.clone()),
        None => Sourced::by_default(Width::Terminal),
    }
}

fn zone(environment: &Environment, file: &FileSettings) -> Sourced<Zone> {
    if let Some(name) = environment.get("TZ") {
        let zone = Zone::local(name.to_string_lossy());
        return Sourced::new(zone, SettingOrigin::Environment("TZ"));
    }
    let set = file.zone.clone();
    set.unwrap_or_else(|| Sourced::by_default(Zone::local("local")))
}
