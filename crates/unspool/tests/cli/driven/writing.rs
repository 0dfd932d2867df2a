//! What a page offers before a prompt is sent (completion, plans, deadlines, branches, images), and what it
//! shows of answers from other windows.
//!
//! Without Chromium and its driver these tests print a note and pass.

use serde_json::{Value, json};
use unspool_testkit::browser::{Browser, BrowserScreen, ENTER};
use unspool_testkit::driven::new_id;
use unspool_testkit::{added, append, browser_cases, uuid};

use super::first_talk;
use super::page::Page;

#[test]
fn prompts_are_prepared_in_a_browser() {
    browser_cases![
        commands_and_files_are_completed_without_a_client,
        going_on_and_running_again_show_the_plan_first,
        a_folder_that_changed_is_trusted_again_before_going_on,
        deadlines_are_chosen_before_a_run_starts,
        a_branch_that_is_not_the_newest_any_more_says_so,
        a_pasted_image_reaches_the_client,
        lists_say_who_answered_elsewhere,
    ];
}

/// The input field.
const FIELD: &str = "document.querySelector('#composer textarea')";

/// Ends the run of the page.
fn end_run(page: &mut Page<'_>) -> Value {
    let run = page.driven.runs().remove(0);
    page.driven.act(&run, "stop", &json!({}));
    page.driven.wait_state(&run, "ended")
}

/// Types the start of a word and accepts its completion.
fn complete(page: &mut Page<'_>, typed: &str, offered: &str, taken: &str) {
    page.browser.run(&format!("{FIELD}.value = ''; {FIELD}.focus()"));
    page.browser.press(typed);
    page.wait_for_words(".completions li", offered);
    page.press_until(ENTER, &format!("{FIELD}.value === '{taken} '"));
}

fn commands_and_files_are_completed_without_a_client(browser: &mut Browser) {
    let mut page = Page::open(browser);
    page.driven.place.write("docs/notes.md", "x");
    // Files are offered before any client has run; commands are not known yet.
    complete(&mut page, "look at @note", "docs/notes.md", "look at @docs/notes.md");
    page.browser.run(&format!("{FIELD}.value = ''"));
    page.send("begin");
    page.wait_for_state("idle");
    end_run(&mut page);
    page.go();
    complete(&mut page, "/cl", "/clear", "/clear");
    page.focus("#composer [name=model]");
    page.wait("document.querySelectorAll('#models option').length === 1");
    // A new session in the folder gets the commands of the last client there.
    let runs = format!("http://{}/runs", page.driven.address);
    page.browser.go(&runs);
    page.focus("#new-folder");
    page.browser.press(&format!("{}\t", page.driven.place.cwd()));
    complete(&mut page, "/cl", "/clear", "/clear");
    complete(&mut page, "@not", "docs/notes.md", "@docs/notes.md");
    page.browser.press("@");
    page.wait_for_words(".completions li", "docs/notes.md");
    page.browser.set_screen(BrowserScreen::NARROW);
    page.browser.keep_shot("drive-complete-narrow");
    page.browser.set_screen(BrowserScreen::WIDE);
    assert_eq!(page.browser.console(), Vec::<String>::new());
}

fn going_on_and_running_again_show_the_plan_first(browser: &mut Browser) {
    let mut page = Page::open(browser);
    page.send("Go [[die]]");
    page.wait_for_state("ended");
    let folder = page.driven.place.cwd();
    page.browser.click("[data-act=go-on]");
    for part in [folder.as_str(), "--resume", "UNSPOOL_RUN=", "idle 5 min", "nothing of the folder"]
    {
        page.wait_for_words("dialog.confirm dl", part);
    }
    page.keep_shots("go-on-plan");
    // Nothing starts without a confirmation.
    page.browser.click("dialog.confirm button:not(.main)");
    page.wait("!document.querySelector('dialog.confirm')");
    page.wait("!document.querySelector('[data-act=go-on]').disabled");
    assert_eq!(page.driven.runs().len(), 1);
    page.browser.click("[data-act=again]");
    page.wait_for_words("dialog.confirm h2", "Run the last prompt again");
    page.browser.click("dialog.confirm button.main");
    let second = || Some(page.driven.runs()).filter(|runs| runs.len() == 2);
    let second = page.driven.wait("a second run", second).remove(0);
    page.driven.wait_state(&second, "ended");
    page.go();
    page.wait_for_state("ended");
    page.browser.click("[data-act=go-on]");
    page.wait_for_words("dialog.confirm h2", "Go on");
    page.browser.click("dialog.confirm button.main");
    page.wait_for_state("idle");
    assert_eq!(page.driven.runs().len(), 3);
}

