//! What a browser makes of pages: nothing goes wrong, nothing is loaded, keys work, and a
//! narrow window shows everything.
//!
//! Without Chromium and its driver these tests say so and pass; `cargo xtask test` installs
//! both.

mod driver;

use std::fs;
use std::path::PathBuf;
use unspool_testkit::markup::HOSTILE;

use serde_json::{Value, json};
use tempfile::TempDir;

use self::driver::{Absent, Browser};
use crate::surface::painted;
use crate::{sample, site};

/// Pages in a folder, and a browser that looks at them.
struct Visit {
    browser: Browser,
    folder: TempDir,
}

impl Visit {
    /// Starts a browser, or says that there is none.
    #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
    fn begin() -> Option<Self> {
        match Browser::start() {
            Ok(browser) => Some(Self {
                browser,
                folder: tempfile::tempdir().expect("a folder"),
            }),
            Err(Absent::NotInstalled) => {
                eprintln!("skipped: chromedriver is not installed");
                None
            }
            Err(Absent::Broken(why)) => panic!("the browser does not start: {why}"),
        }
    }

    /// Writes a site of five sessions.
    fn write_site(&self) {
        let sessions = (0..5).map(site::session).collect();
        site::write(self.folder.path(), sessions, 0..5);
    }

    /// Writes a transcript's pages and returns the first.
    fn write(&self, book: &crate::paper::Book) -> PathBuf {
        for (index, page) in (1u32..).zip(&book.pages) {
            let name = unspool_render::document::Paper::page_name(book, index);
            fs::write(self.folder.path().join(name), page).expect("written");
        }
        self.folder.path().join("transcript_x.html")
    }

    /// Fails if the page complained, or asked for anything but files of the folder.
    fn check_quiet(&mut self) {
        assert_eq!(self.browser.console(), Vec::<String>::new());
        let folder = format!("file://{}", self.folder.path().display());
        for address in self.browser.requests() {
            let own = address.starts_with(&folder) || address.starts_with("data:");
            assert!(own, "{address}");
        }
    }

    fn number(&mut self, script: &str) -> i64 {
        let value = self.browser.run(&format!("return {script};"));
        value
            .as_i64()
            .unwrap_or_else(|| panic!("{script}: {value}"))
    }
}

#[test]
fn pages_are_quiet_and_fit_narrow_windows() {
    let Some(mut visit) = Visit::begin() else {
        return;
    };
    let page = visit.write(&painted(&sample::everything()));
    for (width, scheme) in [
        (1400, "light"),
        (1400, "dark"),
        (390, "light"),
        (390, "dark"),
    ] {
        visit.browser.open(&page, width, 900, scheme);
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

#[test]
fn text_can_be_read_in_both_themes() {
    let Some(mut visit) = Visit::begin() else {
        return;
    };
    let page = visit.write(&painted(&sample::everything()));
    for scheme in ["light", "dark"] {
        visit.browser.open(&page, 1400, 900, scheme);
        visit.browser.press("o");
        let faint = visit.browser.run(CONTRAST);
        assert_eq!(faint, json!([]), "{scheme}");
    }
}

/// Finds texts whose contrast to their background is below 4.5.
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
    if (rgb(color)[3] > 0) return color;
  }
  return "white";
};
const faint = new Set();
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  const element = node.parentElement;
  if (!node.data.trim() || !element.checkVisibility() || element.closest("script")) continue;
  const [a, b] = [light(getComputedStyle(element).color), light(backdrop(element))];
  const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (contrast < 4.5) faint.add(element.className + "|" + node.data.trim().slice(0, 30) + "|" + contrast.toFixed(2));
}
return [...faint];
"#;

#[test]
fn keys_move_fold_and_find() {
    let Some(mut visit) = Visit::begin() else {
        return;
    };
    let page = visit.write(&painted(&sample::everything()));
    visit.browser.open(&page, 1400, 700, "light");
    let browser = &mut visit.browser;
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
    browser.press("\u{e00c}");
    browser.wait_for("return !document.querySelector('dialog').open");
    visit.check_quiet();
}

#[test]
fn the_search_opens_what_is_folded() {
    let Some(mut visit) = Visit::begin() else {
        return;
    };
    let page = visit.write(&painted(&sample::everything()));
    visit.browser.open(&page, 1400, 700, "light");
    let browser = &mut visit.browser;
    browser.press("/");
    browser.wait_for("return document.activeElement.id === 'find'");
    browser.press("END OF THE FILE");
    browser.wait_for("return document.querySelector('#found').textContent === '2'");
    browser.press("\u{e007}\u{e007}");
    browser.wait_for("return document.querySelector('#found').textContent.startsWith('2 /')");
    browser.press("\u{e007}");
    browser.wait_for("return document.querySelector('#found').textContent.startsWith('1 /')");
    let seen = "const range = [...CSS.highlights.get('found-now')][0];
        const box = range.getBoundingClientRect();
        return range.toString().toLowerCase() === 'end of the file' && box.height > 0 && box.top > 0 && box.bottom < innerHeight";
    browser.wait_for(seen);
    browser.press("\u{e00c}");
    browser.wait_for("return CSS.highlights.get('found').size === 0");
    visit.check_quiet();
}

