//! Archives: making, reading and restoring them.

mod kill;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tempfile::TempDir;
use unspool_testkit::generate::Corpus;
use unspool_testkit::home::{AgentFilePlace, TestSideFile};
use unspool_testkit::reallogs::RealLogs;
use unspool_testkit::{TestHome, files_below, session};

use crate::run::{Ran, SESSION, home_with, run, run_bare, unscored, unspool, unspool_on};

/// Returns all files below a folder, with their modification times.
fn contents(root: &Path) -> BTreeMap<PathBuf, (SystemTime, Vec<u8>)> {
    let files = files_below(root).into_iter().map(|path| {
        let time = fs::metadata(&path).and_then(|data| data.modified()).expect("a time");
        let bytes = fs::read(&path).expect("a file");
        (path.strip_prefix(root).expect("inside").to_owned(), (time, bytes))
    });
    files.collect()
}

/// Returns the files of a home that are archived: all but those of running processes.
fn kept(home: &Path) -> BTreeMap<PathBuf, (SystemTime, Vec<u8>)> {
    let mut all = contents(home);
    all.retain(|path, _| !path.starts_with("sessions"));
    all
}

/// Returns the homes of all logs that real clients wrote.
fn real_homes() -> Vec<PathBuf> {
    let logs = RealLogs::shared().unwrap_or_else(RealLogs::fixtures);
    let files = files_below(logs.root());
    let homes = files
        .iter()
        .filter_map(|file| file.ancestors().find(|folder| folder.ends_with("projects"))?.parent());
    let homes: BTreeSet<&Path> = homes.collect();
    homes.into_iter().map(Path::to_owned).collect()
}

/// Creates a home with the projects of all real homes.
fn one_real_home() -> TestHome {
    let home = TestHome::new();
    add_real(&home, |_| true);
    home.age();
    home
}

/// Adds the projects of real homes, chosen by the index of the home.
fn add_real(home: &TestHome, is_wanted: impl Fn(usize) -> bool) {
    let homes = real_homes().into_iter().enumerate();
    for (number, real) in homes.filter(|(number, _)| is_wanted(*number)) {
        for (below, (_, bytes)) in contents(&real.join("projects")) {
            home.add_file(format!("projects/{number}{}", below.display()), bytes);
        }
    }
}

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn at(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }
}

/// Creates a home with a short session.
fn hello() -> TestHome {
    home_with("u1 user \"hello\"")
}

/// Archives a home; returns it with a folder and the archive in that folder.
fn archived(home: TestHome) -> (TestHome, Folder, String) {
    let folder = Folder::new();
    let archive = folder.at("archive");
    run(&home, &["archive", &archive]).ok();
    (home, folder, archive)
}

#[test]
fn all_real_logs_come_back_byte_for_byte() {
    let (user, folder) = (TestHome::new(), Folder::new());
    let homes = real_homes();
    let named = homes.iter().flat_map(|home| [Path::new("--home"), home]);
    Ran::of(unspool(&user).args(["archive", &folder.at("archive")]).args(named)).ok();
    let restore = ["archive", "restore", &folder.at("archive"), "--to", &folder.at("out")];
    run_bare(&user, &restore).ok();
    for (number, home) in homes.iter().enumerate() {
        let restored = contents(&folder.0.path().join(format!("out/home-{}", number + 1)));
        assert!(restored == kept(home), "{}", home.display());
    }
}

