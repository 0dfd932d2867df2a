//! The outline of a transcript: its turns and its pages.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use unspool_model::conversation::{Turn, TurnOutcome};
use unspool_model::positions::TurnNumber;
use unspool_model::time::Time;
use unspool_text::html::{Html, anchor};
use unspool_text::human;
use unspool_text::sanitize::one_line;

use super::plan::PagePlan;
use crate::document::{DayTracker, Interjection, TurnHead};

/// The most turns that every page lists. With more, a page lists its own turns and links to the
/// other pages, so that a transcript of many pages does not repeat itself.
const ALL_TURNS: usize = 400;
/// The most columns of a turn's prompt.
const HEADLINE: usize = 90;

/// The turns and pages of a transcript.
#[derive(Clone, Debug)]
pub(super) struct Outline {
    turns: Vec<OutlineEntry>,
    /// The file names of the pages, in order.
    pages: Vec<String>,
}

#[derive(Clone, Debug)]
struct OutlineEntry {
    number: TurnNumber,
    headline: String,
    calls: u32,
    duration_ms: Option<u64>,
    outcome: TurnOutcome,
    page: u32,
    /// The day that begins with the turn, if the turns are of several days.
    day: Option<Date>,
    said: Vec<OutlineRemark>,
}

/// A text inside a turn, with its place.
#[derive(Clone, Debug)]
struct OutlineRemark {
    headline: String,
    anchor: String,
    page: u32,
}

impl Outline {
    /// Creates the outline of turns that are spread over pages with these names.
    pub(super) fn new(turns: &[TurnHead], plan: &PagePlan, pages: Vec<String>) -> Self {
        let said = |said: &Interjection| {
            Some(OutlineRemark {
                headline: one_line(&said.text, HEADLINE),
                anchor: anchor(said.entry.as_ref()?.as_str()),
                page: plan.page_of(said.message),
            })
        };
        let entry = |turn: &TurnHead| OutlineEntry {
            number: turn.number,
            headline: one_line(&turn.prompt, HEADLINE),
            calls: turn.calls,
            duration_ms: turn.duration_ms,
            outcome: turn.outcome,
            page: plan.page_of(turn.messages.start),
            day: None,
            said: turn.interjections.iter().filter_map(said).collect(),
        };
        let mut entries: Vec<OutlineEntry> = turns.iter().map(entry).collect();
        for (entry, day) in entries.iter_mut().zip(days(turns)) {
            entry.day = day;
        }
        Self { turns: entries, pages }
    }

