//! Driving from a page.
//!
//! Without Chromium and its driver these tests print a note and pass.

use unspool_testkit::browser::{Browser, ENTER, TAB, WindowKind};
use unspool_testkit::client::scripted_client;
use unspool_testkit::rng::Rng;
use unspool_testkit::{browser_cases, uuid};

use super::Driven;
use super::page::{COUNT, Page};

#[test]
fn sessions_are_driven_from_a_browser() {
    browser_cases![
        a_resting_session_is_gone_on_with,
        a_call_is_denied_with_words,
        a_question_is_answered,
        a_plan_is_accepted,
        a_turn_is_interrupted,
        prompts_are_queued_and_cancelled,
        the_first_answer_wins_in_two_windows,
        ten_windows_have_the_same_in_the_end,
        mode_and_model_are_switched_while_a_run_goes_on,
        commands_and_files_are_completed,
        a_prompt_against_an_old_state_is_held,
        a_held_prompt_becomes_a_new_branch,
        a_form_is_filled_in,
        a_client_that_is_not_there_is_said,
        a_missing_login_and_a_limit_are_said,
        a_queue_that_would_fail_too_is_held,
        a_card_is_told_once_in_all_windows,
        a_page_finds_its_run_again_after_the_server_was_killed,
    ];
}

fn a_resting_session_is_gone_on_with(browser: &mut Browser) {
    let mut page = Page::open(browser);
    page.keep_shots("resting");
    page.send("Make it [[say: I make the file now.]] [[bash: touch made]]");
    page.wait_for_card("tool");
    page.keep_shots("tool");
    page.allow();
    page.wait_for_state("idle");
    page.wait_for_text("I make the file now.");
    page.wait("!document.querySelector('.approval')");
    // The sender of a prompt sees its result.
    page.wait("document.getElementById('new').hidden && scrollY > 0");
    assert!(page.driven.place.has("made"));
    page.keep_shots("idle");
    // An edit is shown as a diff.
    page.send("Edit [[edit: made | | new line]]");
    page.wait_for_card("tool");
    page.wait("document.querySelector('.approval .diff, .approval .code')");
    page.keep_shots("edit");
    page.allow();
    page.wait_for_state("idle");
    assert_eq!(page.browser.console(), Vec::<String>::new());
}

fn a_call_is_denied_with_words(browser: &mut Browser) {
    let mut page = Page::open(browser);
    page.send("Try [[bash: touch made]]");
    page.wait_for_card("tool");
    page.focus(".approval [name=words]");
    page.browser.press("not in this folder");
    page.browser.click(".approval .deny button");
    page.wait_for_state("idle");
    page.wait_for_text("not in this folder");
    assert!(!page.driven.place.has("made"));
}

fn a_question_is_answered(browser: &mut Browser) {
    let mut page = Page::open(browser);
    page.send("Ask [[ask: Which colour? | Red | Blue]]");
    page.wait_for_card("question");
    page.keep_shots("question");
    page.browser.click(".approval input[value=Blue]");
    page.browser.click(".approval [data-answers] button");
    page.wait_for_state("idle");
    page.wait_for_text("Blue");
}

fn a_plan_is_accepted(browser: &mut Browser) {
    let mut page = Page::open(browser);
    page.send("Plan [[plan: First look, then act.]]");
    page.wait_for_card("plan");
    page.keep_shots("plan");
    page.browser.click(".approval [data-mode=acceptEdits]");
    page.wait_for_state("idle");
    page.wait("document.querySelector('.run-state').textContent.includes('accept edits')");
}

fn a_turn_is_interrupted(browser: &mut Browser) {
    let mut page = Page::open(browser);
    page.send("Wait [[silence]]");
    page.wait_for_state("running");
    page.browser.click("[data-act=interrupt]");
    page.wait_for_state("idle");
}

fn prompts_are_queued_and_cancelled(browser: &mut Browser) {
    let mut page = Page::open(browser);
    page.send("Go [[bash: true]]");
    page.wait_for_card("tool");
    page.send("the second");
    page.wait_for_queue(1);
    page.send("the third");
    page.wait_for_queue(2);
    page.keep_shots("queue");
    page.browser.click(".queue li[data-state=queued]:last-child [data-act=sooner]");
    page.wait(
        "document.querySelector('.queue li[data-state=queued]').textContent.includes('the third')",
    );
    page.browser.click(".queue li[data-state=queued]:last-child [data-act=cancel]");
    page.wait_for_queue(1);
    page.allow();
    page.wait_for_text("the third");
    page.wait_for_state("idle");
    let said = "return document.getElementById('transcript').textContent.includes('the second')";
    assert_eq!(page.browser.run(said), false);
}

