//! Merges flags, environment and settings file, in this order of precedence.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::Duration;

use unspool_engine::library::RefreshPolicy;
use unspool_store::home;
use unspool_store::index::LockTimeouts;

use super::{
    Display, DrivingSettings, Environment, FileSettings, HomeChoice, Pager, SettingOrigin,
    Settings, SettingsFile, Sourced, TerminalSettings, Width, Zone,
};
use crate::args::{ColorChoice, DisplayArgs, GlobalArgs, HomeArgs, IndexArgs};

impl Settings {
    /// Resolves all settings.
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
            lock_timeouts: lock_timeouts(environment),
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
        return Sourced::by_flag(HomeChoice::Demo, "--demo");
    }
    let of = |folders: &[PathBuf]| HomeChoice::Folders(home::resolve_homes(folders, None, None));
    if !flags.home.is_empty() {
        let here = |home: &PathBuf| environment.here.join(home);
        let folders: Vec<PathBuf> = flags.home.iter().map(here).collect();
        return Sourced::by_flag(of(&folders), "--home");
    }
    let named =
        |named: &OsStr| Some(HomeChoice::Folders(home::resolve_homes(&[], Some(named), None)));
    let set = environment.take("CLAUDE_CONFIG_DIR", named);
    let set = set.or_else(|| Some(file.homes.clone()?.map(|homes| of(&homes))));
    set.unwrap_or_else(|| {
        let homes = home::resolve_homes(&[], None, environment.user_home.as_deref());
        Sourced::by_default(HomeChoice::Folders(homes))
    })
}

fn index(
    flags: &IndexArgs,
    environment: &Environment,
    file: &FileSettings,
) -> Sourced<Option<PathBuf>> {
    let here = |folder: &OsStr| environment.here.join(folder);
    let flag = flags.index.as_ref().map(|it| Sourced::by_flag(here(it.as_os_str()), "--index"));
    let set = flag.or_else(|| environment.take("UNSPOOL_INDEX", |folder| Some(here(folder))));
    let set = set.or_else(|| file.index.clone());
    let usual = || environment.cache_dir.as_ref().map(|caches| caches.join("unspool"));
    set.map_or_else(|| Sourced::by_default(usual()), |set| set.map(Some))
}

fn archive(file: &FileSettings) -> Sourced<Option<PathBuf>> {
    let set = file.archive.clone();
    set.map_or_else(|| Sourced::by_default(None), |set| set.map(Some))
}

fn refresh(
    flags: &IndexArgs,
    environment: &Environment,
    file: &FileSettings,
) -> Sourced<RefreshPolicy> {
    if flags.no_refresh {
        return Sourced::by_flag(RefreshPolicy::OnDemand, "--no-refresh");
    }
    if flags.refresh {
        return Sourced::by_flag(RefreshPolicy::EachRequest, "--refresh");
    }
    let set = environment.take("UNSPOOL_NO_REFRESH", |_| Some(RefreshPolicy::OnDemand));
    set.or(file.refresh.clone()).unwrap_or_else(|| Sourced::by_default(RefreshPolicy::EachRequest))
}

/// `UNSPOOL_WAIT` is the number of seconds to wait for another process that builds the index.
fn lock_timeouts(environment: &Environment) -> LockTimeouts {
    let usual = LockTimeouts::default();
    let seconds = environment.get("UNSPOOL_WAIT").and_then(OsStr::to_str);
    let first =
        seconds.and_then(|seconds| seconds.parse().ok()).map_or(usual.first, Duration::from_secs);
    LockTimeouts { usual: usual.usual.min(first), first }
}

/// `UNSPOOL_TOKEN` is the token of the server, unless it is empty.
fn token(environment: &Environment) -> Option<String> {
    let token = environment.get("UNSPOOL_TOKEN")?.to_str()?;
    (!token.is_empty()).then(|| token.to_owned())
}

/// Over SSH the user sits at another machine, and without a display there are no windows.
fn has_screen(environment: &Environment) -> bool {
    let is_set = |name| environment.get(name).is_some();
    let has_display = is_set("DISPLAY") || is_set("WAYLAND_DISPLAY") || !cfg!(target_os = "linux");
    has_display && !is_set("SSH_CONNECTION")
}

/// `BROWSER` separates its commands by colons, like `PATH`; the first one that starts is used.
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

/// `--color auto` gives the environment precedence, but not the file.
fn color(
    flags: &DisplayArgs,
    environment: &Environment,
    file: &FileSettings,
) -> Sourced<ColorChoice> {
    let by_flag = flags.color.map(|color| Sourced::by_flag(color, "--color"));
    let decided = by_flag.clone().filter(|by| by.value != ColorChoice::Auto);
    let never = || environment.take("NO_COLOR", |_| Some(ColorChoice::Never));
    let always = || environment.take("CLICOLOR_FORCE", |_| Some(ColorChoice::Always));
    let set = decided.or_else(never).or_else(always).or(by_flag).or_else(|| file.color.clone());
    set.unwrap_or_else(|| Sourced::by_default(ColorChoice::Auto))
}

/// An empty variable turns the pager off.
fn pager(flags: &DisplayArgs, environment: &Environment, file: &FileSettings) -> Sourced<Pager> {
    if flags.no_pager {
        return Sourced::by_flag(Pager::None, "--no-pager");
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

/// `COLUMNS` is used only without a terminal.
fn width(environment: &Environment, file: &FileSettings) -> Sourced<Width> {
    let columns = environment.get("COLUMNS").and_then(|columns| columns.to_str());
    let columns = columns.filter(|_| environment.terminal_width.is_none());
    if let Some(columns) = columns.and_then(|columns| columns.parse().ok()) {
        return Sourced::new(Width::Exactly(columns), SettingOrigin::Environment("COLUMNS"));
    }
    let set = file.width.clone();
    set.map_or_else(|| Sourced::by_default(Width::Terminal), |set| set.map(Width::AtMost))
}

fn zone(environment: &Environment, file: &FileSettings) -> Sourced<Zone> {
    let set = environment.take("TZ", |name| Some(Zone::local(name.to_string_lossy())));
    let zone = set.or_else(|| file.zone.clone());
    let zone = zone.unwrap_or_else(|| Sourced::by_default(Zone::local("local")));
    if environment.raw("TZ").is_some() { zone } else { zone.map(Zone::linked) }
}
