//! Every operation of the document, with valid, invalid and hostile parameters.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::Value;

use super::described::{Described, DescribedOperation};
use super::world::{Known, World};
use unspool_testkit::http::HttpAnswer;

use crate::harness::TOKEN;

/// Things that a request can name.
struct Samples {
    known: Known,
    /// A session whose agent has its own file, and that agent.
    agent: (Known, String),
    /// A session with two paths.
    forked: Known,
}

impl Samples {
    fn of(world: &World) -> Self {
        let known = world.richest();
        let rows = world.sessions();
        let with_file = rows.iter().find_map(|row| {
            let of = format!("/api/sessions/{}/agents", row["id"].as_str()?);
            let agents = world.json(&of)["agents"].clone();
            let agents = agents.as_array()?.iter();
            let in_file = |agent: &&Value| agent["file"] != row["file"];
            let agent = agents.clone().find(in_file)?["id"].as_str()?.to_owned();
            Some((world.known(row), agent))
        });
        let mut all = rows.iter().map(|row| world.known(row));
        Self {
            known,
            agent: with_file.expect("an agent with a file"),
            forked: all.find(|known| known.paths > 1).expect("two paths"),
        }
    }

    /// Returns a value for a name in the path.
    fn part(&self, operation: &DescribedOperation, name: &str) -> String {
        let known = match operation.id.as_str() {
            "getAgentSession" => &self.agent.0,
            "comparePaths" => &self.forked,
            _ => &self.known,
        };
        match name {
            "id" => known.id.clone(),
            "project" => known.project.clone(),
            "agentId" => format!("agent-{}", self.agent.1),
            "uuid" => known.entries[0].clone(),
            _ => panic!("{name} is new"),
        }
    }

    /// Returns the address of an operation; `part` replaces one value in the path, `query` are parameters.
    fn way(
        &self,
        operation: &DescribedOperation,
        part: Option<(&str, &str)>,
        query: &[(&str, &str)],
    ) -> String {
        let mut way = operation.path.clone();
        for parameter in operation.parameters.iter().filter(|p| p["in"] == "path") {
            let name = parameter["name"].as_str().expect("a name");
            let value = match part {
                Some((changed, value)) if changed == name => value.to_owned(),
                _ => self.part(operation, name),
            };
            way = way.replace(&format!("{{{name}}}"), &encoded(&value));
        }
        let mut query = query.to_vec();
        for parameter in operation.in_query() {
            let name = parameter["name"].as_str().expect("a name");
            let is_given = query.iter().any(|(given, _)| *given == name);
            if parameter["required"] == true && !is_given {
                query.push((name, needed(name)));
            }
        }
        let pairs = query.iter();
        let pairs: Vec<String> =
            pairs.map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        if pairs.is_empty() { way } else { format!("{way}?{}", pairs.join("&")) }
    }

    /// Returns valid values of a parameter.
    fn right(&self, operation: &DescribedOperation, parameter: &Value) -> Vec<String> {
        let schema = &parameter["schema"];
        let one = match schema["type"].as_str() {
            Some("array") => &schema["items"],
            _ => schema,
        };
        let name = parameter["name"].as_str().expect("a name");
        match one["type"].as_str().expect("a type") {
            "boolean" => vec!["true".to_owned(), "false".to_owned()],
            "integer" if ["a", "b"].contains(&name) => vec![needed(name).to_owned()],
            "integer" if name == "path" => vec!["1".to_owned()],
            "integer" => {
                let bounds = ["minimum", "maximum", "default"].map(|name| &one[name]);
                let numbers = bounds.iter().filter_map(|bound| bound.as_u64());
                numbers.map(|number| number.to_string()).collect()
            }
            "string" if one["enum"].is_array() => {
                let names = one["enum"].as_array().into_iter().flatten();
                let names: Vec<String> =
                    names.filter_map(|name| Some(name.as_str()?.to_owned())).collect();
                if parameter["explode"] == false {
                    vec![names[..2].join(","), names[0].clone()]
                } else {
                    names
                }
            }
            _ => self.right_text(operation, name),
        }
    }