fn the_first_answer_wins_in_two_windows(browser: &mut Browser) {
    let mut page = Page::open(browser);
    page.send("Go [[bash: touch made]]");
    page.wait_for_card("tool");
    let first = page.browser.window();
    let second = page.browser.open_window(WindowKind::Window);
    page.browser.switch_to(&second);
    page.go();
    page.wait_for_card("tool");
    page.allow();
    page.wait_for_state("idle");
    page.browser.switch_to(&first);
    page.wait_for_state("idle");
    page.wait("!document.querySelector('.approval')");
    // Every window shows the answer and who gave it, also one that is opened later.
    let answered = "document.querySelector('#drive-state .answered')?.textContent";
    for part in ["touch made", "allowed by browser", ":"] {
        page.wait(&format!("{answered}.includes('{part}')"));
    }
    page.go();
    page.wait(&format!("{answered}.includes('allowed by browser')"));
    let seen = page.browser.run(&format!("return {COUNT}"));
    page.browser.switch_to(&second);
    page.wait(&format!("{COUNT} === {seen}"));
    assert_eq!(page.driven.place.calls_run().len(), 1);
}

fn mode_and_model_are_switched_while_a_run_goes_on(browser: &mut Browser) {
    let mut page = Page::open(browser);
    page.send("Hello [[say: hi]]");
    page.wait_for_state("idle");
    page.choose("#composer [name=mode]", "plan");
    page.wait("document.getElementById('drive-state').dataset.mode === 'plan'");
    page.focus("#composer [name=model]");
    page.wait("document.querySelectorAll('#models option').length === 1");
    page.browser.press("other-model\n");
    let shown = "document.querySelector('#composer [name=model]').placeholder";
    page.wait(&format!("{shown} === 'other-model'"));
    let run = page.driven.runs().remove(0);
    assert_eq!((&run["permission_mode"], &run["model"]), (&"plan".into(), &"other-model".into()));
    // A window that is opened later shows the state of the run, and an open one follows it.
    page.go();
    page.wait("document.querySelector('#composer [name=mode]').value === 'plan'");
    let body = serde_json::json!({ "permission_mode": "acceptEdits" });
    let (status, told) = page.driven.act(&run, "mode", &body);
    assert_eq!(status, 200, "{told}");
    page.wait("document.querySelector('#composer [name=mode]').value === 'acceptEdits'");
}

fn ten_windows_have_the_same_in_the_end(browser: &mut Browser) {
    let mut page = Page::open(browser);
    let mut windows = vec![page.browser.window()];
    for _ in 1..10 {
        let window = page.browser.open_window(WindowKind::Window);
        page.browser.switch_to(&window);
        let address = format!("http://{}/s/{}", page.driven.address, uuid("one"));
        page.browser.go(&address);
        page.wait("['live', 'asking'].includes(document.documentElement.dataset.link)");
        windows.push(window);
    }
    let mut random = Rng::new(5);
    let mut seen = 2;
    for round in 0..6 {
        let writer = random.below(windows.len());
        page.browser.switch_to(&windows[writer]);
        // A window with unseen messages would hold the prompt.
        page.wait(&format!("{COUNT} === {seen}"));
        page.send(&format!("round {round} [[bash: echo {round}]]"));
        // Two windows answer; the second one may be too late.
        let answer =
            "document.querySelector('.approval [data-decide=allow]:not(:disabled)')?.click()";
        for is_first in [true, false] {
            let reader = random.below(windows.len());
            page.browser.switch_to(&windows[reader]);
            if is_first {
                // The window may still show the previous card.
                let card = "document.querySelector('.approval')?.textContent";
                page.wait(&format!("{card}.includes('echo {round}')"));
            }
            page.browser.run(answer);
        }
        page.wait_for_state("idle");
        // A prompt, a call, and the final answer.
        seen += 3;
        page.wait(&format!("{COUNT} === {seen}"));
    }
    let told = "[...document.querySelectorAll('article[data-m]')].map((m) => m.dataset.m + m.textContent).join('|')";
    let first = page.browser.run(&format!("return {told}"));
    let first = serde_json::to_string(&first).expect("JSON");
    for window in &windows {
        page.browser.switch_to(window);
        page.wait(&format!("{told} === {first}"));
        page.wait("!document.querySelector('.approval')");
    }
    assert_eq!(page.driven.place.calls_run().len(), 6);
}

