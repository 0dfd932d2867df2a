//! Malicious archives, and targets that would let them do harm.

use std::io::Read as _;

use super::manifest::ArchiveManifest;
use super::*;
use crate::home::Reason;

#[test]
fn folders_outside_are_refused() {
    let world = ArchiveWorld::with_log(3);
    for folder in ["../evil", "..", "/etc", "home-1/../..", "", "home-", "home-1.older"] {
        let marker = format!(
            r#"{{"format":"unspool-archive","version":1,"homes":[{{"folder":"{folder}","from":"x"}}]}}"#
        );
        fs::write(world.archive().join(MARKER), marker).expect("writes");
        let error = Archive::open(&world.archive()).expect_err("refuses");
        assert!(matches!(error, ArchiveError::Marker { .. }), "{folder}: {error}");
    }
}

#[test]
fn a_name_that_would_be_the_folder_above_is_no_packed_file() {
    let world = ArchiveWorld::with_log(3);
    let folder = world.archive().join("home-1/projects");
    let good = fs::read(world.packed_log());
    for name in ["...zst", "..zst", ".zst"] {
        fs::write(folder.join(name), good.as_ref().expect("a file")).expect("writes");
    }
    let target = world.folder.path().join("out/in");
    world.restore_to(&target);
    let around = contents(&world.folder.path().join("out"));
    assert_eq!(around.keys().collect::<Vec<_>>(), [&Path::new("in").join(LOG)]);
}

/// Files that a client obeys, or that would replace its own.
const OBEYED: [&str; 12] = [
    "settings.json",
    "settings.local.json",
    ".credentials.json",
    "CLAUDE.md",
    "hooks/start.sh",
    "skills/x/SKILL.md",
    "agents/x.md",
    "commands/x.md",
    "plugins/x/plugin.json",
    "sessions/123.json",
    "projects/-srv-demo/memory/MEMORY.md",
    "projects/stray.jsonl",
];

#[test]
fn what_archiving_would_not_take_is_never_written_back() {
    let world = ArchiveWorld::new();
    world.write(LOG, lines(3), 100);
    for place in OBEYED {
        world.write(place, "{}", 100);
    }
    world.store();
    let verdict = || world.verify();
    assert!(verdict().is_good(), "none of it was archived");
    let good = fs::read(world.packed_log());
    let good = good.expect("a packed file");
    for place in OBEYED {
        let path = packed_path(&world.archive().join("home-1").join(place));
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, &good).expect("writes");
    }
    fs::create_dir(world.archive().join("home-7")).expect("a folder");
    let target = world.folder.path().join("out");
    for wanted in [WantedSessions::Everything, everything_by_name(&world)] {
        let report = world.try_restore(&target, &wanted);
        let all = matches!(wanted, WantedSessions::Everything);
        let refused = report.refused.iter();
        let foreign = refused.filter(|refused| refused.reason == restore::Refusal::Foreign);
        assert_eq!(foreign.count(), if all { OBEYED.len() } else { 0 });
        assert_eq!(contents(&target).keys().collect::<Vec<_>>(), [Path::new(LOG)]);
    }
    let problems = verdict().problems;
    let foreign = problems.iter().filter(|it| it.reason == Reason::Foreign);
    assert_eq!(foreign.count(), OBEYED.len() + 1, "{problems:?}");
}

/// Selects the sessions with the test's id by name.
fn everything_by_name(world: &ArchiveWorld) -> WantedSessions {
    let archive = Archive::open(&world.archive()).expect("an archive");
    let found = discover(&archive.home(&archive.homes()[0]));
    let sessions = found.sessions().map(|(project, session)| {
        let root = found.home.root.clone();
        (root, project.id.clone(), session.id.clone())
    });
    WantedSessions::Sessions(sessions.filter(|(_, _, id)| id.as_str() == ID).collect())
}

