//! Paints the reader.

use jiff::tz::TimeZone;
use ratatui::layout::Rect;
use unspool_model::conversation::Liveness;
use unspool_text::style::{Emphasis, Line, Role, Style};
use unspool_text::{human, wrap};

use super::document::SearchDirection;
use super::layout::{MARGIN, ReadLayout};
use super::pane::{OpenPane, SidePane};
use super::screen::{ReadFocus, ReaderScreen};
use super::strand::OpenConversation;
use crate::canvas::Canvas;
use crate::screen::{ViewContext, clock};
use crate::work::reader::ReadProblem;
use crate::work::reader::aside::OutlineRow;

impl ReaderScreen {
    /// Paints the screen, except for its last row.
    pub(super) fn paint(&self, canvas: &mut Canvas<'_>, cx: &ViewContext<'_>) {
        let layout = self.layout();
        let strand = self.strand();
        header(canvas, &layout, self);
        if strand.document.is_empty() {
            empty(canvas, layout.transcript, strand);
        } else {
            transcript(canvas, &layout, self);
            bar(canvas, &layout, strand);
        }
        if let Some(area) = layout.outline {
            outline(canvas, area, self, &cx.settings.zone);
        }
        if let (Some(area), Some(pane)) = (layout.pane, &self.pane) {
            paint_pane(canvas, area, self, pane, &cx.settings.zone);
        }
        rule(canvas, &layout, self);
    }
}

/// Paints the title, and the position in the conversation.
fn header(canvas: &mut Canvas<'_>, layout: &ReadLayout, screen: &ReaderScreen) {
    let strand = screen.strand();
    let Some(facts) = &strand.facts else {
        let words = match &strand.problem {
            Some(_) => " ",
            None => " …",
        };
        return canvas.line(layout.header, 0, &Line::of(words, Role::Muted));
    };
    let (turn, turns) = strand.turn();
    let mut right = Line::new();
    if facts.live == Liveness::Live {
        right.add("● live   ", Role::Success);
    }
    if let (Some(path), true) = (facts.path, facts.path_count > 1) {
        right.add(format!("path {path} of {}", facts.path_count), Role::Muted);
        let mut paths = facts.paths.iter();
        if paths.any(|it| it.number == path && it.is_active) {
            right.add(" active", Role::Success);
        }
        right.add("   ", Role::Plain);
    }
    if turns > 0 {
        right.add(format!("turn {turn}/{turns}   "), Role::Muted);
    }
    right.add(format!("{:>3} % ", percent(strand)), Role::Muted);
    let room = usize::from(layout.header.width).saturating_sub(right.width() + 2);
    let mut title = Line::of(" ", Role::Plain);
    if let Some(agent) = &facts.agent {
        title.add("agent ", Role::Muted);
        title.add(agent.clone(), Role::Title);
    } else {
        let words = facts.title.clone().unwrap_or_else(|| "(no conversation)".to_owned());
        title.add(words, Style::from(Role::Title).with(Emphasis::STRONG));
    }
    canvas.line(layout.header, 0, &title.truncated(room));
    canvas.line_at_end(layout.header, 0, &right);
}

fn percent(strand: &OpenConversation) -> u64 {
    if strand.shows_end() {
        return 100;
    }
    let (above, total) = strand.document.position(strand.top);
    let seen = above + strand.height as u64;
    (seen.min(total) * 100).checked_div(total).unwrap_or(100).min(99)
}

