//! The surface that paints messages as lines.
//!
//! `message` paints each kind of message, `call` calls, and `agent` agents. The message that
//! contains the requested entry is collected, and `focus` folds it.

use std::io;

use unspool_model::entry::MessageKind;
use unspool_text::style::{Line, Role};

use super::{DetailLevel, MARK, Options, Tools, rule};
use crate::document::{
    AgentHead, Interlude, MessagePlace, OtherPaths, Passage, PassagePart, ShownCall, Surface,
};
use unspool_engine::ops::locate::SpotPart;
use unspool_engine::ops::transcript::Transcript;

/// The most other paths that are named where they leave the path.
const BRANCHES: usize = 12;

/// Whether the next line follows a blank line or text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Spacing {
    /// A blank line or a rule.
    Blank,
    /// Text.
    Text,
    /// Unknown, since nothing was painted yet.
    Unknown,
}

/// The surface that passes on messages as lines, one by one.
pub(super) struct TerminalSurface<'p> {
    pub(super) shown: &'p Transcript<'p>,
    pub(super) options: &'p Options,
    out: &'p mut dyn FnMut(Line) -> io::Result<()>,
    /// The frame of the session, and one for each open agent.
    frames: Vec<Frame>,
    /// The lines of the requested message so far, while it is painted.
    pub(super) focus: Option<Vec<Line>>,
    /// The number of open calls that are hidden with everything inside them.
    hidden: usize,
    /// The number of folded agents.
    pub(super) folded: usize,
    pub(super) spacing: Spacing,
    /// The fold level of the next part of a message of the session; `None` if the options decide.
    pub(super) fold: Option<FoldLevel>,
    pub(super) hints: FoldHints,
    pub(super) sides: DiffSides,
}

/// How much is shown of a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub enum FoldLevel {
    /// One line.
    Line,
    /// Its beginning and its end.
    #[default]
    Summary,
    /// All of it.
    Full,
}

impl FoldLevel {
    /// Returns the level for calls.
    fn tools(self) -> Tools {
        match self {
            Self::Line => Tools::Line,
            Self::Summary => Tools::Summary,
            Self::Full => Tools::Full,
        }
    }
}

/// The layout of changes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum DiffSides {
    /// Old and new lines one below the other.
    #[default]
    One,
    /// Old lines on the left, new ones on the right.
    Two,
}

/// How a reader learns to see more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FoldHints {
    /// From options of the command.
    Options,
    /// From keys of the terminal program.
    Keys,
}

/// How a conversation is painted, and the kind of its current message.
#[derive(Clone)]
struct Frame {
    /// The prefix of every line.
    prefix: Line,
    kind: MessageKind,
    /// How much of calls is shown.
    tools: Tools,
}

impl<'p> TerminalSurface<'p> {
    /// Creates a surface that continues below lines with this spacing.
    pub(super) fn new(
        shown: &'p Transcript<'p>,
        options: &'p Options,
        spacing: Spacing,
        out: &'p mut dyn FnMut(Line) -> io::Result<()>,
    ) -> Self {
        let frame = Frame { prefix: Line::new(), kind: MessageKind::Notice, tools: options.tools };
        Self {
            shown,
            options,
            out,
            frames: vec![frame],
            focus: None,
            hidden: 0,
            folded: 0,
            spacing,
            fold: None,
            hints: FoldHints::Options,
            sides: DiffSides::One,
        }
    }

    fn frame(&self) -> Frame {
        let frame = self.frames.last();
        let mut frame = frame.cloned().expect("the session's own frame stays");
        if let Some(fold) = self.fold.filter(|_| self.focus.is_none()) {
            frame.tools = fold.tools();
        }
        frame
    }

    /// Returns whether everything is shown that is folded otherwise.
    pub(super) fn is_full(&self) -> bool {
        let is_full = self.options.tools == Tools::Full;
        self.focus.is_some() || self.fold.map_or(is_full, |fold| fold == FoldLevel::Full)
    }

    /// Returns whether all of the model's thinking is shown.
    pub(super) fn shows_all_thinking(&self) -> bool {
        let is_full = self.options.thinking == DetailLevel::Full;
        self.focus.is_some() || self.fold.map_or(is_full, |fold| fold == FoldLevel::Full)
    }

    pub(super) fn room(&self, prefix: &Line) -> usize {
        self.options.width.saturating_sub(prefix.width()).max(20)
    }

    pub(super) fn emit(&mut self, prefix: &Line, line: Line) -> io::Result<()> {
        if self.hidden > 0 {
            return Ok(());
        }
        self.spacing = if line.is_blank() { Spacing::Blank } else { Spacing::Text };
        let line = line.indented(prefix).trimmed_end();
        match &mut self.focus {
            Some(lines) => {
                lines.push(line);
                Ok(())
            }
            None => (self.out)(line),
        }
    }

    pub(super) fn emit_all(&mut self, prefix: &Line, lines: Vec<Line>) -> io::Result<()> {
        lines.into_iter().try_for_each(|line| self.emit(prefix, line))
    }

    /// Paints a note about text that is not shown, and how to see it.
    pub(super) fn left_out(&mut self, prefix: &Line, what: &str, option: &str) -> io::Result<()> {
        let note = match self.hints {
            FoldHints::Options => format!("… {what}, {option} shows all"),
            FoldHints::Keys => format!("… {what}, Enter opens"),
        };
        self.emit(prefix, Line::of(note, Role::Muted))
    }

    pub(super) fn blank(&mut self, prefix: &Line) -> io::Result<()> {
        match self.spacing {
            Spacing::Blank => Ok(()),
            Spacing::Text | Spacing::Unknown => self.emit(prefix, Line::new()),
        }
    }

