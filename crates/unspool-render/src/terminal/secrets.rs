//! Sessions with secrets: a table, with the places below each session.

use unspool_model::ids::short;
use unspool_text::human;
use unspool_text::style::{Line, Role};

use super::insight::{headed, left, right};
use super::tilde;
use unspool_engine::library::SecretsAnswer;
use unspool_engine::ops::secrets::{SecretPlace, SecretReport};

/// How many places of each session are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlacesShown {
    /// The first one.
    First,
    /// All known places.
    All,
}

/// Draws the sessions that have secrets, each with its places.
pub fn secrets_table(
    reports: &[SecretReport],
    shown: PlacesShown,
    width: usize,
    user_home: Option<&str>,
) -> Vec<Line> {
    if reports.is_empty() {
        return Vec::new();
    }
    let mut table = headed(vec![
        ("SESSION", left()),
        ("SECRETS", left().min(16).flexible()),
        ("PLACES", right()),
        ("TITLE", left().min(16).priority(10).flexible()),
    ]);
    for report in reports {
        let places = report.places.len() as u64 + report.more_places;
        table.row(vec![
            Line::of(short(report.session.as_str()), Role::Id),
            Line::of(report.kinds.to_string(), Role::Warning),
            Line::of(human::count(places), Role::Number),
            Line::of(report.title.clone().unwrap_or_default(), Role::Plain),
        ]);
    }
    let mut drawn = table.lines(width).into_iter();
    let mut lines: Vec<Line> = drawn.next().into_iter().collect();
    for (line, report) in drawn.zip(reports) {
        lines.push(line);
        let count = match shown {
            PlacesShown::First => 1,
            PlacesShown::All => report.places.len(),
        };
        let places = report.places.iter().take(count);
        lines.extend(places.map(|place| drawn_place(place, user_home)));
        if shown == PlacesShown::All && report.more_places > 0 {
            let more = format!("  and {} more places", report.more_places);
            lines.push(Line::of(more, Role::Muted));
        }
    }
    lines
}

fn drawn_place(place: &SecretPlace, user_home: Option<&str>) -> Line {
    let number = place.line.map(|line| format!(":{line}"));
    let file = tilde(&place.file.display().to_string(), user_home);
    Line::of("  ", Role::Muted)
        .and(format!("{file}{}", number.unwrap_or_default()), Role::Path)
        .and(format!(": {}, {}", place.role.name(), place.kinds), Role::Muted)
}

/// Summarizes a search for secrets in one line.
pub fn secrets_summary(answer: &SecretsAnswer) -> String {
    let all = answer.found();
    let sessions = human::plural(answer.sessions, "session");
    let size = human::bytes(answer.bytes);
    if all.is_empty() {
        return format!("looked at {sessions}, {size}: nothing looks like a secret");
    }
    let found = human::plural(answer.reports.len(), "session");
    format!("looked at {sessions}, {size}: {found} with what looks like secrets: {all}")
}
