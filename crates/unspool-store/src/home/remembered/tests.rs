use std::fs;

use unspool_testkit::home::next_tick;

use super::*;
use crate::home::testing::HomeFixture;
use crate::home::{
    Discovery, Home, ProjectScan, WalkedHome, WalkedHomes, discover, discover_remembered,
};

const A: &str = "aaaa1111-1111-4111-8111-111111111111";
const B: &str = "bbbb2222-1111-4111-8111-111111111111";

/// Makes a home with one project that has every kind of content.
fn home() -> HomeFixture {
    let at = HomeFixture::new();
    at.log(&format!("projects/p/{A}.jsonl"), 0);
    at.file("projects/p/agent-s.jsonl", &format!("{{\"sessionId\":\"{A}\"}}\n"));
    at.file("projects/p/agent-t.jsonl", "{\"sessionId\":\"elsewhere\"}\n");
    at.log(&format!("projects/p/{A}/subagents/agent-x.jsonl"), 1);
    at.file(&format!("projects/p/{A}/subagents/agent-x.meta.json"), "{}");
    at.log(&format!("projects/p/{A}/subagents/workflows/run1/agent-y.jsonl"), 2);
    at.file(&format!("projects/p/{A}/subagents/workflows/run1/journal.jsonl"), "{}");
    at.file(&format!("projects/p/{A}/tool-results/out.txt"), "spilled");
    at.log(&format!("projects/p/{B}/subagents/agent-z.jsonl"), 3);
    at.file("projects/p/empty.jsonl", "");
    at
}

/// Walks as if long after the last write; returns the content, whether the project was walked, and
/// its memory.
fn walk(
    home: &Home,
    memory: Option<&RememberedProject>,
) -> (Discovery, bool, Option<RememberedProject>) {
    let mut walked = discover_remembered(std::slice::from_ref(home), &|_, _| memory.cloned());
    let walked = walked.pop().expect("a home");
    let later = SystemTime::now() + Duration::from_secs(10);
    match &walked.scans[..] {
        [ProjectScan::Unchanged(memory)] => {
            let memory = memory.clone();
            let home = WalkedHome::new(walked.found, vec![(0, memory.clone())]);
            let found = WalkedHomes::new(vec![home]);
            (found[0].clone(), false, Some(memory))
        }
        [ProjectScan::Scanned(visit)] => {
            let kept = visit.memory(&walked.found.projects[0], later);
            (walked.found, true, kept)
        }
        scans => panic!("{} projects", scans.len()),
    }
}

#[test]
fn what_is_remembered_is_what_a_walk_finds() {
    let at = home();
    let (first, walked, memory) = walk(&at.home(), None);
    assert!(walked);
    assert_eq!(first.sessions().count(), 3);
    assert_eq!(first.agents().count(), 5);
    let (again, walked, _) = walk(&at.home(), memory.as_ref());
    assert!(!walked);
    assert_eq!(again, first);
}

type Change = Box<dyn Fn(&HomeFixture)>;

#[test]
fn every_change_is_noticed() {
    let deep = format!("projects/p/{A}/subagents/workflows/run1");
    let changes: Vec<(&str, Change)> = vec![
        (
            "a log grows",
            Box::new(|at| {
                at.file(&format!("projects/p/{A}.jsonl"), "{\"type\":\"user\"}\n{}\n");
            }),
        ),
        ("a log is touched", Box::new(|at| at.touch(&format!("projects/p/{A}.jsonl"), 9))),
        (
            "a new log",
            Box::new(|at| {
                at.log("projects/p/new.jsonl", 0);
            }),
        ),
        (
            "a log is gone",
            Box::new(|at| {
                fs::remove_file(at.path("projects/p/empty.jsonl")).expect("removed");
            }),
        ),
        (
            "an agent grows",
            Box::new(|at| {
                at.file("projects/p/agent-s.jsonl", "{\"sessionId\":\"x\"}\n{}\n");
            }),
        ),
        (
            "a new agent",
            Box::new(|at| {
                at.log(&format!("projects/p/{A}/subagents/agent-n.jsonl"), 0);
            }),
        ),
        (
            "a new agent deep below",
            Box::new(move |at| {
                at.log(&format!("{deep}/agent-n.jsonl"), 0);
            }),
        ),
        (
            "a sidecar is gone",
            Box::new(|at| {
                let path = format!("projects/p/{A}/subagents/agent-x.meta.json");
                fs::remove_file(at.path(&path)).expect("removed");
            }),
        ),
        (
            "a folder is gone",
            Box::new(|at| {
                fs::remove_dir_all(at.path(&format!("projects/p/{B}"))).expect("removed");
            }),
        ),
        (
            "outputs for another session",
            Box::new(|at| {
                at.file(&format!("projects/p/{B}/tool-results/more.txt"), "x");
            }),
        ),
    ];
    for (what, change) in changes {
        let at = home();
        let (_, _, memory) = walk(&at.home(), None);
        // The change is in a later tick of the clock.
        next_tick();
        change(&at);
        let (again, walked, _) = walk(&at.home(), memory.as_ref());
        assert!(walked, "{what}");
        assert_eq!(again, discover(&at.home()), "{what}");
    }
}

#[test]
fn what_was_just_written_is_looked_at_again() {
    let at = home();
    let mut walked = discover_remembered(&[at.home()], &|_, _| None);
    let walked = walked.pop().expect("a home");
    let [ProjectScan::Scanned(visit)] = &walked.scans[..] else {
        panic!("one project");
    };
    // As if a folder had been changed just now.
    let folder = fs::metadata(at.path("projects/p")).expect("a folder");
    let now = folder.modified().expect("a time");
    let memory = visit.memory(&walked.found.projects[0], now);
    let memory = memory.expect("names that can be kept");
    assert!(!memory.settled());
    assert!(!memory.is_current(&at.path("projects/p")));
}

#[test]
fn an_agent_that_was_looked_into_before_is_not_opened_again() {
    let at = home();
    let (_, _, memory) = walk(&at.home(), None);
    let memory = memory.expect("a memory").unsettled();
    // Other bytes with the same stamp: only a reader that opens the file sees them.
    let path = at.path("projects/p/agent-s.jsonl");
    let stamp = |path: &Path| FileStamp::of(&fs::metadata(path).expect("a file"));
    let before = stamp(&path);
    let text = fs::read_to_string(&path).expect("text").replace(A, B);
    fs::write(&path, text).expect("written");
    let file = fs::File::options().append(true).open(&path);
    let file = file.expect("a file");
    file.set_modified(before.modified).expect("a time");
    assert_eq!(stamp(&path), before);
    let (again, walked, _) = walk(&at.home(), Some(&memory));
    assert!(walked);
    let agents = again.agents().filter(|(_, agent)| agent.path == path);
    let owners: Vec<_> = agents.map(|(_, agent)| agent.session.clone()).collect();
    assert_eq!(owners, [Some(SessionId::new(A))]);
}

#[cfg(unix)]
#[test]
fn a_project_with_a_problem_is_walked_again() {
    let at = home();
    at.link(at.path("nowhere"), "projects/p/dangling.jsonl");
    let (_, _, memory) = walk(&at.home(), None);
    assert!(!memory.is_some_and(|memory| memory.settled()));
}
