//! A log as bytes, to be kept and gone on with.
//!
//! A caller that keeps a snapshot of a file's log need not read the file again when it grows:
//! the restored log takes the new lines and is then the log of the whole file. A snapshot
//! contains what a [`Log`] contains, which is some hundredths of the file's size, and none of the
//! file's texts but titles and first prompts.
//!
//! A snapshot is of whole lines. The bytes after [`Log::resume_offset`], a last line without
//! newline, are not in it; a caller that pushes them again has the log that was written.
//!
//! The codec is one of this crate for the sake of size and reading. On 1 GB of generated logs with
//! 408,033 entries, snapshots take 28 MB; the tables of entries, blocks, symbols and usage alone
//! take 38 MB as `postcard` writes them, which is as fast to write and takes 1.3 times as long to
//! read (129 against 99 ms). On logs of the real client it is 31 against 14 MB, and twice as long.
//!
//! The bytes are a version, a hash of the rest, and the tables one after the other. They are
//! read as if anyone had written them: whatever they are, the answer is a log or an error.
//! An answer that is a log has symbols, entries and blocks wherever it names them. Versions
//! are not converted; a snapshot of another one is worth nothing but the time to read the
//! file again. The hash is that of prompts in [`AgentLink`](super::AgentLink)s too: a program
//! that hashes in another way does not take over hashes that mean nothing to it.

mod codec;
mod entries;
mod facts;
mod names;
mod tables;

use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;

use super::{Detail, Log};
use codec::{SnapshotReader, SnapshotWriter};

/// The version of the bytes. It changes with their layout and with the meaning of anything
/// in a log: a line read by another version may have become another entry.
const VERSION: u8 = 6;

/// More bytes and lines than any file has, and room for what may be pushed after them.
const MOST_BYTES: u64 = u64::MAX >> 1;
const MOST_LINES: u32 = u32::MAX >> 1;

/// The version and the hash.
const HEAD: usize = 9;
/// How many bytes an entry takes, with what it names.
const USUAL: usize = 64;

/// Why bytes are not a snapshot.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SnapshotError {
    /// They were written by another version of this program.
    #[error("a snapshot of version {0}, where {VERSION} is wanted")]
    OtherVersion(u8),
    /// They are not what was written, or no snapshot at all.
    #[error("a damaged snapshot")]
    Damaged,
}

type Result<T> = std::result::Result<T, SnapshotError>;

impl Log {
    /// Returns the log of all whole lines as bytes, see [`Log::from_snapshot`].
    pub fn snapshot(&self) -> Vec<u8> {
        let mut writer = SnapshotWriter::default();
        writer.out.reserve(HEAD + self.entries.len() * USUAL);
        writer.bytes(&[0; HEAD]);
        self.write_body(&mut writer);
        seal(&mut writer.out);
        writer.out
    }

    /// Restores a log from what [`Log::snapshot`] returned.
    ///
    /// The result is the log of the whole lines that had been read, in every respect but the
    /// numbers of symbols that only a last line without newline named. It goes on at its
    /// [`Log::resume_offset`].
    pub fn from_snapshot(bytes: &[u8]) -> std::result::Result<Self, SnapshotError> {
        let mut reader = SnapshotReader::new(open(bytes)?);
        let log = Self::read_body(&mut reader)?;
        if reader.left() == 0 { Ok(log) } else { Err(SnapshotError::Damaged) }
    }

    fn write_body(&self, writer: &mut SnapshotWriter) {
        let whole = self.whole_lines();
        let facts = self.tail.as_ref().map_or(&self.facts, |tail| &tail.facts);
        let entries = &self.entries[..whole.entries];
        writer.number(whole.bytes);
        writer.number(u64::from(whole.lines));
        names::write(writer, &self.symbols, whole.symbols);
        tables::write_blank(writer, &self.blank[..whole.blank]);
        entries::write(writer, entries, &self.blocks);
        tables::write_diagnostics(writer, &self.diagnostics[..whole.diagnostics]);
        tables::write_usage(writer, &self.usage[..whole.usage], entries);
        tables::write_compactions(writer, &self.compactions[..whole.compactions]);
        tables::write_links(writer, &self.links[..whole.links]);
        let sources = self.sources[..whole.sources].iter().copied();
        tables::write_rows(writer, sources, SnapshotWriter::symbol);
        let durations = self.durations[..whole.durations].iter().copied();
        tables::write_rows(writer, durations, SnapshotWriter::number);
        let changes = self.changes[..whole.changes].iter();
        let changes = changes.map(|&(entry, added, removed)| (entry, (added, removed)));
        tables::write_rows(writer, changes, |writer, (added, removed)| {
            writer.number(u64::from(added));
            writer.number(u64::from(removed));
        });
        let branches = self.branches[..whole.branches].iter().copied();
        tables::write_rows(writer, branches, |writer, branch| {
            writer.maybe(branch, SnapshotWriter::symbol);
        });
        let origins = self.origins[..whole.origins].iter().copied();
        tables::write_rows(writer, origins, SnapshotWriter::symbol);
        facts::write(writer, facts);
    }

    fn read_body(reader: &mut SnapshotReader<'_>) -> Result<Self> {
        let (bytes, lines) = (reader.number()?, reader.small()?);
        if bytes > MOST_BYTES || lines > MOST_LINES {
            return Err(SnapshotError::Damaged);
        }
        let symbols = names::read(reader)?;
        let blank = tables::read_blank(reader)?;
        let (entries, blocks) = entries::read(reader, &blank, bytes)?;
        let diagnostics = tables::read_diagnostics(reader)?;
        let usage = tables::read_usage(reader, &entries)?;
        let count = entries.len();
        Ok(Self {
            blocks,
            symbols,
            diagnostics,
            usage,
            compactions: tables::read_compactions(reader, count)?,
            links: tables::read_links(reader, count)?,
            sources: tables::read_rows(reader, count, |r, entry| Ok((entry, r.symbol()?)))?,
            durations: tables::read_rows(reader, count, |r, entry| Ok((entry, r.number()?)))?,
            changes: tables::read_rows(reader, count, |r, entry| {
                Ok((entry, r.small()?, r.small()?))
            })?,
            branches: tables::read_rows(reader, count, |r, entry| {
                Ok((entry, r.maybe(SnapshotReader::symbol)?))
            })?,
            origins: tables::read_rows(reader, count, |r, entry| Ok((entry, r.symbol()?)))?,
            facts: facts::read(reader, count)?,
            entries,
            bytes,
            lines,
            blank,
            tail: None,
            detail: Detail::Full,
        })
    }
}

/// Writes the head into the room that was left for it before the body.
fn seal(snapshot: &mut [u8]) {
    let hash = FixedState::default().hash_one(&snapshot[HEAD..]);
    snapshot[0] = VERSION;
    snapshot[1..HEAD].copy_from_slice(&hash.to_le_bytes());
}

/// Returns the body of a snapshot of this version that is what was written.
fn open(snapshot: &[u8]) -> Result<&[u8]> {
    let (head, body) = snapshot.split_first_chunk::<HEAD>().ok_or(SnapshotError::Damaged)?;
    let [version, hash @ ..] = *head;
    if version != VERSION {
        return Err(SnapshotError::OtherVersion(version));
    }
    if FixedState::default().hash_one(body) == u64::from_le_bytes(hash) {
        Ok(body)
    } else {
        Err(SnapshotError::Damaged)
    }
}
