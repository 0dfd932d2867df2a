//! A session that grows while its page is open.

use unspool_server::{ServerSettings, TokenPolicy};
use unspool_testkit::browser::{Browser, WindowKind};
use unspool_testkit::home::AgentFilePlace;
use unspool_testkit::session;

use super::super::{ID, turns};
use super::{Visit, top_of};

const END: &str = "document.getElementById('end').getBoundingClientRect().top";

/// Waits until the page is connected.
fn connected(visit: &mut Visit<'_>) {
    visit.wait("document.documentElement.dataset.link === 'live'");
}

pub(super) fn the_end_is_followed(browser: &mut Browser) {
    let mut visit = Visit::new(browser, &turns(60));
    visit.open("");
    connected(&mut visit);
    visit.browser.press("G");
    visit.wait(&format!("{END} <= innerHeight"));
    for n in 1..=5 {
        visit.say(&format!("n{n} user \"news {n}\"\nm{n} assistant \"reply {n}\"\n"));
        let last = 179 + 2 * n;
        visit.wait(&format!("document.querySelector('article[data-m=\"{last}\"]')"));
        visit.wait(&format!("{END} <= innerHeight"));
    }
    // Every message is there once, in order, in its own turn.
    assert!(visit.is("[...document.querySelectorAll('.chunk article[data-m]')].every((m, at, all) => !at || +m.dataset.m === +all[at - 1].dataset.m + 1)"));
    assert!(visit.is("document.getElementById('turn-65').textContent.includes('reply 5')"));
    assert!(visit.is("document.getElementById('new').hidden"));
    visit.wait("document.querySelector('#rail a[data-turn=\"65\"]')");
    visit.check_quiet();
}

pub(super) fn a_reader_elsewhere_is_told_and_not_moved(browser: &mut Browser) {
    let mut visit = Visit::new(browser, &turns(60));
    visit.open("?turn=50#turn-50");
    connected(&mut visit);
    visit.wait("document.getElementById('turn-50')");
    visit.frames();
    let before = visit.number(&top_of("turn-50"));
    visit.say("n1 user \"news\"\nm1 assistant \"reply\"\nn2 user \"more news\"\n");
    visit.wait("document.getElementById('new').textContent.includes('3 new')");
    visit.settle();
    assert!((visit.number(&top_of("turn-50")) - before).abs() < 1.0);
    assert!(visit.is("document.activeElement === document.body || document.activeElement.closest('.turn') !== null"));
    visit.wait("document.getElementById('said').textContent.includes('3 new messages')");
    visit.browser.click("#new");
    visit.wait(&format!("document.getElementById('new').hidden && {END} <= innerHeight"));
    visit.check_quiet();
}

pub(super) fn a_call_that_ends_changes_in_its_place(browser: &mut Browser) {
    let begun = format!(
        "{}u9 user \"go\"\na9 assistant \"trying\" call Bash:t9 {{\"command\":\"make\"}}\n",
        turns(2)
    );
    let mut visit = Visit::new(browser, &begun);
    visit.open("");
    connected(&mut visit);
    assert!(!visit.is("document.getElementById('c-t9').textContent.includes('built')"));
    visit.browser.run("document.getElementById('c-t9').open = true; window.call = document.getElementById('c-t9')");
    visit.say("r9 result t9 \"built it\"\n");
    visit.wait("document.getElementById('c-t9').textContent.includes('built it')");
    // It is the same element, and it is still unfolded.
    assert!(visit.is("window.call === document.getElementById('c-t9') && call.open"));
    assert!(visit.is("document.querySelectorAll('article[data-m]').length === 8"));
    visit.check_quiet();
}

/// The number of the agent's messages that are shown.
const DUG: &str = "document.querySelectorAll('details.agent article').length";

