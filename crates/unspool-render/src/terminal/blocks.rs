//! A transcript in the terminal as blocks that fold on their own.
//!
//! A reader that keeps its position needs stable keys for blocks: a line number changes with every
//! line that is added, folded or wrapped above it, but a [`BlockKey`] does not. The lines are those
//! of [`TranscriptLines`]; this module adds the boundaries between blocks.

use std::cell::RefCell;
use std::io;
use std::ops::Range;

use unspool_model::conversation::CallStatus;
use unspool_model::entry::MessageKind;
use unspool_model::ids::EntryId;
use unspool_model::positions::{PathNumber, TurnNumber};
use unspool_model::time::Time;
use unspool_model::tool;
use unspool_text::style::Line;

use super::surface::{DiffSides, FoldHints, FoldLevel, Spacing, TerminalSurface};
use super::transcript::TranscriptLines;
use super::{DetailLevel, Options, Tools};
use crate::document::{
    AgentHead, DisplayWeight, MessagePlace, OtherPaths, Passage, PassagePart, ShownCall, Surface,
};
use unspool_engine::ops::transcript::Transcript;

/// The output of a command folds from this many lines on.
const LONG_OUTPUT: usize = 10;

/// The key of a block in a conversation. Keys are ordered like the blocks, and do not change while
/// messages are added.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BlockKey {
    /// The index of its message.
    pub message: u32,
    /// The number of the block in its message.
    part: u32,
}

impl BlockKey {
    const ABOVE: u32 = 0;
    const HEAD: u32 = 1;
    const BRANCHES: u32 = u32::MAX;

    /// Returns a key before all blocks of a message; it may be the key of the first one.
    pub fn first_of(message: u32) -> Self {
        Self { message, part: Self::ABOVE }
    }

    /// Returns the index of the answer's part that the block shows; `None` for a block that is not
    /// a part of its message.
    pub fn part_number(self) -> Option<usize> {
        let number = self.part.checked_sub(Self::HEAD + 1)?;
        (self.part != Self::BRANCHES).then_some(number as usize)
    }

    fn part(message: u32, part: usize) -> Self {
        Self { message, part: Self::HEAD + 1 + part as u32 }
    }
}

/// A piece of a transcript that is read, folded and copied as a whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReaderBlock {
    /// The key.
    pub key: BlockKey,
    /// The first entry of its message.
    pub entry: Option<EntryId>,
    /// The kind.
    pub kind: ReaderBlockKind,
    /// How much of the block is shown.
    pub level: FoldLevel,
    /// Whether the block can be folded or unfolded.
    pub can_fold: bool,
    /// The blank line above the block, if the previous block does not end with one. It depends on
    /// that block, so it is not part of `lines`.
    pub gap: Option<Line>,
    /// The lines, including a blank one at the end.
    pub lines: Vec<Line>,
}

impl ReaderBlock {
    /// Returns the number of lines without blank ones at the end.
    pub fn body(&self) -> usize {
        let last = self.lines.iter().rposition(|line| !line.is_blank());
        last.map_or(0, |last| last + 1)
    }
}

/// The kind of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReaderBlockKind {
    /// A text of a person.
    Prompt {
        /// The number of the turn that it begins.
        turn: Option<TurnNumber>,
        /// The time of the message.
        time: Option<Time>,
    },
    /// A text of the model, or media.
    Text,
    /// Thinking of the model.
    Thinking,
    /// A tool call.
    Call(BlockCall),
    /// A command of the user.
    Command,
    /// A compaction.
    Boundary,
    /// A text that the client injected: a summary, a report, a remark.
    Aside,
    /// An error between the client and the model.
    Error,
    /// An interruption by the user.
    Interruption,
    /// A line across the page: a new day, a pause, messages that a resume leaves out.
    Rule,
    /// A list of other paths that leave this one.
    Branches {
        /// The numbers of these paths.
        paths: Vec<PathNumber>,
    },
}

impl ReaderBlockKind {
    /// Returns whether the block shows a failure.
    pub fn is_error(&self) -> bool {
        match self {
            Self::Call(call) => call.status == CallStatus::Failed,
            Self::Error => true,
            _ => false,
        }
    }

    /// Returns whether the block is a call that changes a file.
    pub fn is_change(&self) -> bool {
        matches!(self, Self::Call(call) if call.is_change)
    }
}

/// Facts about the call of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockCall {
    /// The call's id.
    pub id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// How the call ended.
    pub status: CallStatus,
    /// Whether the tool changes files.
    pub is_change: bool,
    /// The id of the agent that the call started.
    pub agent: Option<String>,
    /// Whether the conversation of that agent can be read.
    pub has_agent_log: bool,
}

/// The messages of a transcript as blocks, for one range at a time.
///
/// The lines and gaps of a range are those of [`TranscriptLines`], unless a block is folded on its
/// own. The work is proportional to the range, as it is there.
pub struct TranscriptBlocks<'a> {
    lines: TranscriptLines<'a>,
    hints: FoldHints,
    sides: DiffSides,
}

