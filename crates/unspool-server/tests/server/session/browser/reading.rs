//! Reading: opening, filling, seeking, searching, unfolding.

use unspool_testkit::browser::{Browser, BrowserScreen, ENTER, ESCAPE};
use unspool_testkit::home::AgentFilePlace;
use unspool_testkit::{session, uuid};

use super::super::{ID, turns};
use super::{Visit, top_of};

/// Returns the message at the line where reading begins, and its position.
fn reading(visit: &mut Visit<'_>) -> (String, f64) {
    let found = visit.browser.run(
        "const line = unspool.line();
         for (const message of document.querySelectorAll('article[data-m]')) {
           const box = message.getBoundingClientRect();
           if (box.bottom > line + 40) return [message.id, box.top];
         }
         return ['', 0];",
    );
    let id = found[0].as_str().expect("an id").to_owned();
    (id, found[1].as_f64().expect("a place"))
}

pub(super) fn a_long_session_opens_at_its_end_and_fills_without_moving(browser: &mut Browser) {
    let mut visit = Visit::new(browser, &turns(400));
    visit.open("");
    assert!(visit.is("document.querySelector('article[data-m=\"1199\"]').getBoundingClientRect().bottom <= innerHeight"));
    assert!(visit.is("document.querySelectorAll('.chunk[data-h]').length > 5"));
    let mut moved = 0.0_f64;
    for _ in 0..40 {
        visit.browser.run("scrollBy({ top: -700, behavior: 'instant' })");
        visit.frames();
        let (id, before) = reading(&mut visit);
        if id.is_empty() {
            break;
        }
        visit.settle();
        moved = moved.max((visit.number(&top_of(&id)) - before).abs());
        if visit.number("scrollY") <= 0.0 {
            break;
        }
    }
    assert!(moved < 1.0, "the reader was moved by {moved} pixels");
    assert!(visit.is("document.getElementsByTagName('*').length < 20000"));
    // No part was fetched twice.
    visit.browser.run("window.asked = performance.getEntriesByType('resource').map((entry) => entry.name).filter((name) => name.includes('/part?'))");
    assert!(visit.is("asked.length > 3 && new Set(asked).size === asked.length"));
    visit.check_quiet();
}

pub(super) fn a_short_session_opens_at_its_top(browser: &mut Browser) {
    let mut visit = Visit::new(browser, &turns(12));
    visit.open("");
    assert!(visit.number("scrollY") < 1.0);
    assert!(visit.is("!document.querySelector('.chunk[data-h]')"));
    visit.check_quiet();
}

pub(super) fn links_lead_into_parts_that_are_not_there(browser: &mut Browser) {
    let mut visit = Visit::new(browser, &turns(400));
    let in_sight = |id: &str| {
        format!("(() => {{ const element = document.getElementById('{id}'); if (!element) return false;
                 const {{ top }} = element.getBoundingClientRect(); return top >= 0 && top < innerHeight / 2; }})()")
    };
    // The script looks up an address that is only a fragment.
    visit.open("#turn-30");
    visit.wait(&in_sight("turn-30"));
    let entry = format!("e-{}", uuid("b200"));
    visit.browser.run(&format!("location.hash = '{entry}'"));
    visit.wait(&in_sight(&entry));
    visit.settle();
    assert!(visit.is(&in_sight(&entry)));
    // An entry in the query comes with the page.
    visit.open(&format!("?at={}#e-{}", uuid("r90"), uuid("a90")));
    visit.wait(&in_sight(&format!("e-{}", uuid("a90"))));
    visit.open("#c-t7");
    visit.wait("document.getElementById('c-t7')?.open");
    // A link of the rail does not reload the page.
    visit.browser.run("window.isSame = true; document.querySelector('#rail a[data-turn]').click()");
    visit.wait(
        "document.querySelector('#rail a[aria-current]')?.dataset.turn === '1' && window.isSame",
    );
    visit.check_quiet();
}

