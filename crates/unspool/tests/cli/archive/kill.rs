//! An archive survives a kill of its process at any write.

use std::fs;
use std::path::Path;
use std::process::Command;

use unspool_testkit::reaper::{ProgramEnd, Reaper};
use unspool_testkit::rng::Rng;
use unspool_testkit::{TestHome, soak};

use super::{Folder, contents, one_real_home};
use crate::run::{run, unspool_on};

/// An archive whose processes are killed at counted writes.
struct Killed {
    reaper: Reaper,
    home: TestHome,
    folder: Folder,
    rng: Rng,
}

impl Killed {
    fn command(&self, args: &[&str]) -> Command {
        let mut command = unspool_on(&self.home);
        command.args(args);
        command
    }

    /// Runs a command several times, each time killed before a write; the first time before the first one.
    /// `writes` is the number of writes of an undisturbed run.
    fn run(&mut self, args: &[&str], writes: u64, times: u64, between: impl Fn(&Self, u64)) {
        for kill in 0..times {
            let nth = match kill {
                0 => 1,
                _ => self.rng.between(1, writes),
            };
            let end = self.reaper.end_before(nth, &mut self.command(args));
            assert!(kill > 0 || end == ProgramEnd::Reaped, "something is written");
            between(self, kill);
        }
    }

    /// Archives with kills, and checks that the result shows no trace of them.
    fn store(&mut self, times: u64) {
        let archive = self.folder.at("archive");
        let mut undisturbed = self.command(&["archive", &self.folder.at("undisturbed")]);
        let writes = self.reaper.writes_of(&mut undisturbed);
        self.run(&["archive", &archive], writes, times, |this, kill| {
            // Every file in the archive is complete.
            let is_there = Path::new(&archive).join("unspool-archive.json").exists();
            if is_there && kill % 2 == 0 {
                let verdict = run(&this.home, &["archive", "verify", &archive]);
                assert_eq!(verdict.code, Some(0), "after kill {kill}: {}", verdict.err);
            }
            // Every third time, the archive is made from the start.
            if kill % 3 == 2 {
                let _ = fs::remove_dir_all(&archive);
            }
        });
        run(&self.home, &["archive", &archive]).ok();
        let packed = |name: &str| {
            let mut all = contents(Path::new(&self.folder.at(name)));
            all.retain(|path, _| path.starts_with("home-1"));
            all
        };
        let same = packed("undisturbed") == packed("archive");
        assert!(same, "the archive is as if it had not been disturbed");
    }

    /// Restores with kills, and checks that the result shows no trace of them.
    fn restore(&mut self, times: u64) {
        let (archive, out) = (self.folder.at("archive"), self.folder.at("out"));
        let whole = self.folder.at("whole");
        let mut undisturbed = self.command(&["archive", "restore", &archive, "--to", &whole]);
        let writes = self.reaper.writes_of(&mut undisturbed);
        let args = ["archive", "restore", &archive, "--to", &out];
        self.run(&args, writes, times, |_, kill| {
            if kill % 3 == 2 {
                let _ = fs::remove_dir_all(&out);
            }
        });
        run(&self.home, &args).ok();
        assert!(contents(Path::new(&out)) == contents(self.home.path()));
    }
}

/// Kills commands at writes chosen by a seed.
fn kill(seed: u64, times: u64) {
    let Some(reaper) = Reaper::new() else { return };
    let mut killed =
        Killed { reaper, home: one_real_home(), folder: Folder::new(), rng: Rng::new(seed) };
    killed.store(times);
    killed.restore(times);
}

#[test]
fn killed_at_any_write_nothing_is_lost() {
    kill(5, 4);
}

#[test]
#[ignore = "for `cargo xtask soak`"]
fn killed_at_many_writes_nothing_is_lost() {
    soak::rounds("kills of archiving", |seed| kill(seed, 30));
}
