//! Key presses, and the actions that the table of keys binds them to.
//!
//! A [`KeyPress`] is a key with its modifiers, written as in the table ([`unspool_render::keys`]). A
//! [`KeyMatcher`] remembers the keys of an unfinished sequence and resolves each press on a screen: to an
//! action, to the beginning of a sequence, or to text. It knows neither the terminal nor the screens.

use std::collections::BTreeMap;
use std::fmt;

use unspool_render::keys::{KeyAction, KeyContext, KeySequence, bindings};

/// A key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum KeyName {
    /// A key that types a character.
    Char(char),
    Enter,
    Escape,
    Tab,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    /// A function key.
    Function(u8),
}

/// One press of a key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct KeyPress {
    pub(crate) key: KeyName,
    /// Set if Control is held down.
    pub(crate) control: bool,
    /// Set if Alt is held down.
    pub(crate) alt: bool,
    /// Set if Shift is held down with a key that types nothing. A capital letter is a character of its own.
    pub(crate) shift: bool,
}

impl KeyPress {
    /// Creates a press without modifiers.
    pub(crate) fn plain(key: KeyName) -> Self {
        Self { key, control: false, alt: false, shift: false }
    }

    /// Creates a press that types a character.
    pub(crate) fn character(character: char) -> Self {
        Self::plain(KeyName::Char(character))
    }

    /// Creates a press of a character with Control.
    pub(crate) fn control(character: char) -> Self {
        Self { control: true, ..Self::character(character) }
    }

    /// Returns the digit that the press types, if it is one of 1 to 9.
    pub(crate) fn number(self) -> Option<usize> {
        let digit = self.typed()?.to_digit(10)?;
        (digit > 0).then_some(digit as usize)
    }

    /// Returns the character that the press types, if it types one.
    pub(crate) fn typed(self) -> Option<char> {
        match self.key {
            KeyName::Char(character) if !self.control && !self.alt => Some(character),
            _ => None,
        }
    }
}

/// Writes the press as the table of keys does: `Ctrl-d`, `Shift-Tab`, `j`.
impl fmt::Display for KeyPress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.control {
            f.write_str("Ctrl-")?;
        }
        if self.alt {
            f.write_str("Alt-")?;
        }
        if self.shift {
            f.write_str("Shift-")?;
        }
        match self.key {
            KeyName::Char(' ') => f.write_str("Space"),
            KeyName::Char(character) => write!(f, "{character}"),
            KeyName::Enter => f.write_str("Enter"),
            KeyName::Escape => f.write_str("Escape"),
            KeyName::Tab => f.write_str("Tab"),
            KeyName::Backspace => f.write_str("Backspace"),
            KeyName::Delete => f.write_str("Delete"),
            KeyName::Up => f.write_str("ArrowUp"),
            KeyName::Down => f.write_str("ArrowDown"),
            KeyName::Left => f.write_str("ArrowLeft"),
            KeyName::Right => f.write_str("ArrowRight"),
            KeyName::Home => f.write_str("Home"),
            KeyName::End => f.write_str("End"),
            KeyName::PageUp => f.write_str("PageUp"),
            KeyName::PageDown => f.write_str("PageDown"),
            KeyName::Function(number) => write!(f, "F{number}"),
        }
    }
}

/// The meaning of letters on a screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LetterUse {
    /// Letters are commands, as in the reader.
    Commands,
    /// Letters are text of an input line. Punctuation may be a command while the line is empty.
    Text {
        /// Set if the line is empty.
        is_empty: bool,
    },
}

/// The meaning of a press.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PressMeaning {
    /// The press, or the sequence that it ends, is bound to this action.
    Action(KeyAction),
    /// The press begins or continues a sequence.
    Pending,
    /// The press ended a sequence that is not bound.
    Nothing,
    /// The press is not bound: the screen may take it as text.
    Press(KeyPress),
}

/// Resolves presses to actions.
#[derive(Clone, Default, Debug)]
pub(crate) struct KeyMatcher {
    /// The keys of the unfinished sequence.
    pending: Vec<String>,
    /// Bindings of the settings, with keys written as in the table.
    own: BTreeMap<String, KeyAction>,
}

impl KeyMatcher {
    /// Creates a matcher with the bindings of the settings.
    pub(crate) fn with_own(own: BTreeMap<String, KeyAction>) -> Self {
        Self { pending: Vec::new(), own }
    }

