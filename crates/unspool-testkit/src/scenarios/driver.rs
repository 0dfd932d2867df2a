//! A host for one client: starts it, writes lines, waits for frames.
//!
//! A wait ends with a matching frame or with the client. Its timeout only makes a test with a broken client
//! fail instead of hang; no result depends on it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::new_uuid;
use crate::process;

/// The timeout for a frame. The scripted client answers in milliseconds, the real one in a second or two.
const TIMEOUT: Duration = Duration::from_mins(1);

/// A running client with the frames that it wrote.
#[derive(Debug)]
pub struct ClientDriver {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    errors: Option<JoinHandle<String>>,
    /// All frames so far.
    frames: Vec<Value>,
    /// The number of frames that earlier waits have consumed.
    seen: usize,
}

/// How a client ended.
#[derive(Debug)]
pub struct ClientEnd {
    /// The exit status.
    pub status: ExitStatus,
    /// All frames that it wrote.
    pub frames: Vec<Value>,
    /// The text that it wrote to standard error.
    pub errors: String,
}

impl ClientDriver {
    /// Starts a program in a folder. `args` has further arguments, separated by spaces; the environment
    /// consists of `PATH` and the variables.
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

    /// Returns the frames that were received so far.
    pub fn frames(&self) -> &[Value] {
        &self.frames
    }

    /// Writes bytes unchanged.
    pub fn write(&mut self, bytes: &[u8]) {
        // If the client is gone, a later wait fails.
        if let Some(input) = &mut self.input {
            let _ = input.write_all(bytes).and_then(|()| input.flush());
        }
    }

    /// Writes a frame.
    pub fn send(&mut self, frame: &Value) {
        self.write(format!("{frame}\n").as_bytes());
    }

    /// Sends a prompt with a new uuid, and returns the uuid.
    pub fn prompt(&mut self, text: &str) -> String {
        let uuid = new_uuid();
        self.prompt_as(&uuid, text, &json!({}));
        uuid
    }

    /// Sends a prompt with a uuid and additional fields.
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

    /// Sends a request, waits for the answer, and returns its field `response`.
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

    /// Allows a request of the client.
    pub fn allow(&mut self, request: &Value) {
        let input = &request["request"]["input"];
        self.answer(request, &json!({"behavior": "allow", "updatedInput": input}));
    }

    /// Denies a request of the client.
    pub fn deny(&mut self, request: &Value, message: &str) {
        self.answer(request, &json!({"behavior": "deny", "message": message}));
    }

    /// Waits for the next matching frame, and skips frames before it.
    ///
    /// # Panics
    ///
    /// If the client ends or writes nothing for a long time; the message contains the last frames.
    pub fn wait(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        self.look(fits).unwrap_or_else(|end| panic!("{what} did not come: {end}; {}", self.said()))
    }

    /// Waits for a matching frame, unless one was received already; skips no frames.
    pub fn wait_for_any(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let seen = std::mem::take(&mut self.seen);
        let frame = self.wait(what, fits);
        self.seen = seen;
        frame
    }

    /// Waits for the next matching frame, or for the end of the client.
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
        match self.lines.recv_timeout(TIMEOUT) {
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

    /// Waits for a request for permission to use a tool.
    pub fn permission(&mut self) -> Value {
        self.wait("a request to use a tool", |frame| {
            frame["type"] == "control_request" && frame["request"]["subtype"] == "can_use_tool"
        })
    }

    /// Waits for the end of a turn.
    pub fn result(&mut self) -> Value {
        self.frame("result")
    }

    /// Closes the input and waits until the client ends.
    pub fn close(mut self) -> ClientEnd {
        self.input = None;
        self.end()
    }

    /// Sends a signal, such as `TERM`, and waits until the client ends.
    pub fn signal(self, signal: &str) -> ClientEnd {
        process::signal(signal, &self.child.id().to_string());
        self.end()
    }

    /// Kills the client and waits for its end.
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
        // After a failure, no process of a test may outlive it. A client that has ended is not affected.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Parses a line. A line that is not JSON becomes a frame of the type `not-json`.
fn read_frame(line: &[u8]) -> Option<Value> {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end();
    if text.is_empty() {
        return None;
    }
    let frame = serde_json::from_str(text);
    Some(frame.unwrap_or_else(|_| json!({"type": "not-json", "text": text})))
}

/// Returns the type of a frame, or the subtype if the type is `system`.
fn kind_of(frame: &Value) -> String {
    let name = match frame["type"].as_str() {
        Some("system") => &frame["subtype"],
        _ => &frame["type"],
    };
    name.as_str().unwrap_or("?").to_owned()
}
