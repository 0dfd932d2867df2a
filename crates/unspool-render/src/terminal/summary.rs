//! One session at a glance, for a terminal.

use unspool_model::conversation::TurnOutcome;
use unspool_model::ids::short;
use unspool_model::positions::PathNumber;
use unspool_model::usage::Tokens;
use unspool_text::style::{Emphasis, Line, Role, Style};
use unspool_text::table::{ColumnMeasurer, Table};
use unspool_text::{human, sanitize, wrap};

use super::context::context_fill;
use super::insight::{InsightPage, clock_style, indented, left, muted, number, right, table, when};
use super::{ClockStyle, PageLayout, cards, tilde};
use crate::document::spoken;
use unspool_engine::ops::agents::nested;
use unspool_engine::ops::context_series::ContextSeries;
use unspool_engine::ops::summary::{
    AgentSummary, Author, CompactionSummary, FileChange, ModelSummary, PathSummary, SessionSummary,
    TitleSource, ToolSummary, TurnSummary,
};

/// The length of the longest bar.
const BAR: usize = 20;

/// Draws the summary of a session lazily, since a session may have a million turns.
pub fn summary<'s>(
    summary: &'s SessionSummary,
    layout: &'s PageLayout,
) -> impl Iterator<Item = Line> + use<'s> {
    drawn(summary, None, layout)
}

/// Draws the summary of a session, with the fill level of the model's context at its end.
pub fn summary_with_context<'s>(
    summary: &'s SessionSummary,
    series: &ContextSeries,
    layout: &'s PageLayout,
) -> impl Iterator<Item = Line> + use<'s> {
    drawn(summary, context_fill(series), layout)
}

/// Draws the summary; `more` is the last line of its header.
fn drawn<'s>(
    summary: &'s SessionSummary,
    more: Option<Line>,
    layout: &'s PageLayout,
) -> impl Iterator<Item = Line> + use<'s> {
    let mut page = InsightPage { layout, lines: header(summary, layout) };
    page.lines.extend(more);
    first_message(summary, &mut page);
    if !summary.turns.is_empty() {
        page.heading("Timeline");
    }
    let head = std::mem::take(&mut page.lines);
    let timeline = timeline(&summary.turns, layout, page.room());
    page.section("Tools", tools(&summary.tools));
    page.section("Files changed", files(&summary.files, layout));
    page.section("Models", models(&summary.models));
    page.section("Compactions", compactions(&summary.compactions, layout));
    if summary.paths.len() > 1 {
        page.section("Paths", paths(&summary.paths, summary.path, layout));
    }
    page.section("Agents", agents(&summary.agents));
    titles(summary, &mut page);
    head.into_iter().chain(timeline).chain(page.lines)
}

fn header(summary: &SessionSummary, layout: &PageLayout) -> Vec<Line> {
    let row = &summary.row;
    let title = row.title.as_deref().unwrap_or("(no conversation)");
    let strong = Style::from(Role::Title).with(Emphasis::STRONG);
    let mut place = vec![Line::of(row.id.as_str(), Role::Id)];
    let home = layout.user_home.as_deref();
    let cwd = row.cwd.as_ref();
    place.extend(cwd.map(|cwd| Line::of(tilde(cwd, home), Role::Path)));
    let branch = row.git_branch.as_ref();
    place.extend(branch.map(|branch| Line::of(branch.clone(), Role::Plain)));
    let version = row.version.as_ref();
    place.extend(version.map(|version| muted(format!("version {version}"))));
    let width = layout.width;
    let mut lines = vec![Line::of(sanitize::one_line(title, width), strong)];
    lines.extend(cards::joined(place, "  ", width));
    lines.extend(about(summary));
    lines.extend(cards::joined(cards::when(row, &layout.zone), cards::BAR, width));
    lines.extend(cards::joined(cards::figures(row), cards::BAR, width));
    lines.extend(wrap(&cards::status(row), width));
    lines
}

