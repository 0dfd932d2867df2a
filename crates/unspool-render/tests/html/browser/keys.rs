//! What keys do on a transcript.

use serde_json::json;
use unspool_testkit::browser::{Browser, BrowserScreen, ENTER, ESCAPE};

use super::Visit;
use crate::sample;
use crate::surface::painted;

pub(super) fn keys_move_fold_and_find(browser: &mut Browser) {
    let mut visit = Visit::new(browser);
    let page = visit.write(&painted(&sample::everything()));
    visit.browser.open(&page, BrowserScreen::new(1400, 700));
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
    browser.press(ESCAPE);
    browser.wait_for("return !document.querySelector('dialog').open");
    visit.check_quiet();
}

pub(super) fn the_search_opens_what_is_folded(browser: &mut Browser) {
    let mut visit = Visit::new(browser);
    let page = visit.write(&painted(&sample::everything()));
    visit.browser.open(&page, BrowserScreen::new(1400, 700));
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