    /// Returns the unfinished sequence, as the table writes it.
    pub(crate) fn pending(&self) -> Option<String> {
        (!self.pending.is_empty()).then(|| self.pending.join(" "))
    }

    /// Drops an unfinished sequence.
    pub(crate) fn clear(&mut self) {
        self.pending.clear();
    }

    /// Resolves a press.
    pub(crate) fn meaning(
        &mut self,
        press: KeyPress,
        context: KeyContext,
        letters: LetterUse,
    ) -> PressMeaning {
        if let (Some(_), LetterUse::Text { is_empty: false }) = (press.typed(), letters) {
            return PressMeaning::Press(press);
        }
        let is_first = self.pending.is_empty();
        self.pending.push(press.to_string());
        let typed = self.pending.join(" ");
        if let Some(action) = self.bound(&typed, context) {
            self.pending.clear();
            return match action {
                // The screen needs the digit, which the action does not carry.
                KeyAction::AnswerNumber => PressMeaning::Press(press),
                action => PressMeaning::Action(action),
            };
        }
        let begins = |keys: &str| {
            let rest = keys.strip_prefix(&typed);
            rest.is_some_and(|rest| rest.starts_with(' '))
        };
        let mut sequences = bindings(context).flat_map(|it| it.keys());
        if sequences.any(|keys| begins(keys.as_str())) || self.own.keys().any(|keys| begins(keys)) {
            return PressMeaning::Pending;
        }
        self.pending.clear();
        if is_first { PressMeaning::Press(press) } else { PressMeaning::Nothing }
    }

    /// Returns the keys that the settings bind to an action, as the table writes them.
    pub(crate) fn own_keys(&self, action: KeyAction) -> impl Iterator<Item = &str> {
        let own = self.own.iter().filter(move |(_, bound)| **bound == action);
        own.map(|(keys, _)| keys.as_str())
    }

    fn bound(&self, typed: &str, context: KeyContext) -> Option<KeyAction> {
        let own = self.own.get(typed).copied();
        if let Some(action) = own.filter(|action| action.binding(context).is_some()) {
            return Some(action);
        }
        let is_typed = |keys: KeySequence| keys.as_str() == typed;
        let mut bound = bindings(context);
        bound.find(|binding| binding.keys().any(is_typed)).map(|it| it.action)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::script::presses;

    fn meanings(keys: &str, context: KeyContext, letters: LetterUse) -> Vec<PressMeaning> {
        let mut matcher = KeyMatcher::default();
        let presses = presses(keys);
        let meanings = presses.map(|press| matcher.meaning(press, context, letters));
        meanings.collect()
    }

    #[test]
    fn letters_are_commands_in_the_reader() {
        let said = meanings("]gtgz^c", KeyContext::Reader, LetterUse::Commands);
        assert_eq!(
            said,
            [
                PressMeaning::Action(KeyAction::NextTurn),
                PressMeaning::Pending,
                PressMeaning::Action(KeyAction::GoTree),
                PressMeaning::Pending,
                PressMeaning::Nothing,
                PressMeaning::Action(KeyAction::Quit),
            ]
        );
    }

    #[test]
    fn punctuation_is_a_command_in_the_finder_while_the_line_is_empty() {
        let empty = LetterUse::Text { is_empty: true };
        let filled = LetterUse::Text { is_empty: false };
        let slash = KeyPress::character('/');
        assert_eq!(
            meanings("/", KeyContext::Finder, empty),
            [PressMeaning::Action(KeyAction::FullText)]
        );
        assert_eq!(meanings("/", KeyContext::Finder, filled), [PressMeaning::Press(slash)]);
        assert_eq!(
            meanings("a", KeyContext::Finder, empty),
            [PressMeaning::Press(KeyPress::character('a'))]
        );
        assert_eq!(
            meanings("^t", KeyContext::Finder, filled),
            [PressMeaning::Action(KeyAction::Scope)]
        );
    }

    #[test]
    fn the_settings_may_bind_another_key() {
        let own = BTreeMap::from([("Q".to_owned(), KeyAction::Quit)]);
        let mut matcher = KeyMatcher::with_own(own);
        let quit =
            matcher.meaning(KeyPress::character('Q'), KeyContext::Reader, LetterUse::Commands);
        assert_eq!(quit, PressMeaning::Action(KeyAction::Quit));
    }
}
