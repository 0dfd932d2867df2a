//! Pages in a browser: no errors are logged, nothing is loaded, keys work, and a narrow window
//! shows everything.
//!
//! Without Chromium and its driver these tests print a note and pass; `cargo xtask test` installs both. All
//! cases of a test share one browser; `UNSPOOL_CASE=TEXT` runs those whose name contains the text.

mod keys;
mod reading;
mod site;

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;
use unspool_testkit::browser::{Browser, BrowserScreen};
use unspool_testkit::browser_cases;

use crate::sample;
use crate::surface::painted;

/// Pages in a folder, and a browser that opens them.
struct Visit<'a> {
    browser: &'a mut Browser,
    folder: TempDir,
}

impl<'a> Visit<'a> {
    fn new(browser: &'a mut Browser) -> Self {
        Self { browser, folder: tempfile::tempdir().expect("a folder") }
    }

    /// Opens the page of a transcript with one of everything, and returns its path.
    fn open_everything(&mut self, screen: BrowserScreen) -> PathBuf {
        let page = self.write(&painted(&sample::everything()));
        self.browser.open(&page, screen);
        page
    }

    /// Writes a site of five sessions.
    fn write_site(&self) {
        let sessions = (0..5).map(crate::site::session).collect();
        crate::site::write(self.folder.path(), sessions, 0..5);
    }

    /// Writes the pages of a transcript, and returns the path of the first.
    fn write(&self, book: &crate::paper::Book) -> PathBuf {
        for (index, page) in (1u32..).zip(&book.pages) {
            let name = unspool_render::document::Paper::page_name(book, index);
            fs::write(self.folder.path().join(name), page).expect("written");
        }
        self.folder.path().join("transcript_x.html")
    }

    /// Fails if the page logged an error, or requested anything but files of the folder.
    fn check_quiet(&mut self) {
        self.browser.check_quiet(&format!("file://{}", self.folder.path().display()));
    }

    fn number(&mut self, script: &str) -> i64 {
        let value = self.browser.run(&format!("return {script};"));
        value.as_i64().unwrap_or_else(|| panic!("{script}: {value}"))
    }
}

#[test]
fn transcripts_in_a_browser() {
    browser_cases![
        reading::pages_are_quiet_and_fit_narrow_windows,
        reading::text_can_be_read_in_both_themes,
        reading::links_lead_into_folded_things,
        reading::code_can_be_copied,
        reading::hostile_pages_do_nothing,
        reading::the_policy_stops_what_is_not_ours,
        reading::long_transcripts_open_at_once,
        reading::nothing_lies_on_code_in_a_narrow_window,
        reading::changes_side_by_side_use_a_wide_window,
        keys::keys_move_fold_and_find,
        keys::the_search_opens_what_is_folded,
        keys::keys_lead_to_messages_errors_changes_and_ends,
        keys::what_is_folded_away_is_unfolded_for_a_change,
        keys::keys_of_one_character_can_be_switched_off,
        keys::markup_that_comes_later_works,
        keys::server_pages_share_keys_and_script,
        site::the_search_of_a_site_is_driven_by_keys,
        site::the_way_back_from_a_hit_leads_to_the_query_and_its_results,
        site::a_site_is_searched_without_a_server,
    ];
}