#[test]
fn links_lead_into_folded_things() {
    let Some(mut visit) = Visit::begin() else {
        return;
    };
    let page = visit.write(&painted(&sample::everything()));
    visit.browser.open(&page, 390, 700, "light");
    visit
        .browser
        .go(&format!("file://{}#e-0000-61", page.display()));
    let seen = "const box = document.getElementById('e-0000-61').getBoundingClientRect();
        return box.height > 0 && box.top >= 0 && box.top < innerHeight";
    visit.browser.wait_for(seen);
    visit
        .browser
        .go(&format!("file://{}#turn-2", page.display()));
    visit.browser.wait_for(
        "return Math.abs(document.getElementById('turn-2').getBoundingClientRect().top) < 200",
    );
    visit.browser.run("document.querySelector('.menu').click()");
    visit
        .browser
        .wait_for("return document.querySelector('#outline').getBoundingClientRect().left === 0");
    visit
        .browser
        .run("document.querySelector('#outline .turns a').click()");
    visit.browser.wait_for("return location.hash === '#turn-1' && document.querySelector('.menu').getAttribute('aria-expanded') === 'false'");
    visit.check_quiet();
}

#[test]
fn code_can_be_copied() {
    let Some(mut visit) = Visit::begin() else {
        return;
    };
    let page = visit.write(&painted(&sample::everything()));
    visit.browser.open(&page, 1400, 900, "light");
    let grant = json!({ "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"] });
    visit.browser.devtools("Browser.grantPermissions", &grant);
    visit
        .browser
        .wait_for("return !!document.querySelector('.prose .copy')");
    // The button says so for a moment only, which a slow machine may miss.
    let watch = "const button = document.querySelector('.prose .copy');
        window.said = [];
        new MutationObserver(() => window.said.push(button.textContent))
          .observe(button, { childList: true, characterData: true, subtree: true });
        button.focus()";
    visit.browser.run(watch);
    visit.browser.press("\u{e007}");
    visit.browser.wait_for("return window.said.length > 0");
    assert_eq!(visit.browser.run("return window.said[0]"), json!("Copied"));
    visit.check_quiet();
}

#[test]
fn hostile_pages_do_nothing() {
    let Some(mut visit) = Visit::begin() else {
        return;
    };
    let text = HOSTILE.join("\n\n") + &"<b>".repeat(300_000);
    let page = visit.write(&painted(&sample::made_of(&text)));
    visit.browser.open(&page, 390, 900, "light");
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

#[test]
fn the_policy_stops_what_is_not_ours() {
    let Some(mut visit) = Visit::begin() else {
        return;
    };
    let book = painted(&sample::everything());
    // As if something had got through.
    let page = book.texts()[0].replace(
        "</main>",
        "</main><script>window.hacked = 1</script><img src=\"https://example.invalid/x.png\">",
    );
    let file = visit.folder.path().join("bad.html");
    fs::write(&file, page).expect("written");
    visit.browser.open(&file, 1400, 900, "light");
    assert_eq!(
        visit.browser.run("return window.hacked === undefined"),
        Value::Bool(true)
    );
    let mut complaints = String::new();
    visit.browser.wait_until("two complaints", |browser| {
        complaints += &browser.console().join("\n");
        complaints.matches("violates").count() >= 2
    });
    assert!(
        complaints.contains("Content Security Policy"),
        "{complaints}"
    );
    assert_eq!(complaints.matches("violates").count(), 2, "{complaints}");
}

#[test]
fn long_transcripts_open_at_once() {
    let Some(mut visit) = Visit::begin() else {
        return;
    };
    let page = visit.write(&painted(&sample::long(200)));
    visit.browser.open(&page, 1400, 900, "light");
    visit
        .browser
        .run("document.querySelector('.steps .next').click()");
    visit
        .browser
        .wait_for("return location.pathname.endsWith('transcript_x_2.html')");
    visit
        .browser
        .run("document.querySelector('#outline a[href$=\"#turn-1\"]').click()");
    visit.browser.wait_for(
        "return location.pathname.endsWith('transcript_x.html') && location.hash === '#turn-1'",
    );
    visit.check_quiet();
}

/// Tells whether the words of a search are marked and one of them in the turn is in sight.
const LANDED: &str = "const now = [...(CSS.highlights.get('found-now') || [])][0];
    const box = now && now.getBoundingClientRect();
    return !!now && ['plan', 'looks'].includes(now.toString()) && CSS.highlights.get('found').size > 1
        && document.querySelector('#turn-2').contains(now.startContainer)
        && box.height > 0 && box.top > 0 && box.bottom < innerHeight";

#[test]
fn the_search_of_a_site_is_driven_by_keys() {
    let Some(mut visit) = Visit::begin() else {
        return;
    };
    visit.write_site();
    let index = visit.folder.path().join("index.html");
    visit.browser.open(&index, 1400, 900, "light");
    let browser = &mut visit.browser;
    let (enter, escape) = ("\u{e007}", "\u{e00c}");
    let (up, down) = ("\u{e013}", "\u{e015}");
    browser.press("/plan looks");
    browser.wait_for("return document.querySelectorAll('#results a').length === 5");
    browser.wait_for("return location.hash === '#q=plan%20looks'");
    browser.press(&format!("{down}{down}{up}"));
    let first = "return document.activeElement === document.querySelector('#results a')";
    browser.wait_for(first);
    browser.press(up);
    browser.wait_for("return document.activeElement.id === 'search'");
    browser.press(down);
    browser.press(escape);
    browser.wait_for("return document.activeElement.id === 'search' && document.activeElement.value === 'plan looks'");
    browser.press(&format!("{down}{down}{enter}"));
    browser.wait_for("return location.pathname.endsWith('transcript_session-3.html')");
    browser.wait_for(LANDED);
    // The way back leads to the same results.
    browser.go(&format!("file://{}#q=plan%20looks", index.display()));
    browser.wait_for("return document.querySelectorAll('#results a').length === 5");
    browser.press("/");
    browser.press(escape);
    browser.wait_for("return document.querySelectorAll('#results a').length === 0");
    browser.press(&format!("zebra1{enter}"));
    browser.wait_for("return location.pathname.endsWith('transcript_session-1.html')");
    visit.check_quiet();
}

#[test]
fn the_way_back_from_a_hit_leads_to_the_query_and_its_results() {
    let Some(mut visit) = Visit::begin() else {
        return;
    };
    visit.write_site();
    let index = visit.folder.path().join("index.html");
    visit.browser.open(&index, 1400, 900, "light");
    let browser = &mut visit.browser;
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

#[test]
fn nothing_lies_on_code_in_a_narrow_window() {
    let Some(mut visit) = Visit::begin() else {
        return;
    };
    let page = visit.write(&painted(&sample::everything()));
    visit.browser.open(&page, 390, 900, "light");
    visit.browser.press("o");
    visit
        .browser
        .wait_for("return document.querySelectorAll('.code > .copy').length > 2");
    let covered = "return [...document.querySelectorAll('.code > .copy')].filter((copy) => {
        const range = document.createRange();
        range.selectNodeContents(copy.parentElement.querySelector('code'));
        const box = copy.getBoundingClientRect();
        return [...range.getClientRects()].some((line) => line.top < box.bottom - 1 && line.bottom > box.top + 1);
    }).length";
    assert_eq!(visit.browser.run(covered), json!(0));
}

