//! Filters and sort orders over made-up rows.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use unspool_model::ids::ProjectId;
use unspool_model::path_name;

use super::*;
use crate::testing::{row, time};

fn patterns(texts: &[&str]) -> Vec<NamePattern> {
    texts.iter().copied().map(NamePattern::new).collect()
}

/// Returns the ids of the rows that a filter keeps.
fn kept(rows: &[SessionRow], filter: &RowFilter) -> String {
    let rows = select(rows.to_vec(), filter).rows;
    let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    ids.join(" ")
}

#[test]
fn a_project_is_meant_by_its_name_before_a_part_of_it() {
    let mut nowhere = row("e", "/x");
    nowhere.cwd = None;
    nowhere.project = Some(ProjectId::new("-srv-lost-app"));
    let mut neighbour = row("f", "/home/dev/app-old");
    neighbour.cwd = None;
    let rows = [
        row("a", "/home/dev/app"),
        row("b", "/home/dev/app-old"),
        row("c", "/srv/app/sub"),
        row("d", "/home/dev/My Site"),
        nowhere,
        neighbour,
    ];
    for (asked, expected) in [
        (&["app"][..], "a"),
        (&["APP"], "a"),
        (&["-home-dev-app"], "a"),
        (&["/home/dev/app"], "a"),
        (&["/home/dev/app/"], "a"),
        (&["app-o"], "b f"),
        (&["ap"], "a b f"),
        (&["srv"], "c e"),
        (&["/srv/"], "c"),
        (&["dev"], "a b d f"),
        (&["app*"], "a b f"),
        (&["/home/dev/*"], "a b d f"),
        (&["my site", "sub"], "c d"),
        (&["lost"], "e"),
        (&["nope"], ""),
        (&["nope", "sub"], "c"),
    ] {
        let filter = RowFilter { projects: patterns(asked), ..RowFilter::default() };
        assert_eq!(kept(&rows, &filter), expected, "{asked:?}");
    }
}

#[test]
fn fields_must_all_hold_and_values_are_alternatives() {
    let mut a = row("a", "/p");
    a.git_branch = Some("main".to_owned());
    a.models = vec!["claude-opus-4-1".to_owned()];
    a.tools = BTreeMap::from([("Bash".to_owned(), 2)]);
    let mut b = row("b", "/p");
    b.git_branch = Some("feature/x".to_owned());
    b.other_git_branches = vec!["release".to_owned()];
    b.models = vec!["claude-sonnet-4-5".to_owned(), "claude-opus-4-1".to_owned()];
    b.tools = BTreeMap::from([("MultiEdit".to_owned(), 1), ("mcp__gh__pr".to_owned(), 1)]);
    let rows = [a, b, row("c", "/p")];
    let check = |filter: RowFilter, expected: &str| {
        assert_eq!(kept(&rows, &filter), expected, "{filter:?}");
    };
    let filter = RowFilter::default;
    check(filter(), "a b c");
    check(RowFilter { branches: patterns(&["MAIN"]), ..filter() }, "a");
    check(RowFilter { branches: patterns(&["mai"]), ..filter() }, "");
    check(RowFilter { branches: patterns(&["feature/*", "main"]), ..filter() }, "a b");
    check(RowFilter { branches: patterns(&["release"]), ..filter() }, "b");
    check(RowFilter { models: patterns(&["opus"]), ..filter() }, "a b");
    check(
        RowFilter { models: patterns(&["sonnet"]), branches: patterns(&["main"]), ..filter() },
        "",
    );
    check(RowFilter { tools: patterns(&["edit"]), ..filter() }, "");
    check(RowFilter { tools: patterns(&["bash", "mcp__*"]), ..filter() }, "a b");
}

#[test]
fn files_are_found_by_their_end_first() {
    let touching = |id: &str, path: &str| {
        let mut row = row(id, "/p");
        row.files = [path].into_iter().collect();
        row
    };
    let rows = [touching("a", "/p/src/main.rs"), touching("b", "/p/src/domain.rs")];
    for (asked, expected) in [("main.rs", "a"), ("main", "a b"), ("src", "a b"), ("x", "")] {
        let filter = RowFilter { files: patterns(&[asked]), ..RowFilter::default() };
        assert_eq!(kept(&rows, &filter), expected, "{asked}");
    }
}

#[test]
fn a_session_counts_when_any_of_its_time_is_in_the_range() {
    let mut fileless = row("b", "/p");
    (fileless.started, fileless.ended) = (None, None);
    fileless.modified = time("2026-11-03T00:00:00Z").as_millis();
    let rows = [row("a", "/p"), fileless];
    for (from, until, expected) in [
        (None, None, "a b"),
        (Some("2026-11-01T10:30Z"), None, "a b"),
        (Some("2026-11-01T11:00:00.001Z"), None, "b"),
        (None, Some("2026-11-01T10:30Z"), "a"),
        (None, Some("2026-11-01T10:00Z"), ""),
        (Some("2026-11-01T10:20Z"), Some("2026-11-01T10:30Z"), "a"),
        (Some("2026-11-02"), Some("2026-11-03"), ""),
    ] {
        let full = |text: &str| {
            let midnight = if text.len() == 10 { "T00:00:00Z" } else { "" };
            time(&format!("{text}{midnight}"))
        };
        let time = TimeRange { from: from.map(full), until: until.map(full) };
        let filter = RowFilter { time, ..RowFilter::default() };
        assert_eq!(kept(&rows, &filter), expected, "{from:?} {until:?}");
    }
}