pub(super) fn the_way_back_leads_to_where_the_reader_was(browser: &mut Browser) {
    let mut visit = Visit::new(browser, &turns(300));
    visit.open("?turn=150#turn-150");
    visit.wait("document.getElementById('turn-150')");
    visit
        .browser
        .run("document.querySelector('#rail a[data-turn=\"1\"], #rail a[data-turn]').click()");
    visit.wait("document.getElementById('turn-1') && document.getElementById('turn-1').getBoundingClientRect().top < innerHeight");
    visit.browser.run("history.back()");
    visit.wait(
        "(() => { const turn = document.getElementById('turn-150');
          return turn && Math.abs(turn.getBoundingClientRect().top - unspool.line()) < 300; })()",
    );
    visit.check_quiet();
}

pub(super) fn turns_messages_and_ends_by_keys(browser: &mut Browser) {
    let mut visit = Visit::new(browser, &turns(120));
    visit.open("?turn=60#turn-60");
    let turn = "document.querySelector('#rail a[aria-current]')?.dataset.turn";
    visit.wait(&format!("{turn} === '60'"));
    visit.browser.press("j");
    visit.wait(&format!("{turn} === '61'"));
    visit.browser.press("]");
    visit.wait(&format!("{turn} === '62'"));
    visit.browser.press("kk");
    visit.wait(&format!("{turn} === '60'"));
    visit.browser.press("}");
    visit.wait("document.activeElement.closest('article')?.dataset.m === '178' || document.activeElement.closest('article')?.dataset.m === '177'");
    visit.browser.press("G");
    visit.wait("document.querySelector('article[data-m=\"359\"]')?.getBoundingClientRect().bottom <= innerHeight");
    visit.browser.press("gg");
    visit.wait("scrollY === 0");
    visit.settle();
    visit.browser.press("?");
    visit.wait("document.querySelector('dialog.keys').open");
    visit.browser.press(ESCAPE);
    visit.wait("!document.querySelector('dialog.keys').open");
    // Letters are text in an input.
    visit.browser.press("/");
    visit.wait("document.activeElement.id === 'find'");
    visit.browser.press("jjt");
    assert!(visit.is("document.activeElement.value === 'jjt'"));
    visit.browser.press(ESCAPE);
    visit.browser.press("t");
    visit.wait("['dark', 'light'].includes(document.documentElement.dataset.theme)");
    visit.browser.press("x");
    visit.wait("[...document.querySelectorAll('.chunk details.call')].every((call) => call.open)");
    visit.check_quiet();
}

pub(super) fn a_search_finds_what_is_not_in_the_page(browser: &mut Browser) {
    let mut visit = Visit::new(browser, &turns(300));
    visit.open("");
    visit.browser.press("/");
    visit.browser.press("prompt number 17");
    // Turn 17, and 170 to 179.
    visit.wait("document.getElementById('found').textContent === '11'");
    visit.browser.press(ENTER);
    visit.wait("document.getElementById('found').textContent === '1 / 11'");
    let marked = "(() => { const range = [...CSS.highlights.get('found-now')][0];
        const box = range && range.getBoundingClientRect();
        return Boolean(box) && box.top > 0 && box.bottom < innerHeight && range.toString() === 'prompt number 17'; })()";
    visit.wait(marked);
    assert!(visit.is("document.getElementById('turn-17') || document.getElementById('turn-170')"));
    visit.browser.press(ENTER);
    visit.wait("document.getElementById('found').textContent === '2 / 11'");
    visit.settle();
    visit.wait(marked);
    visit.browser.run("document.activeElement.blur()");
    visit.browser.press("N");
    visit.wait("document.getElementById('found').textContent === '1 / 11'");
    visit.check_quiet();
}

const FORKED: &str = r#"
u1 user "first"
a1 assistant "one" out=1000
u2 user "left"
a2 assistant "two" out=2000
u3 user < a1 "taken"
a3 assistant "three" out=3000
"#;