/// Opens the first message of a session, unfolds the agent that it started, and scrolls below the agent.
fn unfolded(browser: &mut Browser) -> Visit<'_> {
    let call = "u0 user \"go\"\n\
                p0 assistant call Agent:t0 {\"description\":\"dig\",\"prompt\":\"deep\"}\n\
                q0 result t0 \"found\" agent=abc\n";
    let mut visit = Visit::new(browser, &format!("{call}{}", turns(30)));
    let place = AgentFilePlace::Subagents;
    let home = &visit.server.home;
    home.add_agent("/srv/demo", ID, &place, "abc", session(AGENT));
    visit.open("?m=0");
    connected(&mut visit);
    visit.browser.run("document.querySelector('details.call').open = true");
    visit.browser.click("details.agent > summary");
    visit.wait(&format!("{DUG} === 2"));
    visit.browser.run("document.querySelector('details.agent details.call').open = true");
    visit.browser.run("document.querySelector('article[data-m=\"12\"]').scrollIntoView()");
    visit.frames();
    visit
}

/// The log of an agent whose call runs.
const AGENT: &str =
    "%agent abc\nx1 user \"deep\"\ny1 assistant call Bash:t2 {\"command\":\"dig\"}\n";

pub(super) fn an_unfolded_agent_grows_in_its_place(browser: &mut Browser) {
    let mut visit = unfolded(browser);
    let place = "document.querySelector('article[data-m=\"12\"]').getBoundingClientRect().top";
    let before = visit.number(place);
    let log = visit.log.with_extension("").join("subagents/agent-abc.jsonl");
    let mut agent = AGENT.to_owned();
    let mut grow = |visit: &mut Visit<'_>, lines: &str, wanted: &str| {
        agent += lines;
        std::fs::write(&log, session(&agent)).expect("written");
        visit.wait(&format!(
            "document.querySelector('details.agent .inside').textContent.includes('{wanted}')"
        ));
    };
    // A call gets its result in place, and stays unfolded.
    grow(&mut visit, "q1 result t2 \"a bone\"\n", "a bone");
    assert!(visit.is("document.querySelector('details.agent details.call').open"));
    grow(&mut visit, "y2 assistant \"there is gold\"\n", "there is gold");
    // Messages beyond the limit of one answer are there once, too.
    let many: Vec<String> = (1..=70)
        .map(|n| format!("v{n} user \"deeper {n}\"\nw{n} assistant \"layer {n}.\"\n"))
        .collect();
    grow(&mut visit, &many.concat(), "layer 70.");
    let messages = "[...document.querySelectorAll('details.agent article')]";
    let different = format!("new Set({messages}.map((one) => one.id)).size");
    assert!(visit.is(&format!("{DUG} === 143 && {different} === 143")));
    visit.frames();
    let moved = visit.number(place) - before;
    assert!(moved.abs() < 2.0, "the reader was moved by {moved}");
    // New messages of the session leave the agent as it is.
    visit.say("z1 user \"thanks\"\nz2 assistant \"at last\"\n");
    visit.wait("document.querySelector('article[data-m=\"93\"]')");
    assert!(visit.is(&format!("{DUG} === 143")));
    visit.check_quiet();
}

pub(super) fn another_path_is_offered(browser: &mut Browser) {
    let mut visit = Visit::new(browser, &turns(5));
    visit.open("");
    connected(&mut visit);
    let place = "Math.round(document.getElementById('turn-5').getBoundingClientRect().top)";
    let before = visit.number(place);
    visit.say("x1 user < b2 \"another way\"\ny1 assistant \"taken\"\n");
    visit.wait("document.querySelector('.offer[data-kind=path]')");
    visit.frames();
    // The notice does not move the transcript.
    assert!(visit.is(&format!("{place} === {before}")));
    assert!(visit.is("document.getElementById('turn-5').textContent.includes('answer number 5')"));
    assert!(!visit.is("document.getElementById('transcript').textContent.includes('another way')"));
    visit.browser.click(".offer a");
    visit.wait("document.getElementById('transcript')?.textContent.includes('another way')");
    assert!(
        !visit.is("document.getElementById('transcript').textContent.includes('answer number 5')")
    );
    visit.check_quiet();
}

