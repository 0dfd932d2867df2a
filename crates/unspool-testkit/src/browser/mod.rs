//! A browser for tests of pages: Chromium through its driver, which speaks JSON over HTTP.
//!
//! The protocol is `WebDriver`, with the extensions of Chromium for requests, logs and emulation (network, a
//! frozen page). A test takes the browser of its process with [`BrowserLease::take_or_skip`], or runs many
//! cases in it with [`browser_cases!`](crate::browser_cases); [`Browser::start`] is for a second browser with
//! its own cookies. The browser reads no files of the user: home and profile are empty folders, which are
//! removed with the browser when the process ends.
//!
//! No test waits for a fixed time. [`Browser::wait_for`] waits until a condition is true, for as long as a
//! working browser may take; `UNSPOOL_PATIENCE=5` reduces the timeout to 5 seconds, for tests that are being
//! written. Each command has a timeout, so that one without an answer fails with its name. The timeouts of an
//! earlier driver were ten minutes, and it retried with the profile that the first try still used.
//!
//! - `process`: the driver's process and its end.
//! - `wire`: commands and answers.
//! - `shared`: one browser for many cases.
//! - `input`: keys, clicks and taps.
//! - `surroundings`: screens, network, visibility.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};

mod input;
mod process;
mod shared;
mod surroundings;
mod wire;

pub use self::input::{CONTROL, DOWN, ENTER, ESCAPE, TAB, UP};
use self::process::DriverProcess;
pub use self::shared::{BrowserCase, BrowserLease, run_cases};
pub use self::surroundings::{BrowserScreen, ColourScheme};
pub use self::wire::BrowserError;

/// The number of tries to start a browser, each with another driver and profile. The driver has its own
/// timeout of 60 seconds, which it may reach on a busy machine.
const STARTS: usize = 4;
/// The timeout for a start, above the driver's own.
const TO_START: Duration = Duration::from_secs(100);
/// The timeout for a command. Most take milliseconds; one on a page with a million elements takes half a
/// minute on a busy machine.
const TO_ANSWER: Duration = Duration::from_mins(3);
/// The timeout for a condition, unless `UNSPOOL_PATIENCE` sets another number of seconds.
const TO_BECOME_TRUE: Duration = Duration::from_mins(5);
/// The pause between two checks of a condition.
const PAUSE: Duration = Duration::from_millis(20);

/// A script that finds texts with a contrast to their background below 4.5.
const CONTRAST: &str = r#"
const probe = document.body.appendChild(document.createElement("i"));
const rgb = (color) => {
  probe.style.color = "color-mix(in srgb, " + color + ", " + color + ")";
  const parts = getComputedStyle(probe).color.match(/[0-9.e-]+/g).map(Number);
  return parts.length < 4 ? [...parts, 1] : parts;
};
const light = (color) => {
  const [r, g, b] = rgb(color).map((value) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const backdrop = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const color = getComputedStyle(at).backgroundColor;
    if (rgb(color)[3] > 0.5) return color;
  }
  return "white";
};
const faint = new Set();
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  const element = node.parentElement;
  if (!node.data.trim() || !element.checkVisibility() || element.closest("script, svg, .sr")) continue;
  const [a, b] = [light(getComputedStyle(element).color), light(backdrop(element))];
  const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (contrast < 4.5) faint.add(element.className + "|" + node.data.trim().slice(0, 30) + "|" + contrast.toFixed(2));
}
probe.remove();
return [...faint];
"#;

/// A running browser. Commands apply to the current window.
#[derive(Debug)]
pub struct Browser {
    driver: DriverProcess,
    session: String,
    screen: BrowserScreen,
    /// The origins of visited pages, whose data a reset removes.
    origins: BTreeSet<String>,
}

/// Why a browser is not available.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BrowserAbsence {
    /// Chromium is not installed.
    NotInstalled,
    /// Chromium is installed and does not work.
    Broken(String),
}

/// A window or a tab of a browser.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BrowserWindow(String);

/// The kind of window that a page is opened in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WindowKind {
    /// A separate window: other windows stay visible.
    Window,
    /// A tab of the current window.
    Tab,
}

impl Browser {
    /// Starts a separate browser with an empty profile.
    pub fn start() -> Result<Self, BrowserAbsence> {
        let mut started = Self::start_once();
        for _ in 1..STARTS {
            if !matches!(started, Err(BrowserAbsence::Broken(_))) {
                break;
            }
            started = Self::start_once();
        }
        started
    }

    fn start_once() -> Result<Self, BrowserAbsence> {
        let mut browser = Self {
            driver: DriverProcess::start()?,
            session: String::new(),
            screen: BrowserScreen::WIDE,
            origins: BTreeSet::new(),
        };
        let broken = |error: BrowserError| BrowserAbsence::Broken(error.to_string());
        browser.open_session().map_err(broken)?;
        browser.apply_screen();
        browser.forget_logs();
        Ok(browser)
    }

