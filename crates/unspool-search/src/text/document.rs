//! Documents: the pieces of text in the index.

use unspool_model::named::Named as _;
use unspool_model::query::TextRole;
use unspool_model::time::Time;

/// One piece of text, with the data to find, filter and rank it.
///
/// The index does not store the text, only its place, where a reader of the hit reads it again.
#[derive(Clone, Debug)]
pub struct TextDocument {
    /// The place of the text.
    pub place: TextPlace,
    /// The role of the text.
    pub role: TextRole,
    /// Whether the text is prose or code.
    pub style: WritingStyle,
    /// The time of the entry.
    pub time: Option<Time>,
    /// The tool of the call, for its input and its result.
    pub tool: Option<std::sync::Arc<str>>,
    /// Further properties of the text.
    pub marks: DocumentFlags,
    /// The text.
    pub text: String,
}

/// The place of a text in a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TextPlace {
    /// The offset of the entry, in bytes.
    pub offset: u64,
    /// The part of the entry.
    pub part: EntryPart,
    /// The number of the piece, from zero: a long text is split into several documents.
    pub piece: u16,
}

/// A part of an entry.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EntryPart {
    /// A content block of the message, by its index.
    Block(u16),
    /// Texts next to a tool's result: its `toolUseResult`, or output that a progress record reports.
    Outcome,
    /// All other texts of the entry.
    Fields,
    /// The file that a tool's result was spilled into.
    Spilled,
    /// A whole file that is not a log.
    File,
}

impl EntryPart {
    const BLOCKS: u16 = 0xff00;

    /// Returns the number that the index stores for the part.
    pub(crate) fn number(self) -> u16 {
        match self {
            Self::Block(number) => number.min(Self::BLOCKS - 1),
            Self::Outcome => Self::BLOCKS,
            Self::Fields => Self::BLOCKS + 1,
            Self::Spilled => Self::BLOCKS + 2,
            Self::File => Self::BLOCKS + 3,
        }
    }

    /// Returns the part of a number that the index stores.
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

/// How a text is written, which decides how it is split into words and how much it counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WritingStyle {
    /// Sentences of people and models.
    Prose,
    /// Code, data and the output of programs.
    Raw,
}

/// Boolean properties of a document, as bits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct DocumentFlags(pub(crate) u8);

impl DocumentFlags {
    /// A failed call or an API error.
    pub const ERROR: Self = Self(1);
    /// The entry also has an image.
    pub const IMAGE: Self = Self(1 << 1);
    /// The text was printed by unspool itself.
    pub const OWN: Self = Self(1 << 2);
    /// The text also occurs elsewhere in the file, such as a queued prompt.
    pub const REPEAT: Self = Self(1 << 3);
    /// The text is from an agent.
    pub const AGENT: Self = Self(1 << 4);

    /// Tells whether all flags of `other` are set.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns these flags, with `other` if `on`.
    #[must_use]
    pub fn with(self, other: Self, on: bool) -> Self {
        if on { Self(self.0 | other.0) } else { self }
    }
}

/// Returns the number that the index stores for a role.
pub(crate) fn role_number(role: TextRole) -> u8 {
    TextRole::ALL.iter().position(|&known| known == role).unwrap_or_default() as u8
}

/// Returns the role of a number that the index stores.
pub(crate) fn role_of_number(number: u8) -> TextRole {
    let known = TextRole::ALL.get(usize::from(number));
    known.copied().unwrap_or(TextRole::System)
}
