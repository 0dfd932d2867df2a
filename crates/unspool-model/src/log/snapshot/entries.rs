//! Encodes entries and their blocks.
//!
//! Entries of a file are similar, so the properties that many of them share are an
//! [`EntryForm`], which is written when it first occurs and referred to by its number
//! afterwards. Everything else is written as the difference from a prediction: a uuid is a new
//! symbol, a parent is the entry before, a place is the end of the entry before. Of spans only
//! the lengths are written, since entries and blank spans, concatenated, are the file.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::codec::{SnapshotReader, SnapshotWriter};
use super::{Result, SnapshotError};
use crate::entry::{Block, BlockKind, Entry, EntryKind, Flags, MessageKind, Verdict};
use crate::line::Span;
use crate::symbols::Symbol;
use crate::time::Time;

/// Entry kinds, by the number that is written.
const KINDS: [EntryKind; 7] = [
    EntryKind::User,
    EntryKind::Assistant,
    EntryKind::System,
    EntryKind::Attachment,
    EntryKind::Progress,
    EntryKind::Metadata,
    EntryKind::Fragment,
];

/// Message kinds, by the number that is written.
const MESSAGE_KINDS: [MessageKind; 12] = [
    MessageKind::Prompt,
    MessageKind::Answer,
    MessageKind::Command,
    MessageKind::Queued,
    MessageKind::Reply,
    MessageKind::Meta,
    MessageKind::Summary,
    MessageKind::Boundary,
    MessageKind::Interruption,
    MessageKind::Notice,
    MessageKind::AgentReport,
    MessageKind::Error,
];

/// Block kinds, by the number that is written.
const BLOCKS: [BlockKind; 10] = [
    BlockKind::Text,
    BlockKind::Thinking,
    BlockKind::Call,
    BlockKind::Image,
    BlockKind::Document,
    BlockKind::Other,
    BlockKind::Result(Verdict::Done),
    BlockKind::Result(Verdict::Failed),
    BlockKind::Result(Verdict::Denied),
    BlockKind::Result(Verdict::Interrupted),
];

/// The optional properties of an entry, as bits of [`EntryForm::has`].
mod has {
    pub(super) const UUID: u8 = 1;
    pub(super) const PARENT: u8 = 1 << 1;
    pub(super) const LOGICAL_PARENT: u8 = 1 << 2;
    pub(super) const MESSAGE: u8 = 1 << 3;
    pub(super) const AGENT: u8 = 1 << 4;
    pub(super) const TIME: u8 = 1 << 5;
    pub(super) const BLOCKS: u8 = 1 << 6;
    /// The line is not the one after the line of the entry before.
    pub(super) const OTHER_LINE: u8 = 1 << 7;
}

/// The optional properties of a block, as bits next to its kind.
const CALL: u8 = 1 << 4;
const NAME: u8 = 1 << 5;
const FILE: u8 = 1 << 6;

/// The properties that many entries share.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct EntryForm {
    kind: EntryKind,
    says: Option<MessageKind>,
    flags: Flags,
    name: Option<Symbol>,
    has: u8,
}

/// Predictions from the entries so far, the same for writer and reader.
struct Predictions {
    /// One more than the highest symbol so far.
    fresh: usize,
    uuid: usize,
    message: usize,
    agent: usize,
    time: i64,
    line: u32,
}

impl Predictions {
    fn new() -> Self {
        Self { fresh: 0, uuid: 0, message: 0, agent: 0, time: 0, line: 0 }
    }

    /// Updates the highest symbol; returns the index of this one.
    fn seen(&mut self, symbol: Symbol) -> usize {
        self.fresh = self.fresh.max(symbol.index() + 1);
        symbol.index()
    }
}

pub(super) fn write(writer: &mut SnapshotWriter, entries: &[Entry], blocks: &[Block]) {
    let mut forms: HashMap<EntryForm, u64, FixedState> = HashMap::default();
    let mut likely = Predictions::new();
    writer.count(entries.len());
    for entry in entries {
        let form = form_of(entry, &likely);
        let next = forms.len() as u64;
        let number = *forms.entry(form).or_insert(next);
        writer.number(number);
        if number == next {
            write_form(writer, &form);
        }
        write_entry(writer, entry, form.has, &mut likely);
        write_blocks(writer, &blocks[entry.blocks.indices()], &mut likely);
    }
}