    /// Creates an outline without prompts, which is enough for headings.
    pub(super) fn of_turns<'t>(turns: impl IntoIterator<Item = (TurnNumber, &'t Turn)>) -> Self {
        let entry = |(number, turn): (TurnNumber, &Turn)| OutlineEntry {
            number,
            headline: String::new(),
            calls: turn.calls,
            duration_ms: turn.duration_ms,
            outcome: turn.outcome,
            page: 1,
            day: None,
            said: Vec::new(),
        };
        Self { turns: turns.into_iter().map(entry).collect(), pages: Vec::new() }
    }

    /// Paints the outline for one page.
    pub(super) fn paint(&self, page: u32, html: &mut Html) {
        html.tag("<ol class=\"turns\">\n");
        let all = self.turns.len() <= ALL_TURNS;
        for number in 1..=self.pages.len().max(1) as u32 {
            let turns = self.turns_of(number);
            if self.pages.len() > 1 {
                self.page_line(number, page, turns, html);
            }
            if all || number == page {
                for turn in turns {
                    self.turn(turn, page, html);
                }
            }
        }
        html.tag("</ol>\n");
    }

    /// Paints links to the previous and the next page.
    pub(super) fn steps(&self, page: u32, html: &mut Html) {
        if self.pages.len() < 2 {
            return;
        }
        html.tag("<nav class=\"steps\" aria-label=\"Pages\">\n");
        let mut step = |to: u32, rel: &'static str, word: &'static str| {
            if let Some(way) = self.way(to) {
                html.tag("<a class=\"").tag(rel).tag("\" rel=\"").tag(rel).tag("\"");
                html.attribute("href", way).tag(">").tag(word).tag("</a>\n");
            }
        };
        step(page.wrapping_sub(1), "prev", "Previous page");
        step(page + 1, "next", "Next page");
        html.tag("<span>Page ").number(page.into()).tag(" of ");
        html.number(self.pages.len() as u64).tag("</span>\n</nav>\n");
    }

    /// Paints the heading of a turn, on the page where the turn begins or continues. `asked` is the
    /// prompt, for readers who navigate by headings.
    pub(super) fn heading(&self, number: TurnNumber, begins: bool, asked: &str, html: &mut Html) {
        html.tag("<h2><a href=\"");
        let entry = self.entry(number);
        if let Some(entry) = entry.filter(|_| !begins) {
            html.text(self.way(entry.page).map_or("", String::as_str));
        }
        html.tag("#turn-").number(number.into()).tag("\">Turn ");
        html.number(number.into()).tag("</a>");
        if !asked.is_empty() {
            html.tag("<span class=\"asked\">").text(asked).tag("</span>");
        }
        if !begins {
            html.tag(" <small>continued</small>");
        } else if let Some(entry) = entry {
            entry.facts(html);
        }
        html.tag("</h2>\n");
    }

    /// Returns the headline of a turn.
    pub(super) fn headline(&self, number: TurnNumber) -> &str {
        self.entry(number).map_or("", |entry| &entry.headline)
    }

    fn entry(&self, number: TurnNumber) -> Option<&OutlineEntry> {
        let at = self.turns.binary_search_by_key(&number, |turn| turn.number);
        at.ok().map(|at| &self.turns[at])
    }

    fn way(&self, page: u32) -> Option<&String> {
        self.pages.get((page as usize).checked_sub(1)?)
    }

    /// Returns the turns that begin on a page.
    fn turns_of(&self, page: u32) -> &[OutlineEntry] {
        let start = self.turns.partition_point(|turn| turn.page < page);
        let end = self.turns.partition_point(|turn| turn.page <= page);
        &self.turns[start..end]
    }

    fn page_line(&self, number: u32, page: u32, turns: &[OutlineEntry], html: &mut Html) {
        html.tag("<li class=\"page\"><a");
        html.attribute("href", self.way(number).map_or("", String::as_str));
        html.tag_if(number == page, " aria-current=\"page\"");
        html.tag(">Page ").number(number.into());
        if let (Some(first), Some(last)) = (turns.first(), turns.last()) {
            html.tag(" <small>").number(first.number.into());
            if first.number != last.number {
                html.tag("\u{2013}").number(last.number.into());
            }
            html.tag("</small>");
        }
        html.tag("</a></li>\n");
    }

    fn turn(&self, turn: &OutlineEntry, page: u32, html: &mut Html) {
        if let Some(day) = turn.day {
            let day = day.strftime("%A, %-d %B %Y").to_string();
            html.tag("<li class=\"day\">").text(&day).tag("</li>\n");
        }
        html.tag("<li><a href=\"");
        if turn.page != page {
            html.text(self.way(turn.page).map_or("", String::as_str));
        }
        html.tag("#turn-").number(turn.number.into()).tag("\"><span class=\"n\">");
        html.number(turn.number.into()).tag("</span> <span class=\"what\">");
        html.text(if turn.headline.is_empty() { "\u{2026}" } else { &turn.headline });
        html.tag("</span>");
        if turn.calls > 0 || ended_oddly(turn.outcome) {
            html.tag(" <small>");
            if turn.calls > 0 {
                html.text(&human::plural(turn.calls as usize, "call"));
            }
            if ended_oddly(turn.outcome) {
                html.tag(" <span class=\"odd\">").tag(turn.outcome.name()).tag("</span>");
            }
            html.tag("</small>");
        }
        html.tag("</a></li>\n");
        for said in &turn.said {
            self.said(said, page, html);
        }
    }

    fn said(&self, said: &OutlineRemark, page: u32, html: &mut Html) {
        let other = Some(said.page).filter(|&other| other != page);
        let way = other.and_then(|other| self.way(other)).map_or("", String::as_str);
        html.tag("<li class=\"said\"><a");
        html.attribute("href", &format!("{way}#e-{}", said.anchor));
        html.tag("><span class=\"what\">").text(&said.headline).tag("</span></a></li>\n");
    }
}

impl OutlineEntry {
    fn facts(&self, html: &mut Html) {
        let mut facts = Vec::new();
        if self.calls > 0 {
            facts.push(human::plural(self.calls as usize, "call"));
        }
        facts.extend(self.duration_ms.map(human::duration));
        if ended_oddly(self.outcome) {
            facts.push(self.outcome.name().to_owned());
        }
        if !facts.is_empty() {
            html.tag(" <small>").text(&facts.join(" \u{b7} ")).tag("</small>");
        }
    }
}

/// Returns the day that begins with each turn; empty if all turns are of one day.
fn days(turns: &[TurnHead]) -> Vec<Option<Date>> {
    // Beginning at the epoch makes the first day a new one.
    let mut calendar = DayTracker::new(TimeZone::UTC, Some(Time::from_millis(0)));
    let days = turns.iter().map(|turn| calendar.turn_to(turn.started)?.day);
    let days: Vec<Option<Date>> = days.collect();
    match days.iter().flatten().count() {
        0 | 1 => Vec::new(),
        _ => days,
    }
}

/// Returns whether the outcome of a turn is worth showing.
fn ended_oddly(outcome: TurnOutcome) -> bool {
    !matches!(outcome, TurnOutcome::Done)
}