    /// Paints the interlude, the seam and the mark above a message of the session.
    pub(super) fn above(&mut self, passage: &Passage, place: &MessagePlace) -> io::Result<()> {
        if let Some(interlude) = place.interlude {
            self.interlude(interlude)?;
        }
        if let Some(seam) = place.seam {
            self.rule_with(seam.words(), Role::Warning)?;
        }
        let is_asked_for = self.spot(place.message)?;
        let (prefix, tools) = match (is_asked_for, passage.left_out) {
            (true, _) => (Line::new(), Tools::Full),
            (false, true) => (Line::of("┊ ", Role::Muted), self.options.tools),
            (false, false) => (Line::new(), self.options.tools),
        };
        self.focus = is_asked_for.then(Vec::new);
        self.frames = vec![Frame { prefix, kind: passage.kind, tools }];
        Ok(())
    }

    /// Paints the beginning of a message.
    pub(super) fn begin(&mut self, passage: &Passage, place: &MessagePlace) -> io::Result<()> {
        let turn = place.turn.filter(|_| place.begins_turn);
        self.begin_message(&self.frame().prefix, passage, turn)
    }

    /// Paints a rule for a new day or a long pause.
    fn interlude(&mut self, interlude: Interlude) -> io::Result<()> {
        let role = match interlude.day {
            Some(_) => Role::Title,
            None => Role::Time,
        };
        self.rule_with(&interlude.words(), role)
    }

    /// Paints a line across the page with words.
    fn rule_with(&mut self, words: &str, role: Role) -> io::Result<()> {
        self.blank(&Line::new())?;
        let line = rule(self.options.width, Some((words, role)));
        self.emit(&Line::new(), line)?;
        self.blank(&Line::new())
    }

    /// Paints the mark above the requested message; returns whether the message is the requested one.
    fn spot(&mut self, message: u32) -> io::Result<bool> {
        let Some(spot) = self.shown.at.as_ref().filter(|at| at.message == message) else {
            return Ok(false);
        };
        let short = spot.short();
        let words = match spot.part {
            SpotPart::Said => format!(" {MARK} {short} "),
            SpotPart::Result => format!(" {MARK} {short}, a result in this message "),
            SpotPart::NextTo => format!(" {MARK} {short}, next to this message "),
        };
        self.blank(&Line::new())?;
        let mut line = Line::of(words, Role::Match);
        let rest = self.options.width.saturating_sub(line.width());
        line.add("─".repeat(rest), Role::Rule);
        self.emit(&Line::new(), line)?;
        Ok(true)
    }
}

impl Surface for TerminalSurface<'_> {
    fn open_message(&mut self, passage: &Passage, place: &MessagePlace) -> io::Result<()> {
        if place.depth == 0 {
            self.above(passage, place)?;
        } else if let Some(frame) = self.frames.last_mut() {
            frame.kind = passage.kind;
        }
        self.begin(passage, place)
    }

    fn part(&mut self, part: &PassagePart, passage: &Passage) -> io::Result<()> {
        self.message_part(&self.frame().prefix, part, passage.kind)
    }

    fn open_call(&mut self, call: &ShownCall, agent: Option<&AgentHead>) -> io::Result<()> {
        let frame = self.frame();
        let is_shown = frame.kind == MessageKind::Answer && frame.tools != Tools::None;
        if self.hidden > 0 || !is_shown {
            self.hidden += 1;
            return Ok(());
        }
        self.begin_call(&frame.prefix, call)?;
        // The line of the call contains the facts about an agent without messages.
        match agent.filter(|agent| agent.messages.is_some()) {
            Some(agent) => self.name_agent(&inside(frame.prefix), agent, call),
            None => Ok(()),
        }
    }

    fn close_call(&mut self, call: &ShownCall) -> io::Result<()> {
        if self.hidden > 0 {
            self.hidden -= 1;
            return Ok(());
        }
        let frame = self.frame();
        self.end_call(&frame.prefix, call, frame.tools)
    }

    fn close_message(&mut self, passage: &Passage) -> io::Result<()> {
        self.end_message(&self.frame().prefix, passage.kind)?;
        match self.focus.take_if(|_| self.frames.len() == 1) {
            Some(lines) => self.focused(lines),
            None => Ok(()),
        }
    }

    fn open_agent(&mut self, _: &AgentHead) -> io::Result<()> {
        let frame = self.frame();
        self.frames.push(Frame {
            prefix: inside(frame.prefix),
            kind: frame.kind,
            tools: Tools::Line,
        });
        Ok(())
    }

    fn close_agent(&mut self, _: &AgentHead) -> io::Result<()> {
        self.frames.pop();
        Ok(())
    }

    fn branches(&mut self, others: &OtherPaths) -> io::Result<()> {
        let count = others.count();
        let word = if count == 1 { "other branch" } else { "other branches" };
        let named = others.named.iter().take(BRANCHES);
        let option = match self.hints {
            FoldHints::Options => "--path ",
            FoldHints::Keys => "path ",
        };
        let listed: Vec<String> = named.map(|other| format!("{option}{}", other.number)).collect();
        let more = if count > BRANCHES { ", …" } else { "" };
        let mut line = Line::of("┣━ ", Role::Warning);
        line.add(format!("{count} {word} from here: "), Role::Warning);
        line.add(format!("{}{more}", listed.join(", ")), Role::Id);
        if self.hints == FoldHints::Keys {
            line.add(" · P", Role::Muted);
        }
        self.emit(&Line::new(), line)?;
        self.blank(&Line::new())
    }
}

/// Returns the prefix of an agent's lines inside the prefix of its call.
fn inside(mut prefix: Line) -> Line {
    prefix.add("┆ ", Role::Muted);
    prefix
}
