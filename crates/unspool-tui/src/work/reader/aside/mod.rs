//! Data next to the messages: the outline, panes, matches of a search, texts to copy.
//!
//! The reader keeps its requests until they are answered and sends them together, because a newer request
//! replaces an older one.

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

/// The parts that the reader currently needs.
#[derive(Clone, Debug)]
pub(crate) struct AsideRequest {
    pub(crate) place: SessionPlace,
    pub(crate) target: ReadTarget,
    pub(crate) parts: Vec<AsidePart>,
}

/// One kind of data next to the messages.
#[derive(Clone, Debug)]
pub(crate) enum AsidePart {
    /// The first words of the turns.
    Outline,
    /// The rows of a pane.
    Pane {
        kind: ReadPane,
        width: usize,
        /// The message at the cursor.
        message: u32,
    },
    /// The messages that contain a text.
    Find(String),
    /// The position of a text in a message.
    Locate { needle: String, message: u32, style: ReadStyle },
    /// A text to copy.
    Copy {
        what: CopyPart,
        key: BlockKey,
        /// The line at the cursor.
        line: String,
    },
    /// A text for the prompt that is being edited.
    Insert { what: InsertChoice, message: u32 },
    /// The whole conversation as text, for the editor.
    Edit { message: u32 },
}

impl AsidePart {
    /// Tells whether a newer request replaces this one.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

/// A side pane.
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

/// The part of the current block that is copied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CopyPart {
    /// The whole message as Markdown.
    Message,
    /// The block's code or output.
    Block,
}

/// The part at the cursor that is inserted into a prompt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InsertChoice {
    Message,
    /// The turn of the message.
    Turn,
}

/// A turn in the outline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct OutlineRow {
    pub(crate) message: u32,
    pub(crate) time: Option<Time>,
    pub(crate) words: String,
    /// The number of failed calls.
    pub(crate) failed: u32,
    /// Set if the context was compacted in this turn.
    pub(crate) is_compacted: bool,
    /// Set if other paths branch off in this turn.
    pub(crate) is_forked: bool,
}

/// A row of a pane, and the target of Enter on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PaneRow {
    pub(crate) line: Line,
    pub(crate) target: Option<PaneTarget>,
}

/// The target of a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum PaneTarget {
    /// An entry, and the path that contains it.
    Entry { entry: EntryId, path: Option<PathNumber> },
    /// The conversation of an agent.
    Agent(String),
}

/// An answer for one part of a request.
#[derive(Debug)]
pub(crate) struct AsideReply {
    pub(crate) target: ReadTarget,
    /// The part that is answered.
    pub(crate) part: AsidePart,
    pub(crate) data: Result<AsideData, String>,
}

/// The data of a part.
#[derive(Debug)]
pub(crate) enum AsideData {
    Outline(Vec<OutlineRow>),
    Pane(Vec<PaneRow>),
    Found(Vec<FoundMessage>),
    /// The position of a text, and the blocks that have to be unfolded for it.
    Located {
        place: ReadPlace,
        unfold: Vec<BlockKey>,
    },
    /// A text, and its line at the cursor.
    Text(String, usize),
}

/// Answers the parts of a request in order.
pub(crate) fn answer(
    context: &WorkContext,
    open: Result<Arc<OpenSession>, LibraryError>,
    request: &AsideRequest,
    call: &mut WorkCall<'_>,
) {
    let mut send = |part: &AsidePart, data| {
        let reply = AsideReply { target: request.target.clone(), part: part.clone(), data };
        call.reply(WorkReply::Reader(ReaderReply::Aside(Box::new(reply))));
    };
    let open = match open {
        Ok(open) => open,
        Err(error) => {
            let error = error.to_string();
            return request.parts.iter().for_each(|part| send(part, Err(error.clone())));
        }
    };
    let view = open.view();
    match view.transcript(&request.target.request()) {
        Ok(shown) => {
            for part in &request.parts {
                let data = part_of(context, &open, &shown, part).map_err(|error| error.to_string());
                send(part, data);
            }
        }
        Err(error) => {
            let error = error.to_string();
            let mut parts = request.parts.iter();
            parts.by_ref().for_each(|part| send(part, Err(error.clone())));
        }
    }
}

fn part_of(
    context: &WorkContext,
    open: &OpenSession,
    shown: &Transcript<'_>,
    part: &AsidePart,
) -> io::Result<AsideData> {
    let settings = &context.settings;
    Ok(match part {
        AsidePart::Outline => AsideData::Outline(outline(shown)?),
        AsidePart::Pane { kind, width, message } => {
            let layout = PageLayout {
                width: *width,
                zone: settings.zone.clone(),
                user_home: settings.user_home.clone(),
            };
            AsideData::Pane(pane(context, open, shown, *kind, &layout, *message)?)
        }
        AsidePart::Find(needle) => AsideData::Found(found(shown, needle)?),
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
            AsideData::Text(text, 0)
        }
        AsidePart::Insert { what, message } => inserted(shown, *what, *message)?,
        AsidePart::Edit { message } => edited(shown, *message)?,
    })
}
