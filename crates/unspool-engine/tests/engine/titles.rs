//! A session has the same title in every answer, after any history.
//!
//! Each case is tested with four sources: an index with the whole history, one that is built from
//! scratch, a list that is read without an index, and the session as `show` opens it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use unspool_engine::ops::transcript::{self, Transcript};
use unspool_model::ids::SessionId;
use unspool_store::home::{Discovery, Home, discover_all};
use unspool_store::index::{Index, Refreshed};
use unspool_store::rows::{AgentRows, SessionKind, SessionRow};
use unspool_store::session::Session;
use unspool_store::titles::{ProjectSummaries, TitleOrigin};
use unspool_testkit::home::{AgentFilePlace, next_tick};
use unspool_testkit::rng::Rng;
use unspool_testkit::{TestHome, append, session, uuid};

use crate::setup::{self, refresh};

/// The project of all sessions by default.
const HERE: &str = "/srv/here";

/// A home and an index that is updated after changes.
struct World {
    home: TestHome,
    cache: tempfile::TempDir,
    index: Index,
}

impl World {
    fn new() -> Self {
        let cache = tempfile::tempdir().expect("a folder");
        Self { home: TestHome::new(), index: Index::open(cache.path()).expect("an index"), cache }
    }

    fn homes(&self) -> [Home; 1] {
        [Home::new(self.home.path())]
    }

    fn add(&self, name: &str, notation: &str) -> PathBuf {
        self.home.add_session(HERE, &uuid(name), session(notation))
    }

    fn refresh(&mut self) -> Refreshed {
        let homes = self.homes();
        // The next change is in another tick of the clock.
        next_tick();
        refresh(&mut self.index, &homes)
    }

    fn found(&self) -> Vec<Discovery> {
        discover_all(&self.homes())
    }

    /// Reads all logs without an index.
    fn read(&self) -> Vec<SessionRow> {
        setup::read(&self.homes())
    }

    /// Opens every session as `show` does.
    fn shown(&self) -> BTreeMap<PathBuf, Option<String>> {
        let found = self.found();
        let mut titles = BTreeMap::new();
        for home in &found {
            let root = Some(home.home.root.clone());
            for (project, file) in home.sessions() {
                let opened =
                    Session::open_session(file, root.clone(), Some(project.id.clone()), None);
                let mut session = opened.expect("a session");
                ProjectSummaries::new(&found).name(&mut session);
                let shown = Transcript::new(&session, &transcript::TranscriptRequest::default());
                titles.insert(file.path.clone(), shown.expect("a transcript").title());
            }
        }
        titles
    }

    /// Updates the index and compares the answers of all sources, which it returns.
    #[track_caller]
    fn agreed(&mut self, when: &str) -> BTreeMap<PathBuf, SessionRow> {
        self.refresh();
        let homes = self.homes();
        let known = rows_of(&self.index, &homes);
        let mut fresh = Index::in_memory().expect("an index");
        refresh(&mut fresh, &homes);
        assert_eq!(known, rows_of(&fresh, &homes), "an index built from scratch, {when}");
        assert_eq!(known, by_file(self.read()), "a list without an index, {when}");
        let sessions = known.iter().filter(|(path, _)| !is_agent(path));
        let titles: BTreeMap<_, _> =
            sessions.map(|(path, row)| (path.clone(), row.title.clone())).collect();
        assert_eq!(titles, self.shown(), "sessions by themselves, {when}");
        known
    }

    /// Returns the title of a session in all sources.
    #[track_caller]
    fn title(&mut self, name: &str) -> String {
        let id = SessionId::new(uuid(name));
        let rows = self.agreed(name);
        let row = rows.values().find(|row| row.id == id).expect(name);
        row.title.clone().unwrap_or_default()
    }
}

fn rows_of(index: &Index, homes: &[Home]) -> BTreeMap<PathBuf, SessionRow> {
    by_file(index.rows(homes, AgentRows::Listed).expect("rows"))
}

/// Returns rows by file, without the times of files, and without costs, which only an index knows.
fn by_file(rows: Vec<SessionRow>) -> BTreeMap<PathBuf, SessionRow> {
    setup::by_file(rows.into_iter().map(|row| SessionRow { cost_usd: None, ..row }).collect())
}

fn is_agent(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("agent-")
}

