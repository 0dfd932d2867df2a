//! A transcript in the terminal as blocks, each of which is folded on its own.
//!
//! A reader that keeps its place needs names for what it shows: a line number changes with every
//! line that is added, folded or wrapped above it, and a [`BlockKey`] does not. The lines are those
//! that [`TranscriptLines`] hands out; what is new here is where one block ends and the next one
//! begins.

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

/// From this many lines on, the output of a command is folded.
const LONG_OUTPUT: usize = 10;

/// Names a block of a conversation. Keys are in the order of the blocks, and stay what they are while
/// messages are added.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BlockKey {
    /// The position of its message, counted from zero.
    pub message: u32,
    /// Which block of the message it is.
    part: u32,
}

impl BlockKey {
    const ABOVE: u32 = 0;
    const HEAD: u32 = 1;
    const BRANCHES: u32 = u32::MAX;

    /// Returns a key that comes before all blocks of a message, or is the one of its first block.
    pub fn first_of(message: u32) -> Self {
        Self { message, part: Self::ABOVE }
    }

    /// Returns which part of an answer the block is, counted from zero; none for a block that is not a
    /// part of its message.
    pub fn part_number(self) -> Option<usize> {
        let number = self.part.checked_sub(Self::HEAD + 1)?;
        (self.part != Self::BRANCHES).then_some(number as usize)
    }

    fn part(message: u32, part: usize) -> Self {
        Self { message, part: Self::HEAD + 1 + part as u32 }
    }
}

/// A piece of a transcript that is read, folded and copied as one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReaderBlock {
    /// Its name.
    pub key: BlockKey,
    /// The first entry of its message.
    pub entry: Option<EntryId>,
    /// What it is.
    pub kind: ReaderBlockKind,
    /// How much of it is shown.
    pub level: FoldLevel,
    /// Whether there is more or less of it to show.
    pub can_fold: bool,
    /// The blank line above it, if the block before does not end with one. It depends on that block,
    /// so it does not count as a line of this one.
    pub gap: Option<Line>,
    /// Its lines, a blank one at the end included.
    pub lines: Vec<Line>,
}

impl ReaderBlock {
    /// Returns how many lines it has without blank ones at the end.
    pub fn body(&self) -> usize {
        let last = self.lines.iter().rposition(|line| !line.is_blank());
        last.map_or(0, |last| last + 1)
    }
}

/// What a block is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReaderBlockKind {
    /// What a person said.
    Prompt {
        /// The number of the turn that it begins.
        turn: Option<TurnNumber>,
        /// When it was said.
        time: Option<Time>,
    },
    /// What the model said, or something that it showed.
    Text,
    /// What the model thought.
    Thinking,
    /// A tool call.
    Call(BlockCall),
    /// A command of the user's.
    Command,
    /// Where the context was compacted.
    Boundary,
    /// A text that the client put in: a summary, a report, a remark.
    Aside,
    /// What went wrong between the client and the model.
    Error,
    /// Where the user interrupted.
    Interruption,
    /// A line across the page: another day, a pause, what a resume leaves out.
    Rule,
    /// Where other paths leave this one.
    Branches {
        /// Their numbers.
        paths: Vec<PathNumber>,
    },
}

impl ReaderBlockKind {
    /// Tells whether it says that something failed.
    pub fn is_error(&self) -> bool {
        match self {
            Self::Call(call) => call.status == CallStatus::Failed,
            Self::Error => true,
            _ => false,
        }
    }

    /// Tells whether it is a call that changes a file.
    pub fn is_change(&self) -> bool {
        matches!(self, Self::Call(call) if call.is_change)
    }
}

/// What is known of the call of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockCall {
    /// The call's id.
    pub id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// How it ended.
    pub status: CallStatus,
    /// Whether the tool is one that changes files.
    pub is_change: bool,
    /// The agent that it started.
    pub agent: Option<String>,
    /// Whether the conversation of that agent can be read.
    pub has_agent_log: bool,
}

/// The messages of a transcript as blocks, a range of them at a time.
///
/// The lines of the blocks of a range, with the gaps above them, are those of [`TranscriptLines`] as
/// long as no block is folded on its own. Work is in proportion to the range, as it is there.
pub struct TranscriptBlocks<'a> {
    lines: TranscriptLines<'a>,
    hints: FoldHints,
    sides: DiffSides,
}

impl<'a> TranscriptBlocks<'a> {
    /// Prepares to show a transcript in blocks.
    pub fn new(shown: &'a Transcript<'a>, options: &'a Options, hints: FoldHints) -> Self {
        Self { lines: TranscriptLines::new(shown, options), hints, sides: DiffSides::One }
    }

    /// Shows changes in one column or in two.
    #[must_use]
    pub fn with_sides(mut self, sides: DiffSides) -> Self {
        self.sides = sides;
        self
    }

    /// Returns the positions of all messages to show.
    pub fn messages(&self) -> Range<u32> {
        self.lines.messages()
    }

    /// Returns the blocks of the messages of a range, of which those that `folds` names are folded
    /// as it says. A block without lines is left out.
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

/// Notes where the lines of a surface begin another block.
struct BlockSurface<'p> {
    surface: TerminalSurface<'p>,
    options: &'p Options,
    /// The lines of the block at hand.
    lines: &'p RefCell<Vec<Line>>,
    folds: &'p dyn Fn(BlockKey) -> Option<FoldLevel>,
    blocks: Vec<ReaderBlock>,
    message: BlockKey,
    entry: Option<EntryId>,
    /// How many parts the message at hand has had.
    parts: usize,
    /// How many agents are open.
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
    /// Begins a block: what is painted from here on is a part of it.
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

    /// Ends the block that is open. One without lines is none.
    fn close(&mut self) {
        self.surface.fold = None;
        let mut lines = self.lines.take();
        let Some(open) = self.open.take().filter(|_| !lines.is_empty()) else {
            return;
        };
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

    /// Returns the key of the next part of the message at hand.
    fn next_part(&mut self) -> BlockKey {
        self.parts += 1;
        BlockKey::part(self.message.message, self.parts - 1)
    }

    /// Tells whether the message at hand is shown as one block: one that is not an answer, and the one
    /// that was asked for, which is folded as a whole.
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
        // What an agent said is folded as the options say.
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

/// Returns what the block is that a message begins with.
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

/// Tells whether there is more or less to show of a message that is one block.
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