#[test]
fn sizes_kinds_ends_and_owners() {
    let mut a = row("a", "/p");
    (a.bytes, a.messages, a.kind, a.status) = (5000, 9, SessionKind::Headless, Status::Error);
    let mut b = row("b", "/p");
    (b.live, b.unfinished) = (true, true);
    b.set_live(unspool_model::conversation::Liveness::Live);
    assert_eq!(b.status, Status::Open);
    let rows = [a, b];
    let check = |filter: RowFilter, expected: &str| {
        assert_eq!(kept(&rows, &filter), expected, "{filter:?}");
    };
    let filter = RowFilter::default;
    check(RowFilter { min_bytes: 2000, ..filter() }, "a");
    check(RowFilter { min_messages: 3, ..filter() }, "a");
    check(RowFilter { kinds: vec![SessionKind::Main], ..filter() }, "b");
    check(RowFilter { statuses: vec![Status::Error, Status::Empty], ..filter() }, "a");
    check(RowFilter { owner: OwnerFilter::Process, ..filter() }, "b");
}

#[test]
fn names_that_fit_nothing_are_told_with_what_they_may_have_meant() {
    let mut rows = vec![row("a", "/home/dev/tidepool"), row("b", "/home/dev/notes")];
    rows[0].git_branch = Some("main".to_owned());
    let told = |filter: RowFilter| {
        let told = select(rows.clone(), &filter).unmatched;
        told.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let filter = RowFilter {
        projects: patterns(&["tidepol", "notes"]),
        // Other conditions do not hide that the projects exist.
        min_messages: 99,
        ..RowFilter::default()
    };
    assert_eq!(told(filter), "no sessions of a project `tidepol`; did you mean `tidepool`?");
    let filter = RowFilter {
        projects: patterns(&["zzz"]),
        branches: patterns(&["zzz"]),
        tools: patterns(&["zzz"]),
        ..RowFilter::default()
    };
    assert_eq!(
        told(filter),
        "no sessions of a project `zzz`; there is `notes` and `tidepool`\n\
         no sessions on a branch `zzz`; there is `main`\n\
         no sessions that called a tool `zzz`"
    );
}

/// Writes a file and creates its parent folders.
fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
    fs::write(path, text).expect("a file");
}

#[test]
fn here_is_the_folder_what_is_in_it_and_the_same_place_in_other_worktrees() {
    let dir = tempfile::tempdir().expect("a folder");
    let root = fs::canonicalize(dir.path()).expect("exists");
    let at = |path: &str| root.join(path);
    fs::create_dir_all(at("repo/src")).expect("folders");
    write(&at("repo/.git/worktrees/one/gitdir"), &format!("{}\n", at("one/.git").display()));
    write(&at("repo/.git/worktrees/one/commondir"), "../..\n");
    write(&at("repo/.git/worktrees/gone/gitdir"), "../../../../gone/.git\n");
    let own = at("repo/.git/worktrees/one");
    write(&at("one/.git"), &format!("gitdir: {}\n", own.display()));
    fs::create_dir_all(at("one/src")).expect("folders");
    let mut named = row("named", "/x");
    named.cwd = None;
    named.project = Some(ProjectId::new(path_name::encode(&at("repo").to_string_lossy())));
    let place = |id: &str| row(id, &at(id).to_string_lossy());
    let rows = [
        place("repo"),
        place("repo/src"),
        place("one"),
        place("one/src"),
        place("gone"),
        place("repository"),
        place("other"),
        named,
    ];
    for (folder, expected) in [
        ("repo", "repo repo/src one one/src gone named"),
        ("repo/src", "repo/src one/src"),
        ("one", "repo repo/src one one/src gone named"),
        ("other", "other"),
    ] {
        let filter = RowFilter { here: Some(Here::of(&at(folder))), ..RowFilter::default() };
        assert_eq!(kept(&rows, &filter), expected, "{folder}");
    }
    for folder in ["repo", "repo/src", "one/src"] {
        let filter = RowFilter { here: Here::repository(&at(folder)), ..RowFilter::default() };
        let all = "repo repo/src one one/src gone named";
        assert_eq!(kept(&rows, &filter), all, "{folder}");
    }
    assert_eq!(Here::repository(&at("other")), None);
}

#[test]
fn a_submodule_and_a_broken_git_file_are_places_of_their_own() {
    let dir = tempfile::tempdir().expect("a folder");
    let root = fs::canonicalize(dir.path()).expect("exists");
    write(&root.join("repo/sub/.git"), "gitdir: ../.git/modules/sub\n");
    write(&root.join("repo/.git/modules/sub/HEAD"), "x");
    write(&root.join("broken/.git"), "\u{0}nothing");
    for folder in ["repo/sub", "broken"] {
        let folder = root.join(folder);
        assert_eq!(Here::of(&folder).folders(), [folder]);
    }
}
