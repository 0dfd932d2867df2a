//! Searches while another process writes the full text.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// Another process that has the lock of the full text.
struct OtherProcess {
    lock: Mutex<Option<DirectoryLock>>,
    lets_go: LetsGo,
    /// How often a search reported that it waits.
    waits: AtomicUsize,
}

/// When another process releases its lock.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LetsGo {
    /// When a search waits for it.
    WhenAwaited,
    /// Never.
    Never,
}

impl Progress for OtherProcess {
    fn wait(&self, waiting: &mut dyn FnMut()) {
        self.waits.fetch_add(1, Ordering::Relaxed);
        if self.lets_go == LetsGo::WhenAwaited {
            self.lock.lock().expect("a lock").take();
        }
        waiting();
    }
}

impl TextFixture {
    /// Searches while another process has the lock of the full text. Returns also how often the
    /// search reported that it waits.
    fn text_while_locked(
        &self,
        first: Duration,
        lets_go: LetsGo,
    ) -> (Result<(TextIndex, TextReport), TextError>, usize) {
        let (index, found) = self.index();
        let lock = store::lock(&self.text_folder()).expect("a lock");
        let other =
            OtherProcess { lock: Mutex::new(Some(lock)), lets_go, waits: AtomicUsize::new(0) };
        let lock_timeouts = LockTimeouts { usual: Duration::ZERO, first };
        let text = self.try_text(&index, &found, lock_timeouts, &other);
        (text, other.waits.into_inner())
    }
}

#[test]
fn a_search_with_nothing_to_answer_from_waits_for_the_process_that_writes_and_says_so() {
    let fixture = TextFixture::with("s", r#"u1 user "alphaword""#);
    let (text, waits) = fixture.text_while_locked(Duration::from_mins(5), LetsGo::WhenAwaited);
    let (text, report) = text.expect("an answer");
    assert_eq!((report.freshness, waits), (Freshness::Fresh, 1));
    assert_eq!(count(&text, "alphaword"), 1);
}

#[test]
fn a_search_whose_wait_ends_without_an_index_fails() {
    let fixture = TextFixture::with("s", r#"u1 user "alphaword""#);
    let (text, waits) = fixture.text_while_locked(Duration::ZERO, LetsGo::Never);
    assert!(matches!(text, Err(TextError::Unbuilt)), "no answer is made up");
    assert_eq!(waits, 1);
    assert_eq!(count(&fixture.text().0, "alphaword"), 1, "when it is done");
}

#[test]
fn a_search_with_something_to_answer_from_does_not_wait() {
    let most = "alphaword ".repeat(10_000);
    let fixture = TextFixture::with("s", &format!("u1 user \"{most}\""));
    fixture.text();
    fixture.add("t", r#"u1 user "betaword""#);
    let (text, waits) = fixture.text_while_locked(Duration::from_mins(5), LetsGo::Never);
    let (text, report) = text.expect("an answer");
    assert_eq!((report.freshness, waits), (Freshness::Busy, 0));
    assert!(count(&text, "alphaword") > 0);
}
