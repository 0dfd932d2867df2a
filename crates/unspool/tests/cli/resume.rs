//! `unspool resume`, with a fake client that records how it was started.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use unspool_testkit::home::AgentFilePlace;
use unspool_testkit::{TestHome, session};

use crate::run::{OTHER, Ran, SESSION, fitting, unspool};

/// A home, folders of sessions, and a client that records how it was started.
struct Stage {
    home: TestHome,
    client: PathBuf,
}

impl Stage {
    fn new() -> Self {
        let home = TestHome::new();
        let script = "{ pwd; echo \"$@\"; env; echo pid=$$; } > \"$HOME/said\"\nexit 7";
        let client = home.add_script("bin/claude", script);
        Self { home, client }
    }

    /// Creates a stage with a session in a folder of that name; returns the folder too.
    fn with_session(name: &str) -> (Self, String) {
        let stage = Self::new();
        let folder = stage.folder(name);
        stage.add(&folder, &[&folder]);
        (stage, folder)
    }

    /// Creates a folder in the user's home.
    fn folder(&self, name: &str) -> String {
        let folder = self.home.user_home().join(name);
        fs::create_dir_all(&folder).expect("a folder");
        folder.display().to_string()
    }

    /// Returns the path of a folder that does not exist.
    fn nowhere(&self, name: &str) -> String {
        self.home.user_home().join(name).display().to_string()
    }

    /// Adds a session with its entries in some folders, and its log filed under another one.
    fn add(&self, filed: &str, cwds: &[&str]) -> PathBuf {
        self.home.add_session(filed, SESSION, log_in(cwds))
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = unspool(&self.home);
        command.args(args).env("UNSPOOL_CLAUDE", &self.client);
        command
    }

    fn run(&self, args: &[&str]) -> Ran {
        fitting(&mut self.command(&[]), &[&["resume"], args].concat())
    }

    fn plan(&self, args: &[&str]) -> Value {
        let ran = self.run(&[args, &["--json"]].concat());
        serde_json::from_str(&ran.out).expect("one object")
    }

    /// Returns the record of the client: its folder, arguments and environment.
    fn said(&self) -> Vec<String> {
        let said = fs::read_to_string(self.home.user_home().join("said")).expect("it was started");
        said.lines().map(ToOwned::to_owned).collect()
    }

    fn was_started(&self) -> bool {
        self.home.user_home().join("said").exists()
    }

    /// Makes this process the owner of the session.
    fn own(&self) {
        self.home.add_running(SESSION, std::process::id(), &json!({}));
    }
}

/// Returns a log whose entries were in these folders, in order.
fn log_in(cwds: &[&str]) -> String {
    let mut text = String::new();
    let lines = String::from_utf8(session(
        "u1 user \"one\"\na1 assistant \"two\"\nu2 user \"three\"\na2 assistant \"four\"",
    ));
    for (index, line) in lines.expect("text").lines().enumerate() {
        let mut record: Value = serde_json::from_str(line).expect("a record");
        let at = (index / 2).min(cwds.len() - 1);
        record["cwd"] = cwds[at].into();
        text.push_str(&record.to_string());
        text.push('\n');
    }
    text
}

#[test]
fn the_terminal_goes_to_the_client_in_the_folder_of_the_session() {
    let (stage, folder) = Stage::with_session("a b");
    let mut command = stage.command(&["resume", "1111", "--", "--model", "opus"]);
    command.env("UNSPOOL_TOKEN", "secret").env("KEPT", "yes");
    let child = command.stderr(std::process::Stdio::piped()).spawn().expect("it runs");
    let pid = child.id();
    let ran = Ran::from(child.wait_with_output().expect("it ends"));
    // The exit code is that of the client, which has replaced the program.
    assert_eq!(ran.code, Some(7), "{}", ran.err);
    let said = stage.said();
    assert_eq!(said[0], folder);
    assert_eq!(said[1], format!("--resume {SESSION} --model opus"));
    assert!(said.contains(&format!("pid={pid}")), "{said:?}");
    assert!(said.contains(&"KEPT=yes".to_owned()));
    assert!(!said.iter().any(|line| line.starts_with("UNSPOOL_") || line.starts_with("CLAUDE_")));
    let line = format!("note: cd '{folder}' && ");
    assert!(ran.err.starts_with(&line), "{}", ran.err);
}

