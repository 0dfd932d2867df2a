//! A server that drives: `unspool serve --drive` with a client, over HTTP.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::live::word;
use super::stage::{ClientStage, run};
use super::{Scenario, ScenarioReport};
use crate::client::new_uuid;

/// The token that the server is started with.
const TOKEN: &str = "a-token-of-a-scenario";
/// How long something may take; only a failure takes that long.
const PATIENCE: Duration = Duration::from_mins(1);

/// A run through a server. It needs the program `unspool`, so it is not among
/// [`super::SCENARIOS`].
pub const SERVED: Scenario = Scenario {
    name: "served",
    about: "a server starts the client, allows a call, queues two prompts, interrupts and stops",
    act: served,
};

fn served(stage: &ClientStage, report: &mut ScenarioReport) {
    let server = DrivingServer::start(stage);
    let started = server.ask(
        "POST",
        "/api/runs",
        &json!({
            "id": new_uuid(), "cwd": stage.cwd().display().to_string(), "prompt": run("once"),
        }),
    );
    let id = word(&started["run"]);
    report.check("the run", [(!id.is_empty()).to_string()], ["true"]);
    let asked = server.allow_next();
    report.check(
        "asked",
        [word(&asked["tool"]), word(&asked["kind"])],
        ["Bash", "tool"],
    );
    server.until_idle(&id);
    report.check("ran once", [stage.runs("once").to_string()], ["1"]);
    queue(stage, &server, &id, report);
    interrupt(&server, &id, report);
    server.ask(
        "POST",
        &format!("/api/runs/{id}/stop"),
        &json!({ "id": new_uuid() }),
    );
    let over = server.until(&id, "the end", |run| !run["ended"].is_null());
    report.check("the end", [word(&over["ended"]["how"])], ["stopped"]);
    let session = word(&over["session"]);
    report.check("calls", stage.calls(&session), ["done", "done"]);
    let prompts = stage.brief_log(&session).into_iter();
    let prompts = prompts.filter(|line| line.starts_with("U ") && line.contains("[["));
    report.check(
        "prompts in the log",
        prompts,
        [
            format!("U {}", run("once")),
            format!("U {}", run("slow")),
            "U [[say: one]]".to_owned(),
            "U [[say: two]]".to_owned(),
            "U [[silence]]".to_owned(),
        ],
    );
}

/// Two prompts wait while a call waits for its answer, and are sent in their order.
fn queue(
    stage: &ClientStage,
    server: &DrivingServer<'_>,
    run_id: &str,
    report: &mut ScenarioReport,
) {
    let put = |text: &str| {
        let way = format!("/api/runs/{run_id}/prompts");
        server.ask("POST", &way, &json!({ "id": new_uuid(), "text": text }))
    };
    put(&run("slow"));
    server.approval();
    let states = [put("[[say: one]]"), put("[[say: two]]")].map(|told| word(&told["state"]));
    report.check("two that wait", states, ["queued", "queued"]);
    let queued = server.run(run_id);
    let texts = queued["queue"].as_array().into_iter().flatten();
    let texts = texts.filter(|prompt| prompt["state"] == "queued");
    let texts = texts.map(|prompt| word(&prompt["text"]));
    report.check("the queue", texts, ["[[say: one]]", "[[say: two]]"]);
    server.allow_next();
    server.until_idle(run_id);
    report.check("ran the slow one", [stage.runs("slow").to_string()], ["1"]);
}

fn interrupt(server: &DrivingServer<'_>, run_id: &str, report: &mut ScenarioReport) {
    let way = format!("/api/runs/{run_id}/prompts");
    server.ask(
        "POST",
        &way,
        &json!({ "id": new_uuid(), "text": "[[silence]]" }),
    );
    let is_taken_up = |run: &Value| run["queue"][0]["state"] == "taken_up";
    server.until(run_id, "the prompt that says nothing", is_taken_up);
    let way = format!("/api/runs/{run_id}/interrupt");
    server.ask("POST", &way, &json!({ "id": new_uuid() }));
    let idle = server.until_idle(run_id);
    report.check("after the interrupt", [word(&idle["state"])], ["idle"]);
    report.check("no failure", [idle["last_failure"].to_string()], ["null"]);
}

