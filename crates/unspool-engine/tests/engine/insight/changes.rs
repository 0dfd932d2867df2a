//! All changes of a session in one view.

use unspool_engine::ops::changes::{FileEdit, SessionChanges, changes};
use unspool_engine::ops::summary::summary;
use unspool_engine::ops::transcript::Transcript;
use unspool_model::positions::TurnNumber;
use unspool_testkit::uuid;

use super::world::{World, prices};

/// Returns the changes of a transcript, and checks their invariants.
pub(crate) fn lawful(shown: &Transcript<'_>) -> SessionChanges {
    let found = changes(shown).expect("changes");
    for file in &found.files {
        assert!(!file.edits.is_empty(), "{}", file.path);
        let times: Vec<_> = file.edits.iter().filter_map(|edit| edit.time).collect();
        assert!(times.is_sorted(), "{times:?}");
        for edit in file.edits.iter().filter(|edit| edit.worked()) {
            let stat = edit.diff.stat();
            let counted = (stat.added as u64, stat.removed as u64);
            assert_eq!(counted, (edit.added, edit.removed), "{edit:?}");
        }
    }
    found
}

/// Checks that the summary counts the same edits.
pub(crate) fn agrees_with_summary(shown: &Transcript<'_>, found: &SessionChanges) {
    let sums = summary(shown, &prices()).expect("a summary");
    let mut told: Vec<(String, u32, u64, u64)> = sums
        .files
        .into_iter()
        .map(|file| (file.path, file.edits, file.added, file.removed))
        .collect();
    let mut listed: Vec<(String, u32, u64, u64)> = Vec::new();
    for file in &found.files {
        let totals = file.totals();
        if totals.edits > 0 {
            listed.push((file.path.clone(), totals.edits, totals.added, totals.removed));
        }
    }
    told.sort();
    listed.sort();
    assert_eq!(listed, told);
}

fn lines(edit: &FileEdit) -> Vec<&str> {
    let hunks = edit.diff.hunks().iter();
    hunks.flat_map(|hunk| hunk.lines.iter().map(String::as_str)).collect()
}

#[test]
fn files_come_in_the_order_of_their_first_change_with_every_edit() {
    let agent = r#"
%agent aa11
x1 user < - sidechain=aa11 "look" @31
x2 assistant sidechain=aa11 call Edit:y1 {"file_path":"/p/z.rs","old_string":"two","new_string":"2"} @35
x3 result y1 "ok" sidechain=aa11 @36
"#;
    let session = r#"
u1 user "go" @0
a1 assistant call Write:t1 {"file_path":"/p/z.rs","content":"one\ntwo\n"} @10
r1 result t1 "ok" +toolUseResult={"type":"create","filePath":"/p/z.rs","content":"one\ntwo\n","structuredPatch":[]} @11
a2 assistant call Edit:t2 {"file_path":"/p/a.rs","old_string":"x","new_string":"y"} call Read:t9 {"file_path":"/p/read.rs"} @20
r2 result t2 "String to replace not found" error @21
r9 result < a2 t9 "text" @21
a3 assistant call Agent:t3 {"description":"look","prompt":"look"} @30
r3 result t3 "ok" agent=aa11 @40
u2 user "on" @50
a4 assistant call Bash:t4 {"command":"sed -i s/one/1/ z.rs"} @60
r4 result t4 "" +toolUseResult={"stdout":"","stderr":"","interrupted":false,"bashEditDiff":{"files":[{"filePath":"/p/z.rs","hunks":[{"oldStart":1,"oldLines":1,"newStart":1,"newLines":1,"lines":["-one","+1"]}]}]}} @61
a5 assistant call Edit:t5 {"file_path":"/p/denied.rs","old_string":"a","new_string":"b"} @70
r5 result t5 "no" error denied=user-rejected @75
a6 assistant "done" @80
"#;
    let world = World::with_agents(session, &[("aa11", agent)]);
    let shown = world.shown();
    let found = lawful(&shown);
    agrees_with_summary(&shown, &found);
    let files: Vec<_> = found.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(files, ["/p/z.rs", "/p/a.rs", "/p/denied.rs"]);
    let edits: Vec<_> = found.files[0]
        .edits
        .iter()
        .map(|edit| {
            (
                edit.tool.as_str(),
                edit.agent.as_deref(),
                edit.turn.map(TurnNumber::get),
                edit.source.name(),
            )
        })
        .collect();
    let expected = [
        ("Write", None, Some(1), "recorded"),
        ("Edit", Some("aa11"), Some(1), "asked"),
        ("Bash", None, Some(2), "recorded"),
    ];
    assert_eq!(edits, expected);
    assert!(found.files[0].is_new());
    assert_eq!(lines(&found.files[0].edits[0]), ["+one", "+two"]);
    assert_eq!(lines(&found.files[0].edits[1]), ["-two", "+2"]);
    let entry = found.files[0].edits[1].entry.as_ref().map(|entry| entry.as_str().to_owned());
    assert_eq!(entry, Some(uuid("x2")));
    let failed = &found.files[1];
    assert_eq!((failed.totals().edits, failed.totals().failed), (0, 1));
    assert_eq!(failed.edits[0].status.name(), "failed");
    assert_eq!(lines(&failed.edits[0]), ["-x", "+y"], "what it was to change");
    assert_eq!(found.files[2].edits[0].status.name(), "denied");
    assert_eq!(found.totals().failed, 2);
}

#[test]
fn only_the_shown_path_and_its_agents_count() {
    let world = World::new(
        r#"
u1 user "go"
a1 assistant "ok"
u2 user "left"
a2 assistant call Write:t1 {"file_path":"/p/left","content":"x"}
r2 result t1 "ok"
u3 user < a1 "right"
a3 assistant call Write:t2 {"file_path":"/p/right","content":"x"}
r3 result t2 "ok"
"#,
    );
    let paths = |number| {
        let found = lawful(&world.path(number));
        found.files.into_iter().map(|file| file.path).collect::<Vec<_>>()
    };
    assert_eq!(paths(1), ["/p/left"]);
    assert_eq!(paths(2), ["/p/right"]);
    assert!(lawful(&World::new("-- ai-title \"x\"").shown()).files.is_empty());
}

/// Returns the steps for the changes of a number of calls.
fn steps(calls: usize) -> u64 {
    let mut lines = vec!["u0 user \"go\"".to_owned()];
    for number in 1..=calls {
        lines.push(format!(
            "a{number} assistant call Write:t{number} {{\"file_path\":\"/p/f\",\"content\":\"x\"}}"
        ));
        lines.push(format!("r{number} result t{number} \"ok\""));
    }
    let world = World::new(&lines.join("\n"));
    let shown = world.shown();
    unspool_work::count(|| {
        let found = changes(&shown).expect("changes");
        assert_eq!(found.totals().edits as usize, calls);
    })
}

#[test]
fn the_work_grows_with_the_calls() {
    let (few, many) = (steps(100), steps(1_000));
    assert!(many <= 12 * few, "{few} steps for 100 calls, {many} for 1000");
}