/// Returns the summary line of old clients.
fn summary(text: &str, leaf: &str) -> String {
    let leaf = uuid(leaf);
    format!("{{\"type\":\"summary\",\"summary\":\"{text}\",\"leafUuid\":\"{leaf}\"}}\n")
}

const TOLD: &str = r#"
t1 user "how do I begin"
t2 assistant "like this"
t3 user "and then"
t4 assistant "like that"
"#;

const OTHER: &str = r#"
o1 user "something else"
o2 assistant "indeed"
"#;

#[test]
fn a_summary_names_the_session_that_has_its_leaf_and_not_its_own_file() {
    let mut world = World::new();
    world.add("told", TOLD);
    world.add("other", &format!("-- summary \"The beginning\" ?t2\n{OTHER}"));
    assert_eq!(world.title("told"), "The beginning");
    assert_eq!(world.title("other"), "something else");
}

#[test]
fn a_summary_may_be_in_the_middle_of_a_file_and_in_a_file_of_nothing_else() {
    let mut world = World::new();
    world.add("told", TOLD);
    let middle =
        "o1 user \"something else\"\n-- summary \"From the middle\" ?t2\no2 assistant \"x\"";
    let file = world.add("other", middle);
    assert_eq!(world.title("told"), "From the middle");
    fs::write(&file, summary("All alone", "t2")).expect("writes");
    assert_eq!(world.title("told"), "All alone");
}

#[test]
fn the_leaf_that_is_last_counts_and_of_its_texts_the_greatest() {
    let mut world = World::new();
    world.add("told", TOLD);
    world.add("one", "-- summary \"late, b\" ?t4\n-- summary \"z, early\" ?t2");
    world.add("two", "-- summary \"late, c\" ?t4\n-- summary \"late, a\" ?t4");
    assert_eq!(world.title("told"), "late, c");
}

#[test]
fn the_own_log_comes_first() {
    for (line, title) in [
        ("-- custom-title \"Given\"", "Given"),
        ("-- ai-title \"Made up\"", "Made up"),
        ("-- summary \"Its own\" t2", "Its own"),
    ] {
        let mut world = World::new();
        world.add("told", &format!("{TOLD}{line}"));
        world.add("other", "-- summary \"Of another\" ?t4");
        assert_eq!(world.title("told"), title);
    }
}

#[test]
fn both_sides_of_a_fork_are_named() {
    let mut world = World::new();
    world.add("told", TOLD);
    world.add("fork", &format!("{TOLD}t5 user \"going on\""));
    world.add("other", "-- summary \"The beginning\" ?t2");
    assert_eq!(world.title("told"), "The beginning");
    assert_eq!(world.title("fork"), "The beginning");
    // A summary next to its leaf names the copies of the leaf too.
    world.add("told", &format!("{TOLD}-- summary \"Later\" t4"));
    assert_eq!(world.title("told"), "Later");
    assert_eq!(world.title("fork"), "Later");
}

#[test]
fn a_summary_in_another_project_does_not_count() {
    let mut world = World::new();
    world.add("told", TOLD);
    let name = uuid("other");
    let elsewhere = world.home.add_session("/srv/elsewhere", &name, summary("Strange", "t2"));
    assert_eq!(world.title("told"), "how do I begin");
    let here = world.home.project_dir(HERE).join(format!("{name}.jsonl"));
    fs::rename(&elsewhere, &here).expect("moves");
    assert_eq!(world.title("told"), "Strange", "it came");
    fs::rename(&here, &elsewhere).expect("moves");
    assert_eq!(world.title("told"), "how do I begin", "it went");
}

#[test]
fn agents_are_not_named_and_name_no_one() {
    let mut world = World::new();
    world.add("told", TOLD);
    let agent = format!("%agent g1\n{}", OTHER.replace('o', "g"));
    let agent = [session(&agent), summary("By an agent", "t2").into_bytes()].concat();
    for place in [AgentFilePlace::Sibling, AgentFilePlace::Subagents] {
        let told = uuid("told");
        world.home.add_agent(HERE, &told, &place, "g1", &agent);
    }
    world.add("other", "-- summary \"Of an agent\" ?g2");
    let rows = world.agreed("with agents");
    let titles = |kind| {
        let rows = rows.values().filter(move |row| row.kind == kind);
        rows.map(|row| row.title.clone().unwrap_or_default()).collect::<Vec<_>>()
    };
    assert_eq!(titles(SessionKind::Main), ["how do I begin"]);
    assert_eq!(titles(SessionKind::Agent), ["sgmething else", "sgmething else"]);
}

