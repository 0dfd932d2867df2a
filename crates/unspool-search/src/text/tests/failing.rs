//! Logs that cannot be read to the end.

use unspool_store::archive::store::{ArchiveRequest, ArchiveTrust, Mode, WantedSessions, store};
use unspool_store::home::discover;

use super::*;
use unspool_testkit::home::files_below;

/// A home and its archive, in which single frames of a log can be damaged.
struct ArchivedFixture {
    fixture: TextFixture,
    index: Index,
    archive: PathBuf,
    homes: [Home; 1],
}

impl ArchivedFixture {
    fn of(fixture: TextFixture) -> Self {
        let archive = fixture.home.user_home().join("archive");
        let homes = [Home::new(archive.join("home-1"))];
        let index = Index::open(fixture.cache.path()).expect("an index");
        Self { fixture, index, archive, homes }
    }

    /// Archives the home and refreshes the catalogue of the archive.
    fn refresh(&mut self) -> WalkedHomes {
        let request = ArchiveRequest {
            archive: &self.archive,
            homes: &[discover(&Home::new(self.fixture.home.path()))],
            wanted: &WantedSessions::Everything,
            mode: Mode::Write,
            trust: ArchiveTrust::Stamps,
            now: later(),
        };
        store(&request, &Unwatched).expect("archives");
        let basis = RefreshBasis { now: later(), prices: &PriceTable::built_in() };
        self.index.refresh(&self.homes, &basis, &Unwatched).expect("a catalogue").found
    }

    fn text(&self, found: &WalkedHomes) -> (TextIndex, TextReport) {
        let text = TextIndex::open(&self.index, &self.homes, found, later(), &Unwatched);
        text.expect("a full text")
    }

    /// Returns the packed logs.
    fn logs(&self) -> impl Iterator<Item = PathBuf> {
        let files = files_below(&self.homes[0].root).into_iter();
        files.filter(|path| path.to_string_lossy().ends_with(".jsonl.zst"))
    }
}

/// Returns a line with a prompt.
fn typed(text: &str) -> String {
    format!("{{\"type\":\"user\",\"message\":{{\"content\":\"{text}\"}}}}\n")
}

#[test]
fn a_log_that_fails_in_the_middle_is_not_indexed_twice() {
    let fixture = TextFixture::new();
    let path = fixture.add("s", r#"u1 user "alphaword""#);
    let mut archived = ArchivedFixture::of(fixture);
    let found = archived.refresh();
    archived.text(&found);

    // With more than a megabyte, the log has a second frame.
    append(&path, typed("betaword") + &typed(&"lorem ipsum ".repeat(5000)).repeat(20));
    let new = archived.fixture.add("t", r#"u1 user "gammaword""#);
    append(&new, typed(&"lorem ipsum ".repeat(5000)).repeat(20));
    let found = archived.refresh();
    let whole: Vec<_> = archived.logs().map(|log| (fs::read(&log).expect("reads"), log)).collect();
    for (bytes, log) in &whole {
        let mut damaged = bytes.clone();
        // Before the table, which has two entries.
        let last = damaged.len() - 33 - 1;
        damaged[last - 20..last].fill(0);
        fs::write(log, damaged).expect("writes");
    }
    let (text, report) = archived.text(&found);
    assert_eq!(report.file_errors.len(), 2, "{report:?}");
    assert_eq!(count(&text, "alphaword"), 1, "what was read before stays");
    for (bytes, log) in whole {
        fs::write(log, bytes).expect("writes");
    }
    let (text, report) = archived.text(&found);
    assert!(report.file_errors.is_empty() && report.coverage.is_whole(), "{report:?}");
    for word in ["alphaword", "betaword", "gammaword"] {
        assert_eq!(count(&text, word), 1, "{word}");
    }
}
