//! Lists in a browser: silent, readable at both widths and in both themes, live, and usable with keys.
//!
//! Without Chromium and its driver these tests print a note and pass. All cases share one browser;
//! `UNSPOOL_CASE=TEXT` runs those whose name contains the text, and `UNSPOOL_SHOTS=FOLDER` saves
//! screenshots of pages.

use std::thread::sleep;
use std::time::Duration;

use serde_json::json;
use unspool_testkit::browser::{Browser, BrowserScreen, ColourScheme, WindowKind};
use unspool_testkit::{browser_cases, session, uuid};

use crate::harness::TestServer;

#[test]
fn lists_in_a_browser() {
    browser_cases![
        pages_are_quiet_and_fit,
        text_can_be_read_in_both_themes,
        a_list_stays_as_the_server_has_it,
        a_search_answers_while_typing,
        keys_lead_through_lists,
        the_theme_is_kept,
        a_page_without_a_connection_says_so,
        a_session_that_needs_input_is_told_once,
    ];
}

fn demo() -> TestServer {
    TestServer::demo(TestServer::open)
}

fn go(browser: &mut Browser, server: &TestServer, way: &str) {
    browser.go(&format!("http://{}{way}", server.address()));
}

/// Waits until the page is connected.
fn wait_until_live(browser: &mut Browser) {
    browser.wait_for("return document.querySelector('#link').dataset.state === 'live'");
}

/// Fails if the page wrote to the console, or requested anything from outside of the server.
fn check_quiet(browser: &mut Browser, server: &TestServer) {
    browser.check_quiet(&format!("http://{}/", server.address()));
}

/// Pages of the demo; those about a session show one with several paths, and ones with several turns.
const PAGES: &[(&str, &str)] = &[
    ("home", "/"),
    ("sessions", "/sessions?kind=headless"),
    ("project", "/p/-home-dev-tidepool"),
    ("search", "/search?q=broker"),
    ("search-empty", "/search"),
    ("stats", "/stats?since=all&by=day"),
    ("check", "/check"),
    ("live", "/live"),
    ("tree", "/s/4ba648c7-a2f3-46b0-9c34-713ce5b4c5b4/tree"),
    ("compare", "/s/4ba648c7-a2f3-46b0-9c34-713ce5b4c5b4/compare?a=1&b=3"),
    ("time", "/s/418c61d3-8df5-498c-8174-194179093da7/time"),
    ("context", "/s/46e1edf5-ff12-4658-bc07-637a4d08dd66/context"),
    ("files", "/s/418c61d3-8df5-498c-8174-194179093da7/files"),
    ("raw", "/s/46e1edf5-ff12-4658-bc07-637a4d08dd66/raw"),
    ("entry", "/s/46e1edf5-ff12-4658-bc07-637a4d08dd66/raw/line:4"),
    ("problem", "/nowhere"),
];

fn pages_are_quiet_and_fit(browser: &mut Browser) {
    let server = demo();
    for screen in [BrowserScreen::WIDE, BrowserScreen::NARROW] {
        for scheme in [ColourScheme::Light, ColourScheme::Dark] {
            browser.set_screen(screen.with_scheme(scheme));
            for (name, way) in PAGES {
                go(browser, &server, way);
                wait_until_live(browser);
                let over = "return document.documentElement.scrollWidth - innerWidth";
                let over = browser.run(over).as_i64().expect("a number");
                assert!(over <= 0, "{name} is {over} pixels too wide on {screen:?}");
                browser.keep_shot(&format!("{name}-{screen:?}-{scheme:?}"));
                // The browser itself logs the status of a missing page.
                let console = browser.console();
                let is_expected = |line: &String| *name == "problem" && line.contains("404");
                assert!(console.iter().all(is_expected), "{name}: {console:?}");
            }
        }
    }
    check_quiet(browser, &server);
}

fn text_can_be_read_in_both_themes(browser: &mut Browser) {
    let server = demo();
    for scheme in [ColourScheme::Light, ColourScheme::Dark] {
        browser.set_screen(BrowserScreen::WIDE.with_scheme(scheme));
        for (name, way) in PAGES {
            go(browser, &server, way);
            assert_eq!(browser.faint_texts(), json!([]), "{name} in {scheme:?}");
        }
    }
}

fn a_list_stays_as_the_server_has_it(browser: &mut Browser) {
    let server = TestServer::open(super::home());
    go(browser, &server, "/");
    wait_until_live(browser);
    let row = format!("#r-{} a", uuid("two"));
    browser.run(&format!(
        "document.querySelector('{row}').focus(); window.kept = document.activeElement"
    ));
    let talk = "u1 user \"A third session begins\"\na1 assistant \"It does.\"";
    server.home.add_session("/srv/tidepool", &uuid("three"), session(talk));
    browser.wait_for("return document.body.textContent.includes('A third session begins')");
    // The old row is the same element, and still has the focus.
    let same = format!(
        "return document.activeElement === window.kept && window.kept === document.querySelector('{row}')"
    );
    assert_eq!(browser.run(&same), true);
    let order =
        "return [...document.querySelectorAll('#part-recent .what')].map((it) => it.textContent)";
    let order = browser.run(order);
    assert_eq!(order.as_array().map(Vec::len), Some(3), "{order}");
    check_quiet(browser, &server);
}

