//! Session pages in a browser: they fill, they follow the session, and the reader's position stays.
//!
//! Without Chromium and its driver these tests print a note and pass. `UNSPOOL_CASE=TEXT` runs
//! those whose name contains the text.

mod hostile;
mod live;
mod looks;
mod reading;

use std::path::PathBuf;

use unspool_testkit::browser::Browser;
use unspool_testkit::{TestHome, added, append, browser_cases, session};

use super::ID;
use crate::harness::TestServer;

#[test]
fn session_pages_are_read_in_a_browser() {
    browser_cases![
        reading::a_long_session_opens_at_its_end_and_fills_without_moving,
        reading::a_short_session_opens_at_its_top,
        reading::links_lead_into_parts_that_are_not_there,
        reading::the_way_back_leads_to_where_the_reader_was,
        reading::turns_messages_and_ends_by_keys,
        reading::a_search_finds_what_is_not_in_the_page,
        reading::branches_are_switched_by_keys,
        reading::an_agent_unfolds_in_its_place,
        reading::all_of_an_output_comes_in_its_place,
        reading::far_chunks_are_emptied_and_the_page_stays_small,
        reading::a_page_can_be_read_without_a_script,
        reading::a_phone_has_drawers,
        reading::copying_takes_what_is_meant,
        reading::reading_goes_on_where_it_ended,
        looks::nothing_overflows_and_nothing_complains,
        hostile::what_a_session_says_runs_nowhere,
    ];
}

#[test]
fn session_pages_are_live_in_a_browser() {
    browser_cases![
        live::the_end_is_followed,
        live::a_reader_elsewhere_is_told_and_not_moved,
        live::a_call_that_ends_changes_in_its_place,
        live::an_unfolded_agent_grows_in_its_place,
        live::another_path_is_offered,
        live::a_replaced_log_is_offered,
        live::what_came_while_the_page_was_hidden_is_there,
        live::a_server_that_begins_again_is_found,
        live::two_windows_are_live,
        live::eight_windows_show_what_is_new,
    ];
}

/// A server with one session, and a browser that shows it.
pub(super) struct Visit<'b> {
    pub(super) browser: &'b mut Browser,
    pub(super) server: TestServer,
    pub(super) log: PathBuf,
    /// The notation of the log so far.
    said: String,
}

impl<'b> Visit<'b> {
    pub(super) fn new(browser: &'b mut Browser, notation: &str) -> Self {
        let home = TestHome::new();
        let log = home.add_session("/srv/demo", ID, session(notation));
        Self { browser, server: TestServer::open(home), log, said: notation.to_owned() }
    }

    /// Visits an existing home.
    pub(super) fn of(browser: &'b mut Browser, home: TestHome) -> Self {
        Self {
            browser,
            log: home.path().join("unused"),
            server: TestServer::open(home),
            said: String::new(),
        }
    }

    pub(super) fn address(&self, way: &str) -> String {
        format!("http://{}{way}", self.server.address())
    }

    /// Opens a page of the session and waits until its script is ready.
    pub(super) fn open(&mut self, way: &str) {
        let address = self.address(&format!("/s/{ID}{way}"));
        self.browser.go(&address);
        self.browser.wait_for(
            "return Boolean(window.unspool) && document.documentElement.classList.contains('js')",
        );
        self.settle();
    }

    /// Waits until all chunks near the viewport are filled.
    pub(super) fn settle(&mut self) {
        self.browser.wait_for(
            "return ![...document.querySelectorAll('.chunk[data-h]')].some((chunk) => {
               const box = chunk.getBoundingClientRect();
               return box.bottom > -innerHeight && box.top < 2 * innerHeight;
             })",
        );
        self.frames();
    }

    /// Waits for two frames, so that the page is painted.
    pub(super) fn frames(&mut self) {
        self.browser.run(
            "window.framesSeen = 0;
             requestAnimationFrame(() => requestAnimationFrame(() => (window.framesSeen = 2)));",
        );
        self.browser.wait_for("return window.framesSeen === 2");
    }

    /// Appends lines to the log, as a client does.
    pub(super) fn say(&mut self, lines: &str) {
        append(&self.log, added(&self.said, lines));
        self.said += lines;
    }

    pub(super) fn number(&mut self, script: &str) -> f64 {
        let value = self.browser.run(&format!("return {script}"));
        value.as_f64().unwrap_or_else(|| panic!("{script}: {value}"))
    }

    pub(super) fn is(&mut self, script: &str) -> bool {
        self.browser.run(&format!("return Boolean({script})")) == true
    }

    pub(super) fn wait(&mut self, script: &str) {
        self.browser.wait_for(&format!("return Boolean({script})"));
    }

    /// Fails if a page wrote to the console, or requested anything from another server.
    pub(super) fn check_quiet(&mut self) {
        self.browser.check_quiet(&self.address(""));
    }
}

impl Drop for Visit<'_> {
    /// Leaves the page before the server stops: a page that loses its connection writes to the console.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = self.browser.try_to_go("about:blank");
        }
    }
}

/// Returns a script for the distance of an element from the top of the viewport.
pub(super) fn top_of(id: &str) -> String {
    format!("document.getElementById('{id}').getBoundingClientRect().top")
}