#[test]
fn names_come_and_go_with_summaries_and_nothing_is_read_for_them() {
    let mut world = World::new();
    world.add("told", TOLD);
    assert_eq!(world.title("told"), "how do I begin");

    let other = world.add("other", OTHER);
    assert_eq!(world.title("told"), "how do I begin");
    let line = summary("Late", "t2");
    append(&other, line.as_bytes());
    assert_eq!(world.refresh().parsed, line.len() as u64);
    assert_eq!(world.title("told"), "Late");

    let third = world.add("third", "-- summary \"Latest\" ?t4");
    assert_eq!(world.title("told"), "Latest");
    fs::remove_file(&third).expect("removes");
    assert_eq!(world.refresh().parsed, 0, "through its snapshot");
    assert_eq!(world.title("told"), "Late", "another one is left");

    fs::write(&other, session(OTHER)).expect("writes");
    let own = fs::metadata(&other).expect("a file").len();
    assert_eq!(world.refresh().parsed, own);
    assert_eq!(world.title("told"), "how do I begin");
}

#[test]
fn a_session_that_comes_to_hold_the_leaf_is_named() {
    let mut world = World::new();
    world.add("other", "-- summary \"Waiting\" ?t5");
    let told = world.add("told", TOLD);
    assert_eq!(world.title("told"), "how do I begin");
    let grown = session(&format!("{TOLD}t5 user \"more\""));
    let line = &grown[fs::read(&told).expect("a file").len()..];
    append(&told, line);
    assert_eq!(world.refresh().parsed, line.len() as u64);
    assert_eq!(world.title("told"), "Waiting");
}

#[test]
fn a_last_line_without_newline_counts_on_both_sides() {
    let mut world = World::new();
    let grown = session(&format!("{TOLD}t5 user \"more\""));
    let told = world.home.add_session(HERE, &uuid("told"), grown.trim_ascii_end());
    assert_eq!(world.title("told"), "how do I begin");
    let line = summary("The end", "t5");
    let other = world.home.add_session(HERE, &uuid("other"), line.trim_end());
    assert_eq!(world.title("told"), "The end");
    append(&told, b"\n");
    append(&other, b"\n");
    assert_eq!(world.title("told"), "The end");
}

#[test]
fn kinds_are_known_without_rows() {
    let mut world = World::new();
    world.add("told", TOLD);
    world.add("nothing", "-- mode \"plan\"");
    world.refresh();
    let found = world.found();
    let home = &found[0].home.root;
    let project = &found[0].projects[0].id;
    let kind = |name: &str| {
        let id = SessionId::new(uuid(name));
        let kind = world.index.session_kind(home, project, &id);
        kind.expect("an answer")
    };
    assert_eq!(kind("told"), Some(SessionKind::Main));
    assert_eq!(kind("nothing"), Some(SessionKind::Empty));
    assert_eq!(kind("unknown"), None);
}

#[test]
fn the_order_in_which_files_come_is_no_matter() {
    let files = [
        ("told", TOLD.to_owned()),
        ("fork", format!("{TOLD}t5 user \"going on\"")),
        ("other", "-- summary \"a\" ?t4\n-- summary \"b\" ?t5".to_owned()),
        ("third", "-- summary \"c\" ?t4\n-- summary \"a\" ?t5".to_owned()),
    ];
    for order in orders(files.len()) {
        // The files, of the first three, after which the index is updated.
        for stops in [0b000, 0b010, 0b101, 0b111] {
            let mut world = World::new();
            for (step, &at) in order.iter().enumerate() {
                let (name, notation) = &files[at];
                world.add(name, notation);
                if stops >> step & 1 == 1 {
                    world.refresh();
                }
            }
            world.refresh();
            let titles: Vec<_> = rows_of(&world.index, &world.homes())
                .into_values()
                .filter_map(|row| Some((row.id, row.title?)))
                .collect();
            let mut expected = [("told", "c"), ("fork", "b")]
                .map(|(name, title)| (SessionId::new(uuid(name)), title.to_owned()));
            expected.sort();
            assert_eq!(titles, expected, "{order:?}, {stops:b}");
        }
    }
}

