//! Answers stay correct if the index is damaged, or is being built by other processes.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use unspool_testkit::{TestHome, files_below};

use crate::run::{Ran, home_with, run, unspool_on};

const TALK: &str = r#"
u1 user "alphaword please"
a1 assistant "betaword" call Bash:t1 {"command":"ls"}
r1 result t1 "gammaword"
a2 assistant "done"
"#;

/// The page size of the catalogue.
const PAGE: usize = 16_384;

/// Finds the catalogue of a home's index.
fn catalogue(home: &TestHome) -> PathBuf {
    let mut files = files_below(home.user_home()).into_iter();
    files.find(|path| path.ends_with("catalogue.sqlite")).expect("a catalogue")
}

#[test]
fn a_zeroed_page_of_the_catalogue_is_noticed_and_the_index_rebuilt() {
    let home = home_with(TALK);
    let ask = |args: &[&str]| run(&home, args);
    let questions: [&[&str]; 2] = [&["stats", "--json"], &["search", "alphaword", "--json"]];
    let expected = questions.map(|question| ask(question).ok());
    let path = catalogue(&home);
    let whole = fs::read(&path).expect("a catalogue");
    assert!(whole.len() > 4 * PAGE, "{}", whole.len());
    for page in 0..whole.len() / PAGE {
        for (question, expected) in questions.iter().zip(&expected) {
            let mut damaged = fs::read(&path).expect("a catalogue");
            let zeroed = page * PAGE..((page + 1) * PAGE).min(damaged.len());
            if zeroed.is_empty() {
                continue;
            }
            damaged[zeroed].fill(0);
            fs::write(&path, damaged).expect("writes");
            let ran = ask(question);
            assert_eq!(ran.code, Some(0), "page {page}, {question:?}: {}", ran.err);
            assert_eq!(ran.out, *expected, "page {page}, {question:?}");
            let again = ask(question);
            assert_eq!((again.code, again.err.as_str()), (Some(0), ""), "page {page}");
        }
    }
}

#[test]
fn searches_that_begin_together_without_an_index_all_find() {
    let home = home_with(TALK);
    let start = || {
        let mut command = unspool_on(&home);
        command.args(["search", "alphaword", "--json"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the program starts")
    };
    let running: Vec<_> = (0..6).map(|_| start()).collect();
    for search in running {
        let ran = Ran::from(search.wait_with_output().expect("it ends")).says(0, &[]);
        assert_eq!(ran.lines().len(), 1);
    }
}
