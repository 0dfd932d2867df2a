//! Runs the program and looks at what came out.

use std::process::Output;

use serde_json::Value;
use unspool_testkit::TestHome;

use crate::schema::assert_fits;

/// What one run printed, and how it ended.
pub(crate) struct Ran {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) code: Option<i32>,
}

/// Runs the program on a home.
pub(crate) fn run(home: &TestHome, args: &[&str]) -> Ran {
    let root = home.path().display().to_string();
    run_bare(home, &[&["--home", &root], args].concat())
}

/// Runs the program without naming a home. Whatever it prints as JSON must fit its schema.
pub(crate) fn run_bare(home: &TestHome, args: &[&str]) -> Ran {
    let output = home
        .command(env!("CARGO_BIN_EXE_unspool"))
        .args(args)
        .output()
        .expect("the program starts");
    let ran = Ran::from(output);
    assert_fits(args, &ran.out);
    ran
}

/// Runs the program on the built-in home, on a page of so many columns.
pub(crate) fn demo_wide(columns: u32, args: &[&str]) -> Ran {
    let home = TestHome::new();
    let output = home
        .command(env!("CARGO_BIN_EXE_unspool"))
        .env("COLUMNS", columns.to_string())
        .env("HOME", "/home/dev")
        .arg("--demo")
        .args(args)
        .output()
        .expect("the program starts");
    Ran::from(output)
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            out: String::from_utf8(output.stdout).expect("output is UTF-8"),
            err: String::from_utf8(output.stderr).expect("messages are UTF-8"),
            code: output.status.code(),
        }
    }
}

impl Ran {
    /// Expects success and returns the output.
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{}", self.err);
        self.out
    }

    /// Expects success and one JSON object.
    pub(crate) fn json(self) -> Value {
        let out = self.ok();
        serde_json::from_str(&out).expect("one JSON object")
    }

    /// Expects JSON lines, whatever the exit code.
    pub(crate) fn lines(self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect()
    }
}

/// Makes a home with one session written in the testkit's notation.
pub(crate) fn home_with(notation: &str) -> TestHome {
    let home = TestHome::new();
    home.add_session("/srv/demo", SESSION, unspool_testkit::session(notation));
    home
}

/// The example of several redos: three endings, the last one active.
pub(crate) const REDOS: &str = r#"
t1  user "turn 1"
a1  assistant "one"
t2  user "turn 2"
a2  assistant "two"
t3  user "turn 3"
a3  assistant "three"
t4a user "turn 4, original"
b4a assistant "four"
t5a user "turn 5, original"
b5a assistant "five"
t4b user < a3 "turn 4, redo 1"
b4b assistant "four again"
t5b user "turn 5, after redo"
b5b assistant "five again"
t6b user "turn 6"
b6b assistant "six"
t7c user "turn 7, path 1"
b7c assistant "seven"
t7d user < b6b "turn 7, redo 2"
b7d assistant "seven again"
"#;

/// The id of that session.
pub(crate) const SESSION: &str = "11111111-1111-4111-8111-111111111111";

/// Shows that session as JSON.
pub(crate) fn show(notation: &str, args: &[&str]) -> Value {
    run(&home_with(notation), &[&["show", SESSION, "--json"], args].concat()).json()
}

/// Returns the strings of a JSON list.
pub(crate) fn strings(value: &Value) -> Vec<&str> {
    value.as_array().expect("a list").iter().filter_map(Value::as_str).collect()
}