pub(super) fn a_replaced_log_is_offered(browser: &mut Browser) {
    let mut visit = Visit::new(browser, &turns(5));
    visit.open("");
    connected(&mut visit);
    let other = session("%session other\nz1 user \"all is new\"\nz2 assistant \"indeed\"\n");
    visit.server.home.add_session("/srv/demo", ID, other);
    visit.wait("document.querySelector('.offer')");
    assert!(visit.is("document.getElementById('turn-5').textContent.includes('answer number 5')"));
    visit.browser.click(".offer a");
    visit.wait("document.getElementById('transcript')?.textContent.includes('all is new')");
}

pub(super) fn what_came_while_the_page_was_hidden_is_there(browser: &mut Browser) {
    let mut visit = Visit::new(browser, &turns(5));
    visit.open("");
    connected(&mut visit);
    visit.browser.set_online(false);
    visit.wait("document.documentElement.dataset.link === 'trying'");
    assert!(
        visit.is("document.getElementById('link').textContent.includes('not connected since')")
    );
    visit.say("n1 user \"news\"\nm1 assistant \"reply\"\n");
    visit.browser.set_online(true);
    visit.wait("document.querySelector('article[data-m=\"16\"]')?.textContent.includes('reply')");
    connected(&mut visit);
    visit.browser.freeze();
    visit.say("n2 user \"more\"\n");
    visit.browser.thaw();
    visit.wait("document.querySelector('article[data-m=\"17\"]')?.textContent.includes('more')");
    assert!(visit.is("document.querySelectorAll('article[data-m]').length === 18"));
}

pub(super) fn a_server_that_begins_again_is_found(browser: &mut Browser) {
    let mut visit = Visit::new(browser, &turns(5));
    visit.open("");
    connected(&mut visit);
    visit.say("n1 user \"news\"\n");
    visit.wait("document.querySelector('article[data-m=\"15\"]')");
    let address = visit.server.leave();
    visit.wait("document.documentElement.dataset.link === 'trying'");
    visit.say("m1 assistant \"said while the server was away\"\nn2 user \"more\"\n");
    let open = |settings: &mut ServerSettings| settings.tokens = TokenPolicy::Open;
    visit.server.come_back(address, open);
    connected(&mut visit);
    visit.wait("document.querySelector('article[data-m=\"17\"]')");
    assert!(visit.is("document.querySelectorAll('article[data-m]').length === 18"));
    assert!(visit.is("document.getElementById('transcript').textContent.split('said while the server was away').length === 2"));
    visit.say("m2 assistant \"and on\"\n");
    visit.wait("document.querySelector('article[data-m=\"18\"]')");
}

/// Opens a session in several windows of one browser, all of them visible, and checks that new
/// messages reach each of them.
fn in_windows(browser: &mut Browser, count: usize, asking: usize) {
    let mut visit = Visit::new(browser, &turns(3));
    let address = visit.address(&format!("/s/{ID}"));
    let mut windows = vec![visit.browser.window()];
    visit.open("");
    connected(&mut visit);
    let mut found = 0;
    for _ in 1..count {
        let window = visit.browser.open_window(WindowKind::Window);
        visit.browser.switch_to(&window);
        visit.browser.go(&address);
        visit.wait("['live', 'asking'].includes(document.documentElement.dataset.link)");
        found += usize::from(visit.is("document.documentElement.dataset.link === 'asking'"));
        windows.push(window);
    }
    assert_eq!(found, asking);
    for (n, last) in [(1, 9), (2, 10), (3, 11)] {
        visit.say(&format!("n{n} user \"news {n} for all\"\n"));
        for window in &windows {
            visit.browser.switch_to(window);
            visit.wait(&format!("document.querySelector('article[data-m=\"{last}\"]')?.textContent.includes('news {n} for all')"));
            assert!(visit.is(&format!(
                "document.querySelectorAll('article[data-m]').length === {}",
                last + 1
            )));
        }
    }
    // A page can still be fetched, although a browser has only six connections to a server.
    visit.browser.switch_to(&windows[0]);
    visit.open("?turn=2#turn-2");
    visit.check_quiet();
}

pub(super) fn two_windows_are_live(browser: &mut Browser) {
    in_windows(browser, 2, 0);
}

pub(super) fn eight_windows_show_what_is_new(browser: &mut Browser) {
    in_windows(browser, 8, 5);
}
