//! A session as styled lines for a terminal.
//!
//! Lines are handed out one by one as they are made, so that a pager can show the
//! first page of a long session at once. Nothing is printed here, and width, time zone
//! and what to fold are passed in.

mod agent;
mod agents_left;
mod call;
mod cards;
mod check;
mod explained;
mod focus;
mod hits;
mod list;
mod message;
mod past;
mod stats;
mod summary;
mod tree;

use std::collections::{BTreeMap, HashSet};
use std::io;

use jiff::tz::TimeZone;
use unspool_model::conversation::Liveness;
use unspool_model::graph::Rule;
use unspool_model::positions::GroupId;
use unspool_model::time::Time;

pub use agents_left::only_agents_left;
pub use cards::cards;
pub use check::{check_finding, check_rule, check_summary, check_table};
pub use explained::explained;
pub use hits::{HitLayout, hits_by_session, hits_in_order};
pub use list::{ListGroup, ListLayout, MARKS_LEGEND, rows as list_rows};
pub use past::past;
pub use stats::{StatsLayout, stats};
pub use summary::summary;
pub use tree::rows as tree_rows;
use unspool_text::human;
use unspool_text::style::{Line, Marks, Role, Style};

use crate::document::{Calendar, Folder, Interlude, Passage, Seam};
use unspool_engine::ops::locate::{Part, Spot};
use unspool_engine::ops::transcript::{Transcript, ViewKind};
use unspool_search::ranked::WordFinder;

/// How to show a session.
#[derive(Clone, Debug)]
pub struct Options {
    /// The columns to fill.
    pub width: usize,
    /// How much of the model's thinking is shown.
    pub thinking: Detail,
    /// How much of tool calls is shown.
    pub tools: Tools,
    /// How much of agents is shown.
    pub agents: Agents,
    /// The zone that times are shown in.
    pub zone: TimeZone,
    /// The words that the entry was found by which is asked for.
    pub find: Option<WordFinder>,
}

/// How a page of facts is laid out: cards, a summary.
#[derive(Clone, Debug)]
pub struct PageLayout {
    /// The columns to fill.
    pub width: usize,
    /// The zone that times are shown in.
    pub zone: TimeZone,
    /// The user's home folder, which paths are shortened by.
    pub user_home: Option<String>,
}

/// How much of something is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Detail {
    /// All of it.
    Full,
    /// A line of it.
    Folded,
}

/// How much of tool calls is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tools {
    /// Everything.
    Full,
    /// A line, and the beginning and end of what came back.
    Summary,
    /// A line.
    Line,
    /// Nothing.
    None,
}

/// How much of the agents' conversations is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Agents {
    /// What they are, the beginning of what they answered, and how to see more.
    Folded,
    /// All of it, under the call that started them.
    Inline,
    /// Nothing but the call.
    None,
}

/// Stands before the entry that was asked for.
const MARK: &str = "▼";

/// Returns what the line begins with that marks the entry which was asked for.
pub fn mark_of(spot: &Spot) -> String {
    format!("{MARK} {}", spot.short())
}

/// Shows a session line by line.
pub fn transcript(
    shown: &Transcript<'_>,
    options: &Options,
    out: &mut dyn FnMut(Line) -> io::Result<()>,
) -> io::Result<()> {
    let mut painter = Painter {
        shown,
        options,
        out,
        folder: Folder::new(shown.cwd()),
        turn: None,
        open: HashSet::new(),
        folded: 0,
        spaced: true,
    };
    painter.header()?;
    if only_agents_left(shown) {
        painter.emit_all(&Line::new(), agents_left::lines(shown, &options.zone))?;
    } else {
        painter.body()?;
    }
    painter.footer()
}