    fn open_session(&mut self) -> Result<(), BrowserError> {
        let profile = self.profile();
        let arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-background-timer-throttling",
            "--disable-component-update",
            "--disable-sync",
            "--hide-scrollbars",
            // Emulates a mouse, which a headless browser lacks: precise pointing and hovering.
            "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
            &format!("--user-data-dir={}", profile.display()),
        ];
        // The driver's limits are below those of commands, so that its error message is shown.
        let millis = TO_ANSWER.mul_f32(0.95).as_millis() as u64;
        let capabilities = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            // Commands do not wait for pages to load; `go` waits, and a test that follows a link must wait
            // itself.
            "pageLoadStrategy": "none",
            "timeouts": { "script": millis, "pageLoad": millis },
            "goog:chromeOptions": { "args": arguments },
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
        } } });
        let port = self.driver.port();
        let answer = wire::send(port, "POST", "/session", &capabilities, TO_START)?;
        answer["sessionId"].as_str().unwrap_or_default().clone_into(&mut self.session);
        Ok(())
    }

    /// Resets the browser to its initial state: one empty window, no cookies, no stored data, no logs.
    pub fn reset(&mut self) {
        let old = self.windows();
        self.screen = BrowserScreen::WIDE;
        self.open_window(WindowKind::Window);
        let new = self.window();
        for window in &old {
            self.switch_to(window);
            self.command("DELETE", "window", &Value::Null);
        }
        self.switch_to(&new);
        self.devtools("Network.clearBrowserCookies", &json!({}));
        self.devtools("Network.clearBrowserCache", &json!({}));
        self.devtools("Browser.resetPermissions", &json!({}));
        for origin in std::mem::take(&mut self.origins) {
            let all = json!({ "origin": origin, "storageTypes": "all" });
            self.devtools("Storage.clearDataForOrigin", &all);
        }
        self.forget_logs();
    }

    /// Returns the folder of the browser's profile, which is removed with the browser.
    pub fn profile(&self) -> PathBuf {
        self.driver.folder().join("profile")
    }

    fn forget_logs(&mut self) {
        self.console();
        self.requests();
    }

    /// Opens a file on a screen.
    pub fn open(&mut self, file: &Path, screen: BrowserScreen) {
        self.set_screen(screen);
        self.go(&format!("file://{}", file.display()));
    }

    /// Goes to an address and waits until the page is loaded.
    pub fn go(&mut self, address: &str) {
        if let Err(why) = self.try_to_go(address) {
            panic!("{address}: {why}");
        }
    }

    /// Goes to an address that may not answer; the error is the browser's, such as
    /// `net::ERR_CONNECTION_REFUSED`.
    pub fn try_to_go(&mut self, address: &str) -> Result<(), String> {
        self.origins.extend(origin_of(address));
        // The answer arrives when the new page has replaced the old one.
        let answer = self.devtools("Page.navigate", &json!({ "url": address }));
        if let Some(error) = answer["errorText"].as_str() {
            return Err(error.to_owned());
        }
        self.wait_for("return true");
        Ok(())
    }

    /// Reloads the page and waits until it is loaded.
    pub fn reload(&mut self) {
        self.run("window.unspoolBefore = true");
        self.devtools("Page.reload", &json!({}));
        self.wait_for("return !window.unspoolBefore");
    }

    /// Goes back to the previous page, and does not wait for it.
    pub fn back(&mut self) {
        self.command("POST", "back", &json!({}));
    }

    /// Returns the texts of the page with a contrast to their background below 4.5.
    pub fn faint_texts(&mut self) -> Value {
        self.run(CONTRAST)
    }

    /// Runs a script as the body of a function in the page, and returns its value.
    pub fn run(&mut self, script: &str) -> Value {
        let answer = self.try_to_run(script);
        answer.unwrap_or_else(|error| panic!("{script}: {error}"))
    }

    /// Runs a script in a page that may be unloading.
    pub fn try_to_run(&mut self, script: &str) -> Result<Value, BrowserError> {
        let call = json!({ "script": script, "args": [] });
        self.try_command("POST", "execute/sync", &call)
    }

    /// Waits until the page is loaded and a script returns `true`. Errors during a navigation are retried.
    pub fn wait_for(&mut self, script: &str) {
        let loaded = format!("if (document.readyState !== 'complete') return 'loading';\n{script}");
        let start = Instant::now();
        loop {
            let last = match self.try_to_run(&loaded) {
                Ok(Value::Bool(true)) => return,
                Ok(value) => value.to_string(),
                Err(error) if error.is_of_the_script() => panic!("{script}: {error}"),
                Err(error) => error.to_string(),
            };
            assert!(start.elapsed() < patience(), "{script}: {last}");
            sleep(PAUSE);
        }
    }

    /// Runs a script at the beginning of every page that this window loads after this call.
    pub fn run_first(&mut self, script: &str) {
        self.devtools("Page.enable", &json!({}));
        let source = json!({ "source": script });
        self.devtools("Page.addScriptToEvaluateOnNewDocument", &source);
    }

    /// Waits until a condition is true; `what` describes it.
    pub fn wait_until(&mut self, what: &str, mut is_true: impl FnMut(&mut Self) -> bool) {
        let start = Instant::now();
        while !is_true(self) {
            assert!(start.elapsed() < patience(), "{what}");
            sleep(PAUSE);
        }
    }

    /// Returns the messages in the consoles of pages since the last call.
    pub fn console(&mut self) -> Vec<String> {
        let entries = self.command("POST", "se/log", &json!({ "type": "browser" }));
        let entries = entries.as_array().cloned().unwrap_or_default();
        entries.iter().map(|entry| entry["message"].to_string()).collect()
    }

    /// Returns the addresses that pages have requested since the last call, in all windows.
    pub fn requests(&mut self) -> Vec<String> {
        let entries = self.command("POST", "se/log", &json!({ "type": "performance" }));
        let entries = entries.as_array().cloned().unwrap_or_default();
        let events = entries.iter().filter_map(|entry| {
            let event: Value = serde_json::from_str(entry["message"].as_str()?).ok()?;
            let event = &event["message"];
            let url = event["params"]["request"]["url"].as_str()?;
            let is_request = event["method"] == "Network.requestWillBeSent";
            // The browser's own pages, such as its start page, come from its binary.
            let own = ["chrome:", "chrome-untrusted:", "about:"];
            let is_foreign = !own.iter().any(|scheme| url.starts_with(scheme));
            (is_request && is_foreign).then(|| url.to_owned())
        });
        events.collect()
    }

    /// Fails if the console has messages, or if a page requested an address that does not begin with `own`,
    /// since the last call.
    #[track_caller]
    pub fn check_quiet(&mut self, own: &str) {
        assert_eq!(self.console(), Vec::<String>::new());
        for address in self.requests() {
            assert!(address.starts_with(own) || address.starts_with("data:"), "{address}");
        }
    }

    /// Writes a screenshot of the window as a PNG file.
    pub fn screenshot(&mut self, file: &Path) {
        let picture = self.command("GET", "screenshot", &Value::Null);
        let bytes = BASE64.decode(picture.as_str().unwrap_or_default());
        let bytes = bytes.expect("the browser sends pictures as base64");
        fs::write(file, bytes).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }

    /// Writes a screenshot to the folder that `UNSPOOL_SHOTS` names, for a person; does nothing if it is not
    /// set.
    pub fn keep_shot(&mut self, name: &str) {
        if let Some(folder) = env::var_os("UNSPOOL_SHOTS") {
            let folder = Path::new(&folder);
            fs::create_dir_all(folder).expect("the folder can be made");
            self.screenshot(&folder.join(format!("{}.png", name.replace("::", "-"))));
        }
    }

    /// Calls a method of the `DevTools` protocol for the current window.
    pub fn devtools(&mut self, method: &str, parameters: &Value) -> Value {
        let call = json!({ "cmd": method, "params": parameters });
        let answer = self.try_command("POST", "goog/cdp/execute", &call);
        answer.unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// Returns the current window.
    pub fn window(&mut self) -> BrowserWindow {
        let name = self.command("GET", "window", &Value::Null);
        BrowserWindow(name.as_str().unwrap_or_default().to_owned())
    }

    /// Returns all windows and tabs.
    pub fn windows(&mut self) -> Vec<BrowserWindow> {
        let names = self.command("GET", "window/handles", &Value::Null);
        let names = names.as_array().cloned().unwrap_or_default();
        let names = names.iter().filter_map(Value::as_str);
        names.map(|name| BrowserWindow(name.to_owned())).collect()
    }

    /// Opens an empty window or tab with the same screen, and makes it the current one.
    pub fn open_window(&mut self, kind: WindowKind) -> BrowserWindow {
        let kind = match kind {
            WindowKind::Window => "window",
            WindowKind::Tab => "tab",
        };
        let opened = self.command("POST", "window/new", &json!({ "type": kind }));
        let name = opened["handle"].as_str().unwrap_or_default();
        let window = BrowserWindow(name.to_owned());
        self.switch_to(&window);
        self.apply_screen();
        window
    }

    /// Makes a window the current one.
    pub fn switch_to(&mut self, window: &BrowserWindow) {
        self.command("POST", "window", &json!({ "handle": window.0 }));
    }

    fn command(&mut self, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.try_command(method, path, body);
        answer.unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn try_command(
        &mut self,
        method: &str,
        path: &str,
        body: &Value,
    ) -> Result<Value, BrowserError> {
        let path = format!("/session/{}/{path}", self.session);
        wire::send(self.driver.port(), method, &path, body, TO_ANSWER)
    }
}

fn patience() -> Duration {
    let seconds = env::var("UNSPOOL_PATIENCE").ok();
    let seconds = seconds.and_then(|seconds| seconds.parse().ok());
    seconds.map_or(TO_BECOME_TRUE, Duration::from_secs)
}

/// Returns the origin of an address, by which the browser stores data.
fn origin_of(address: &str) -> Option<String> {
    let (scheme, rest) = address.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    Some(format!("{scheme}://{host}"))
}
