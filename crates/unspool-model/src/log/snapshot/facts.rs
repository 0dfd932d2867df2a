//! Encodes the facts about the session as a whole.

use super::Result;
use super::codec::{SnapshotReader, SnapshotWriter};
use super::tables::{read_entry, write_symbols};
use crate::facts::{Distinct, Facts, FirstTexts, LastPrompt, SaidText};
use crate::time::Time;

pub(super) fn write(writer: &mut SnapshotWriter, facts: &Facts) {
    // Destructured, so that no new field is forgotten.
    let Facts {
        sessions,
        cwds,
        branch,
        version,
        slugs,
        entrypoint,
        prompt_source,
        custom_title,
        agent_name,
        ai_title,
        summaries,
        last_prompt,
        opening,
        first_prompt_sdk,
        first_command_sdk,
        started,
        ended,
        forked_at,
        forked_from,
    } = facts;
    write_symbols(writer, sessions);
    write_symbols(writer, slugs);
    write_symbols(writer, cwds);
    for symbol in [branch, version, entrypoint, prompt_source, forked_at] {
        writer.maybe(*symbol, SnapshotWriter::symbol);
    }
    for text in [custom_title, agent_name, ai_title, first_prompt_sdk, first_command_sdk] {
        writer.maybe(text.as_deref(), SnapshotWriter::text);
    }
    write_opening(writer, opening);
    for time in [started, ended] {
        writer.maybe(*time, |writer, time| writer.step(0, time.as_millis()));
    }
    writer.count(summaries.len());
    for (leaf, summary) in summaries {
        writer.symbol(*leaf);
        writer.text(summary);
    }
    writer.maybe(*last_prompt, write_last_prompt);
    writer.count(forked_from.len());
    for (session, entries) in forked_from {
        writer.symbol(*session);
        writer.number(u64::from(*entries));
    }
}

/// Reads the fields in the order in which [`write()`] wrote them.
pub(super) fn read(reader: &mut SnapshotReader<'_>, entries: usize) -> Result<Facts> {
    let symbols = |reader: &mut SnapshotReader<'_>| {
        Ok(Distinct::restored(reader.list(SnapshotReader::symbol)?))
    };
    let symbol = |reader: &mut SnapshotReader<'_>| reader.maybe(SnapshotReader::symbol);
    let text =
        |reader: &mut SnapshotReader<'_>| Ok(reader.maybe(SnapshotReader::text)?.map(Box::from));
    let time = |reader: &mut SnapshotReader<'_>| {
        reader.maybe(|reader| Ok(Time::from_millis(reader.step(0)?)))
    };
    Ok(Facts {
        sessions: symbols(reader)?,
        slugs: symbols(reader)?,
        cwds: symbols(reader)?,
        branch: symbol(reader)?,
        version: symbol(reader)?,
        entrypoint: symbol(reader)?,
        prompt_source: symbol(reader)?,
        forked_at: symbol(reader)?,
        custom_title: text(reader)?,
        agent_name: text(reader)?,
        ai_title: text(reader)?,
        first_prompt_sdk: text(reader)?,
        first_command_sdk: text(reader)?,
        opening: read_opening(reader, entries)?,
        started: time(reader)?,
        ended: time(reader)?,
        summaries: reader.list(|reader| Ok((reader.symbol()?, reader.text()?.into())))?,
        last_prompt: reader.maybe(|reader| last_prompt(reader, entries))?,
        forked_from: reader
            .list(|reader| Ok((reader.symbol()?, reader.small()?)))?
            .into_iter()
            .collect(),
    })
}

fn write_opening(writer: &mut SnapshotWriter, opening: &FirstTexts) {
    let FirstTexts { prompt, telling, commands } = opening;
    writer.maybe(prompt.as_ref(), write_said);
    writer.maybe(telling.as_ref(), write_said);
    writer.count(commands.len());
    for said in commands {
        write_said(writer, said);
    }
}

fn write_said(writer: &mut SnapshotWriter, said: &SaidText) {
    writer.count(said.entry.index());
    writer.text(&said.text);
}

fn read_opening(reader: &mut SnapshotReader<'_>, entries: usize) -> Result<FirstTexts> {
    let said = |reader: &mut SnapshotReader<'_>| {
        let entry = read_entry(reader, 0, entries)?;
        let text = reader.text()?.into();
        Ok(SaidText { entry, text })
    };
    Ok(FirstTexts {
        prompt: reader.maybe(said)?,
        telling: reader.maybe(said)?,
        commands: reader.list(said)?,
    })
}

fn write_last_prompt(writer: &mut SnapshotWriter, found: LastPrompt) {
    let LastPrompt { entry, leaf, explicit } = found;
    writer.count(entry.index());
    writer.maybe(leaf, SnapshotWriter::symbol);
    writer.byte(u8::from(explicit));
}

fn last_prompt(reader: &mut SnapshotReader<'_>, entries: usize) -> Result<LastPrompt> {
    Ok(LastPrompt {
        entry: read_entry(reader, 0, entries)?,
        leaf: reader.maybe(SnapshotReader::symbol)?,
        explicit: reader.flag()?,
    })
}
