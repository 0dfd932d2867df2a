//! Encodes the other tables of a log.
//!
//! Rows are in the order of their entries, so an entry is written as the distance from that of
//! the row before.

use super::codec::{SnapshotReader, SnapshotWriter};
use super::{Result, SnapshotError};
use crate::diagnostic::{Diagnostic, DiagnosticKind};
use crate::entry::Entry;
use crate::line::Span;
use crate::log::{AgentLink, Compaction, UsageRow};
use crate::positions::EntryIndex;
use crate::symbols::Symbol;
use crate::usage::Tokens;

/// Oddities, by the number that is written.
const ODDITIES: [DiagnosticKind; 6] = [
    DiagnosticKind::Damaged,
    DiagnosticKind::Unfinished,
    DiagnosticKind::Glued,
    DiagnosticKind::NotAnObject,
    DiagnosticKind::TooLong,
    DiagnosticKind::BadUtf8,
];

/// Writes rows, each with its entry first.
pub(super) fn write_rows<T>(
    writer: &mut SnapshotWriter,
    rows: impl ExactSizeIterator<Item = (EntryIndex, T)>,
    write: impl Fn(&mut SnapshotWriter, T),
) {
    let mut before = 0;
    writer.count(rows.len());
    for (entry, row) in rows {
        writer.count(entry.index() - before);
        before = entry.index();
        write(writer, row);
    }
}

