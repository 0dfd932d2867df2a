//! Messages without their calls: speaker, time and parts.

use unspool_model::entry::MessageKind;
use unspool_text::html::Painting;
use unspool_text::html::prose;
use unspool_text::html::{Html, anchor};
use unspool_text::sanitize::one_line;

use super::call::output;
use super::host::{PaintContext, cut, link_to_all};
use super::media::media;
use super::moment::{Precision, moment, moment_of_reader};
use crate::document::{ClientNote, DisplayWeight, Passage, PassagePart, pasted_length};

/// Whether a message names the model that wrote it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ModelNaming {
    /// It does, because another model was named before.
    Model,
    /// It does not.
    Unnamed,
}

/// Opens a message. Its parts may follow.
pub(super) fn open(
    passage: &Passage,
    naming: ModelNaming,
    brush: PaintContext<'_>,
    html: &mut Html,
) {
    html.tag("<article class=\"msg ").tag(passage.kind.name());
    html.tag_if(passage.weight == DisplayWeight::Hidden, " quiet");
    html.tag_if(passage.deleted, " deleted");
    html.tag_if(passage.left_out, " left-out");
    html.tag("\"");
    if let Some(entry) = passage.entries.first() {
        html.attribute("id", &format!("e-{}", anchor(entry.as_str())));
    }
    if let (Some(_), Some(at)) = (brush.host, brush.message.and_then(|message| message.at)) {
        html.tag(" data-m=\"").number(at.into()).tag("\"");
    }
    html.tag(">\n");
    html.tag_if(passage.deleted, "<p class=\"withheld\">Deleted</p>\n");
    if is_aside(passage) {
        html.tag("<details class=\"aside\"><summary>");
        html.tag("<span class=\"who\">").text(title(passage)).tag("</span>");
        when(passage, brush, html);
        html.tag("</summary>\n<div class=\"inside\">\n");
        if let Some(host) = brush.host {
            host.tools(passage, html);
        }
        return;
    }
    html.tag("<header>");
    match passage.kind {
        MessageKind::Answer => {
            if let Some(model) = passage.model.as_ref().filter(|_| naming == ModelNaming::Model) {
                html.tag("<span class=\"model\">").text(model).tag("</span>");
            }
        }
        _ => {
            html.tag("<span class=\"who\">").text(title(passage)).tag("</span>");
        }
    }
    when(passage, brush, html);
    if let Some(host) = brush.host {
        host.tools(passage, html);
    }
    html.tag("</header>\n");
}

/// Closes the elements that [`open`] opened.
pub(super) fn close(passage: &Passage, html: &mut Html) {
    html.tag_if(is_aside(passage), "</div></details>\n");
    html.tag("</article>\n");
}

/// Returns whether a message is folded as a whole.
fn is_aside(passage: &Passage) -> bool {
    passage.weight != DisplayWeight::Open && !passage.parts.is_empty()
}

/// Returns the title of a message.
fn title(passage: &Passage) -> &str {
    if let Some(label) = &passage.label {
        return label;
    }
    match passage.kind {
        MessageKind::Prompt => "User",
        MessageKind::Answer => "Assistant",
        MessageKind::Command => "Command",
        MessageKind::Queued => "User, while the assistant was working",
        MessageKind::Reply => "User, reply",
        MessageKind::Meta => "Injected",
        MessageKind::Summary => "Summary",
        MessageKind::Boundary => "Compaction",
        MessageKind::Interruption => "Interrupted",
        MessageKind::Notice => "Notice",
        MessageKind::AgentReport => "Agent report",
        MessageKind::Error => "Error",
    }
}

/// Paints the time of a message, as a link to it.
fn when(passage: &Passage, brush: PaintContext<'_>, html: &mut Html) {
    let link = passage.entries.first().map(|entry| anchor(entry.as_str()));
    let (Some(time), false) = (passage.time, link.is_none()) else {
        return;
    };
    html.tag("<a class=\"when\"");
    html.attribute("href", &format!("#e-{}", link.unwrap_or_default()));
    html.tag(">");
    match brush.host {
        Some(_) => moment_of_reader(time, html),
        None => moment(time, Precision::Clock, html),
    }
    html.tag("</a>");
}

/// Paints a part of a message that is not a call.
pub(super) fn part(part: &PassagePart, brush: PaintContext<'_>, html: &mut Html) {
    let painting = brush.painting;
    match part {
        PassagePart::Prose(text) => {
            html.tag("<div class=\"prose\">\n");
            prose(text, painting, html);
            html.tag("</div>\n");
        }
        PassagePart::Typed(text) => {
            html.tag("<div class=\"typed\">").text(text.trim_end()).tag("</div>\n");
        }
        PassagePart::Pasted(text) => pasted(text, brush, html),
        PassagePart::Note(remark) => note(remark, html),
        PassagePart::Thinking(text) => thinking(text, painting, html),
        PassagePart::Command { line, output: text } => {
            if let Some(line) = line {
                command(line, html);
            }
            if !text.trim().is_empty() {
                output(text, false, html);
            }
        }
        PassagePart::Media(thing) => media(thing, brush, html),
        PassagePart::Unknown { name } => {
            html.tag("<p class=\"attachment\">Block of type <code>").text(name);
            html.tag("</code></p>\n");
        }
        // The player passes calls to `open_call`, with the elements nested in them.
        PassagePart::Call(_) => {}
    }
}

/// Paints the middle of a long prompt.
fn pasted(text: &str, brush: PaintContext<'_>, html: &mut Html) {
    html.tag("<details class=\"paste\"><summary>").text(&pasted_length(text));
    let way = brush.whole_way();
    let beginning = way.as_ref().and_then(|_| cut(text));
    html.tag("</summary>\n<div class=\"typed\">").text(beginning.unwrap_or(text));
    html.tag("</div>");
    if let (Some(way), Some(_)) = (way, beginning) {
        link_to_all(&way, text.lines().count(), html);
    }
    html.tag("</details>\n");
}

/// Paints a remark of the client.
fn note(note: &ClientNote, html: &mut Html) {
    if note.text.trim().is_empty() {
        html.tag("<p class=\"attachment\">").text(&note.words).tag("</p>\n");
        return;
    }
    html.tag("<details class=\"aside\"><summary><span class=\"who\">");
    html.text(&note.words).tag("</span></summary>\n");
    html.tag("<div class=\"inside typed\">").text(&note.text);
    html.tag("</div></details>\n");
}

/// Paints a command; further lines of its arguments are text below the first one.
fn command(typed: &str, html: &mut Html) {
    let (first, rest) = typed.split_once('\n').unwrap_or((typed, ""));
    html.tag("<p class=\"command\"><code>").text(first).tag("</code></p>\n");
    if !rest.trim().is_empty() {
        html.tag("<div class=\"typed\">").text(rest.trim_end()).tag("</div>\n");
    }
}

fn thinking(text: &str, painting: Painting, html: &mut Html) {
    /// The most columns of the first line, which is shown while thinking is folded.
    const SHOWN: usize = 100;
    if text.trim().is_empty() {
        html.tag("<p class=\"withheld\">Thinking, withheld</p>\n");
        return;
    }
    html.tag("<details class=\"thinking\"><summary><span class=\"who\">Thinking</span> ");
    html.tag("<span class=\"what\">").text(&one_line(text, SHOWN)).tag("</span></summary>\n");
    html.tag("<div class=\"inside prose\">\n");
    prose(text, painting, html);
    html.tag("</div></details>\n");
}
