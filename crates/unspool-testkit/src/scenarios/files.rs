//! Logs of other versions, with many branches, or damaged.

use std::fmt::Write as _;
use std::fs;

use super::ScenarioReport;
use super::stage::ClientStage;
use crate::uuid;

const PROBE: &str = "probe [[say: end]]";

pub(super) fn orphaned_call(stage: &ClientStage, report: &mut ScenarioReport) {
    let id = uuid("orphan");
    stage.write_log(
        &id,
        r#"
        u1 user "one"
        a1 assistant "fine"
        u2 user "two"
        a2 assistant call Bash:t1 {"command":"echo one >> runs"}
        u3 user < u2 "three"
        a3 assistant "good"
        -- last-prompt a3 "three"
        "#,
    );
    let before = ["U one", "A fine", "U two", "call Bash", "U three", "A good"];
    report.check("file before", stage.brief_log(&id), before);
    let sent = ["U one", "A fine", "U two", "U three", "A good", "U probe [[say: end]]"];
    let found = stage.resume(report, &id, PROBE);
    report.check("sent", found, sent);
    report.check("calls after", stage.calls(&id), ["open"]);
    report.count("runs of one", stage.runs("one"), 0);
}

pub(super) fn damaged(stage: &ClientStage, report: &mut ScenarioReport) {
    let whole = r#"
        u1 user "one"
        a1 assistant "1"
        -- raw {"type":"user","broken
        u2 user "two"
        a2 assistant "2"
        -- last-prompt a2 "two"
        -- torn {"parentUuid":"x","type":"assis
    "#;
    let id = uuid("torn");
    stage.write_log(&id, whole);
    let before = fs::read(stage.log_path(&id)).expect("a log");
    report.check("file before", stage.brief_log(&id), ["U one", "A 1", "U two", "A 2"]);
    let sent = ["U one", "A 1", "U two", "A 2", "U probe [[say: end]]"];
    let found = stage.resume(report, &id, PROBE);
    report.check("sent from a torn log", found, sent);
    let after = fs::read(stage.log_path(&id)).expect("a log");
    let is_kept = after.starts_with(&before) && after[before.len()..].starts_with(b"\n");
    report.check("what was torn is kept", [is_kept.to_string()], ["true"]);
    // More than five seconds apart, so that no bridge closes the gap.
    let id = uuid("missing");
    stage.write_log(
        &id,
        r#"
        u1 user "one"
        a1 assistant "1"
        u3 user < ?gone @+60 "three"
        a3 assistant "3"
        -- last-prompt a3 "three"
        "#,
    );
    let sent = ["U three", "A 3", "U probe [[say: end]]"];
    let found = stage.resume(report, &id, PROBE);
    report.check("sent from a log with a gap", found, sent);
}

const TURNS: usize = 40;
const BRANCHES: usize = 5;

pub(super) fn many_branches(stage: &ClientStage, report: &mut ScenarioReport) {
    let mut notation = String::new();
    let mut trunk = Vec::new();
    let mut parent = "-".to_owned();
    for turn in 0..TURNS {
        for branch in 0..=BRANCHES {
            let name = format!("{turn}x{branch}");
            let _ = writeln!(notation, "u{name} user < {parent} \"prompt {name}\"");
            let _ = writeln!(notation, "a{name} assistant \"answer {name}\"");
        }
        let last = format!("{turn}x{BRANCHES}");
        trunk.extend([format!("U prompt {last}"), format!("A answer {last}")]);
        parent = format!("a{last}");
    }
    let asked = "U probe [[say: end]]".to_owned();
    let id = uuid("branches");
    stage.write_log(&id, &format!("{notation}-- last-prompt {parent} \"x\""));
    report.count("messages before", stage.brief_log(&id).len(), 2 * TURNS * (BRANCHES + 1));
    let sent = [&trunk[..], std::slice::from_ref(&asked)].concat();
    let found = stage.resume(report, &id, PROBE);
    report.check("sent from the newest branch", found, sent);

    // A person rewound to the second branch of the tenth turn.
    let id = uuid("pinned");
    stage.write_log(&id, &format!("{notation}-- last-prompt explicit a10x1 \"x\""));
    let pinned = ["U prompt 10x1".to_owned(), "A answer 10x1".to_owned()];
    let sent = [&trunk[..20], &pinned, std::slice::from_ref(&asked)].concat();
    let found = stage.resume(report, &id, PROBE);
    report.check("sent from a pinned branch", found, sent);
}