/// Reads rows whose entries are below `entries`.
pub(super) fn read_rows<T>(
    reader: &mut SnapshotReader<'_>,
    entries: usize,
    read: impl Fn(&mut SnapshotReader<'_>, EntryIndex) -> Result<T>,
) -> Result<Vec<T>> {
    let mut before = 0;
    reader.list(|reader| {
        let entry = read_entry(reader, before, entries)?;
        before = entry.index();
        read(reader, entry)
    })
}

/// Reads an entry below `entries` that was written as its distance from another one.
pub(super) fn read_entry(
    reader: &mut SnapshotReader<'_>,
    from: usize,
    entries: usize,
) -> Result<EntryIndex> {
    let entry = from + reader.small()? as usize;
    (entry < entries).then(|| EntryIndex::at(entry)).ok_or(SnapshotError::Damaged)
}

pub(super) fn write_blank(writer: &mut SnapshotWriter, blank: &[Span]) {
    let mut end = 0;
    writer.count(blank.len());
    for span in blank {
        writer.number(span.start - end);
        writer.number(span.len);
        end = span.end();
    }
}

pub(super) fn read_blank(reader: &mut SnapshotReader<'_>) -> Result<Vec<Span>> {
    let mut end = 0u64;
    reader.list(|reader| {
        let (gap, len) = (reader.number()?, reader.number()?);
        let start = end.checked_add(gap).ok_or(SnapshotError::Damaged)?;
        end = start.checked_add(len).ok_or(SnapshotError::Damaged)?;
        Ok(Span { start, len })
    })
}

pub(super) fn write_diagnostics(writer: &mut SnapshotWriter, diagnostics: &[Diagnostic]) {
    writer.count(diagnostics.len());
    for diagnostic in diagnostics {
        writer.number(u64::from(diagnostic.line));
        writer.byte(diagnostic.oddity as u8);
    }
}

pub(super) fn read_diagnostics(reader: &mut SnapshotReader<'_>) -> Result<Vec<Diagnostic>> {
    reader.list(|reader| {
        let line = reader.small()?;
        let oddity = ODDITIES.get(usize::from(reader.byte()?)).copied();
        let oddity = oddity.ok_or(SnapshotError::Damaged)?;
        Ok(Diagnostic { line, oddity })
    })
}

/// Returns the most likely symbol of an answer's id: the message id, or else the uuid, of its entry.
fn likely_id(entries: &[Entry], entry: EntryIndex) -> usize {
    let entry = &entries[entry];
    entry.message.or(entry.uuid).map_or(0, Symbol::index)
}

pub(super) fn write_usage(writer: &mut SnapshotWriter, rows: &[UsageRow], entries: &[Entry]) {
    let rows = rows.iter().map(|row| (row.entry, row));
    write_rows(writer, rows, |writer, row| {
        writer.near(likely_id(entries, row.entry), row.message);
        writer.symbol(row.model);
        writer.maybe(row.request, |writer, request| {
            writer.near(row.message.index(), request);
        });
        let Tokens { input, output, cache_write_5m, cache_write_1h, cache_read } = row.tokens;
        for tokens in [input, output, cache_write_5m, cache_write_1h, cache_read] {
            writer.number(tokens);
        }
    });
}

pub(super) fn read_usage(
    reader: &mut SnapshotReader<'_>,
    entries: &[Entry],
) -> Result<Vec<UsageRow>> {
    read_rows(reader, entries.len(), |reader, entry| {
        let message = reader.near(likely_id(entries, entry))?;
        let model = reader.symbol()?;
        let request = reader.maybe(|reader| reader.near(message.index()))?;
        let tokens = Tokens {
            input: reader.number()?,
            output: reader.number()?,
            cache_write_5m: reader.number()?,
            cache_write_1h: reader.number()?,
            cache_read: reader.number()?,
        };
        Ok(UsageRow { entry, message, request, model, tokens })
    })
}

pub(super) fn write_compactions(writer: &mut SnapshotWriter, compactions: &[Compaction]) {
    let rows = compactions.iter().map(|found| (found.entry, found));
    write_rows(writer, rows, |writer, found| {
        writer.byte(u8::from(found.names_kept));
        writer.byte(u8::from(found.names_messages));
        write_symbols(writer, &found.preserved);
        writer.maybe(found.segment, |writer, (head, tail)| {
            writer.symbol(head);
            writer.symbol(tail);
        });
        writer.maybe(found.anchor, SnapshotWriter::symbol);
        writer.maybe(found.trigger, SnapshotWriter::symbol);
        writer.maybe(found.tokens_before, SnapshotWriter::number);
        writer.maybe(found.tokens_after, SnapshotWriter::number);
    });
}

pub(super) fn read_compactions(
    reader: &mut SnapshotReader<'_>,
    entries: usize,
) -> Result<Vec<Compaction>> {
    read_rows(reader, entries, |reader, entry| {
        Ok(Compaction {
            entry,
            names_kept: reader.flag()?,
            names_messages: reader.flag()?,
            preserved: reader.list(SnapshotReader::symbol)?,
            segment: reader.maybe(|reader| Ok((reader.symbol()?, reader.symbol()?)))?,
            anchor: reader.maybe(SnapshotReader::symbol)?,
            trigger: reader.maybe(SnapshotReader::symbol)?,
            tokens_before: reader.maybe(SnapshotReader::number)?,
            tokens_after: reader.maybe(SnapshotReader::number)?,
        })
    })
}

pub(super) fn write_symbols(writer: &mut SnapshotWriter, symbols: &[Symbol]) {
    writer.count(symbols.len());
    for &symbol in symbols {
        writer.symbol(symbol);
    }
}

pub(super) fn write_links(writer: &mut SnapshotWriter, links: &[AgentLink]) {
    let pair = |writer: &mut SnapshotWriter, number, one, other| {
        writer.byte(number);
        writer.symbol(one);
        writer.symbol(other);
    };
    writer.count(links.len());
    for link in links {
        match *link {
            AgentLink::Launch { call, prompt } => {
                writer.byte(0);
                writer.symbol(call);
                writer.bytes(&prompt.to_le_bytes());
            }
            AgentLink::FirstTexts { entry, prompt } => {
                writer.byte(1);
                writer.count(entry.index());
                writer.bytes(&prompt.to_le_bytes());
            }
            AgentLink::Result { call, agent } => pair(writer, 2, call, agent),
            AgentLink::Run { call, run } => pair(writer, 3, call, run),
            AgentLink::Progress { call, agent } => pair(writer, 4, call, agent),
            AgentLink::Text { call, agent } => pair(writer, 5, call, agent),
        }
    }
}

pub(super) fn read_links(
    reader: &mut SnapshotReader<'_>,
    entries: usize,
) -> Result<Vec<AgentLink>> {
    reader.list(|reader| {
        let number = reader.byte()?;
        if number == 1 {
            let entry = read_entry(reader, 0, entries)?;
            let prompt = u64::from_le_bytes(*reader.chunk()?);
            return Ok(AgentLink::FirstTexts { entry, prompt });
        }
        let call = reader.symbol()?;
        if number == 0 {
            let prompt = u64::from_le_bytes(*reader.chunk()?);
            return Ok(AgentLink::Launch { call, prompt });
        }
        let other = reader.symbol()?;
        Ok(match number {
            2 => AgentLink::Result { call, agent: other },
            3 => AgentLink::Run { call, run: other },
            4 => AgentLink::Progress { call, agent: other },
            5 => AgentLink::Text { call, agent: other },
            _ => return Err(SnapshotError::Damaged),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oddities_are_found_under_their_numbers() {
        assert!((0u8..).zip(ODDITIES).all(|(number, oddity)| oddity as u8 == number));
    }
}
