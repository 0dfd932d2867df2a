//! An index that was updated step by step answers like one that is built from scratch.
//!
//! A small home is changed at random, in ways that people, clients and backups do. After each
//! change, or after a few, the answers to all queries of commands are compared: rows, the lines
//! that count in each file, totals in all groups, and the hits of planted words. The answers of an
//! index before its update must be the same wherever it claims to be up to date.

pub(crate) mod world;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::fs;
use std::time::{Duration, SystemTime};

use jiff::tz::TimeZone;
use unspool_engine::ops::stats::{self, By, SessionMeta};
use unspool_model::query::{Clock, parse};
use unspool_model::time::Time;
use unspool_search::OpenedIndex;
use unspool_search::hit::SearchHit;
use unspool_search::hit::SnippetSize;
use unspool_search::ranked::{self, CatalogueLookup};
use unspool_search::text::{Freshness, TextIndex};
use unspool_store::home::{Home, LiveSessions, SystemProcesses};
use unspool_store::index::{Index, RefreshBasis};
use unspool_store::prices::PriceTable;
use unspool_store::progress::Unwatched;
use unspool_store::rows::{AgentRows, SessionKind, SessionRow};

use unspool_testkit::home::{AgentFilePlace, next_tick};
use unspool_testkit::{session, soak, uuid};

use self::world::{WORDS, World};

const GROUPS: [By; 6] = [By::Session, By::Project, By::Model, By::Tool, By::Branch, By::Day];

/// The answers to all queries of commands, by query.
type Answers = BTreeMap<String, Vec<String>>;

fn lines<T: Debug>(things: impl IntoIterator<Item = T>) -> Vec<String> {
    things.into_iter().map(|it| format!("{it:?}")).collect()
}

/// Returns a hit without the score, which depends on everything that was ever indexed.
fn unscored(hit: SearchHit) -> SearchHit {
    SearchHit { score: 0.0, ..hit }
}

/// The queries of one state of a home.
struct Questions<'w> {
    homes: &'w [Home],
    now: SystemTime,
    prices: PriceTable,
}

impl Questions<'_> {
    /// Updates an index and runs all queries. The hits before the update must be the same if the
    /// index claims to agree.
    fn ask(&self, mut index: Index, opened: Option<&OpenedIndex>) -> Answers {
        let early = opened.map(|opened| self.hits(&opened.index, &opened.text));
        let basis = RefreshBasis { now: self.now, prices: &self.prices };
        let refreshed = index.refresh(self.homes, &basis, &Unwatched);
        let found = refreshed.expect("a catalogue").found;
        let mut rows = index.rows(self.homes, AgentRows::Listed).expect("rows");
        rows.sort_by(|a, b| a.file.cmp(&b.file));
        assert_eq!(index.take_notes(), []);
        let agrees =
            opened.is_some_and(|opened| opened.agrees_with(&index, self.homes, &found, self.now));
        let text = TextIndex::open(&index, self.homes, &found, self.now, &Unwatched);
        let (text, report) = text.expect("a full text");
        assert_eq!(report.freshness, Freshness::Fresh);
        assert!(report.file_errors.is_empty(), "{:?}", report.file_errors);
        let mut answers = self.hits(&index, &text);
        if let Some(early) = early.filter(|_| agrees) {
            assert_eq!(early, answers, "as it stood, and now");
        }
        self.totals(&index, &rows, &mut answers);
        answers.insert("list".to_owned(), lines(&rows));
        answers
    }

    fn totals(&self, index: &Index, rows: &[SessionRow], answers: &mut Answers) {
        let rows = rows.iter().filter(|row| row.kind != SessionKind::Agent);
        let sessions: Vec<_> = rows.map(|row| SessionMeta::of(row, true)).collect();
        let told = stats::collect(index, self.homes, &sessions, |totals| {
            let ledgers = totals.sources().map(|source| {
                let ledger = source.ledger.open();
                let file = source.file.display();
                format!("{file} {:?} {ledger:?}", source.session)
            });
            let mut ledgers: Vec<_> = ledgers.collect();
            ledgers.sort();
            answers.insert("ledgers".to_owned(), ledgers);
            for by in GROUPS {
                let request = stats::TotalsRequest { by, ..stats::TotalsRequest::default() };
                let stats = totals.stats(&request, &self.prices, &TimeZone::UTC)?;
                let mut told = lines(&stats.groups);
                told.push(format!("{:?} {:?}", stats.total, stats.days));
                answers.insert(format!("stats by {by:?}"), told);
            }
            Ok(())
        });
        told.expect("totals");
    }

    fn hits(&self, index: &Index, text: &TextIndex) -> Answers {
        let mut answers = Answers::new();
        let live = self.homes.iter();
        let live: Vec<_> = live.map(|home| LiveSessions::read(home, &SystemProcesses)).collect();
        let places = CatalogueLookup::new(index, self.homes, &live, None);
        let clock = Clock { now: Time::from_millis(1_800_000_000_000), zone: TimeZone::UTC };
        for word in WORDS {
            let query = parse(word, &clock).expect("a query");
            let request = ranked::RankedRequest {
                query: &query,
                now: clock.now,
                limit: 1000,
                of_session: None,
                extent: SnippetSize { width: 80, context: 0 },
            };
            let answer = ranked::search(text, &places, &request).expect("an answer");
            let sessions = answer.sessions.into_iter();
            let hits = sessions.flat_map(|session| session.hits).map(unscored);
            let mut hits = lines(hits);
            hits.sort();
            answers.insert(format!("search {word}"), hits);
        }
        answers
    }
}

