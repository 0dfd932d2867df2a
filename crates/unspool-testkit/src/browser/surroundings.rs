//! What is around a page: the size of its window, light or dark, whether it is seen, whether there is a
//! network.
//!
//! All of it is emulated by the browser, for the current window.

use serde_json::json;

use super::Browser;

/// Which colours a page is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColourScheme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// What a page is looked at on. Screens of less than 600 pixels are touched, as those of phones are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BrowserScreen {
    width: u32,
    height: u32,
    scheme: ColourScheme,
}

impl BrowserScreen {
    /// A desktop's, in light colours.
    pub const WIDE: Self = Self::new(1400, 900);
    /// A phone's, in light colours.
    pub const NARROW: Self = Self::new(390, 844);

    /// Describes a screen in light colours.
    pub const fn new(width: u32, height: u32) -> Self {
        Self { width, height, scheme: ColourScheme::Light }
    }

    /// Returns the same screen with other colours.
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
    /// Changes the screen of this window and of windows that are opened from now on. A wide screen has a
    /// mouse that hovers, but not in a window whose screen was narrow before.
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
        // Only where it changes something: a window that was touched has no mouse afterwards.
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
        // Keys go to a page that has the focus; on a busy machine it may come later than the page.
        self.emulate_focus(true);
    }

    fn emulate_focus(&mut self, enabled: bool) {
        self.devtools("Emulation.setFocusEmulationEnabled", &json!({ "enabled": enabled }));
    }

    /// Takes the network away from the page of this window, or gives it back. Streams that are open
    /// break, and `navigator.onLine` and its events say so.
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

    /// Hides this window and stops its page, as a phone does in a pocket: no timer, no event, no stream
    /// runs. [`Self::run`] still looks into it.
    pub fn freeze(&mut self) {
        self.hide();
        let frozen = json!({ "state": "frozen" });
        self.devtools("Page.setWebLifecycleState", &frozen);
    }

    /// Lets a page run again after [`Self::freeze`], and shows it.
    pub fn thaw(&mut self) {
        let active = json!({ "state": "active" });
        self.devtools("Page.setWebLifecycleState", &active);
        self.show();
    }
}
