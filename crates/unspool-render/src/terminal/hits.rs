//! Hits of a search as a page: by session, or one after another.

use unspool_model::ids::{SHORT_ID, short};
use unspool_model::query::TextRole;
use unspool_text::style::{Line, Role};
use unspool_text::width::{units, width};
use unspool_text::{sanitize, wrap};

use super::cards::BAR;
use super::{ClockStyle, PageLayout, clock, tilde};
use unspool_search::hit::{SearchHit, Snippet};
use unspool_search::ranked::group::HitGroup;
use unspool_search::ranked::{HitOpening, OpeningQuery};

/// The indentation of hits below their session.
const INDENT: &str = "  ";

/// The layout of hits.
#[derive(Clone, Debug)]
pub struct HitLayout {
    /// The page.
    pub page: PageLayout,
    /// The query, which the commands that open hits repeat.
    pub asked: OpeningQuery,
}

/// Draws hits below their sessions.
pub fn hits_by_session<'a>(
    groups: &'a [HitGroup],
    layout: &'a HitLayout,
) -> impl Iterator<Item = Line> + 'a {
    groups.iter().enumerate().flat_map(|(index, group)| {
        let between = (index > 0).then(Line::new);
        let hits = group.hits.iter();
        between
            .into_iter()
            .chain([head(group, &layout.page)])
            .chain(hits.flat_map(|hit| one(hit, INDENT, layout)))
    })
}

/// Draws hits one after another, each with its session.
pub fn hits_in_order<'a>(
    hits: impl Iterator<Item = &'a SearchHit> + 'a,
    layout: &'a HitLayout,
) -> impl Iterator<Item = Line> + 'a {
    hits.flat_map(|hit| {
        let mut lines = one(hit, "", layout);
        if let Some(first) = lines.first_mut() {
            let mut line = Line::of(short(hit.session.as_str()), Role::Id);
            line.add("  ", Role::Plain).append(first.clone());
            *first = line;
        }
        lines
    })
}

fn head(group: &HitGroup, layout: &PageLayout) -> Line {
    let mut line = Line::of(short(group.session.as_str()), Role::Id);
    line.add("  ", Role::Plain);
    let Some(row) = &group.row else {
        line.add("a session whose file is gone", Role::Muted);
        return line;
    };
    let title = row.title.as_deref().unwrap_or("(no title)");
    let title = sanitize::clean(title).replace('\n', " ");
    let when = clock(row.last_active(), &layout.zone, ClockStyle::Date);
    let project = match &row.cwd {
        Some(cwd) => tilde(&sanitize::clean(cwd), layout.user_home.as_deref()),
        None => row.project_name().to_owned(),
    };
    let rest = width(&when) + SHORT_ID + 2 + 2 * BAR.len();
    let room = layout.width.saturating_sub(rest);
    // The last folder of a path says the most, so the path is cut at the front.
    let project = cut_front(&sanitize::clean(&project), room / 2);
    let room = room.saturating_sub(width(&project));
    line.add(sanitize::truncate_width(&title, room).into_owned(), Role::Title)
        .add(BAR, Role::Muted)
        .add(project, Role::Path)
        .add(BAR, Role::Muted)
        .add(when, Role::Time);
    line
}

fn one(hit: &SearchHit, indent: &str, layout: &HitLayout) -> Vec<Line> {
    let HitLayout { page, asked } = layout;
    let mut label = Line::of(indent, Role::Plain);
    label.add(hit.role.name(), color(hit.role));
    if let Some(time) = hit.time {
        let time = clock(time, &page.zone, ClockStyle::DateAndTime);
        label.add(" ", Role::Plain).add(time, Role::Time);
    }
    if let Some(agent) = &hit.agent {
        let agent = format!(" agent {}", sanitize::clean(short(agent.as_str())));
        label.add(agent, Role::Muted);
    }
    if hit.active == Some(false) {
        label.add(" abandoned branch", Role::Warning);
    }
    if hit.gone {
        label.add(" gone", Role::Warning);
    }
    let width = page.width.saturating_sub(indent.len() + 2).max(20);
    let opening = opening(hit, asked, page);
    let mut lines = vec![label];
    if lines[0].width() + 2 + opening.width() <= page.width {
        lines[0].add("  ", Role::Plain).append(opening);
    } else {
        let mut below = Line::of(format!("{indent}  "), Role::Plain);
        below.append(opening);
        lines.push(below);
    }
    for line in snippet(&hit.snippet) {
        for part in wrap(&line, width) {
            let mut set_in = Line::of(format!("{indent}  "), Role::Plain);
            set_in.append(part);
            lines.push(set_in);
        }
    }
    lines
}

