//! Pages as they are read: without errors, harmless, of any width, in both themes.

use std::fs;

use serde_json::{Value, json};
use unspool_testkit::browser::{Browser, BrowserScreen, ColourScheme, ENTER};
use unspool_testkit::markup::HOSTILE;

use super::Visit;
use crate::sample;
use crate::surface::painted;

pub(super) fn pages_are_quiet_and_fit_narrow_windows(browser: &mut Browser) {
    let mut visit = Visit::new(browser);
    let page = visit.write(&painted(&sample::everything()));
    for (width, scheme) in [
        (1400, ColourScheme::Light),
        (1400, ColourScheme::Dark),
        (390, ColourScheme::Light),
        (390, ColourScheme::Dark),
    ] {
        visit.browser.open(&page, BrowserScreen::new(width, 900).with_scheme(scheme));
        visit.check_quiet();
        let overflow = "document.documentElement.scrollWidth - innerWidth";
        assert_eq!(visit.number(overflow), 0, "closed at {width}");
        visit.browser.press("o");
        assert_eq!(visit.number(overflow), 0, "open at {width}");
        visit.browser.press("s");
        assert_eq!(visit.number(overflow), 0, "side by side at {width}");
        visit.browser.press("s");
        visit.check_quiet();
    }
}

pub(super) fn text_can_be_read_in_both_themes(browser: &mut Browser) {
    let visit = Visit::new(browser);
    let page = visit.write(&painted(&sample::everything()));
    for scheme in [ColourScheme::Light, ColourScheme::Dark] {
        visit.browser.open(&page, BrowserScreen::new(1400, 900).with_scheme(scheme));
        visit.browser.press("o");
        let faint = visit.browser.faint_texts();
        assert_eq!(faint, json!([]), "{scheme:?}");
    }
}

pub(super) fn links_lead_into_folded_things(browser: &mut Browser) {
    let mut visit = Visit::new(browser);
    let page = visit.open_everything(BrowserScreen::new(390, 700));
    visit.browser.go(&format!("file://{}#e-0000-61", page.display()));
    let seen = "const box = document.getElementById('e-0000-61').getBoundingClientRect();
        return box.height > 0 && box.top >= 0 && box.top < innerHeight";
    visit.browser.wait_for(seen);
    visit.browser.go(&format!("file://{}#turn-2", page.display()));
    visit.browser.wait_for(
        "return Math.abs(document.getElementById('turn-2').getBoundingClientRect().top) < 200",
    );
    visit.browser.run("document.querySelector('.menu').click()");
    visit
        .browser
        .wait_for("return document.querySelector('#outline').getBoundingClientRect().left === 0");
    visit.browser.run("document.querySelector('#outline .turns a').click()");
    visit.browser.wait_for("return location.hash === '#turn-1' && document.querySelector('.menu').getAttribute('aria-expanded') === 'false'");
    visit.check_quiet();
}

pub(super) fn code_can_be_copied(browser: &mut Browser) {
    let mut visit = Visit::new(browser);
    visit.open_everything(BrowserScreen::new(1400, 900));
    let grant = json!({ "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"] });
    visit.browser.devtools("Browser.grantPermissions", &grant);
    visit.browser.wait_for("return !!document.querySelector('.prose .copy')");
    // The button shows this for a moment only, which a slow machine may miss.
    let watch = "const button = document.querySelector('.prose .copy');
        window.said = [];
        new MutationObserver(() => window.said.push(button.textContent))
          .observe(button, { childList: true, characterData: true, subtree: true });
        button.focus()";
    visit.browser.run(watch);
    visit.browser.press(ENTER);
    visit.browser.wait_for("return window.said.length > 0");
    assert_eq!(visit.browser.run("return window.said[0]"), json!("Copied"));
    visit.check_quiet();
}

