//! A transcript as Markdown that reads well on a code host.
//!
//! Prompts are headings with anchors, answers keep their own Markdown, calls and thinking fold in
//! `<details>`. All text of a log goes through `escape` or `prose`, so the only HTML in the file is
//! our own. Times are in UTC, so the same log gives the same bytes.

mod call;
mod escape;
mod prose;
mod recap;

use std::io;

use unspool_model::entry::MessageKind;
use unspool_text::{human, sanitize};

use self::escape::{html, inline};
pub use self::recap::recap;
use crate::document::{
    AgentHead, AgentLocation, ClientNote, DisplayWeight, DocumentSurface, MessagePlace, OtherPaths,
    Paper, Passage, PassagePart, ShownCall, Surface, TranscriptHead, pasted_length, utc,
};
use unspool_engine::ops::message::MediaText;

/// The most other paths that are named where they leave the path.
const BRANCHES: usize = 24;

/// The surface that writes Markdown.
pub struct MarkdownSurface<'p> {
    paper: &'p mut dyn Paper,
    /// The model that was named last.
    speaker: Option<String>,
    /// The models that were named last outside of each open agent.
    outer: Vec<Option<String>>,
    /// The number of images so far.
    images: usize,
}

impl<'p> MarkdownSurface<'p> {
    /// Creates a surface that writes to `paper`.
    pub fn new(paper: &'p mut dyn Paper) -> Self {
        Self { paper, speaker: None, outer: Vec::new(), images: 0 }
    }

    /// Names the model that answers, unless it is the one that was named last.
    fn name_speaker(&mut self, passage: &Passage) -> io::Result<()> {
        let model = passage.model.as_deref().unwrap_or_default();
        if self.speaker.as_deref() == Some(model) {
            return Ok(());
        }
        self.speaker = Some(model.to_owned());
        let mut words = vec!["**Assistant**".to_owned()];
        words.extend(Some(inline(model)).filter(|model| !model.is_empty()));
        words.extend(passage.time.map(utc));
        write!(self.paper, "{}\n\n", words.join(" · "))
    }

    /// Embeds a picture; links any other media to its file.
    fn media(&mut self, media: &MediaText) -> io::Result<()> {
        let words = inline(&media.words());
        let stem = if media.is_picture() { "image" } else { "document" };
        let file = match media.content() {
            Some(bytes) => self.paper.side_file(stem, media.extension(), &bytes)?,
            None => None,
        };
        match file {
            Some(file) if media.is_picture() => {
                self.images += 1;
                write!(self.paper, "![image {}]({file})\n\n", self.images)
            }
            Some(file) => write!(self.paper, "[{words}]({file})\n\n"),
            None => write!(self.paper, "*{words}*\n\n"),
        }
    }
}

impl Surface for MarkdownSurface<'_> {
    fn open_message(&mut self, passage: &Passage, place: &MessagePlace) -> io::Result<()> {
        if let Some(interlude) = place.interlude {
            write!(self.paper, "---\n\n*{}*\n\n", interlude.words())?;
        }
        if let Some(seam) = place.seam {
            write!(self.paper, "---\n\n*┊ {}*\n\n", seam.words())?;
        }
        if let Some(turn) = place.turn.filter(|_| place.begins_turn) {
            self.speaker = None;
            write!(self.paper, "<a id=\"turn-{turn}\"></a>\n\n## Turn {turn}\n\n")?;
        }
        if passage.deleted {
            self.paper.write_all(b"*(deleted)*\n\n")?;
        }
        match passage.kind {
            MessageKind::Prompt | MessageKind::Queued | MessageKind::Reply => {
                let who = match (passage.kind, place.depth) {
                    (MessageKind::Queued, _) => "**User, queued**",
                    (MessageKind::Reply, _) => "**User, reply**",
                    (_, 0) => "**User**",
                    _ => "**Task**",
                };
                let mut words = vec![who.to_owned()];
                words.extend(passage.time.map(utc));
                write!(self.paper, "{}\n\n", words.join(" · "))
            }
            MessageKind::Answer => self.name_speaker(passage),
            MessageKind::Boundary => {
                let words = inline(passage.label.as_deref().unwrap_or_default());
                write!(self.paper, "---\n\n*{words}*\n\n---\n\n")
            }
            _ => match &passage.label {
                Some(label) if folds(passage) => {
                    write!(self.paper, "<details>\n<summary>{}</summary>\n\n", html(&titled(label)))
                }
                Some(label) if passage.weight != DisplayWeight::Hidden => {
                    write!(self.paper, "*{}*\n\n", inline(&titled(label)))
                }
                _ => Ok(()),
            },
        }
    }

    fn part(&mut self, part: &PassagePart, passage: &Passage) -> io::Result<()> {
        match part {
            PassagePart::Prose(text) => writeln!(self.paper, "{}", prose::prose(text)),
            PassagePart::Typed(text) => match passage.kind {
                MessageKind::Prompt | MessageKind::Queued | MessageKind::Reply => {
                    quote(text, self.paper)
                }
                MessageKind::Interruption => write!(self.paper, "**■ {}**\n\n", inline(text)),
                MessageKind::Error => write!(self.paper, "**✘ {}**\n\n", inline(text)),
                _ if text.trim().is_empty() => Ok(()),
                _ => writeln!(self.paper, "{}", prose::typed(text)),
            },
            PassagePart::Pasted(text) => {
                let length = pasted_length(text);
                write!(self.paper, "<details>\n<summary>{length}</summary>\n\n")?;
                quote(text, self.paper)?;
                self.paper.write_all(b"</details>\n\n")
            }
            PassagePart::Note(note) => remark(note, self.paper),
            PassagePart::Thinking(text) if text.trim().is_empty() => {
                self.paper.write_all(b"*thinking, text withheld*\n\n")
            }
            PassagePart::Thinking(text) => write!(
                self.paper,
                "<details>\n<summary>Thinking</summary>\n\n{}\n</details>\n\n",
                prose::prose(text)
            ),
            PassagePart::Command { line, output } => command(line.as_deref(), output, self.paper),
            PassagePart::Media(media) => self.media(media),
            PassagePart::Unknown { name } => {
                let words = inline(&format!("[block of type {name}]"));
                write!(self.paper, "*{words}*\n\n")
            }
            // The player passes calls to `open_call`.
            PassagePart::Call(_) => Ok(()),
        }
    }

    fn open_call(&mut self, call: &ShownCall, agent: Option<&AgentHead>) -> io::Result<()> {
        self.begin_call(call, agent)
    }

    fn close_call(&mut self, _: &ShownCall) -> io::Result<()> {
        self.paper.write_all(b"</details>\n\n")
    }

    fn close_message(&mut self, passage: &Passage) -> io::Result<()> {
        if folds(passage) {
            self.paper.write_all(b"</details>\n\n")?;
        }
        Ok(())
    }

    fn open_agent(&mut self, agent: &AgentHead) -> io::Result<()> {
        self.outer.push(self.speaker.take());
        if agent.location != AgentLocation::Nested {
            return write!(self.paper, "{}\n\n", call::agent_line(agent));
        }
        write!(self.paper, "<details>\n<summary>{}</summary>\n\n", call::agent_summary(agent))
    }

    fn close_agent(&mut self, agent: &AgentHead) -> io::Result<()> {
        self.speaker = self.outer.pop().flatten();
        if agent.location == AgentLocation::Nested {
            self.paper.write_all(b"</details>\n\n")?;
        }
        Ok(())
    }

    fn branches(&mut self, others: &OtherPaths) -> io::Result<()> {
        let count = human::plural(others.count(), "other branch");
        write!(self.paper, "*{count} from here:* {}\n\n", listed(others))
    }
}

