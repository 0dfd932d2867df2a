//! Tests of the browser for tests, with their own pages.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::thread;

use serde_json::json;
use unspool_testkit::browser::{Browser, BrowserScreen, CONTROL, ESCAPE, WindowKind};
use unspool_testkit::browser_cases;

/// A page with the strictest policy that records its events.
const PAGE: &str = "<!doctype html><meta name=viewport content='width=device-width'>\
    <meta http-equiv=Content-Security-Policy content=\"require-trusted-types-for 'script'; trusted-types none\">\
    <title>page</title><p style='height: 3000px'><button>press</button>\
    <script>window.heard = []; window.ticks = 0; setInterval(() => window.ticks += 1, 10);\
    for (const name of ['keydown', 'click', 'touchstart', 'visibilitychange', 'freeze', 'resume'])\
      document.addEventListener(name, (e) => heard.push(name + (e.key ? ' ' + e.key + (e.ctrlKey ? '+ctrl' : '') : '')));\
    for (const name of ['online', 'offline']) addEventListener(name, () => heard.push(name));\
    </script>";

/// Answers every request with the page until the test ends.
fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}/", listener.local_addr().expect("an address"));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || {
                let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
                let mut line = String::new();
                while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                    line.clear();
                }
                let mut stream = stream;
                let _ = write!(
                    stream,
                    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\
                     Set-Cookie: reader=1; HttpOnly; SameSite=Strict\r\nConnection: close\r\n\r\n{PAGE}",
                    PAGE.len()
                );
            });
        }
    });
    address
}

fn heard(browser: &mut Browser, what: &str) {
    browser.wait_for(&format!("return window.heard.includes('{what}')"));
}

fn hands_reach_the_page(browser: &mut Browser) {
    browser.go(&serve());
    browser.wait_for("return matchMedia('(hover: hover) and (pointer: fine)').matches");
    browser.press("jG?");
    browser.press(ESCAPE);
    browser.press_with(&[CONTROL], "y");
    for key in ["keydown j", "keydown G", "keydown ?", "keydown Escape", "keydown y+ctrl"] {
        heard(browser, key);
    }
    browser.click("button");
    heard(browser, "click");
    browser.set_screen(BrowserScreen::NARROW);
    browser.reload();
    browser.wait_for(
        "return innerWidth === 390 && matchMedia('(hover: none) and (pointer: coarse)').matches",
    );
    browser.tap("button");
    heard(browser, "touchstart");
    assert_eq!(browser.console(), Vec::<String>::new());
}

/// Returns the number of the page's cookies, including those that scripts cannot read.
fn cookies(browser: &mut Browser) -> usize {
    let told = browser.devtools("Network.getCookies", &json!({}));
    told["cookies"].as_array().map_or(0, Vec::len)
}

fn windows_share_cookies_and_end_with_the_case(browser: &mut Browser) {
    let address = serve();
    let first = browser.window();
    browser.go(&address);
    browser.run("localStorage.kept = 'x'; document.cookie = 'other=2'");
    assert_eq!(cookies(browser), 2);
    let second = browser.open_window(WindowKind::Window);
    browser.go(&address);
    assert_eq!(browser.run("return [localStorage.kept, innerWidth]"), json!(["x", 1400]));
    let tab = browser.open_window(WindowKind::Tab);
    browser.go(&address);
    assert_eq!(browser.windows().len(), 3);
    for window in [&first, &second, &tab] {
        browser.switch_to(window);
        assert_eq!(browser.run("return document.visibilityState"), json!("visible"));
    }
    let asked = browser.requests();
    assert_eq!(asked.iter().filter(|url| **url == address).count(), 3, "{asked:?}");
    browser.reset();
    assert_eq!(browser.windows().len(), 1);
    assert_eq!(browser.requests(), Vec::<String>::new());
    browser.go(&address);
    assert_eq!(browser.run("return localStorage.kept"), json!(null));
    assert_eq!(cookies(browser), 1);
}

fn pages_lose_the_network_and_are_frozen(browser: &mut Browser) {
    let address = serve();
    browser.go(&address);
    browser.set_online(false);
    heard(browser, "offline");
    assert_eq!(
        browser.try_to_go(&format!("{address}other")),
        Err("net::ERR_INTERNET_DISCONNECTED".to_owned())
    );
    browser.set_online(true);
    browser.go(&address);
    browser.freeze();
    heard(browser, "freeze");
    let ticks = browser.run("return window.ticks");
    assert_eq!(browser.run("return window.ticks"), ticks);
    browser.thaw();
    heard(browser, "resume");
    browser.wait_for(&format!("return window.ticks > {ticks}"));
    assert_eq!(browser.try_to_go("http://127.0.0.1:9/"), Err("net::ERR_UNSAFE_PORT".to_owned()));
}

fn screens_are_looked_at_and_kept(browser: &mut Browser) {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page.html");
    fs::write(&page, PAGE).expect("written");
    let size = |file: &Path| {
        let bytes = fs::read(file).expect("a picture");
        let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
        (number(16), number(20))
    };
    for (screen, expected) in
        [(BrowserScreen::WIDE, (1400, 900)), (BrowserScreen::NARROW.dark(), (390, 844))]
    {
        browser.open(&page, screen);
        let is_dark = "return matchMedia('(prefers-color-scheme: dark)').matches";
        assert_eq!(browser.run(is_dark), json!(expected.0 == 390));
        let picture = folder.path().join("window.png");
        browser.screenshot(&picture);
        assert_eq!(size(&picture), expected);
    }
}

#[test]
fn a_browser_is_driven() {
    browser_cases![
        hands_reach_the_page,
        windows_share_cookies_and_end_with_the_case,
        pages_lose_the_network_and_are_frozen,
        screens_are_looked_at_and_kept,
    ];
}

#[test]
fn a_browser_ends_with_its_owner() {
    let Ok(browser) = Browser::start() else {
        return;
    };
    let folder = browser.profile();
    let with_profile = || {
        let listed = Command::new("ps").args(["-eo", "args"]).output().expect("ps");
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        let name = folder.to_string_lossy().into_owned();
        listed.lines().filter(|line| line.contains("--type=") && line.contains(&name)).count()
    };
    assert!(folder.exists() && with_profile() > 0);
    drop(browser);
    assert!(!folder.exists());
    // The system may still list a killed process for a moment.
    while with_profile() > 0 {
        thread::yield_now();
    }
}
