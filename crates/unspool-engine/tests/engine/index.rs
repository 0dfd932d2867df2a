//! The index matches the logs, through all changes of either.
//!
//! A home is changed at random: files grow, shrink, are replaced, moved, renamed, copied and
//! removed. After each change, an index with the whole history and one that reads all logs from the
//! start return the same rows.

use std::cmp::Reverse;
use std::fs::{self, OpenOptions};
use std::thread;
use std::time::{Duration, SystemTime};

use unspool_store::home::{Home, discover_all};
use unspool_store::index::{Index, IndexNote, PageQuery, Refreshed};
use unspool_store::rows::{AgentRows, SessionRow};
use unspool_testkit::home::{AgentFilePlace, next_tick};
use unspool_testkit::random::{self, RandomShape};
use unspool_testkit::{append, session, uuid};

use crate::setup::{self, by_file};
use crate::step_by_step::world::World;

impl World {
    fn homes(&self) -> Vec<Home> {
        vec![Home::new(self.home.path())]
    }

    fn open(&self) -> Index {
        Index::open(self.cache.path()).expect("an index")
    }

    fn refresh(&self, index: &mut Index) -> Refreshed {
        let refreshed = setup::refresh(index, &self.homes());
        // The remembered projects equal the result of a walk.
        assert_eq!(*refreshed.found, *discover_all(&self.homes()));
        // The next change is in another tick of the clock.
        next_tick();
        refreshed
    }

    #[track_caller]
    fn assert_true(&self, index: &Index) {
        let known = index.rows(&self.homes(), AgentRows::Listed).expect("rows can be read");
        assert_eq!(by_file(known), by_file(setup::read(&self.homes())));
        self.assert_paged(index);
    }

    /// Asserts that pages have the same rows, the newest first.
    #[track_caller]
    fn assert_paged(&self, index: &Index) {
        let mut paged: Vec<SessionRow> = Vec::new();
        let mut after = None;
        loop {
            let query = PageQuery {
                after: after.as_ref(),
                limit: 3,
                kinds: &[],
                project: None,
                beginning: "",
            };
            let page = index.page(&self.homes(), &query).expect("a page");
            paged.extend(page.rows);
            after = page.last;
            if after.is_none() {
                break;
            }
        }
        let place = |row: &SessionRow| (Reverse(row.last_active()), row.id.clone());
        assert!(paged.is_sorted_by_key(place));
        let rows = index.rows(&self.homes(), AgentRows::Folded).expect("rows");
        assert_eq!(paged.len(), rows.len());
        assert_eq!(by_file(paged), by_file(rows));
    }
}

fn small(seed: u64) -> Vec<u8> {
    random::session(seed, &RandomShape::any(seed, 30))
}

const CHAIN: &str = r#"
u1 user "find the needle"
a1 assistant "here it is"
"#;

#[test]
fn a_second_run_parses_nothing_and_a_new_line_is_parsed_alone() {
    let world = World::empty(0);
    let file = world.home.add_session("/srv/a", &uuid("one"), session(CHAIN));
    let large = world.home.add_session(
        "/srv/a",
        &uuid("two"),
        random::session(3, &RandomShape::linear(2000)),
    );
    let all =
        fs::metadata(&file).expect("a file").len() + fs::metadata(&large).expect("a file").len();
    let mut index = world.open();
    assert_eq!(world.refresh(&mut index).parsed, all);
    assert_eq!(world.refresh(&mut index).parsed, 0);
    drop(index);
    let mut index = world.open();
    assert_eq!(world.refresh(&mut index).parsed, 0, "by another process");
    let line = b"{\"type\":\"custom-title\",\"customTitle\":\"named late\"}\n";
    append(&large, line);
    assert_eq!(world.refresh(&mut index).parsed, line.len() as u64);
    assert_eq!(world.refresh(&mut index).parsed, 0);
    world.assert_true(&index);
}

#[test]
fn a_moved_or_renamed_file_is_not_read_again() {
    let world = World::empty(0);
    let file = world.home.add_session("/srv/a", &uuid("one"), session(CHAIN));
    let mut index = world.open();
    world.refresh(&mut index);
    let moved = world.home.project_dir("/srv/b").join(format!("{}.jsonl", uuid("two")));
    fs::create_dir_all(moved.parent().expect("a folder")).expect("makes a folder");
    fs::rename(&file, &moved).expect("moves");
    assert_eq!(world.refresh(&mut index).parsed, 0);
    world.assert_true(&index);
    fs::rename(world.home.project_dir("/srv/b"), world.home.project_dir("/srv/c")).expect("moves");
    assert_eq!(world.refresh(&mut index).parsed, 0);
    world.assert_true(&index);
}

#[test]
fn a_log_of_the_same_size_is_read_again_when_its_time_changed() {
    let world = World::empty(0);
    let file = world.home.add_session("/srv/a", &uuid("one"), session(CHAIN));
    let mut index = world.open();
    world.refresh(&mut index);
    let later = SystemTime::now() - Duration::from_secs(100);
    let opened = OpenOptions::new().write(true).open(&file).expect("opens");
    opened.set_modified(later).expect("sets the time");
    let bytes = fs::metadata(&file).expect("a log").len();
    assert_eq!(world.refresh(&mut index).parsed, bytes);
    world.assert_true(&index);
    assert_eq!(world.refresh(&mut index).parsed, 0);
}

