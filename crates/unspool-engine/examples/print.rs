//! Prints a conversation of a home: `cargo run --example print -- ~/.claude SESSION`
use std::{error::Error, io::Write, path::Path, time::SystemTime};
use unspool_engine::{library, ops::transcript::TranscriptRequest};
use unspool_store::progress::Unwatched;

pub(crate) fn print(home: &Path, name: &str, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let clock = library::LibraryClock::new(SystemTime::now);
    let sessions = library::Library::open(library::LibrarySettings::of_home(home, clock))?;
    let opened = sessions.session(&library::SessionRequest::named(name), &Unwatched)?;
    for message in opened.transcript(&TranscriptRequest::default())?.messages() {
        let message = message?;
        writeln!(out, "{}: {}", message.speaker.name(), message.said())?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arg = |at| std::env::args().nth(at).expect("HOME SESSION");
    print(arg(1).as_ref(), &arg(2), &mut std::io::stdout())
}
