//! Keys on the page of a transcript.

use std::fs;

use serde_json::json;
use unspool_render::html::{assets, key_help};
use unspool_render::keys::KeyContext;
use unspool_testkit::browser::{Browser, BrowserScreen, CONTROL, ENTER, ESCAPE};
use unspool_testkit::markup::check_vocabulary;
use unspool_text::html::Html;

use super::Visit;

pub(super) fn keys_move_fold_and_find(browser: &mut Browser) {
    let mut visit = Visit::new(browser);
    visit.open_everything(BrowserScreen::new(1400, 700));
    let browser = &mut *visit.browser;
    browser.press("jj");
    browser.wait_for("return document.activeElement.getAttribute('href') === '#turn-2'");
    browser.press("k");
    browser.wait_for("return document.activeElement.getAttribute('href') === '#turn-1'");
    browser.press("n");
    browser.wait_for("return !!document.activeElement.closest('.call')");
    let open = "return document.querySelectorAll('main details[open]').length";
    let before = browser.run(open);
    browser.press("o");
    browser.wait_for("return document.querySelectorAll('main details:not([open])').length === 0");
    browser.press("o");
    browser.wait_for("return document.querySelectorAll('main details[open]').length === 0");
    assert_ne!(before, json!(0), "some things are open from the start");
    browser.press("t");
    browser.wait_for("return document.documentElement.dataset.theme === 'dark'");
    browser.press("?");
    browser.wait_for("return document.querySelector('dialog').open");
    browser.keep_shot("help-of-an-exported-page");
    browser.press(ESCAPE);
    browser.wait_for("return !document.querySelector('dialog').open");
    visit.check_quiet();
}

pub(super) fn the_search_opens_what_is_folded(browser: &mut Browser) {
    let mut visit = Visit::new(browser);
    visit.open_everything(BrowserScreen::new(1400, 700));
    let browser = &mut *visit.browser;
    browser.press("/");
    browser.wait_for("return document.activeElement.id === 'find'");
    browser.press("END OF THE FILE");
    browser.wait_for("return document.querySelector('#found').textContent === '2'");
    browser.press(&ENTER.repeat(2));
    browser.wait_for("return document.querySelector('#found').textContent.startsWith('2 /')");
    browser.press(ENTER);
    browser.wait_for("return document.querySelector('#found').textContent.startsWith('1 /')");
    let seen = "const range = [...CSS.highlights.get('found-now')][0];
        const box = range.getBoundingClientRect();
        return range.toString().toLowerCase() === 'end of the file' && box.height > 0 && box.top > 0 && box.bottom < innerHeight";
    browser.wait_for(seen);
    browser.press(ESCAPE);
    browser.wait_for("return CSS.highlights.get('found').size === 0");
    visit.check_quiet();
}

/// Presses a key, and waits until the focus is in a matching element that is in view.
fn leads_to(browser: &mut Browser, key: &str, selector: &str) {
    browser.press(key);
    browser.wait_for(&format!(
        "const at = document.activeElement.closest('{selector}');
         const box = at && at.getBoundingClientRect();
         return !!at && box.top >= 0 && box.top < innerHeight"
    ));
}

/// Returns the index of the matching element that contains the focus, or -1.
fn place_among(browser: &mut Browser, selector: &str) -> i64 {
    let script = format!(
        "return [...document.querySelectorAll('{selector}')].findIndex((e) => e.contains(document.activeElement))"
    );
    browser.run(&script).as_i64().expect("a number")
}

/// Presses a key that moves the focus to another matching element, and returns its index.
fn moves_among(browser: &mut Browser, key: &str, selector: &str) -> i64 {
    let before = place_among(browser, selector);
    browser.press(key);
    browser.wait_until(key, |browser| {
        let now = place_among(browser, selector);
        now >= 0 && now != before
    });
    place_among(browser, selector)
}

