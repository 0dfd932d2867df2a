//! The command line of `unspool serve`.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use unspool_testkit::TestHome;
use unspool_testkit::http::{self, HttpAnswer, ListeningProgram};

use crate::run::{home_with, run, run_bare, unspool};

fn serve(home: &TestHome, args: &[&str]) -> ListeningProgram {
    let mut command = unspool(home);
    ListeningProgram::start(command.args(["serve", "--port", "0"]).args(args))
}

fn get(served: &ListeningProgram, way: &str, headers: &str) -> HttpAnswer {
    http::ask(&served.address, "GET", way, headers, "").expect("an answer")
}

#[test]
fn it_says_where_it_listens_and_ends_when_asked() {
    for signal in ["-INT", "-TERM"] {
        let home = TestHome::new();
        let mut served = serve(&home, &["--demo", "--no-token"]);
        assert_eq!(get(&served, "/", "").status, 200);
        assert_eq!(get(&served, "/api/status", "").status, 200);
        assert!(served.said.contains("may look"), "{}", served.said);
        let pid = served.child.id().to_string();
        let sent = Command::new("kill").args([signal, &pid]).status();
        assert!(sent.expect("kill").success());
        let status = served.child.wait().expect("an end");
        assert_eq!(status.code(), Some(0), "{signal}");
    }
}

#[test]
fn a_link_lets_in_and_the_token_is_kept() {
    let home = home_with("u1 user \"hello\"\na1 assistant \"hi\"");
    let root = home.path().display().to_string();
    let served = serve(&home, &["--home", &root]);
    assert_eq!(get(&served, "/", "").status, 401);
    let link = served.said.strip_prefix("open http://").expect("a link");
    let link = link.split(' ').next().expect("a link");
    let way = link.strip_prefix(&served.address).expect("a way");
    assert_eq!(get(&served, way, "").status, 303);
    assert_eq!(get(&served, way, "").status, 401);
    // Another process creates a link to the running server.
    let another = run(&home, &["serve", "--link"]).says(0, &[]);
    let link = another.err.split("open http://").nth(1).expect("a link");
    let link = link.split(' ').next().expect("a link");
    let way = link.strip_prefix(&served.address).expect("a way");
    assert_eq!(get(&served, way, "").status, 303);
    let token = fs::read_to_string(home.state().join("read.token")).expect("a token");
    let header = format!("authorization: Bearer {token}\r\n");
    assert_eq!(get(&served, "/", &header).status, 200);
}

#[test]
fn a_network_needs_a_token() {
    let home = TestHome::new();
    run_bare(&home, &["serve", "--bind", "0.0.0.0", "--no-token", "--demo"])
        .says(2, &["--no-token"]);
}

#[test]
fn a_port_that_is_taken_is_an_error_if_it_was_asked_for() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let home = TestHome::new();
    run_bare(&home, &["serve", "--demo", "--port", &port]).says(3, &[&port]);
}

#[test]
fn a_folder_for_state_that_others_can_open_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = TestHome::new();
    let state = home.state();
    fs::create_dir_all(&state).expect("a folder");
    fs::set_permissions(&state, fs::Permissions::from_mode(0o755)).expect("permissions");
    run(&home, &["serve", "--port", "0"]).says(3, &["chmod 700"]);
}

#[test]
fn the_api_says_what_the_commands_say() {
    let home = TestHome::new();
    home.copy_from(&Path::new(env!("CARGO_MANIFEST_DIR")).join("demo/home"));
    home.age();
    let served = serve(&home, &["--no-token"]);
    let rows = run(&home, &["list", "--json", "--limit", "1000"]).lines();
    let page = get(&served, "/api/sessions?limit=1000", "").json();
    let listed = page["sessions"].as_array().expect("a list");
    assert!(rows.len() > 5);
    for row in &rows {
        let same = |other: &&Value| other["id"] == row["id"] && other["file"] == row["file"];
        let told = listed.iter().find(same).expect("the same session");
        assert_eq!(told, row);
        let id = row["id"].as_str().expect("an id");
        let of = |way: &str| get(&served, &format!("/api/sessions/{id}/{way}"), "").json();
        assert_eq!(of("transcript.json"), run(&home, &["show", id, "--json"]).json());
        assert_eq!(of("tree"), run(&home, &["tree", id, "--json"]).json());
        for (way, flag) in
            [("timeline", "--timeline"), ("context", "--context-series"), ("files", "--changes")]
        {
            let shown = run(&home, &["show", id, flag, "--json"]).json();
            assert_eq!(of(way), shown, "{id} {way}");
        }
    }
    let sums = run(&home, &["stats", "--json", "--by", "model"]).json();
    assert_eq!(get(&served, "/api/stats?by=model", "").json(), sums);
}
