//! The page of a session in a browser with the right to drive, and the actions of a person.

use unspool_testkit::browser::{Browser, BrowserScreen};
use unspool_testkit::uuid;

use super::Driven;

/// The number of messages on the page.
pub(super) const COUNT: &str = "document.querySelectorAll('article[data-m]').length";

/// The page of the session, in a browser with the right to drive.
pub(super) struct Page<'b> {
    pub(super) browser: &'b mut Browser,
    pub(super) driven: Driven,
}

impl<'b> Page<'b> {
    pub(super) fn open(browser: &'b mut Browser) -> Self {
        Self::open_driven(browser, Driven::start())
    }

    pub(super) fn open_driven(browser: &'b mut Browser, driven: Driven) -> Self {
        driven.trust();
        browser.go(&driven.link);
        let mut page = Self { browser, driven };
        page.go();
        page
    }

    pub(super) fn go(&mut self) {
        let address = format!("http://{}/s/{}", self.driven.address, uuid("one"));
        self.browser.go(&address);
        self.wait("window.unspool && document.documentElement.dataset.link === 'live'");
    }

    pub(super) fn wait(&mut self, script: &str) {
        self.browser.wait_for(&format!("return Boolean({script})"));
    }

    /// Focuses an element.
    pub(super) fn focus(&mut self, selector: &str) {
        let script = format!("document.querySelector('{selector}').focus()");
        self.browser.run(&script);
    }

    /// Presses keys, then waits for a condition.
    pub(super) fn press_until(&mut self, keys: &str, script: &str) {
        self.browser.press(keys);
        self.wait(script);
    }

    /// Types a prompt.
    pub(super) fn write(&mut self, text: &str) {
        self.focus("#composer textarea");
        self.browser.press(text);
    }

    /// Types a prompt and presses the button, without checking the result.
    pub(super) fn try_to_send(&mut self, text: &str) {
        self.write(text);
        self.browser.click("#composer button[type=submit]");
    }

    /// Types a prompt and sends it.
    pub(super) fn send(&mut self, text: &str) {
        self.try_to_send(text);
        self.wait("document.querySelector('#composer textarea').value === ''");
    }

    /// Selects a value of a field, with the events of a user's choice.
    pub(super) fn choose(&mut self, field: &str, value: &str) {
        self.browser.run(&format!(
            "const field = document.querySelector('{field}'); field.value = '{value}'; \
             field.dispatchEvent(new Event('change', {{ bubbles: true }}))"
        ));
    }

    /// Allows the call of the card.
    pub(super) fn allow(&mut self) {
        self.browser.click(".approval [data-decide=allow]");
    }

    /// Freezes the position that the page reports as seen.
    pub(super) fn stop_seeing(&mut self) {
        self.browser.run("window.old = unspool.position(); unspool.position = () => window.old");
    }

    /// Waits until an element contains a text.
    pub(super) fn wait_for_words(&mut self, selector: &str, text: &str) {
        self.wait(&format!("document.querySelector('{selector}')?.textContent.includes('{text}')"));
    }

    pub(super) fn wait_for_card(&mut self, kind: &str) {
        self.wait(&format!("document.querySelector('.approval[data-kind={kind}]')"));
    }

    pub(super) fn wait_for_text(&mut self, text: &str) {
        self.wait(&format!("document.getElementById('transcript').textContent.includes('{text}')"));
    }

    pub(super) fn wait_for_queue(&mut self, count: usize) {
        self.wait(&format!(
            "document.querySelectorAll('.queue li[data-state=queued]').length === {count}"
        ));
    }

    pub(super) fn wait_for_state(&mut self, state: &str) {
        self.wait(&format!("document.getElementById('drive-state').dataset.state === '{state}'"));
    }

    /// Takes screenshots in both widths and both themes.
    pub(super) fn keep_shots(&mut self, name: &str) {
        for (kind, screen) in [
            ("wide", BrowserScreen::WIDE),
            ("wide-dark", BrowserScreen::WIDE.dark()),
            ("narrow", BrowserScreen::NARROW),
            ("narrow-dark", BrowserScreen::NARROW.dark()),
        ] {
            self.browser.set_screen(screen);
            let over = "return document.documentElement.scrollWidth - innerWidth";
            let over = self.browser.run(over).as_i64().expect("a number");
            assert!(over <= 0, "{name} is {over} pixels too wide ({kind})");
            // Transitions have ended.
            self.wait("document.getAnimations().every((one) => one.playState !== 'running')");
            self.browser.keep_shot(&format!("drive-{name}-{kind}"));
        }
        self.browser.set_screen(BrowserScreen::WIDE);
    }
}