pub(super) fn keys_lead_to_messages_errors_changes_and_ends(browser: &mut Browser) {
    let mut visit = Visit::new(browser);
    visit.open_everything(BrowserScreen::new(1400, 700));
    let browser = &mut *visit.browser;
    leads_to(browser, "]", "h2 a[href=\"#turn-1\"]");
    leads_to(browser, "]", "h2 a[href=\"#turn-2\"]");
    leads_to(browser, "[", "h2 a[href=\"#turn-1\"]");
    let first = moves_among(browser, "}", ".msg");
    assert!(moves_among(browser, "}", ".msg") > first);
    assert_eq!(moves_among(browser, "{", ".msg"), first);
    leads_to(browser, "c", ".call.change");
    let errors = ".call.failed, .msg.error";
    let error = moves_among(browser, "e", errors);
    assert_ne!(moves_among(browser, "e", errors), error);
    assert_eq!(moves_among(browser, "E", errors), error);
    leads_to(browser, "C", ".call.change");
    let call = moves_among(browser, "n", ".call");
    assert_ne!(moves_among(browser, "n", ".call"), call);
    assert_eq!(moves_among(browser, "N", ".call"), call);
    browser.press("G");
    browser.wait_for("return innerHeight + scrollY >= document.documentElement.scrollHeight - 2");
    // A key that does not continue a sequence acts on its own.
    browser.press("gt");
    browser.wait_for("return document.documentElement.dataset.theme === 'dark' && scrollY > 0");
    browser.press("gg");
    browser.wait_for("return scrollY === 0");
    leads_to(browser, "P", "#paths a");
    // Every error is reached, even near the end of the page.
    let errors =
        visit.number("document.querySelectorAll('main .call.failed, main .msg.error').length");
    let browser = &mut *visit.browser;
    browser.press("gg");
    browser.wait_for("return scrollY === 0");
    browser.press(&"e".repeat(errors as usize + 3));
    browser.wait_for(
        "const all = [...document.querySelectorAll('main .call.failed, main .msg.error')];
         return all.at(-1).contains(document.activeElement)",
    );
    visit.check_quiet();
}

pub(super) fn what_is_folded_away_is_unfolded_for_a_change(browser: &mut Browser) {
    let mut visit = Visit::new(browser);
    visit.open_everything(BrowserScreen::new(1400, 700));
    let browser = &mut *visit.browser;
    // As if an agent had made the change.
    browser.run(
        "const agent = document.querySelector('details.agent');
         agent.open = false;
         agent.querySelector('.inside').append(document.querySelector('.call.change'));",
    );
    leads_to(browser, "c", "details.agent[open] .call.change");
    visit.check_quiet();
}

pub(super) fn keys_of_one_character_can_be_switched_off(browser: &mut Browser) {
    let mut visit = Visit::new(browser);
    visit.open_everything(BrowserScreen::new(1400, 900));
    let browser = &mut *visit.browser;
    let theme = "return document.documentElement.dataset.theme || ''";
    browser.press("?");
    browser.wait_for("return document.querySelector('dialog').open");
    browser.click("[data-setting=letters]");
    browser.press(ESCAPE);
    browser.wait_for("return !document.querySelector('dialog').open");
    browser.press("t?");
    assert_eq!(browser.run(theme), json!(""));
    browser.reload();
    browser.press("t?");
    assert_eq!(browser.run(theme), json!(""));
    assert_eq!(browser.run("return document.querySelector('dialog').open"), json!(false));
    browser.click("button[data-do=help]");
    browser.wait_for(
        "return document.querySelector('dialog').open && !document.querySelector('[data-setting=letters]').checked",
    );
    browser.click("[data-setting=letters]");
    // The key works while the box has the focus.
    browser.press("?");
    browser.wait_for("return !document.querySelector('dialog').open");
    browser.press("t");
    assert_eq!(browser.run(theme), json!("dark"));
    browser.press_with(&[CONTROL], "t");
    assert_eq!(browser.run(theme), json!("dark"));
    visit.check_quiet();
}

