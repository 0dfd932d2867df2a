//! Cards, deadlines and plans on pages that drive.
//!
//! Without Chromium and its driver these tests print a note and pass.

use serde_json::json;
use unspool_testkit::browser::{Browser, BrowserScreen, ENTER, ESCAPE};
use unspool_testkit::process::signal;
use unspool_testkit::{browser_cases, session, uuid};

use super::page::Page;

#[test]
fn runs_are_answered_limited_and_planned_from_a_browser() {
    browser_cases![
        a_long_request_is_held_back_until_its_end_was_in_sight,
        the_end_is_reached_by_keys,
        keys_answer_the_card_that_has_the_focus,
        consequences_are_said,
        deadlines_count_down_and_are_switched_off,
        a_run_is_shown_before_it_starts,
        processes_that_are_left_are_named,
        links_of_runs_name_the_project_where_two_have_the_id,
    ];
}

/// The button that allows a call once.
const ALLOW: &str = "document.querySelector('.approval [data-press=\"1\"]')";
/// The scrollable box of a request.
const REQUEST: &str = "document.querySelector('.approval .request')";

/// A prompt whose call is longer than the visible box.
fn long_call() -> String {
    let lines: Vec<String> = (0..900).map(|line| format!("# line {line} of many")).collect();
    format!("Go [[bash: touch made\n{}\n# the very end]]", lines.join("\n"))
}

/// Sets a prompt that is too long to type, and sends it.
fn send_long(page: &mut Page<'_>) {
    let text = json!(long_call());
    page.browser.run(&format!("document.querySelector('#composer textarea').value = {text}"));
    page.send(" ");
    page.wait_for_card("tool");
}

fn a_long_request_is_held_back_until_its_end_was_in_sight(browser: &mut Browser) {
    let mut page = Page::open(browser);
    send_long(&mut page);
    page.wait(&format!("{ALLOW}.disabled && {REQUEST}.querySelector('details')"));
    page.wait("document.querySelector('.approval .hold').offsetParent");
    page.keep_shots("held-back");
    // Its end does not suffice while a part of it is folded.
    page.browser.run(&format!("{REQUEST}.scrollTop = {REQUEST}.scrollHeight"));
    page.wait(&format!("{REQUEST}.scrollTop > 0 && {ALLOW}.disabled"));
    page.browser.run(&format!("{REQUEST}.querySelector('summary').click()"));
    page.wait(&format!("{REQUEST}.querySelector('details').open"));
    page.wait(&format!(
        "{REQUEST}.scrollTop + {REQUEST}.clientHeight < {REQUEST}.scrollHeight - 2 && {ALLOW}.disabled"
    ));
    // A button that is held back sends nothing, but a refusal is possible.
    page.wait("!document.querySelector('.approval .deny button').disabled");
    page.browser.run(&format!("{REQUEST}.scrollTop = {REQUEST}.scrollHeight"));
    page.wait(&format!("!{ALLOW}.disabled"));
    page.wait("document.querySelector('.approval .hold').hidden");
    // The state is kept when the card is painted again.
    page.send("another");
    page.wait_for_queue(1);
    page.wait(&format!("!{ALLOW}.disabled"));
    page.allow();
    page.wait_for_state("idle");
    assert!(page.driven.place.has("made"));
}

fn the_end_is_reached_by_keys(browser: &mut Browser) {
    let mut page = Page::open(browser);
    send_long(&mut page);
    page.wait(&format!("{ALLOW}.disabled"));
    page.focus(".approval");
    page.browser.press("1");
    page.wait_for_words(".said", "Read it to its end first");
    assert_eq!(page.driven.place.calls_run().len(), 0);
    // Screen readers and keyboards have a button that leads to the end.
    page.focus(".approval [data-to-end]");
    page.press_until(ENTER, "document.activeElement.matches('.end')");
    page.wait(&format!("!{ALLOW}.disabled"));
    page.browser.press("1");
    page.wait_for_state("idle");
    assert_eq!(page.driven.place.calls_run().len(), 1);
}