pub(super) fn branches_are_switched_by_keys(browser: &mut Browser) {
    let mut visit = Visit::new(browser, FORKED);
    visit.open("");
    assert!(visit.is("document.querySelector('.fork').textContent.includes('1 branch left here')"));
    visit.browser.press("P");
    visit.wait("document.querySelector('#paths').open && document.activeElement.closest('#paths')");
    visit.browser.press(ESCAPE);
    visit.wait("!document.querySelector('#paths').open");
    visit.browser.press("<");
    visit.wait("location.search === '?path=1' && document.getElementById('abandoned')");
    assert!(visit.is("document.getElementById('transcript').textContent.includes('left')"));
    visit.browser.press(">");
    visit.wait("location.search === '' && !document.getElementById('abandoned')");
    visit.check_quiet();
}

pub(super) fn an_agent_unfolds_in_its_place(browser: &mut Browser) {
    let mut visit = Visit::new(
        browser,
        "u1 user \"go\"\na1 assistant call Agent:t1 {\"description\":\"dig\",\"prompt\":\"deep\"}\n\
         r1 result t1 \"found\" agent=abc\na2 assistant \"done\"\n",
    );
    let log = session("%agent abc\nx1 user \"deep\"\ny1 assistant \"there is gold\"\n");
    let place = AgentFilePlace::Subagents;
    visit.server.home.add_agent("/srv/demo", ID, &place, "abc", log);
    visit.open("");
    visit.browser.run("document.querySelector('details.call').open = true");
    visit.browser.click("details.agent > summary");
    visit.wait(
        "document.querySelector('details.agent .inside').textContent.includes('there is gold')",
    );
    // The agent's turns are not turns of this conversation.
    assert!(visit.is("document.querySelectorAll('.turn').length === 1"));
    visit.browser.click("details.agent .inside a");
    visit.wait("location.pathname.endsWith('/a/abc') && document.title === 'dig'");
    visit.check_quiet();
}

pub(super) fn all_of_an_output_comes_in_its_place(browser: &mut Browser) {
    let lines: Vec<String> = (1..=900).map(|n| format!("line {n}.")).collect();
    let text = serde_json::json!(lines.join("\n"));
    let notation = format!(
        "u1 user \"go\"\na1 assistant call Bash:t1 {{\"command\":\"make\"}}\nr1 result t1 {text}\na2 assistant \"done\"\n"
    );
    let mut visit = Visit::new(browser, &notation);
    visit.open("");
    visit.browser.run("document.querySelector('details.call').open = true");
    visit.browser.click("a.all");
    visit.wait("document.querySelector('details.call').textContent.includes('line 900.')");
    assert!(visit.is("!document.querySelector('a.all')"));
    assert!(visit.is("document.querySelectorAll('details.call .output').length === 1"));
    visit.check_quiet();
}

pub(super) fn far_chunks_are_emptied_and_the_page_stays_small(browser: &mut Browser) {
    // Each message has many elements, so the page would soon be too large.
    let mut notation = String::new();
    for n in 1..=900 {
        let list = "* a `b` **c** _d_ [e](#f)\\n".repeat(12);
        let n = n.to_string();
        let texts = ["u", &n, " user \"prompt ", &n, "\"\na", &n, " assistant \"", &list, "\"\n"];
        notation.extend(texts);
    }
    let mut visit = Visit::new(browser, &notation);
    visit.open("");
    let mut most = 0.0_f64;
    for _ in 0..30 {
        visit.browser.run("scrollBy({ top: -2500, behavior: 'instant' })");
        visit.settle();
        most = most.max(visit.number("document.getElementsByTagName('*').length"));
        if visit.number("scrollY") <= 0.0 {
            break;
        }
    }
    assert!(most < 20_000.0, "{most} elements");
    visit.browser.press("gg");
    visit.settle();
    visit.wait("document.querySelector('.chunk:last-child').dataset.h === 'kept'");
    visit.browser.press("G");
    visit.wait("document.querySelector('article[data-m=\"1799\"]')?.getBoundingClientRect().bottom <= innerHeight");
    visit.check_quiet();
}

