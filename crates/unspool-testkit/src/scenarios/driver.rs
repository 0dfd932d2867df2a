//! A host for one client: starts it, writes lines, waits for frames by a condition.
//!
//! Waiting ends with the frame or with the client; the limit in time is only there so that a broken
//! client fails a test instead of stopping it, and no outcome depends on it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::new_uuid;
use crate::process;

/// How long a client may be silent. It answers in milliseconds, the real one in a second or two.
const PATIENCE: Duration = Duration::from_mins(1);

/// A client that runs, with what it said.
#[derive(Debug)]
pub struct ClientDriver {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    errors: Option<JoinHandle<String>>,
    /// Every frame so far.
    frames: Vec<Value>,
    /// How many of them were waited for.
    seen: usize,
}

/// How a client ended.
#[derive(Debug)]
pub struct ClientEnd {
    /// Its status.
    pub status: ExitStatus,
    /// Every frame that it wrote.
    pub frames: Vec<Value>,
    /// What it wrote to standard error.
    pub errors: String,
}

impl ClientDriver {
    /// Starts a program in a folder, with arguments that are separated by spaces after the usual ones,
    /// and an environment of nothing but program folders and the variables.
    pub fn start(program: &Path, cwd: &Path, args: &str, variables: &[(&str, String)]) -> Self {
        let mut child = Command::new(program)
            .args(["-p", "--input-format", "stream-json"])
            .args(["--output-format", "stream-json", "--verbose"])
            .args(["--permission-prompt-tool", "stdio"])
            .args(args.split_whitespace())
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .current_dir(cwd)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {}: {error}", program.display()));
        let input = child.stdin.take();
        let output = child.stdout.take().expect("a pipe");
        let mut complaints = child.stderr.take().expect("a pipe");
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut line = Vec::new();
            while output.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
                let line = std::mem::take(&mut line);
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let errors = thread::spawn(move || {
            let mut text = Vec::new();
            let _ = complaints.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        });
        Self { child, input, lines, errors: Some(errors), frames: Vec::new(), seen: 0 }
    }

    /// Returns the id of the process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Returns every frame so far that was waited for or came before one.
    pub fn frames(&self) -> &[Value] {
        &self.frames
    }

    /// Writes bytes as they are.
    pub fn write(&mut self, bytes: &[u8]) {
        // A client that is gone is noticed by what it does not answer.
        if let Some(input) = &mut self.input {
            let _ = input.write_all(bytes).and_then(|()| input.flush());
        }
    }

    /// Writes a frame.
    pub fn send(&mut self, frame: &Value) {
        self.write(format!("{frame}\n").as_bytes());
    }

    /// Sends a prompt with a new uuid, which is returned.
    pub fn prompt(&mut self, text: &str) -> String {
        let uuid = new_uuid();
        self.prompt_as(&uuid, text, &json!({}));
        uuid
    }

    /// Sends a prompt with a uuid and more fields.
    pub fn prompt_as(&mut self, uuid: &str, text: &str, fields: &Value) {
        let mut frame = json!({
            "type": "user", "uuid": uuid, "parent_tool_use_id": null, "session_id": "",
            "message": {"role": "user", "content": [{"type": "text", "text": text}]},
        });
        for (name, value) in fields.as_object().into_iter().flatten() {
            frame[name] = value.clone();
        }
        self.send(&frame);
    }

    /// Sends a request and waits for its answer: the part `response` of the frame.
    pub fn request(&mut self, request: &Value) -> Value {
        let id = new_uuid();
        self.send(&json!({"type": "control_request", "request_id": id, "request": request}));
        let answers = |frame: &Value| {
            frame["type"] == "control_response" && frame["response"]["request_id"] == *id
        };
        let answer = self.wait_for_any(&format!("an answer to {request}"), answers);
        answer["response"].clone()
    }

    /// Answers a request of the client.
    pub fn answer(&mut self, request: &Value, response: &Value) {
        self.send(&json!({
            "type": "control_response",
            "response": {
                "subtype": "success", "request_id": request["request_id"], "response": response,
            },
        }));
    }