fn keys_answer_the_card_that_has_the_focus(browser: &mut Browser) {
    let mut page = Page::open(browser);
    page.send("Go [[bash: touch one]] [[bash: touch two]]");
    page.wait_for_card("tool");
    // Without the focus, the key answers nothing and triggers nothing else.
    page.browser.run("document.activeElement.blur()");
    page.browser.press("1");
    page.focus(".approval");
    let focused = "document.activeElement";
    page.press_until("3", &format!("{focused}.matches('.approval [name=words]')"));
    // In the field a digit is text; Escape returns to the card, then leaves it.
    page.press_until("12", &format!("{focused}.value === '12'"));
    page.press_until(ESCAPE, &format!("{focused}.matches('.approval')"));
    let is_away = format!("{focused} === document.body && document.querySelector('.approval')");
    page.press_until(ESCAPE, &is_away);
    assert_eq!(page.driven.place.calls_run().len(), 0);
    page.focus(".approval");
    page.browser.press("1");
    page.wait_for_words(".approval", "touch two");
    page.focus(".approval");
    page.browser.press("3");
    page.browser.press("not this one\u{e007}");
    page.wait_for_state("idle");
    page.wait_for_text("not this one");
    assert_eq!(page.driven.place.calls_run().len(), 1);
    // For the session: edits need no approval any more.
    page.send("Edit [[edit: one | | new]]");
    page.wait_for_card("tool");
    page.focus(".approval");
    page.browser.press("2");
    page.wait_for_state("idle");
    page.wait_for_words(".run-state", "accept edits");
    // The help lists the keys.
    page.browser.press("?");
    page.wait("document.querySelector('dialog.keys [data-action=allow-session]').offsetParent");
}

fn consequences_are_said(browser: &mut Browser) {
    let mut page = Page::open(browser);
    page.send("Edit [[edit: ../elsewhere | | new]]");
    page.wait_for_card("tool");
    page.wait_for_words(".approval .consequences", "writes outside of the project");
    page.keep_shots("consequences");
    page.browser.click(".approval .deny button");
    page.wait_for_state("idle");
    page.send("Edit [[edit: inside | | new]]");
    page.wait_for_card("tool");
    page.wait("!document.querySelector('.approval .consequences')");
}

/// Freezes the clock of a page; `window.later` moves it forward.
const CLOCK: &str = r"
window.later = 0;
const begun = Date.now();
const RealDate = Date;
window.Date = class extends RealDate {
  constructor(...parts) { if (parts.length) super(...parts); else super(begun + window.later); }
  static now() { return begun + window.later; }
};
";

fn deadlines_count_down_and_are_switched_off(browser: &mut Browser) {
    browser.run_first(CLOCK);
    let mut page = Page::open(browser);
    page.send("Hello [[say: hi]]");
    page.wait_for_state("idle");
    let left = "document.querySelector('.run-state time[data-as=left]')";
    page.wait(&format!("/^in [0-9]+ min [0-9]+ s$/.test({left}.textContent)"));
    // The text is updated over time, without an event of the server.
    page.browser.run(&format!("window.before = {left}.textContent; window.later = 61000"));
    page.wait(&format!("{left}.textContent !== window.before"));
    page.keep_shots("idle-counts");
    page.browser.click("#limits summary");
    page.choose("#limits [name=idle]", "");
    page.wait(&format!("!{left}"));
    page.choose("#limits [name=waiting]", "300");
    page.choose("#limits [name=budget]", "2.5");
    let driven = &page.driven;
    let run = driven.runs().remove(0);
    driven.until(&run, "limits", |run| {
        let limits = &run["deadlines"];
        limits["idle"].is_null() && limits["waiting"] == 300 && run["budget"] == 2.5
    });
    page.keep_shots("limits");
    // The deadline of a pending approval counts down too, and can be switched off meanwhile.
    page.send("Go [[bash: true]]");
    page.wait_for_card("tool");
    let left = "document.querySelector('.approval time[data-as=left]')";
    page.wait(&format!("{left}.textContent.startsWith('in ')"));
    page.choose("#limits [name=waiting]", "");
    page.wait(&format!("document.querySelector('.approval') && !{left}"));
    // A field shows the value that another window set.
    page.driven.act(&run, "deadlines", &json!({ "idle": 77 }));
    page.wait("document.querySelector('#limits [name=idle]').value === '77'");
}

