//! Operations of driving, tried as the document describes them: on a server that only reads, and on
//! one that drives, with valid, invalid and hostile bodies.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use unspool_drive::{
    ClientProgram, Drive, DriveSettings, HostCommand, RunLimits, SystemDriveClock,
};
use unspool_server::{ClientLocation, DriveSetup};
use unspool_store::home::ClientHomes;

use super::described::{Described, DescribedOperation};
use super::world::World;
use unspool_testkit::http::{self, HttpAnswer};

use crate::harness::{TOKEN, TestServer};

/// Values for the names in paths.
const PARTS: [&str; 6] = [
    "11111111-1111-4111-8111-111111111111",
    "nonsense",
    "..%2f..%2fetc%2fpasswd",
    "%00",
    "%3Cscript%3E",
    "-",
];

/// Returns bodies, none of which starts a run.
fn bodies() -> Vec<String> {
    let id = PARTS[0];
    let mut bodies: Vec<String> = [
        json!({}),
        json!([]),
        json!({ "id": id }),
        json!({ "id": id, "cwd": "/nowhere/at/all" }),
        json!({ "id": "../x", "cwd": "/etc", "prompt": "x" }),
        json!({ "id": id, "cwd": "/etc", "permission_mode": "bypassPermissions" }),
        json!({ "id": id, "cwd": "/etc", "permission_mode": "nonsense" }),
        json!({ "id": id, "text": "x", "seen": "nonsense" }),
        json!({ "decision": "allow", "suggestions": [99] }),
        json!({ "decision": "perhaps" }),
        json!({ "idle": -1 }),
        json!({ "idle": null, "waiting": 5 }),
        json!({ "order": ["x"] }),
        json!({ "cwd": "/etc", "print": "x" }),
    ]
    .iter()
    .map(Value::to_string)
    .collect();
    bodies.extend(["", "{", "null", "\"x\"", "\0\u{1}"].map(str::to_owned));
    bodies.push("[".repeat(100_000));
    bodies
}

fn ask(server: &TestServer, operation: &DescribedOperation, way: &str, body: &str) -> HttpAnswer {
    let headers = format!("authorization: Bearer {TOKEN}\r\nx-unspool: 1\r\n");
    let address = server.address().to_string();
    http::ask(&address, &operation.method, way, &headers, body).expect("a connection")
}

/// Returns the addresses of an operation, with values for the names in its path.
fn ways(operation: &DescribedOperation) -> Vec<String> {
    let filled = |value: &str| {
        let names = ["run", "prompt", "approval"].iter();
        let way = names
            .fold(operation.path.clone(), |way, name| way.replace(&format!("{{{name}}}"), value));
        let needed = operation.in_query().any(|found| found["required"] == true);
        if needed { format!("{way}?cwd={value}") } else { way }
    };
    PARTS.iter().map(|value| filled(value)).collect()
}

fn driving(state: PathBuf) -> DriveSetup {
    let drive = Drive::open(DriveSettings {
        sockets: state.join("sockets"),
        home: state.join("home"),
        client_homes: ClientHomes::default(),
        client: ClientProgram { path: state.join("no-client"), arguments: Vec::new() },
        host: HostCommand { program: state.join("no-host"), arguments: Vec::new() },
        may_bypass: false,
        limits: RunLimits::default(),
        clock: Arc::new(SystemDriveClock),
        state,
    });
    DriveSetup {
        drive: Arc::new(drive.expect("a folder for state")),
        on_start: Box::new(|_| {}),
        find_client: Box::new(|| ClientLocation {
            program: "no-client".to_owned(),
            path: Some("/bin/true".into()),
        }),
    }
}

#[test]
fn a_server_that_reads_refuses_all_of_them() {
    let world = World::new();
    let described = Described::of(&world);
    for operation in described.all_operations() {
        for way in ways(&operation).iter().filter(|_| operation.drives()) {
            let answer = ask(&world.server, &operation, way, "{}");
            described.check(&operation, way, &answer);
            assert!(matches!(answer.status, 400 | 403 | 404), "{way}: {}", answer.body);
        }
    }
}

#[test]
fn a_server_that_drives_answers_as_described() {
    let world = World::new();
    let described = Described::of(&world);
    let folder = tempfile::tempdir().expect("a folder");
    let state = folder.path().join("state");
    unspool_store::files::private::make_private(&state).expect("a folder");
    let home = unspool_testkit::TestHome::new();
    let server = TestServer::with(home, |settings| settings.drive = Some(driving(state)));
    let mut tried = 0;
    for operation in described.all_operations() {
        if !operation.drives() {
            continue;
        }
        for way in ways(&operation) {
            for body in bodies() {
                let body = if operation.method == "GET" { "" } else { &body };
                let answer = ask(&server, &operation, &way, body);
                described.check(&operation, &way, &answer);
                tried += 1;
            }
        }
    }
    assert!(tried > 1_000, "{tried}");
    assert_eq!(server.get("/api/runs").json()["runs"], json!([]));
}
