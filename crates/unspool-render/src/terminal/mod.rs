//! A session as styled lines for a terminal.
//!
//! Each line is passed on as soon as it is built, so that a pager can show the first page of a long
//! session at once. The module prints nothing; width, time zone and fold levels are passed in.

mod agent;
mod agents_left;
mod asked;
mod blocks;
mod call;
mod cards;
mod changes;
mod check;
mod compare;
mod context;
mod explained;
mod focus;
mod hits;
mod insight;
mod list;
mod live;
mod message;
mod past;
mod recap;
mod secrets;
mod stats;
mod summary;
mod surface;
mod timeline;
mod transcript;
mod tree;
mod watch;

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use unspool_model::time::Time;

pub use agents_left::only_agents_left;
pub use asked::asked_lines;
pub use blocks::{BlockCall, BlockKey, ReaderBlock, ReaderBlockKind, TranscriptBlocks};
pub use cards::cards;
pub use changes::changes;
pub use check::{check_finding, check_rule, check_summary, check_table};
pub use compare::compare;
pub use context::{context_fill, context_meter, context_series};
pub use explained::explained;
pub use hits::{HitLayout, hits_by_session, hits_in_order};
pub use list::{ListGroup, ListLayout, MARKS_LEGEND, rows as list_rows};
pub use live::live_states;
pub use past::past;
pub use recap::recap;
pub use secrets::{PlacesShown, secrets_summary, secrets_table};
pub use stats::{StatsLayout, stats};
pub use summary::{summary, summary_with_context};
pub use surface::{DiffSides, FoldHints, FoldLevel};
pub use timeline::timeline;
use transcript::unlinked;
pub use transcript::{TranscriptLines, transcript};
pub use tree::rows as tree_rows;
use unspool_text::style::{Line, Role};
pub use watch::{WatchLabels, WatchPainter};

use unspool_engine::ops::locate::EntrySpot;
use unspool_search::ranked::WordFinder;

/// Options for showing a session.
#[derive(Clone, Debug)]
pub struct Options {
    /// The width in columns.
    pub width: usize,
    /// How much of the model's thinking is shown.
    pub thinking: DetailLevel,
    /// How much of tool calls is shown.
    pub tools: Tools,
    /// How much of agents is shown.
    pub agents: AgentDisplay,
    /// The time zone of the times.
    pub zone: TimeZone,
    /// The search that found the requested entry.
    pub find: Option<WordFinder>,
}

/// The layout of a page of facts: cards, a summary.
#[derive(Clone, Debug)]
pub struct PageLayout {
    /// The width in columns.
    pub width: usize,
    /// The time zone of the times.
    pub zone: TimeZone,
    /// The user's home folder, which paths show as `~`.
    pub user_home: Option<String>,
}

/// How much of something is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DetailLevel {
    /// All of it.
    Full,
    /// One line.
    Folded,
}

/// How much of tool calls is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tools {
    /// Everything.
    Full,
    /// One line, and the beginning and the end of the result.
    Summary,
    /// One line.
    Line,
    /// Nothing.
    None,
}

/// How much of the agents' conversations is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgentDisplay {
    /// The facts about an agent, the beginning of its answer, and how to see more.
    Folded,
    /// All of them, under the calls that started the agents.
    Inline,
    /// Only the calls.
    None,
}

/// The mark before the requested entry.
const MARK: &str = "▼";

/// Returns the beginning of the line that marks the requested entry.
pub fn mark_of(spot: &EntrySpot) -> String {
    format!("{MARK} {}", spot.short())
}

/// Returns a line across the page, with or without words.
fn rule(width: usize, words: Option<(&str, Role)>) -> Line {
    let width = width.max(10);
    let Some((words, role)) = words else {
        return Line::of("─".repeat(width), Role::Rule);
    };
    let mut line = Line::of("── ", Role::Rule);
    line.add(words.to_owned(), role).add(" ", Role::Rule);
    let rest = width.saturating_sub(line.width());
    line.add("─".repeat(rest.max(2)), Role::Rule);
    line
}

/// The format of a time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ClockStyle {
    /// `2026-11-09 08:28`
    DateAndTime,
    /// `11-09 08:28`
    DayAndTime,
    /// `2026-11-09`
    Date,
    /// `Nov 9, 2026`
    Day,
    /// `Monday, Nov 9, 2026`
    Weekday,
    /// `08:28`
    Time,
    /// `08:28:01`
    Seconds,
    /// `2026`
    Year,
}

fn clock(time: Time, zone: &TimeZone, style: ClockStyle) -> String {
    let Ok(instant) = jiff::Timestamp::from_millisecond(time.as_millis()) else {
        return String::new();
    };
    let format = match style {
        ClockStyle::DateAndTime => "%Y-%m-%d %H:%M",
        ClockStyle::DayAndTime => "%m-%d %H:%M",
        ClockStyle::Date => "%Y-%m-%d",
        ClockStyle::Day => "%b %-d, %Y",
        ClockStyle::Weekday => "%A, %b %-d, %Y",
        ClockStyle::Time => "%H:%M",
        ClockStyle::Seconds => "%H:%M:%S",
        ClockStyle::Year => "%Y",
    };
    instant.to_zoned(zone.clone()).strftime(format).to_string()
}

/// Replaces the user's home folder in a path with `~`.
fn tilde(path: &str, home: Option<&str>) -> String {
    let home = home.map(|home| home.trim_end_matches('/')).filter(|home| !home.is_empty());
    let rest = home.and_then(|home| path.strip_prefix(home));
    match rest.filter(|rest| rest.is_empty() || rest.starts_with('/')) {
        Some(rest) => format!("~{rest}"),
        None => path.to_owned(),
    }
}

/// Returns tools with their numbers of calls, the most used first.
fn by_use(tools: &BTreeMap<String, usize>) -> Vec<(&str, usize)> {
    let mut tools: Vec<(&str, usize)> =
        tools.iter().map(|(tool, count)| (tool.as_str(), *count)).collect();
    tools.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    tools
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_inside_the_home_folder_are_shortened() {
        for (path, home, expected) in [
            ("/home/dev/x", Some("/home/dev"), "~/x"),
            ("/home/dev/x", Some("/home/dev/"), "~/x"),
            ("/home/dev", Some("/home/dev"), "~"),
            ("/home/developer", Some("/home/dev"), "/home/developer"),
            ("/x", Some("/"), "/x"),
            ("/x", None, "/x"),
        ] {
            assert_eq!(tilde(path, home), expected, "{path} {home:?}");
        }
    }
}
