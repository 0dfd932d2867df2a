//! A notation for key presses in tests: `/conn⏎ ]] e yc`.
//!
//! A character is its key. `⏎` is Enter, `↵` Alt-Enter, `⎋` Escape, `⇥` Tab, `⇤` Shift-Tab, `⌫` Backspace,
//! `␣` the space bar, `↑ ↓ ← →` the arrows, `⇑ ⇓` the arrows with Shift, `⇞ ⇟` the page keys, `^x` a key
//! with Control. Spaces separate groups and press nothing.

use crate::press::{KeyName, KeyPress};

/// Returns the presses of a script.
pub(crate) fn presses(script: &str) -> impl Iterator<Item = KeyPress> + '_ {
    let mut characters = script.chars().filter(|&character| character != ' ');
    std::iter::from_fn(move || {
        let character = characters.next()?;
        let shifted = |key| KeyPress { shift: true, ..KeyPress::plain(key) };
        Some(match character {
            '⏎' => KeyPress::plain(KeyName::Enter),
            '↵' => KeyPress { alt: true, ..KeyPress::plain(KeyName::Enter) },
            '⎋' => KeyPress::plain(KeyName::Escape),
            '⇥' => KeyPress::plain(KeyName::Tab),
            '⇤' => shifted(KeyName::Tab),
            '⌫' => KeyPress::plain(KeyName::Backspace),
            '␣' => KeyPress::character(' '),
            '↑' => KeyPress::plain(KeyName::Up),
            '↓' => KeyPress::plain(KeyName::Down),
            '←' => KeyPress::plain(KeyName::Left),
            '→' => KeyPress::plain(KeyName::Right),
            '⇑' => shifted(KeyName::Up),
            '⇓' => shifted(KeyName::Down),
            '⇞' => KeyPress::plain(KeyName::PageUp),
            '⇟' => KeyPress::plain(KeyName::PageDown),
            '^' => KeyPress::control(characters.next()?),
            character => KeyPress::character(character),
        })
    })
}