impl<'a> TranscriptBlocks<'a> {
    /// Creates the blocks of a transcript.
    pub fn new(shown: &'a Transcript<'a>, options: &'a Options, hints: FoldHints) -> Self {
        Self { lines: TranscriptLines::new(shown, options), hints, sides: DiffSides::One }
    }

    /// Sets whether changes are shown in one column or in two.
    #[must_use]
    pub fn with_sides(mut self, sides: DiffSides) -> Self {
        self.sides = sides;
        self
    }

    /// Returns the positions of all messages to show.
    pub fn messages(&self) -> Range<u32> {
        self.lines.messages()
    }

    /// Returns the blocks of a range of messages; `folds` overrides the fold level of single
    /// blocks. Blocks without lines are omitted.
    pub fn blocks(
        &self,
        range: Range<u32>,
        folds: &dyn Fn(BlockKey) -> Option<FoldLevel>,
    ) -> io::Result<Vec<ReaderBlock>> {
        let range = self.lines.playback.within(range);
        let end = |before| Ok(self.play(before, Spacing::Unknown, folds)?.1);
        let spacing = self.lines.spacing_before(range.start, end)?;
        Ok(self.play(range, spacing, folds)?.0)
    }

    fn play(
        &self,
        range: Range<u32>,
        spacing: Spacing,
        folds: &dyn Fn(BlockKey) -> Option<FoldLevel>,
    ) -> io::Result<(Vec<ReaderBlock>, Spacing)> {
        let TranscriptLines { playback, shown, options } = &self.lines;
        let lines = RefCell::new(Vec::new());
        let mut out = |line| {
            lines.borrow_mut().push(line);
            Ok(())
        };
        let mut surface = TerminalSurface::new(shown, options, spacing, &mut out);
        surface.hints = self.hints;
        surface.sides = self.sides;
        let mut blocks = BlockSurface {
            surface,
            options,
            lines: &lines,
            folds,
            blocks: Vec::new(),
            message: BlockKey::first_of(range.start),
            entry: None,
            parts: 0,
            agents: 0,
            open: None,
        };
        playback.play_range(range, &mut blocks)?;
        Ok((blocks.blocks, blocks.surface.spacing))
    }
}

/// A surface that splits the lines of another surface into blocks.
struct BlockSurface<'p> {
    surface: TerminalSurface<'p>,
    options: &'p Options,
    /// The lines of the current block.
    lines: &'p RefCell<Vec<Line>>,
    folds: &'p dyn Fn(BlockKey) -> Option<FoldLevel>,
    blocks: Vec<ReaderBlock>,
    message: BlockKey,
    entry: Option<EntryId>,
    /// The number of parts of the current message so far.
    parts: usize,
    /// The number of open agents.
    agents: usize,
    /// The block that is being painted.
    open: Option<OpenBlock>,
}

/// A block whose lines are being painted.
struct OpenBlock {
    key: BlockKey,
    kind: ReaderBlockKind,
    level: FoldLevel,
    can_fold: bool,
}

impl BlockSurface<'_> {
    /// Begins a block, which gets all lines painted from here on.
    fn open(&mut self, key: BlockKey, kind: ReaderBlockKind, can_fold: bool) {
        let asked = (self.folds)(key);
        let is_call = matches!(kind, ReaderBlockKind::Call(_));
        let default = match (self.options.thinking, self.options.tools) {
            (thinking, _) if kind == ReaderBlockKind::Thinking => match thinking {
                DetailLevel::Full => FoldLevel::Full,
                DetailLevel::Folded => FoldLevel::Line,
            },
            (_, Tools::Full) => FoldLevel::Full,
            (_, Tools::Line | Tools::None) if is_call => FoldLevel::Line,
            _ => FoldLevel::Summary,
        };
        self.surface.fold = asked;
        self.open = Some(OpenBlock { key, kind, level: asked.unwrap_or(default), can_fold });
    }

    /// Ends the open block; a block without lines is dropped.
    fn close(&mut self) {
        self.surface.fold = None;
        let mut lines = self.lines.take();
        let Some(open) = self.open.take().filter(|_| !lines.is_empty()) else {
            return;
        };
        // Blank lines alone belong to the block before.
        let is_blank = lines.iter().all(Line::is_blank);
        if let Some(last) = self.blocks.last_mut().filter(|_| is_blank) {
            last.lines.append(&mut lines);
            return;
        }
        let begins_blank = !is_blank && lines[0].is_blank();
        let gap = begins_blank.then(|| lines.remove(0));
        self.blocks.push(ReaderBlock {
            key: open.key,
            entry: self.entry.clone(),
            kind: open.kind,
            level: open.level,
            can_fold: open.can_fold,
            gap,
            lines,
        });
    }

    fn key(&self, part: u32) -> BlockKey {
        BlockKey { part, ..self.message }
    }

    /// Returns the key of the next part of the current message.
    fn next_part(&mut self) -> BlockKey {
        self.parts += 1;
        BlockKey::part(self.message.message, self.parts - 1)
    }

    /// Returns whether the current message is one block: it is not an answer, or it is the
    /// requested message, which folds as a whole.
    fn is_whole(&self, kind: MessageKind) -> bool {
        kind != MessageKind::Answer || self.surface.focus.is_some()
    }
}