#[test]
fn a_session_is_resumed_where_its_log_is_filed() {
    let stage = Stage::new();
    let (first, second) = (stage.folder("one"), stage.folder("two"));
    stage.add(&second, &[&first, &second]);
    let plan = stage.plan(&["@"]);
    assert_eq!(plan["cwd"], second);
    assert_eq!(plan["arguments"][2], SESSION);
    assert_eq!(plan["refused"], Value::Null);
    assert_eq!(plan["environment"], json!({}));
    let notes = plan["notes"].to_string();
    assert!(notes.contains("was in 2 folders"), "{notes}");
    let plan = stage.plan(&["@", "--in", &first]);
    assert_eq!(plan["cwd"], first);
    let notes = plan["notes"].to_string();
    assert!(notes.contains("filed under another folder"), "{notes}");
}

#[test]
fn another_folder_of_the_session_is_taken_if_its_own_is_gone() {
    let stage = Stage::new();
    let (there, gone) = (stage.folder("repo"), stage.nowhere("repo/tree"));
    stage.add(&gone, &[&there, &gone]);
    stage.run(&["@"]).says(7, &[&format!("{gone} is gone")]);
    assert_eq!(stage.said()[0], there);
    assert_eq!(stage.said()[1], format!("--resume {SESSION}"));
}

#[test]
fn without_a_folder_nothing_is_started_and_the_ways_out_are_named() {
    let stage = Stage::new();
    let gone = stage.nowhere("gone/deep");
    stage.add(&gone, &[&gone]);
    stage.run(&["@"]).only_says(
        1,
        &[&format!("{gone}: the folder of the session is gone"), "--in ~`", "mkdir -p"],
    );
    assert!(!stage.was_started());
    let refused = stage.plan(&["@"])["refused"].to_string();
    assert!(refused.contains("is gone"), "{refused}");
    let other = stage.folder("other");
    stage.run(&["@", "--in", "other"]).says(7, &[]);
    assert_eq!(stage.said()[..2], [other, format!("--resume {SESSION}")]);
    stage.run(&["@", "--in", "nothing"]).says(2, &["nothing: not a folder"]);
}