/// Creates a home with every kind of file.
fn rich_home() -> TestHome {
    let home = TestHome::new();
    Corpus::new(7, 900_000).write_to(home.path()).expect("writes logs");
    add_real(&home, |number| number % 9 == 0);
    let notation = r#"
        u1 user "find the needle"
        a1 assistant "a needle"
    "#;
    home.add_session("/srv/demo", SESSION, session(notation));
    home.add_agent("/srv/demo", SESSION, &AgentFilePlace::Subagents, "aa", session(notation));
    home.add_agent_meta(
        "/srv/demo",
        SESSION,
        &AgentFilePlace::Subagents,
        "aa",
        r#"{"agentType":"Explore","description":"a needle in the sidecar"}"#,
    );
    let output = TestSideFile::ToolResult { cwd: "/srv/demo".into(), name: "toolu_1.txt".into() };
    home.add_side_file(SESSION, &output, "spilled needle\n");
    home.add_side_file(SESSION, &TestSideFile::Task(1), r#"{"subject":"needle task"}"#);
    home.add_side_file(SESSION, &TestSideFile::Plan("calm-fox".into()), "a needle plan");
    home.add_history("/srv/demo", "gone", 1_700_000_000_000, "a needle of old");
    // Uploads may have names that end like those of packed files.
    home.add_file(format!("uploads/{SESSION}/needle.zst"), "x");
    home.age();
    home
}

/// Replaces the path of the archive in a text by that of its home.
fn as_if(text: &str, archive: &str, home: &TestHome) -> String {
    let inside = format!("{archive}/home-1");
    text.replace(&inside, &home.path().display().to_string())
}

/// Returns the output of a command on the archive, with the home's path.
fn as_in_home(ran: &Ran, archive: &str, home: &TestHome) -> (Option<i32>, Vec<String>) {
    (ran.code, unscored(&as_if(&ran.out, archive, home)))
}

#[test]
fn an_archive_reads_like_its_home() {
    let (home, folder, archive) = archived(rich_home());
    for question in [
        &["list", "--json", "--agents"][..],
        &["list", "--empty"],
        &["list", "--json", "--rule", "sdk"],
        &["show", SESSION, "--json"],
        &["show", SESSION],
        &["show", SESSION, "--raw", "line:1"],
        &["tree", SESSION, "--json"],
        &["check", "--json"],
        &["stats", "--json", "--by", "model"],
        &["search", "--json", "needle", "-n", "100000"],
        &["search", "--json", "error in the parser", "-n", "100000"],
        &["search", "--json", "--regex", "need.e", "-n", "100000"],
        &["search", "--json", "--exact", "needle", "-n", "100000"],
        &["list", "--json", "--file", "src", "--tool", "Read"],
        &["export", SESSION, "--out", "-"],
        &["export", SESSION, "--out", "-", "--format", "jsonl"],
    ] {
        let (index, other) = (folder.at("plain"), folder.at("packed"));
        let plain = run(&home, &[&["--index", &index], question].concat());
        let args = [&["--home", &archive, "--index", &other], question].concat();
        let packed = run_bare(&home, &args);
        assert_eq!(as_if(&packed.err, &archive, &home), plain.err, "{question:?}");
        let plain = as_in_home(&plain, &archive, &home);
        let packed = as_in_home(&packed, &archive, &home);
        assert!(!plain.1.is_empty(), "{question:?} finds something");
        assert_eq!(packed, plain, "{question:?}");
    }
}

#[test]
fn an_archive_that_grows_is_read_on() {
    let (home, folder) = (TestHome::new(), Folder::new());
    let archive = folder.at("archive");
    let search = ["--home", &archive, "--index", &folder.at("index"), "search", "--json", "needle"];
    let mut notation = String::from("u1 user \"a needle\"\n");
    for round in 1..4 {
        home.add_session("/srv/demo", SESSION, session(&notation));
        run(&home, &["archive", &archive]).ok();
        let hits = run_bare(&home, &search).lines();
        assert_eq!(hits.len(), round, "{hits:?}");
        let more = format!("a{round} assistant \"another needle {round}\"\n");
        notation.push_str(&more);
    }
}

#[test]
fn files_of_an_archive_are_opened_by_either_name() {
    let (home, _folder, archive) = archived(rich_home());
    for ending in ["", ".zst"] {
        let path = format!("{archive}/home-1/projects/-srv-demo/{SESSION}.jsonl{ending}");
        let shown = run_bare(&home, &["show", &path, "--json"]).json();
        assert_eq!(shown["session"]["id"], SESSION);
        assert_eq!(shown["messages"].as_array().map(Vec::len), Some(2));
    }
}

#[test]
fn a_run_is_summed_up_for_people_and_scripts() {
    let (home, folder) = (hello(), Folder::new());
    let archive = folder.at("archive");
    home.age();
    let lines = run(&home, &["archive", &archive, "--dry-run", "--json"]).lines();
    assert_eq!(lines[0]["change"], "new");
    assert_eq!(lines[0]["packed_bytes"], serde_json::Value::Null);
    assert_eq!(lines[1]["summary"]["dry_run"], true);
    assert!(!Path::new(&archive).exists());

    let lines = run(&home, &["archive", &archive, "--json"]).lines();
    assert_eq!(lines[0]["session"], SESSION);
    assert!(lines[0]["packed_bytes"].as_u64().is_some());
    assert_eq!(lines[1]["summary"]["sessions"]["new"], 1);

    let ran = run(&home, &["archive", &archive]);
    assert!(ran.err.contains("sessions: 0 new, 0 grown, 0 rewritten, 1 unchanged"), "{}", ran.err);
    home.add_session("/srv/demo", SESSION, session("u2 user \"other\""));
    let ran = run(&home, &["archive", &archive]);
    assert!(ran.out.starts_with("rewritten"), "{}", ran.out);
    assert!(ran.err.contains("the older states are kept"), "{}", ran.err);

    let lines = run_bare(&home, &["archive", "list", &archive, "--json"]).lines();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["older"].as_array().map(Vec::len), Some(1));
    assert_eq!(lines[1]["summary"]["older"], 1);
    let older = lines[0]["older"][0]["packed"].as_str().expect("a path");
    let shown = run_bare(&home, &["show", older]).ok();
    assert!(shown.contains("hello"), "{shown}");
    let listed = run_bare(&home, &["--home", &archive, "list", "--json"]).lines();
    assert_eq!(listed.len(), 1, "an older state is not another session");
    assert!(lines[0]["title"].is_string(), "{}", lines[0]);
    let table = run_bare(&home, &["archive", "list", &archive]).ok();
    assert!(table.contains(&SESSION[..8]) && table.contains("older state"), "{table}");
    let title = lines[0]["title"].as_str().unwrap_or_default();
    assert!(table.contains(title), "{table}");
}

