//! A followed file is read like a file that is opened for the first time.
//!
//! Files grow in chunks that end anywhere, are truncated and are replaced, once or several times
//! between two refreshes. In all cases the followed log equals a freshly opened one.

#[path = "../../../unspool-model/tests/laws/portrait.rs"]
mod portrait;

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use portrait::{difference, portrait};
use unspool_store::tail::{LogFile, LogFileChange};
use unspool_testkit::append;
use unspool_testkit::random::{self, RandomShape};
use unspool_testkit::rng::Rng;

/// A log file on disk with its follower.
struct Followed {
    _folder: tempfile::TempDir,
    path: PathBuf,
    log: LogFile,
}

impl Followed {
    fn new(bytes: &[u8]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log.jsonl");
        fs::write(&path, bytes).expect("writes");
        let log = LogFile::open(&path).expect("opens");
        Self { _folder: folder, path, log }
    }

    fn append(&self, bytes: &[u8]) {
        append(&self.path, bytes);
    }

    fn truncate(&self, len: u64) {
        let file = OpenOptions::new().write(true).open(&self.path);
        file.and_then(|file| file.set_len(len)).expect("truncates");
    }

    /// Replaces the file, as editors and sync tools do.
    fn replace(&self, bytes: &[u8]) {
        let other = self.path.with_extension("new");
        fs::write(&other, bytes).and_then(|()| fs::rename(&other, &self.path)).expect("replaces");
    }

    /// Refreshes the log and asserts that it equals a freshly opened one.
    #[track_caller]
    fn look(&mut self) -> LogFileChange {
        let change = self.log.refresh().expect("reads");
        let fresh = LogFile::open(&self.path).expect("opens");
        let (followed, fresh_lines) = (portrait(self.log.log()), portrait(fresh.log()));
        if let Some(difference) = difference(&fresh_lines, &followed) {
            panic!("{change:?}, {}:\n{difference}", self.path.display());
        }
        assert_eq!(self.log.stamp(), fresh.stamp());
        assert_spans_are_the_file(&self.log, &self.path);
        change
    }
}

/// Asserts that all spans, read back, are the file.
#[track_caller]
fn assert_spans_are_the_file(log: &LogFile, path: &Path) {
    let mut reader = log.reader();
    let mut bytes = Vec::new();
    for span in log.log().spans() {
        bytes.extend_from_slice(reader.bytes(span).expect("reads"));
    }
    assert_eq!(bytes, fs::read(path).expect("reads"));
}

fn bytes_of(seed: u64) -> Vec<u8> {
    random::session(seed, &RandomShape::any(seed, 40))
}

#[test]
fn a_file_that_grows_is_read_as_if_at_once() {
    for seed in 0..48 {
        let mut rng = Rng::new(seed);
        let bytes = bytes_of(seed);
        let mut at = rng.below(bytes.len() + 1);
        let mut followed = Followed::new(&bytes[..at]);
        while at < bytes.len() {
            let next = (at + 1 + rng.skewed(1, 6000) as usize).min(bytes.len());
            followed.append(&bytes[at..next]);
            let grown = (next - at) as u64;
            at = next;
            if rng.chance(0.7) {
                let change = followed.look();
                assert!(
                    matches!(change, LogFileChange::Grew(bytes) if bytes >= grown),
                    "{change:?}"
                );
            }
        }
        followed.look();
        assert_eq!(followed.look(), LogFileChange::Same);
    }
}

#[test]
fn a_file_that_is_cut_off_is_read_again() {
    for seed in 0..24 {
        let mut rng = Rng::new(seed);
        let bytes = bytes_of(seed);
        let mut followed = Followed::new(&bytes);
        let kept = rng.below(bytes.len() + 1);
        followed.truncate(kept as u64);
        let change = followed.look();
        assert_eq!(change == LogFileChange::Replaced, kept < bytes.len());
        followed.append(&bytes[kept..]);
        followed.look();
        // Truncated and extended before it is read again: larger than before, but another file.
        followed.truncate(0);
        followed.append(&bytes_of(seed + 1000));
        followed.append(&bytes);
        followed.look();
    }
}

#[test]
fn a_file_that_is_replaced_is_read_again() {
    for seed in 0..24 {
        let mut followed = Followed::new(&bytes_of(seed));
        followed.replace(&bytes_of(seed + 1000));
        assert_eq!(followed.look(), LogFileChange::Replaced);
        let longer = [bytes_of(seed + 1000), bytes_of(seed)].concat();
        followed.replace(&longer);
        assert_eq!(followed.look(), LogFileChange::Replaced);
        followed.append(b"\n{\"type\":\"user\"");
        followed.look();
    }
}

#[test]
fn a_torn_last_line_may_be_taken_back_or_go_on() {
    let whole = "{\"type\":\"user\",\"uuid\":\"a\",\"message\":{\"content\":\"one\"}}\n";
    let mut followed = Followed::new(whole.as_bytes());
    for cut in 1..whole.len() {
        followed.append(&whole.as_bytes()[..cut]);
        assert_eq!(followed.look(), LogFileChange::Grew(cut as u64));
        followed.truncate(whole.len() as u64);
        assert_eq!(followed.look(), LogFileChange::Replaced);
    }
    followed.append(&whole.as_bytes()[..20]);
    followed.look();
    // A newer client starts a new line after the torn one, an older one appends to it.
    followed.append(format!("\n{whole}").as_bytes());
    followed.look();
    assert_eq!(followed.log.log().entries.len(), 3);
    followed.append(&whole.as_bytes()[..20]);
    followed.look();
    followed.append(whole.as_bytes());
    followed.look();
    assert_eq!(followed.log.log().entries.len(), 5);
}