fn a_run_is_shown_before_it_starts(browser: &mut Browser) {
    let mut page = Page::open(browser);
    let broken = page.driven.place.home.path().join("settings.json");
    let settings = std::fs::read_to_string(&broken).unwrap_or_default();
    std::fs::write(&broken, "{ broken").expect("a file");
    page.write("hello");
    let folder = page.driven.place.cwd();
    let home = page.driven.place.home.path().display().to_string();
    for part in [
        folder.as_str(),
        home.as_str(),
        "--resume",
        "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS=1",
        "settings.json",
        "idle 5 min",
    ] {
        page.wait_for_words("#plan dl", part);
    }
    page.keep_shots("start-plan");
    assert!(page.driven.runs().is_empty());
    page.browser.click("#next-limits summary");
    page.focus("#composer [name=budget]");
    page.browser.press("1.5\t");
    page.wait_for_words("#plan dl", "$1.5");
    std::fs::write(&broken, settings).expect("a file");
    page.send("");
    page.wait_for_state("idle");
    page.wait("!document.querySelector('#plan').offsetParent");
    assert_eq!(page.driven.runs()[0]["budget"], 1.5);
    // The same for a new session.
    let address = format!("http://{}/runs", page.driven.address);
    page.browser.go(&address);
    page.focus("#new-folder");
    page.browser.press(&format!("{folder}\t"));
    page.wait_for_words("#plan dl", "--session-id NEW");
    page.browser.set_screen(BrowserScreen::NARROW);
    page.browser.keep_shot("drive-new-session-plan-narrow");
    page.browser.set_screen(BrowserScreen::WIDE);
}

fn processes_that_are_left_are_named(browser: &mut Browser) {
    let mut page = Page::open(browser);
    page.send("Go [[bash: setsid sh -c 'exec sleep 1000' > /dev/null 2>&1 & echo started]]");
    page.wait_for_card("tool");
    page.allow();
    page.wait_for_state("idle");
    page.browser.click("[data-act=stop]");
    page.wait_for_words(".survivors", "sleep 1000");
    let left = page.driven.runs()[0]["ended"]["survivors"][0].clone();
    page.wait_for_words(".survivors", &format!("process {}", left["pid"]));
    // A page that is opened later names it too.
    page.go();
    page.wait_for_words(".survivors", "sleep 1000");
    page.keep_shots("survivors");
    assert!(signal("TERM", &left["pid"].to_string()));
}

fn links_of_runs_name_the_project_where_two_have_the_id(browser: &mut Browser) {
    let mut page = Page::open(browser);
    let (id, driven) = (uuid("one"), &page.driven);
    let copy = session("u1 user \"A copy\"\na1 assistant \"Yes.\"");
    driven.place.home.add_session("/srv/copy", &id, copy);
    let body = json!({ "session": id, "prompt": "Go [[bash: true]]" });
    let (status, run) = driven.try_run(body);
    assert_eq!(status, 201, "{run}");
    driven.approval();
    let runs = format!("http://{}/runs", driven.address);
    let list = format!("http://{}/sessions", driven.address);
    // Opening the list adds the copy to the index.
    page.browser.go(&list);
    page.wait(&format!("document.querySelectorAll('a[href*=\"{id}?project=\"]').length >= 2"));
    page.browser.go(&runs);
    for link in ["#part-runs .approval-of a", ".runs a", "#waits a"] {
        let way = format!("document.querySelector('{link}').getAttribute('href')");
        page.wait(&format!("{way}.startsWith('/s/{id}?project=')"));
        page.wait(&format!("!{way}.includes('srv-copy')"));
    }
}