    fn right_text(&self, operation: &DescribedOperation, name: &str) -> Vec<String> {
        let known = &self.known;
        let texts: &[&str] = match name {
            "project" if operation.id == "comparePaths" => &[&self.forked.project],
            "project" if operation.path.contains("{id}") || operation.id == "check" => {
                &[&known.project]
            }
            "project" => &[&known.project, "notes", "~", "*site*"],
            "since" => &["3650d", "2020-01-01", "yesterday"],
            "until" => &["today", "2099-01-01"],
            "branch" => &["main", "ma*"],
            "model" => &["opus", "*"],
            "tool" => &["Bash", "*"],
            "file" => &["main.rs", "*.md"],
            "min_size" => &["1k", "0"],
            "zone" => &["Europe/Berlin", "UTC"],
            "q" => &["the", "\"a phrase\"", "role:user is:active", "fo*"],
            "before" | "after" => &[&known.entries[0]],
            // Most agents have one path.
            "agent" if operation.id == "comparePaths" => &[],
            "agent" => &[&known.agents[0]],
            "session" if operation.id == "getAgentSession" => &[&self.agent.0.id],
            "session" => &[&known.id],
            // A cursor belongs to one page; see the tests of paging.
            "cursor" => &[],
            _ => panic!("{name} of {} is new", operation.id),
        };
        let texts = match (operation.is_stream(), name) {
            (true, "since") => &["start"],
            _ => texts,
        };
        texts.iter().map(|&text| text.to_owned()).collect()
    }
}

/// Returns a value of a required parameter.
fn needed(name: &str) -> &'static str {
    match name {
        "q" => "the",
        "a" => "1",
        "b" => "2",
        _ => panic!("{name} is new"),
    }
}

/// Returns invalid values of a parameter.
fn wrong(parameter: &Value) -> Vec<String> {
    let schema = &parameter["schema"];
    let one = match schema["type"].as_str() {
        Some("array") => &schema["items"],
        _ => schema,
    };
    let texts: &[&str] = match one["type"].as_str().expect("a type") {
        "boolean" => &["maybe", "2"],
        "integer" => &["x", "-1", "1.5", "99999999999999999999", "0x10"],
        "string" if one["enum"].is_array() => &["nonsense", "MARK", "a,b"],
        _ => match parameter["name"].as_str().expect("a name") {
            "since" | "until" => &["soon", "2026-99-99"],
            "min_size" => &["large", "-1"],
            "zone" => &["Nowhere/Land", "../../etc/localtime", "/etc/passwd"],
            "cursor" => &["nonsense", "c.", "l.1.x.y", "h.-1", "h.999999999"],
            _ => &[],
        },
    };
    texts.iter().map(|&text| text.to_owned()).collect()
}

/// Returns texts that should do nothing.
fn hostile(world: &World) -> Vec<String> {
    let outside = world.server.home.user_home().join("secret.txt");
    let mut texts = vec![
        outside.display().to_string(),
        "x".repeat(3_000),
        format!("{}.jsonl", outside.display()),
    ];
    let fixed = [
        "../secret.txt",
        "../../../../../../etc/passwd",
        "%2e%2e%2fsecret.txt",
        "..\\..\\secret.txt",
        "....//....//etc/passwd",
        "a\0b",
        "\0",
        "'\";-- DROP TABLE sessions",
        "<script>alert(1)</script>",
        "\r\nX-Injected: 1",
        "\u{202e}\u{0}\u{feff}\u{1f600}e\u{301}\u{ffff}",
        "@",
        "@2",
        "~/secret.txt",
        "*",
        "[a-z]{1000000}",
        "(((((((((((",
        "line:1",
        "byte:-1",
        "{{7*7}}${jndi:x}%s%n",
    ];
    texts.extend(fixed.map(str::to_owned));
    texts
}

/// Encodes a value as a part of an address.
fn encoded(value: &str) -> String {
    let value: String = form_urlencoded::byte_serialize(value.as_bytes()).collect();
    value.replace('+', "%20")
}

/// Sends a request; of a stream, only the beginning is read.
fn ask(world: &World, operation: &DescribedOperation, way: &str) -> HttpAnswer {
    if !operation.is_stream() {
        return world.server.get(way);
    }
    let address = world.server.address();
    let mut stream = TcpStream::connect(address).expect("a connection");
    let head = format!(
        "GET {way} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {TOKEN}\r\n\
         connection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).expect("a request");
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let count = stream.read(&mut piece).expect("an answer");
        bytes.extend_from_slice(&piece[..count]);
        let text = String::from_utf8_lossy(&bytes);
        if count == 0 || text.contains("text/event-stream") && text.contains("\r\n\r\n") {
            return HttpAnswer::parse(&bytes);
        }
    }
}

