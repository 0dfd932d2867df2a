//! Facts about the session as a whole, from the records of one file.
//!
//! Titles and modes are written repeatedly, and the last one counts. A summary may belong to a
//! conversation in another file; code that knows all files assigns it.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use crate::dialect::Draft;
use crate::entry::{Entry, EntryKind, MessageKind};
use crate::json::Str;
use crate::positions::EntryIndex;
use crate::symbols::{Symbol, Symbols};
use crate::time::Time;
use crate::words::{self, FirstPrompt};

/// Prompts of at most this many characters, such as `9` or `ok`, do not describe a session.
const SHORT: usize = 3;
/// Number of commands that are kept; sessions begin with a few at most.
const COMMANDS: usize = 32;

/// Facts of one file about its session.
#[derive(Clone, Default, Debug)]
pub struct Facts {
    /// Session ids of the entries, in order of appearance; usually one.
    pub sessions: Distinct,
    /// Folders that the session was in, in order of appearance; it began in the first.
    pub cwds: Distinct,
    /// The last git branch that a record names.
    pub branch: Option<Symbol>,
    /// The last client version that a record names.
    pub version: Option<Symbol>,
    /// Names of plans, in order of appearance.
    pub slugs: Distinct,
    /// How the client was started, from the first record that says so.
    pub entrypoint: Option<Symbol>,
    /// The source of the first prompt that states one.
    pub prompt_source: Option<Symbol>,
    /// The title that a person gave.
    pub custom_title: Option<Box<str>>,
    /// The name of the session among agents; the client also writes titles that a person gave here.
    pub agent_name: Option<Box<str>>,
    /// The title that the client made up.
    pub ai_title: Option<Box<str>>,
    /// Summaries, each with the uuid of the entry it names.
    pub summaries: Vec<(Symbol, Box<str>)>,
    /// The last `last-prompt` record.
    pub last_prompt: Option<LastPrompt>,
    /// The first prompts and commands.
    pub opening: FirstTexts,
    /// The first prompt, as the vendor's SDK determines it.
    pub first_prompt_sdk: Option<Box<str>>,
    /// The name of the first command, which the SDK shows if there is no prompt.
    pub first_command_sdk: Option<Box<str>>,
    /// The time of the earliest entry.
    pub started: Option<Time>,
    /// The time of the latest entry.
    pub ended: Option<Time>,
    /// The entry of the parent conversation that a forked agent continues.
    pub forked_at: Option<Symbol>,
    /// Sessions that entries were copied from under new uuids, with the number of entries.
    pub forked_from: BTreeMap<Symbol, u32>,
}

/// Strings in order of appearance, each once.
#[derive(Clone, Default)]
pub struct Distinct {
    order: Vec<Symbol>,
    seen: HashSet<Symbol>,
}

impl Distinct {
    /// Creates the list from strings that are distinct already.
    pub(crate) fn restored(order: Vec<Symbol>) -> Self {
        let seen = order.iter().copied().collect();
        Self { order, seen }
    }

    fn add(&mut self, symbol: Option<Symbol>) {
        let known = symbol.is_none() || symbol == self.order.last().copied();
        if let Some(symbol) = symbol.filter(|&symbol| !known && self.seen.insert(symbol)) {
            self.order.push(symbol);
        }
    }
}

impl fmt::Debug for Distinct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.order.fmt(f)
    }
}

impl std::ops::Deref for Distinct {
    type Target = [Symbol];

    fn deref(&self) -> &[Symbol] {
        &self.order
    }
}

/// Where a resume continues, as the client recorded it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LastPrompt {
    /// The `last-prompt` record.
    pub entry: EntryIndex,
    /// The leaf that the record names.
    pub leaf: Option<Symbol>,
    /// Set if a person chose the leaf by rewinding.
    pub explicit: bool,
}

/// The first prompts and commands of a session, each on one line and cut.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct FirstTexts {
    /// The first typed prompt.
    pub(crate) prompt: Option<SaidText>,
    /// The first typed prompt that is not short.
    pub(crate) telling: Option<SaidText>,
    /// The slash commands before `telling`, as they were typed.
    pub(crate) commands: Vec<SaidText>,
}

/// A text with its entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SaidText {
    /// The entry that contains the text.
    pub entry: EntryIndex,
    /// The text, on one line.
    pub text: Box<str>,
}

impl FirstTexts {
    /// Tells whether later entries cannot change anything.
    pub(crate) fn is_settled(&self) -> bool {
        self.telling.is_some()
    }