pub(super) fn markup_that_comes_later_works(browser: &mut Browser) {
    let mut visit = Visit::new(browser);
    visit.open_everything(BrowserScreen::new(1400, 900));
    let browser = &mut *visit.browser;
    browser.press("so");
    browser.wait_for("return document.querySelectorAll('main details:not([open])').length === 0");
    // Like a page that loads more: turns come as markup and are passed on.
    browser.run(
        "const turns = [...document.querySelectorAll('.turn[id]')];
         const [first] = turns.map((turn) => turn.cloneNode(true));
         for (const details of first.querySelectorAll('details')) details.open = false;
         for (const twin of first.querySelectorAll('.twin')) twin.remove();
         for (const row of first.querySelectorAll('.both')) row.classList.remove('both');
         for (const copy of first.querySelectorAll('.copy')) copy.remove();
         first.id = 'turn-new';
         first.querySelector('h2 a').href = '#turn-new';
         document.querySelector('main').append(first);
         const entry = document.querySelector('#outline .turns li:has(a)').cloneNode(true);
         entry.querySelector('a').setAttribute('href', '#turn-new');
         document.querySelector('#outline .turns').append(entry);
         window.unspool.adopt(first);",
    );
    let all = "const turn = document.getElementById('turn-new');
         return turn.querySelectorAll('details:not([open])').length === 0
           && turn.querySelectorAll('.twin').length === document.getElementById('turn-1').querySelectorAll('.twin').length";
    browser.wait_for(all);
    browser.press(&"j".repeat(20));
    browser.wait_for("return document.activeElement.getAttribute('href') === '#turn-new'");
    browser.wait_for("return !!document.querySelector('#turn-new .code > .copy')");
    browser.wait_for(
        "return document.querySelector('#outline [aria-current]').getAttribute('href') === '#turn-new'",
    );
    // Other scripts define actions of their own.
    browser.run("window.unspool.define('theme', () => { window.mine = true; })");
    browser.press("t");
    browser.wait_for("return window.mine === true");
    visit.check_quiet();
}

/// The policy of a server, for files.
const STRICT: &str = "default-src 'none'; style-src 'self' file:; script-src 'self' file:; \
    base-uri 'none'; require-trusted-types-for 'script'; trusted-types unspool";

pub(super) fn server_pages_share_keys_and_script(browser: &mut Browser) {
    let mut visit = Visit::new(browser);
    let mut html = Html::new();
    html.tag("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\"");
    html.attribute("content", STRICT).tag(">");
    html.tag("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    html.tag("<title>Sessions</title><link rel=\"stylesheet\" href=\"style.css\">");
    html.tag("<script src=\"script.js\" defer></script></head>\n<body class=\"lists\"><main>");
    html.tag(
        "<ul class=\"rows\"><li><a href=\"#1\">One</a></li><li><a href=\"#2\">Two</a></li></ul>",
    );
    html.tag("</main>\n");
    key_help(KeyContext::Page, &mut html);
    html.tag("</body></html>\n");
    check_vocabulary(html.as_str());
    let file = |name: &str| visit.folder.path().join(name);
    fs::write(file("style.css"), assets::STYLE).expect("written");
    fs::write(file("script.js"), assets::SCRIPT).expect("written");
    fs::write(file("list.html"), html.as_str()).expect("written");
    let page = file("list.html");
    for screen in [BrowserScreen::WIDE, BrowserScreen::NARROW.dark()] {
        visit.browser.open(&page, screen);
        let browser = &mut *visit.browser;
        leads_to(browser, "j", "a[href=\"#1\"]");
        leads_to(browser, "j", "a[href=\"#2\"]");
        leads_to(browser, "k", "a[href=\"#1\"]");
        // Keys without a defined action do nothing.
        browser.press("xgtyy");
        browser.run("window.unspool.define('go-tree', () => { window.went = true; })");
        browser.press("gt");
        browser.wait_for("return window.went === true");
        browser.press("?");
        browser.wait_for("return document.querySelector('dialog').open");
        let overflow = "const box = document.querySelector('dialog');
            return box.scrollWidth <= box.clientWidth && document.documentElement.scrollWidth <= innerWidth";
        assert_eq!(browser.run(overflow), json!(true));
        let width = browser.run("return innerWidth");
        browser.keep_shot(&format!("help-of-a-server-page-{width}"));
        visit.check_quiet();
    }
}
