//! Opens a `Drive` from the settings.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use unspool_drive::{
    ClientProgram, Drive, DriveSettings, HostCommand, RunLimits, SystemDriveClock,
};
use unspool_store::home::ClientHomes;
use unspool_store::home::layout::DEFAULT_HOME;

use super::refusal::DriveRefusal;
use crate::errors::{UsageError, wrong_use};
use crate::settings::{HomeChoice, Settings};

/// The hidden command that runs a host.
pub(crate) const HOST: &str = "__host";

/// Whether the client program must exist.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ClientNeed {
    /// It must, because it is started.
    Started,
    /// It need not, because nothing is started.
    NotStarted,
}

/// Whether a run may bypass permissions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BypassGrant {
    /// It may: the user allowed it.
    Given,
    /// It may not.
    Withheld,
}

/// Opens the drive for a command that starts no run.
pub(crate) fn open(settings: &Settings) -> Result<Arc<Drive>> {
    open_for(settings, ClientNeed::NotStarted, BypassGrant::Withheld)
}

/// Opens the drive.
pub(crate) fn open_for(
    settings: &Settings,
    need: ClientNeed,
    bypass: BypassGrant,
) -> Result<Arc<Drive>> {
    if settings.homes.value == HomeChoice::Demo {
        return wrong_use("the demo cannot be driven: its sessions are made up");
    }
    let (state, sockets) = folders(settings)?;
    let home = settings.driving.own_home.clone();
    let driving = &settings.driving;
    Ok(Arc::new(Drive::open(DriveSettings {
        state,
        sockets,
        home: home.ok_or_else(no_home)?,
        client_homes: client_homes(settings),
        client: client(settings, need)?,
        host: HostCommand { program: this_program()?, arguments: vec![HOST.to_owned()] },
        may_bypass: bypass == BypassGrant::Given,
        limits: RunLimits {
            idle: driving.idle.value.seconds(),
            waiting: driving.waiting.value.seconds(),
        },
        clock: Arc::new(SystemDriveClock),
    })?))
}

/// Returns the homes that a client uses if it is started from here.
pub(crate) fn client_homes(settings: &Settings) -> ClientHomes {
    let user = settings.user_home.as_ref();
    ClientHomes {
        usual: user.map(|home| home.join(DEFAULT_HOME)),
        named: settings.driving.named_home.clone(),
        here: settings.here.clone(),
    }
}

/// Returns the path of this program, which is started again as a host.
pub(crate) fn this_program() -> Result<PathBuf> {
    std::env::current_exe().context("the path of this program is not known")
}

/// Returns the data folder and the folder for sockets, which is in the data folder if the system has none.
pub(crate) fn folders(settings: &Settings) -> Result<(PathBuf, PathBuf)> {
    let state = settings.data.clone().ok_or_else(no_home)?;
    let sockets = settings.driving.sockets.clone();
    let sockets = sockets.unwrap_or_else(|| state.join("sockets"));
    Ok((state, sockets))
}

fn no_home() -> UsageError {
    UsageError("no home folder is known, so runs have no place; set HOME".to_owned())
}

/// Returns the client; one that is not started need not exist.
pub(crate) fn client(settings: &Settings, need: ClientNeed) -> Result<ClientProgram> {
    let choice = &settings.driving.client.value;
    let path = find_client(settings);
    let path = match (path, need) {
        (Some(path), _) => path,
        (None, ClientNeed::NotStarted) => choice.program.clone(),
        (None, ClientNeed::Started) => {
            let program = choice.program.display().to_string();
            return Err(DriveRefusal::NotInstalled(program).into());
        }
    };
    Ok(ClientProgram { path, arguments: choice.arguments.clone() })
}

/// Finds the client program.
pub(crate) fn find_client(settings: &Settings) -> Option<PathBuf> {
    let driving = &settings.driving;
    find_program(&driving.client.value.program, &driving.program_folders)
}

/// Finds a program: by its path if that is absolute, else in the folders.
fn find_program(program: &Path, folders: &[PathBuf]) -> Option<PathBuf> {
    if program.is_absolute() {
        return is_program(program).then(|| program.to_owned());
    }
    let mut places = folders.iter().map(|folder| folder.join(program));
    places.find(|place| is_program(place))
}

fn is_program(path: &Path) -> bool {
    let data = path.metadata();
    data.is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}
