//! The driving part of a server.

use std::sync::Arc;
use std::thread;

use anyhow::Result;
use unspool_drive::RunId;
use unspool_server::{ClientLocation, DriveSetup};

use super::ServeArgs;
use crate::driving::notify;
use crate::driving::open::{BypassGrant, ClientNeed, find_client, open_for};
use crate::errors::wrong_use;
use crate::settings::Settings;

impl ServeArgs {
    /// Opens the drive if `--drive` is set and allowed.
    pub(super) fn drive(&self, settings: &Settings) -> Result<Option<DriveSetup>> {
        if !self.drive {
            return Ok(None);
        }
        if !self.bind.is_loopback() {
            return wrong_use(
                "everybody in the network could try to run commands here: --drive is only \
                         for an address of loopback; `ssh -L` reaches it from elsewhere",
            );
        }
        let bypass = if self.allow_bypass { BypassGrant::Given } else { BypassGrant::Withheld };
        let drive = open_for(settings, ClientNeed::NotStarted, bypass)?;
        drive.sweep()?;
        let asked = Arc::clone(&drive);
        // A host that does not answer must not delay the start of the server.
        thread::spawn(move || asked.resync_all());
        let settings = settings.clone();
        let looked = settings.clone();
        let find_client = move || ClientLocation {
            program: looked.driving.client.value.program.display().to_string(),
            path: find_client(&looked),
        };
        // A run does not depend on the user's command.
        let on_start = move |run: &RunId| _ = notify::begin(run, &settings);
        Ok(Some(DriveSetup {
            drive,
            on_start: Box::new(on_start),
            find_client: Box::new(find_client),
        }))
    }
}
