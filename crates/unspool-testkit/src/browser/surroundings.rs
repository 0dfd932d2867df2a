//! The environment of a page: screen size, colour scheme, visibility, network.
//!
//! The browser emulates all of it, for the current window.

use serde_json::json;

use super::Browser;

/// The preferred colour scheme of the browser.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColourScheme {
    /// Dark text on light.
    Light,
    /// Light text on dark.
    Dark,
}

/// The screen of a page. Screens of less than 600 pixels have touch input, like those of phones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BrowserScreen {
    width: u32,
    height: u32,
    scheme: ColourScheme,
}

impl BrowserScreen {
    /// The screen of a desktop, in light colours.
    pub const WIDE: Self = Self::new(1400, 900);
    /// The screen of a phone, in light colours.
    pub const NARROW: Self = Self::new(390, 844);

    /// Returns a screen in light colours.
    pub const fn new(width: u32, height: u32) -> Self {
        Self { width, height, scheme: ColourScheme::Light }
    }

    /// Returns the same screen with another colour scheme.
    #[must_use]
    pub const fn with_scheme(self, scheme: ColourScheme) -> Self {
        Self { scheme, ..self }
    }

    /// Returns the same screen in dark colours.
    #[must_use]
    pub const fn dark(self) -> Self {
        self.with_scheme(ColourScheme::Dark)
    }
}

impl Browser {
    /// Changes the screen of this window and of later windows. A wide screen has a mouse that hovers, except
    /// in a window that had a narrow screen before.
    pub fn set_screen(&mut self, screen: BrowserScreen) {
        self.screen = screen;
        self.apply_screen();
    }

    pub(super) fn apply_screen(&mut self) {
        let BrowserScreen { width, height, scheme } = self.screen;
        let is_touched = width < 600;
        let metrics = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_touched,
        });
        self.devtools("Emulation.setDeviceMetricsOverride", &metrics);
        // Only if it changes something: a window that had touch input never gets a mouse again.
        if is_touched || self.run("return navigator.maxTouchPoints > 0") == true {
            let touch = json!({ "enabled": is_touched, "maxTouchPoints": 5 });
            self.devtools("Emulation.setTouchEmulationEnabled", &touch);
        }
        let scheme = match scheme {
            ColourScheme::Light => "light",
            ColourScheme::Dark => "dark",
        };
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.devtools("Emulation.setEmulatedMedia", &media);
        // Keys need a focused page; on a busy machine the focus may arrive after the page.
        self.emulate_focus(true);
    }

    fn emulate_focus(&mut self, enabled: bool) {
        self.devtools("Emulation.setFocusEmulationEnabled", &json!({ "enabled": enabled }));
    }

    /// Disconnects the page of this window from the network, or connects it again. Open streams break, and
    /// `navigator.onLine` and its events change.
    pub fn set_online(&mut self, online: bool) {
        let conditions = json!({ "offline": !online, "latency": 0,
            "downloadThroughput": -1, "uploadThroughput": -1 });
        self.devtools("Network.emulateNetworkConditions", &conditions);
    }

    /// Hides this window, as if it were minimised: `document.visibilityState` becomes `hidden`.
    pub fn hide(&mut self) {
        self.emulate_focus(false);
        self.command("POST", "window/minimize", &json!({}));
        self.wait_for("return document.visibilityState === 'hidden'");
    }

    /// Shows this window again after [`Self::hide`].
    pub fn show(&mut self) {
        let size = json!({ "width": self.screen.width, "height": self.screen.height });
        self.command("POST", "window/rect", &size);
        self.emulate_focus(true);
        self.wait_for("return document.visibilityState === 'visible'");
    }

    /// Hides this window and freezes its page, like a phone in a pocket: no timers, events or streams run.
    /// [`Self::run`] still works.
    pub fn freeze(&mut self) {
        self.hide();
        let frozen = json!({ "state": "frozen" });
        self.devtools("Page.setWebLifecycleState", &frozen);
    }

    /// Resumes a page after [`Self::freeze`], and shows it.
    pub fn thaw(&mut self) {
        let active = json!({ "state": "active" });
        self.devtools("Page.setWebLifecycleState", &active);
        self.show();
    }
}