    /// Allows what a request asks for.
    pub fn allow(&mut self, request: &Value) {
        let input = &request["request"]["input"];
        self.answer(request, &json!({"behavior": "allow", "updatedInput": input}));
    }

    /// Denies what a request asks for.
    pub fn deny(&mut self, request: &Value, message: &str) {
        self.answer(request, &json!({"behavior": "deny", "message": message}));
    }

    /// Waits for the next frame that fits; frames before it are passed over.
    ///
    /// # Panics
    ///
    /// If the client ends or says nothing for a long time, with what it said.
    pub fn wait(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        self.look(fits).unwrap_or_else(|end| panic!("{what} did not come: {end}; {}", self.said()))
    }

    /// Waits for a frame that fits, unless it came already; nothing is passed over.
    pub fn wait_for_any(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let seen = std::mem::take(&mut self.seen);
        let frame = self.wait(what, fits);
        self.seen = seen;
        frame
    }

    /// Waits for the next frame that fits, or for the end of the client.
    fn look(&mut self, fits: impl Fn(&Value) -> bool) -> Result<Value, &'static str> {
        loop {
            while let Some(frame) = self.frames.get(self.seen) {
                self.seen += 1;
                if fits(frame) {
                    return Ok(frame.clone());
                }
            }
            self.receive()?;
        }
    }

    fn receive(&mut self) -> Result<(), &'static str> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => {
                self.frames.extend(read_frame(&line));
                Ok(())
            }
            Err(RecvTimeoutError::Disconnected) => Err("the client ended"),
            Err(RecvTimeoutError::Timeout) => Err("the client is silent"),
        }
    }

    fn said(&self) -> String {
        let mut kinds: Vec<String> = self.frames.iter().map(kind_of).collect();
        let more = kinds.len().saturating_sub(40);
        kinds.drain(..more);
        format!("the last frames: {}", kinds.join(" "))
    }

    /// Waits for a frame of a type, or of a subtype of `system`.
    pub fn frame(&mut self, kind: &str) -> Value {
        self.wait(kind, |frame| kind_of(frame) == kind)
    }

    /// Waits for a request to use a tool.
    pub fn permission(&mut self) -> Value {
        self.wait("a request to use a tool", |frame| {
            frame["type"] == "control_request" && frame["request"]["subtype"] == "can_use_tool"
        })
    }

    /// Waits for the end of a turn.
    pub fn result(&mut self) -> Value {
        self.frame("result")
    }

    /// Closes the input and waits for the end.
    pub fn close(mut self) -> ClientEnd {
        self.input = None;
        self.end()
    }

    /// Sends a signal, such as `TERM`, and waits for the end.
    pub fn signal(self, signal: &str) -> ClientEnd {
        process::signal(signal, &self.child.id().to_string());
        self.end()
    }

    /// Kills the client and waits for the end.
    pub fn kill(mut self) -> ClientEnd {
        let _ = self.child.kill();
        self.end()
    }

    /// Waits until the client ends by itself.
    pub fn end(mut self) -> ClientEnd {
        while self.receive().is_ok() {}
        let status = self.child.wait().expect("a status");
        let errors = self.errors.take().map(JoinHandle::join);
        ClientEnd {
            status,
            frames: std::mem::take(&mut self.frames),
            errors: errors.and_then(Result::ok).unwrap_or_default(),
        }
    }
}

impl Drop for ClientDriver {
    fn drop(&mut self) {
        // After a failure: nothing of a test outlives it. A client that was waited for is not hurt.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A line that is not JSON is kept as a frame that says so.
fn read_frame(line: &[u8]) -> Option<Value> {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end();
    if text.is_empty() {
        return None;
    }
    let frame = serde_json::from_str(text);
    Some(frame.unwrap_or_else(|_| json!({"type": "not-json", "text": text})))
}

/// Names a frame: its type, or its subtype if it is of the system.
fn kind_of(frame: &Value) -> String {
    let name = match frame["type"].as_str() {
        Some("system") => &frame["subtype"],
        _ => &frame["type"],
    };
    name.as_str().unwrap_or("?").to_owned()
}
