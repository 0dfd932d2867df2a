//! The settings file: its effects, and the errors of a wrong file.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use unspool_testkit::TestHome;

use crate::run::{Ran, SESSION, unspool};

const ONE: &str = "u1 user \"hello\"\na1 assistant \"hi\"\n";

/// Creates a home with a settings file.
fn home_set(text: impl AsRef<[u8]>) -> TestHome {
    let home = TestHome::new();
    let file = file_of(&home);
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder can be made");
    fs::write(file, text).expect("the file can be written");
    home
}

fn file_of(home: &TestHome) -> PathBuf {
    home.user_home().join(".config/unspool/config.toml")
}

/// Runs the program with some variables, without `TZ`.
fn run_with(home: &TestHome, variables: &[(&str, &str)], args: &[&str]) -> Ran {
    let mut command = unspool(home);
    Ran::of(command.env_remove("TZ").envs(variables.iter().copied()).args(args))
}

fn run(home: &TestHome, args: &[&str]) -> Ran {
    run_with(home, &[], args)
}

/// Expects an error about the settings and returns it.
fn complaint(home: &TestHome, code: i32) -> String {
    let ran = run(home, &["--demo", "list"]).only_says(code, &[]);
    ran.err
}

/// Returns the value, the source and the origin of a setting.
fn setting(config: &Value, name: &str) -> (Value, String, Value) {
    let settings = config["settings"].as_array().expect("settings");
    let setting = settings.iter().find(|setting| setting["name"] == name);
    let setting = setting.unwrap_or_else(|| panic!("no {name} in {config}"));
    let source = setting["source"].as_str().expect("a source").to_owned();
    (setting["value"].clone(), source, setting["origin"].clone())
}

#[test]
fn without_a_file_there_are_defaults_and_a_note() {
    let ran = run(&TestHome::new(), &["config"]);
    let note = "note: there is no ~/.config/unspool/config.toml; \
                `unspool config --example` prints one to begin with\n";
    assert_eq!(ran.err, note);
    insta::assert_snapshot!(ran.ok());
}

#[test]
fn config_prints_what_is_in_force_and_from_where() {
    let home = home_set(
        r#"
homes = ["~/.claude", "/mnt/laptop/.claude"]
refresh = true

[display]
color = "always"
pager = "less -S"
width = 90
time_zone = "utc"

[[prices."my-model"]]
input = 1
output = 5

[[prices."my-model"]]
from = 2026-06-01
input = 2
output = 10
cache_read = 0.05

[[redact]]
name = "ticket"
pattern = "\\bABC-\\d+\\b"
"#,
    );
    let variables = [("NO_COLOR", "1"), ("UNSPOOL_INDEX", "/var/cache/mine")];
    let ran = run_with(&home, &variables, &["config", "--no-refresh"]);
    assert_eq!(ran.err, "");
    insta::assert_snapshot!(ran.ok());
}

#[test]
fn config_json_is_one_object_with_a_source_for_everything() {
    let home = home_set(
        "[display]\nwidth = 90\n[prices.x]\ninput = 1\noutput = 2\n\
         [[redact]]\nname = 't'\npattern = 'T-\\d'\n",
    );
    let config = run_with(&home, &[("PAGER", "more")], &["config", "--json", "--demo"]).json();
    let file = file_of(&home).display().to_string();
    assert_eq!(config["schema"], 1);
    assert_eq!(config["file"], json!({"path": file, "exists": true}));
    let from_file = |line: u32| ("file".to_owned(), json!(format!("{file}:{line}")));
    let given = |name: &str| {
        let (value, source, origin) = setting(&config, name);
        (value, (source, origin))
    };
    let by_default = || ("default".to_owned(), Value::Null);
    assert_eq!(given("homes"), (Value::Null, ("flag".to_owned(), json!("--demo"))));
    assert_eq!(given("refresh"), (json!(true), by_default()));
    assert_eq!(given("display.color"), (json!("auto"), by_default()));
    assert_eq!(given("display.pager"), (json!("more"), ("environment".to_owned(), json!("PAGER"))));
    assert_eq!(given("display.width"), (json!(90), from_file(2)));
    assert_eq!(given("display.time_zone"), (json!("local"), by_default()));
    let price = json!({
        "input": 1.0, "output": 2.0, "cache_write_5m": 1.25, "cache_write_1h": 2.0,
        "cache_read": 0.1, "from": null,
    });
    assert_eq!(given("prices.\"x\""), (price, from_file(3)));
    assert_eq!(given("redact.\"t\""), (json!(r"T-\d"), from_file(6)));
    let index = home.user_home().join(".cache/unspool");
    assert_eq!(given("index"), (json!(index), by_default()));
}

#[test]
fn standard_folders_may_be_elsewhere() {
    let home = TestHome::new();
    let (config, cache) = (home.user_home().join("c"), home.user_home().join("k"));
    fs::create_dir_all(config.join("unspool")).expect("a folder can be made");
    fs::write(config.join("unspool/config.toml"), "refresh = false").expect("writes");
    let folders = [
        ("XDG_CONFIG_HOME", config.to_str().expect("UTF-8")),
        ("XDG_CACHE_HOME", cache.to_str().expect("UTF-8")),
    ];
    let told = run_with(&home, &folders, &["config", "--json"]).json();
    assert_eq!(setting(&told, "refresh").1, "file");
    assert_eq!(setting(&told, "index").0, json!(cache.join("unspool")));
    let path = run_with(&home, &folders, &["config", "--path"]).ok();
    assert_eq!(path.trim_end(), config.join("unspool/config.toml").to_str().expect("UTF-8"));
}