/// Explains why there are no lines.
fn empty(canvas: &mut Canvas<'_>, area: Rect, strand: &OpenConversation) {
    let mut lines = Vec::new();
    match (&strand.problem, &strand.facts) {
        (Some(ReadProblem::Failed(words)), _) => {
            lines.push(Line::of(words.clone(), Role::Failure));
        }
        (Some(ReadProblem::Gone), None) => {
            lines.push(Line::of("the log of this session is gone", Role::Warning));
        }
        (_, Some(facts)) => {
            let words = "there is no conversation in this session's log";
            lines.push(Line::of(words, Role::Muted));
            if facts.agents > 0 {
                let left = match facts.agents {
                    1 => "1 agent is left".to_owned(),
                    more => format!("{more} agents are left"),
                };
                lines.push(Line::of(format!("{left}; ga lists them"), Role::Muted));
            }
        }
        (Some(ReadProblem::Replaced) | None, None) => return,
    }
    let part = Rect { x: area.x + MARGIN, width: area.width.saturating_sub(MARGIN + 1), ..area };
    let width = usize::from(part.width).max(1);
    let lines = lines.iter().flat_map(|line| wrap(line, width));
    for (row, line) in (1..).zip(lines) {
        canvas.line(part, row, &line);
    }
}

/// Paints the rows of the conversation, with a bar along the block at the cursor.
fn transcript(canvas: &mut Canvas<'_>, layout: &ReadLayout, screen: &ReaderScreen) {
    let strand = screen.strand();
    let area = layout.transcript;
    let text = Rect { x: area.x + MARGIN, width: area.width.saturating_sub(MARGIN + 1), ..area };
    let cursor = strand.document.resolve(strand.cursor, SearchDirection::Down);
    let rows = strand.document.rows(strand.top, usize::from(area.height));
    for (row, shown) in (0..).zip(&rows) {
        match (shown.line, &strand.search) {
            (Some(line), Some(search)) => canvas.line(text, row, &search.find.mark(line)),
            (Some(line), None) => canvas.line(text, row, line),
            (None, _) if shown.block.is_none() && shown.place.line == 0 => {
                canvas.line(text, row, &Line::of("…", Role::Muted));
            }
            (None, _) => {}
        }
        let Some(cursor) = cursor else {
            continue;
        };
        let body = shown.block.map_or(0, unspool_render::terminal::ReaderBlock::body);
        if shown.place == cursor {
            canvas.text(area, (1, row), "▌", Role::User);
            if screen.focus == ReadFocus::Text && screen.typed.is_none() {
                canvas.set_cursor(area.x + 1, area.y + row);
            }
        } else if shown.place.key == cursor.key && shown.place.line < body {
            canvas.text(area, (1, row), "▌", Role::Muted);
        }
    }
}

/// Paints the scroll bar, with marks for prompts, errors and matches.
fn bar(canvas: &mut Canvas<'_>, layout: &ReadLayout, strand: &OpenConversation) {
    let area = layout.transcript;
    let height = usize::from(area.height);
    let (above, total) = strand.document.position(strand.top);
    if height == 0 {
        return;
    }
    // In a text shorter than the screen, each row is next to its mark.
    let total = total.max(height as u64);
    let row_of = |row: u64| ((row * height as u64) / total).min(height as u64 - 1) as usize;
    let first = row_of(above);
    let last = row_of((above + height as u64).saturating_sub(1).min(total - 1));
    let mut cells: Vec<(&str, Role)> = (0..height)
        .map(|row| match row {
            row if (first..=last).contains(&row) => ("█", Role::Muted),
            0 => ("╻", Role::Rule),
            row if row + 1 == height => ("╹", Role::Rule),
            _ => ("┃", Role::Rule),
        })
        .collect();
    let place_of = |message: u32| row_of(strand.document.rows_above(message));
    let mut tick = |message: u32, sign: &'static str, role: Role| {
        cells[place_of(message)] = (sign, role);
    };
    if let Some(facts) = &strand.facts {
        // Prompts are marked only if enough of the bar remains visible.
        let is_crowded = facts.turns.len() * 2 > height;
        let turns = facts.turns.iter().filter(|_| !is_crowded);
        for &message in turns.filter(|it| !(first..=last).contains(&place_of(**it))) {
            tick(message, "╺", Role::User);
        }
        let marks = (0..).zip(facts.marks.iter());
        for (message, _) in marks.filter(|(_, mark)| mark.is_error()) {
            tick(message, "✗", Role::Failure);
        }
    }
    let search = strand.search.as_ref();
    for found in search.and_then(|it| it.found.as_ref()).into_iter().flatten() {
        tick(found.message as u32, "•", Role::Warning);
    }
    let column = layout.bar() - area.x;
    for (row, (sign, role)) in (0..).zip(cells) {
        // A mark in the visible part is highlighted.
        let is_shown = (first..=last).contains(&usize::from(row));
        canvas.text(area, (column, row), sign, role);
        if is_shown && sign != "█" {
            canvas.select(Rect { x: area.x + column, y: area.y + row, width: 1, height: 1 });
        }
    }
}