struct Painter<'p, 's> {
    shown: &'p Transcript<'s>,
    options: &'p Options,
    out: &'p mut dyn FnMut(Line) -> io::Result<()>,
    /// The session's folder.
    folder: Folder,
    /// The number of the turn that the message at hand begins.
    turn: Option<u32>,
    /// Agents that are being shown, so that one inside itself is not shown for ever.
    open: HashSet<String>,
    /// How many agents were folded.
    folded: usize,
    /// Whether the last line was blank or a rule.
    spaced: bool,
}

impl Painter<'_, '_> {
    fn emit(&mut self, prefix: &Line, line: Line) -> io::Result<()> {
        self.spaced = line.is_blank();
        (self.out)(line.indented(prefix).trimmed_end())
    }

    fn emit_all(&mut self, prefix: &Line, lines: Vec<Line>) -> io::Result<()> {
        lines
            .into_iter()
            .try_for_each(|line| self.emit(prefix, line))
    }

    fn blank(&mut self, prefix: &Line) -> io::Result<()> {
        if self.spaced {
            Ok(())
        } else {
            self.emit(prefix, Line::new())
        }
    }

    fn header(&mut self) -> io::Result<()> {
        let none = Line::new();
        for line in header(self.shown, &self.options.zone) {
            self.emit(&none, line.truncated(self.options.width.max(20)))?;
        }
        self.emit(&none, rule(self.options.width, None))?;
        self.spaced = true;
        Ok(())
    }

    fn body(&mut self) -> io::Result<()> {
        let shown = self.shown;
        let none = Line::new();
        let aside = Line::of("┊ ", Role::Muted);
        let mut reader = shown.reader();
        let mut last_group = None;
        let mut last = None;
        let start = shown.start();
        if start > shown.shown.start {
            let count = human::plural((start - shown.shown.start) as usize, "message");
            let words = format!("… {count} before this; without --at all are shown");
            self.emit(&none, Line::of(words, Role::Muted))?;
        }
        let zone = self.options.zone.clone();
        let mut calendar = Calendar::new(zone, shown.session.log().facts.started);
        let mut turns = (1u32..).zip(&shown.turns).peekable();
        for index in start..shown.shown.end {
            let message = &shown.view.messages[index as usize];
            // What was left out stands between messages of one group.
            if !message.left_out {
                self.branches(last_group, message.group)?;
                last_group = message.group;
            }
            while turns
                .next_if(|(_, turn)| turn.messages.start < index)
                .is_some()
            {}
            let begun = turns.next_if(|(_, turn)| turn.messages.start == index);
            self.turn = begun.map(|(number, _)| number);
            let passage = Passage::of(reader.read(&shown.view, message)?, &self.folder);
            if let Some(interlude) = calendar.turn_to(passage.time) {
                self.interlude(interlude)?;
            }
            if let Some(seam) = Seam::before(shown, last.replace(message), message) {
                self.rule_with(seam.words(), Role::Warning)?;
            }
            self.spot(index)?;
            let prefix = if passage.left_out { &aside } else { &none };
            if shown.at.as_ref().is_some_and(|at| at.message == index) {
                self.focused(&passage)?;
            } else {
                self.message(prefix, &passage, self.options.tools, 0)?;
            }
        }
        self.branches(last_group, None)
    }

    /// Says that another day begins, or that nothing was said for long.
    fn interlude(&mut self, interlude: Interlude) -> io::Result<()> {
        let role = match interlude.day {
            Some(_) => Role::Title,
            None => Role::Time,
        };
        self.rule_with(&interlude.words(), role)
    }

    /// Draws a line across the page with words in it.
    fn rule_with(&mut self, words: &str, role: Role) -> io::Result<()> {
        self.blank(&Line::new())?;
        let line = rule(self.options.width, Some((words, role)));
        self.emit(&Line::new(), line)?;
        self.blank(&Line::new())
    }

