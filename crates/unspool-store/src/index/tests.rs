//! How the index handles failures.

use std::time::SystemTime;

use unspool_model::log::Log;
use unspool_testkit::{TestHome, session, uuid};

use super::catalogue::NewFile;
use super::*;
use crate::prices::PriceTable;
use crate::progress::Unwatched;
use crate::tail::LogFile;

const CHAIN: &str = "u1 user \"find the needle\"\na1 assistant \"here it is\"";

/// Indexes a home at the epoch.
pub(super) fn indexed(home: &TestHome) -> (Index, [Home; 1]) {
    let homes = [Home::new(home.path())];
    let mut index = Index::in_memory().expect("an index");
    refresh(&mut index, &homes, SystemTime::UNIX_EPOCH);
    (index, homes)
}

fn refresh(index: &mut Index, homes: &[Home], now: SystemTime) -> Refreshed {
    let prices = &PriceTable::built_in();
    let refreshed = index.refresh(homes, &RefreshBasis { now, prices }, &Unwatched);
    refreshed.expect("an index that can be refreshed")
}

struct IndexWorld {
    home: TestHome,
    cache: tempfile::TempDir,
}

impl IndexWorld {
    fn new() -> Self {
        let world = Self { home: TestHome::new(), cache: tempfile::tempdir().expect("a folder") };
        world.add("one");
        world
    }

    fn add(&self, name: &str) {
        self.home.add_session("/srv/a", &uuid(name), session(CHAIN));
    }

    fn homes(&self) -> [Home; 1] {
        [Home::new(self.home.path())]
    }

    fn refresh(&self, index: &mut Index) -> Refreshed {
        refresh(index, &self.homes(), SystemTime::now())
    }

    fn sessions(&self, index: &Index) -> usize {
        let rows = index.rows(&self.homes(), AgentRows::Folded);
        rows.expect("rows").len()
    }
}

#[test]
fn on_a_full_disk_it_goes_on_in_memory_and_the_old_one_stays() {
    let world = IndexWorld::new();
    let mut index = Index::open(world.cache.path()).expect("an index");
    world.refresh(&mut index);
    let pages: i64 =
        index.catalogue.db.query_row("PRAGMA page_count", [], |row| row.get(0)).expect("a number");
    // SQLite refuses to let the file grow, as it does when the disk is full.
    index.catalogue.db.pragma_update(None, "max_page_count", pages).expect("a limit");
    for number in 0..200 {
        world.add(&format!("session {number}"));
    }
    world.refresh(&mut index);
    let notes = index.take_notes();
    assert!(matches!(notes[..], [IndexNote::InMemory { .. }]), "{notes:?}");
    assert_eq!(world.sessions(&index), 201);

    let mut index = Index::open(world.cache.path()).expect("an index");
    assert_eq!(index.take_notes(), []);
    assert!(world.sessions(&index) >= 1, "what was there is there");
    world.refresh(&mut index);
    assert_eq!(world.sessions(&index), 201);
}

#[test]
fn while_another_writes_it_answers_from_what_is_there() {
    let world = IndexWorld::new();
    let mut index = Index::open(world.cache.path()).expect("an index");
    world.refresh(&mut index);
    world.add("two");
    let lock = Lock::take(world.cache.path(), Duration::ZERO).expect("a file");
    assert!(lock.is_some());
    world.refresh(&mut index);
    assert_eq!(index.take_notes(), [IndexNote::Busy]);
    assert_eq!(world.sessions(&index), 1);
    drop(lock);
    world.refresh(&mut index);
    assert_eq!(index.take_notes(), []);
    assert_eq!(world.sessions(&index), 2);
}

#[test]
fn costs_are_said_again_when_prices_change() {
    let world = IndexWorld::new();
    let line = r#"{"type":"assistant","uuid":"a","parentUuid":null,"timestamp":"2026-08-10T09:00:00.000Z","message":{"id":"m","role":"assistant","model":"claude-opus-5-5","content":[{"type":"text","text":"hi"}],"usage":{"input_tokens":1000000,"output_tokens":0}}}"#;
    let name = uuid("priced");
    world.home.add_session("/srv/b", &name, format!("{line}\n"));
    let mut index = Index::open(world.cache.path()).expect("an index");
    let cost = |index: &mut Index, prices: &PriceTable| {
        let now = SystemTime::now();
        let refreshed = index.refresh(&world.homes(), &RefreshBasis { now, prices }, &Unwatched);
        let rows = index.rows(&world.homes(), AgentRows::Folded).expect("rows");
        let row = rows.into_iter().find(|row| row.id.as_str() == name);
        (refreshed.expect("fresh").parsed, row.and_then(|row| row.cost_usd))
    };
    let listed = PriceTable::built_in();
    assert_eq!(cost(&mut index, &listed).1, Some(4.0));
    let rate = crate::prices::Rate::from_usd;
    let dear = crate::prices::Override {
        model: "claude-opus".to_owned(),
        from: None,
        rates: crate::prices::Rates::usual(
            rate(7.0).expect("a price"),
            rate(70.0).expect("a price"),
        ),
    };
    let own = PriceTable::built_in().with_overrides([dear]);
    assert_eq!(cost(&mut index, &own), (0, Some(7.0)), "nothing is parsed");
}

#[test]
fn names_that_a_killed_run_left_undone_are_given_by_the_next() {
    let world = IndexWorld::new();
    let other = uuid("other");
    let project = "/srv/a";
    world.home.add_session(project, &other, session("o1 user \"else\""));
    // Late enough for the memory of the project to be settled.
    let now = SystemTime::now() + Duration::from_secs(10);
    let refresh = |index: &mut Index| refresh(index, &world.homes(), now).parsed;
    let title = |index: &Index| {
        let rows = index.rows(&world.homes(), AgentRows::Folded).expect("rows");
        let row = rows.into_iter().find(|row| row.id.as_str() == uuid("one"));
        row.and_then(|row| row.title).expect("a title")
    };
    let mut index = Index::open(world.cache.path()).expect("an index");
    assert!(refresh(&mut index) > 0);
    assert_eq!(refresh(&mut index), 0);

    // The commit of a batch that changes summaries, without the commits after it.
    let log = Log::read(
        format!("{{\"type\":\"summary\",\"summary\":\"Found\",\"leafUuid\":\"{}\"}}\n", uuid("a1"))
            .as_bytes(),
    );
    let file = NewFile {
        known: None,
        home: index.catalogue.home(&world.homes()[0]).expect("a home"),
        project: unspool_model::path_name::encode(project),
        session: other,
        agent: None,
        has_sidecar: false,
        path: PathBuf::new(),
        mark: LogFile::absent(Path::new("")).mark(),
    };
    let summaries = crate::titles::summaries_of(&log);
    let put = index.catalogue.put_summaries(FileId(999), &file, &summaries);
    put.expect("kept");
    drop(index);

    let mut index = Index::open(world.cache.path()).expect("an index");
    assert_eq!(title(&index), "find the needle");
    assert_eq!(refresh(&mut index), 0, "no log has changed");
    assert_eq!(title(&index), "Found");
    let stale = index.catalogue.has_stale_titles();
    assert!(!stale.expect("an answer"), "it is done");

    index.catalogue.forget_file(FileId(999)).expect("forgets");
    assert_eq!(refresh(&mut index), 0);
    assert_eq!(title(&index), "find the needle");
}