impl Surface for BlockSurface<'_> {
    fn open_message(&mut self, passage: &Passage, place: &MessagePlace) -> io::Result<()> {
        if place.depth > 0 {
            return self.surface.open_message(passage, place);
        }
        self.message = BlockKey::first_of(place.message);
        self.entry = passage.entries.first().cloned();
        self.parts = 0;
        self.open(self.message, ReaderBlockKind::Rule, false);
        self.surface.above(passage, place)?;
        self.close();
        let kind = kind_of(passage, place);
        self.open(self.key(BlockKey::HEAD), kind, folds_whole(passage));
        self.surface.begin(passage, place)?;
        if !self.is_whole(passage.kind) {
            self.close();
        }
        Ok(())
    }

    fn part(&mut self, part: &PassagePart, passage: &Passage) -> io::Result<()> {
        if self.agents > 0 || self.is_whole(passage.kind) {
            return self.surface.part(part, passage);
        }
        let (kind, can_fold) = match part {
            PassagePart::Thinking(text) => (ReaderBlockKind::Thinking, !text.trim().is_empty()),
            _ => (ReaderBlockKind::Text, false),
        };
        let key = self.next_part();
        self.open(key, kind, can_fold);
        self.surface.part(part, passage)?;
        self.close();
        Ok(())
    }

    fn open_call(&mut self, call: &ShownCall, agent: Option<&AgentHead>) -> io::Result<()> {
        if self.agents == 0 && self.open.is_none() {
            let key = self.next_part();
            let kind = ReaderBlockKind::Call(BlockCall {
                id: call.id.clone(),
                name: call.name.clone(),
                status: call.status,
                is_change: tool::changes_files(&call.name),
                agent: agent.map(|agent| agent.id.clone()),
                has_agent_log: agent.is_some_and(|agent| agent.messages.is_some()),
            });
            let can_fold = call.details.iter().any(|detail| !call.says(&detail.body));
            self.open(key, kind, can_fold);
        }
        self.surface.open_call(call, agent)
    }

    fn close_call(&mut self, call: &ShownCall) -> io::Result<()> {
        self.surface.close_call(call)?;
        let is_call = |open: &OpenBlock| matches!(open.kind, ReaderBlockKind::Call(_));
        if self.agents == 0 && self.open.as_ref().is_some_and(is_call) {
            self.close();
        }
        Ok(())
    }

    fn close_message(&mut self, passage: &Passage) -> io::Result<()> {
        self.surface.close_message(passage)?;
        if self.agents == 0 {
            self.close();
        }
        Ok(())
    }

    fn open_agent(&mut self, agent: &AgentHead) -> io::Result<()> {
        // The options decide how an agent's messages are folded.
        self.surface.fold = None;
        self.agents += 1;
        self.surface.open_agent(agent)
    }

    fn close_agent(&mut self, agent: &AgentHead) -> io::Result<()> {
        self.surface.close_agent(agent)?;
        self.agents -= 1;
        if self.agents == 0 {
            self.surface.fold = self.open.as_ref().and_then(|open| (self.folds)(open.key));
        }
        Ok(())
    }

    fn branches(&mut self, others: &OtherPaths) -> io::Result<()> {
        let paths = others.named.iter().map(|other| other.number).collect();
        let kind = ReaderBlockKind::Branches { paths };
        self.open(self.key(BlockKey::BRANCHES), kind, false);
        self.surface.branches(others)?;
        self.close();
        Ok(())
    }
}

/// Returns the kind of the first block of a message.
fn kind_of(passage: &Passage, place: &MessagePlace) -> ReaderBlockKind {
    match passage.kind {
        MessageKind::Prompt | MessageKind::Queued | MessageKind::Reply => ReaderBlockKind::Prompt {
            turn: place.turn.filter(|_| place.begins_turn),
            time: passage.time,
        },
        MessageKind::Answer => ReaderBlockKind::Text,
        MessageKind::Command => ReaderBlockKind::Command,
        MessageKind::Boundary => ReaderBlockKind::Boundary,
        MessageKind::Summary
        | MessageKind::Meta
        | MessageKind::AgentReport
        | MessageKind::Notice => ReaderBlockKind::Aside,
        MessageKind::Interruption => ReaderBlockKind::Interruption,
        MessageKind::Error => ReaderBlockKind::Error,
    }
}

/// Returns whether a message that is one block can be folded or unfolded.
fn folds_whole(passage: &Passage) -> bool {
    match passage.kind {
        MessageKind::Summary | MessageKind::Meta | MessageKind::AgentReport => {
            passage.weight != DisplayWeight::Open && !passage.said().trim().is_empty()
        }
        _ => passage.parts.iter().any(|part| match part {
            PassagePart::Pasted(_) => true,
            PassagePart::Note(note) => !note.text.is_empty(),
            PassagePart::Command { line, output } => {
                let line = line.as_deref().unwrap_or_default();
                output.lines().count().max(line.lines().count()) >= LONG_OUTPUT
            }
            _ => false,
        }),
    }
}
