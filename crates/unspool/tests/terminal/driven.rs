//! Driven sessions in the full-screen program, with a scripted client.

use std::ops::Deref;

use serde_json::Value;
use unspool_testkit::driven;
use unspool_testkit::pty::{PtyProgram, PtyStart};

use crate::{PROGRAM, unspool};

/// Settings with a hook that runs a command.
const HOOK: &str = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
    {"type": "command", "command": "echo hooked"}
]}]}}"#;

/// A home for driving, without deadlines.
struct DrivenHome(driven::DrivenHome);

impl Deref for DrivenHome {
    type Target = driven::DrivenHome;

    fn deref(&self) -> &driven::DrivenHome {
        &self.0
    }
}

/// The variables that switch deadlines off.
const NO_DEADLINES: [(&str, &str); 2] = [("IDLE_TIMEOUT", "off"), ("WAITING_TIMEOUT", "off")];

impl DrivenHome {
    fn new() -> Self {
        let made = Self::untrusted();
        made.drive(&["trust", ".", "--yes"]);
        made
    }

    /// Creates a home whose folder is not trusted.
    fn untrusted() -> Self {
        Self(driven::DrivenHome::new(PROGRAM))
    }

    /// Runs a `drive` command.
    fn drive(&self, args: &[&str]) -> String {
        let output = self.command(&["drive"]).args(args).envs(NO_DEADLINES).output();
        String::from_utf8(output.expect("the program starts").stdout).expect("text")
    }

    /// Starts a run, waits until it is idle, and returns its id.
    fn start_idle(&self, prompt: &str) -> String {
        let run = self.drive(&["start", "--prompt", prompt]).trim().to_owned();
        self.drive(&["wait", &run, "--for", "idle"]);
        run
    }

    /// Ends a run.
    fn stop(&self, run: &str) {
        self.drive(&["stop", run]);
        self.drive(&["wait", run, "--for", "over"]);
    }

    fn start(&self, prompt: &str) -> String {
        let run = self.drive(&["start", "--prompt", prompt]);
        let run = run.trim().to_owned();
        self.drive(&["wait", &run, "--for", "answer"]);
        run
    }

    fn start_program(&self) -> PtyStart<'_> {
        let mut start = unspool(&self.home);
        for (name, value) in self.variables() {
            start = start.variable(name, &value);
        }
        for (name, value) in NO_DEADLINES {
            start = start.variable(name, value);
        }
        start
    }

    fn program(&self) -> PtyProgram {
        self.start_program().run()
    }

    /// Starts the program and opens the running sessions, with the waiting one selected.
    fn live(&self) -> PtyProgram {
        let mut program = self.program();
        program.wait_for("Needs input").press("\u{7}");
        program.wait_for("a answers");
        program
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
    program.press("[[bash: touch again]]\r").wait_for("the prompt is");
    home.drive(&["wait", &run, "--for", "answer"]);
    // Waits for the pending call, not for the prompt, which contains the same words.
    program.wait_for("Bash  touch again").wait_for("a answers").press("a").wait_for("allow once");
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
    let number = row.and_then(|row| row.trim().chars().next()).expect("a number");
    program.press(&number.to_string()).wait_for("say why ›");
    program.press("use the other folder\r").wait_for("answered: deny");
    home.drive(&["wait", &run, "--for", "idle"]);
    assert!(!home.has("made"));
    leave(&mut program);
}

#[test]
fn a_question_is_answered_and_a_plan_accepted() {
    let home = DrivenHome::new();
    let run = home.start("[[ask: Which colour? | Red | Blue]] [[plan: paint it]]");
    let mut program = home.live();
    program.press("a").wait_for("Which colour?").wait_for("2 Blue");
    program.press("2").wait_for("answered: allow");
    home.drive(&["wait", &run, "--for", "answer"]);
    program.wait_for("plan  paint it").wait_for("a answers");
    program.press("a").wait_for("paint it");
    program.wait_for("accept edits").press("2").wait_for("answered: allow");
    home.drive(&["wait", &run, "--for", "idle"]);
    leave(&mut program);
}

