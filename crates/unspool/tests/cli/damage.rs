//! An index that is damaged, or is being made by others: answers stay right.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use unspool_testkit::TestHome;

use crate::run::{Ran, home_with, run};

const TALK: &str = r#"
u1 user "alphaword please"
a1 assistant "betaword" call Bash:t1 {"command":"ls"}
r1 result t1 "gammaword"
a2 assistant "done"
"#;

/// The size of a page of the catalogue.
const PAGE: usize = 16_384;

/// Finds the catalogue of a home's index.
fn catalogue(home: &TestHome) -> PathBuf {
    let mut open = vec![home.user_home().to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.ends_with("catalogue.sqlite") {
                return path;
            }
            if path.is_dir() {
                open.push(path);
            }
        }
    }
    panic!("no catalogue")
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
    let root = home.path().display().to_string();
    let start = || {
        let mut command = home.command(env!("CARGO_BIN_EXE_unspool"));
        command.args(["--home", &root, "search", "alphaword", "--json"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the program starts")
    };
    let running: Vec<_> = (0..6).map(|_| start()).collect();
    for search in running {
        let ran = Ran::from(search.wait_with_output().expect("it ends"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert_eq!(ran.lines().len(), 1);
    }
}