#[test]
fn changes_side_by_side_use_a_wide_window() {
    let Some(mut visit) = Visit::begin() else {
        return;
    };
    let page = visit.write(&painted(&sample::everything()));
    visit.browser.open(&page, 1600, 900, "light");
    let diff = "Math.round(document.querySelector('.diff').getBoundingClientRect().width)";
    let prose =
        "Math.round(document.querySelector('.msg.answer > .prose').getBoundingClientRect().width)";
    let (before, text) = (visit.number(diff), visit.number(prose));
    visit.browser.press("s");
    assert!(visit.number(diff) > before + 300, "{before}");
    assert!(visit.number(prose) <= text, "lines of text stay short");
}

#[test]
fn a_site_is_searched_without_a_server() {
    let Some(mut visit) = Visit::begin() else {
        return;
    };
    visit.write_site();
    let index = visit.folder.path().join("index.html");
    for width in [1400, 390] {
        visit.browser.open(&index, width, 900, "light");
        let overflow = visit.number("document.documentElement.scrollWidth - innerWidth");
        assert_eq!(overflow, 0, "at {width}");
    }
    let browser = &mut visit.browser;
    browser.press("/");
    browser.press("Zebra3");
    let results = "return [...document.querySelectorAll('#results a')].map((a) => a.getAttribute('href')).join()";
    let only = "sessions/transcript_session-3.html?find=Zebra3";
    browser.wait_for(&format!("{results} === '{only}'"));
    browser.run("document.querySelector('#search').select()");
    // Each word is in a turn, and no turn has both.
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
    visit
        .browser
        .run("document.querySelector('#results a').click()");
    visit
        .browser
        .wait_for("return location.hash === '#turn-2' && !!document.querySelector('.site .prev')");
    // The words are marked, and the first of the turn is in sight.
    visit.browser.wait_for(LANDED);
    visit.check_quiet();
    visit
        .browser
        .run("document.querySelector('.site .prev').click()");
    visit
        .browser
        .wait_for("return location.pathname.endsWith('session-2.html')");
    visit
        .browser
        .run("document.querySelectorAll('.site a')[1].click()");
    visit
        .browser
        .wait_for("return location.pathname.endsWith('projects/home_dev_parser.html')");
    visit.browser.press("/");
    visit
        .browser
        .wait_for("return !!document.activeElement && document.activeElement.id === 'search'");
    visit.check_quiet();
}
