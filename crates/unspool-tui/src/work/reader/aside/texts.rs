//! Texts that are found or copied.

use std::io;

use unspool_engine::ops::find::{FoundMessage, Needle, find};
use unspool_engine::ops::message::BlockText;
use unspool_engine::ops::transcript::Transcript;
use unspool_render::document::{AgentLayout, Playback, PlaybackRequest, WriterPaper};
use unspool_render::terminal::{BlockKey, FoldLevel, TranscriptBlocks};
use unspool_render::transcript_md::MarkdownSurface;

use super::{AsideData, InsertChoice};
use crate::work::picker::text_of_messages;
use crate::work::reader::{FindText, ReadPlace, ReadStyle, fitted};

pub(crate) fn found(shown: &Transcript<'_>, needle: &str) -> io::Result<Vec<FoundMessage>> {
    let mut reader = shown.reader();
    let messages = shown.view.messages.iter();
    let texts = messages.map(|message| reader.read(&shown.view, message));
    find(&Needle::new(needle), 0, texts)
}

/// Finds a text in the lines of a message, including lines that are folded.
pub(crate) fn located(
    blocks: &TranscriptBlocks<'_>,
    needle: &str,
    message: u32,
    style: &ReadStyle,
) -> io::Result<AsideData> {
    let find = FindText::new(needle);
    let range = message..message + 1;
    let folds = |key: BlockKey| style.folds.get(&key).copied();
    let folded = fitted(blocks.blocks(range.clone(), &folds)?, style.width);
    let full = blocks.blocks(range, &|_| Some(FoldLevel::Full))?;
    let full = fitted(full, style.width);
    let mut unfold = Vec::new();
    let mut place = None;
    for block in &full {
        let Some(line) = find.first_line(&block.lines) else {
            continue;
        };
        let mut now = folded.iter();
        let shown = now.find(|other| other.key == block.key);
        let shown = shown.and_then(|other| find.first_line(&other.lines));
        if shown.is_none() {
            unfold.push(block.key);
        }
        place.get_or_insert(ReadPlace { key: block.key, line: shown.unwrap_or(line) });
    }
    // A match may be in a text without a line, such as the input of a call.
    let place = place.unwrap_or(ReadPlace::of_message(message));
    Ok(AsideData::Located { place, unfold })
}

pub(crate) fn markdown(shown: &Transcript<'_>, message: u32) -> io::Result<String> {
    let mut paper = WriterPaper(Vec::new());
    let mut surface = MarkdownSurface::new(&mut paper);
    let stage = PlaybackRequest { agents: AgentLayout::None, ..PlaybackRequest::new(shown) };
    Playback::new(stage).play_range(message..message + 1, &mut surface)?;
    Ok(String::from_utf8_lossy(&paper.0).trim().to_owned() + "\n")
}

/// Quotes the message, or its whole turn, for a prompt.
pub(crate) fn inserted(
    shown: &Transcript<'_>,
    what: InsertChoice,
    message: u32,
) -> io::Result<AsideData> {
    let turns = shown.turns.iter().map(|turn| turn.messages.clone());
    let turn = turns.filter(|_| what == InsertChoice::Turn);
    let turn = turn.into_iter().find(|messages| messages.contains(&message));
    let range = turn.unwrap_or(message..message + 1);
    let messages = shown.messages_in(range.start as usize..range.end as usize)?;
    let title = shown.title().unwrap_or_default();
    let text = text_of_messages(&title, shown.session.id.as_str(), &messages);
    Ok(AsideData::Text(text.map_err(io::Error::other)?, 0))
}

/// Returns the text of a block to copy: the output of a call, or the code block at the cursor, else the
/// whole text.
pub(crate) fn block_text(shown: &Transcript<'_>, key: BlockKey, line: &str) -> io::Result<String> {
    let at = key.message as usize;
    let Some(text) = shown.messages_in(at..at + 1)?.pop() else {
        return Ok(String::new());
    };
    let block = key.part_number().and_then(|part| text.blocks.get(part));
    Ok(match block {
        Some(BlockText::Call(call)) => match &call.result {
            Some(result) if !result.text.is_empty() => result.text.clone(),
            _ => call.input.clone(),
        },
        Some(BlockText::Thinking(text)) => text.clone(),
        Some(BlockText::Text(text)) => code_of(text, line).unwrap_or_else(|| text.clone()),
        _ => text.said(),
    })
}

/// Returns the code block of a Markdown text that contains a line, or the only block.
fn code_of(text: &str, line: &str) -> Option<String> {
    let mut blocks: Vec<String> = Vec::new();
    let mut open: Option<String> = None;
    for row in text.lines() {
        match (&mut open, row.trim_start().starts_with("```")) {
            (Some(_), true) => blocks.extend(open.take()),
            (None, true) => open = Some(String::new()),
            (Some(code), false) => {
                code.push_str(row);
                code.push('\n');
            }
            (None, false) => {}
        }
    }
    blocks.extend(open);
    let line = line.trim();
    let has = |code: &&String| !line.is_empty() && code.contains(line);
    match blocks.as_slice() {
        [only] => Some(only.clone()),
        several => several.iter().find(has).cloned(),
    }
}

/// Returns the conversation as Markdown, and the line at which a message begins.
pub(crate) fn edited(shown: &Transcript<'_>, message: u32) -> io::Result<AsideData> {
    let mut paper = WriterPaper(Vec::new());
    let stage = PlaybackRequest { agents: AgentLayout::None, ..PlaybackRequest::new(shown) };
    let playback = Playback::new(stage);
    let messages = playback.messages();
    let mut surface = MarkdownSurface::new(&mut paper);
    playback.play_range(messages.start..message, &mut surface)?;
    let above = paper.0.len();
    let mut surface = MarkdownSurface::new(&mut paper);
    playback.play_range(message..messages.end, &mut surface)?;
    let line = String::from_utf8_lossy(&paper.0[..above]).lines().count();
    let text = String::from_utf8_lossy(&paper.0).into_owned();
    Ok(AsideData::Text(text, line + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_under_the_cursor_is_found() {
        let text = "see\n```rust\nlet a = 1;\n```\nand\n```\nmake\n```\n";
        assert_eq!(code_of(text, "  make").as_deref(), Some("make\n"));
        assert_eq!(code_of(text, "elsewhere"), None);
        assert_eq!(code_of("```\none\n", "").as_deref(), Some("one\n"));
    }
}
