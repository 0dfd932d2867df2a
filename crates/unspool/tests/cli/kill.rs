//! The index survives a kill of its process at any write.
//!
//! Moments are counted in writes, so a busy machine does not change them.

use std::process::Command;

use unspool_testkit::generate::Corpus;
use unspool_testkit::reaper::{ProgramEnd, Reaper};
use unspool_testkit::rng::Rng;
use unspool_testkit::{TestHome, soak};

use crate::run::{run, unscored, unspool_on};

/// The queries after each kill. They return all hits, because the ranking depends on the time.
const QUESTIONS: [&[&str]; 4] = [
    &["search", "--json", "error in the parser", "-n", "100000"],
    &["search", "--json", "+test", "--flat", "-n", "100000"],
    &["list", "--json", "--agents"],
    &["stats", "--json", "--by", "model"],
];

/// Returns the lines of all answers.
fn answers(home: &TestHome, index: &str) -> Vec<Vec<String>> {
    let ask =
        |question: &&[&str]| unscored(&run(home, &[&["--index", index], *question].concat()).out);
    QUESTIONS.iter().map(ask).collect()
}

fn indexer(home: &TestHome, index: &str) -> Command {
    let mut command = unspool_on(home);
    command.args(["--index", index]).args(QUESTIONS[0]);
    command
}

/// Kills the indexer at writes chosen by a seed, from the first to the last, and compares the answers after
/// each kill.
fn kill(seed: u64, times: u64) {
    let Some(reaper) = Reaper::new() else { return };
    let home = TestHome::new();
    Corpus::new(seed, 300_000).write_to(home.path()).expect("writes logs");
    let place = tempfile::tempdir().expect("a folder");
    let folder = |name: &str| place.path().join(name).display().to_string();
    let truth = answers(&home, &folder("undisturbed"));
    let writes = reaper.writes_of(&mut indexer(&home, &folder("counted")));
    let mut rng = Rng::new(seed);
    for kill in 0..times {
        // Some indexes are killed once, some several times.
        let index = folder(&format!("index {}", kill / 3));
        let nth = match kill {
            0 => 1,
            _ => rng.between(1, writes),
        };
        let end = reaper.end_before(nth, &mut indexer(&home, &index));
        assert!(kill > 0 || end == ProgramEnd::Reaped, "an index is written");
        if kill % 3 == 2 || rng.chance(0.5) {
            assert_eq!(answers(&home, &index), truth, "after kill {kill} at {nth}");
        }
    }
}

#[test]
fn killed_at_any_write_it_answers_as_if_it_had_not_been() {
    kill(11, 15);
}

#[test]
#[ignore = "for `cargo xtask soak`"]
fn killed_at_a_hundred_writes_it_answers_as_if_it_had_not_been() {
    soak::rounds("kills of the indexer", |seed| kill(seed, 100));
}
