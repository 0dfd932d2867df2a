//! Ids that are mistyped, cut or missing.

use super::DriveHome;

#[test]
fn a_run_is_named_by_a_beginning_or_by_its_session() {
    let home = DriveHome::new();
    let run = home.start("[[say: x]]");
    let session = home.wait(&run, "idle")["session"].clone();
    let session = session.as_str().expect("an id");
    for name in [
        &run[..],
        &run[..4],
        session,
        &session[..8],
        &run.to_uppercase(),
    ] {
        let found = home.run(&["wait", name, "--json"]).json();
        assert_eq!(found["run"], run.as_str(), "{name}");
    }
}

#[test]
fn a_name_that_means_nothing_gets_an_error_with_what_may_be_meant() {
    let home = DriveHome::new();
    let run = home.start("[[bash: touch x]]");
    let approval = home.asked(&run);
    let mistyped = |id: &str| {
        let mut id = id.to_owned();
        let last = id.pop().expect("a character");
        id.push(if last == '0' { '1' } else { '0' });
        id
    };
    for command in [
        "send",
        "attach",
        "interrupt",
        "stop",
        "wait",
        "go-on",
        "again",
    ] {
        let text: &[&str] = if command == "send" { &["text"] } else { &[] };
        let name = mistyped(&run);
        let wrong = home.run(&[&[command, &name], text].concat());
        assert_eq!(wrong.code, Some(1), "{command}: {}", wrong.err);
        assert!(
            wrong.err.contains("no run is named"),
            "{command}: {}",
            wrong.err
        );
        assert!(wrong.err.contains(&run), "{command}: {}", wrong.err);
    }
    for command in ["approve", "deny", "answer"] {
        let text: &[&str] = if command == "answer" { &["text"] } else { &[] };
        let name = mistyped(&approval);
        let wrong = home.run(&[&[command, &name], text].concat());
        assert_eq!(wrong.code, Some(1), "{command}: {}", wrong.err);
        assert!(wrong.err.contains(&approval), "{command}: {}", wrong.err);
    }
    let short = home.run(&["stop", "a"]);
    assert_eq!(short.code, Some(2));
    assert!(short.err.contains("too short"), "{}", short.err);
    let odd = home.run(&["start", "--id", "not-a-uuid"]);
    assert_eq!(odd.code, Some(2));
    assert!(odd.err.contains("uuid"), "{}", odd.err);
    home.asked(&run);
}

#[test]
fn without_runs_every_command_says_so() {
    let home = DriveHome::new();
    for args in [
        &["list"][..],
        &["wait"],
        &["attach", "abcd"],
        &["approve", "abcd"],
    ] {
        let ran = home.run(args);
        assert_eq!(ran.code, Some(1), "{args:?}: {}", ran.err);
        assert_eq!(ran.out, "", "{args:?}");
        assert_ne!(ran.err, "", "{args:?}");
    }
    let demo = home.run(&["list", "--demo"]);
    assert_eq!(demo.code, Some(2), "{}", demo.err);
}
