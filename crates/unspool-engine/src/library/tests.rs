//! Tests of the library as a whole.

use super::{CollectedNotes, ExportSources, Library, LibrarySession, LibrarySettings};

fn shared<T: Send + Sync>() {}

#[test]
fn a_library_and_what_it_gives_are_shared_between_threads() {
    shared::<Library>();
    shared::<LibrarySettings>();
    shared::<LibrarySession>();
    shared::<ExportSources>();
    shared::<CollectedNotes>();
}