impl DocumentSurface for MarkdownSurface<'_> {
    fn begin(&mut self, head: &TranscriptHead) -> io::Result<()> {
        self.paper.write_all(b"# CLAUDE CODE SESSION TRANSCRIPT\n\n")?;
        // A list, because consecutive lines would become one paragraph.
        for line in head.opening(inline, |words| format!("**{words}**")) {
            writeln!(self.paper, "- {line}")?;
        }
        for (name, value) in head.facts() {
            writeln!(self.paper, "- **{name}:** {}", inline(&value))?;
        }
        if head.others.count() > 0 {
            writeln!(self.paper, "- **Other paths:** {}", listed(&head.others))?;
        }
        for held in &head.held_paths {
            let session = inline(held.session.as_str());
            writeln!(self.paper, "- **Contains all of:** session {session}, path {}", held.number)?;
        }
        self.paper.write_all(b"\n")
    }

    fn unlinked(&mut self, count: usize) -> io::Result<()> {
        let agents = human::plural(count, "agent");
        write!(self.paper, "## {agents} that no call is known for\n\n")
    }

    fn end(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns whether a message folds: it is an aside and has content.
fn folds(passage: &Passage) -> bool {
    let is_aside = passage.label.is_some() && passage.weight != DisplayWeight::Open;
    is_aside && passage.says_something()
}

/// Capitalizes a label.
fn titled(label: &str) -> String {
    let mut chars = label.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// Lists other paths, with links to their files.
fn listed(others: &OtherPaths) -> String {
    let written = |words: String, file: Option<&str>| match file {
        Some(file) => format!("[{words}]({file})"),
        None => words,
    };
    others.listed(BRANCHES, written).join(" · ")
}

/// Writes a remark of the client, which unfolds if it has a text.
fn remark(note: &ClientNote, paper: &mut dyn Paper) -> io::Result<()> {
    let words = titled(&note.words);
    if note.text.trim().is_empty() {
        return write!(paper, "*{}*\n\n", inline(&words));
    }
    let text = prose::code("text", &sanitize::clean(&note.text));
    let words = html(&words);
    write!(paper, "<details>\n<summary>{words}</summary>\n\n{text}\n</details>\n\n")
}

/// Quotes a text that a person typed.
fn quote(text: &str, paper: &mut dyn Paper) -> io::Result<()> {
    for line in prose::typed(text).lines() {
        let line = if line.is_empty() { ">" } else { &format!("> {line}") };
        writeln!(paper, "{line}")?;
    }
    paper.write_all(b"\n")
}

/// Writes a command of the user and its output.
fn command(line: Option<&str>, output: &str, paper: &mut dyn Paper) -> io::Result<()> {
    if let Some(line) = line {
        let line = sanitize::clean(line);
        writeln!(paper, "{}", prose::code("console", &format!("❯ {line}")))?;
    }
    let output = sanitize::output(output);
    if output.trim().is_empty() {
        return Ok(());
    }
    writeln!(paper, "{}", prose::code("text", output.trim_end()))
}
