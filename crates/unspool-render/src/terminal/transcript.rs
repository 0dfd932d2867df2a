//! A transcript in the terminal: its header, its messages, and its footer.

use std::io;
use std::ops::Range;

use jiff::tz::TimeZone;
use unspool_model::conversation::Liveness;
use unspool_model::graph::Rule;
use unspool_text::human;
use unspool_text::style::{Emphasis, Line, Role, Style};

use super::surface::{Spacing, TerminalSurface};
use super::{AgentDisplay, ClockStyle, Options, Tools, agents_left, clock, only_agents_left, rule};
use crate::document::{AgentLayout, Playback, PlaybackRequest};
use unspool_engine::ops::message::MediaBytes;
use unspool_engine::ops::transcript::{Transcript, ViewKind};

/// Passes the lines of a transcript to `out`, one by one.
pub fn transcript(
    shown: &Transcript<'_>,
    options: &Options,
    out: &mut dyn FnMut(Line) -> io::Result<()>,
) -> io::Result<()> {
    for line in header(shown, &options.zone) {
        out(line.truncated(options.width.max(20)).trimmed_end())?;
    }
    out(rule(options.width, None))?;
    let mut folded = 0;
    if only_agents_left(shown) {
        let lines = agents_left::lines(shown, &options.zone);
        lines.into_iter().try_for_each(|line| out(line.trimmed_end()))?;
    } else {
        before(shown).map_or(Ok(()), &mut *out)?;
        let messages = TranscriptLines::new(shown, options);
        folded = messages.paint(messages.messages(), first_spacing(shown), out)?.0;
        unlinked(shown).map_or(Ok(()), &mut *out)?;
    }
    out(rule(options.width, None))?;
    out(elsewhere(shown))?;
    if folded > 0 {
        let agents = human::plural(folded, "folded agent");
        let words = format!("{agents}; --agents inline shows all of what they said");
        out(Line::of(words, Role::Muted))?;
    }
    Ok(())
}

/// The messages of a transcript as lines, for one range at a time.
///
/// The lines of consecutive ranges are those that [`transcript`] shows between its header and its
/// footer. The work is proportional to the range and the message before it; the first range that
/// does not start at the beginning also walks the tables of the log once.
///
/// ```no_run
/// use unspool_engine::ops::transcript::{Transcript, TranscriptRequest};
/// use unspool_render::terminal::{Options, TranscriptLines};
/// # fn example(
/// #     session: &unspool_store::session::Session,
/// #     options: &Options,
/// # ) -> Result<(), Box<dyn std::error::Error>> {
/// let shown = Transcript::new(session, &TranscriptRequest::default())?;
/// let lines = TranscriptLines::new(&shown, options);
/// let end = lines.messages().end;
/// for line in lines.lines(end.saturating_sub(20)..end)? {
///     println!("{}", line.plain());
/// }
/// # Ok(())
/// # }
/// ```
pub struct TranscriptLines<'a> {
    pub(super) playback: Playback<'a>,
    pub(super) shown: &'a Transcript<'a>,
    pub(super) options: &'a Options,
}

impl<'a> TranscriptLines<'a> {
    /// Creates the lines of a transcript.
    pub fn new(shown: &'a Transcript<'a>, options: &'a Options) -> Self {
        let stage = PlaybackRequest {
            agents: agent_layout(shown, options),
            zone: options.zone.clone(),
            media: MediaBytes::Counted,
            ..PlaybackRequest::new(shown)
        };
        Self { playback: Playback::new(stage), shown, options }
    }

    /// Returns the positions of all messages to show.
    pub fn messages(&self) -> Range<u32> {
        self.playback.messages()
    }

    /// Returns the lines of a range of messages; positions outside of [`Self::messages`] are ignored.
    pub fn lines(&self, range: Range<u32>) -> io::Result<Vec<Line>> {
        let range = self.playback.within(range);
        let end = |before| Ok(self.paint(before, Spacing::Unknown, &mut |_| Ok(()))?.1);
        let spacing = self.spacing_before(range.start, end)?;
        let mut lines = Vec::new();
        self.paint(range, spacing, &mut |line| {
            lines.push(line);
            Ok(())
        })?;
        Ok(lines)
    }

    /// Returns the spacing above a message. It depends only on the last message before it that has
    /// lines; `end` paints a range and returns the spacing below it.
    pub(super) fn spacing_before(
        &self,
        index: u32,
        end: impl Fn(Range<u32>) -> io::Result<Spacing>,
    ) -> io::Result<Spacing> {
        for before in (self.messages().start..index).rev() {
            let spacing = end(before..before + 1)?;
            if spacing != Spacing::Unknown {
                return Ok(spacing);
            }
        }
        Ok(first_spacing(self.shown))
    }

    /// Paints a range below lines with this spacing; returns the number of folded agents and the
    /// spacing below the range.
    fn paint(
        &self,
        range: Range<u32>,
        spacing: Spacing,
        out: &mut dyn FnMut(Line) -> io::Result<()>,
    ) -> io::Result<(usize, Spacing)> {
        let mut surface = TerminalSurface::new(self.shown, self.options, spacing, out);
        self.playback.play_range(range, &mut surface)?;
        Ok((surface.folded, surface.spacing))
    }
}

/// Returns where agents are shown. Without tools no call is shown, except in the requested message.
fn agent_layout(shown: &Transcript<'_>, options: &Options) -> AgentLayout {
    let shows_calls = options.tools != Tools::None || shown.at.is_some();
    match options.agents {
        AgentDisplay::Inline if shows_calls => AgentLayout::Inline,
        AgentDisplay::Inline | AgentDisplay::Folded | AgentDisplay::None => AgentLayout::None,
    }
}

/// Returns a note about the messages before the first one that is shown.
fn before(shown: &Transcript<'_>) -> Option<Line> {
    let count = shown.start().checked_sub(shown.shown.start).filter(|&count| count > 0)?;
    let count = human::plural(count as usize, "message");
    let words = format!("… {count} before this; without --at all are shown");
    Some(Line::of(words, Role::Muted))
}

/// Returns the spacing above the first message, which follows a rule or [`before`].
fn first_spacing(shown: &Transcript<'_>) -> Spacing {
    match before(shown) {
        Some(_) => Spacing::Text,
        None => Spacing::Blank,
    }
}

/// Returns the lines above the messages.
fn header(shown: &Transcript<'_>, zone: &TimeZone) -> Vec<Line> {
    let session = shown.session;
    let log = session.log();
    let facts = &log.facts;
    let title = shown.title().unwrap_or_else(|| "(no conversation)".to_owned());
    let mut lines = vec![Line::of(title, Style::from(Role::Title).with(Emphasis::STRONG))];

    let mut place = Line::of(session.id.as_str().to_owned(), Role::Id);
    for (symbol, role) in [(facts.cwd(), Role::Path), (facts.branch, Role::Plain)] {
        if let Some(symbol) = symbol {
            place.add("  ", Role::Plain).add(log.text(symbol).to_owned(), role);
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
    if let (Some(started), Some(ended)) = (shown.started(), shown.ended()) {
        figures.add(clock(started, zone, ClockStyle::DateAndTime), Role::Time);
        figures.add(format!(" ({})", human::duration(ended.since(started))), Role::Muted);
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

/// Returns a line about the agent that is shown, if any.
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

/// Returns a line about the path that is shown, if there are several or it is not plain history.
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

/// Names the agents that no call leads to.
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

/// Counts the entries of the file that the view does not show, by where they are.
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
        line.add(format!(" in the file; elsewhere: {}", parts.join(", ")), Role::Muted);
    }
    line
}
