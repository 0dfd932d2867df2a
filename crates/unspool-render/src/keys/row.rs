//! Rows of the table of keys, and their constructors.

use super::{KeyAction, KeyContext, KeySection};

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyRow {
    pub(super) action: KeyAction,
    pub(super) section: KeySection,
    pub(super) short: &'static str,
    pub(super) long: &'static str,
    pub(super) words: &'static str,
    /// The keys in each context, indexed by context.
    keys: [&'static [&'static str]; KeyContext::ALL.len()],
}

impl KeyRow {
    pub(super) const fn keys_in(&self, context: KeyContext) -> &'static [&'static str] {
        self.keys[context as usize]
    }

    const fn on(mut self, context: KeyContext, keys: &'static [&'static str]) -> Self {
        self.keys[context as usize] = keys;
        self
    }

    pub(super) const fn finder(self, keys: &'static [&'static str]) -> Self {
        self.on(KeyContext::Finder, keys)
    }

    pub(super) const fn reader(self, keys: &'static [&'static str]) -> Self {
        self.on(KeyContext::Reader, keys)
    }

    pub(super) const fn page(self, keys: &'static [&'static str]) -> Self {
        self.on(KeyContext::Page, keys)
    }

    pub(super) const fn export(self, keys: &'static [&'static str]) -> Self {
        self.on(KeyContext::Export, keys)
    }

    pub(super) const fn site(self, keys: &'static [&'static str]) -> Self {
        self.on(KeyContext::Site, keys)
    }

    pub(super) const fn live(self, keys: &'static [&'static str]) -> Self {
        self.on(KeyContext::Live, keys)
    }

    pub(super) const fn ask(self, keys: &'static [&'static str]) -> Self {
        self.on(KeyContext::Ask, keys)
    }

    pub(super) const fn prompt(self, keys: &'static [&'static str]) -> Self {
        self.on(KeyContext::Prompt, keys)
    }

    /// Binds the keys on every screen of the terminal program.
    pub(super) const fn terminal(self, keys: &'static [&'static str]) -> Self {
        self.finder(keys).reader(keys).live(keys).ask(keys).prompt(keys)
    }

    /// Binds the keys wherever a session is read.
    pub(super) const fn reading(self, keys: &'static [&'static str]) -> Self {
        self.reader(keys).page(keys).export(keys)
    }
}

pub(super) const fn row(
    section: KeySection,
    action: KeyAction,
    short: &'static str,
    long: &'static str,
    words: &'static str,
) -> KeyRow {
    KeyRow { action, section, short, long, words, keys: [&[]; KeyContext::ALL.len()] }
}

pub(super) const fn moves(
    action: KeyAction,
    short: &'static str,
    long: &'static str,
    words: &'static str,
) -> KeyRow {
    row(KeySection::Move, action, short, long, words)
}

pub(super) const fn shows(
    action: KeyAction,
    short: &'static str,
    long: &'static str,
    words: &'static str,
) -> KeyRow {
    row(KeySection::Show, action, short, long, words)
}

pub(super) const fn goes(action: KeyAction, short: &'static str, words: &'static str) -> KeyRow {
    row(KeySection::Go, action, short, short, words)
}

pub(super) const fn copies(action: KeyAction, short: &'static str, words: &'static str) -> KeyRow {
    row(KeySection::Copy, action, short, short, words)
}

pub(super) const fn handles(
    action: KeyAction,
    short: &'static str,
    long: &'static str,
    words: &'static str,
) -> KeyRow {
    row(KeySection::Session, action, short, long, words)
}

pub(super) const fn runs(
    action: KeyAction,
    short: &'static str,
    long: &'static str,
    words: &'static str,
) -> KeyRow {
    row(KeySection::Program, action, short, long, words)
}
