//! The browser of a test process, and the cases that share it.
//!
//! A browser takes seconds to start on a busy machine, and nextest runs each test in its own process. So a
//! test runs many cases, each from an empty state: one window, no cookies, no stored data, no logs. Tests of
//! one process use the browser in turn.

use std::env;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard};

use super::{Browser, BrowserAbsence};

/// The browser of this process. It ends with the process (see `process.rs`).
static SHARED: Mutex<Option<Browser>> = Mutex::new(None);

/// Exclusive access to the browser of this process.
#[derive(Debug)]
pub struct BrowserLease(MutexGuard<'static, Option<Browser>>);

impl BrowserLease {
    /// Returns the browser in its initial state, and starts it if necessary. Waits for another test of the
    /// same process that uses it.
    pub fn take() -> Result<Self, BrowserAbsence> {
        let mut shared = SHARED.lock().unwrap_or_else(|poisoned| {
            // A test failed while it used the browser, whose state is unknown.
            SHARED.clear_poison();
            let mut shared = poisoned.into_inner();
            *shared = None;
            shared
        });
        match &mut *shared {
            Some(browser) => browser.reset(),
            none => *none = Some(Browser::start()?),
        }
        Ok(Self(shared))
    }

    /// Returns the browser, or reports on standard error that this test is skipped because Chromium is not
    /// installed. A Chromium that does not start fails the test.
    #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
    pub fn take_or_skip() -> Option<Self> {
        match Self::take() {
            Ok(lease) => Some(lease),
            Err(BrowserAbsence::NotInstalled) => {
                eprintln!("skipped: chromedriver is not installed");
                None
            }
            Err(BrowserAbsence::Broken(why)) => panic!("the browser does not start: {why}"),
        }
    }

    /// Ends the browser; the next lease starts another.
    fn end(mut self) {
        *self.0 = None;
    }
}

impl Deref for BrowserLease {
    type Target = Browser;

    fn deref(&self) -> &Browser {
        self.0.as_ref().expect("a lease has a browser")
    }
}

impl DerefMut for BrowserLease {
    fn deref_mut(&mut self) -> &mut Browser {
        self.0.as_mut().expect("a lease has a browser")
    }
}

/// A case of a test: its name, and a function that gets a browser in its initial state.
pub type BrowserCase = (&'static str, fn(&mut Browser));

/// Runs cases one after the other, and fails with the names of those that failed.
///
/// `UNSPOOL_CASE=TEXT` runs only cases whose name contains the text. `UNSPOOL_SHOTS=FOLDER` writes a
/// screenshot of each failed case to the folder.
///
/// Tests call it through [`browser_cases!`](crate::browser_cases).
#[expect(clippy::print_stderr, reason = "a test says which of its cases failed")]
pub fn run_cases(cases: &[BrowserCase]) {
    let wanted = env::var("UNSPOOL_CASE").unwrap_or_default();
    let mut failed = Vec::new();
    for (name, case) in cases.iter().filter(|(name, _)| name.contains(&wanted)) {
        let Some(mut browser) = BrowserLease::take_or_skip() else {
            return;
        };
        eprintln!("case {name}");
        if catch_unwind(AssertUnwindSafe(|| case(&mut browser))).is_err() {
            failed.push(*name);
            if let Err(error) = catch_unwind(AssertUnwindSafe(|| keep_sight(name, &mut browser))) {
                drop(error);
            }
            browser.end();
        }
    }
    assert!(failed.is_empty(), "failed: {}", failed.join(", "));
}

/// Writes a screenshot, and prints the address and the console.
#[expect(clippy::print_stderr, reason = "a test says what it saw when it failed")]
fn keep_sight(name: &str, browser: &mut Browser) {
    eprintln!("at {}", browser.run("return location.href"));
    eprintln!("console: {:#?}", browser.console());
    browser.keep_shot(&format!("failed-{name}"));
}

/// Runs functions that take `&mut Browser` as the cases of a test, in one browser.
///
/// ```no_run
/// use unspool_testkit::browser::Browser;
///
/// fn a_page_has_a_title(browser: &mut Browser) {
///     browser.go("http://127.0.0.1:7717/");
///     browser.wait_for("return document.title === 'unspool'");
/// }
///
/// unspool_testkit::browser_cases![a_page_has_a_title];
/// ```
#[macro_export]
macro_rules! browser_cases {
    ($($case:path),+ $(,)?) => {
        $crate::browser::run_cases(&[$((stringify!($case), $case)),+])
    };
}