fn commands_and_files_are_completed(browser: &mut Browser) {
    let mut page = Page::open(browser);
    page.driven.place.write("notes.md", "x");
    page.send("begin");
    page.wait_for_state("idle");
    let field = "document.querySelector('#composer textarea')";
    page.browser.run(&format!("{field}.focus()"));
    page.browser.press("/cl");
    page.wait("document.querySelector('.completions li')?.textContent.includes('/clear')");
    page.browser.press(TAB);
    page.wait(&format!("{field}.value === '/clear '"));
    page.browser.run(&format!("{field}.value = ''"));
    page.browser.press("look at @not");
    page.wait("document.querySelector('.completions li')?.textContent.includes('notes.md')");
    page.browser.press(ENTER);
    page.wait(&format!("{field}.value === 'look at @notes.md '"));
}

fn a_prompt_against_an_old_state_is_held(browser: &mut Browser) {
    let mut page = Page::open(browser);
    page.stop_seeing();
    page.send("the first");
    page.wait_for_state("idle");
    page.wait_for_text("Done.");
    page.try_to_send("the second");
    page.wait("document.querySelectorAll('#held button').length === 3");
    page.wait("document.querySelector('#held').textContent.includes('the first')");
    page.keep_shots("held");
    // The text stays until the person decides.
    page.wait("document.querySelector('#composer textarea').value === 'the second'");
    page.browser.click("#held button");
    page.wait_for_text("the second");
    page.wait("document.querySelector('#composer textarea').value === ''");
}

fn a_held_prompt_becomes_a_new_branch(browser: &mut Browser) {
    let mut page = Page::open(browser);
    page.stop_seeing();
    page.send("the first");
    page.wait_for_state("idle");
    page.wait_for_text("Done.");
    page.try_to_send("another way");
    page.wait("document.querySelectorAll('#held button').length === 3");
    page.browser.click("#held button:nth-of-type(2)");
    page.wait(&format!(
        "location.pathname.startsWith('/s/') && !location.pathname.includes('{}')",
        uuid("one")
    ));
    page.wait("document.getElementById('transcript')");
    page.wait_for_text("another way");
    page.wait_for_text("Not much.");
    let has_first =
        "return document.getElementById('transcript').textContent.includes('the first')";
    assert_eq!(page.browser.run(has_first), false);
}

