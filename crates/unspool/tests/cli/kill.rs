//! The index survives the end of its process, whenever that comes.

use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use unspool_testkit::TestHome;
use unspool_testkit::generate::Corpus;
use unspool_testkit::rng::Rng;

use crate::run::run;

/// How often the indexer is killed.
const KILLS: u64 = 100;

/// What is asked after each kill.
const QUESTIONS: [&[&str]; 4] = [
    &["search", "--json", "error in the parser", "-n", "50"],
    &["search", "--json", "+test", "--flat", "-n", "50"],
    &["list", "--json", "--agents"],
    &["stats", "--json", "--by", "model"],
];

/// Returns the lines of all answers. A score depends on the time of day, so it is left out, and
/// so is the order of hits, which goes by scores.
fn answers(home: &TestHome, index: &str) -> Vec<Vec<String>> {
    let ask = |question: &&[&str]| {
        let ran = run(home, &[&["--index", index], *question].concat());
        let mut lines: Vec<String> = ran
            .lines()
            .into_iter()
            .map(|mut line| {
                if let Some(line) = line.as_object_mut() {
                    line.remove("score");
                }
                line.to_string()
            })
            .collect();
        lines.sort();
        lines
    };
    QUESTIONS.iter().map(ask).collect()
}

fn start(home: &TestHome, index: &str) -> Child {
    home.command(env!("CARGO_BIN_EXE_unspool"))
        .args(["--home", &home.path().display().to_string()])
        .args(["--index", index])
        .args(QUESTIONS[0])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

#[test]
fn killed_at_a_hundred_moments_it_answers_as_if_it_had_not_been() {
    let home = TestHome::new();
    Corpus::new(11, 600_000)
        .write_to(home.path())
        .expect("writes logs");
    let place = tempfile::tempdir().expect("a folder");
    let folder = |name: &str| place.path().join(name).display().to_string();
    let begun = Instant::now();
    let truth = answers(&home, &folder("undisturbed"));
    let longest = begun.elapsed();
    let mut rng = Rng::new(1);
    let mut cut_short = 0;
    for kill in 0..KILLS {
        // Some indexes are killed once, some again and again.
        let index = folder(&format!("index {}", kill / 3));
        let mut child = start(&home, &index);
        thread::sleep(Duration::from_secs_f64(longest.as_secs_f64() * rng.unit()));
        cut_short += u32::from(child.try_wait().expect("a child").is_none());
        child.kill().expect("kills");
        child.wait().expect("ends");
        if kill % 3 == 2 || rng.chance(0.5) {
            assert_eq!(answers(&home, &index), truth, "after kill {kill}");
        }
    }
    assert!(cut_short > 20, "only {cut_short} were at work");
}