#[test]
fn writing_back_goes_where_it_is_told_and_nowhere_else() {
    let (home, folder) = (TestHome::new(), Folder::new());
    let archive = folder.at("archive");
    let other = SESSION.replace('1', "2");
    let log = home.add_session("/srv/demo", SESSION, session("u1 user \"hello\""));
    home.add_session("/srv/demo", &other, session("u1 user \"other\""));
    home.age();
    run(&home, &["archive", &archive]).ok();

    let only = ["archive", "restore", &archive, "1111", "--to", &folder.at("one")];
    run_bare(&home, &only).ok();
    let restored = contents(Path::new(&folder.at("one")));
    assert_eq!(restored.len(), 1);
    assert!(restored.keys().all(|path| path.ends_with(format!("{SESSION}.jsonl"))));

    let dry =
        run_bare(&home, &["archive", "restore", &archive, "--dry-run", "--to", &folder.at("dry")]);
    assert_eq!(dry.ok().lines().count(), 2);
    assert!(!Path::new(&folder.at("dry")).exists());

    // Into a home that has one of the files already.
    fs::remove_file(&log).expect("removes");
    run(&home, &["archive", "restore", &archive, "--into-home"]).ok();
    assert!(log.exists());
    fs::write(&log, "mine").expect("writes");
    let ran = run(&home, &["archive", "restore", &archive, "--into-home", "--json"])
        .says(1, &["there is another file already"]);
    let lines = ran.lines();
    assert_eq!(lines[0]["result"], "refused");
    assert_eq!(lines[1]["summary"]["same"], 1);
    assert_eq!(fs::read(&log).expect("reads"), b"mine");

    // By default, a new folder in the working directory.
    let mut command = unspool(&home);
    Ran::of(command.current_dir(folder.0.path()).args(["archive", "restore", &archive])).ok();
    let new = |name: &str| name.starts_with("restored-");
    let names = fs::read_dir(folder.0.path()).expect("a folder").flatten();
    let names: Vec<String> = names.map(|name| name.file_name().to_string_lossy().into()).collect();
    assert_eq!(names.iter().filter(|name| new(name)).count(), 1, "{names:?}");
}

#[test]
fn damage_is_named_and_the_rest_is_written() {
    let home = hello();
    home.add_session("/srv/demo", "other", session("u1 user \"other\""));
    let (home, folder, archive) = archived(home);
    let packed = format!("{archive}/home-1/projects/-srv-demo/{SESSION}.jsonl.zst");
    let mut bytes = fs::read(&packed).expect("a packed file");
    bytes[30] ^= 1;
    fs::write(&packed, bytes).expect("writes");
    let ran = run_bare(&home, &["archive", "verify", &archive]).says(1, &[]);
    assert!(ran.out.contains(&packed) && ran.out.contains("damaged at byte 0"), "{}", ran.out);
    run_bare(&home, &["archive", "restore", &archive, "--to", &folder.at("out")])
        .says(3, &["damaged at byte 0"]);
    assert_eq!(contents(Path::new(&folder.at("out"))).len(), 1);
    // A command that reads the archive as a home reports the damage too.
    let ran = run_bare(&home, &["--home", &archive, "list"]).says(3, &["damaged at byte 0"]);
    assert!(ran.out.contains("other"), "{}", ran.out);
}

#[test]
fn wrong_uses_are_said() {
    let (home, folder) = (hello(), Folder::new());
    let archive = folder.at("archive");
    for (args, code, words) in [
        (&["archive"][..], 2, "name the folder of the archive"),
        (&["archive", "list"], 2, "name the folder of the archive"),
        (&["archive", "list", &archive], 2, "is not an archive"),
        (&["archive", "restore", &archive], 2, "is not an archive"),
        (&["archive", &archive, "abcdef"], 1, "abcdef"),
        (&["archive", &archive, "--project", "nothing"], 1, "no session fits"),
        (&["archive", &home.path().display().to_string()], 2, "not empty and is not an archive"),
    ] {
        run(&home, args).says(code, &[words]);
    }
    assert!(!Path::new(&archive).exists());
}

#[test]
fn the_settings_may_name_the_archive() {
    let (home, folder) = (hello(), Folder::new());
    let file = folder.at("config.toml");
    fs::write(&file, "archive = 'kept'\n").expect("writes");
    for args in [&["archive"][..], &["archive", "list"], &["archive", "verify"]] {
        Ran::of(unspool_on(&home).env("UNSPOOL_CONFIG", &file).args(args)).ok();
    }
    assert!(Path::new(&folder.at("kept/unspool-archive.json")).exists());
}
