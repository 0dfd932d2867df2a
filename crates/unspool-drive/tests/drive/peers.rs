//! Tests of the processes that a host refuses, and of the environment of the client.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use crate::world::{DriveWorld, harness};

#[test]
fn what_the_client_starts_is_not_let_in_and_gets_nothing_of_ours() {
    let world = DriveWorld::new();
    let run = world.start("");
    let program = harness();
    let sockets = world.place.sockets.display().to_string();
    let knock = |to: &str| format!("{program} knock {sockets} {run} {}", world.file(to).display());
    // The second process is orphaned by its parent, and is in another group and session than the client.
    let given_away = format!("setsid sh -c \"({}) &\"", knock("stray"));
    world.put(&run, &format!("[[bash: {}]] [[bash: {given_away}]]", knock("child")));
    let stray = world.file("stray");
    world.put(&run, &format!("[[wait-file: {}]] [[bash: env > env]]", stray.display()));
    world.answer_all(&run);
    for name in ["child", "stray"] {
        let outcome = fs::read_to_string(world.file(name)).expect("an outcome");
        assert!(outcome.starts_with("refused"), "{name}: {outcome}");
    }
    let environment = fs::read_to_string(world.file("env")).expect("an environment");
    let ours: Vec<&str> = environment.lines().filter(|line| line.starts_with("UNSPOOL_")).collect();
    assert_eq!(ours, [format!("UNSPOOL_RUN={run}")]);
    let here = world.file("here").display().to_string();
    let status = Command::new(&program).args(["knock", &sockets, run.as_str(), &here]).status();
    assert!(status.expect("a caller").success());
    assert_eq!(fs::read_to_string(here).expect("an outcome"), "let in");
}

#[test]
fn files_and_sockets_are_for_their_owner() {
    let world = DriveWorld::new();
    let run = world.start("[[say: x]]");
    world.answer_all(&run);
    let mut open = vec![world.place.state.join("drive"), world.place.sockets.clone()];
    let mut seen = 0;
    while let Some(path) = open.pop() {
        let data = fs::symlink_metadata(&path).expect("a file");
        let mode = data.permissions().mode() & 0o777;
        let expected = if data.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode & !expected, 0, "{}: {mode:o}", path.display());
        seen += 1;
        if data.is_dir() {
            let items = fs::read_dir(&path).expect("a folder").flatten();
            open.extend(items.map(|item| item.path()));
        }
    }
    assert!(seen > 8, "{seen}");
}