fn a_search_answers_while_typing(browser: &mut Browser) {
    let server = demo();
    go(browser, &server, "/search");
    browser.wait_for("return document.activeElement?.id === 'ask'");
    browser.press("broker");
    browser.wait_for("return document.querySelectorAll('.hits mark').length > 3");
    browser.wait_for("return location.search === '?q=broker'");
    let first = "return document.querySelector('.hits a[href*=\"?at=\"]').getAttribute('href')";
    let first = browser.run(first);
    let way = first.as_str().expect("an address");
    assert!(way.contains("?at=") && way.contains("&find=broker#e-"), "{way}");
    browser.press(" zzzzqqqq");
    browser.wait_for(
        "return document.body.textContent.includes('zzzzqqqq') && location.search.includes('zzzz')",
    );
    check_quiet(browser, &server);
}

/// Presses keys that lead to a page. On a busy machine the keys may arrive further apart than the
/// page waits for the rest of a sequence, so they are pressed again if the page does not change.
fn press_to(browser: &mut Browser, keys: &str, way: &str) {
    browser.wait_until(&format!("{keys} leads to {way}"), |browser| {
        browser.press(keys);
        (0..100).any(|_| {
            sleep(Duration::from_millis(20));
            browser.try_to_run("return location.pathname").is_ok_and(|here| here == way)
        })
    });
}

fn keys_lead_through_lists(browser: &mut Browser) {
    let server = demo();
    go(browser, &server, "/sessions");
    wait_until_live(browser);
    browser.press("j");
    let focused = "return document.activeElement.closest('[data-row]')?.id";
    let first = browser.run(focused);
    browser.press("j");
    let second = browser.run(focused);
    assert!(first.is_string() && second.is_string() && first != second, "{first} {second}");
    browser.press("k");
    assert_eq!(browser.run(focused), first);
    browser.press("/");
    browser.wait_for("return document.activeElement.matches('.ask input')");
    browser.run("document.activeElement.blur()");
    browser.press("?");
    browser.wait_for("return document.querySelector('dialog.keys').open");
    browser.press("?");
    browser.wait_for("return !document.querySelector('dialog.keys').open");
    press_to(browser, "gs", "/stats");
    wait_until_live(browser);
    press_to(browser, "gh", "/");
    check_quiet(browser, &server);
}

fn the_theme_is_kept(browser: &mut Browser) {
    let server = demo();
    browser.set_screen(BrowserScreen::WIDE);
    go(browser, &server, "/");
    wait_until_live(browser);
    browser.press("t");
    browser.wait_for("return document.documentElement.dataset.theme === 'dark'");
    go(browser, &server, "/stats");
    assert_eq!(browser.run("return document.documentElement.dataset.theme"), "dark");
}

fn a_page_without_a_connection_says_so(browser: &mut Browser) {
    let server = demo();
    go(browser, &server, "/");
    wait_until_live(browser);
    browser.set_online(false);
    browser.wait_for("return document.querySelector('#link').dataset.state === 'trying'");
    let words = browser.run("return document.querySelector('#link .words').textContent");
    let words = words.as_str().expect("words");
    assert!(words.starts_with("not connected since "), "{words}");
    assert_eq!(
        browser.run("return document.querySelectorAll('#part-recent .session-row').length > 5"),
        true
    );
    browser.set_online(true);
    wait_until_live(browser);
    // Without a network the browser logs requests that fail.
    drop(browser.console());
}

/// Counts notifications instead of showing them, in each window of the test.
const COUNT_NOTICES: &str = r"
window.told = [];
window.Notification = class {
  constructor(title, options) { window.told.push(title + '|' + options.tag); }
  static permission = 'granted';
  static requestPermission = async () => 'granted';
};
";

fn a_session_that_needs_input_is_told_once(browser: &mut Browser) {
    let server = TestServer::open(super::home());
    browser.run_first(COUNT_NOTICES);
    go(browser, &server, "/");
    wait_until_live(browser);
    browser.run(
        "localStorage.setItem('unspool-notify', 'on'); localStorage.removeItem('unspool-notified')",
    );
    let first = browser.window();
    browser.reload();
    wait_until_live(browser);
    let second = browser.open_window(WindowKind::Tab);
    browser.switch_to(&second);
    browser.run_first(COUNT_NOTICES);
    go(browser, &server, "/");
    wait_until_live(browser);
    super::live::wait(&server.home, &uuid("one"));
    let shows = "return document.querySelectorAll('#waits a[data-key]').length === 1";
    browser.wait_for(shows);
    let mut told = 0;
    for window in [&second, &first] {
        browser.switch_to(window);
        browser.wait_for(shows);
        let count = browser.run("return window.told.length").as_u64();
        told += count.expect("a number");
        assert_eq!(browser.run("return document.title"), "(1) unspool");
    }
    assert_eq!(told, 1);
}