#[test]
fn the_example_is_a_file_of_settings_that_changes_nothing() {
    let bare = TestHome::new();
    let example = run(&bare, &["config", "--example"]).ok();
    let home = home_set(&example);
    let told = run(&home, &["config", "--json"]).json();
    let settings = told["settings"].as_array().expect("settings");
    assert!(settings.iter().all(|setting| setting["source"] == "default"));
}

#[test]
fn homes_of_the_file_are_read_unless_something_comes_before() {
    let home = home_set("homes = [\"~/other\"]");
    let other = home.user_home().join("other/projects/-srv-demo");
    fs::create_dir_all(&other).expect("a folder can be made");
    fs::write(other.join(format!("{SESSION}.jsonl")), unspool_testkit::session(ONE))
        .expect("writes");
    let listed = |variables: &[(&str, &str)], args: &[&str]| {
        run_with(&home, variables, &[args, &["list", "--json"]].concat()).lines().len()
    };
    let empty = home.path().to_str().expect("UTF-8");
    assert_eq!(listed(&[], &[]), 1);
    assert_eq!(listed(&[("CLAUDE_CONFIG_DIR", empty)], &[]), 0);
    assert_eq!(listed(&[], &["--home", empty]), 0);
}

#[test]
fn colours_of_the_file_are_those_of_the_page_unless_a_variable_says_else() {
    let home = home_set("[display]\ncolor = \"always\"\n");
    let coloured = |variables: &[(&str, &str)]| {
        run_with(&home, variables, &["--demo", "list"]).ok().contains('\x1b')
    };
    assert!(coloured(&[]));
    assert!(!coloured(&[("NO_COLOR", "1")]));
}

#[test]
fn width_and_time_zone_of_the_file_are_those_of_the_page() {
    let home = home_set("[display]\nwidth = 60\ntime_zone = \"Asia/Tokyo\"\n");
    let widest = |variables: &[(&str, &str)]| {
        let out = run_with(&home, variables, &["--demo", "list"]).ok();
        out.lines().map(|line| line.chars().count()).max()
    };
    assert!(widest(&[]) <= Some(60));
    assert!(widest(&[("COLUMNS", "90")]) > Some(60), "COLUMNS comes first");
    // 08:28 in UTC.
    let first = |variables: &[(&str, &str)]| run_with(&home, variables, &["--demo", "list"]).ok();
    assert!(first(&[]).contains("11-09 17:28"));
    assert!(first(&[("TZ", "UTC")]).contains("11-09 08:28"));
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let home = home_set("home = 1\n[display]\ncolor = \"blue\"\nwidth = \"wide\"\n");
    insta::assert_snapshot!(complaint(&home, 2));
}

#[test]
fn what_is_no_file_and_what_the_system_does_not_open_cannot_be_read() {
    let home = home_set("");
    fs::remove_file(file_of(&home)).expect("removes");
    // A link to itself, because permissions do not restrict every user.
    std::os::unix::fs::symlink("config.toml", file_of(&home)).expect("links");
    let words = "cannot read the settings in ~/.config/unspool/config.toml";
    let said = complaint(&home, 3);
    assert!(said.contains(words), "{said}");
    fs::remove_file(file_of(&home)).expect("removes");
    fs::create_dir(file_of(&home)).expect("a folder can be made");
    let said = complaint(&home, 3);
    assert!(said.contains(words), "{said}");
}

#[test]
fn a_file_that_is_named_must_be_there() {
    let home = home_set("refresh = 1");
    let other = home.user_home().join("mine.toml");
    let named = [("UNSPOOL_CONFIG", "mine.toml")];
    let ran = run_with(&home, &named, &["--demo", "list"]).says(2, &[]);
    assert_eq!(ran.err, "error: there is no ~/mine.toml, which UNSPOOL_CONFIG names\n");
    fs::write(&other, "refresh = false").expect("writes");
    let told = run_with(&home, &named, &["config", "--json"]).json();
    assert_eq!(setting(&told, "refresh").2, json!(format!("{}:1", other.display())));
}

#[test]
fn help_version_path_and_example_work_with_a_broken_file() {
    let home = home_set("this is not TOML");
    for args in [
        &["--help"][..],
        &["--version"],
        &["config", "--path"],
        &["config", "--example"],
        &["help", "list"],
    ] {
        let ran = run(&home, args);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{args:?}");
        assert!(!ran.out.is_empty());
    }
    assert_eq!(run(&home, &["config"]).code, Some(2));
    assert_eq!(run(&home, &["config", "--json"]).out, "");
}

#[test]
fn hostile_names_and_values_do_nothing_to_the_terminal() {
    let home = home_set(
        "\"\\u001b[31m\\nerror: x\" = 1\nindex = 7\n[display]\ncolor = \"\\u001b]0;x\\u0007\"\n",
    );
    let said = complaint(&home, 2);
    assert!(!said.contains(|c: char| c.is_control() && c != '\n'), "{said:?}");
    assert_eq!(said.lines().count(), 3, "{said}");
    let home = home_set("[prices.\"\\u001b[31m\"]\ninput = 1\noutput = 1\n");
    let told = run(&home, &["config"]).ok();
    assert!(!told.contains('\x1b'), "{told:?}");
}