/// A server that drives the client of a stage.
struct DrivingServer<'s> {
    stage: &'s ClientStage,
    program: PathBuf,
    child: Child,
    address: String,
}

impl<'s> DrivingServer<'s> {
    /// Trusts the folder of the stage, and starts a server.
    fn start(stage: &'s ClientStage) -> Self {
        let program = stage
            .reader()
            .expect("the scenario needs the program `unspool`");
        let program = program.to_owned();
        let folder = stage.cwd().display().to_string();
        let trusted = command(stage, &program, &["drive", "trust", "--yes", &folder]).output();
        let trusted = trusted.expect("unspool starts");
        let said = String::from_utf8_lossy(&trusted.stderr);
        assert!(
            trusted.status.success(),
            "the folder is not trusted: {said}"
        );
        let mut child = command(stage, &program, &["serve", "--drive", "--port", "0"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("unspool starts");
        let lines = BufReader::new(child.stderr.take().expect("standard error")).lines();
        let mut lines = lines.map(|line| line.expect("text"));
        let address = lines.find_map(|line| {
            let address = line.strip_prefix("listening on http://")?;
            Some(address.trim_end_matches('/').to_owned())
        });
        // What it says later must find a reader.
        thread::spawn(move || lines.for_each(drop));
        Self {
            stage,
            program,
            child,
            address: address.expect("a server that listens"),
        }
    }

    fn try_ask(&self, method: &str, way: &str, body: &str) -> io::Result<String> {
        let mut stream = TcpStream::connect(&self.address)?;
        write!(
            stream,
            "{method} {way} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\nx-unspool: 1\r\n\
             authorization: Bearer {TOKEN}\r\ncontent-length: {}\r\n\r\n{body}",
            self.address,
            body.len(),
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    }

    /// Asks for something that must be done.
    fn ask(&self, method: &str, way: &str, body: &Value) -> Value {
        let body = if method == "GET" {
            String::new()
        } else {
            body.to_string()
        };
        let answer = self.try_ask(method, way, &body).expect("an answer");
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
        let is_good = head.starts_with("HTTP/1.1 2");
        assert!(is_good, "{method} {way}: {head}\n{body}");
        serde_json::from_str(body).expect("JSON")
    }

    fn run(&self, id: &str) -> Value {
        self.ask("GET", &format!("/api/runs/{id}"), &Value::Null)
    }

    /// Waits until a run is as it should be.
    fn until(&self, id: &str, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            let run = self.run(id);
            if is_so(&run) {
                return run;
            }
            assert!(Instant::now() < end, "{what} did not come: {run}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until a run has nothing to do.
    fn until_idle(&self, id: &str) -> Value {
        let is_idle = |run: &Value| run["state"] == "idle" && run["queue"] == json!([]);
        self.until(id, "an idle client", is_idle)
    }

    /// Waits for something that waits for a person.
    fn approval(&self) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            let open = self.ask("GET", "/api/approvals", &Value::Null);
            if let Some(first) = open["approvals"].as_array().and_then(|open| open.first()) {
                return first.clone();
            }
            assert!(Instant::now() < end, "nothing was asked");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Allows what is asked next.
    fn allow_next(&self) -> Value {
        let asked = self.approval();
        let way = format!("/api/approvals/{}", word(&asked["id"]));
        self.ask("POST", &way, &json!({ "decision": "allow" }));
        asked
    }
}

impl Drop for DrivingServer<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // Hosts outlive the server.
        let listed = command(self.stage, &self.program, &["drive", "list", "--json"]).output();
        let listed = listed.map(|listed| listed.stdout).unwrap_or_default();
        for line in String::from_utf8_lossy(&listed).lines() {
            let run: Value = serde_json::from_str(line).unwrap_or_default();
            let stop = ["drive", "stop", &word(&run["run"])];
            let _ = command(self.stage, &self.program, &stop).output();
        }
    }
}

/// Returns how `unspool` is started for the home and the client of a stage.
fn command(stage: &ClientStage, program: &PathBuf, args: &[&str]) -> Command {
    let mut command = stage.home().command(program);
    command
        .envs(stage.environment())
        .env("UNSPOOL_CLAUDE", stage.program())
        .env("UNSPOOL_TOKEN", TOKEN)
        .args(args);
    command
}
