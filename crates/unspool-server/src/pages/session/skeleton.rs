//! The transcript of a page: chunks with their messages, and empty elements for the others.
//!
//! An empty chunk has about the height of its messages, through one of forty classes: the policy of
//! pages forbids styles in markup. It contains a link that shows its messages without a script.

use std::io;
use std::ops::Range;

use unspool_render::html::{HtmlFragments, PieceForm};
use unspool_text::html::Html;
use unspool_text::human;

use super::chunks::{ChunkPlan, SheetChunk};
use super::host::SheetHost;
use super::sheet::SessionSheet;
use super::unread::UnreadStart;

/// The number of heights of empty chunks.
pub(super) const HEIGHTS: u32 = 40;
/// The lowest height, in pixels.
const LOWEST: f64 = 48.0;
/// The factor between one height and the next.
const STEP: f64 = 1.2;

/// Paints the chunks of a transcript, those in `filled` with their messages.
pub(super) fn paint(
    sheet: &SessionSheet<'_>,
    plan: &ChunkPlan,
    filled: &Range<usize>,
    unread: Option<UnreadStart>,
    html: &mut Html,
) -> io::Result<()> {
    let host = SheetHost::new(sheet).with_unread(unread);
    let fragments = sheet.fragments(&host, PieceForm::Whole);
    html.tag("<div id=\"transcript\">\n");
    for (at, chunk) in plan.chunks().iter().enumerate() {
        if filled.contains(&at) {
            self::filled(chunk, &fragments, html)?;
        } else {
            empty(sheet, chunk, html);
        }
    }
    html.tag("</div>\n");
    Ok(())
}

/// Paints a chunk with its messages.
fn filled(chunk: &SheetChunk, fragments: &HtmlFragments<'_>, html: &mut Html) -> io::Result<()> {
    open(chunk, html);
    html.tag(">\n");
    html.append(&fragments.piece(chunk.messages())?);
    html.tag("</div>\n");
    Ok(())
}

/// Paints an empty chunk.
fn empty(sheet: &SessionSheet<'_>, chunk: &SheetChunk, html: &mut Html) {
    open(chunk, html);
    html.tag(" data-h=\"").number(height_class(chunk.pixels).into()).tag("\"");
    let from = chunk.from.to_string();
    let way = sheet.ways.page_with(&[("m", &from)]);
    html.tag("><a").attribute("href", &format!("{way}#m{from}")).tag(">");
    html.text(&human::plural(chunk.len() as usize, "message")).tag("</a></div>\n");
}

fn open(chunk: &SheetChunk, html: &mut Html) {
    html.tag("<div class=\"chunk\" id=\"m").number(chunk.from.into());
    html.tag("\" data-from=\"").number(chunk.from.into());
    html.tag("\" data-to=\"").number(chunk.to.into()).tag("\"");
}

/// Returns the class of the height that is nearest to a number of pixels.
fn height_class(pixels: u32) -> u32 {
    let steps = (f64::from(pixels).max(LOWEST) / LOWEST).ln() / STEP.ln();
    // Not negative, as the pixels are at least the lowest height.
    (steps.round() as u32).min(HEIGHTS - 1)
}

/// Returns the height of a class in pixels.
#[cfg(test)]
fn height(class: u32) -> u32 {
    (LOWEST * STEP.powi(class as i32)).round() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_style_sheet_has_every_height() {
        let sheet = include_str!("../../assets/session/chunks.css");
        for class in 0..HEIGHTS {
            let rule = format!("[data-h=\"{class}\"] {{ block-size: {}px }}", height(class));
            assert!(sheet.contains(&rule), "{rule}");
            assert_eq!(height_class(height(class)), class);
        }
        assert_eq!((height_class(0), height_class(u32::MAX)), (0, HEIGHTS - 1));
    }
}