fn first_message(summary: &SessionSummary, page: &mut InsightPage<'_>) {
    let Some(first) = &summary.first_message else {
        return;
    };
    page.heading("First message");
    for line in sanitize::clean(&first.text).trim_end().lines() {
        for line in wrap(&Line::of(line.to_owned(), Role::User), page.room()) {
            page.line(line);
        }
    }
}

/// Lists the titles and summaries of the session that are not prompts or commands.
fn titles(summary: &SessionSummary, page: &mut InsightPage<'_>) {
    let titles = summary.titles.iter();
    let mut said = titles
        .filter(|title| !matches!(title.source, TitleSource::Prompt | TitleSource::Command))
        .peekable();
    if said.peek().is_none() {
        return;
    }
    let mut table = Table::new(vec![left(), left().min(10).flexible()]);
    for title in said {
        let source = match title.source {
            TitleSource::Custom => "by the user",
            TitleSource::Ai => "by the client",
            TitleSource::Foreign => "of another session",
            source => source.name(),
        };
        let text = sanitize::one_line(&title.text, usize::MAX);
        table.row(vec![muted(source), Line::of(text, Role::Plain)]);
    }
    page.section("Titles and summaries", Some(table));
}

/// Names the agent or the abandoned path of the summary; `None` for the session's active path.
fn about(summary: &SessionSummary) -> Option<Line> {
    let path = summary.path?;
    let listed = summary.paths.iter().find(|listed| listed.index == path)?;
    let mut line = Line::new();
    if let Some(agent) = &summary.agent {
        line.add("agent ", Role::Muted).add(agent.clone(), Role::Id);
    }
    if !listed.active {
        let comma = if line.is_blank() { "" } else { ", " };
        line.add(format!("{comma}path {path}, "), Role::Muted);
        line.add("abandoned", Role::Warning);
    }
    (!line.is_blank()).then_some(line)
}

/// Formats a count with a word; empty for zero.
fn some(count: u32, word: &str) -> String {
    match count {
        0 => String::new(),
        _ => format!("{count}{word}"),
    }
}

/// Draws one line for each turn, with the day if there is more than one. Each line is built twice,
/// to be measured and to be drawn, and none is kept.
fn timeline<'t>(
    turns: &'t [TurnSummary],
    layout: &'t PageLayout,
    room: usize,
) -> impl Iterator<Item = Line> + use<'t> {
    let style = clock_style(turns.iter().filter_map(|turn| turn.started), layout);
    let prompt = (layout.width * 3 / 10).clamp(16, 40);
    let columns = [
        ("", right()),
        ("TIME", left().priority(200)),
        ("TOOK", right().priority(150)),
        ("", left()),
        ("PROMPT", left().min(prompt).flexible()),
        ("CALLS", right().priority(120)),
        ("FAILED", right().priority(100)),
        ("FILES", right().priority(80)),
        ("TOKENS", right().priority(90)),
        ("", left().priority(110)),
    ];
    let heads = columns.each_ref();
    let heads = heads.map(|(head, _)| Line::of(*head, Role::ColumnHead));
    let mut says = [false; COLUMNS];
    let mut fitting = ColumnMeasurer::new(columns.map(|(_, column)| column).to_vec());
    fitting.measure(&heads);
    for cells in turns.iter().map(|turn| turn_cells(turn, layout, style)) {
        for (says, cell) in says.iter_mut().zip(&cells) {
            *says |= !cell.is_blank();
        }
        fitting.measure(&cells);
    }
    let fitted = fitting.only(&says).fit(room);
    let head = (!turns.is_empty()).then_some(heads);
    let turns = turns.iter().map(move |turn| turn_cells(turn, layout, style));
    head.into_iter().chain(turns).map(move |cells| {
        let cells = cells.into_iter().zip(says).filter(|(_, says)| *says);
        let cells: Vec<Line> = cells.map(|(cell, _)| cell).collect();
        indented(fitted.draw(cells))
    })
}

/// The number of columns of the timeline.
const COLUMNS: usize = 10;

