//! Opening a file with the program that the user has for it.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::settings::Settings;

/// The program that opens a file.
const OPENER: &str = if cfg!(target_os = "macos") {
    "open"
} else {
    "xdg-open"
};

/// Whether something was opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OpenedFile {
    /// The program that opens it was started.
    Started,
    /// There is no screen to show it on: the person came over SSH, or there is no display.
    NoScreen,
    /// There is no program that opens files.
    NoProgram,
}

/// Opens a file, unless there is no screen to show it on.
pub(super) fn open(path: &Path, settings: &Settings) -> OpenedFile {
    if !settings.has_screen {
        return OpenedFile::NoScreen;
    }
    let opened = Command::new(OPENER)
        .arg(path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    match opened {
        Ok(_) => OpenedFile::Started,
        Err(_) => OpenedFile::NoProgram,
    }
}