    /// Marks the message that was asked for.
    fn spot(&mut self, message: u32) -> io::Result<()> {
        let Some(spot) = self.shown.at.as_ref().filter(|at| at.message == message) else {
            return Ok(());
        };
        let short = spot.short();
        let words = match spot.part {
            Part::Said => format!(" {MARK} {short} "),
            Part::Result => format!(" {MARK} {short}, a result in this message "),
            Part::Beside => format!(" {MARK} {short}, next to this message "),
        };
        self.blank(&Line::new())?;
        let mut line = Line::of(words, Role::Match);
        let rest = self.options.width.saturating_sub(line.width());
        line.add("─".repeat(rest), Role::Rule);
        self.emit(&Line::new(), line)
    }

    /// Says where other paths leave this one, when the group they leave from has ended.
    fn branches(&mut self, before: Option<GroupId>, now: Option<GroupId>) -> io::Result<()> {
        let Some(group) = before.filter(|_| before != now) else {
            return Ok(());
        };
        let Some(leaving) = self.shown.leaving(group) else {
            return Ok(());
        };
        let others = leaving.numbers();
        let word = if others.len() == 1 {
            "other branch"
        } else {
            "other branches"
        };
        let listed: Vec<String> = others
            .iter()
            .take(12)
            .map(|index| format!("--path {index}"))
            .collect();
        let more = if others.len() > 12 { ", …" } else { "" };
        let mut line = Line::of("┣━ ", Role::Warning);
        line.add(
            format!("{} {word} from here: ", others.len()),
            Role::Warning,
        );
        line.add(format!("{}{more}", listed.join(", ")), Role::Id);
        self.emit(&Line::new(), line)?;
        self.blank(&Line::new())
    }

    fn footer(&mut self) -> io::Result<()> {
        let none = Line::new();
        if let Some(line) = unlinked(self.shown).filter(|_| !only_agents_left(self.shown)) {
            self.emit(&none, line)?;
        }
        self.emit(&none, rule(self.options.width, None))?;
        self.emit(&none, elsewhere(self.shown))?;
        match self.folded {
            0 => Ok(()),
            count => {
                let agents = human::plural(count, "folded agent");
                let words = format!("{agents}; --agents inline shows all of what they said");
                self.emit(&none, Line::of(words, Role::Muted))
            }
        }
    }
}

/// The lines above a session: what it is.
fn header(shown: &Transcript<'_>, zone: &TimeZone) -> Vec<Line> {
    let session = shown.session;
    let log = session.log();
    let facts = &log.facts;
    let title = shown
        .title()
        .unwrap_or_else(|| "(no conversation)".to_owned());
    let mut lines = vec![Line::of(
        title,
        Style::from(Role::Title).with(Marks::STRONG),
    )];

    let mut place = Line::of(session.id.as_str().to_owned(), Role::Id);
    for (symbol, role) in [(facts.cwd(), Role::Path), (facts.branch, Role::Plain)] {
        if let Some(symbol) = symbol {
            place
                .add("  ", Role::Plain)
                .add(log.text(symbol).to_owned(), role);
        }
    }
    if let Some(version) = facts.version {
        place.add(format!("  version {}", log.text(version)), Role::Muted);
    }
    if shown.live == Liveness::Live {
        place.add("  live", Role::Success);
    }
    lines.push(place);

    let mut figures = Line::new();
    if let (Some(started), Some(ended)) = (facts.started, facts.ended) {
        figures.add(clock(started, zone, ClockStyle::DateAndTime), Role::Time);
        figures.add(
            format!(" ({})", human::duration(ended.since(started))),
            Role::Muted,
        );
        figures.add(" · ", Role::Muted);
    }
    let mut said = vec![
        human::plural(shown.turns.len(), "turn"),
        human::plural(shown.view.messages.len(), "message"),
        format!("{} tokens", human::count(shown.tokens().sum())),
    ];
    if !shown.agents.is_empty() {
        said.push(human::plural(shown.agents.len(), "agent"));
    }
    figures.add(said.join(" · "), Role::Muted);
    lines.push(figures);
    lines.extend(agent_line(shown));
    lines.extend(path_line(shown));
    lines
}