#[test]
fn every_operation_answers_as_described() {
    let world = World::new();
    let described = Described::of(&world);
    let samples = Samples::of(&world);
    assert!(described.operations().len() > 15);
    for operation in described.operations() {
        let way = samples.way(&operation, None, &[]);
        let answer = ask(&world, &operation, &way);
        assert_eq!(answer.status, 200, "{way}: {}", answer.body);
        described.check(&operation, &way, &answer);
        for parameter in operation.in_query() {
            let name = parameter["name"].as_str().expect("a name");
            for value in samples.right(&operation, parameter) {
                let way = samples.way(&operation, None, &[(name, &value)]);
                let answer = ask(&world, &operation, &way);
                assert_eq!(answer.status, 200, "{way}: {}", answer.body);
                described.check(&operation, &way, &answer);
            }
        }
    }
}

#[test]
fn every_session_is_answered_as_described() {
    let world = World::new();
    let described = Described::of(&world);
    let operations = described.operations().into_iter();
    let of_session = |operation: &DescribedOperation| {
        operation.path.contains("{id}")
            && !operation.path.contains("{uuid}")
            && !operation.is_stream()
    };
    let operations: Vec<DescribedOperation> = operations.filter(of_session).collect();
    let rows = world.sessions();
    assert!(rows.len() > 15);
    for row in rows {
        let samples = world.known(&row);
        for operation in &operations {
            let way = operation.path.replace("{id}", &samples.id);
            let mut way = format!("{way}?project={}", encoded(&samples.project));
            let is_needed = |found: &&Value| found["required"] == true;
            for parameter in operation.in_query().filter(is_needed) {
                let name = parameter["name"].as_str().expect("a name");
                way.extend(["&", name, "=", needed(name)]);
            }
            let answer = world.server.get(&way);
            described.check(operation, &way, &answer);
            let has_paths = samples.paths > 1 || operation.id != "comparePaths";
            let expected = if has_paths { 200 } else { 404 };
            assert_eq!(answer.status, expected, "{way}: {}", answer.body);
        }
    }
}

#[test]
fn what_is_wrong_with_a_parameter_is_told() {
    let world = World::new();
    let described = Described::of(&world);
    let samples = Samples::of(&world);
    for operation in described.operations() {
        let refuse = |query: &[(&str, &str)]| {
            let way = samples.way(&operation, None, query);
            let answer = ask(&world, &operation, &way);
            assert_eq!(answer.status, 400, "{way}: {}", answer.body);
            described.check(&operation, &way, &answer);
            assert_eq!(answer.json()["type"], "bad-parameter", "{way}");
        };
        refuse(&[("nonsense", "1")]);
        for parameter in operation.in_query() {
            let name = parameter["name"].as_str().expect("a name");
            let is_event_id = operation.is_stream() && name == "since";
            for value in wrong(parameter).iter().filter(|_| !is_event_id) {
                refuse(&[(name, value)]);
            }
            if parameter["schema"]["type"] != "array" || parameter["explode"] == false {
                let value = samples.right(&operation, parameter);
                let value = value.first().map_or("1", String::as_str);
                refuse(&[(name, value), (name, value)]);
            }
        }
    }
}

#[test]
fn hostile_texts_lead_nowhere() {
    let world = World::new();
    let described = Described::of(&world);
    let samples = Samples::of(&world);
    for operation in described.operations() {
        for parameter in &operation.parameters {
            let name = parameter["name"].as_str().expect("a name");
            for value in hostile(&world) {
                let way = if parameter["in"] == "path" {
                    samples.way(&operation, Some((name, &value)), &[])
                } else {
                    samples.way(&operation, None, &[(name, &value)])
                };
                let answer = ask(&world, &operation, &way);
                described.check(&operation, &way, &answer);
                assert_eq!(answer.header("x-injected"), None, "{way}");
                if parameter["in"] == "path" && value != "*" {
                    let is_line = name == "uuid" && value == "line:1";
                    assert!(answer.status >= 400 || is_line, "{way}: {}", answer.body);
                }
            }
        }
    }
    assert_eq!(world.server.get("/api/status").status, 200);
}

#[test]
fn an_address_that_is_not_text_is_a_problem() {
    let world = World::new();
    for way in [
        "/api/sessions/%ff%fe",
        "/api/sessions/%",
        "/api/projects/%c3%28/sessions",
        "/api/sessions/..%2f..%2fetc%2fpasswd",
        "/api/sessions//messages",
        "/api//status",
        "/api/../secret.txt",
    ] {
        let answer = world.server.get(way);
        assert!((400..500).contains(&answer.status), "{way}: {answer:?}");
        let media_type = answer.header("content-type");
        assert_eq!(media_type, Some("application/problem+json"), "{way}");
    }
}