fn a_folder_that_changed_is_trusted_again_before_going_on(browser: &mut Browser) {
    let mut page = Page::open(browser);
    page.send("Wait [[silence]]");
    page.wait_for_state("running");
    end_run(&mut page);
    page.wait_for_state("ended");
    let hook = json!({ "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "./check.sh" }] }] } });
    page.driven.place.write(".claude/settings.json", &hook.to_string());
    page.browser.click("[data-act=go-on]");
    page.wait_for_words("dialog.confirm dl", "./check.sh");
    page.wait_for_words("dialog.confirm dl", "not trusted any more");
    page.browser.click("dialog.confirm button.main");
    page.wait_for_words("#held", "./check.sh");
    assert_eq!(page.driven.runs().len(), 1);
    page.browser.click("#held button");
    page.wait_for_state("idle");
    // The refusal is logged to the console.
    drop(page.browser.console());
}

fn deadlines_are_chosen_before_a_run_starts(browser: &mut Browser) {
    let mut page = Page::open(browser);
    page.write("hello");
    page.wait_for_words("#plan dl", "idle 5 min, waiting 30 min");
    page.browser.click("#next-limits summary");
    page.choose("#next-limits [name=idle]", "");
    page.choose("#next-limits [name=waiting]", "3600");
    page.wait_for_words("#plan dl", "idle off, waiting 60 min");
    page.keep_shots("next-limits");
    page.send("");
    page.wait_for_state("idle");
    let limits = page.driven.runs()[0]["deadlines"].clone();
    assert_eq!((&limits["idle"], &limits["waiting"]), (&Value::Null, &json!(3_600)));
    // Deadlines that a request leaves out are those of the settings.
    end_run(&mut page);
    let body = json!({ "id": new_id(), "cwd": page.driven.place.cwd(), "waiting": 60 });
    let (status, plan) = page.driven.post("/api/plan", &body);
    assert_eq!(status, 200, "{plan}");
    assert_eq!(plan["deadlines"], json!({ "idle": 300, "waiting": 60 }));
}

fn a_branch_that_is_not_the_newest_any_more_says_so(browser: &mut Browser) {
    let mut page = Page::open(browser);
    page.write("what I wrote");
    page.wait("!document.querySelector('#composer').dataset.at");
    page.wait("!document.querySelector('#goes-on').offsetParent");
    // Another window, or another program, continues from an earlier entry.
    let talk = first_talk(&page.driven.place);
    let more = "u2 user < - \"Again\"\na2 assistant \"Hm.\"\n";
    append(page.driven.place.log_path(&uuid("one")), added(&talk, more));
    page.wait_for_words("#goes-on", "not the newest branch");
    page.wait("document.querySelector('#composer').dataset.at");
    page.wait_for_words(".offer", "another place");
    page.wait(&format!("{FIELD}.value === 'what I wrote'"));
    page.keep_shots("old-branch");
    // The prompt continues from the end of the shown branch, which becomes the newest.
    page.browser.click("#composer button[type=submit]");
    page.driven.wait("a run", || page.driven.runs().pop());
    page.wait("!document.querySelector('#composer').dataset.at");
    page.wait("!document.querySelector('#goes-on').offsetParent");
    page.driven.wait("the prompt on the first branch", || {
        let told = page.driven.messages(&uuid("one")).to_string();
        let is_there = told.contains("Not much.") && told.contains("what I wrote");
        (is_there && !told.contains("Hm.")).then_some(())
    });
}

fn a_pasted_image_reaches_the_client(browser: &mut Browser) {
    // An image of four by four pixels.
    const PIXELS: &str = "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAAEElEQVR4nGM4ceIEHDEQxwEAp2cT4eBwZYwAAAAASUVORK5CYII=";
    let mut page = Page::open(browser);
    page.write("Look at this");
    page.browser.run(&format!(
        "const bytes = Uint8Array.from(atob('{PIXELS}'), (c) => c.charCodeAt(0)); \
         const data = new DataTransfer(); \
         data.items.add(new File([bytes], 'shot.png', {{ type: 'image/png' }})); \
         {FIELD}.dispatchEvent(new ClipboardEvent('paste', {{ clipboardData: data, bubbles: true, cancelable: true }}))"
    ));
    page.wait_for_words(".images", "image 1");
    page.keep_shots("image");
    page.send("");
    page.wait_for_state("idle");
    page.wait("document.querySelector('.images').hidden");
    let sent = page.driven.place.home.path().join(unspool_testkit::client::SENT);
    let sent = std::fs::read_to_string(sent).expect("what was sent to the model");
    let block = sent.lines().find_map(|line| {
        let request: Value = serde_json::from_str(line).ok()?;
        find_image(&request).cloned()
    });
    let source = json!({ "type": "base64", "media_type": "image/png", "data": PIXELS });
    assert_eq!(block.map(|block| block["source"].clone()), Some(source), "{sent}");
    // The page shows the image.
    page.wait("document.querySelector('#transcript article img')");
}

/// Finds an image block in a request.
fn find_image(value: &Value) -> Option<&Value> {
    match value {
        Value::Object(fields) if fields.get("type") == Some(&json!("image")) => Some(value),
        Value::Object(fields) => fields.values().find_map(find_image),
        Value::Array(items) => items.iter().find_map(find_image),
        _ => None,
    }
}

fn lists_say_who_answered_elsewhere(browser: &mut Browser) {
    let mut page = Page::open(browser);
    for (way, command) in [("/", "touch made"), ("/runs", "touch other")] {
        page.go();
        page.send(&format!("Go [[bash: {command}]]"));
        let approval = page.driven.approval();
        let address = format!("http://{}{way}", page.driven.address);
        page.browser.go(&address);
        page.wait_for_card("tool");
        page.keep_shots(&format!("asked{}", way.replace('/', "-")));
        let id = approval["id"].as_str().expect("an id");
        let answered = page.driven.place.command(&["drive", "deny", id, "not now"]).output();
        assert!(answered.expect("it runs").status.success());
        page.wait("!document.querySelector('.approval')");
        let line = format!("#answered-{id}");
        page.wait_for_words(&line, command);
        page.wait_for_words(&line, "denied by command line");
        page.wait(&format!(
            "document.querySelector('{line} a').getAttribute('href') === '/s/{}'",
            uuid("one")
        ));
        page.keep_shots(&format!("answered{}", way.replace('/', "-")));
    }
}