/// Returns the cells of a turn.
fn turn_cells(turn: &TurnSummary, layout: &PageLayout, style: ClockStyle) -> [Line; COLUMNS] {
    let (mark, word, role) = outcome(turn.outcome);
    let duration = turn.duration_ms.map(human::duration).unwrap_or_default();
    let tokens = match turn.tokens.sum() {
        0 => String::new(),
        sum => human::count(sum),
    };
    let prompt = sanitize::one_line(&spoken(&turn.prompt), usize::MAX);
    [
        muted(turn.index.to_string()),
        when(turn.started, layout, style),
        muted(duration),
        Line::of(mark, role),
        Line::of(prompt, Role::Plain),
        number(turn.calls.into()),
        Line::of(some(turn.failed_calls, ""), Role::Failure),
        number(turn.files_changed as u64),
        muted(tokens),
        Line::of(word, role),
    ]
}

/// Returns the mark of an outcome, with a word unless the turn is done.
pub(super) fn outcome(outcome: TurnOutcome) -> (&'static str, &'static str, Role) {
    match outcome {
        TurnOutcome::Done => ("✓", "", Role::Success),
        TurnOutcome::Interrupted => ("■", "interrupted", Role::Warning),
        TurnOutcome::Error => ("✗", "error", Role::Failure),
        TurnOutcome::Killed => ("■", "killed", Role::Warning),
        TurnOutcome::Open => ("●", "open", Role::Success),
    }
}

/// Builds a table with one row for each tool, with a bar for its calls.
fn tools(tools: &[ToolSummary]) -> Option<Table> {
    let most = tools.iter().map(|tool| tool.calls).max()?;
    let rows = tools.iter().map(|tool| {
        let took = match tool.duration_ms {
            0 => String::new(),
            ms => human::duration(ms),
        };
        let name = if tool.name.is_empty() { "unnamed tool" } else { &tool.name };
        vec![
            Line::of(name, Role::ToolName),
            bar(tool, most),
            number(tool.calls.into()),
            Line::of(some(tool.failed, ""), Role::Failure),
            Line::of(stopped(tool), Role::Warning),
            muted(took),
        ]
    });
    let columns = vec![
        ("TOOL", left().min(8).max(48)),
        ("", left().priority(50)),
        ("CALLS", right()),
        ("FAILED", right().priority(200)),
        ("", left().priority(100)),
        ("TOOK", right().priority(150)),
    ];
    table(columns, rows.collect())
}

