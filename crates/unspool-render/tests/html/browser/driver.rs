//! A browser to drive: Chromium through its driver, which speaks JSON over HTTP.
//!
//! The protocol is `WebDriver`, with the extensions of Chromium for what a page loads and
//! logs. Nothing of the machine's user is read: home and profile are empty folders.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// How long anything may take before the browser counts as broken. No test waits for a time: each
/// waits for something to become true, and on a busy machine that may be long.
const PATIENCE: Duration = Duration::from_mins(10);
/// How often a browser is started that says it could not.
const STARTS: usize = 5;

/// A running browser, ended with its owner.
pub(crate) struct Browser {
    driver: Child,
    port: u16,
    session: String,
    folder: TempDir,
}

/// Why there is no browser.
pub(crate) enum Absent {
    /// It is not on this machine.
    NotInstalled,
    /// It is, and does not work.
    Broken(String),
}

impl Browser {
    /// Starts a browser; `port` of the driver is chosen by the system.
    pub(crate) fn start() -> Result<Self, Absent> {
        let broken = |error: io::Error| Absent::Broken(error.to_string());
        let folder = tempfile::tempdir().map_err(broken)?;
        let driver = Command::new("chromedriver")
            .arg("--port=0")
            .env("HOME", folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut driver = match driver {
            Ok(driver) => driver,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Absent::NotInstalled);
            }
            Err(error) => return Err(broken(error)),
        };
        let port = port_of(&mut driver);
        let mut browser = Self {
            driver,
            port: port.ok_or_else(|| Absent::Broken("the driver names no port".to_owned()))?,
            session: String::new(),
            folder,
        };
        // The driver gives up by its own clock when the machine is busy.
        let mut opened = browser.open_session();
        for _ in 1..STARTS {
            if opened.is_ok() {
                break;
            }
            opened = browser.open_session();
        }
        opened.map_err(Absent::Broken)?;
        Ok(browser)
    }

    fn open_session(&mut self) -> Result<(), String> {
        let profile = self.folder.path().join("profile");
        let arguments = [
            "--headless".to_owned(),
            "--no-sandbox".to_owned(),
            "--disable-gpu".to_owned(),
            "--disable-quic".to_owned(),
            "--disable-dev-shm-usage".to_owned(),
            "--no-first-run".to_owned(),
            "--disable-background-networking".to_owned(),
            "--disable-component-update".to_owned(),
            "--disable-sync".to_owned(),
            "--hide-scrollbars".to_owned(),
            format!("--user-data-dir={}", profile.display()),
        ];
        let millis = PATIENCE.as_millis() as u64;
        let capabilities = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "timeouts": { "script": millis, "pageLoad": millis },
            "goog:chromeOptions": { "args": arguments },
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
        } } });
        let answer = self.send("POST", "/session", &capabilities)?;
        let id = answer["sessionId"].as_str().ok_or("no session")?;
        id.clone_into(&mut self.session);
        Ok(())
    }

    /// Opens a file as a window of this size would show it.
    pub(crate) fn open(&mut self, file: &Path, width: u32, height: u32, scheme: &str) {
        let metrics = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600,
        });
        self.devtools("Emulation.setDeviceMetricsOverride", &metrics);
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.devtools("Emulation.setEmulatedMedia", &media);
        // Keys go to a page that has the focus; on a busy machine it may come later than the page.
        let focused = json!({ "enabled": true });
        self.devtools("Emulation.setFocusEmulationEnabled", &focused);
        self.go(&format!("file://{}", file.display()));
    }

    /// Goes to an address.
    pub(crate) fn go(&mut self, address: &str) {
        self.command("POST", "url", &json!({ "url": address }));
    }

    /// Goes back to the page before, as the button of that name does.
    pub(crate) fn back(&mut self) {
        self.command("POST", "back", &json!({}));
    }

    /// Runs a script in the page and returns what it returns.
    pub(crate) fn run(&mut self, script: &str) -> Value {
        self.command(
            "POST",
            "execute/sync",
            &json!({ "script": script, "args": [] }),
        )
    }

    /// Waits until a script returns `true`.
    pub(crate) fn wait_for(&mut self, script: &str) {
        self.wait_until(script, |browser| browser.run(script) == Value::Bool(true));
    }

    /// Waits until something holds.
    pub(crate) fn wait_until(&mut self, what: &str, mut holds: impl FnMut(&mut Self) -> bool) {
        let start = Instant::now();
        while !holds(self) {
            assert!(start.elapsed() < PATIENCE, "{what}");
            sleep(Duration::from_millis(20));
        }
    }

    /// Presses keys one after the other.
    pub(crate) fn press(&mut self, keys: &str) {
        let mut actions = Vec::new();
        for key in keys.chars() {
            actions.push(json!({ "type": "keyDown", "value": key }));
            actions.push(json!({ "type": "keyUp", "value": key }));
        }
        let actions = json!({ "actions": [{ "type": "key", "id": "keys", "actions": actions }] });
        self.command("POST", "actions", &actions);
    }

    /// Returns what the page said in its console since the last call.
    pub(crate) fn console(&mut self) -> Vec<String> {
        let entries = self.command("POST", "se/log", &json!({ "type": "browser" }));
        let entries = entries.as_array().cloned().unwrap_or_default();
        entries
            .iter()
            .map(|entry| entry["message"].to_string())
            .collect()
    }

    /// Returns the addresses that pages asked for since the last call.
    pub(crate) fn requests(&mut self) -> Vec<String> {
        let entries = self.command("POST", "se/log", &json!({ "type": "performance" }));
        let entries = entries.as_array().cloned().unwrap_or_default();
        let events = entries.iter().filter_map(|entry| {
            let event: Value = serde_json::from_str(entry["message"].as_str()?).ok()?;
            let event = &event["message"];
            let url = event["params"]["request"]["url"].as_str()?;
            let is_request = event["method"] == "Network.requestWillBeSent";
            // The browser's own pages are inside it, such as the one that it begins with.
            let own = ["chrome:", "chrome-untrusted:"];
            let is_foreign = !own.iter().any(|scheme| url.starts_with(scheme));
            (is_request && is_foreign).then(|| url.to_owned())
        });
        events.collect()
    }

    /// Calls the browser's own protocol.
    pub(crate) fn devtools(&mut self, method: &str, parameters: &Value) -> Value {
        let call = json!({ "cmd": method, "params": parameters });
        self.command("POST", "goog/cdp/execute", &call)
    }

    fn command(&mut self, method: &str, path: &str, body: &Value) -> Value {
        let path = format!("/session/{}/{path}", self.session);
        let answer = self.send(method, &path, body);
        answer.unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn send(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let answer = exchange(self.port, method, path, &body.to_string());
        let answer = answer.map_err(|error| error.to_string())?;
        let mut answer: Value = serde_json::from_str(&answer).map_err(|error| error.to_string())?;
        let value = answer["value"].take();
        match value["error"].as_str() {
            Some(error) => Err(format!("{error}: {}", value["message"])),
            None => Ok(value),
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            let path = format!("/session/{}", self.session);
            let _ = exchange(self.port, "DELETE", &path, "");
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// Reads the port that the driver listens on.
fn port_of(driver: &mut Child) -> Option<u16> {
    let mut lines = BufReader::new(driver.stdout.take()?).lines();
    let port = lines.find_map(|line| {
        let line = line.ok()?;
        let (_, rest) = line.split_once("started successfully on port ")?;
        rest.trim_end_matches('.').parse().ok()
    });
    // The driver must not be stopped by a full pipe.
    std::thread::spawn(move || lines.for_each(drop));
    port
}

/// Sends a request and reads the body of the answer.
fn exchange(port: u16, method: &str, path: &str, body: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )?;
    let mut reader = BufReader::new(stream);
    let mut length = None;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 0 && line != "\r\n" {
        let header = line.to_ascii_lowercase();
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse::<u64>().ok();
        }
        line.clear();
    }
    let mut answer = String::new();
    match length {
        Some(length) => reader.take(length).read_to_string(&mut answer)?,
        None => reader.read_to_string(&mut answer)?,
    };
    Ok(answer)
}