/// Paints the outline, one turn in each row.
fn outline(canvas: &mut Canvas<'_>, area: Rect, screen: &ReaderScreen, zone: &TimeZone) {
    let strand = screen.strand();
    let inside = Rect { width: area.width.saturating_sub(2), ..area };
    for row in 0..area.height {
        canvas.text(area, (area.width - 1, row), "│", Role::Rule);
    }
    let list = &screen.outline;
    let first = list.first(usize::from(area.height));
    let current = strand.turn().0.checked_sub(1);
    let turns = (0..).zip(&strand.outline).skip(first);
    for (row, (number, turn)) in (0..area.height).zip(turns) {
        canvas.line(inside, row, &outline_line(number, turn, zone, usize::from(inside.width)));
        let line = Rect { y: inside.y + row, height: 1, ..inside };
        if current == Some(number) {
            canvas.text(inside, (0, row), "▌", Role::User);
        }
        if screen.focus == ReadFocus::Outline && number == list.chosen {
            canvas.select(line);
            canvas.set_cursor(line.x, line.y);
        }
    }
}

fn outline_line(number: usize, turn: &OutlineRow, zone: &TimeZone, width: usize) -> Line {
    let mut line = Line::of(format!("{:>4} ", number + 1), Role::Muted);
    if let Some(time) = turn.time {
        line.add(format!("{} ", clock(time, zone)), Role::Time);
    }
    let mut signs = Line::new();
    for (is_there, sign, role) in [
        (turn.failed > 0, "✗", Role::Failure),
        (turn.is_compacted, "═", Role::Warning),
        (turn.is_forked, "┣", Role::Warning),
    ] {
        if is_there {
            signs.add(sign, role);
        }
    }
    line.add(turn.words.clone(), Role::Plain);
    let room = width.saturating_sub(signs.width() + usize::from(!signs.is_blank()));
    let mut line = line.truncated(room);
    if !signs.is_blank() {
        line.pad(room.saturating_sub(line.width()) + 1);
        line.append(signs);
    }
    line
}

/// Paints a pane next to the transcript, or over it.
fn paint_pane(
    canvas: &mut Canvas<'_>,
    area: Rect,
    screen: &ReaderScreen,
    pane: &OpenPane,
    zone: &TimeZone,
) {
    let title = match pane.side {
        SidePane::Outline => "Outline",
        SidePane::Rows(kind) => kind.title(),
    };
    let has_focus = screen.focus == ReadFocus::Pane;
    let role = if has_focus { Role::Title } else { Role::Muted };
    let inside = canvas.frame(area, &Line::of(title, role), &Line::of("Esc closes", Role::Muted));
    let text = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
    let height = usize::from(inside.height);
    let first = pane.list.first(height);
    match (pane.side, &pane.rows) {
        (SidePane::Outline, _) => {
            let turns = (0..).zip(&screen.strand().outline).skip(first);
            for (row, (number, turn)) in (0..inside.height).zip(turns) {
                let line = outline_line(number, turn, zone, usize::from(text.width));
                canvas.line(text, row, &line);
            }
        }
        (SidePane::Rows(_), Some(Ok(rows))) => {
            for (row, shown) in (0..inside.height).zip(rows.iter().skip(first)) {
                canvas.line(text, row, &shown.line);
            }
        }
        (SidePane::Rows(_), Some(Err(words))) => {
            canvas.line(text, 0, &Line::of(words.clone(), Role::Failure));
        }
        (SidePane::Rows(_), None) => canvas.line(text, 0, &Line::of("…", Role::Muted)),
    }
    if has_focus {
        let row = (pane.list.chosen - first) as u16;
        if row < inside.height {
            let line = Rect { y: inside.y + row, height: 1, ..inside };
            canvas.select(line);
            canvas.set_cursor(line.x, line.y);
        }
    }
}

