//! Runs the program and checks its output.

use std::process::{Command, Output};

use serde_json::Value;
use unspool_testkit::TestHome;

use crate::schema::assert_fits;

/// The output and the exit code of a run.
pub(crate) struct Ran {
    /// The arguments, for test failures.
    asked: String,
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) code: Option<i32>,
}

/// Builds a command of the program, in the environment of a home and the folder of its user.
pub(crate) fn unspool(home: &TestHome) -> Command {
    home.command(env!("CARGO_BIN_EXE_unspool"))
}

/// Builds a command of the program that reads a home.
pub(crate) fn unspool_on(home: &TestHome) -> Command {
    let mut command = unspool(home);
    command.arg("--home").arg(home.path());
    command
}

/// Runs the program on a home.
pub(crate) fn run(home: &TestHome, args: &[&str]) -> Ran {
    fitting(&mut unspool_on(home), args)
}

/// Runs the program without `--home`.
pub(crate) fn run_bare(home: &TestHome, args: &[&str]) -> Ran {
    fitting(&mut unspool(home), args)
}

/// Runs a command, and checks its JSON against the schema.
pub(crate) fn fitting(command: &mut Command, args: &[&str]) -> Ran {
    let ran = Ran::of(command.args(args));
    assert_fits(args, &ran.out);
    ran
}

/// Runs the program on the demo.
pub(crate) fn demo(args: &[&str]) -> Ran {
    run_bare(&TestHome::new(), &[&["--demo"], args].concat())
}

/// Runs the program on the demo, with a width.
pub(crate) fn demo_wide(columns: u32, args: &[&str]) -> Ran {
    let home = TestHome::new();
    let mut command = unspool(&home);
    command.env("COLUMNS", columns.to_string()).env("HOME", "/home/dev");
    Ran::of(command.arg("--demo").args(args))
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            asked: String::new(),
            out: String::from_utf8(output.stdout).expect("output is UTF-8"),
            err: String::from_utf8(output.stderr).expect("messages are UTF-8"),
            code: output.status.code(),
        }
    }
}

impl Ran {
    /// Runs a command.
    pub(crate) fn of(command: &mut Command) -> Self {
        let output = command.output().expect("the program starts");
        Self { asked: format!("{:?}", command.get_args()), ..output.into() }
    }

    /// Expects an exit code, and these words on standard error.
    #[track_caller]
    pub(crate) fn says(self, code: i32, words: &[&str]) -> Self {
        assert_eq!(self.code, Some(code), "{}: {}", self.asked, self.err);
        for words in words {
            assert!(self.err.contains(words), "{}: {words}: {}", self.asked, self.err);
        }
        self
    }

    /// Expects an exit code, nothing on standard output, and these words on standard error.
    #[track_caller]
    pub(crate) fn only_says(self, code: i32, words: &[&str]) -> Self {
        assert_eq!(self.out, "", "{}: {}", self.asked, self.err);
        self.says(code, words)
    }

    /// Expects success and returns the output.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        self.says(0, &[]).out
    }

    /// Expects success and one JSON object.
    #[track_caller]
    pub(crate) fn json(self) -> Value {
        let out = self.ok();
        serde_json::from_str(&out).expect("one JSON object")
    }

    /// Expects JSON lines, with any exit code.
    pub(crate) fn lines(self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect()
    }
}

/// Creates a home with one session in the testkit's notation.
pub(crate) fn home_with(notation: &str) -> TestHome {
    let home = TestHome::new();
    home.add_session("/srv/demo", SESSION, unspool_testkit::session(notation));
    home
}

/// The example of several rewinds: three ends, the last one active.
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

/// The id of another session.
pub(crate) const OTHER: &str = "22222222-2222-4222-8222-222222222222";

/// Shows that session as JSON.
pub(crate) fn show(notation: &str, args: &[&str]) -> Value {
    run(&home_with(notation), &[&["show", SESSION, "--json"], args].concat()).json()
}

/// Returns the sorted lines of an answer without scores, because scores and the order of hits depend on the
/// time of day.
pub(crate) fn unscored(answer: &str) -> Vec<String> {
    let unscored = |line: &str| match serde_json::from_str::<Value>(line) {
        Ok(Value::Object(mut fields)) if fields.contains_key("score") => {
            fields.remove("score");
            Value::Object(fields).to_string()
        }
        _ => line.to_owned(),
    };
    let mut lines: Vec<String> = answer.lines().map(unscored).collect();
    lines.sort();
    lines
}

/// Returns a string member of each object in a JSON list.
pub(crate) fn strings_at<'v>(list: &'v Value, name: &str) -> Vec<&'v str> {
    let items = list.as_array().expect("a list").iter();
    items.map(|item| item[name].as_str().unwrap_or_else(|| panic!("{name}: {item}"))).collect()
}

/// Splits a line into words as a shell does.
pub(crate) fn shell_words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in line.chars() {
        match (c, quote) {
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            (' ', None) => words.push(String::new()),
            (c, _) => words.last_mut().expect("a word").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