#[test]
fn a_manifest_of_zeros_is_not_read_to_its_end() {
    let world = ArchiveWorld::with_log(3);
    let manifest = world.archive().join("home-1.manifest.zst");
    let mut zeros = zstd::Encoder::new(Vec::new(), 3).expect("an encoder");
    io::copy(&mut io::repeat(0).take(1 << 26), &mut zeros).expect("packs");
    let zeros = zeros.finish().expect("packs");
    fs::write(&manifest, &zeros).expect("writes");
    let error = ArchiveManifest::try_read(&manifest).expect_err("refuses");
    assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{error}");
    assert_eq!(world.store().files.unchanged, 1);
    world.assert_whole();
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_a_manifest_or_a_lock_keeps_no_one_waiting() {
    use rustix::fs::{CWD, FileType, Mode as Permissions, mknodat};
    let world = ArchiveWorld::with_log(3);
    let pipe = |name: &str| {
        let path = world.archive().join(name);
        fs::remove_file(&path).expect("removes");
        mknodat(CWD, &path, FileType::Fifo, Permissions::RUSR | Permissions::WUSR, 0)
            .expect("a pipe");
    };
    pipe("home-1.manifest.zst");
    let verdict = world.verify();
    assert_eq!(verdict.problems[0].reason, Reason::NoManifest);
    assert_eq!(world.store().files.unchanged, 1);
    pipe("lock");
    let error = world.try_store(Mode::Write).expect_err("refuses");
    assert!(error.to_string().contains("not a regular file"), "{error}");
    fs::remove_file(world.archive().join("lock")).expect("removes");
    let outside = world.folder.path().join("outside");
    std::os::unix::fs::symlink(&outside, world.archive().join("lock")).expect("a link");
    world.try_store(Mode::Write).expect_err("refuses");
    assert!(!outside.exists());
}

#[cfg(unix)]
#[test]
fn links_in_the_archive_are_not_written_through() {
    let world = ArchiveWorld::with_log(3);
    let outside = world.folder.path().join("outside");
    let project = world.archive().join("home-1/projects/-srv-demo");
    fs::rename(&project, &outside).expect("moves");
    std::os::unix::fs::symlink(&outside, &project).expect("a link");
    let before = contents(&outside);
    world.write(LOG, lines(5), 50);
    let report = world.try_store(Mode::Write).expect("runs");
    assert!(report.file_errors[0].to_string().contains("leads over a link"));
    assert_eq!(contents(&outside), before);
}

#[cfg(unix)]
#[test]
fn a_log_that_is_a_link_is_archived_as_a_file_and_other_links_are_left() {
    let world = ArchiveWorld::new();
    let outside = world.folder.path().join("outside");
    fs::create_dir_all(&outside).expect("a folder");
    fs::write(outside.join("log.jsonl"), lines(3)).expect("writes");
    fs::write(outside.join("secret.txt"), "x").expect("writes");
    let log = world.write(LOG, "", 100);
    fs::remove_file(&log).expect("removes");
    std::os::unix::fs::symlink(outside.join("log.jsonl"), &log).expect("a link");
    let folder = log.with_extension("");
    fs::create_dir_all(folder.join("tool-results")).expect("a folder");
    std::os::unix::fs::symlink(outside.join("secret.txt"), folder.join("tool-results/a.txt"))
        .expect("a link");
    std::os::unix::fs::symlink(&outside, world.home.path().join("plans")).expect("a link");
    world.store();
    let restored = contents(&world.restore());
    assert_eq!(restored.keys().collect::<Vec<_>>(), [Path::new(LOG)]);
    assert_eq!(restored[Path::new(LOG)].1, lines(3).as_bytes());
}

#[cfg(unix)]
#[test]
fn links_in_the_archive_are_passed_over() {
    let world = ArchiveWorld::with_log(3);
    let secret = world.folder.path().join("secret.zst");
    fs::copy(world.packed_log(), &secret).expect("copies");
    let home = world.archive().join("home-1");
    std::os::unix::fs::symlink(&secret, home.join("projects/link.jsonl.zst")).expect("a link");
    std::os::unix::fs::symlink("/etc", home.join("projects/etc")).expect("a link");
    let restored = contents(&world.restore());
    assert_eq!(restored.keys().collect::<Vec<_>>(), [Path::new(LOG)]);
}

#[cfg(unix)]
#[test]
fn links_in_the_target_are_not_followed() {
    let world = ArchiveWorld::new();
    world.write(LOG, lines(3), 100);
    world.write("history.jsonl", "{}", 100);
    world.store();
    let (target, outside) =
        (world.folder.path().join("target"), world.folder.path().join("outside"));
    fs::create_dir_all(&target).expect("a folder");
    fs::create_dir_all(&outside).expect("a folder");
    std::os::unix::fs::symlink(&outside, target.join("projects")).expect("a link");
    let history = target.join("history.jsonl");
    std::os::unix::fs::symlink(outside.join("new"), &history).expect("a link");
    let report = world.restore_to(&target);
    let reasons: Vec<_> = report.refused.iter().map(|refused| refused.reason).collect();
    assert_eq!(reasons, [restore::Refusal::Exists, restore::Refusal::Way]);
    assert!(contents(&outside).is_empty());
}

#[cfg(unix)]
#[test]
fn a_workplace_that_is_a_link_is_refused_and_nothing_is_removed() {
    let world = ArchiveWorld::with_log(3);
    let (target, outside) =
        (world.folder.path().join("target"), world.folder.path().join("outside"));
    fs::create_dir_all(&target).expect("a folder");
    fs::create_dir_all(&outside).expect("a folder");
    fs::write(outside.join("thesis.txt"), "mine").expect("writes");
    let before = contents(&outside);
    std::os::unix::fs::symlink(&outside, target.join(".unspool-restoring")).expect("a link");
    let (archive, wanted) = (world.archive(), WantedSessions::Everything);
    let request = restore::RestoreRequest {
        archive: &archive,
        wanted: &wanted,
        target: &target,
        mode: Mode::Write,
    };
    let error = restore(&request, &Unwatched).expect_err("refuses");
    assert!(error.to_string().contains("symlink"), "{error}");
    assert_eq!(contents(&outside), before);
}

#[test]
fn an_existing_file_is_never_written_over() {
    let world = ArchiveWorld::new();
    world.write(LOG, lines(3), 100);
    world.write("history.jsonl", "{}", 100);
    world.store();
    let target = world.restore();
    fs::write(target.join(LOG), "mine").expect("writes");
    let report = world.restore_to(&target);
    assert_eq!(report.same, 1, "the same bytes are not a conflict");
    assert_eq!(report.written.len(), 0);
    assert_eq!(report.refused.len(), 1);
    assert_eq!(report.refused[0].reason, restore::Refusal::Exists);
    assert_eq!(fs::read(target.join(LOG)).expect("reads"), b"mine");
    assert!(!target.join(".unspool-restoring").exists());
}

#[test]
fn a_table_that_promises_too_much_is_refused() {
    let world = ArchiveWorld::with_log(3);
    let packed = world.packed_log();
    let good = fs::read(&packed).expect("a packed file");
    let table = good.len() - 17 - 8;
    let with = |at: usize, number: u32| {
        let mut bytes = good.clone();
        bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        bytes
    };
    for bytes in [
        // The frame's content length, its packed length, the number of frames, the table's size.
        with(table + 12, u32::MAX),
        with(table + 12, 1),
        with(table + 8, u32::MAX),
        with(good.len() - 9, u32::MAX),
        with(good.len() - 9, 0),
        with(table + 4, 0),
    ] {
        fs::write(&packed, bytes).expect("writes");
        let report = world.restore_to(&world.folder.path().join("out"));
        assert_eq!((report.written.len(), report.file_errors.len()), (0, 1));
    }
}
