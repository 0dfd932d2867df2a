//! Paper in memory, and the calls that an export makes to paint on it.

use std::io;

use jiff::tz::TimeZone;
use unspool_render::document::{
    AgentHead, AgentLocation, DayTracker, DocumentSurface, MessagePlace, Paper, Passage,
    PassagePart, Surface, TranscriptHead,
};

/// Pages in memory.
pub(crate) struct Book {
    name: String,
    pub(crate) pages: Vec<Vec<u8>>,
}

impl Book {
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), pages: vec![Vec::new()] }
    }

    /// Returns the pages as text.
    pub(crate) fn texts(&self) -> Vec<&str> {
        let text = |page| std::str::from_utf8(page).expect("pages are UTF-8");
        self.pages.iter().map(|page| text(page)).collect()
    }
}

impl io::Write for Book {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pages.last_mut().expect("a page").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Paper for Book {
    fn side_file(&mut self, _: &str, _: &str, _: &[u8]) -> io::Result<Option<String>> {
        Ok(None)
    }

    fn has_pages(&self) -> bool {
        true
    }

    fn page_name(&self, page: u32) -> String {
        match page {
            1 => format!("{}.html", self.name),
            _ => format!("{}_{page}.html", self.name),
        }
    }

    fn turn_page(&mut self) -> io::Result<()> {
        self.pages.push(Vec::new());
        Ok(())
    }
}

/// A message, with the agents that its calls started.
#[derive(Clone)]
pub(crate) struct Told {
    pub(crate) passage: Passage,
    pub(crate) agents: Vec<(AgentHead, Vec<Told>)>,
}

/// Plays a whole transcript to a surface.
pub(crate) fn tell(
    surface: &mut dyn DocumentSurface,
    head: &TranscriptHead,
    messages: &[Told],
) -> io::Result<()> {
    surface.begin(head)?;
    let mut calendar = DayTracker::new(TimeZone::UTC, head.started);
    for (index, told) in messages.iter().enumerate() {
        let index = index as u32;
        let turn = head.turns.iter().find(|turn| turn.messages.contains(&index));
        let place = MessagePlace {
            message: index,
            turn: turn.map(|turn| turn.number),
            begins_turn: turn.is_some_and(|turn| turn.messages.start == index),
            depth: 0,
            interlude: calendar.turn_to(told.passage.time),
            seam: None,
        };
        tell_message(surface, told, place)?;
    }
    surface.end()
}

fn tell_message(surface: &mut dyn Surface, told: &Told, place: MessagePlace) -> io::Result<()> {
    let passage = &told.passage;
    surface.open_message(passage, &place)?;
    let mut agents = told.agents.iter();
    for part in &passage.parts {
        let PassagePart::Call(call) = part else {
            surface.part(part, passage)?;
            continue;
        };
        let agent = call.agent.as_ref().and_then(|_| agents.next());
        surface.open_call(call, agent.map(|(head, _)| head))?;
        if let Some((head, messages)) = agent
            && head.location == AgentLocation::Nested
        {
            surface.open_agent(head)?;
            for (index, message) in messages.iter().enumerate() {
                let place = MessagePlace {
                    message: index as u32,
                    turn: None,
                    begins_turn: false,
                    depth: place.depth + 1,
                    interlude: None,
                    seam: None,
                };
                tell_message(surface, message, place)?;
            }
            surface.close_agent(head)?;
        }
        surface.close_call(call)?;
    }
    surface.close_message(passage)
}