/// Lists all permutations of a number of items.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for next in 0..count {
        let longer = |order: Vec<usize>| {
            (0..=order.len()).map(move |at| {
                let mut longer = order.clone();
                longer.insert(at, next);
                longer
            })
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

/// Changes logs that share leaves and have summaries of each other.
struct Chaos {
    folders: [PathBuf; 2],
    rng: Rng,
}

impl Chaos {
    fn new(world: &World, seed: u64) -> Self {
        let folders = ["/srv/here", "/srv/there"].map(|cwd| world.home.project_dir(cwd));
        for folder in &folders {
            fs::create_dir_all(folder).expect("makes a folder");
        }
        let rng = Rng::new(seed);
        Self { folders, rng }
    }

    fn line(&mut self) -> String {
        let leaf = format!("x{}", self.rng.below(8));
        match self.rng.below(12) {
            0 => "{\"type\":\"ai-title\",\"aiTitle\":\"Made up\"}\n".to_owned(),
            1..=4 => {
                let text = format!("summary {}", self.rng.below(4));
                summary(&text, &leaf)
            }
            _ => {
                let says = if self.rng.chance(0.5) { "a" } else { "b" };
                format!(
                    "{{\"type\":\"user\",\"uuid\":\"{}\",\"parentUuid\":null,\
                     \"message\":{{\"role\":\"user\",\"content\":\"prompt {says}\"}}}}\n",
                    uuid(&leaf)
                )
            }
        }
    }

    fn lines(&mut self) -> String {
        let count = 1 + self.rng.below(4);
        let mut lines: String = (0..count).map(|_| self.line()).collect();
        if self.rng.chance(0.2) {
            lines.pop();
        }
        lines
    }

    fn place(&mut self) -> PathBuf {
        let name = uuid(&format!("session {}", self.rng.below(4)));
        let folder = self.rng.below(2);
        self.folders[folder].join(format!("{name}.jsonl"))
    }

    fn step(&mut self) -> String {
        let (path, lines) = (self.place(), self.lines());
        let name = path.display();
        match self.rng.below(8) {
            0 if path.exists() => {
                fs::remove_file(&path).expect("removes");
                format!("remove {name}")
            }
            1 if path.exists() => {
                let to = self.place();
                fs::rename(&path, &to).expect("moves");
                format!("move {name} to {}", to.display())
            }
            2..=5 if path.exists() => {
                append(&path, lines.as_bytes());
                format!("append to {name}:\n{lines}")
            }
            _ => {
                fs::write(&path, &lines).expect("writes");
                format!("write {name}:\n{lines}")
            }
        }
    }
}

#[test]
fn titles_depend_on_no_order_of_steps() {
    let mut named = 0;
    for seed in 0..12 {
        let mut world = World::new();
        let mut chaos = Chaos::new(&world, seed);
        let mut stories: Vec<Vec<String>> = Vec::new();
        for _ in 0..15 {
            let steps = 1 + chaos.rng.below(3);
            let story: Vec<_> = (0..steps).map(|_| chaos.step()).collect();
            stories.push(story);
            let rows = world.agreed(&format!("seed {seed} after {stories:#?}"));
            let elsewhere = |row: &&SessionRow| row.title_origin == TitleOrigin::OtherLog;
            named += rows.values().filter(elsewhere).count();
            if chaos.rng.chance(0.2) {
                world.index = Index::open(world.cache.path()).expect("an index");
            }
        }
    }
    assert!(named > 100, "only {named} were named by other logs");
}

#[test]
fn a_project_is_looked_through_once_and_only_if_a_session_needs_it() {
    let world = World::new();
    world.add("given", "-- custom-title \"Given\"\ng1 user \"hello\"");
    world.add("told", TOLD);
    world.add("fork", TOLD);
    let found = world.found();
    let summaries = ProjectSummaries::new(&found);
    let called = |name: &str| {
        let file = found[0].sessions().find(|(_, file)| file.id.as_str() == uuid(name));
        let (project, file) = file.expect(name);
        let root = Some(found[0].home.root.clone());
        let session = Session::open_session(file, root, Some(project.id.clone()), None);
        let mut session = session.expect("a session");
        summaries.name(&mut session);
        session.called
    };
    assert_eq!(called("given"), None);
    let other = world.add("given", "-- summary \"Now\" ?t2");
    assert_eq!(called("told").as_deref(), Some("Now"), "it was not read before");
    fs::remove_file(other).expect("removes");
    assert_eq!(called("fork").as_deref(), Some("Now"), "it is not read again");
}