pub(super) fn a_page_can_be_read_without_a_script(browser: &mut Browser) {
    let mut visit = Visit::new(browser, &turns(300));
    let off = serde_json::json!({ "value": true });
    visit.browser.devtools("Emulation.setScriptExecutionDisabled", &off);
    let address = visit.address(&format!("/s/{ID}"));
    visit.browser.go(&address);
    let (status, way) = {
        let page = visit.server.get(&format!("/s/{ID}"));
        let link = page.body.split("data-h=").nth(1).expect("an empty chunk");
        let way = link.split("href=\"").nth(1).expect("a link");
        (page.status, way.split('"').next().expect("an address").to_owned())
    };
    assert_eq!(status, 200);
    let part = visit.server.get(way.split('#').next().expect("an address"));
    assert!(part.body.contains("prompt number 1<"));
    let on = serde_json::json!({ "value": false });
    visit.browser.devtools("Emulation.setScriptExecutionDisabled", &on);
    // An empty chunk is as high as its link, and not as its messages.
    let high =
        "[...document.querySelectorAll('.chunk[data-h]')].map((chunk) => chunk.offsetHeight)";
    assert!(visit.is(&format!(
        "!document.documentElement.classList.contains('js') && Math.max(...{high}) < 60"
    )));
    visit.check_quiet();
}

pub(super) fn a_phone_has_drawers(browser: &mut Browser) {
    let mut visit = Visit::new(browser, &turns(40));
    visit.browser.set_screen(BrowserScreen::NARROW);
    visit.open("?turn=20#turn-20");
    let open = |id: &str| {
        format!("getComputedStyle(document.getElementById('{id}')).visibility === 'visible'")
    };
    assert!(!visit.is(&open("rail")) && !visit.is(&open("panel")));
    visit.browser.tap(".thumbs a[data-do=rail]");
    visit.wait(&open("rail"));
    visit.wait("document.getElementById('rail').getBoundingClientRect().left === 0");
    visit.browser.tap("#rail a[data-turn=\"19\"]");
    visit.wait(&format!("!({})", open("rail")));
    visit.wait("Math.abs(document.getElementById('turn-19').getBoundingClientRect().top) < 200");
    visit.browser.tap(".thumbs a[data-do=panel]");
    visit.wait(&open("panel"));
    visit.browser.press(ESCAPE);
    visit.wait(&format!("!({})", open("panel")));
    assert!(visit.is("document.documentElement.scrollWidth <= innerWidth"));
    // The prompt of the current turn is in one line at the top.
    visit.browser.run("document.querySelector('article[data-m=\"56\"]').scrollIntoView()");
    visit.wait("!document.getElementById('now').hidden && document.getElementById('now').textContent.includes('prompt number 19')");
    visit.check_quiet();
}

pub(super) fn copying_takes_what_is_meant(browser: &mut Browser) {
    let mut visit = Visit::new(browser, &turns(3));
    visit.open("");
    visit.browser.run(
        "window.copied = [];
         Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => copied.push(text) } });",
    );
    visit.browser.press("yi");
    visit.wait(&format!("copied[0] === '{ID}'"));
    visit.browser.press("yc");
    visit.wait(&format!("copied[1] === 'cd /srv/demo && claude --resume {ID}'"));
    visit.browser.run("document.querySelector('article[data-m=\"2\"] .when').focus()");
    visit.browser.press("yy");
    visit.wait("copied[2]?.includes('answer number 1')");
    visit.browser.press("yl");
    let way = format!("/s/{ID}?at={0}#e-{0}", uuid("b1"));
    visit.wait(&format!("copied[3]?.endsWith('{way}')"));
    visit.browser.press("yp");
    visit.wait("copied[4]?.endsWith('.jsonl')");
    visit.check_quiet();
}

pub(super) fn reading_goes_on_where_it_ended(browser: &mut Browser) {
    let mut visit = Visit::new(browser, &turns(60));
    visit.open("?turn=20#turn-20");
    let Visit { browser, server, .. } = &mut visit;
    browser.wait_until("how far it was read is known", |_| {
        let page = server.get(&format!("/s/{ID}")).body;
        page.contains("id=\"fresh\"")
    });
    visit.open("");
    visit.wait(
        "(() => { const line = document.getElementById('fresh');
          const { top } = line.getBoundingClientRect(); return top > 0 && top < innerHeight; })()",
    );
    assert!(visit.is("document.querySelector('#rail .mark.new')"));
    visit.check_quiet();
}