/// The line that says which agent is shown, if one is.
fn agent_line(shown: &Transcript<'_>) -> Option<Line> {
    let id = shown.agent.as_ref()?;
    let agent = shown.agents.iter().find(|agent| agent.id == *id)?;
    let mut line = Line::of("agent ", Role::Muted);
    line.add(id.clone(), Role::Id);
    for said in [&agent.kind, &agent.description].into_iter().flatten() {
        line.add(format!(" · {said}"), Role::Muted);
    }
    Some(line)
}

/// The line that says which path is shown, when there is more than one or it is not plain history.
fn path_line(shown: &Transcript<'_>) -> Option<Line> {
    let count = shown.conversation.paths.paths.len();
    let path = shown.path.as_ref()?;
    let rule = shown.conversation.rule;
    if count < 2 && shown.kind == ViewKind::History && rule == Rule::Current {
        return None;
    }
    let mut line = Line::of(format!("path {} of {count}, ", path.index), Role::Muted);
    if path.active {
        line.add("active", Role::Success);
    } else {
        line.add(path.kind.words(), Role::Warning);
    }
    if shown.kind == ViewKind::Context {
        line.add(", as the model would be sent it", Role::Muted);
    }
    if rule != Rule::Current {
        line.add(format!(", by rule {}", rule.name()), Role::Muted);
    }
    Some(line)
}

/// Names the agents that nothing ties to a call.
pub(super) fn unlinked(shown: &Transcript<'_>) -> Option<Line> {
    shown.unlinked().next()?;
    let mut line = Line::of("agents that no call is known for: ", Role::Muted);
    for (index, agent) in shown.unlinked().enumerate() {
        line.add(if index == 0 { "" } else { ", " }, Role::Muted);
        line.add(agent.id.clone(), Role::Id);
        let count = human::plural(agent.message_count, "message");
        line.add(format!(" ({count})"), Role::Muted);
    }
    Some(line)
}

/// Says how many entries of the file the view does not show, and where they are.
fn elsewhere(shown: &Transcript<'_>) -> Line {
    let counts = shown.counts();
    let shown_active = shown.path.as_ref().is_none_or(|path| path.active);
    let left_out = shown.conversation.paths.count_left_out() as u64;
    let here = shown.view.messages.iter().any(|message| message.left_out);
    let mut parts = Vec::new();
    let mut part = |count: u64, what: &str| {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    };
    if shown_active {
        let others = counts.other_paths.saturating_sub(left_out);
        part(others, "on other paths (see tree)");
    } else {
        part(counts.active, "on the active path");
    }
    if !here {
        part(left_out, "left out at a resume (--left-out show)");
    }
    part(counts.agents, "of agents");
    part(counts.metadata, "metadata");
    part(counts.damaged, "damaged");
    let mut line = Line::of(human::plural(counts.entries as usize, "entry"), Role::Muted);
    if parts.is_empty() {
        line.add(", all of them here", Role::Muted);
    } else {
        line.add(
            format!(" in the file; elsewhere: {}", parts.join(", ")),
            Role::Muted,
        );
    }
    line
}

/// A line across the page, with words in it or without.
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

/// How a time is shown.
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
        ClockStyle::Year => "%Y",
    };
    instant.to_zoned(zone.clone()).strftime(format).to_string()
}

/// Shortens a path inside the user's home folder.
fn tilde(path: &str, home: Option<&str>) -> String {
    let home = home
        .map(|home| home.trim_end_matches('/'))
        .filter(|home| !home.is_empty());
    let rest = home.and_then(|home| path.strip_prefix(home));
    match rest.filter(|rest| rest.is_empty() || rest.starts_with('/')) {
        Some(rest) => format!("~{rest}"),
        None => path.to_owned(),
    }
}

/// Returns tools with how often they were called, the most used first.
fn by_use(tools: &BTreeMap<String, usize>) -> Vec<(&str, usize)> {
    let mut tools: Vec<(&str, usize)> = tools
        .iter()
        .map(|(tool, count)| (tool.as_str(), *count))
        .collect();
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