/// Returns the command that opens a hit, or its file.
fn opening(hit: &SearchHit, asked: &OpeningQuery, page: &PageLayout) -> Line {
    match HitOpening::of(hit, asked) {
        HitOpening::Command(command) => Line::of(sanitize::clean(&command).into_owned(), Role::Id),
        HitOpening::File(file) => {
            let file = file.display().to_string();
            let file = tilde(&sanitize::clean(&file), page.user_home.as_deref());
            Line::of(format!("in {file}"), Role::Path)
        }
    }
}

/// Draws a snippet with its matches marked.
pub(super) fn snippet(snippet: &Snippet) -> Vec<Line> {
    let mut lines = vec![Line::new()];
    let mut marks = snippet.matches.iter().peekable();
    let mut run = String::new();
    let mut inside = false;
    let flush = |run: &mut String, inside: bool, lines: &mut Vec<Line>| {
        if let (false, Some(line)) = (run.is_empty(), lines.last_mut()) {
            let role = if inside { Role::Match } else { Role::Plain };
            line.add(sanitize::clean(run).into_owned(), role);
        }
        run.clear();
    };
    for (at, character) in snippet.text.chars().enumerate() {
        while marks.peek().is_some_and(|mark| mark.end <= at) {
            marks.next();
        }
        let now = marks.peek().is_some_and(|mark| mark.start <= at);
        if now != inside || character == '\n' {
            flush(&mut run, inside, &mut lines);
            inside = now;
        }
        if character == '\n' {
            lines.push(Line::new());
        } else {
            run.push(character);
        }
    }
    flush(&mut run, inside, &mut lines);
    lines
}

fn color(role: TextRole) -> Role {
    match role {
        TextRole::User => Role::User,
        TextRole::Assistant => Role::Assistant,
        TextRole::Thinking => Role::Thinking,
        TextRole::Tool | TextRole::Result => Role::Tool,
        TextRole::Title | TextRole::Summary => Role::Title,
        TextRole::System => Role::System,
    }
}

/// Cuts text at the front to at most `room` columns.
fn cut_front(text: &str, room: usize) -> String {
    let mut excess = width(text).saturating_sub(room);
    if excess == 0 {
        return text.to_owned();
    }
    // The ellipsis takes a column too.
    excess += 1;
    let dropped = units(text).take_while(|unit| {
        let is_dropped = excess > 0;
        excess = excess.saturating_sub(unit.width);
        is_dropped
    });
    let start: usize = dropped.map(|unit| unit.text.len()).sum();
    format!("…{}", &text[start..])
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use unspool_store::testing::row;

    use super::*;

    #[test]
    fn the_line_of_a_session_fits_into_the_page() {
        let mut row = row("0123456789ab", "/home/dev/漢字漢字漢字漢字");
        row.title = Some("標題".repeat(40));
        let group = HitGroup { session: row.id.clone(), row: Some(row), hits: Vec::new() };
        for width in 40..120 {
            let page = PageLayout { width, zone: TimeZone::UTC, user_home: None };
            let drawn = head(&group, &page).width();
            assert!((width - 3..=width).contains(&drawn), "{drawn} columns of {width}");
        }
    }

    #[test]
    fn a_path_is_cut_at_the_front_by_columns() {
        for (text, room, expected) in [
            ("~/app", 5, "~/app"),
            ("~/a/app", 5, "…/app"),
            ("~/漢字/app", 8, "…字/app"),
            ("~/漢字/app", 6, "…/app"),
            ("漢字", 1, "…"),
        ] {
            assert_eq!(cut_front(text, room), expected, "{text} {room}");
        }
    }
}
