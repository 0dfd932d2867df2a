//! A site and its search.

use serde_json::json;
use unspool_testkit::browser::{Browser, BrowserScreen, DOWN, ENTER, ESCAPE, UP};

use super::Visit;

/// Checks that the words of a search are marked, and that one of them in the turn is in view.
const LANDED: &str = "const now = [...(CSS.highlights.get('found-now') || [])][0];
    const box = now && now.getBoundingClientRect();
    return !!now && ['plan', 'looks'].includes(now.toString()) && CSS.highlights.get('found').size > 1
        && document.querySelector('#turn-2').contains(now.startContainer)
        && box.height > 0 && box.top > 0 && box.bottom < innerHeight";

pub(super) fn the_search_of_a_site_is_driven_by_keys(browser: &mut Browser) {
    let mut visit = Visit::new(browser);
    visit.write_site();
    let index = visit.folder.path().join("index.html");
    visit.browser.open(&index, BrowserScreen::new(1400, 900));
    let browser = &mut *visit.browser;
    browser.press("/plan looks");
    browser.wait_for("return document.querySelectorAll('#results a').length === 5");
    browser.wait_for("return location.hash === '#q=plan%20looks'");
    browser.press(&format!("{DOWN}{DOWN}{UP}"));
    let first = "return document.activeElement === document.querySelector('#results a')";
    browser.wait_for(first);
    browser.press(UP);
    browser.wait_for("return document.activeElement.id === 'search'");
    browser.press(DOWN);
    browser.press(ESCAPE);
    browser.wait_for("return document.activeElement.id === 'search' && document.activeElement.value === 'plan looks'");
    browser.press(&format!("{DOWN}{DOWN}{ENTER}"));
    browser.wait_for("return location.pathname.endsWith('transcript_session-3.html')");
    browser.wait_for(LANDED);
    // The address with the query leads to the same results.
    browser.go(&format!("file://{}#q=plan%20looks", index.display()));
    browser.wait_for("return document.querySelectorAll('#results a').length === 5");
    browser.press("/");
    browser.press(ESCAPE);
    browser.wait_for("return document.querySelectorAll('#results a').length === 0");
    browser.press(&format!("zebra1{ENTER}"));
    browser.wait_for("return location.pathname.endsWith('transcript_session-1.html')");
    visit.check_quiet();
}

pub(super) fn the_way_back_from_a_hit_leads_to_the_query_and_its_results(browser: &mut Browser) {
    let mut visit = Visit::new(browser);
    visit.write_site();
    let index = visit.folder.path().join("index.html");
    visit.browser.open(&index, BrowserScreen::new(1400, 900));
    let browser = &mut *visit.browser;
    let results = "return document.querySelectorAll('#results a').length === 5
        && document.querySelector('#search').value === 'plan looks'";
    browser.press("/plan looks");
    browser.wait_for(results);
    browser.wait_for("return location.hash === '#q=plan%20looks'");
    browser.run("document.querySelector('#results a').click()");
    browser.wait_for("return location.pathname.endsWith('transcript_session-4.html')");
    browser.wait_for(LANDED);
    browser.back();
    browser.wait_for("return location.pathname.endsWith('index.html')");
    browser.wait_for(results);
    visit.check_quiet();
}

pub(super) fn a_site_is_searched_without_a_server(browser: &mut Browser) {
    let mut visit = Visit::new(browser);
    visit.write_site();
    let index = visit.folder.path().join("index.html");
    for width in [1400, 390] {
        visit.browser.open(&index, BrowserScreen::new(width, 900));
        let overflow = visit.number("document.documentElement.scrollWidth - innerWidth");
        assert_eq!(overflow, 0, "at {width}");
    }
    let browser = &mut *visit.browser;
    browser.press("/");
    browser.press("Zebra3");
    let results = "return [...document.querySelectorAll('#results a')].map((a) => a.getAttribute('href')).join()";
    let only = "sessions/transcript_session-3.html?find=Zebra3";
    browser.wait_for(&format!("{results} === '{only}'"));
    browser.run("document.querySelector('#search').select()");
    // Turns contain one of the words each, but no turn contains both.
    browser.press("theirs hang");
    browser.wait_for("return document.querySelector('#hits').textContent === 'Nothing found'");
    browser.run("document.querySelector('#search').select()");
    browser.press("plan looks");
    browser.wait_for("return document.querySelector('#hits').textContent === '5 turns'");
    browser.wait_for("return document.querySelectorAll('#results a').length === 5");
    let newest = "return document.querySelector('#results a').getAttribute('href')";
    assert_eq!(
        browser.run(newest),
        json!("sessions/transcript_session-4.html?find=plan%20looks#turn-2")
    );
    let snippet = "return document.querySelector('#results .snippet').textContent";
    let said = "Go on with the plan. This is how it looks:";
    let shown = browser.run(snippet).to_string();
    assert!(shown.contains(said), "{shown}");
    let marked = "return [...document.querySelectorAll('#results li:first-child mark')].map((m) => m.textContent).slice(0, 2).join()";
    assert_eq!(browser.run(marked), json!("plan,looks"));
    visit.check_quiet();
    visit.browser.run("document.querySelector('#results a').click()");
    visit
        .browser
        .wait_for("return location.hash === '#turn-2' && !!document.querySelector('.site .prev')");
    // The words are marked, and the first one in the turn is in view.
    visit.browser.wait_for(LANDED);
    visit.check_quiet();
    visit.browser.run("document.querySelector('.site .prev').click()");
    visit.browser.wait_for("return location.pathname.endsWith('session-2.html')");
    visit.browser.run("document.querySelectorAll('.site a')[1].click()");
    visit.browser.wait_for("return location.pathname.endsWith('projects/home_dev_parser.html')");
    visit.browser.press("/");
    visit
        .browser
        .wait_for("return !!document.activeElement && document.activeElement.id === 'search'");
    visit.check_quiet();
}