pub(super) fn hostile_pages_do_nothing(browser: &mut Browser) {
    let mut visit = Visit::new(browser);
    // Many times deeper than a browser nests elements. Ten times as many take the browser a minute,
    // and many minutes on a busy machine: the text is at twenty places of the page.
    let text = HOSTILE.join("\n\n") + &"<b>".repeat(30_000);
    let page = visit.write(&painted(&sample::made_of(&text)));
    visit.browser.open(&page, BrowserScreen::new(390, 900));
    visit.check_quiet();
    visit.browser.press("o");
    visit.browser.press("j");
    let foreign = "return [...document.querySelectorAll('*')].filter((e) => e.namespaceURI !== 'http://www.w3.org/1999/xhtml' || ['IFRAME', 'OBJECT', 'EMBED', 'FORM', 'BASE', 'SVG'].includes(e.tagName) || [...e.attributes].some((a) => a.name.startsWith('on') || a.name === 'style')).length";
    assert_eq!(visit.browser.run(foreign), json!(0));
    let scripts = visit.browser.run("return document.scripts.length");
    assert_eq!(scripts, json!(1));
    let overflow = visit.number("document.documentElement.scrollWidth - innerWidth");
    assert_eq!(overflow, 0);
    visit.check_quiet();
}

pub(super) fn the_policy_stops_what_is_not_ours(browser: &mut Browser) {
    let visit = Visit::new(browser);
    let book = painted(&sample::everything());
    // As if markup of a log had got through.
    let page = book.texts()[0].replace(
        "</main>",
        "</main><script>window.hacked = 1</script><img src=\"https://example.invalid/x.png\">",
    );
    let file = visit.folder.path().join("bad.html");
    fs::write(&file, page).expect("written");
    visit.browser.open(&file, BrowserScreen::new(1400, 900));
    assert_eq!(visit.browser.run("return window.hacked === undefined"), Value::Bool(true));
    let mut complaints = String::new();
    visit.browser.wait_until("two complaints", |browser| {
        complaints += &browser.console().join("\n");
        complaints.matches("violates").count() >= 2
    });
    assert!(complaints.contains("Content Security Policy"), "{complaints}");
    assert_eq!(complaints.matches("violates").count(), 2, "{complaints}");
}

pub(super) fn long_transcripts_open_at_once(browser: &mut Browser) {
    let mut visit = Visit::new(browser);
    let page = visit.write(&painted(&sample::long(200)));
    visit.browser.open(&page, BrowserScreen::new(1400, 900));
    visit.browser.run("document.querySelector('.steps .next').click()");
    visit.browser.wait_for("return location.pathname.endsWith('transcript_x_2.html')");
    visit.browser.run("document.querySelector('#outline a[href$=\"#turn-1\"]').click()");
    visit.browser.wait_for(
        "return location.pathname.endsWith('transcript_x.html') && location.hash === '#turn-1'",
    );
    visit.check_quiet();
}

pub(super) fn nothing_lies_on_code_in_a_narrow_window(browser: &mut Browser) {
    let mut visit = Visit::new(browser);
    visit.open_everything(BrowserScreen::new(390, 900));
    visit.browser.press("o");
    visit.browser.wait_for("return document.querySelectorAll('.code > .copy').length > 2");
    let covered = "return [...document.querySelectorAll('.code > .copy')].filter((copy) => {
        const range = document.createRange();
        range.selectNodeContents(copy.parentElement.querySelector('code'));
        const box = copy.getBoundingClientRect();
        return [...range.getClientRects()].some((line) => line.top < box.bottom - 1 && line.bottom > box.top + 1);
    }).length";
    assert_eq!(visit.browser.run(covered), json!(0));
}

pub(super) fn changes_side_by_side_use_a_wide_window(browser: &mut Browser) {
    let mut visit = Visit::new(browser);
    visit.open_everything(BrowserScreen::new(1600, 900));
    let diff = "Math.round(document.querySelector('.diff').getBoundingClientRect().width)";
    let prose =
        "Math.round(document.querySelector('.msg.answer > .prose').getBoundingClientRect().width)";
    let (before, text) = (visit.number(diff), visit.number(prose));
    visit.browser.press("s");
    assert!(visit.number(diff) > before + 300, "{before}");
    assert!(visit.number(prose) <= text, "lines of text stay short");
}