#[test]
fn a_rewrite_of_the_same_size_is_noticed() {
    let world = World::empty(0);
    let text = session(CHAIN);
    let file = world.home.add_session("/srv/a", &uuid("one"), &text);
    let mut index = world.open();
    world.refresh(&mut index);
    let other = String::from_utf8(text).expect("text").replace("needle", "noodle");
    fs::write(&file, other).expect("writes");
    world.refresh(&mut index);
    world.assert_true(&index);
    let rows = index.rows(&world.homes(), AgentRows::Folded).expect("rows");
    assert_eq!(rows[0].title.as_deref(), Some("find the noodle"));
}

#[test]
fn agents_come_and_go_with_their_session() {
    let world = World::empty(0);
    let one = uuid("one");
    world.home.add_session("/srv/a", &one, session(CHAIN));
    let mut index = world.open();
    world.refresh(&mut index);
    for place in [AgentFilePlace::Sibling, AgentFilePlace::Subagents] {
        let agent = world.home.add_agent("/srv/a", &one, &place, "a1", small(7));
        world.refresh(&mut index);
        world.assert_true(&index);
        append(&agent, small(8));
        world.refresh(&mut index);
        world.assert_true(&index);
        fs::remove_file(agent).expect("removes");
        world.refresh(&mut index);
        world.assert_true(&index);
    }
}

#[test]
fn agents_that_outlive_their_session_date_and_name_it() {
    let world = World::empty(0);
    let id = uuid("one");
    let main = world.home.add_session("/srv/a", &id, session(CHAIN));
    let place = AgentFilePlace::Subagents;
    let agent = session("x1 user < - sidechain \"look around\" @60\n");
    world.home.add_agent("/srv/a", &id, &place, "aa11", agent);
    let mut index = world.open();
    world.refresh(&mut index);
    world.assert_true(&index);
    let title = |index: &Index| {
        let rows = index.rows(&world.homes(), AgentRows::Folded).expect("rows");
        rows[0].title.clone()
    };
    assert_eq!(title(&index).as_deref(), Some("find the needle"));
    fs::remove_file(main).expect("removes");
    assert_eq!(world.refresh(&mut index).parsed, 0, "agents are known");
    world.assert_true(&index);
    assert_eq!(title(&index).as_deref(), Some("look around"));
    world.home.add_agent_meta("/srv/a", &id, &place, "aa11", r#"{"description":"Looks"}"#);
    world.refresh(&mut index);
    world.assert_true(&index);
    assert_eq!(title(&index).as_deref(), Some("Looks"));
}

#[test]
fn rows_are_true_after_anything_that_can_happen_to_files() {
    for seed in 0..12 {
        let mut world = World::new(seed);
        let mut index = world.open();
        for step in 0..40 {
            world.step();
            if step % 3 == 0 {
                continue;
            }
            world.refresh(&mut index);
            let known = index.rows(&world.homes(), AgentRows::Listed).expect("rows");
            assert_eq!(
                by_file(known),
                by_file(setup::read(&world.homes())),
                "after {:#?}",
                world.story
            );
        }
    }
}

/// Damages a file's bytes.
type Damage = fn(&[u8]) -> Vec<u8>;

#[test]
fn a_damaged_catalogue_is_built_again() {
    let world = World::empty(0);
    world.home.add_session("/srv/a", &uuid("one"), session(CHAIN));
    let catalogue = world.cache.path().join("catalogue.sqlite");
    let damages: [Damage; 4] = [
        |_| b"this is not a database, but it is long enough to be looked at as one".repeat(20),
        |_| vec![0; 8192],
        |bytes| bytes[..bytes.len() / 2].to_vec(),
        |bytes| bytes.iter().map(|byte| byte ^ 0x55).collect(),
    ];
    for (number, damage) in damages.iter().enumerate() {
        let mut index = world.open();
        world.refresh(&mut index);
        drop(index);
        let bytes = fs::read(&catalogue).expect("a catalogue");
        fs::write(&catalogue, damage(&bytes)).expect("writes");
        let mut index = world.open();
        let mut notes = index.take_notes();
        world.refresh(&mut index);
        notes.extend(index.take_notes());
        assert_eq!(notes, [IndexNote::Rebuilt], "damage {number}");
        world.assert_true(&index);
    }
}

#[test]
fn a_catalogue_of_another_version_is_built_again() {
    let world = World::empty(0);
    world.home.add_session("/srv/a", &uuid("one"), session(CHAIN));
    let mut index = world.open();
    world.refresh(&mut index);
    drop(index);
    let catalogue = world.cache.path().join("catalogue.sqlite");
    let db = rusqlite::Connection::open(catalogue).expect("opens");
    db.pragma_update(None, "user_version", 9999).expect("sets");
    drop(db);
    let mut index = world.open();
    assert_eq!(index.take_notes(), [IndexNote::Rebuilt]);
    world.refresh(&mut index);
    world.assert_true(&index);
}

#[test]
fn a_folder_that_cannot_be_used_is_no_hindrance() {
    let world = World::empty(0);
    world.home.add_session("/srv/a", &uuid("one"), session(CHAIN));
    let file = world.cache.path().join("a file");
    fs::write(&file, "").expect("writes");
    let mut index = Index::open(&file.join("index")).expect("an index");
    let notes = index.take_notes();
    assert!(matches!(notes[..], [IndexNote::InMemory { .. }]), "{notes:?}");
    world.refresh(&mut index);
    world.assert_true(&index);
}

#[test]
fn two_at_once_are_fine() {
    let world = World::empty(0);
    for number in 0..20 {
        let name = uuid(&format!("session {number}"));
        world.home.add_session("/srv/a", &name, small(number));
    }
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut index = world.open();
                world.refresh(&mut index);
                assert_eq!(index.take_notes(), []);
                world.assert_true(&index);
            });
        }
    });
}
