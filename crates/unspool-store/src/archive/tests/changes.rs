//! Second runs over files that changed and files that did not.

use unspool_model::ids::{ProjectId, SessionId};

use super::*;

/// Fills a home with one file of every kind.
fn one_of_each(world: &ArchiveWorld) {
    for (age, below) in (100..).zip([
        "projects/-srv-demo/agent-aa.jsonl",
        "projects/-srv-demo/sessions-index.json",
        "history.jsonl",
        "paste-cache/0123456789abcdef.txt",
        "plans/calm-fox.md",
    ]) {
        world.write(below, below, age);
    }
    for (age, below) in (200..).zip([
        "subagents/agent-bb.jsonl",
        "subagents/agent-bb.meta.json",
        "subagents/workflows/run1/agent-cc.jsonl",
        "subagents/workflows/run1/journal.jsonl",
        "workflows/run1.json",
        "tool-results/toolu_1.txt",
        "tool-results/pdf-1/page-01.jpg",
    ]) {
        world.write(&format!("projects/-srv-demo/{ID}/{below}"), below, age);
    }
    for (age, below) in (300..).zip([
        "tasks/ID/1.json",
        "tasks/ID/.highwatermark",
        "todos/ID-agent-ID.json",
        "debug/ID.txt",
        "file-history/ID/0123456789abcdef@v1",
        "session-env/ID/hook-1.sh",
        "image-cache/ID/1.png",
        "uploads/ID/data.zst",
    ]) {
        world.write(&below.replace("ID", ID), below, age);
    }
    world.write(LOG, lines(50), 500);
    world.write("projects/-srv-demo/empty.jsonl", "", 600);
}

#[test]
fn everything_comes_back_byte_for_byte_with_its_time() {
    let world = ArchiveWorld::new();
    one_of_each(&world);
    let report = world.store();
    assert_eq!(report.files.new, 22);
    assert_eq!((report.sessions.new, report.sessions.unchanged), (2, 0));
    assert_eq!(contents(&world.restore()), contents(world.home.path()));
}

#[test]
fn what_is_no_session_s_stays_out() {
    let world = ArchiveWorld::new();
    world.write(LOG, lines(1), 100);
    for below in [
        "projects/-srv-demo/memory/MEMORY.md",
        "settings.json",
        ".credentials.json",
        "sessions/1.json",
        "tasks/x/.lock",
    ] {
        world.write(below, "x", 100);
    }
    world.store();
    let restored = contents(&world.restore());
    assert_eq!(restored.keys().collect::<Vec<_>>(), [Path::new(LOG)]);
}

#[test]
fn nothing_is_touched_if_nothing_changed() {
    let world = ArchiveWorld::new();
    one_of_each(&world);
    world.store();
    let before = contents(&world.archive());
    let folders = folder_times(&world.archive());
    // A run that reads any byte of the log notices this change.
    let log = world.home.path().join(LOG);
    let time = fs::metadata(&log).and_then(|data| data.modified());
    fs::write(&log, lines(50).replace('w', "W")).expect("writes");
    let file = fs::File::options().write(true).open(&log).expect("opens");
    file.set_modified(time.expect("a time")).expect("sets the time");
    let report = world.store();
    assert_eq!(report.files.unchanged, 22);
    assert!(report.stored.is_empty());
    assert_eq!(contents(&world.archive()), before);
    assert_eq!(folder_times(&world.archive()), folders);
}

fn folder_times(root: &Path) -> BTreeMap<PathBuf, SystemTime> {
    let mut times = BTreeMap::new();
    for below in contents(root).keys() {
        for folder in below.ancestors().skip(1) {
            let data = fs::metadata(root.join(folder)).expect("a folder");
            times.insert(folder.to_owned(), data.modified().expect("a time"));
        }
    }
    times
}

#[test]
fn a_session_that_grew_is_extended() {
    let world = ArchiveWorld::new();
    let text = lines(40_000);
    let half = text.len() / 2 + 3;
    world.write(LOG, &text[..half], 100);
    world.store();
    world.write(LOG, &text, 50);
    let report = world.store();
    assert_eq!(report.sessions.grown, 1);
    assert_eq!(report.added, (text.len() - half) as u64);
    world.assert_whole();
    assert!(!world.archive().join("home-1.older").exists());
}

#[test]
fn in_steps_or_at_once_the_archive_is_the_same() {
    let (steps, at_once) = (ArchiveWorld::new(), ArchiveWorld::new());
    let text = lines(60_000);
    assert!(text.len() > 4 << 20);
    for end in [0, 1, 700_000, 1 << 20, (1 << 20) + 1, 3_000_000, text.len()] {
        steps.write(LOG, &text[..end], 100);
        steps.store();
        steps.assert_whole();
    }
    at_once.write(LOG, &text, 100);
    at_once.store();
    let packed = |world: &ArchiveWorld| {
        let log = world.archive().join("home-1").join(LOG);
        fs::read(packed_path(&log)).expect("a packed file")
    };
    assert!(packed(&steps) == packed(&at_once));
}

