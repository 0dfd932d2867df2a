//! What is next to the lines: the outline, panes, matches of a search, texts to copy.
//!
//! Wishes are kept by the reader until they are answered and are sent together, since a newer request takes
//! the place of an older one.

mod panes;
mod texts;

use std::io;
use std::sync::Arc;

use unspool_engine::library::{LibraryError, OpenSession, SessionPlace};
use unspool_engine::ops::find::FoundMessage;
use unspool_engine::ops::transcript::Transcript;
use unspool_model::ids::EntryId;
use unspool_model::positions::PathNumber;
use unspool_model::time::Time;
use unspool_render::terminal::{BlockKey, FoldHints, PageLayout, TranscriptBlocks};
use unspool_text::style::Line;

use self::panes::{outline, pane};
use self::texts::{block_text, edited, found, inserted, located, markdown};
use super::{ReadPlace, ReadStyle, ReadTarget, ReaderReply, options};
use crate::work::{WorkCall, WorkContext, WorkReply};

/// What the reader wants to know of what is next to the lines.
#[derive(Clone, Debug)]
pub(crate) struct AsideWish {
    pub(crate) place: SessionPlace,
    pub(crate) target: ReadTarget,
    pub(crate) parts: Vec<AsidePart>,
}

/// One thing that the reader wants to know.
#[derive(Clone, Debug)]
pub(crate) enum AsidePart {
    /// The first words of the turns.
    Outline,
    /// What a pane shows.
    Pane {
        kind: ReadPane,
        width: usize,
        /// The message that the cursor is on.
        message: u32,
    },
    /// The messages that contain a text.
    Find(String),
    /// The place of a text in a message.
    Locate { needle: String, message: u32, style: ReadStyle },
    /// A text to copy.
    Copy {
        what: CopyPart,
        key: BlockKey,
        /// The line under the cursor.
        line: String,
    },
    /// A text for the prompt that is edited.
    Insert { what: InsertChoice, message: u32 },
    /// All of it as text, for the editor.
    Edit { message: u32 },
}

impl AsidePart {
    /// Tells whether a newer wish takes the place of this one.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

/// What a side pane shows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ReadPane {
    Tree,
    Agents,
    Files,
    Summary,
    Raw,
    Waterfall,
}

impl ReadPane {
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Tree => "Tree",
            Self::Agents => "Agents",
            Self::Files => "Files",
            Self::Summary => "Summary",
            Self::Raw => "Raw entry",
            Self::Waterfall => "Where the time went",
        }
    }
}

/// What of the block under the cursor is copied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CopyPart {
    /// Its message as Markdown.
    Message,
    /// The code or the output.
    Block,
}

/// What of the place under the cursor goes into a prompt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InsertChoice {
    Message,
    /// The turn that the message is in.
    Turn,
}

/// A turn in the outline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct OutlineRow {
    pub(crate) message: u32,
    pub(crate) time: Option<Time>,
    pub(crate) words: String,
    /// How many calls failed in it.
    pub(crate) failed: u32,
    /// Whether the context was compacted in it.
    pub(crate) is_compacted: bool,
    /// Whether other paths leave in it.
    pub(crate) is_forked: bool,
}

/// A line of a pane, and what Enter does there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PaneRow {
    pub(crate) line: Line,
    pub(crate) target: Option<PaneTarget>,
}

/// What a line of a pane leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum PaneTarget {
    /// An entry, on a path.
    Entry { entry: EntryId, path: Option<PathNumber> },
    /// The conversation of an agent.
    Agent(String),
}

/// What is answered.
#[derive(Debug)]
pub(crate) struct AsideReply {
    pub(crate) target: ReadTarget,
    /// The wish that it answers.
    pub(crate) part: AsidePart,
    pub(crate) told: Result<AsideTold, String>,
}

/// What there is to know.
#[derive(Debug)]
pub(crate) enum AsideTold {
    Outline(Vec<OutlineRow>),
    Pane(Vec<PaneRow>),
    Found(Vec<FoundMessage>),
    /// Where a text is, and which blocks have to be unfolded for it.
    Located {
        place: ReadPlace,
        unfold: Vec<BlockKey>,
    },
    /// A text, and the line of it that is looked at.
    Text(String, usize),
}

/// Answers a wish, one part after the other.
pub(crate) fn answer(
    context: &WorkContext,
    open: Result<Arc<OpenSession>, LibraryError>,
    wish: &AsideWish,
    call: &mut WorkCall<'_>,
) {
    let mut tell = |part: &AsidePart, told| {
        let reply = AsideReply { target: wish.target.clone(), part: part.clone(), told };
        call.tell(WorkReply::Reader(ReaderReply::Aside(Box::new(reply))));
    };
    let open = match open {
        Ok(open) => open,
        Err(error) => {
            let error = error.to_string();
            return wish.parts.iter().for_each(|part| tell(part, Err(error.clone())));
        }
    };
    let view = open.view();
    match view.transcript(&wish.target.request()) {
        Ok(shown) => {
            for part in &wish.parts {
                let told = part_of(context, &open, &shown, part).map_err(|error| error.to_string());
                tell(part, told);
            }
        }
        Err(error) => {
            let error = error.to_string();
            let mut parts = wish.parts.iter();
            parts.by_ref().for_each(|part| tell(part, Err(error.clone())));
        }
    }
}

fn part_of(
    context: &WorkContext,
    open: &OpenSession,
    shown: &Transcript<'_>,
    part: &AsidePart,
) -> io::Result<AsideTold> {
    let settings = &context.settings;
    Ok(match part {
        AsidePart::Outline => AsideTold::Outline(outline(shown)?),
        AsidePart::Pane { kind, width, message } => {
            let layout = PageLayout {
                width: *width,
                zone: settings.zone.clone(),
                user_home: settings.user_home.clone(),
            };
            AsideTold::Pane(pane(context, open, shown, *kind, &layout, *message)?)
        }
        AsidePart::Find(needle) => AsideTold::Found(found(shown, needle)?),
        AsidePart::Locate { needle, message, style } => {
            let options = options(style, &settings.zone);
            let blocks =
                TranscriptBlocks::new(shown, &options, FoldHints::Keys).with_sides(style.sides);
            located(&blocks, needle, *message, style)?
        }
        AsidePart::Copy { what, key, line } => {
            let text = match what {
                CopyPart::Message => markdown(shown, key.message)?,
                CopyPart::Block => block_text(shown, *key, line)?,
            };
            AsideTold::Text(text, 0)
        }
        AsidePart::Insert { what, message } => inserted(shown, *what, *message)?,
        AsidePart::Edit { message } => edited(shown, *message)?,
    })
}
