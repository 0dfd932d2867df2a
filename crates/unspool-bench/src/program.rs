//! Runs of the program as users start it.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};

/// Returns the path of the program, which is next to this one.
pub(crate) fn binary() -> Result<PathBuf> {
    let myself = env::current_exe().context("cannot find myself")?;
    let binary = myself.with_file_name(format!("unspool{}", env::consts::EXE_SUFFIX));
    ensure!(binary.is_file(), "{} is not there; `cargo xtask bench` builds it", binary.display());
    Ok(binary)
}

/// The program with a home and an index.
pub(crate) struct Program {
    binary: PathBuf,
    home: PathBuf,
    index: PathBuf,
}

impl Program {
    /// Creates a runner of the program next to this one.
    pub(crate) fn new(home: &Path, index: &Path) -> Result<Self> {
        Ok(Self { binary: binary()?, home: home.to_owned(), index: index.to_owned() })
    }

    /// Runs the program and returns its time in seconds. An exit code of 1 means that there were
    /// no results, which takes time too.
    pub(crate) fn run(&self, args: &[&str]) -> Result<f64> {
        let mut command = Command::new(&self.binary);
        command
            .env_clear()
            .envs(env::var_os("PATH").map(|path| ("PATH", path)))
            .args([OsStr::new("--home"), self.home.as_os_str()])
            .args([OsStr::new("--index"), self.index.as_os_str()])
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let start = Instant::now();
        let status = command.status().context("cannot start the program")?;
        let seconds = start.elapsed().as_secs_f64();
        ensure!(matches!(status.code(), Some(0 | 1)), "{args:?} ended with {status}");
        Ok(seconds)
    }
}
