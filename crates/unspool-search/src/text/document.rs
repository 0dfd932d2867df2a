//! Documents: the pieces of text that the index knows.

use unspool_model::named::Named as _;
use unspool_model::query::TextRole;
use unspool_model::time::Time;

/// One piece of text, with what must be known of it to find, filter and rank it.
///
/// The index keeps no text. A document says where its text is, so that it can be read again.
#[derive(Clone, Debug)]
pub struct TextDocument {
    /// Where the text is.
    pub place: TextPlace,
    /// Who or what the text is from.
    pub role: TextRole,
    /// How the text is written.
    pub style: WritingStyle,
    /// When it was written.
    pub time: Option<Time>,
    /// The tool of a call or of its result.
    pub tool: Option<std::sync::Arc<str>>,
    /// What else is true of it.
    pub marks: DocumentFlags,
    /// The text.
    pub text: String,
}

/// Where a text is in a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TextPlace {
    /// Where its entry begins, in bytes.
    pub offset: u64,
    /// The part of the entry.
    pub part: EntryPart,
    /// The piece of the part, counted from zero: a long text is several documents.
    pub piece: u16,
}

/// A part of an entry.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EntryPart {
    /// A content block of its message, by number.
    Block(u16),
    /// What a record has next to a tool's result and not in it.
    Outcome,
    /// Whatever else the entry says.
    Fields,
    /// The file that a tool's result was spilled into.
    Spilled,
    /// A whole file that is not a log.
    File,
}

impl EntryPart {
    const BLOCKS: u16 = 0xff00;

    /// Returns the number that the index keeps.
    pub(crate) fn number(self) -> u16 {
        match self {
            Self::Block(number) => number.min(Self::BLOCKS - 1),
            Self::Outcome => Self::BLOCKS,
            Self::Fields => Self::BLOCKS + 1,
            Self::Spilled => Self::BLOCKS + 2,
            Self::File => Self::BLOCKS + 3,
        }
    }

    /// Returns the part of a number that the index kept.
    pub(crate) fn of_number(number: u16) -> Self {
        match number.checked_sub(Self::BLOCKS) {
            None => Self::Block(number),
            Some(0) => Self::Outcome,
            Some(1) => Self::Fields,
            Some(2) => Self::Spilled,
            Some(_) => Self::File,
        }
    }
}

/// How a text is written: decides how it is taken apart and how much it counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WritingStyle {
    /// Sentences of people and models.
    Prose,
    /// Code, data and the output of programs.
    Raw,
}

/// Yes-or-no facts of a document.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct DocumentFlags(pub(crate) u8);

impl DocumentFlags {
    /// A failed call or an API error.
    pub const ERROR: Self = Self(1);
    /// An image comes with it.
    pub const IMAGE: Self = Self(1 << 1);
    /// It is what unspool itself printed.
    pub const OWN: Self = Self(1 << 2);
    /// It repeats, or will repeat, what is elsewhere in the file.
    pub const REPEAT: Self = Self(1 << 3);
    /// It is an agent's.
    pub const AGENT: Self = Self(1 << 4);

    /// Tells whether all of `other` are set.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns these and `other`, if `on`.
    #[must_use]
    pub fn with(self, other: Self, on: bool) -> Self {
        if on { Self(self.0 | other.0) } else { self }
    }
}

/// Numbers roles as the index keeps them.
pub(crate) fn role_number(role: TextRole) -> u8 {
    TextRole::ALL.iter().position(|&known| known == role).unwrap_or_default() as u8
}

/// Returns the role of a number that the index kept.
pub(crate) fn role_of_number(number: u8) -> TextRole {
    let known = TextRole::ALL.get(usize::from(number));
    known.copied().unwrap_or(TextRole::System)
}
