//! Sessions that unspool drives are answered in the full-screen program; the client is a scripted one.

use std::path::PathBuf;
use std::process::Stdio;

use serde_json::Value;
use unspool_testkit::TestHome;
use unspool_testkit::client::{allow_in, scripted_client};
use unspool_testkit::pty::PtyProgram;

use crate::{PROGRAM, unspool};

/// A home in which a scripted client may run, and a trusted folder. Runs end with it.
struct DrivenHome {
    home: TestHome,
    folder: PathBuf,
    client: PathBuf,
}

impl DrivenHome {
    fn new() -> Self {
        let home = TestHome::new();
        allow_in(home.path());
        let folder = home.user_home().join("work");
        std::fs::create_dir(&folder).expect("a folder");
        let made = Self {
            home,
            folder,
            client: scripted_client(),
        };
        made.drive(&["trust", ".", "--yes"]);
        made
    }

    fn variables(&self) -> [(&'static str, String); 4] {
        [
            ("CLAUDE_CONFIG_DIR", self.home.path().display().to_string()),
            ("UNSPOOL_CLAUDE", self.client.display().to_string()),
            ("IDLE_TIMEOUT", "off".to_owned()),
            ("WAITING_TIMEOUT", "off".to_owned()),
        ]
    }

    /// Runs a command of `drive`.
    fn drive(&self, args: &[&str]) -> String {
        let output = self
            .home
            .command(PROGRAM)
            .envs(self.variables())
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .arg("drive")
            .args(args)
            .output()
            .expect("the program starts");
        String::from_utf8(output.stdout).expect("text")
    }

    fn start(&self, prompt: &str) -> String {
        let run = self.drive(&["start", "--prompt", prompt]);
        let run = run.trim().to_owned();
        self.drive(&["wait", &run, "--for", "answer"]);
        run
    }

    fn program(&self) -> PtyProgram {
        let mut start = unspool(&self.home);
        for (name, value) in self.variables() {
            start = start.variable(name, &value);
        }
        start.run()
    }

    /// Starts the program and goes to the sessions that run, with the one that waits.
    fn live(&self) -> PtyProgram {
        let mut program = self.program();
        program.wait_for("Needs input").press("\u{7}");
        program.wait_for("a answers");
        program
    }

    fn has(&self, file: &str) -> bool {
        self.folder.join(file).exists()
    }
}

impl Drop for DrivenHome {
    fn drop(&mut self) {
        for line in self.drive(&["list", "--all", "--json"]).lines() {
            let run: Value = serde_json::from_str(line).unwrap_or_default();
            self.drive(&["stop", run["run"].as_str().unwrap_or_default()]);
        }
    }
}

fn leave(program: &mut PtyProgram) {
    program.press("\u{3}");
    program.end();
    program.expect_restored();
}

#[test]
fn a_call_is_allowed_and_the_next_prompt_is_queued() {
    let home = DrivenHome::new();
    let run = home.start("[[bash: touch made]]");
    let mut program = home.live();
    program.wait_for("touch made").press("a");
    program.wait_for("Bash wants to run").wait_for("allow once");
    program.press("1").wait_for("answered: allow");
    home.drive(&["wait", &run, "--for", "idle"]);
    assert!(home.has("made"));
    program.press("i").wait_for("Enter sends it");
    program
        .press("[[bash: touch again]]\r")
        .wait_for("the prompt is");
    home.drive(&["wait", &run, "--for", "answer"]);
    // The call, and not the prompt, which has the same words; and it waits.
    program
        .wait_for("Bash  touch again")
        .wait_for("a answers")
        .press("a")
        .wait_for("allow once");
    program.press("1").wait_for("answered: allow");
    home.drive(&["wait", &run, "--for", "idle"]);
    assert!(home.has("again"));
    leave(&mut program);
}

#[test]
fn a_call_is_refused_with_words() {
    let home = DrivenHome::new();
    let run = home.start("[[bash: touch made]]");
    let mut program = home.live();
    program.press("a").wait_for("say why").press("G");
    let shown = program.text();
    let row = shown.lines().find(|line| line.contains("say why"));
    let number = row
        .and_then(|row| row.trim().chars().next())
        .expect("a number");
    program.press(&number.to_string()).wait_for("say why ›");
    program
        .press("use the other folder\r")
        .wait_for("answered: deny");
    home.drive(&["wait", &run, "--for", "idle"]);
    assert!(!home.has("made"));
    leave(&mut program);
}

#[test]
fn a_question_is_answered_and_a_plan_accepted() {
    let home = DrivenHome::new();
    let run = home.start("[[ask: Which colour? | Red | Blue]] [[plan: paint it]]");
    let mut program = home.live();
    program
        .press("a")
        .wait_for("Which colour?")
        .wait_for("2 Blue");
    program.press("2").wait_for("answered: allow");
    home.drive(&["wait", &run, "--for", "answer"]);
    program.wait_for("plan  paint it").wait_for("a answers");
    program.press("a").wait_for("paint it");
    program
        .wait_for("accept edits")
        .press("2")
        .wait_for("answered: allow");
    home.drive(&["wait", &run, "--for", "idle"]);
    leave(&mut program);
}

#[test]
fn a_prompt_goes_on_with_a_session_that_does_not_run() {
    let home = DrivenHome::new();
    let run = home.drive(&["start", "--prompt", "hello there"]);
    let run = run.trim();
    home.drive(&["wait", run, "--for", "idle"]);
    home.drive(&["stop", run]);
    home.drive(&["wait", run, "--for", "over"]);
    let mut program = home.program();
    program.wait_for("hello there").press("\r");
    program.wait_for("turn 1/1").press("i");
    program.wait_for("It does not run").press("go on\r");
    program.wait_for("the session goes on");
    let runs = home.drive(&["list", "--json"]);
    assert_eq!(runs.lines().count(), 1, "{runs}");
    leave(&mut program);
}
