//! Archives made to do harm, and targets that would let them.

use super::*;

#[test]
fn folders_outside_are_refused() {
    let world = World::new();
    world.write(LOG, lines(3), 100);
    world.store();
    for folder in [
        "../evil",
        "..",
        "/etc",
        "home-1/../..",
        "",
        "home-",
        "home-1.older",
    ] {
        let marker = format!(
            r#"{{"format":"unspool-archive","version":1,"homes":[{{"folder":"{folder}","from":"x"}}]}}"#
        );
        fs::write(world.archive().join(MARKER), marker).expect("writes");
        let error = Archive::open(&world.archive()).expect_err("refuses");
        assert!(
            matches!(error, ArchiveError::Marker { .. }),
            "{folder}: {error}"
        );
    }
}

#[test]
fn a_name_that_would_be_the_folder_above_is_no_packed_file() {
    let world = World::new();
    world.write(LOG, lines(3), 100);
    world.store();
    let folder = world.archive().join("home-1/projects");
    let good = fs::read(packed_path(&world.archive().join("home-1").join(LOG)));
    for name in ["...zst", "..zst", ".zst"] {
        fs::write(folder.join(name), good.as_ref().expect("a file")).expect("writes");
    }
    let target = world.folder.path().join("out/in");
    world.restore_to(&target);
    let around = contents(&world.folder.path().join("out"));
    for path in around.keys() {
        assert!(path.starts_with("in/projects"), "{}", path.display());
    }
    assert!(around.contains_key(&Path::new("in").join(LOG)));
}

#[cfg(unix)]
#[test]
fn links_in_the_archive_are_passed_over() {
    let world = World::new();
    world.write(LOG, lines(3), 100);
    world.store();
    let secret = world.folder.path().join("secret.zst");
    fs::copy(
        packed_path(&world.archive().join("home-1").join(LOG)),
        &secret,
    )
    .expect("copies");
    let home = world.archive().join("home-1");
    std::os::unix::fs::symlink(&secret, home.join("projects/link.jsonl.zst")).expect("a link");
    std::os::unix::fs::symlink("/etc", home.join("projects/etc")).expect("a link");
    let restored = contents(&world.restore());
    assert_eq!(restored.keys().collect::<Vec<_>>(), [Path::new(LOG)]);
}

#[cfg(unix)]
#[test]
fn links_in_the_target_are_not_followed() {
    let world = World::new();
    world.write(LOG, lines(3), 100);
    world.write("history.jsonl", "{}", 100);
    world.store();
    let (target, outside) = (
        world.folder.path().join("target"),
        world.folder.path().join("outside"),
    );
    fs::create_dir_all(&target).expect("a folder");
    fs::create_dir_all(&outside).expect("a folder");
    std::os::unix::fs::symlink(&outside, target.join("projects")).expect("a link");
    let history = target.join("history.jsonl");
    std::os::unix::fs::symlink(outside.join("new"), &history).expect("a link");
    let report = world.restore_to(&target);
    let reasons: Vec<_> = report
        .refused
        .iter()
        .map(|refused| refused.reason)
        .collect();
    assert_eq!(reasons, [restore::Refusal::Exists, restore::Refusal::Way]);
    assert!(contents(&outside).is_empty());
}

#[test]
fn an_existing_file_is_never_written_over() {
    let world = World::new();
    world.write(LOG, lines(3), 100);
    world.write("history.jsonl", "{}", 100);
    world.store();
    let target = world.restore();
    fs::write(target.join(LOG), "mine").expect("writes");
    let report = world.restore_to(&target);
    assert_eq!(report.same, 1, "the same bytes are no conflict");
    assert_eq!(report.written.len(), 0);
    assert_eq!(report.refused.len(), 1);
    assert_eq!(report.refused[0].reason, restore::Refusal::Exists);
    assert_eq!(fs::read(target.join(LOG)).expect("reads"), b"mine");
    assert!(!target.join(".unspool-restoring").exists());
}

#[test]
fn a_table_that_promises_too_much_is_refused() {
    let world = World::new();
    world.write(LOG, lines(3), 100);
    world.store();
    let packed = packed_path(&world.archive().join("home-1").join(LOG));
    let good = fs::read(&packed).expect("a packed file");
    let table = good.len() - 17 - 8;
    let with = |at: usize, number: u32| {
        let mut bytes = good.clone();
        bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        bytes
    };
    for bytes in [
        // The content of the frame, its packed length, how many frames there are.
        with(table + 12, u32::MAX),
        with(table + 12, 1),
        with(table + 8, u32::MAX),
        with(good.len() - 9, u32::MAX),
        with(good.len() - 9, 0),
        with(table + 4, 0),
    ] {
        fs::write(&packed, bytes).expect("writes");
        let report = world.restore_to(&world.folder.path().join("out"));
        assert_eq!((report.written.len(), report.troubles.len()), (0, 1));
    }
}
