//! What each kind of message looks like.

use std::fmt::Write as _;
use std::io;

use unspool_model::entry::MessageKind;
use unspool_model::record::MediaKind;

use super::{ClockStyle, Detail, Painter, Tools, clock, rule};
use crate::ops::message::{BlockText, MediaText, MessageText};
use crate::render::markdown::{Breaks, markdown_with};
use crate::render::style::{Line, Marks, Role, Style};
use crate::render::{fold, human, sanitize, wrap};

/// How many lines of a command's output or a summary are shown when folded.
const FOLDED: (usize, usize) = (6, 2);

impl Painter<'_, '_> {
    /// Shows one message.
    pub(super) fn message(
        &mut self,
        prefix: &Line,
        message: &MessageText,
        tools: Tools,
        depth: usize,
    ) -> io::Result<()> {
        match message.kind {
            MessageKind::Prompt | MessageKind::Queued => self.prompt(prefix, message),
            MessageKind::Answer => self.answer(prefix, message, tools, depth),
            MessageKind::Boundary => self.boundary(prefix, message),
            MessageKind::Summary => self.aside(prefix, message, "summary"),
            MessageKind::Meta => self.aside(prefix, message, "injected"),
            MessageKind::AgentReport => self.report(prefix, message),
            MessageKind::Command => self.command(prefix, message),
            MessageKind::Interruption => self.mark(prefix, &message.said(), Role::Warning),
            MessageKind::Error => self.mark(prefix, &message.said(), Role::Failure),
            MessageKind::Notice => self.notice(prefix, message),
        }
    }

    fn room(&self, prefix: &Line) -> usize {
        self.options.width.saturating_sub(prefix.width()).max(20)
    }

    fn prompt(&mut self, prefix: &Line, message: &MessageText) -> io::Result<()> {
        self.blank(prefix)?;
        let strong = Style::from(Role::User).with(Marks::STRONG);
        let mut head = Line::of("❯ ", strong);
        if let Some(time) = message.time {
            head.add(
                clock(time, &self.options.zone, ClockStyle::Time),
                Role::Time,
            );
        }
        if message.kind == MessageKind::Queued {
            head.add(" queued", Role::Muted);
        }
        self.emit(prefix, head)?;
        let inner = prefix.clone().append_text("  ");
        for block in &message.blocks {
            match block {
                BlockText::Text(text) => {
                    for line in sanitize::clean(text).lines() {
                        let line = Line::of(line.to_owned(), Role::User);
                        self.emit_all(&inner, wrap(&line, self.room(&inner)))?;
                    }
                }
                BlockText::Media(media) => self.emit(&inner, media_line(media))?,
                BlockText::Other { name } => self.emit(&inner, other_line(name))?,
                BlockText::Thinking(_) | BlockText::Call(_) => {}
            }
        }
        self.blank(prefix)
    }

    fn answer(
        &mut self,
        prefix: &Line,
        message: &MessageText,
        tools: Tools,
        depth: usize,
    ) -> io::Result<()> {
        let inner = prefix.clone().append_text("  ");
        for block in &message.blocks {
            match block {
                BlockText::Text(text) => {
                    let lines = markdown_with(text, self.room(&inner), Breaks::Keep);
                    let mut lines = lines.into_iter();
                    if let Some(first) = lines.next() {
                        let bullet = prefix.clone().append_styled("● ", Role::Assistant);
                        self.emit(&bullet, first)?;
                    }
                    self.emit_all(&inner, lines.collect())?;
                    self.blank(prefix)?;
                }
                BlockText::Thinking(text) => self.thinking(prefix, text)?,
                BlockText::Call(call) => self.call(prefix, call, tools, depth)?,
                BlockText::Media(media) => self.emit(&inner, media_line(media))?,
                BlockText::Other { name } => self.emit(&inner, other_line(name))?,
            }
        }
        Ok(())
    }

    fn thinking(&mut self, prefix: &Line, text: &str) -> io::Result<()> {
        let bullet = prefix.clone().append_styled("✻ ", Role::Thinking);
        let text = text.trim();
        if text.is_empty() {
            return if self.options.thinking == Detail::Full {
                self.emit(&bullet, Line::of("thinking, text withheld", Role::Thinking))
            } else {
                Ok(())
            };
        }
        if self.options.thinking == Detail::Folded {
            let room = self.room(&bullet);
            let line = sanitize::one_line(text, room);
            return self.emit(&bullet, Line::of(line, Role::Thinking));
        }
        let inner = prefix.clone().append_text("  ");
        let mut first = true;
        for line in sanitize::clean(text).lines() {
            for line in wrap(
                &Line::of(line.to_owned(), Role::Thinking),
                self.room(&inner),
            ) {
                let lead = if std::mem::take(&mut first) {
                    &bullet
                } else {
                    &inner
                };
                let lead = lead.clone();
                self.emit(&lead, line)?;
            }
        }
        self.blank(prefix)
    }

    fn boundary(&mut self, prefix: &Line, message: &MessageText) -> io::Result<()> {
        let mut words = "context compacted".to_owned();
        if let Some(uuid) = message.entries.first() {
            words = self.compaction(uuid.as_str()).unwrap_or(words);
        }
        let line = rule(self.room(prefix), Some(&words));
        self.emit(prefix, line)?;
        self.blank(prefix)
    }

