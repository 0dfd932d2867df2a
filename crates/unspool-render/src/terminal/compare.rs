//! Two paths side by side, for a terminal.

use unspool_model::conversation::TurnOutcome;
use unspool_model::ids::short;
use unspool_text::style::{Emphasis, Line, Role, Style};
use unspool_text::table::Table;
use unspool_text::{human, sanitize};

use super::insight::{InsightPage, changed_lines, left, muted, table, when};
use super::summary::outcome;
use super::{ClockStyle, PageLayout, clock};
use crate::document::{StartFolder, spoken};
use unspool_engine::ops::changes::EditTotals;
use unspool_engine::ops::path_diff::{ForkPoint, PathDiff, PathSide};
use unspool_engine::ops::transcript::Transcript;

/// The most lines of the last answer.
const ANSWER_LINES: usize = 6;

/// Draws two paths of a transcript's conversation.
pub fn compare(shown: &Transcript<'_>, diff: &PathDiff, layout: &PageLayout) -> Vec<Line> {
    let mut page = InsightPage::new(shown, layout);
    page.lines.push(parting(diff, layout));
    page.lines.push(Line::new());
    for line in sides(diff, layout).lines(page.room()) {
        page.line(line);
    }
    page.heading("Prompts since then");
    for side in [&diff.a, &diff.b] {
        prompts(&mut page, side);
    }
    let folder = StartFolder::new(shown.cwd());
    page.section("Files", files(diff, &folder));
    page.heading("How they ended");
    for side in [&diff.a, &diff.b] {
        last_answer(&mut page, side);
    }
    page.lines
}

fn name(side: &PathSide) -> String {
    format!("path {}", side.number)
}

/// Returns a line about the fork point of the paths.
fn parting(diff: &PathDiff, layout: &PageLayout) -> Line {
    let mut line = Line::of(format!("{} and {} ", name(&diff.a), name(&diff.b)), Role::Plain);
    let Some(ForkPoint { entry, time, turn }) = &diff.fork else {
        line.add("have nothing in common", Role::Muted);
        return line;
    };
    match turn {
        Some(turn) => line.add(format!("part in turn {turn}"), Role::Muted),
        None => line.add("part before the first turn", Role::Muted),
    };
    if let Some(time) = time {
        let time = clock(*time, &layout.zone, ClockStyle::DateAndTime);
        line.add(format!(", {time}"), Role::Time);
    }
    if let Some(entry) = entry {
        line.add(" ", Role::Plain).add(short(entry.as_str()), Role::Id);
    }
    let shared = human::plural(diff.shared_messages, "message");
    line.add(format!(" after {shared}"), Role::Muted);
    line.truncated(layout.width)
}

/// Builds a table with one row for each fact and one column for each path.
fn sides(diff: &PathDiff, layout: &PageLayout) -> Table {
    let mut table =
        Table::new(vec![left(), left().min(12).priority(200), left().min(12).priority(200)]);
    let mut row = |name: &str, of: &dyn Fn(&PathSide) -> Line| {
        let cells = [of(&diff.a), of(&diff.b)];
        if cells.iter().any(|cell| !cell.is_blank()) {
            let [a, b] = cells;
            table.row(vec![muted(name), a, b]);
        }
    };
    let strong = |text: String| Line::of(text, Style::from(Role::Id).with(Emphasis::STRONG));
    let count = |count: usize| match count {
        0 => Line::new(),
        count => Line::of(count.to_string(), Role::Number),
    };
    row("", &|side| strong(format!("--path {}", side.number)));
    row("", &|side| Line::of(side.kind.words(), Role::Plain));
    row("ended", &|side| match side.outcome {
        Some(how) => ended(how),
        None => muted("nothing is only here"),
    });
    row("turns", &|side| count(side.turns.len()));
    row("messages", &|side| count(side.messages));
    row("calls", &|side| {
        let mut line = count(side.calls as usize);
        if side.failed_calls > 0 {
            line.add(format!(" ({} failed)", side.failed_calls), Role::Failure);
        }
        line
    });
    row("agents", &|side| count(side.agents as usize));
    row("changed", &|side| match side.edits.edits {
        0 => Line::new(),
        _ => changed_lines(side.edits.added, side.edits.removed),
    });
    row("tokens", &|side| match side.spending.tokens.sum() {
        0 => Line::new(),
        sum => Line::of(human::count(sum), Role::Number),
    });
    row("cost", &|side| {
        let cost = side.spending.cost_usd().filter(|_| side.messages > 0);
        Line::of(cost.map(human::dollars).unwrap_or_default(), Role::Plain)
    });
    row("worked", &|side| match side.worked_ms {
        0 => Line::new(),
        millis => Line::of(human::duration(millis), Role::Number),
    });
    row("from", &|side| when(side.started, layout, ClockStyle::DateAndTime));
    row("to", &|side| when(side.ended, layout, ClockStyle::DateAndTime));
    table
}

fn ended(how: TurnOutcome) -> Line {
    let (mark, word, role) = outcome(how);
    let word = if word.is_empty() { "done" } else { word };
    Line::of(format!("{mark} {word}"), role)
}

fn prompts(page: &mut InsightPage<'_>, side: &PathSide) {
    page.line(muted(name(side)));
    if side.turns.is_empty() {
        page.line(muted("  none"));
    }
    let room = page.room();
    for turn in &side.turns {
        let mut line = Line::of(format!("{:>4}  ", turn.index), Role::Muted);
        if let Some(time) = turn.started {
            let time = clock(time, &page.layout.zone, ClockStyle::Time);
            line.add(format!("{time}  "), Role::Time);
        }
        let room = room.saturating_sub(line.width()).max(10);
        match &turn.prompt {
            Some(prompt) => {
                line.add("❯ ", Role::User);
                let text = sanitize::one_line(&spoken(prompt), room.saturating_sub(2));
                line.add(text, Role::Plain);
            }
            None => {
                line.add("(the same prompt, answered again)", Role::Muted);
            }
        }
        page.line(line.truncated(page.room()));
    }
}

fn files(diff: &PathDiff, folder: &StartFolder) -> Option<Table> {
    let cell = |totals: Option<EditTotals>| match totals {
        Some(totals) if totals.edits > 0 => changed_lines(totals.added, totals.removed),
        Some(totals) => Line::of(format!("{} failed", totals.failed), Role::Failure),
        None => muted("–"),
    };
    let rows = diff.files.iter().map(|file| {
        let path = folder.shorten(&file.path).to_owned();
        vec![Line::of(path, Role::Path), cell(file.a), cell(file.b)]
    });
    let names = [name(&diff.a), name(&diff.b)].map(|name| name.to_uppercase());
    let columns =
        vec![("FILE", left().min(16)), (names[0].as_str(), left()), (names[1].as_str(), left())];
    table(columns, rows.collect())
}

fn last_answer(page: &mut InsightPage<'_>, side: &PathSide) {
    let mut head = muted(format!("{}  ", name(side)));
    head.append(side.outcome.map(ended).unwrap_or_default());
    page.line(head);
    let Some(answer) = &side.last_answer else {
        return;
    };
    let room = page.room().saturating_sub(2).max(10);
    let said = unspool_text::markdown(&answer.text, room).into_iter();
    let mut lines = said.filter(|line| !line.is_blank()).peekable();
    for line in lines.by_ref().take(ANSWER_LINES) {
        let mut indent = Line::new();
        indent.pad(2);
        page.line(line.indented(&indent));
    }
    if lines.peek().is_some() {
        page.line(muted("  …"));
    }
}
