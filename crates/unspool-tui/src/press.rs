//! Keys as they are pressed, and what they mean by the one table of keys.
//!
//! A [`KeyPress`] is one key with what is held down with it, in the words of the table
//! ([`unspool_render::keys`]). A [`KeyMatcher`] knows which keys of a sequence were pressed so far and
//! says what a press means on a screen: an action, the beginning of a sequence, or text. It knows no
//! terminal and no screen.

use std::collections::BTreeMap;
use std::fmt;

use unspool_render::keys::{KeyAction, KeyContext, KeySequence, bindings};

/// A key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum KeyName {
    /// A key that types a character.
    Char(char),
    /// Enter.
    Enter,
    /// Escape.
    Escape,
    /// Tab.
    Tab,
    /// Backspace.
    Backspace,
    /// Delete.
    Delete,
    /// An arrow.
    Up,
    /// An arrow.
    Down,
    /// An arrow.
    Left,
    /// An arrow.
    Right,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// A function key.
    Function(u8),
}

/// One press of a key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct KeyPress {
    /// The key.
    pub(crate) key: KeyName,
    /// Whether Control is held down.
    pub(crate) control: bool,
    /// Whether Alt is held down.
    pub(crate) alt: bool,
    /// Whether Shift is held down with a key that types nothing. A capital letter is the letter.
    pub(crate) shift: bool,
}

impl KeyPress {
    /// Presses a key alone.
    pub(crate) fn plain(key: KeyName) -> Self {
        Self { key, control: false, alt: false, shift: false }
    }

    /// Presses a key that types a character.
    pub(crate) fn character(character: char) -> Self {
        Self::plain(KeyName::Char(character))
    }

    /// Presses a key with Control.
    pub(crate) fn control(character: char) -> Self {
        Self { control: true, ..Self::character(character) }
    }

    /// Returns the digit from one on that the press types, if it types one.
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

/// Writes it as the table of keys does: `Ctrl-d`, `Shift-Tab`, `j`.
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

/// What letters are on a screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LetterUse {
    /// Commands: the reader.
    Commands,
    /// Text: a line that is typed. While the line is empty, punctuation may be a command.
    Text {
        /// Whether the line is empty.
        is_empty: bool,
    },
}

/// What a press means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PressMeaning {
    /// It does something that the table has.
    Action(KeyAction),
    /// It is the beginning of a sequence.
    Pending,
    /// It ended a sequence that means nothing.
    Nothing,
    /// The table does not have it: the screen may take it as text.
    Press(KeyPress),
}

/// Finds out what presses mean.
#[derive(Clone, Default, Debug)]
pub(crate) struct KeyMatcher {
    /// The keys of a sequence that were pressed so far.
    pending: Vec<String>,
    /// Keys that the settings bind to other actions, as the table writes them.
    own: BTreeMap<String, KeyAction>,
}

impl KeyMatcher {
    /// Takes the keys that the settings bind: a sequence as the table writes it, and its action.
    pub(crate) fn with_own(own: BTreeMap<String, KeyAction>) -> Self {
        Self { pending: Vec::new(), own }
    }

    /// Returns what was pressed of a sequence so far, as the table writes it.
    pub(crate) fn pending(&self) -> Option<String> {
        (!self.pending.is_empty()).then(|| self.pending.join(" "))
    }

    /// Forgets the beginning of a sequence.
    pub(crate) fn clear(&mut self) {
        self.pending.clear();
    }

    /// Says what a press means.
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
                // The screen has to know which number it was.
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
