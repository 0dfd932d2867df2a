//! A transcript as plain text, without markup.
//!
//! Lines are not wrapped; parts of calls are indented, and lines of agents begin with a bar. Control
//! characters and escape sequences are removed ([`sanitize`]), so the file can be printed on any terminal.

mod call;

use std::fmt::Write as _;
use std::io;

use unspool_model::entry::MessageKind;
use unspool_text::{human, sanitize};

use crate::document::{
    AgentHead, AgentLocation, DisplayWeight, DocumentSurface, MessagePlace, OtherPaths, Paper,
    Passage, PassagePart, ShownCall, Surface, TranscriptHead, utc,
};

/// The most other paths that are named where they leave the path.
const BRANCHES: usize = 24;

/// The length of rules across the page.
const RULE: usize = 80;

/// The prefix of every line of an agent's conversation, once for each level.
const BAR: &str = "| ";

/// The surface that writes plain text.
pub struct PlainSurface<'p> {
    paper: &'p mut dyn Paper,
    /// The prefix of every line.
    prefix: String,
    /// The model that was named last, for the session and for each open agent.
    speakers: Vec<Option<String>>,
}

impl<'p> PlainSurface<'p> {
    /// Creates a surface that writes to `paper`.
    pub fn new(paper: &'p mut dyn Paper) -> Self {
        Self { paper, prefix: String::new(), speakers: vec![None] }
    }

    /// Writes the lines of a text, each after `indent`.
    fn lines(&mut self, indent: &str, text: &str) -> io::Result<()> {
        for line in text.lines() {
            let line = format!("{}{indent}{line}", self.prefix);
            writeln!(self.paper, "{}", line.trim_end())?;
        }
        Ok(())
    }

    fn blank(&mut self) -> io::Result<()> {
        writeln!(self.paper, "{}", self.prefix.trim_end())
    }

    /// Writes a text and a blank line after it, unless the text is blank.
    fn block(&mut self, indent: &str, text: &str) -> io::Result<()> {
        let text = text.trim_matches('\n').trim_end();
        if text.is_empty() {
            return Ok(());
        }
        self.lines(indent, text)?;
        self.blank()
    }

    /// Writes a line with the speaker and the time.
    fn speaker(&mut self, words: &[String]) -> io::Result<()> {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let line = words.join(", ");
        self.lines("", &format!("[{}]", one_line(&line)))
    }

    /// Names the model that answers, unless it is the one that was named last.
    fn name_model(&mut self, passage: &Passage) -> io::Result<()> {
        let model = passage.model.clone().unwrap_or_default();
        let last = self.speakers.last_mut();
        if let Some(last) = last.filter(|last| last.as_ref() != Some(&model)) {
            *last = Some(model.clone());
            let mut words = vec!["assistant".to_owned()];
            words.extend(Some(model).filter(|model| !model.is_empty()));
            words.extend(passage.time.map(utc));
            self.speaker(&words)?;
        }
        Ok(())
    }
}