/// Paints the rule below the transcript, or the search that is being typed.
fn rule(canvas: &mut Canvas<'_>, layout: &ReadLayout, screen: &ReaderScreen) {
    let strand = screen.strand();
    let width = usize::from(layout.rule.width);
    if let Some(line) = &screen.typed {
        let mut typed = Line::of(" / ", Role::Id);
        typed.add(line.text().to_owned(), Role::Plain);
        canvas.line(layout.rule, 0, &typed.truncated(width));
        let column = 3 + line.cursor_column() as u16;
        let column = column.min(layout.rule.width.saturating_sub(1));
        return canvas.set_cursor(column, layout.rule.y);
    }
    let full = Line::of(format!(" {} ", "─".repeat(width.saturating_sub(2))), Role::Rule);
    canvas.line(layout.rule, 0, &full);
    let (left, right) = (log_message(strand), news(strand));
    let label = |line: Line| {
        let mut label = Line::of(" ", Role::Plain);
        label.append(line).add(" ", Role::Plain);
        label
    };
    let room = width.saturating_sub(12);
    if !left.is_blank() {
        let part = Rect {
            x: layout.rule.x + 3,
            width: layout.rule.width.saturating_sub(6),
            ..layout.rule
        };
        canvas.line(part, 0, &label(left).truncated(room));
    }
    if !right.is_blank() {
        let part = Rect { width: layout.rule.width.saturating_sub(6), ..layout.rule };
        canvas.line_at_end(part, 0, &label(right).truncated(room));
    }
}

/// Returns a message about the log.
fn log_message(strand: &OpenConversation) -> Line {
    let warning = |words: String| Line::of(words, Role::Warning);
    match &strand.problem {
        Some(ReadProblem::Gone) => {
            return warning("the log is gone; this is what was read".to_owned());
        }
        Some(ReadProblem::Replaced) => {
            return warning("the log was replaced · Ctrl-L reads it again".to_owned());
        }
        // Without lines, the error is shown in place of the text.
        Some(ReadProblem::Failed(words)) if !strand.document.is_empty() => {
            return warning(words.clone());
        }
        Some(ReadProblem::Failed(_)) | None => {}
    }
    if let Some(path) = strand.flipped_to {
        return warning(format!("the session goes on along path {path} · P"));
    }
    let damaged = strand.facts.as_ref().map_or(0, |facts| facts.damaged);
    if damaged > 0 {
        return warning(human::plural(damaged as usize, "damaged line"));
    }
    Line::new()
}

/// Returns the matches of the search, the follow mode, and the number of new messages.
fn news(strand: &OpenConversation) -> Line {
    let mut line = Line::new();
    if let Some(search) = &strand.search {
        let words = match &search.found {
            None => format!("{:?} …", search.text),
            Some(found) => {
                let count: usize = found.iter().map(|found| found.count).sum();
                let word = if count == 1 { "match" } else { "matches" };
                format!("{:?} {count} {word}", search.text)
            }
        };
        line.add(words, Role::Match);
    }
    let mut add = |words: String, role: Role| {
        if !line.is_blank() {
            line.add(" ─ ", Role::Rule);
        }
        line.add(words, role);
    };
    let is_live = strand.facts.as_ref().is_some_and(|facts| facts.live == Liveness::Live);
    match (strand.follows, strand.unseen()) {
        (true, _) if !is_live => {}
        (true, _) => add("following · F".to_owned(), Role::Muted),
        (false, 0) => {}
        (false, count) => add(format!("↓ {count} new · G"), Role::Success),
    }
    line
}
