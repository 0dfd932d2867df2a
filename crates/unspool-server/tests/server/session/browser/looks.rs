//! The layout of pages: nothing wider than the window and nothing in the console, at all widths and
//! in both themes.

use unspool_testkit::browser::{Browser, BrowserScreen};

use super::super::turns;
use super::Visit;

const MANY: &str = r#"
u1 user "Why does the importer lose the last row of every file? It worked before the change to the reader, and a_very_long_name_that_cannot_be_broken_anywhere_in_the_middle_of_it_at_all_whatever_happens"
a1 assistant thinking "hm" "Looking into `src/import.rs`." call Bash:t1 {"command":"cargo test import --all-features -- --nocapture --test-threads=1 and more and more and more"}
r1 result t1 error "test failed: assertion\nleft: 1\nright: 2"
a2 assistant "Found it." call Edit:t2 {"file_path":"/srv/demo/src/import.rs","old_string":"a\nb","new_string":"a\nc"}
r2 result t2 "ok"
a3 assistant "Done: it reads to the end now."
c1 system compact_boundary "compacted" before=142000 after=18000
s1 user summary "what was said"
u2 user "thanks"
a4 assistant "You are welcome."
"#;

pub(super) fn nothing_overflows_and_nothing_complains(browser: &mut Browser) {
    let screens = [
        ("wide", BrowserScreen::WIDE),
        ("wide-dark", BrowserScreen::WIDE.dark()),
        ("tablet", BrowserScreen::new(820, 1100)),
        ("narrow", BrowserScreen::NARROW),
        ("narrow-dark", BrowserScreen::NARROW.dark()),
    ];
    for (name, notation) in [("session", MANY.to_owned()), ("session-long", turns(200))] {
        let mut visit = Visit::new(browser, &notation);
        for (screen_name, screen) in screens {
            visit.browser.set_screen(screen);
            visit.open("");
            assert!(
                visit.is("document.documentElement.scrollWidth <= innerWidth"),
                "{name} on {screen_name} is {} wide",
                visit.number("document.documentElement.scrollWidth")
            );
            visit.browser.keep_shot(&format!("{name}-{screen_name}"));
        }
        visit.check_quiet();
    }
}