#[test]
fn cut_or_rewritten_the_older_state_stays() {
    let long = lines(30_000);
    let other = long.replacen("word", "WORD", 1);
    let grown = format!("{}{}", other, lines(10));
    for (name, after) in [
        ("cut", &long[..1000]),
        ("changed in place", &other),
        ("changed and grown", &grown),
        ("emptied", ""),
    ] {
        let world = ArchiveWorld::new();
        world.write(LOG, &long, 100);
        world.store();
        world.write(LOG, after, 50);
        let report = world.store();
        assert_eq!(report.sessions.rewritten, 1, "{name}");
        world.assert_whole();
        let older = world.archive().join("home-1.older").join(LOG);
        let older = PathBuf::from(format!("{}.1.zst", older.display()));
        let state = zstd::decode_all(&*fs::read(older).expect("an older state"));
        assert!(state.expect("unpacks") == long.as_bytes(), "{name}");

        let listed = inventory::inventory(&world.archive()).expect("an inventory");
        assert_eq!(listed.sessions.len(), 1, "older states are not sessions");
        let older = &listed.sessions[0].older;
        assert_eq!(older.len(), 1);
        assert_eq!(older[0].bytes, long.len() as u64);
        assert_eq!(older[0].below, Path::new(LOG));
    }
}