impl Surface for PlainSurface<'_> {
    fn open_message(&mut self, passage: &Passage, place: &MessagePlace) -> io::Result<()> {
        if let Some(interlude) = place.interlude {
            self.block("", &format!("-- {} --", interlude.words()))?;
        }
        if let Some(seam) = place.seam {
            self.block("", &format!("-- {} --", seam.words()))?;
        }
        if let Some(turn) = place.turn.filter(|_| place.begins_turn) {
            if let Some(last) = self.speakers.last_mut() {
                *last = None;
            }
            let title = format!("== Turn {turn} ");
            writeln!(self.paper, "{title}{}\n", "=".repeat(RULE - title.len().min(RULE)))?;
        }
        if passage.deleted {
            self.lines("", "(deleted)")?;
        }
        match passage.kind {
            MessageKind::Prompt | MessageKind::Queued | MessageKind::Reply => {
                let who = match (passage.kind, place.depth) {
                    (MessageKind::Queued, _) => "user, queued",
                    (MessageKind::Reply, _) => "user, reply",
                    (_, 0) => "user",
                    _ => "task",
                };
                let mut words = vec![who.to_owned()];
                words.extend(passage.time.map(utc));
                self.speaker(&words)
            }
            MessageKind::Answer => self.name_model(passage),
            MessageKind::Boundary => {
                let words = one_line(passage.label.as_deref().unwrap_or_default());
                self.block("", &format!("---- {words} ----"))
            }
            _ => match &passage.label {
                Some(label) if passage.says_something() => {
                    self.lines("", &format!("({})", one_line(label)))
                }
                Some(label) if passage.weight != DisplayWeight::Hidden => {
                    self.block("", &format!("({})", one_line(label)))
                }
                _ => Ok(()),
            },
        }
    }

    fn part(&mut self, part: &PassagePart, passage: &Passage) -> io::Result<()> {
        match part {
            PassagePart::Typed(text) if passage.kind == MessageKind::Interruption => {
                self.block("", &format!("■ {}", one_line(text)))
            }
            PassagePart::Typed(text) if passage.kind == MessageKind::Error => {
                self.block("", &format!("✘ {}", sanitize::clean(text)))
            }
            PassagePart::Note(note) => {
                let words = format!("({})", one_line(&note.words));
                if note.text.trim().is_empty() {
                    return self.block("", &words);
                }
                self.lines("", &words)?;
                self.block("    ", &sanitize::clean(&note.text))
            }
            PassagePart::Typed(text) | PassagePart::Pasted(text) if goes_on(part, passage) => {
                self.lines("", &sanitize::clean(text))
            }
            PassagePart::Prose(text) | PassagePart::Typed(text) | PassagePart::Pasted(text) => {
                let indent = if passage.label.is_some() { "    " } else { "" };
                self.block(indent, &sanitize::clean(text))
            }
            PassagePart::Thinking(text) if text.trim().is_empty() => {
                self.block("", "(thinking, text withheld)")
            }
            PassagePart::Thinking(text) => {
                self.lines("", "(thinking)")?;
                self.block("    ", &sanitize::clean(text))
            }
            PassagePart::Command { line, output } => {
                if let Some(line) = line {
                    self.block("", &format!("> {}", sanitize::clean(line)))?;
                }
                self.block("    ", &sanitize::output(output))
            }
            PassagePart::Media(media) => self.block("", &one_line(&media.words())),
            PassagePart::Unknown { name } => {
                self.block("", &one_line(&format!("[block of type {name}]")))
            }
            // The player passes calls to `open_call`.
            PassagePart::Call(_) => Ok(()),
        }
    }

    fn open_call(&mut self, call: &ShownCall, agent: Option<&AgentHead>) -> io::Result<()> {
        self.begin_call(call, agent)
    }

    fn close_call(&mut self, _: &ShownCall) -> io::Result<()> {
        Ok(())
    }

    fn close_message(&mut self, _: &Passage) -> io::Result<()> {
        Ok(())
    }

    fn open_agent(&mut self, agent: &AgentHead) -> io::Result<()> {
        let line = agent_line(agent);
        if agent.location == AgentLocation::Nested {
            self.prefix.push_str(BAR);
        }
        self.speakers.push(None);
        self.block("", &line)
    }

    fn close_agent(&mut self, agent: &AgentHead) -> io::Result<()> {
        self.speakers.pop();
        if agent.location == AgentLocation::Nested {
            self.prefix.truncate(self.prefix.len() - BAR.len());
            self.blank()?;
        }
        Ok(())
    }

    fn branches(&mut self, others: &OtherPaths) -> io::Result<()> {
        let count = human::plural(others.count(), "other branch");
        self.block("", &format!("({count} from here: {})", listed(others)))
    }
}

impl DocumentSurface for PlainSurface<'_> {
    fn begin(&mut self, head: &TranscriptHead) -> io::Result<()> {
        self.paper.write_all(b"CLAUDE CODE SESSION TRANSCRIPT\n\n")?;
        for line in head.opening(one_line, ToOwned::to_owned) {
            writeln!(self.paper, "{line}")?;
        }
        self.paper.write_all(b"\n")?;
        for (name, value) in head.facts() {
            writeln!(self.paper, "{name}: {}", one_line(&value))?;
        }
        if head.others.count() > 0 {
            writeln!(self.paper, "Other paths: {}", listed(&head.others))?;
        }
        for held in &head.held_paths {
            let session = one_line(held.session.as_str());
            let number = held.number;
            writeln!(self.paper, "Contains all of: session {session}, path {number}")?;
        }
        self.paper.write_all(b"\n")
    }

    fn unlinked(&mut self, count: usize) -> io::Result<()> {
        let agents = human::plural(count, "agent");
        self.block("", &format!("== {agents} that no call is known for"))
    }

    fn end(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns whether the next part continues a text. A long text is split into parts so that surfaces
/// can fold it; plain text does not fold.
fn goes_on(part: &PassagePart, passage: &Passage) -> bool {
    let mut rest = passage.parts.iter();
    rest.find(|other| std::ptr::eq(*other, part));
    matches!(
        (part, rest.next()),
        (PassagePart::Typed(_), Some(PassagePart::Pasted(_)))
            | (PassagePart::Pasted(_), Some(PassagePart::Typed(_)))
    )
}

/// Puts all of a text on one line.
fn one_line(text: &str) -> String {
    let cleaned = sanitize::clean(text);
    let words: Vec<&str> = cleaned.split_whitespace().collect();
    words.join(" ")
}

/// Describes an agent and where its conversation is.
fn agent_line(agent: &AgentHead) -> String {
    let mut line = format!("agent {}", agent.id);
    // Writing to a string does not fail.
    for said in [&agent.kind, &agent.description].into_iter().flatten() {
        let _ = write!(line, ", {said}");
    }
    if let Some(uuid) = &agent.forked_at {
        let _ = write!(line, ", goes on from {uuid}");
    }
    match agent.messages {
        Some(count) => {
            let _ = write!(line, ", {}", human::plural(count, "message"));
        }
        None => line.push_str(", not recorded here"),
    }
    if let AgentLocation::Separate(file) = &agent.location {
        let _ = write!(line, ", in {file}");
    }
    one_line(&line)
}

/// Lists other paths and their files.
fn listed(others: &OtherPaths) -> String {
    let written = |words: String, file: Option<&str>| match file {
        Some(file) => format!("{words}, {file}"),
        None => words,
    };
    others.listed(BRANCHES, written).join("; ")
}
