//! Reads the text of a document again, at its place.

use std::io;
use std::path::Path;

use unspool_model::entry::MessageKind;
use unspool_model::ids::EntryId;
use unspool_model::log::Log;
use unspool_model::query::TextRole;

use super::document::{EntryPart, TextDocument, TextPlace};
use super::extract::{self, Extractor, LogOwner};
use super::follow;
use super::source::pasted;
use super::source::{TextSource, read_line};
use unspool_store::home::SideFileKind;
use unspool_store::home::layout::pastes_of;

/// The text at the place of a document.
#[derive(Clone, Default, Debug)]
pub(crate) struct Reread {
    /// The text.
    pub(crate) text: String,
    /// The id of the entry.
    pub(crate) entry: Option<EntryId>,
    /// The kind of the message that contains the text.
    pub(crate) kind: Option<MessageKind>,
}

/// Reads the text of a document again; none if the file has changed there.
pub(crate) fn reread(
    source: TextSource,
    path: &Path,
    place: TextPlace,
    role: TextRole,
) -> io::Result<Option<Reread>> {
    let (mut text, mut others) = (String::new(), String::new());
    let mut take = |document: TextDocument| {
        let TextPlace { part, piece, .. } = document.place;
        // Outside the message, repeats are not indexed, which shifts the numbers of pieces: the
        // whole part is taken.
        let all = matches!(part, EntryPart::Fields | EntryPart::Outcome);
        if part == place.part && (all || piece == place.piece) {
            let out = if document.role == role { &mut text } else { &mut others };
            out.push_str(&document.text);
            out.push('\n');
        }
    };
    let mut reread = Reread::default();
    match source {
        TextSource::Log(_) if place.part == EntryPart::File => extract::sidecar(path, &mut take),
        TextSource::Log(_) | TextSource::Tail(_) => {
            let line = read_line(path, place.offset)?;
            let is_copied = |_: &str, _: &str| false;
            let mut extractor = Extractor::new(LogOwner::Session, &is_copied);
            extractor.first(&line, &mut take);
            let (uuid, says) = entry(&line);
            reread.entry = uuid;
            reread.kind = follow::kind_at(path, place.offset, says);
        }
        TextSource::Side(_) => extract::side(SideFileKind::of_path(path), path, None, &mut take)?,
        TextSource::Past(_) => {
            let line = read_line(path, place.offset)?;
            let folder = pastes_of(path);
            let pasted = |hash: &str| pasted(&folder, hash);
            extract::prompts(&line, 0, &pasted, &mut |prompt| take(prompt.document));
            reread.kind = Some(MessageKind::Prompt);
        }
    }
    // In the flat dialect, the role of a result depends on its call, which is on another line.
    reread.text = if text.is_empty() { others } else { text };
    Ok((!reread.text.is_empty()).then_some(reread))
}

/// Returns the uuid and the kind of the first entry in `line`.
pub(crate) fn entry(line: &[u8]) -> (Option<EntryId>, Option<MessageKind>) {
    let log = Log::read(line);
    let Some(entry) = log.entries.first() else {
        return (None, None);
    };
    let uuid = entry.uuid.map(|uuid| EntryId::new(log.text(uuid)));
    (uuid, entry.says)
}

/// Returns the uuid of the entry at an offset of a log.
pub(crate) fn entry_at(path: &Path, offset: u64) -> Option<EntryId> {
    read_line(path, offset).ok().and_then(|line| entry(&line).0)
}