fn form_of(entry: &Entry, likely: &Predictions) -> EntryForm {
    let bits = [
        (has::UUID, entry.uuid.is_some()),
        (has::PARENT, entry.parent.is_some()),
        (has::LOGICAL_PARENT, entry.logical_parent.is_some()),
        (has::MESSAGE, entry.message.is_some()),
        (has::AGENT, entry.agent.is_some()),
        (has::TIME, entry.time.is_some()),
        (has::BLOCKS, !entry.blocks.indices().is_empty()),
        (has::OTHER_LINE, entry.line != likely.line.wrapping_add(1)),
    ];
    EntryForm {
        kind: entry.kind,
        says: entry.says,
        flags: entry.flags,
        name: entry.name,
        has: bits.iter().fold(0, |has, &(bit, on)| if on { has | bit } else { has }),
    }
}

fn write_form(writer: &mut SnapshotWriter, form: &EntryForm) {
    writer.byte(form.kind as u8);
    writer.byte(form.says.map_or(0, |says| says as u8 + 1));
    writer.number(u64::from(form.flags.bits()));
    writer.maybe(form.name, SnapshotWriter::symbol);
    writer.byte(form.has);
}

fn read_form(reader: &mut SnapshotReader<'_>) -> Result<EntryForm> {
    let kind = *item(&KINDS, reader.byte()?)?;
    let says = match reader.byte()? {
        0 => None,
        number => Some(*item(&MESSAGE_KINDS, number - 1)?),
    };
    let flags = u16::try_from(reader.number()?).map_err(|_| SnapshotError::Damaged)?;
    Ok(EntryForm {
        kind,
        says,
        flags: Flags::from_bits(flags),
        name: reader.maybe(SnapshotReader::symbol)?,
        has: reader.byte()?,
    })
}

fn item<T>(items: &[T], number: u8) -> Result<&T> {
    items.get(usize::from(number)).ok_or(SnapshotError::Damaged)
}

fn write_entry(writer: &mut SnapshotWriter, entry: &Entry, has: u8, likely: &mut Predictions) {
    writer.number(entry.span.len);
    if has & has::OTHER_LINE != 0 {
        writer.step(i64::from(likely.line), i64::from(entry.line));
    }
    likely.line = entry.line;
    if let Some(parent) = entry.parent {
        writer.near(likely.uuid, parent);
        likely.seen(parent);
    }
    if let Some(uuid) = entry.uuid {
        writer.near(likely.fresh, uuid);
        likely.uuid = likely.seen(uuid);
    }
    if let Some(parent) = entry.logical_parent {
        writer.near(likely.uuid, parent);
    }
    if let Some(message) = entry.message {
        writer.near(likely.message, message);
        likely.message = likely.seen(message);
    }
    if let Some(agent) = entry.agent {
        writer.near(likely.agent, agent);
        likely.agent = agent.index();
    }
    if let Some(time) = entry.time {
        writer.step(likely.time, time.as_millis());
        likely.time = time.as_millis();
    }
}

fn write_blocks(writer: &mut SnapshotWriter, blocks: &[Block], likely: &mut Predictions) {
    if blocks.is_empty() {
        return;
    }
    writer.count(blocks.len());
    for block in blocks {
        let bits = [
            (CALL, block.call.is_some()),
            (NAME, block.name.is_some()),
            (FILE, block.file.is_some()),
        ];
        let number = number_of(block.kind);
        writer.byte(bits.iter().fold(number, |all, &(bit, on)| if on { all | bit } else { all }));
        if let Some(call) = block.call {
            writer.near(likely.fresh, call);
            likely.seen(call);
        }
        if let Some(name) = block.name {
            writer.symbol(name);
        }
        if let Some(file) = block.file {
            writer.symbol(file);
        }
    }
}

fn number_of(kind: BlockKind) -> u8 {
    match kind {
        BlockKind::Text => 0,
        BlockKind::Thinking => 1,
        BlockKind::Call => 2,
        BlockKind::Image => 3,
        BlockKind::Document => 4,
        BlockKind::Other => 5,
        BlockKind::Result(verdict) => 6 + verdict as u8,
    }
}