    /// Adds one text of an entry.
    pub(crate) fn note(&mut self, entry: EntryIndex, text: FirstPrompt) {
        if self.is_settled() {
            return;
        }
        let said = |text: String| SaidText { entry, text: text.into() };
        match text {
            FirstPrompt::Prompt(text) => {
                let said = said(text);
                if !said.is_short() {
                    self.telling = Some(said.clone());
                }
                self.prompt.get_or_insert(said);
            }
            FirstPrompt::Command(text) if self.commands.len() < COMMANDS => {
                self.commands.push(said(text));
            }
            FirstPrompt::Command(_) | FirstPrompt::Nothing => {}
        }
    }
}

impl SaidText {
    pub(crate) fn is_short(&self) -> bool {
        self.text.chars().nth(SHORT).is_none()
    }
}

impl Facts {
    /// Adds the slug of one record.
    pub(crate) fn note_slug(&mut self, draft: &Draft<'_>, symbols: &mut Symbols) {
        let slug = draft.slug.filter(|slug| !slug.raw().is_empty());
        self.slugs.add(slug.map(|slug| symbols.add_raw(slug)));
    }

    /// Adds the facts of one record.
    pub(crate) fn note(
        &mut self,
        draft: &Draft<'_>,
        entry: &Entry,
        index: EntryIndex,
        symbols: &mut Symbols,
    ) {
        if let Some(time) = entry.time.filter(|_| entry.kind.links()) {
            self.started = Some(self.started.map_or(time, |started| started.min(time)));
            self.ended = Some(self.ended.map_or(time, |ended| ended.max(time)));
        }
        self.note_slug(draft, symbols);
        let mut symbol = |text: Option<Str<'_>>| {
            text.filter(|text| !text.raw().is_empty()).map(|text| symbols.add_raw(text))
        };
        self.sessions.add(symbol(draft.session));
        if let Some(session) = symbol(draft.forked_from) {
            *self.forked_from.entry(session).or_default() += 1;
        }
        if entry.kind.links() {
            self.cwds.add(symbol(draft.cwd));
            self.version = symbol(draft.version).or(self.version);
            self.entrypoint = self.entrypoint.or_else(|| symbol(draft.entrypoint));
            self.prompt_source = self.prompt_source.or_else(|| symbol(draft.prompt_source));
        }
        match draft.kind.map(Str::raw) {
            Some(b"user") => self.note_prompt(draft, entry, index),
            Some(b"custom-title") => self.custom_title = named(draft.title.custom),
            Some(b"ai-title") => self.ai_title = named(draft.title.ai),
            Some(b"agent-name") => self.agent_name = named(draft.title.agent),
            Some(b"summary") => {
                let leaf = draft.leaf.map(|leaf| symbols.add_raw(leaf));
                if let (Some(leaf), Some(summary)) = (leaf, named(draft.title.summary)) {
                    self.summaries.push((leaf, summary));
                }
            }
            Some(b"fork-context-ref") => {
                self.forked_at = draft.forked_at.map(|uuid| symbols.add_raw(uuid));
            }
            Some(b"last-prompt") if !entry.is_unread() => {
                self.last_prompt = Some(LastPrompt {
                    entry: index,
                    leaf: draft.leaf.map(|leaf| symbols.add_raw(leaf)),
                    explicit: draft.explicit,
                });
            }
            _ => {}
        }
    }

    fn note_prompt(&mut self, draft: &Draft<'_>, entry: &Entry, index: EntryIndex) {
        let settled = self.opening.is_settled() && self.first_prompt_sdk.is_some();
        if settled || entry.kind != EntryKind::User {
            return;
        }
        if matches!(entry.says, None | Some(MessageKind::Reply)) || draft.compact_summary {
            return;
        }
        if matches!(entry.says, Some(MessageKind::Meta)) && draft.meta {
            return;
        }
        for text in draft.message.blocks.iter().filter_map(|block| block.text) {
            let text = text.decode_prefix(8 * 1024);
            self.opening.note(index, words::first_prompt(&text));
            if self.first_prompt_sdk.is_some() {
                continue;
            }
            match words::first_prompt_sdk(&text) {
                FirstPrompt::Prompt(prompt) => self.first_prompt_sdk = Some(prompt.into()),
                FirstPrompt::Command(name) => {
                    self.first_command_sdk.get_or_insert(name.into());
                }
                FirstPrompt::Nothing => {}
            }
        }
    }

    /// Returns the folder that the session began in.
    pub fn cwd(&self) -> Option<Symbol> {
        self.cwds.first().copied()
    }
}

fn named(title: Option<Str<'_>>) -> Option<Box<str>> {
    let title = title?.decode();
    let title = title.trim();
    (!title.is_empty()).then(|| title.into())
}
