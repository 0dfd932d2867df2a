//! Which lines of a session count, as a table.

use std::path::Path;

use crate::ops::stats::{Explained, ExplainedLine, Fate, Shares, Why, Winner};
use crate::prices::Cost;
use crate::render::human;
use crate::render::style::{Line, Role};
use crate::render::table::{Align, Column, Table};

/// Lays out what came of each line of a session.
pub fn explained(explained: &Explained, width: usize) -> Vec<Line> {
    let mut lines = table(explained, width);
    if !lines.is_empty() {
        lines.push(Line::new());
    }
    lines.extend(
        totals(explained)
            .into_iter()
            .map(|line| line.truncated(width)),
    );
    lines
}

fn table(explained: &Explained, width: usize) -> Vec<Line> {
    if explained.lines.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new(vec![
        Column::new(Align::Left).min(8).max(24).priority(150),
        Column::new(Align::Right),
        Column::new(Align::Left).min(8).max(32).priority(140),
        Column::new(Align::Left).min(8).max(28).priority(100),
        Column::new(Align::Right).priority(120),
        Column::new(Align::Right).priority(200),
        Column::new(Align::Right).priority(110),
        Column::new(Align::Right).priority(110),
        Column::new(Align::Left).min(12).flexible(),
    ]);
    let heads = [
        "FILE", "LINE", "MESSAGE", "MODEL", "INPUT", "OUTPUT", "WRITES", "READS", "",
    ];
    table.row(
        heads
            .iter()
            .map(|head| Line::of(*head, Role::ColumnHead))
            .collect(),
    );
    for line in &explained.lines {
        table.row(cells(line, explained));
    }
    table.lines(width)
}

fn cells(line: &ExplainedLine, explained: &Explained) -> Vec<Line> {
    let role = match line.fate {
        Fate::Counted => Role::Number,
        Fate::LeftOut { .. } => Role::Muted,
    };
    let tokens = &line.tokens;
    let writes = tokens.cache_write_5m.saturating_add(tokens.cache_write_1h);
    let file = match &line.agent {
        Some(agent) => Line::of(format!("agent {agent}"), Role::Id),
        None => Line::of("session", Role::Plain),
    };
    vec![
        file,
        Line::of(line.line.to_string(), role),
        Line::of(line.message.clone().unwrap_or_default(), Role::Muted),
        Line::of(line.model.clone().unwrap_or_default(), Role::Model),
        Line::of(tokens.input.to_string(), role),
        Line::of(tokens.output.to_string(), role),
        Line::of(writes.to_string(), role),
        Line::of(tokens.cache_read.to_string(), role),
        match &line.fate {
            Fate::Counted => Line::of("counted", Role::Success),
            Fate::LeftOut { why, winner } => left_out(line, *why, winner, explained),
        },
    ]
}

/// Says why a line does not count, and which one does.
fn left_out(line: &ExplainedLine, why: Why, winner: &Winner, explained: &Explained) -> Line {
    let how = match why {
        Why::FewerOutput => "less output than",
        Why::FewerTokens => "fewer tokens than",
        Why::Repeat => "repeats",
    };
    let mut words = Line::of(format!("{how} line {}", winner.line), Role::Muted);
    if winner.session != explained.session {
        let short: String = winner.session.as_str().chars().take(8).collect();
        words.add(format!(" of session {short}"), Role::Muted);
    } else if !winner.is_in(&line.file) {
        words.add(format!(" of {}", file_name(&winner.file)), Role::Muted);
    }
    words
}

fn file_name(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// What the lines add up to, and where messages, calls and turns are counted.
fn totals(explained: &Explained) -> Vec<Line> {
    let counted = |line: &&ExplainedLine| line.fate == Fate::Counted;
    let lines = explained.lines.len();
    let count = explained.lines.iter().filter(counted).count();
    let tokens = &explained.tokens;
    let mut first = Line::of(
        format!("{count} of {} counted", human::plural(lines, "line")),
        Role::Title,
    );
    let cost = explained.cost.map(Cost::usd).map(human::dollars);
    let cost = cost.unwrap_or_else(|| "no price".to_owned());
    first.add(
        format!(
            ": input {}, output {}, cache writes {} (5 min) and {} (1 h), cache reads {}; {cost}",
            tokens.input,
            tokens.output,
            tokens.cache_write_5m,
            tokens.cache_write_1h,
            tokens.cache_read,
        ),
        Role::Plain,
    );
    let shares = [
        ("message", explained.messages),
        ("call", explained.calls),
        ("turn", explained.turns),
    ];
    let mut all = vec![first];
    all.extend(
        shares
            .into_iter()
            .filter_map(|(noun, shares)| share(noun, shares)),
    );
    all
}

fn share(noun: &str, shares: Shares) -> Option<Line> {
    let all = shares.here + shares.elsewhere;
    if all == 0 {
        return None;
    }
    let all = human::plural(all as usize, noun);
    Some(if shares.elsewhere == 0 {
        Line::of(format!("{all}, all counted here"), Role::Muted)
    } else {
        let (here, elsewhere) = (shares.here, shares.elsewhere);
        let words =
            format!("{all}: {here} counted here, {elsewhere} in a session that holds them too");
        Line::of(words, Role::Muted)
    })
}