    /// Says who compacted and how much it saved.
    fn compaction(&self, uuid: &str) -> Option<String> {
        let log = self.shown.conversation.log;
        let entry = log.find(uuid)?;
        let compaction = log.compactions.iter().find(|c| c.entry as usize == entry)?;
        let mut words = "context compacted".to_owned();
        if let Some(trigger) = compaction.trigger {
            let _ = write!(words, " ({})", log.text(trigger));
        }
        if let Some(before) = compaction.tokens_before {
            let _ = write!(words, ", {} tokens before", human::count(before));
        }
        if let Some(after) = compaction.tokens_after {
            let _ = write!(words, ", {} after", human::count(after));
        }
        if !compaction.preserved.is_empty() {
            let kept = human::plural(compaction.preserved.len(), "entry");
            let _ = write!(words, ", {kept} kept");
        }
        Some(words)
    }

    /// Shows what a task or an agent reported: its summary, without the tags.
    fn report(&mut self, prefix: &Line, message: &MessageText) -> io::Result<()> {
        let text = message.said();
        let summary = tagged(&text, "summary").unwrap_or_else(|| text.clone());
        self.aside_text(prefix, &summary, "agent report")
    }

    /// Shows text that the client put in: one line, or all of it.
    fn aside(&mut self, prefix: &Line, message: &MessageText, label: &str) -> io::Result<()> {
        self.aside_text(prefix, &message.said(), label)
    }

    fn aside_text(&mut self, prefix: &Line, text: &str, label: &str) -> io::Result<()> {
        let lead = prefix
            .clone()
            .append_styled(&format!("○ {label}: "), Role::Muted);
        if self.options.tools != Tools::Full {
            let room = self.room(&lead);
            let line = sanitize::one_line(text, room);
            return self.emit(&lead, Line::of(line, Role::Muted));
        }
        self.emit(prefix, Line::of(format!("○ {label}:"), Role::Muted))?;
        let inner = prefix.clone().append_text("  ");
        for line in sanitize::clean(text).lines() {
            self.emit_all(
                &inner,
                wrap(&Line::of(line.to_owned(), Role::Muted), self.room(&inner)),
            )?;
        }
        self.blank(prefix)
    }

    /// Shows a slash or `!` command, or its output, without the tags around it.
    fn command(&mut self, prefix: &Line, message: &MessageText) -> io::Result<()> {
        let text = message.said();
        let command = Command::of(&text);
        if let Some(line) = &command.line {
            let lead = prefix.clone().append_styled("❯ ", Role::User);
            self.emit(&lead, Line::of(line.clone(), Role::User))?;
        }
        let inner = prefix.clone().append_text("  ");
        let output = command.output.trim_end();
        if output.trim().is_empty() {
            return Ok(());
        }
        let full = self.options.tools == Tools::Full;
        let (head, tail) = if full { (usize::MAX, 0) } else { FOLDED };
        let output = sanitize::output(output).into_owned();
        self.folded(&inner, &output, head, tail, Role::Muted)
    }

    /// Shows the beginning and the end of a text, and says how much is left out.
    pub(super) fn folded(
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
        let lead = prefix.clone().append_styled("■ ", role);
        let room = self.room(&lead);
        self.emit(&lead, Line::of(sanitize::one_line(text, room), role))?;
        self.blank(prefix)
    }

    fn notice(&mut self, prefix: &Line, message: &MessageText) -> io::Result<()> {
        let name = message.name.as_deref().unwrap_or("notice");
        if name == "turn_duration" && self.options.tools != Tools::Full {
            return Ok(());
        }
        let lead = prefix
            .clone()
            .append_styled(&format!("○ {name} "), Role::Muted);
        let room = self.room(&lead);
        self.emit(
            &lead,
            Line::of(sanitize::one_line(&message.said(), room), Role::Muted),
        )
    }
}

/// A command of the user's, taken out of its tags.
struct Command {
    line: Option<String>,
    output: String,
}

impl Command {
    fn of(text: &str) -> Self {
        let tag = |name: &str| tagged(text, name);
        let line = tag("command-name")
            .map(|name| format!("{name} {}", tag("command-args").unwrap_or_default()))
            .or_else(|| tag("bash-input").map(|command| format!("! {command}")))
            .map(|line| line.trim().to_owned());
        let outputs = [
            "local-command-stdout",
            "local-command-stderr",
            "bash-stdout",
            "bash-stderr",
        ];
        let tagged: Vec<String> = outputs.into_iter().filter_map(tag).collect();
        let output = match (&line, tagged.is_empty()) {
            (None, true) => text.to_owned(),
            _ => tagged.join("\n"),
        };
        Self { line, output }
    }
}

/// Returns what stands between a tag and its end.
fn tagged(text: &str, name: &str) -> Option<String> {
    let start = text.find(&format!("<{name}>"))? + name.len() + 2;
    let length = text[start..].find(&format!("</{name}>"))?;
    Some(text[start..start + length].trim().to_owned())
}

pub(super) fn media_line(media: &MediaText) -> Line {
    let what = match media.kind {
        MediaKind::Image => "image",
        MediaKind::Document => "document",
    };
    let mut words = vec![what.to_owned()];
    words.extend(Some(media.media_type.clone()).filter(|text| !text.is_empty()));
    words.push(
        media
            .bytes
            .map_or_else(|| "elsewhere".to_owned(), human::bytes),
    );
    Line::of(format!("[{}]", words.join(", ")), Role::Muted)
}

fn other_line(name: &str) -> Line {
    Line::of(format!("[block of type {name}]"), Role::Muted)
}

/// Adds to a line and gives it back, for prefixes.
trait Append {
    fn append_text(self, text: &str) -> Self;
    fn append_styled(self, text: &str, role: Role) -> Self;
}

impl Append for Line {
    fn append_text(mut self, text: &str) -> Self {
        self.add(text, Role::Plain);
        self
    }

    fn append_styled(mut self, text: &str, role: Role) -> Self {
        self.add(text, role);
        self
    }
}