#[test]
fn every_older_state_is_numbered() {
    let world = ArchiveWorld::new();
    for round in 0..4 {
        world.write(LOG, format!("{round}{}", lines(3)), 100 - round);
        world.store();
    }
    let listed = inventory::inventory(&world.archive()).expect("an inventory");
    let older = &listed.sessions[0].older;
    let first = |state: &inventory::OlderState| {
        let bytes = fs::read(&state.path).expect("a file");
        zstd::decode_all(&*bytes).expect("unpacks")[0] - b'0'
    };
    assert_eq!(older.iter().map(first).collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn what_is_gone_at_the_source_stays() {
    let world = ArchiveWorld::new();
    one_of_each(&world);
    world.store();
    let before = contents(world.home.path());
    for folder in ["projects", "file-history", "tasks"] {
        fs::remove_dir_all(world.home.path().join(folder)).expect("removes");
    }
    fs::create_dir(world.home.path().join("projects")).expect("a folder");
    world.store();
    assert_eq!(contents(&world.restore()), before);
}

#[test]
fn a_new_time_alone_is_noted_and_nothing_is_written() {
    let world = ArchiveWorld::new();
    let path = world.write(LOG, lines(10), 100);
    world.store();
    set_age(&path, 50);
    let report = world.store();
    assert_eq!((report.files.unchanged, report.stored.len()), (1, 0));
    world.assert_whole();
}

#[test]
fn a_file_written_just_now_is_looked_at_again() {
    let world = ArchiveWorld::new();
    let path = world.write(LOG, lines(2), 0);
    // A time in the future is recent however long the run takes.
    let time = SystemTime::now() + Duration::from_hours(1);
    let set_time = || {
        let file = fs::File::options().write(true).open(&path).expect("opens");
        file.set_modified(time).expect("sets the time");
    };
    set_time();
    world.store();
    // The length, the time and the inode stay the same.
    let other = lines(2).replace('w', "W");
    fs::write(&path, other).expect("writes");
    set_time();
    assert_eq!(world.store().sessions.rewritten, 1);
    world.assert_whole();
}

#[test]
fn without_its_manifest_an_archive_is_compared_and_not_written_again() {
    let world = ArchiveWorld::new();
    one_of_each(&world);
    world.store();
    let manifest = world.archive().join("home-1.manifest.zst");
    let before = contents(&world.archive());
    for damage in [&b""[..], b"garbage"] {
        fs::write(&manifest, damage).expect("writes");
        let report = world.store();
        assert_eq!(report.files.unchanged, 22);
    }
    fs::remove_file(&manifest).expect("removes");
    world.store();
    let after = contents(&world.archive());
    let bytes = |all: &BTreeMap<PathBuf, (SystemTime, Vec<u8>)>| {
        let of = |(path, (_, bytes)): (&PathBuf, &(_, Vec<u8>))| (path.clone(), bytes.clone());
        all.iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(bytes(&after), bytes(&before));
}

#[test]
fn a_dry_run_says_what_would_be_done_and_does_nothing() {
    let world = ArchiveWorld::new();
    one_of_each(&world);
    let report = world.try_store(Mode::DryRun).expect("looks");
    assert_eq!((report.files.new, report.stored.len()), (22, 22));
    assert!(report.added > 0 && report.written == 0);
    assert!(!world.archive().exists());
    world.store();
    world.write(LOG, lines(60), 10);
    let before = contents(&world.archive());
    let report = world.try_store(Mode::DryRun).expect("looks");
    assert_eq!((report.sessions.grown, report.stored.len()), (1, 1));
    assert_eq!(contents(&world.archive()), before);
}

#[test]
fn several_homes_have_a_folder_each() {
    let (one, two) = (ArchiveWorld::new(), TestHome::new());
    one.write(LOG, lines(1), 100);
    let other = two.path().join(LOG);
    fs::create_dir_all(other.parent().expect("a folder")).expect("folders");
    fs::write(&other, lines(2)).expect("writes");
    let homes = [one.home.path(), two.path()];
    for _ in 0..2 {
        let found = homes.map(|home| discover(&Home::new(home)));
        let archive = one.archive();
        let request = whole(&archive, &found);
        store(&request, &Unwatched).expect("archives");
    }
    let target = one.restore();
    assert_eq!(contents(&target.join("home-1")), contents(one.home.path()));
    assert_eq!(contents(&target.join("home-2")), contents(two.path()));
}

#[test]
fn an_archive_that_is_read_as_a_home_too_is_not_archived_again() {
    let world = ArchiveWorld::with_log(3);
    let roots = [world.home.path().to_owned(), world.archive().join("home-1")];
    let found = roots.map(|root| discover(&Home::new(root)));
    let archive = world.archive();
    let request = whole(&archive, &found);
    let report = store(&request, &Unwatched).expect("archives");
    assert_eq!(report.files.unchanged, 1);
    let archive = Archive::open(&world.archive()).expect("opens");
    assert_eq!(archive.homes().len(), 1);
}

#[test]
fn an_archive_is_archived_like_any_home() {
    let world = ArchiveWorld::new();
    one_of_each(&world);
    world.store();
    let copy = world.folder.path().join("copy");
    let found = [discover(&Home::new(world.archive().join("home-1")))];
    let request = whole(&copy, &found);
    for expected in [(22, 0), (0, 22)] {
        let report = store(&request, &Unwatched).expect("archives");
        assert_eq!((report.files.new, report.files.unchanged), expected);
    }
    let (one, other) = (world.archive().join("home-1"), copy.join("home-1"));
    assert_eq!(contents(&other), contents(&one));
}

#[test]
fn a_file_that_was_not_archived_is_not_counted_as_unchanged() {
    let world = ArchiveWorld::with_log(3);
    let grown = LOG.replace("1111-1111", "2222-2222");
    let agent = format!("projects/-srv-demo/{ID}/subagents/agent-bb.jsonl");
    world.write(&agent, lines(2), 100);
    world.write(&grown, lines(2), 100);
    world.store();
    let packed = world.packed_log();
    fs::remove_file(&packed).expect("removes");
    fs::create_dir(&packed).expect("a folder");
    world.write(&grown, lines(3), 50);
    let report = world.try_store(Mode::Write).expect("archives");
    assert_eq!(report.file_errors.len(), 1, "{:?}", report.file_errors);
    assert_eq!((report.files.grown, report.files.unchanged), (1, 1));
    assert_eq!((report.sessions.grown, report.sessions.unchanged), (1, 0));
}

#[test]
fn only_chosen_sessions_with_their_plans() {
    let world = ArchiveWorld::new();
    let other = LOG.replace("1111-1111", "2222-2222");
    let log = lines(3)
        + "{\"type\":\"user\",\"slug\":\"calm-fox\",\"uuid\":\"z\",\"sessionId\":\"s\",\"message\":{\"content\":\"x\"}}\n";
    world.write(LOG, log, 100);
    world.write(&other, lines(2), 100);
    world.write("history.jsonl", "{}", 100);
    for slug in ["calm-fox", "other"] {
        world.write(&format!("plans/{slug}.md"), slug, 100);
    }
    for id in [ID, "other"] {
        world.write(&format!("file-history/{id}/a@v1"), id, 100);
    }
    let found = [discover(&Home::new(world.home.path()))];
    let root = found[0].home.root.clone();
    let chosen = (root, ProjectId::new("-srv-demo"), SessionId::new(ID));
    let (archive, wanted) = (world.archive(), WantedSessions::Sessions([chosen].into()));
    let request = store::ArchiveRequest { wanted: &wanted, ..whole(&archive, &found) };
    for _ in 0..2 {
        let report = store(&request, &Unwatched).expect("archives");
        assert_eq!(report.sessions.new + report.sessions.unchanged, 1);
    }
    let root = world.archive().join("home-1");
    let in_archive = (root, ProjectId::new("-srv-demo"), SessionId::new(ID));
    let wanted = WantedSessions::Sessions([in_archive].into());
    let restored = contents(&world.restore_only(&wanted));
    assert_eq!(restored, contents(&world.restore()), "with its plan");
    let expected = [format!("file-history/{ID}/a@v1"), "plans/calm-fox.md".into(), LOG.into()];
    assert_eq!(restored.into_keys().collect::<Vec<_>>(), expected.map(PathBuf::from));
}
