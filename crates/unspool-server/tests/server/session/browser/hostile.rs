//! Hostile sessions in a browser: their texts stay text while pages are used.

use unspool_testkit::browser::Browser;
use unspool_testkit::markup::HOSTILE;
use unspool_testkit::saying::add_text_everywhere;
use unspool_testkit::{TestHome, uuid};

use super::Visit;

/// Finds elements and attributes of the page that could run a session's text.
const FOREIGN: &str = r#"
const own = location.origin + "/";
const found = [];
for (const element of document.querySelectorAll("*")) {
  for (const { name, value } of element.attributes) {
    if (name.startsWith("on")) found.push(element.localName + " " + name);
    if (["href", "src", "action", "formaction"].includes(name)
        && !/^(#|\/|\?|data:image\/(png|jpeg|gif|webp);)/.test(value)
        && !new URL(value, location).href.startsWith(own)
        && !/^https?:\/\//.test(value)) found.push(name + "=" + value);
  }
  if (["iframe", "object", "embed", "base"].includes(element.localName)) found.push(element.localName);
  if (element.localName === "script" && !element.src.startsWith(own)) found.push("script");
}
return found;
"#;

pub(super) fn what_a_session_says_runs_nowhere(browser: &mut Browser) {
    let home = TestHome::new();
    let ids: Vec<String> = (0..HOSTILE.len()).map(|number| uuid(&format!("h{number}"))).collect();
    for (id, text) in ids.iter().zip(HOSTILE) {
        add_text_everywhere(&home, id, text);
    }
    let mut visit = Visit::of(browser, home);
    for (id, text) in ids.iter().zip(HOSTILE) {
        let address = visit.address(&format!("/s/{id}"));
        visit.browser.go(&address);
        visit.wait("window.unspool && document.querySelector('#transcript article')");
        visit.settle();
        // Unfold everything, and insert the agent's conversation.
        visit.browser.run(
            "for (const fold of document.querySelectorAll('#transcript details')) fold.open = true",
        );
        visit.browser.run("document.querySelector('[data-agent]')?.click()");
        visit.settle();
        check(&mut visit, text);
    }
    let lists = ["/", "/sessions", "/search?q=alert", "/stats?since=all", "/check", "/live"];
    let below = ["tree", "time", "context", "files", "compare", "raw", "raw/line:2", "a/evil"];
    let below = below.map(|way| format!("/s/{}/{way}", ids[0]));
    for way in lists.into_iter().map(str::to_owned).chain(below) {
        let address = visit.address(&way);
        visit.browser.go(&address);
        visit.frames();
        check(&mut visit, &way);
    }
}

fn check(visit: &mut Visit<'_>, what: &str) {
    let found = visit.browser.run(FOREIGN);
    assert_eq!(found, serde_json::json!([]), "{what}");
    visit.check_quiet();
}