fn a_form_is_filled_in(browser: &mut Browser) {
    let mut page = Page::open(browser);
    page.send("Set up [[form: Where shall the site run?]]");
    page.wait_for_card("elicitation");
    page.keep_shots("form");
    // The browser asks for required fields, and nothing is sent.
    page.browser.click(".approval [data-form] button[type=submit]");
    page.wait("document.querySelector('.approval :invalid')");
    let field = |name: &str| format!(".approval [data-field={name}] input");
    for (name, text) in [("name", "my site"), ("mail", "a@example.org"), ("share", "0.5")] {
        page.browser.run(&format!("document.querySelector('{}').focus()", field(name)));
        page.browser.press(text);
    }
    page.browser.click(&field("public"));
    page.browser.click(&format!("{}[value=paid]", field("plan")));
    page.browser.click(&format!("{}[value=eu]", field("regions")));
    page.browser.click(&format!("{}[value=asia]", field("regions")));
    page.keep_shots("form-filled");
    page.browser.click(".approval [data-form] button[type=submit]");
    page.wait_for_state("idle");
    let told = page.driven.messages(&uuid("one")).to_string().replace('\\', "");
    for part in [
        r#""name":"my site""#,
        r#""mail":"a@example.org""#,
        r#""port":8080"#,
        r#""share":0.5"#,
        r#""public":true"#,
        r#""plan":"paid""#,
        r#""regions":["eu","asia"]"#,
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

fn a_client_that_is_not_there_is_said(browser: &mut Browser) {
    let driven = Driven::start_with(|home| home.user_home().join("claude"));
    let mut page = Page::open_driven(browser, driven);
    page.wait("document.querySelector('#no-client').offsetParent");
    page.keep_shots("not-installed");
    page.try_to_send("hello");
    // The text stays.
    page.wait("!document.querySelector('#composer button[type=submit]').disabled");
    page.wait("document.querySelector('#composer textarea').value === 'hello'");
    page.wait("document.querySelector('#no-client').offsetParent");
    std::os::unix::fs::symlink(scripted_client(), &page.driven.place.client).expect("a link");
    page.browser.click("#no-client [data-look]");
    page.wait("document.querySelector('#no-client').hidden");
    page.browser.click("#composer button[type=submit]");
    page.wait_for_text("hello");
    // The refusal is logged to the console.
    drop(page.browser.console());
}

fn a_missing_login_and_a_limit_are_said(browser: &mut Browser) {
    let mut page = Page::open(browser);
    page.send("Go [[not-logged-in]]");
    page.wait("document.querySelector('.notice[data-cause=not_logged_in]')");
    page.wait_for_state("idle");
    page.keep_shots("not-logged-in");
    page.send("Go [[rate-limit]]");
    page.wait("document.querySelector('.notice[data-cause=limit]')");
    page.wait_for_state("idle");
    page.keep_shots("limit");
    let before = page.browser.run(&format!("return {COUNT}"));
    page.browser.click(".notice [data-act=again]");
    page.wait(&format!("{COUNT} > {before}"));
    page.send("Go [[say: all is well]]");
    page.wait_for_text("all is well");
    page.wait("!document.querySelector('#drive-state .notice')");
}

fn a_queue_that_would_fail_too_is_held(browser: &mut Browser) {
    let mut page = Page::open(browser);
    page.send("Go [[bash: true]] [[rate-limit]]");
    page.wait_for_card("tool");
    page.send("the second [[say: at last]]");
    page.wait_for_queue(1);
    page.allow();
    page.wait(
        "document.querySelector('.notice .held')?.textContent.includes('queued prompts wait')",
    );
    page.wait_for_state("idle");
    page.wait("document.querySelector('.queue li').textContent.includes('held')");
    page.keep_shots("held-queue");
    page.browser.click(".notice [data-act=release]");
    page.wait_for_text("at last");
    page.wait("!document.querySelector('#drive-state .notice')");
}

/// Records notifications instead of showing them, and takes the focus from the page.
const KEEP_NOTICES: &str = r"
window.told = [];
window.Notification = class {
  constructor(title, options) { this.tag = options.tag; this.words = title + '|' + options.body; window.told.push(this); }
  static permission = 'default';
  static asked = 0;
  static requestPermission = async () => { Notification.asked += 1; Notification.permission = 'granted'; return 'granted'; };
};
Document.prototype.hasFocus = () => false;
";

fn a_card_is_told_once_in_all_windows(browser: &mut Browser) {
    let granted = KEEP_NOTICES.replace("'default'", "'granted'");
    browser.run_first(KEEP_NOTICES);
    let mut page = Page::open(browser);
    page.browser.run(
        "localStorage.removeItem('unspool-notify'); localStorage.removeItem('unspool-notified')",
    );
    // Only a click asks for permission.
    assert_eq!(page.browser.run("return Notification.asked"), 0);
    page.browser.click("#notify");
    page.wait("Notification.asked === 1");
    page.wait("document.querySelector('#notify').textContent === 'Notifications on'");
    let mut windows = vec![page.browser.window()];
    for way in ["one", "home"] {
        let window = page.browser.open_window(WindowKind::Tab);
        page.browser.switch_to(&window);
        page.browser.run_first(&granted);
        if way == "one" {
            page.go();
        } else {
            let home = format!("http://{}/", page.driven.address);
            page.browser.go(&home);
            page.wait("document.documentElement.dataset.link === 'live'");
        }
        windows.push(window);
    }
    page.browser.switch_to(&windows[0]);
    page.send("Go [[bash: touch made]]");
    let mut told = Vec::new();
    for window in &windows {
        page.browser.switch_to(window);
        page.wait("document.querySelector('.approval')");
        page.wait("(localStorage.getItem('unspool-notified') || '').includes('approval-')");
        // All pending locks have been handled.
        page.browser
            .wait_for("return navigator.locks.query().then((all) => all.pending.length === 0)");
        let shown = page.browser.run("return window.told.map((one) => one.words)");
        told.extend(shown.as_array().cloned().unwrap_or_default());
    }
    assert_eq!(told, ["May Claude use Bash?|touch made"]);
    // A click on the notification leads to the card.
    for window in &windows {
        page.browser.switch_to(window);
        if page.browser.run("return window.told.length") == 1 {
            page.browser.run("window.told[0].onclick()");
            page.wait("document.activeElement.matches('.approval')");
        }
    }
}

fn a_page_finds_its_run_again_after_the_server_was_killed(browser: &mut Browser) {
    let mut page = Page::open(browser);
    page.send("Go [[bash: touch made]]");
    page.wait_for_card("tool");
    page.driven.kill_server();
    page.wait("document.documentElement.dataset.link === 'trying'");
    page.driven.serve();
    page.wait("document.documentElement.dataset.link === 'live'");
    page.wait_for_card("tool");
    page.allow();
    page.wait_for_state("idle");
    assert_eq!(page.driven.place.calls_run().len(), 1);
    // Failed requests are logged to the console.
    drop(page.browser.console());
}