/// Reads entries that, together with the `blank` spans, are a file of `bytes` bytes.
pub(super) fn read(
    reader: &mut SnapshotReader<'_>,
    blank: &[Span],
    bytes: u64,
) -> Result<(Vec<Entry>, Vec<Block>)> {
    let mut forms: Vec<EntryForm> = Vec::new();
    let mut likely = Predictions::new();
    let mut places = EntryPlaces { blank, end: 0 };
    let mut blocks = Vec::new();
    let entries = reader.list(|reader| {
        let number = reader.number()? as usize;
        if number == forms.len() {
            forms.push(read_form(reader)?);
        }
        let form = forms.get(number).ok_or(SnapshotError::Damaged)?;
        let mut entry = read_entry(reader, form, &mut places, &mut likely)?;
        // A fragment keeps the range of `Entry::new`, as in the log that was written.
        if form.kind != EntryKind::Fragment {
            entry.blocks.start = blocks.len() as u32;
            if form.has & has::BLOCKS != 0 {
                read_blocks(reader, &mut blocks, &mut likely)?;
            }
            entry.blocks.end = blocks.len() as u32;
        }
        Ok(entry)
    })?;
    places.finish(bytes)?;
    Ok((entries, blocks))
}

fn read_entry(
    reader: &mut SnapshotReader<'_>,
    form: &EntryForm,
    places: &mut EntryPlaces<'_>,
    likely: &mut Predictions,
) -> Result<Entry> {
    let has = |bit| form.has & bit != 0;
    let span = places.next(reader.number()?)?;
    let line = if has(has::OTHER_LINE) {
        let line = reader.step(i64::from(likely.line))?;
        u32::try_from(line).map_err(|_| SnapshotError::Damaged)?
    } else {
        likely.line.wrapping_add(1)
    };
    likely.line = line;
    let mut entry = Entry {
        says: form.says,
        flags: form.flags,
        name: form.name,
        ..Entry::new(span, line, form.kind)
    };
    if has(has::PARENT) {
        let parent = reader.near(likely.uuid)?;
        likely.seen(parent);
        entry.parent = Some(parent);
    }
    if has(has::UUID) {
        let uuid = reader.near(likely.fresh)?;
        likely.uuid = likely.seen(uuid);
        entry.uuid = Some(uuid);
    }
    if has(has::LOGICAL_PARENT) {
        entry.logical_parent = Some(reader.near(likely.uuid)?);
    }
    if has(has::MESSAGE) {
        let message = reader.near(likely.message)?;
        likely.message = likely.seen(message);
        entry.message = Some(message);
    }
    if has(has::AGENT) {
        let agent = reader.near(likely.agent)?;
        likely.agent = agent.index();
        entry.agent = Some(agent);
    }
    if has(has::TIME) {
        likely.time = reader.step(likely.time)?;
        entry.time = Some(Time::from_millis(likely.time));
    }
    Ok(entry)
}

fn read_blocks(
    reader: &mut SnapshotReader<'_>,
    blocks: &mut Vec<Block>,
    likely: &mut Predictions,
) -> Result<()> {
    for _ in 0..reader.count()? {
        let number = reader.byte()?;
        let has = |bit| number & bit != 0;
        let kind = *item(&BLOCKS, number & !(CALL | NAME | FILE))?;
        let mut block = Block { kind, call: None, name: None, file: None };
        if has(CALL) {
            let call = reader.near(likely.fresh)?;
            likely.seen(call);
            block.call = Some(call);
        }
        if has(NAME) {
            block.name = Some(reader.symbol()?);
        }
        if has(FILE) {
            block.file = Some(reader.symbol()?);
        }
        blocks.push(block);
    }
    Ok(())
}

/// Assigns places to entries: each begins where the entry before it and the blank spans after that end.
struct EntryPlaces<'b> {
    blank: &'b [Span],
    end: u64,
}

impl EntryPlaces<'_> {
    fn next(&mut self, len: u64) -> Result<Span> {
        self.pass_blank()?;
        let start = self.end;
        self.advance(len)?;
        Ok(Span { start, len })
    }

    /// Checks that the file ends here.
    fn finish(mut self, bytes: u64) -> Result<()> {
        self.pass_blank()?;
        if self.blank.is_empty() && self.end == bytes {
            Ok(())
        } else {
            Err(SnapshotError::Damaged)
        }
    }

    fn pass_blank(&mut self) -> Result<()> {
        while let [next, rest @ ..] = self.blank
            && next.start == self.end
        {
            self.advance(next.len)?;
            self.blank = rest;
        }
        Ok(())
    }

    fn advance(&mut self, len: u64) -> Result<()> {
        self.end = self.end.checked_add(len).ok_or(SnapshotError::Damaged)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_found_under_their_numbers() {
        assert!((0u8..).zip(KINDS).all(|(number, kind)| kind as u8 == number));
        assert!((0u8..).zip(MESSAGE_KINDS).all(|(number, says)| says as u8 == number));
        assert!((0u8..).zip(BLOCKS).all(|(number, kind)| number_of(kind) == number));
    }
}
