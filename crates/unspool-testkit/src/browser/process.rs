//! The driver's process: it and all processes that it starts are in one process group, and end with their
//! owner, even if the owner is killed.
//!
//! A killed driver leaves its Chromium running, and a killed test runs no `Drop`. So a small shell reads from
//! a pipe whose other end only the owner has open. When the owner ends, the read returns, and the shell kills
//! the group and removes the folder.

use std::io::{self, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::BrowserAbsence;

/// The timeout for the driver to print its port. It takes 20 ms on an idle machine.
const TO_LISTEN: Duration = Duration::from_mins(1);

/// The script of the shell. `$1` is the group and `$2` the folder. The second `rm` removes files that a
/// process wrote while it was killed.
const KEEPER: &str =
    "read -r end; kill -s KILL -- \"-$1\"; rm -rf \"$2\" || { sleep 1; rm -rf \"$2\"; }";

/// A driver that accepts connections, with an empty home folder.
#[derive(Debug)]
pub(super) struct DriverProcess {
    driver: Child,
    keeper: Child,
    folder: PathBuf,
    port: u16,
}

impl DriverProcess {
    /// Starts a driver on a port that the system chooses.
    pub(super) fn start() -> Result<Self, BrowserAbsence> {
        let broken = |error: io::Error| BrowserAbsence::Broken(error.to_string());
        let folder = tempfile::tempdir().map_err(broken)?;
        let driver = Command::new("chromedriver")
            .arg("--port=0")
            .env("HOME", folder.path())
            .env("TMPDIR", folder.path())
            .env("DBUS_SESSION_BUS_ADDRESS", "/dev/null")
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_CACHE_HOME")
            .env_remove("XDG_RUNTIME_DIR")
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut driver = match driver {
            Ok(driver) => driver,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(BrowserAbsence::NotInstalled);
            }
            Err(error) => return Err(broken(error)),
        };
        // From this point the shell removes the folder.
        let folder = folder.keep();
        let keeper = match keeper(driver.id(), &folder) {
            Ok(keeper) => keeper,
            Err(error) => {
                let _ = driver.kill();
                let _ = driver.wait();
                return Err(broken(error));
            }
        };
        let lines = driver.stdout.take();
        let mut process = Self { driver, keeper, folder, port: 0 };
        let port = lines.and_then(|lines| port_in(BufReader::new(lines)));
        process.port =
            port.ok_or_else(|| BrowserAbsence::Broken("chromedriver names no port".to_owned()))?;
        Ok(process)
    }

    /// Returns the port that the driver listens on.
    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Returns a folder that is removed when the driver ends.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for DriverProcess {
    fn drop(&mut self) {
        // The shell continues when its input ends.
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
        let _ = self.driver.wait();
    }
}

/// Starts the shell in its own process group, so that a signal to the owner's group does not end it.
fn keeper(group: u32, folder: &Path) -> io::Result<Child> {
    Command::new("sh")
        .args(["-c", KEEPER, "keeper"])
        .arg(group.to_string())
        .arg(folder)
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

/// Parses the port from the driver's output. Reads the rest too, so that a full pipe does not block the
/// driver.
fn port_in(lines: impl io::BufRead + Send + 'static) -> Option<u16> {
    let (found, port) = mpsc::channel();
    thread::spawn(move || {
        for line in lines.lines().map_while(Result::ok) {
            let number = line.split_once("started successfully on port ");
            if let Some(port) = number.and_then(|(_, rest)| rest.trim_end_matches('.').parse().ok())
            {
                let _ = found.send(port);
            }
        }
    });
    port.recv_timeout(TO_LISTEN).ok()
}