#[test]
fn a_prompt_goes_on_with_a_session_that_does_not_run() {
    let home = DrivenHome::new();
    home.stop(&home.start_idle("hello there"));
    let mut program = home.program();
    program.wait_for("hello there").press("\r");
    program.wait_for("turn 1/1").press("i");
    program.wait_for("It does not run").press("go on\r");
    // The plan is read to its end before the run can start.
    program.wait_for("--resume").wait_for("1 start it");
    program.press("    1").wait_for("the session goes on");
    let runs = home.drive(&["list", "--json"]);
    assert_eq!(runs.lines().count(), 1, "{runs}");
    leave(&mut program);
}

#[test]
fn a_session_is_started_in_a_folder_that_is_trusted_there() {
    let home = DrivenHome::untrusted();
    home.write(".claude/settings.json", HOOK);
    // The plan is longer than this screen.
    let mut program = home.start_program().sized(60, 20).run();
    program.wait_for("Alt-n").press("\u{1b}n");
    program.wait_for("New session").wait_for("the client's own");
    // The default folder is another one.
    program.press("\u{f}").wait_for("The run starts with");
    program.press("1").wait_for("Folder");
    program.press(&home.cwd());
    program.wait_for("take `").press("\r");
    program.wait_for("The run starts with").press("\u{1b}");
    // The row that the menu has covered.
    program.wait_for("waits for an answer  off");
    program.press("[[say: I am here]]\r");
    program.wait_for("a folder that is not trusted");
    // Neither the digit nor Enter starts a run whose plan was not read.
    program.press("1").wait_for("read it to its end first");
    assert_eq!(home.drive(&["list", "--json"]), "");
    program.press(" ").press(" ").wait_for("hook  .claude/settings.json");
    program.wait_for("echo hooked");
    program.press("1").wait_for("the session begins");
    let trusted = home.drive(&["trust", "--list"]);
    assert!(trusted.contains("work"), "{trusted}");
    let run = home.drive(&["list", "--json"]);
    let run: Value = serde_json::from_str(run.trim()).expect("one run");
    let run = run["run"].as_str().expect("an id");
    home.drive(&["wait", run, "--for", "idle"]);
    program.wait_for("1 session").press("\r");
    program.wait_for("● I am here");
    leave(&mut program);
}

#[test]
fn a_folder_that_changes_after_it_was_read_is_not_trusted() {
    let home = DrivenHome::new();
    home.stop(&home.start_idle("hello there"));
    home.drive(&["trust", ".", "--forget"]);
    let mut program = home.program();
    program.wait_for("hello there").press("\r");
    program.wait_for("turn 1/1").press("i");
    program.wait_for("It does not run").press("go on\r");
    program.wait_for("a folder that is not trusted");
    home.write(".claude/settings.json", HOOK);
    program.press("    1").wait_for("the folder is not trusted");
    assert_eq!(home.drive(&["list", "--json"]), "");
    assert_eq!(home.drive(&["trust", "--list"]), "");
    leave(&mut program);
}

#[test]
fn commands_and_files_complete_a_prompt() {
    let home = DrivenHome::new();
    home.write(".claude/commands/tidy.md", "Tidy up.");
    home.write("harbour.txt", "boats");
    home.drive(&["trust", ".", "--yes"]);
    let run = home.start("[[bash: touch made]]");
    let mut program = home.live();
    program.press("i").wait_for("Enter sends it");
    program.press("/ti").wait_for("tidy (project)");
    program.press("\t").wait_for("› /tidy ");
    program.press("@har").wait_for("   @harbour.txt");
    program.press("\t").wait_for("› /tidy @harbour.txt");
    program.press("now\r").wait_for("the prompt is queued");
    let text = run_field(&home, &run, "/queue/1/text");
    assert_eq!(text, "/tidy @harbour.txt now");
    home.stop(&run);
    // The commands are known after the end of the run.
    program.wait_for("Done since you looked").press("i");
    program.wait_for("It does not run").press("/ti");
    program.wait_for("tidy (project)");
    leave(&mut program);
}

/// Returns a field of a run, by its JSON pointer.
fn run_field(home: &DrivenHome, run: &str, pointer: &str) -> Value {
    let all = home.drive(&["list", "--all", "--json"]);
    let mut runs = all.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let found = runs.find(|it| it["run"] == run).expect("the run");
    found.pointer(pointer).cloned().unwrap_or_default()
}