/// Describes the calls that neither succeeded nor failed.
fn stopped(tool: &ToolSummary) -> String {
    let parts = [
        some(tool.denied, " denied"),
        some(tool.interrupted, " interrupted"),
        some(tool.pending, " pending"),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(", ")
}

/// Draws a bar for the calls of a tool relative to the most used one; failed calls have a colour.
fn bar(tool: &ToolSummary, most: u32) -> Line {
    let columns = |count: u32| (count as usize * BAR).div_ceil(most.max(1) as usize);
    let whole = columns(tool.calls);
    let failed = columns(tool.failed).min(whole);
    Line::of("█".repeat(whole - failed), Role::Success).and("█".repeat(failed), Role::Failure)
}

fn files(files: &[FileChange], layout: &PageLayout) -> Option<Table> {
    let home = layout.user_home.as_deref();
    let rows = files.iter().map(|file| {
        let mut notes = Vec::new();
        if file.created {
            notes.push("new");
        }
        match file.author {
            Author::Session => {}
            Author::Agent => notes.push("by agents"),
            Author::Both => notes.push("by agents too"),
        }
        vec![
            Line::of(tilde(&file.path, home), Role::Path),
            Line::of(format!("+{}", file.added), Role::CountAdded),
            Line::of(format!("−{}", file.removed), Role::CountRemoved),
            number(file.edits.into()),
            muted(notes.join(", ")),
        ]
    });
    let columns = vec![
        ("FILE", left().min(16)),
        ("ADDED", right().priority(200)),
        ("REMOVED", right().priority(200)),
        ("EDITS", right().priority(100)),
        ("", left().priority(50)),
    ];
    table(columns, rows.collect())
}

fn models(models: &[ModelSummary]) -> Option<Table> {
    let tokens = |tokens: &Tokens| {
        [
            tokens.input,
            tokens.output,
            tokens.cache_write_5m,
            tokens.cache_write_1h,
            tokens.cache_read,
            tokens.sum(),
        ]
    };
    let mut total = Tokens::default();
    let mut rows: Vec<Vec<Line>> = Vec::new();
    let row = |name: &str, answers: u32, sums: &Tokens, role: Role| {
        let mut row = vec![Line::of(name, role), number(answers.into())];
        row.extend(tokens(sums).map(|sum| {
            let text = if sum == 0 { String::new() } else { human::count(sum) };
            Line::of(text, Role::Number)
        }));
        row
    };
    for model in models {
        total += model.tokens;
        rows.push(row(&model.model, model.answers, &model.tokens, Role::Model));
    }
    if models.len() > 1 {
        let answers = models.iter().map(|model| model.answers).sum();
        rows.push(row("all", answers, &total, Role::Muted));
    }
    let columns = vec![
        ("MODEL", left().min(12)),
        ("ANSWERS", right().priority(60)),
        ("INPUT", right().priority(150)),
        ("OUTPUT", right().priority(200)),
        ("WRITE 5M", right().priority(90)),
        ("WRITE 1H", right().priority(90)),
        ("CACHE READ", right().priority(100)),
        ("TOKENS", right().priority(210)),
    ];
    table(columns, rows)
}

fn compactions(compactions: &[CompactionSummary], layout: &PageLayout) -> Option<Table> {
    let rows = compactions.iter().map(|compaction| {
        let tokens = |count: Option<u64>| muted(count.map(human::count).unwrap_or_default());
        vec![
            when(compaction.time, layout, ClockStyle::DateAndTime),
            muted(compaction.trigger.clone().unwrap_or_default()),
            tokens(compaction.tokens_before),
            tokens(compaction.tokens_after),
            muted(some(compaction.kept as u32, "")),
        ]
    });
    let columns = vec![
        ("WHEN", left()),
        ("TRIGGER", left().priority(100)),
        ("TOKENS BEFORE", right().priority(90)),
        ("AFTER", right().priority(80)),
        ("KEPT", right().priority(70)),
    ];
    table(columns, rows.collect())
}

fn paths(paths: &[PathSummary], shown: Option<PathNumber>, layout: &PageLayout) -> Option<Table> {
    let rows = paths.iter().map(|path| {
        let mut status = if path.active {
            Line::of("active", Role::Success)
        } else {
            Line::of("abandoned", Role::Warning)
        };
        if Some(path.index) == shown {
            status.add(", summed up here", Role::Muted);
        }
        vec![
            Line::of(format!("--path {}", path.index), Role::Id),
            number(path.message_count as u64),
            when(path.ended, layout, ClockStyle::DateAndTime),
            status,
        ]
    });
    let columns = vec![
        ("PATH", left()),
        ("MSGS", right().priority(100)),
        ("ENDED", left().priority(90)),
        ("", left().priority(200)),
    ];
    table(columns, rows.collect())
}

fn agents(agents: &[AgentSummary]) -> Option<Table> {
    let order = nested(agents.iter().map(|agent| &agent.info));
    let rows = order.into_iter().map(|at| &agents[at]).map(|agent| {
        let info = &agent.info;
        let mut id = Line::new();
        id.pad(2 * (info.depth as usize).clamp(1, 8) - 2);
        id.add(short(&info.id), Role::Id);
        vec![
            id,
            muted(info.kind.clone().unwrap_or_default()),
            Line::of(info.description.clone().unwrap_or_default(), Role::Plain),
            number(info.message_count as u64),
            number(agent.calls.into()),
            Line::of(some(agent.failed_calls, ""), Role::Failure),
        ]
    });
    let columns = vec![
        ("AGENT", left()),
        ("TYPE", left().min(6).max(24).priority(80)),
        ("TASK", left().min(12).priority(200)),
        ("MSGS", right().priority(120)),
        ("CALLS", right().priority(110)),
        ("FAILED", right().priority(100)),
    ];
    table(columns, rows.collect())
}
