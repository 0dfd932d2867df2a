//! Keys that are typed before the screen shows what they are about.
//!
//! A person who knows the program types `boat`, Enter and `v` without looking. The rows that fit come a moment
//! after the letters, so Enter waits for them ([`TuiScreen::defers`]), and what is typed after it waits for
//! Enter. Keys are carried out in their order. Escape and Ctrl-C do not wait and forget the keys that do.
//!
//! [`TuiScreen::defers`]: crate::screen::TuiScreen::defers

use unspool_render::keys::KeyAction;

use super::TuiProgram;
use crate::press::{KeyName, KeyPress};

/// The key that waits for its screen, and what was typed after it.
#[derive(Default)]
pub(super) struct TypedAhead {
    action: Option<KeyAction>,
    typed: Vec<KeyPress>,
}

impl TypedAhead {
    /// Keeps an action until the screen is ready for it.
    pub(super) fn hold(&mut self, action: KeyAction) {
        self.action = Some(action);
    }

    /// Keeps a press back if another one waits; tells whether it does.
    pub(super) fn keeps(&mut self, press: KeyPress) -> bool {
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
    /// Carries out the keys that waited, as far as the screens are ready for them.
    pub(super) fn catch_up(&mut self) {
        let Some(action) = self.ahead.action.filter(|action| !self.defers(*action)) else {
            return;
        };
        let typed = std::mem::take(&mut self.ahead).typed;
        self.act(action);
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
