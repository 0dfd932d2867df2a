//! Searches the sessions of a home: `cargo run --example search -- ~/.claude WORDS`
use std::{error::Error, io::Write, path::Path, time::SystemTime};
use unspool_engine::library::{Library, LibraryClock, LibrarySettings, SearchRequest};
use unspool_store::progress::Unwatched;

pub(crate) fn search(home: &Path, words: &str, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let clock = LibraryClock::new(SystemTime::now);
    let library = Library::open(LibrarySettings::of_home(home, clock))?;
    let answer = library.search(&SearchRequest::ranked(words), &Unwatched)?;
    for hit in answer.hits {
        writeln!(out, "{}  {}", hit.session, hit.snippet.text)?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arg = |at| std::env::args().nth(at).expect("HOME WORDS");
    search(arg(1).as_ref(), &arg(2), &mut std::io::stdout())
}
