//! Keys that are typed before the screen is ready for them.
//!
//! A person who knows the program types `boat`, Enter and `v` without looking. The matching rows arrive a
//! moment after the letters, so Enter waits for them ([`TuiScreen::defers`]), and all later keys wait for
//! Enter. Keys are processed in order. Escape and Ctrl-C do not wait, and drop the waiting keys.
//!
//! [`TuiScreen::defers`]: crate::screen::TuiScreen::defers

use unspool_render::keys::KeyAction;

use super::TuiProgram;
use crate::press::{KeyName, KeyPress};

/// The action that waits for its screen, and the keys typed after it.
#[derive(Default)]
pub(super) struct TypedAhead {
    action: Option<KeyAction>,
    typed: Vec<KeyPress>,
}

impl TypedAhead {
    /// Defers an action until the screen is ready for it.
    pub(super) fn defer(&mut self, action: KeyAction) {
        self.action = Some(action);
    }

    /// Queues a press if an action waits; returns whether one does.
    pub(super) fn enqueue(&mut self, press: KeyPress) -> bool {
        let is_interrupt = press.control && press.key == KeyName::Char('c');
        if press.key == KeyName::Escape || is_interrupt {
            *self = Self::default();
        }
        if self.action.is_some() {
            self.typed.push(press);
        }
        self.action.is_some()
    }
}

impl TuiProgram {
    /// Processes the waiting keys as far as the screens are ready for them.
    pub(super) fn run_deferred(&mut self) {
        let Some(action) = self.ahead.action.filter(|action| !self.defers(*action)) else {
            return;
        };
        let typed = std::mem::take(&mut self.ahead).typed;
        self.act(action);
        // One of these may defer again, which queues the ones after it again.
        for press in typed {
            self.key(press);
        }
    }

    /// Tells whether the screen on top is not ready for an action.
    pub(super) fn defers(&self, action: KeyAction) -> bool {
        let is_way_out = matches!(
            action,
            KeyAction::Close
                | KeyAction::Back
                | KeyAction::Quit
                | KeyAction::Suspend
                | KeyAction::Redraw
                | KeyAction::Help
        );
        let top = self.stack.last();
        !is_way_out && top.is_some_and(|(_, screen)| screen.defers(action))
    }
}