#[test]
fn a_prompt_that_was_begun_is_there_after_the_program_ended() {
    let home = DrivenHome::new();
    let run = home.start("[[bash: touch made]]");
    let mut program = home.live();
    program.press("i").wait_for("Enter sends it");
    program.press("half").wait_for("› half");
    leave(&mut program);
    let mut program = home.live();
    program.press("i").wait_for("› half");
    program.press(" a thought").wait_for("› half a thought");
    program.signal("TERM").end();
    let mut program = home.live();
    program.press("i").wait_for("› half a thought");
    program.press(", whole\r").wait_for("the prompt is queued");
    let text = run_field(&home, &run, "/queue/1/text");
    assert_eq!(text, "half a thought, whole");
    program.press("i").wait_for("Enter sends it");
    leave(&mut program);
    let mut program = home.live();
    program.press("i").wait_for("Enter sends it");
    // A sent prompt is not a draft. The draft has been read when the next key is painted.
    program.press("x").wait_for("› x");
    leave(&mut program);
}

#[test]
fn the_queue_of_a_run_is_ordered_and_cancelled() {
    let home = DrivenHome::new();
    let run = home.start("[[bash: touch made]]");
    for text in ["the first of three", "the second", "the third"] {
        home.drive(&["send", &run, text]);
    }
    let mut program = home.live();
    program.wait_for("1 the first of three");
    program.press("u").wait_for("waits").press("third\r");
    program.wait_for("send it next").press("next\r");
    program.wait_for("the queue has another order");
    program.wait_for("1 the third");
    program.press("u").wait_for("waits").press("second\r");
    program.wait_for("cancel it").press("cancel\r");
    program.wait_for("the prompt is cancelled");
    let queue = run_field(&home, &run, "/queue");
    let queue = queue.as_array().expect("a list").iter();
    let queued = queue.filter(|prompt| prompt["state"] == "queued");
    let queued: Vec<&str> = queued.filter_map(|prompt| prompt["text"].as_str()).collect();
    assert_eq!(queued, ["the third", "the first of three"]);
    leave(&mut program);
}

#[test]
fn deadlines_permissions_and_model_of_a_run_are_changed() {
    let home = DrivenHome::new();
    let run = home.start("[[bash: touch made]]");
    let mut program = home.live();
    program.press("d").wait_for("idle: off").press("idle\r");
    program.wait_for("1 d").press("4 h\r");
    program.wait_for("the deadlines are other ones");
    assert_eq!(run_field(&home, &run, "/deadlines/idle"), 4 * 3_600);
    program.press("d").wait_for("waiting for an answer").press("waiting\r");
    program.wait_for("1 d").press("5 min\r");
    program.wait_for("the deadlines are other ones");
    assert_eq!(run_field(&home, &run, "/deadlines/waiting"), 300);
    program.press("d").wait_for("waiting for an answer").press("waiting\r");
    program.wait_for("1 d").press("off\r");
    program.wait_for("the deadlines are other ones");
    assert_eq!(run_field(&home, &run, "/deadlines/waiting"), Value::Null);
    program.press("M").wait_for("scripted-model").press("\r");
    program.wait_for("the client was told");
    program.press("p").wait_for("plan first").press("3");
    program.wait_for("the client was told");
    leave(&mut program);
}

#[test]
fn a_run_that_ends_is_listed_below_and_those_of_before_are_not() {
    let home = DrivenHome::new();
    home.stop(&home.start_idle("it ended before"));
    let run = home.start("[[bash: touch made]]");
    let start = home.start_program().args(["watch", "--full-screen"]);
    let mut program = start.run();
    program.wait_for("a answers");
    home.stop(&run);
    program.wait_for("Done since you looked");
    let shown = program.text();
    assert!(!shown.contains("it ended before"), "{shown}");
    leave(&mut program);
}

#[test]
fn a_session_is_opened_at_once() {
    let home = DrivenHome::new();
    let run = home.start_idle("hello there");
    let session = run_field(&home, &run, "/session");
    let session = session.as_str().expect("an id");
    let start = unspool(&home.home).args(["watch", "--full-screen", session]);
    let mut program = start.run();
    program.wait_for("hello there").wait_for("turn 1/1");
    leave(&mut program);
}
