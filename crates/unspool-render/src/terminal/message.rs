//! Paints each kind of message.

use std::io;

use unspool_model::entry::MessageKind;
use unspool_model::positions::TurnNumber;
use unspool_text::markdown::{Breaks, markdown_with};
use unspool_text::style::{Emphasis, Line, Role, Style};
use unspool_text::{fold, sanitize, wrap};

use super::surface::TerminalSurface;
use super::{ClockStyle, clock, rule};
use crate::document::{ClientNote, DisplayWeight, Passage, PassagePart, pasted_length};
use unspool_engine::ops::message::MediaText;

/// The lines shown of a folded command or its output: from the start, from the end.
const FOLDED: (usize, usize) = (6, 2);
/// The line above a message that is marked as deleted.
const DELETED: &str = "(deleted)";

impl TerminalSurface<'_> {
    /// Paints the beginning of a message, or all of a message without parts. `turn` is the number
    /// of the turn that the message begins.
    pub(super) fn begin_message(
        &mut self,
        prefix: &Line,
        message: &Passage,
        turn: Option<TurnNumber>,
    ) -> io::Result<()> {
        if message.deleted {
            self.emit(prefix, Line::of(DELETED, Role::Muted))?;
        }
        match message.kind {
            MessageKind::Prompt | MessageKind::Queued | MessageKind::Reply => {
                self.prompt(prefix, message, turn)
            }
            MessageKind::Answer | MessageKind::Command => Ok(()),
            MessageKind::Boundary => self.boundary(prefix, message),
            MessageKind::Summary | MessageKind::Meta | MessageKind::AgentReport => {
                self.aside(prefix, message)
            }
            MessageKind::Interruption => self.mark(prefix, &message.said(), Role::Warning),
            MessageKind::Error => self.mark(prefix, &message.said(), Role::Failure),
            MessageKind::Notice => self.notice(prefix, message),
        }
    }

    /// Paints a part of a prompt, an answer or a command.
    pub(super) fn message_part(
        &mut self,
        prefix: &Line,
        part: &PassagePart,
        kind: MessageKind,
    ) -> io::Result<()> {
        match kind {
            MessageKind::Prompt | MessageKind::Queued | MessageKind::Reply => {
                let inner = prefix.clone().and("┃ ", Role::User);
                self.prompt_part(&inner, part)
            }
            MessageKind::Answer => self.answer_part(prefix, part),
            MessageKind::Command => self.command_part(prefix, part),
            _ => Ok(()),
        }
    }

    /// Ends a message.
    pub(super) fn end_message(&mut self, prefix: &Line, kind: MessageKind) -> io::Result<()> {
        match kind {
            MessageKind::Prompt | MessageKind::Queued | MessageKind::Reply => self.blank(prefix),
            _ => Ok(()),
        }
    }

    /// Paints the first line of a person's message: time, turn and kind.
    fn prompt(
        &mut self,
        prefix: &Line,
        message: &Passage,
        turn: Option<TurnNumber>,
    ) -> io::Result<()> {
        self.blank(prefix)?;
        let mut head = Line::of("❯ ", Style::from(Role::User).with(Emphasis::STRONG));
        if let Some(time) = message.time {
            head.add(clock(time, &self.options.zone, ClockStyle::Time), Role::Time);
        }
        if let Some(turn) = turn {
            head.add(format!("  turn {turn}"), Role::Muted);
        }
        let how = match message.kind {
            MessageKind::Queued => "  queued",
            MessageKind::Reply => "  reply",
            _ => "",
        };
        head.add(how, Role::Muted);
        self.emit(prefix, head)
    }

    /// Paints a part of a person's message; `prefix` contains the bar at the margin.
    fn prompt_part(&mut self, prefix: &Line, part: &PassagePart) -> io::Result<()> {
        match part {
            PassagePart::Typed(text) => self.text(prefix, text.trim_end(), Role::Plain),
            PassagePart::Pasted(text) => self.pasted(prefix, text),
            PassagePart::Note(note) => self.note(prefix, note),
            PassagePart::Media(media) => self.emit(prefix, media_line(media)),
            PassagePart::Unknown { name } => self.emit(prefix, other_line(name)),
            PassagePart::Prose(_)
            | PassagePart::Thinking(_)
            | PassagePart::Command { .. }
            | PassagePart::Call(_) => Ok(()),
        }
    }

    /// Paints a text line by line, wrapped.
    fn text(&mut self, prefix: &Line, text: &str, role: Role) -> io::Result<()> {
        for line in sanitize::clean(text).lines() {
            let line = Line::of(line.to_owned(), role);
            self.emit_all(prefix, wrap(&line, self.room(prefix)))?;
        }
        Ok(())
    }

    /// Paints the middle of a long prompt, or its length.
    fn pasted(&mut self, prefix: &Line, text: &str) -> io::Result<()> {
        if self.is_full() {
            return self.text(prefix, text, Role::Plain);
        }
        self.left_out(prefix, &pasted_length(text), "--full")
    }

    /// Paints a remark of the client.
    fn note(&mut self, prefix: &Line, note: &ClientNote) -> io::Result<()> {
        let line = Line::of(format!("○ {}", note.words), Role::Muted);
        self.emit(prefix, line.truncated(self.room(prefix)))?;
        if !self.is_full() {
            return Ok(());
        }
        let inner = prefix.clone().and("  ", Role::Plain);
        self.text(&inner, &note.text, Role::Muted)
    }

    /// Paints a part of an answer that is not a call.
    fn answer_part(&mut self, prefix: &Line, part: &PassagePart) -> io::Result<()> {
        let inner = prefix.clone().and("  ", Role::Plain);
        match part {
            PassagePart::Prose(text) | PassagePart::Typed(text) => {
                let lines = markdown_with(text, self.room(&inner), Breaks::Keep);
                let mut lines = lines.into_iter();
                if let Some(first) = lines.next() {
                    let bullet = prefix.clone().and("● ", Role::Assistant);
                    self.emit(&bullet, first)?;
                }
                self.emit_all(&inner, lines.collect())?;
                self.blank(prefix)
            }
            PassagePart::Thinking(text) => self.thinking(prefix, text),
            PassagePart::Media(media) => self.emit(&inner, media_line(media)),
            PassagePart::Unknown { name } => self.emit(&inner, other_line(name)),
            PassagePart::Call(_)
            | PassagePart::Command { .. }
            | PassagePart::Pasted(_)
            | PassagePart::Note(_) => Ok(()),
        }
    }

    fn thinking(&mut self, prefix: &Line, text: &str) -> io::Result<()> {
        let bullet = prefix.clone().and("✻ ", Role::Thinking);
        let text = text.trim();
        if text.is_empty() {
            return if self.shows_all_thinking() {
                self.emit(&bullet, Line::of("thinking, text withheld", Role::Thinking))
            } else {
                Ok(())
            };
        }
        if !self.shows_all_thinking() {
            let room = self.room(&bullet);
            let line = sanitize::one_line(text, room);
            return self.emit(&bullet, Line::of(line, Role::Thinking));
        }
        let inner = prefix.clone().and("  ", Role::Plain);
        let mut first = true;
        for line in sanitize::clean(text).lines() {
            for line in wrap(&Line::of(line.to_owned(), Role::Thinking), self.room(&inner)) {
                let lead = if std::mem::take(&mut first) { &bullet } else { &inner };
                let lead = lead.clone();
                self.emit(&lead, line)?;
            }
        }
        self.blank(prefix)
    }

    fn boundary(&mut self, prefix: &Line, message: &Passage) -> io::Result<()> {
        let words = message.label.as_deref();
        let line = rule(self.room(prefix), words.map(|words| (words, Role::Warning)));
        self.emit(prefix, line)?;
        self.blank(prefix)
    }

    /// Paints a text that the client injected: one line, or all of it.
    fn aside(&mut self, prefix: &Line, message: &Passage) -> io::Result<()> {
        let full = self.is_full();
        if message.weight == DisplayWeight::Hidden && !full {
            return Ok(());
        }
        let (text, label) = (message.said(), message.label.as_deref());
        let label = label.unwrap_or_default();
        if text.trim().is_empty() || (message.weight == DisplayWeight::Folded && !full) {
            return self.remark(prefix, label, &text);
        }
        let role = match message.weight {
            DisplayWeight::Open => Role::Plain,
            DisplayWeight::Folded | DisplayWeight::Hidden => Role::Muted,
        };
        self.emit(prefix, Line::of(format!("○ {label}:"), Role::Muted))?;
        let inner = prefix.clone().and("  ", Role::Plain);
        self.text(&inner, &text, role)?;
        self.blank(prefix)
    }

    /// Paints a slash or `!` command, or its output.
    fn command_part(&mut self, prefix: &Line, part: &PassagePart) -> io::Result<()> {
        let PassagePart::Command { line, output } = part else {
            return Ok(());
        };
        let full = self.is_full();
        let (head, tail) = if full { (usize::MAX, 0) } else { FOLDED };
        let inner = prefix.clone().and("  ", Role::Plain);
        if let Some(line) = line {
            let line = sanitize::clean(line).into_owned();
            let (first, rest) = line.split_once('\n').unwrap_or((&line, ""));
            let lead = prefix.clone().and("❯ ", Role::User);
            let said = wrap(&Line::of(first, Role::User), self.room(&lead));
            self.emit_all(&lead, said)?;
            self.shorten(&inner, rest, head, tail, Role::Plain)?;
        }
        if !output.trim().is_empty() {
            let output = sanitize::output(output.trim_end()).into_owned();
            self.shorten(&inner, &output, head, tail, Role::Muted)?;
        }
        Ok(())
    }

    /// Paints the beginning and the end of a text, and the number of lines between them.
    pub(super) fn shorten(
        &mut self,
        prefix: &Line,
        text: &str,
        head: usize,
        tail: usize,
        role: Role,
    ) -> io::Result<()> {
        let folded = fold::fold(text, head, tail);
        let room = self.room(prefix);
        let cut = |line: &str| Line::of(line.to_owned(), role).truncated(room);
        let whole = |line: &str| wrap(&Line::of(line.to_owned(), role), room);
        for line in &folded.head {
            if folded.hidden == 0 && head == usize::MAX {
                self.emit_all(prefix, whole(line))?;
            } else {
                self.emit(prefix, cut(line))?;
            }
        }
        if let Some(note) = folded.note() {
            self.emit(prefix, Line::of(note, Role::Muted))?;
        }
        for line in &folded.tail {
            self.emit(prefix, cut(line))?;
        }
        Ok(())
    }

    fn mark(&mut self, prefix: &Line, text: &str, role: Role) -> io::Result<()> {
        let lead = prefix.clone().and("■ ", role);
        let room = self.room(&lead);
        self.emit(&lead, Line::of(sanitize::one_line(text, room), role))?;
        self.blank(prefix)
    }

    fn notice(&mut self, prefix: &Line, message: &Passage) -> io::Result<()> {
        if message.weight == DisplayWeight::Hidden && !self.is_full() {
            return Ok(());
        }
        let label = message.label.as_deref().unwrap_or_default();
        self.remark(prefix, label, &message.said())
    }

    /// Paints one line with a label and the beginning of a text.
    fn remark(&mut self, prefix: &Line, label: &str, text: &str) -> io::Result<()> {
        let colon = if text.trim().is_empty() { "" } else { ":" };
        let words = format!("○ {label}{colon} {text}");
        let line = sanitize::one_line(&words, self.room(prefix));
        self.emit(prefix, Line::of(line, Role::Muted))
    }
}

pub(super) fn media_line(media: &MediaText) -> Line {
    Line::of(media.words(), Role::Muted)
}

fn other_line(name: &str) -> Line {
    Line::of(format!("[block of type {name}]"), Role::Muted)
}