impl World {
    /// Compares the index with the whole history with a new one.
    fn compare(&self) -> Answers {
        let homes = [Home::new(self.home.path())];
        let questions = Questions {
            homes: &homes,
            // No file is recent at this time.
            now: SystemTime::now() + Duration::from_mins(1),
            prices: PriceTable::built_in(),
        };
        let opened = OpenedIndex::open(self.cache.path());
        let cold = questions.ask(Index::in_memory().expect("an index"), None);
        let index = Index::open(self.cache.path()).expect("an index");
        let warm = questions.ask(index, opened.as_ref());
        for (question, cold) in &cold {
            let warm = &warm[question];
            let only = |these: &[String], those: &[String]| -> Vec<String> {
                let only = these.iter().filter(|line| !those.contains(line));
                only.cloned().collect()
            };
            assert!(
                warm == cold,
                "{}",
                format!(
                    "{question} after {:#?}\nonly warm: {:#?}\nonly cold: {:#?}",
                    self.story,
                    only(warm, cold),
                    only(cold, warm)
                )
                .replace(&self.home.path().display().to_string(), "~")
            );
        }
        // The next change is in another tick of the clock.
        next_tick();
        warm
    }
}

/// Takes some steps, comparing after each one or after a few.
fn walk(seed: u64, steps: usize) {
    let mut world = World::new(seed);
    world.compare();
    for _ in 0..steps {
        world.step();
        if world.rng.chance(0.7) {
            world.story.push("compare".to_owned());
            world.compare();
        }
    }
    world.compare();
}

#[test]
fn it_answers_like_one_that_is_built_again() {
    for seed in 0..5 {
        walk(seed, 16);
    }
}

#[test]
#[ignore = "for `cargo xtask soak`"]
fn it_answers_like_one_that_is_built_again_for_long() {
    soak::rounds("step by step", |seed| walk(seed, 40));
}

#[test]
fn a_session_outlives_its_log() {
    let world = World::empty(0);
    let name = uuid("one");
    let talk = session("u1 user \"anchor\"\na1 assistant \"barley\"");
    let log = world.home.add_session("/srv/a", &name, talk);
    let work = session("%agent a1\nu2 user \"cobalt\"\na2 assistant \"dolmen\"");
    let place = AgentFilePlace::Subagents;
    world.home.add_agent("/srv/a", &name, &place, "a1", work);
    world.home.add_history("/srv/a", &name, 1, "anchor");
    let answers = world.compare();
    let talks = |answers: &Answers| -> usize {
        let rows = answers["list"].iter();
        rows.filter(|row| row.contains("kind: Main") && !row.contains("status: Empty")).count()
    };
    assert_eq!(talks(&answers), 1);
    assert_eq!(answers["search anchor"].len(), 1);
    assert!(answers["search anchor"][0].contains("gone: false"));

    let elsewhere = world.home.project_dir("/srv/b");
    fs::create_dir_all(&elsewhere).expect("makes a folder");
    let moved = elsewhere.join(format!("{name}.jsonl"));
    fs::rename(&log, &moved).expect("moves");
    let answers = world.compare();
    assert_eq!(answers["list"].len(), 3, "what is left, the log, the agent");
    assert_eq!(answers["search anchor"].len(), 1);

    fs::remove_file(moved).expect("removes");
    let answers = world.compare();
    assert_eq!(talks(&answers), 0);
    assert_eq!(answers["search barley"].len(), 0);
    assert_eq!(answers["search cobalt"].len(), 1);
    assert!(answers["search anchor"][0].contains("gone: true"));
}

#[test]
fn a_word_may_be_in_more_texts_that_are_gone_than_there_are() {
    let world = World::empty(0);
    let logs = ["one", "two", "three", "four"].map(|name| {
        let talk = session("u1 user \"anchor\"");
        world.home.add_session("/srv/a", &uuid(name), talk)
    });
    world.compare();
    for log in &logs[1..] {
        fs::remove_file(log).expect("removes");
    }
    assert_eq!(world.compare()["search anchor"].len(), 1);
}

#[test]
fn a_history_of_the_same_length_may_be_another_one() {
    let world = World::empty(0);
    world.home.add_session("/srv/a", &uuid("one"), "");
    world.home.add_history("/srv/a", &uuid("gone"), 1, "anchor");
    world.compare();
    let path = world.home.path().join("history.jsonl");
    let text = fs::read_to_string(&path).expect("a history");
    let other = text.replace("anchor", "barley");
    assert_eq!(text.len(), other.len());
    fs::write(&path, other).expect("writes");
    let answers = world.compare();
    assert_eq!(answers["search anchor"].len(), 0);
    assert_eq!(answers["search barley"].len(), 1);
}

#[test]
fn a_sidecar_may_come_after_its_agent_was_read() {
    let world = World::empty(0);
    let (name, place) = (uuid("one"), AgentFilePlace::Subagents);
    let work = session("%agent a1\nu2 user \"cobalt\"\na2 assistant \"dolmen\"");
    world.home.add_agent("/srv/a", &name, &place, "a1", work);
    world.compare();
    let meta = r#"{"description":"ember"}"#;
    world.home.add_agent_meta("/srv/a", &name, &place, "a1", meta);
    assert_eq!(world.compare()["search ember"].len(), 1);
}
