//! The turn rail: outline and overview of a conversation.
//!
//! Each turn is a line whose height grows with the logarithm of its length, with marks for its events: an
//! error, a change, a branch, a compaction. If there are more than 120 turns, those far from the reader share
//! lines, so the size of a rail is bounded. The script fetches the rail around another turn when the reader
//! gets there (`/s/{id}/rail?turn=`). Every line is a link that works without a script.

mod turns;

use std::io;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use unspool_model::time::Time;
use unspool_render::document::spoken;
use unspool_text::html::Html;
use unspool_text::human;
use unspool_text::sanitize::one_line;

use self::turns::{RailLine, RailMark, RailTurn, lines};
use super::sheet::SessionSheet;

/// The maximum length of a prompt in the rail, in characters.
const PROMPT: usize = 90;
/// How much later a turn must be for its time to be shown again, in milliseconds.
const CLOCK_MS: u64 = 10 * 60 * 1000;
/// The tags of lines by height, the lowest first.
const HEIGHTS: [&str; 8] = [
    "<li class=\"t0\">",
    "<li class=\"t1\">",
    "<li class=\"t2\">",
    "<li class=\"t3\">",
    "<li class=\"t4\">",
    "<li class=\"t5\">",
    "<li class=\"t6\">",
    "<li class=\"t7\">",
];

/// Paints the rail for a reader at a turn, which is counted from one. `read` is the last message
/// that was read before, if later ones are to be marked.
pub(super) fn paint(
    sheet: &SessionSheet<'_>,
    near: u32,
    read: Option<u32>,
    html: &mut Html,
) -> io::Result<()> {
    let mut painter = RailPainter { sheet, read, day: None, clock: None, html };
    painter.html.tag("<ol class=\"turns\" id=\"turns\">\n");
    for line in lines(&sheet.shown, near) {
        match line {
            RailLine::Turn(turn) => painter.turn(&turn)?,
            RailLine::Span(numbers, whole) => {
                painter.day(whole.started);
                painter.span(&numbers, &whole);
            }
        }
    }
    painter.html.tag("</ol>\n");
    Ok(())
}

struct RailPainter<'p> {
    sheet: &'p SessionSheet<'p>,
    read: Option<u32>,
    /// The day that was painted last.
    day: Option<Date>,
    /// The time that was painted last.
    clock: Option<Time>,
    html: &'p mut Html,
}

impl RailPainter<'_> {
    fn turn(&mut self, turn: &RailTurn) -> io::Result<()> {
        self.day(turn.started);
        let shown = &self.sheet.shown;
        let message = &shown.view.messages[turn.start as usize];
        let said = shown.reader().read(&shown.view, message)?.said();
        let prompt = one_line(&spoken(&said), PROMPT);
        self.html.tag(height(turn.messages));
        self.link(turn.number);
        self.html
            .tag(" data-turn=\"")
            .number(turn.number.into())
            .tag("\" data-m=\"")
            .number(turn.start.into());
        self.html.tag("\"><span class=\"n\">").number(turn.number.into());
        self.html.tag("</span>");
        self.clock(turn.started);
        self.html.tag("<span class=\"what\">");
        self.html.text(match prompt.as_str() {
            "" => "\u{2026}",
            prompt => prompt,
        });
        self.html.tag("</span>");
        self.marks(turn);
        self.html.tag("</a></li>\n");
        self.compacted(turn);
        Ok(())
    }

    fn span(&mut self, numbers: &std::ops::Range<u32>, whole: &RailTurn) {
        self.html.tag("<li class=\"span\">");
        self.link(numbers.start);
        self.html.tag(" data-turn=\"").number(numbers.start.into());
        self.html.tag("\" data-last=\"").number((numbers.end - 1).into());
        self.html.tag("\" data-m=\"").number(whole.start.into());
        self.html.tag("\"><span class=\"what\">Turns ");
        self.html.number(numbers.start.into()).tag("\u{2013}");
        self.html.number((numbers.end - 1).into()).tag("</span>");
        self.marks(whole);
        self.html.tag("</a></li>\n");
    }

    fn link(&mut self, number: u32) {
        let way = self.sheet.ways.turn(number);
        self.html.tag("<a").attribute("href", &way);
    }

    /// Paints the day of a time, unless the day was painted last.
    fn day(&mut self, time: Option<Time>) {
        let instant = time.and_then(|time| Timestamp::from_millisecond(time.as_millis()).ok());
        let Some(day) = instant.map(|instant| self.zone().to_datetime(instant).date()) else {
            return;
        };
        let is_new = self.day.replace(day) != Some(day);
        if is_new {
            let words = day.strftime("%a, %-d %b %Y").to_string();
            self.html.tag("<li class=\"day\">").text(&words).tag("</li>\n");
            self.clock = None;
        }
    }

    fn zone(&self) -> &TimeZone {
        self.sheet.zone()
    }

    fn clock(&mut self, time: Option<Time>) {
        let Some(time) = time else { return };
        let is_near = self.clock.is_some_and(|last| time.since(last) < CLOCK_MS);
        if is_near {
            return;
        }
        self.clock = Some(time);
        self.html.tag("<time data-as=\"clock\"");
        self.html.attribute("datetime", &time.to_string()).tag(">");
        let instant = Timestamp::from_millisecond(time.as_millis());
        let words = instant.map(|at| self.zone().to_datetime(at).strftime("%H:%M").to_string());
        self.html.text(&words.unwrap_or_default()).tag("</time>");
    }

    fn marks(&mut self, turn: &RailTurn) {
        let is_unread = |read: u32| turn.start + turn.messages > read + 1;
        let unread = self.read.is_some_and(is_unread).then_some(RailMark::Unread);
        let marks: Vec<RailMark> = turn.marks.iter().copied().chain(unread).collect();
        if marks.is_empty() {
            return;
        }
        self.html.tag("<span class=\"marks\">");
        for mark in marks {
            let [style, words, sign] = mark.look();
            self.html.tag("<span role=\"img\" class=\"mark ").tag(style).tag("\"");
            self.html.attribute("aria-label", words).attribute("title", words);
            self.html.tag(">").tag(sign).tag("</span>");
        }
        self.html.tag("</span>");
    }

    /// Paints a compaction, with the sizes of the context before and after it.
    fn compacted(&mut self, turn: &RailTurn) {
        let Some((before, after)) = turn.compacted else {
            return;
        };
        self.html.tag("<li class=\"compacted\">\u{25bd} compaction");
        if let (Some(before), Some(after)) = (before, after) {
            self.html.tag(" <span>").text(&human::count(before));
            self.html.tag(" \u{2192} ").text(&human::count(after)).tag("</span>");
        }
        self.html.tag("</li>\n");
    }
}

/// Returns the tag for a turn's line: twice as many messages make it one step higher.
fn height(messages: u32) -> &'static str {
    let steps = messages.max(1).ilog2() as usize;
    HEIGHTS[steps.min(HEIGHTS.len() - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_grows_with_the_logarithm_of_its_length() {
        assert_eq!(height(0), HEIGHTS[0]);
        assert_eq!(height(3), HEIGHTS[1]);
        assert_eq!(height(16), HEIGHTS[4]);
        assert_eq!(height(u32::MAX), HEIGHTS[7]);
    }
}
