//! Kills a program before its nth write, and counts the writes and the memory of a program.
//!
//! A test that kills a program after some time hits another moment on every machine, and under load often
//! none. Here the moment is counted: a small library, compiled by the C compiler that links every Rust
//! program, is loaded into the program and counts the calls that change files. The program does not notice
//! it.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;

const SOURCE: &str = include_str!("reaper.c");

/// Kills programs before a write, and measures them.
#[derive(Debug)]
pub struct Reaper {
    folder: TempDir,
}

/// How a program ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProgramEnd {
    /// By itself, because it had fewer writes.
    Finished,
    /// Killed before the write.
    Reaped,
}

impl Reaper {
    /// Compiles the library; `None` on systems that cannot preload libraries in this way.
    pub fn new() -> Option<Self> {
        if !cfg!(target_os = "linux") {
            return None;
        }
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let source = folder.path().join("reaper.c");
        fs::write(&source, SOURCE).expect("the temporary folder is writable");
        let reaper = Self { folder };
        let compiled = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .args([&reaper.library(), &source])
            .arg("-ldl")
            .status()
            .expect("the C compiler that links Rust programs starts");
        assert!(compiled.success(), "the library cannot be compiled");
        Some(reaper)
    }

    /// Returns the path of the library, for a program that the test does not start itself.
    pub fn library(&self) -> PathBuf {
        self.folder.path().join("reaper.so")
    }

    /// Runs a command to its end and returns the number of its writes.
    pub fn writes_of(&self, command: &mut Command) -> u64 {
        self.tally(command)[0]
    }

    /// Runs a command to its end and returns its peak memory in bytes.
    pub fn memory_of(&self, command: &mut Command) -> u64 {
        self.tally(command)[1] * 1024
    }

    fn tally(&self, command: &mut Command) -> [u64; 2] {
        let tally = self.folder.path().join("tally");
        let status = quiet(command)
            .env("LD_PRELOAD", self.library())
            .env("REAPER_TALLY", &tally)
            .status()
            .expect("the program starts");
        assert!(status.success(), "{status}");
        let text = fs::read_to_string(tally).expect("a tally");
        let numbers: Vec<u64> = text.split_whitespace().flat_map(str::parse).collect();
        numbers.try_into().expect("two numbers")
    }

    /// Runs a command and kills it before its nth write; the first is 1.
    pub fn end_before(&self, nth: u64, command: &mut Command) -> ProgramEnd {
        let status = quiet(command)
            .env("LD_PRELOAD", self.library())
            .env("REAPER_LAST", nth.to_string())
            .status()
            .expect("the program starts");
        match status.code() {
            Some(0) => ProgramEnd::Finished,
            Some(code) => panic!("the program failed with {code}"),
            None => ProgramEnd::Reaped,
        }
    }
}

fn quiet(command: &mut Command) -> &mut Command {
    command.stdout(Stdio::null()).stderr(Stdio::null())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_are_counted_and_the_nth_is_not_made() {
        let Some(reaper) = Reaper::new() else { return };
        let folder = tempfile::tempdir().expect("a folder");
        let folders = || {
            let mut mkdir = Command::new("mkdir");
            mkdir.args(["x", "y", "z"]).current_dir(folder.path());
            mkdir
        };
        assert_eq!(reaper.end_before(2, &mut folders()), ProgramEnd::Reaped);
        assert!(folder.path().join("x").exists());
        assert!(!folder.path().join("y").exists());
        fs::remove_dir(folder.path().join("x")).expect("removed");
        assert_eq!(reaper.end_before(4, &mut folders()), ProgramEnd::Finished);
        for name in ["x", "y", "z"] {
            fs::remove_dir(folder.path().join(name)).expect("removed");
        }
        assert_eq!(reaper.writes_of(&mut folders()), 3);
        assert!(reaper.memory_of(&mut Command::new("true")) > 0);
    }
}