#[test]
fn a_log_that_was_moved_is_named_by_its_path_where_its_id_would_not_do() {
    let stage = Stage::new();
    let folder = stage.folder("here");
    stage.add("/srv/moved", &[&folder]);
    let plan = stage.plan(&["@"]);
    assert_eq!(
        (plan["cwd"].as_str(), plan["arguments"][2].as_str()),
        (Some(&*folder), Some(SESSION))
    );
    // Two logs have this id, and neither is filed under the folder.
    let log = stage.add("/srv/copied", &[&folder]).display().to_string();
    let plan = stage.plan(&[&log]);
    assert_eq!(plan["arguments"][2], log);
    assert!(plan["notes"].to_string().contains("by its path"), "{plan}");
    // A log outside every home, and one whose name is not an id.
    for (name, note) in
        [(format!("{OTHER}.jsonl"), "by its path"), ("n.jsonl".to_owned(), "a new log")]
    {
        let path = stage.home.user_home().join(name);
        fs::write(&path, log_in(&[&folder])).expect("a log");
        let path = path.display().to_string();
        let plan = stage.plan(&[&path]);
        assert_eq!(plan["arguments"][2], path);
        assert_eq!(plan["environment"], json!({}));
        assert!(plan["notes"].to_string().contains(note), "{plan}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_session_that_runs_is_only_forked() {
    let (stage, _) = Stage::with_session("here");
    stage.own();
    for args in [&["@"][..], &["@", "--print"]] {
        let ran = stage.run(args).only_says(1, &[]);
        let pid = std::process::id().to_string();
        assert!(ran.err.contains(&pid) && ran.err.contains("`--fork`"), "{}", ran.err);
    }
    assert!(!stage.was_started());
    stage.run(&["@", "--fork"]).says(7, &[]);
    assert_eq!(stage.said()[1], format!("--resume {SESSION} --fork-session"));
}

#[test]
fn what_is_printed_can_be_run() {
    let (stage, folder) = Stage::with_session("it's here");
    let line = stage.run(&["@", "--print"]).ok();
    let status = stage.home.command("/bin/sh").args(["-c", &line]).status();
    assert_eq!(status.expect("a shell").code(), Some(7));
    assert_eq!(stage.said()[..2], [folder, format!("--resume {SESSION}")]);
}

#[test]
fn a_home_is_named_only_if_it_is_not_the_usual_one() {
    let (stage, folder) = Stage::with_session("here");
    let second = TestHome::new();
    second.add_session(&folder, OTHER, log_in(&[&folder]));
    let (usual, other) = (stage.home.path(), second.path());
    let home = |path: &Path| path.display().to_string();
    for (named, session, expected) in [
        (None, usual, json!({})),
        (None, other, json!({"CLAUDE_CONFIG_DIR": home(other)})),
        (Some(other), other, json!({})),
        (Some(usual), usual, json!({})),
        (Some(other), usual, json!({"CLAUDE_CONFIG_DIR": null})),
        (Some(usual), other, json!({"CLAUDE_CONFIG_DIR": home(other)})),
    ] {
        let args = ["--home", &home(session), "resume", "@", "--json"];
        let mut command = stage.command(&args);
        command.envs(named.map(|named| ("CLAUDE_CONFIG_DIR", named)));
        let ran = Ran::of(&mut command);
        let plan: Value = serde_json::from_str(&ran.out).expect("one object");
        assert_eq!(plan["environment"], expected, "{named:?} {session:?}");
    }
    let args = ["--home", &home(other), "resume", "@"];
    assert_eq!(stage.command(&args).status().expect("it runs").code(), Some(7));
    let set = format!("CLAUDE_CONFIG_DIR={}", home(other));
    assert!(stage.said().contains(&set), "{:?}", stage.said());
    let mut command = stage.command(&["--home", &home(usual), "resume", "@"]);
    command.env("CLAUDE_CONFIG_DIR", other);
    assert_eq!(command.status().expect("it runs").code(), Some(7));
    assert!(!stage.said().iter().any(|line| line.starts_with("CLAUDE_CONFIG_DIR")));
}

#[test]
fn what_cannot_be_resumed_says_why() {
    let (stage, folder) = Stage::with_session("here");
    let agent = stage.home.add_agent(
        &folder,
        SESSION,
        &AgentFilePlace::Subagents,
        "a1",
        log_in(&[&folder]),
    );
    stage.home.add_session(
        &folder,
        OTHER,
        "{\"type\":\"summary\",\"summary\":\"s\",\"leafUuid\":\"l\"}\n",
    );
    for (name, code, words) in [
        (&*agent.display().to_string(), 2, SESSION),
        (OTHER, 1, "no conversation"),
        ("33333333-3333-4333-8333-333333333333", 1, "no session"),
    ] {
        stage.run(&[name]).says(code, &[words]);
    }
    Ran::from(stage.command(&["--demo", "resume", "@"]).output().expect("it runs")).says(2, &[]);
    let mut command = stage.command(&["resume", "1111"]);
    let missing =
        Ran::from(command.env("UNSPOOL_CLAUDE", "/nowhere/claude").output().expect("it runs"));
    assert_eq!(missing.code, Some(3), "{}", missing.err);
    assert!(missing.err.contains("/nowhere/claude") && missing.err.contains("UNSPOOL_CLAUDE"));
    assert!(!stage.was_started());
}

#[test]
fn a_pane_needs_tmux() {
    let (stage, folder) = Stage::with_session("here");
    stage.run(&["@", "--tmux"]).says(2, &[]);
    // A fake tmux, which records its arguments.
    let tmux = stage.client.with_file_name("tmux");
    fs::copy(&stage.client, &tmux).expect("a copy");
    let mut command = stage.command(&["resume", "@", "--tmux=window"]);
    let path = format!("{}:/usr/bin:/bin", stage.client.parent().expect("a folder").display());
    command.env("TMUX", "/tmp/tmux,1,0").env("PATH", path);
    let ran = Ran::of(&mut command);
    // It fails like the fake.
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    let client = stage.client.display();
    let expected =
        format!("new-window -c {folder} env -u CLAUDE_CONFIG_DIR {client} --resume {SESSION}");
    assert_eq!(stage.said()[1], expected);
}
