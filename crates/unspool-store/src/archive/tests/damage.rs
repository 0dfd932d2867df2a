//! Archives whose bytes were damaged.

use super::*;
use crate::home::Reason;

#[test]
fn damage_is_found_and_named_and_the_rest_comes_back() {
    let world = ArchiveWorld::new();
    let other = "projects/-srv-demo/other.jsonl";
    world.write(LOG, lines(30_000), 100);
    world.write(other, lines(10), 100);
    world.store();
    let packed = world.packed_log();
    let good = fs::read(&packed).expect("a packed file");
    for at in [0, good.len() / 2, good.len() - 30, good.len() - 1] {
        let mut bad = good.clone();
        bad[at] ^= 0x55;
        fs::write(&packed, &bad).expect("writes");
        let verdict = world.verify();
        assert_eq!((verdict.files, verdict.damaged.len()), (2, 1), "byte {at}");
        assert_eq!(verdict.damaged[0].path, packed);
        let said = verdict.damaged[0].to_string();
        assert!(said.contains("damaged"), "{said}");
        let report = world.restore_to(&world.folder.path().join(format!("out-{at}")));
        assert_eq!((report.written.len(), report.file_errors.len()), (1, 1));
        assert!(report.written[0].ends_with("other.jsonl"));
    }
    for end in [0, 5, good.len() / 2, good.len() - 1] {
        fs::write(&packed, &good[..end]).expect("writes");
        let verdict = world.verify();
        assert_eq!(verdict.damaged.len(), 1, "cut to {end}");
    }
}

#[test]
fn a_damaged_file_is_packed_again_while_its_source_is_there() {
    let world = ArchiveWorld::with_log(30_000);
    let packed = world.packed_log();
    let good = fs::read(&packed).expect("a packed file");
    let flip = |at: usize| {
        let mut bad = good.clone();
        bad[at] ^= 0x55;
        fs::write(&packed, &bad).expect("writes");
    };
    for at in [0, good.len() / 2, good.len() - 30, good.len() - 1] {
        flip(at);
        assert_eq!(world.store().files.repaired, 1, "byte {at}");
        assert_eq!(fs::read(&packed).expect("reads"), good);
        assert!(world.verify().is_good());
        world.assert_whole();
    }
    fs::write(&packed, b"damaged").expect("writes");
    assert_eq!(world.store().files.repaired, 1);
    // A flipped bit on the disk does not change the stamp; only reading finds it.
    flip(good.len() / 2);
    let time = fs::metadata(world.home.path().join(LOG)).and_then(|data| data.modified());
    let file = fs::File::options().write(true).open(&packed).expect("opens");
    file.set_modified(time.expect("a time")).expect("sets the time");
    assert_eq!(world.store().files.unchanged, 1);
    let report = world.store_with(Mode::Write, ArchiveTrust::Bytes).expect("archives");
    assert_eq!(report.files.repaired, 1);
    assert_eq!(fs::read(&packed).expect("reads"), good);
    assert!(!world.archive().join("home-1.older").exists());
}

#[test]
fn a_damaged_file_that_has_more_than_its_source_is_kept_aside() {
    let world = ArchiveWorld::with_log(30);
    let packed = world.packed_log();
    fs::write(&packed, b"damaged").expect("writes");
    world.write(LOG, lines(20), 90);
    assert_eq!(world.store().files.rewritten, 1);
    world.assert_whole();
    let verdict = world.verify();
    assert_eq!(verdict.damaged.len(), 1, "in the older states");
}

