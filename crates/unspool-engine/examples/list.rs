//! Lists the newest sessions of a home: `cargo run --example list -- ~/.claude`
use std::{error::Error, io::Write, path::Path, time::SystemTime};
use unspool_engine::library::{Library, LibraryClock, LibrarySettings, RowsRequest};
use unspool_store::progress::Unwatched;

pub(crate) fn list(home: &Path, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let clock = LibraryClock::new(SystemTime::now);
    let library = Library::open(LibrarySettings::of_home(home, clock))?;
    for row in library.rows(&RowsRequest::newest(20), &Unwatched)?.rows {
        writeln!(out, "{}  {}", row.id, row.title.unwrap_or_default())?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let home = std::env::args().nth(1).expect("HOME");
    list(home.as_ref(), &mut std::io::stdout())
}