#[test]
fn a_packed_file_or_a_manifest_that_is_gone_is_noticed() {
    let world = ArchiveWorld::new();
    let other = "projects/-srv-demo/other.jsonl";
    world.write(LOG, lines(3), 100);
    world.write(other, lines(10), 100);
    world.store();
    let reasons = || {
        let verdict = world.verify();
        let problems = verdict.problems.iter();
        problems.map(|problem| problem.reason).collect::<Vec<_>>()
    };
    assert_eq!(reasons(), []);
    let packed = packed_path(&world.archive().join("home-1").join(other));
    let short = world.packed_log();
    let good = fs::read(&packed).expect("reads");
    fs::remove_file(&packed).expect("removes");
    assert_eq!(reasons(), [Reason::Gone]);
    fs::copy(short, &packed).expect("copies");
    let verdict = world.verify();
    assert!(verdict.damaged[0].to_string().contains("is cut"));
    fs::write(&packed, good).expect("writes");
    let manifest = world.archive().join("home-1.manifest.zst");
    for bytes in [None, Some("damaged")] {
        match bytes {
            Some(bytes) => fs::write(&manifest, bytes).expect("writes"),
            None => fs::remove_file(&manifest).expect("removes"),
        }
        assert_eq!(reasons(), [Reason::NoManifest]);
    }
    world.store();
    assert_eq!(reasons(), []);
}

#[test]
fn the_place_of_the_damage_is_that_of_the_frame() {
    let world = ArchiveWorld::with_log(30_000);
    let packed = world.packed_log();
    let mut bytes = fs::read(&packed).expect("a packed file");
    let frames = crate::files::packed::PackedFile::open(&packed).expect("opens");
    let second = frames.frames()[1];
    bytes[second.at as usize + 40] ^= 1;
    fs::write(&packed, bytes).expect("writes");
    let verdict = world.verify();
    let said = verdict.damaged[0].to_string();
    let place = format!("at byte {} (frame 2)", second.at);
    assert!(said.contains(&place), "{said}");
}

#[test]
fn what_a_kill_left_is_cleared_away() {
    let world = ArchiveWorld::new();
    world.write(LOG, lines(3), 100);
    fs::create_dir_all(world.archive().join("tmp")).expect("folders");
    fs::write(world.archive().join("tmp/.tmpAbc"), "torn").expect("writes");
    fs::write(world.archive().join("lock"), "").expect("writes");
    world.store();
    assert!(!world.archive().join("tmp").exists());
    world.assert_whole();
}

#[test]
fn another_writer_is_waited_for_and_then_named() {
    let world = ArchiveWorld::with_log(3);
    let _lock = crate::files::lock::Lock::take(&world.archive(), Duration::ZERO);
    let error = world.try_store(Mode::Write).expect_err("busy");
    assert!(matches!(error, ArchiveError::Busy(_)), "{error}");
}

#[test]
fn a_folder_that_is_something_else_is_refused() {
    let world = ArchiveWorld::new();
    fs::create_dir(world.archive()).expect("a folder");
    fs::write(world.archive().join("thesis.txt"), "x").expect("writes");
    let error = world.try_store(Mode::Write).expect_err("refuses");
    assert!(matches!(error, ArchiveError::NotEmpty(_)), "{error}");
    let error = Archive::open(&world.archive()).expect_err("refuses");
    assert!(matches!(error, ArchiveError::NotAnArchive(_)), "{error}");

    let newer = r#"{"format":"unspool-archive","version":99,"homes":[]}"#;
    fs::write(world.archive().join(MARKER), newer).expect("writes");
    let error = world.try_store(Mode::Write).expect_err("refuses");
    assert!(matches!(error, ArchiveError::Newer { version: 99, .. }), "{error}");
}

#[test]
fn an_archive_inside_of_its_home_is_refused() {
    let world = ArchiveWorld::new();
    world.write(LOG, lines(3), 100);
    let found = [discover(&Home::new(world.home.path()))];
    for archive in [world.home.path().join("archive"), world.home.path().into()] {
        let now = SystemTime::UNIX_EPOCH;
        let request = store::ArchiveRequest { mode: Mode::DryRun, now, ..whole(&archive, &found) };
        let error = store(&request, &Unwatched).expect_err("refuses");
        let said = error.to_string();
        assert!(said.contains("inside") || said.contains("not empty"), "{said}");
    }
}
