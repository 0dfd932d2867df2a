//! Paints the picker.

use ratatui::layout::Rect;
use unspool_text::human;
use unspool_text::style::{Line, Role};
use unspool_text::wrap;

use super::layout::{PickerLayout, PickerShape};
use super::list::ListLine;
use super::screen::{FindMode, PickerScreen};
use super::view_rows::{PickerColumns, RowPainter, found_line, sign};
use crate::canvas::Canvas;
use crate::screen::ViewContext;
use crate::settings::{CatalogueRefresh, PickerUse};
use crate::work::picker::fuzzy::LetterMarks;
use crate::work::picker::query::TypedWords;
use crate::work::picker::rows::PickerRow;
use crate::work::picker::saved::PickerScope;
use crate::work::picker::text::TextCount;

impl PickerScreen {
    /// Paints the picker.
    pub(super) fn paint(&self, canvas: &mut Canvas<'_>, cx: &ViewContext<'_>) {
        let layout = PickerLayout::of(cx.size, self.kept.preview);
        match layout.shape {
            PickerShape::Stacked => self.paint_stacked(canvas, &layout),
            PickerShape::Framed { list, preview } => {
                self.paint_frames(canvas, &layout, list, preview);
            }
        }
        if self.list.is_empty() {
            self.paint_nothing(canvas, layout.list, cx);
        } else {
            self.paint_list(canvas, layout.list, cx);
        }
    }

    fn paint_stacked(&self, canvas: &mut Canvas<'_>, layout: &PickerLayout) {
        let area = canvas.area();
        let row = |y: u16| Rect { y, height: 1, ..area };
        let news = self.news();
        let mut head = Line::of(" unspool  ", Role::Title);
        head.append(self.head());
        let room = usize::from(area.width).saturating_sub(news.width() + 2);
        canvas.line(row(0), 0, &head.truncated(room));
        canvas.line_at_end(row(0), 0, &news);
        self.paint_query(canvas, row(1), 1);
        if let Some(preview) = layout.preview {
            let rule = Rect { y: preview.y - 1, height: 1, ..preview };
            self.paint_rule(canvas, rule);
            self.paint_preview(canvas, preview);
        }
        let counts = row(area.height.saturating_sub(2));
        let mut right = self.counts(usize::from(area.width).saturating_sub(2));
        right.pad(1);
        canvas.line_at_end(counts, 0, &right);
        let room = usize::from(area.width).saturating_sub(right.width() + 3);
        let set_in = Rect { x: counts.x + 1, width: counts.width.saturating_sub(1), ..counts };
        canvas.line(set_in, 0, &self.remarks().truncated(room));
    }

    fn paint_frames(
        &self,
        canvas: &mut Canvas<'_>,
        layout: &PickerLayout,
        list: Rect,
        preview: Rect,
    ) {
        self.paint_list_frame(canvas, list);
        self.paint_preview_frame(canvas, preview);
        if let Some(area) = layout.preview {
            self.paint_preview(canvas, area);
        }
    }

    /// Paints the frame of the list: the query on top, counts of shown and hidden rows at the bottom.
    fn paint_list_frame(&self, canvas: &mut Canvas<'_>, list: Rect) {
        let room = usize::from(list.width).saturating_sub(6);
        let mut below = Line::of(self.order(), Role::Muted);
        below.add(" · ", Role::Muted);
        let counts = self.counts(room.saturating_sub(below.width()));
        if below.width() + counts.width() > room {
            below = Line::of(self.scope_words(), Role::Muted);
            below.add(" · ", Role::Muted);
        }
        below.append(counts);
        canvas.frame(list, &Line::new(), &below);
        let query = Rect { x: list.x + 2, width: list.width.saturating_sub(4), height: 1, ..list };
        let mut end = Line::new();
        for part in [self.news(), self.found_words()] {
            if part.width() > 0 {
                let gap = if end.width() > 0 { "· " } else { " " };
                end.add(gap, Role::Muted).append(part);
            }
        }
        if end.width() > 0 {
            end = end.trimmed_end();
            end.pad(1);
        }
        let end = end.truncated(usize::from(query.width) / 2);
        canvas.line_at_end(query, 0, &end);
        let typed = Rect { width: query.width.saturating_sub(end.width() as u16), ..query };
        self.paint_query(canvas, typed, 1);
    }

    /// Paints the frame of the preview: title and position of the selected row on top, remarks at the
    /// bottom.
    fn paint_preview_frame(&self, canvas: &mut Canvas<'_>, preview: Rect) {
        let (title, position) = match self.list.selected_row() {
            Some(row) => (
                Line::of(self.list.rows.title(row).to_owned(), Role::Title),
                format!(" {}/{} ", self.list.position(), self.list.counts.shown),
            ),
            None => (Line::new(), String::new()),
        };
        let room = usize::from(preview.width).saturating_sub(position.len() + 6);
        // The lower edge of the list shows the counts, which nothing may cover.
        let remarks = self.remarks();
        let below = if remarks.width() > 0 {
            remarks
        } else {
            Line::of("last turn · Shift-↑↓ scroll · Ctrl-V place", Role::Muted)
        };
        canvas.frame(preview, &title.truncated(room), &below);
        let top =
            Rect { x: preview.x + 2, width: preview.width.saturating_sub(4), height: 1, ..preview };
        canvas.line_at_end(top, 0, &Line::of(position, Role::Muted));
    }

    /// Paints the query and its cursor.
    fn paint_query(&self, canvas: &mut Canvas<'_>, area: Rect, indent: u16) {
        let (sign, line) = match &self.asking {
            Some(line) => ("turns such as 2..5 › ", line),
            None => match self.mode {
                FindMode::Titles => ("› ", &self.query),
                FindMode::Text => ("text › ", &self.query),
            },
        };
        let before = sign.chars().count() + usize::from(indent);
        let room = usize::from(area.width).saturating_sub(before + 1);
        let (text, cursor) = line.window(room);
        let mut painted = Line::new();
        painted.pad(usize::from(indent));
        painted.add(sign, Role::Id);
        painted.add(text.to_owned(), Role::Plain);
        if line.is_empty() && self.asking.is_none() {
            painted.add(self.placeholder(), Role::Muted);
        }
        painted.pad(1);
        canvas.line(area, 0, &painted.truncated(usize::from(area.width)));
        let column = area.x + (before + cursor) as u16;
        if area.width > 0 {
            canvas.set_cursor(column.min(area.right().saturating_sub(1)), area.y);
        }
    }

    fn placeholder(&self) -> &'static str {
        match (&self.usage, self.mode) {
            (_, FindMode::Text) => "words in sessions",
            (PickerUse::Insert, _) => "what goes into the prompt? · Ctrl-E your editor",
            _ => "",
        }
    }

    /// Describes the list: number of sessions, scope, order.
    fn head(&self) -> Line {
        let counts = self.list.counts;
        let sessions = match self.kept.scope {
            PickerScope::Everywhere => human::plural(counts.all, "session"),
            _ => format!("{} of {}", counts.in_scope, human::plural(counts.all, "session")),
        };
        let sessions = if self.is_read { sessions } else { format!("{} …", counts.all) };
        let sessions = if self.is_found_shown() {
            self.kept.scope.name().to_owned()
        } else {
            format!("{sessions} · {}", self.kept.scope.name())
        };
        let mut line = Line::of(sessions, Role::Plain);
        let order = if self.is_sorted_by_fit() { "best first" } else { self.kept.sort.words() };
        line.add(format!(" · {order}"), Role::Muted);
        let found = self.found_words();
        if found.width() > 0 {
            line.add(" · ", Role::Muted).append(found);
        }
        line
    }

    /// Describes the scope and the order.
    fn order(&self) -> String {
        let order = if self.is_sorted_by_fit() { "score" } else { self.kept.sort.name() };
        format!("{} · {order}", self.scope_words())
    }

    /// Describes the scope, with its share of all sessions.
    fn scope_words(&self) -> String {
        let (scope, counts) = (self.kept.scope, self.list.counts);
        match scope {
            PickerScope::Here | PickerScope::Repository if !self.is_found_shown() => {
                format!("{}: {} of {}", scope.name(), counts.in_scope, counts.all)
            }
            _ => scope.name().to_owned(),
        }
    }

    fn is_sorted_by_fit(&self) -> bool {
        !self.query.is_empty()
    }

    /// Describes the number of matches: `14 of 312`.
    fn found_words(&self) -> Line {
        let counts = self.list.counts;
        if self.query.is_empty() {
            return Line::new();
        }
        let words = if self.is_found_shown() {
            let found = TextCount {
                sessions: counts.shown,
                is_cut: self.found.as_ref().is_some_and(|found| found.is_cut),
            };
            match self.text_count.filter(|all| all.sessions > found.sessions) {
                Some(all) => format!("in {} of {all}", found.sessions),
                None => format!("in {found}"),
            }
        } else {
            format!("{} of {}", counts.shown, self.list.counts.in_scope)
        };
        Line::of(words, Role::Number)
    }

    /// Describes the progress of a refresh; empty if there is nothing to report.
    fn news(&self) -> Line {
        let index = self.notes.index.as_ref();
        let words = if self.refresh == CatalogueRefresh::Never {
            "index not refreshed".to_owned()
        } else if self.is_waiting {
            "another process updates the index".to_owned()
        } else if let Some((read, total)) = self.checking {
            format!("reading {} of {}", human::bytes(read.min(total)), human::bytes(total))
        } else if !self.is_checked {
            "checking".to_owned()
        } else if let Some(index) = index {
            index.clone()
        } else {
            return Line::new();
        };
        let mut line = Line::of(words, Role::Muted);
        line.pad(1);
        line
    }

    /// Describes the shown and hidden rows; by kind, where that fits.
    fn counts(&self, room: usize) -> Line {
        let counts = self.list.counts;
        let made = |hidden: Option<String>| {
            let mut line = Line::of(format!("{} shown", counts.shown), Role::Muted);
            if let Some(hidden) = hidden {
                line.add(format!(" · {hidden}"), Role::Muted).add(" Ctrl-O", Role::Id);
            }
            line
        };
        let by_kind = made(counts.hidden_by_kind());
        if by_kind.width() <= room { by_kind } else { made(counts.hidden_in_sum()) }
    }

    /// Describes marks, errors, unreadable files, and the coverage of the full text.
    fn remarks(&self) -> Line {
        let mut parts: Vec<(String, Role)> = Vec::new();
        if !self.marks.is_empty() {
            parts.push((format!("{} marked", self.marks.len()), Role::Id));
        }
        if let Some(failure) = &self.failure {
            parts.push((failure.clone(), Role::Warning));
        }
        if let Some(found) = self.found.as_ref().filter(|_| self.is_found_shown()) {
            if let Some(covered) = found.coverage {
                let words = format!("{covered} % of the logs can be searched so far");
                parts.push((words, Role::Warning));
            }
            let remarks = found.remarks.iter();
            parts.extend(remarks.map(|words| (words.clone(), Role::Muted)));
        }
        if self.notes.is_rebuilt {
            let words = "the index was damaged or of another version; it is rebuilt";
            parts.push((words.to_owned(), Role::Muted));
        }
        if self.notes.unreadable > 0 {
            let files = human::plural(self.notes.unreadable, "file");
            parts.push((format!("{files} cannot be read: `unspool check`"), Role::Warning));
        }
        let mut line = Line::new();
        for (words, role) in parts {
            if line.width() > 0 {
                line.add(" · ", Role::Muted);
            }
            line.add(words, role);
        }
        line
    }

    fn paint_list(&self, canvas: &mut Canvas<'_>, area: Rect, cx: &ViewContext<'_>) {
        let width = usize::from(area.width);
        let typed = TypedWords::of(self.query.text());
        let is_lettered = self.mode == FindMode::Titles && !typed.words.is_empty();
        let mut painter = RowPainter {
            rows: &self.list.rows,
            live: &self.live,
            flash: &self.flash,
            now: cx.now,
            columns: PickerColumns::of(width, usize::from(cx.size.columns)),
            letters: is_lettered.then(|| LetterMarks::new(&typed.words)),
        };
        let selected = self.list.selected_line();
        for (at, (number, line)) in (0..).zip(self.list.in_view(usize::from(area.height))) {
            let made = match line {
                ListLine::Heading(group) => {
                    Line::of(format!("   {}", group.title()), Role::Heading)
                }
                ListLine::Row(row) => match self.list.rows.row(row) {
                    Some(row) => painter.row(row, self.is_marked(row)),
                    None => continue,
                },
                ListLine::Found(row) => {
                    let row = self.list.rows.row(row);
                    let found = self.found.as_ref();
                    let found = found.zip(row).and_then(|(it, row)| it.found.get(&row.key));
                    match found {
                        Some(found) => found_line(found, width),
                        None => continue,
                    }
                }
            };
            canvas.line(area, at, &made.truncated(width));
            let is_second = matches!(line, ListLine::Found(_)) && number == selected + 1;
            if number == selected || is_second {
                canvas.select(Rect { y: area.y + at, height: 1, ..area });
            }
        }
    }

    fn is_marked(&self, row: &PickerRow) -> bool {
        self.marks.iter().any(|(key, _)| *key == row.key)
    }

    /// Paints the rule over a preview, with the title and facts of the session.
    fn paint_rule(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let width = usize::from(area.width);
        let mut line = Line::of("─", Role::Rule);
        if let Some(row) = self.list.selected_row() {
            line.pad(1);
            let facts = self.facts(row);
            let room = width.saturating_sub(facts.width() + 8).max(12);
            let title = Line::of(self.list.rows.title(row).to_owned(), Role::Title);
            line.append(title.truncated(room));
            line.add(" ── ", Role::Rule).append(facts).add(" ", Role::Rule);
        }
        let rest = width.saturating_sub(line.width());
        line.add("─".repeat(rest), Role::Rule);
        canvas.line(area, 0, &line.truncated(width));
    }

    fn facts(&self, row: &PickerRow) -> Line {
        let rows = &self.list.rows;
        let names = [row.project_name, row.branch, row.model].map(|name| rows.name(name));
        let mut facts: Vec<String> =
            names.iter().filter(|name| !name.is_empty()).map(|name| (*name).to_owned()).collect();
        if row.turns > 0 {
            facts.push(human::plural(row.turns as usize, "turn"));
        }
        facts.extend(row.cost.filter(|cost| *cost > 0.0).map(human::dollars));
        let (sign, role) = sign(row, self.live.get(row.key));
        let mut line = Line::of(sign, role);
        line.add(" ", Role::Plain).add(facts.join(" · "), Role::Muted);
        line
    }

    /// Paints the preview. The previous one stays until the next one arrives.
    fn paint_preview(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let area = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
        match &self.preview.shown {
            Some(text) => {
                let lines = text.lines.iter().skip(self.preview.scroll);
                canvas.lines(area, lines);
            }
            None if self.list.selected_row().is_some_and(|row| row.is_gone) => {
                let words = "The log of this session is gone; what was typed is known.";
                canvas.text(area, (0, 0), words, Role::Muted);
            }
            None if !self.list.is_empty() => canvas.text(area, (0, 0), "…", Role::Muted),
            None => {}
        }
    }

    /// Explains an empty list, and lists keys that would fill it.
    fn paint_nothing(&self, canvas: &mut Canvas<'_>, area: Rect, cx: &ViewContext<'_>) {
        let mut lines = vec![Line::new()];
        let width = usize::from(area.width).saturating_sub(4);
        for line in self.nothing(cx) {
            lines.extend(wrap(&line, width).into_iter().map(|line| {
                let mut set_in = Line::new();
                set_in.pad(3).append(line);
                set_in
            }));
        }
        canvas.lines(area, &lines);
    }

    fn nothing(&self, cx: &ViewContext<'_>) -> Vec<Line> {
        let plain = |words: String| Line::of(words, Role::Plain);
        let homes = &cx.settings.home_labels;
        if let Some(error) = &self.notes.error {
            return vec![Line::of(error.clone(), Role::Failure)];
        }
        if self.list.counts.all == 0 && !self.is_found_shown() {
            if let Some(missing) = &self.notes.missing {
                return vec![
                    Line::of(missing.clone(), Role::Warning),
                    Line::new(),
                    plain("--home DIR names another one.".to_owned()),
                    plain("`unspool --demo` opens made-up sessions to look around.".to_owned()),
                ];
            }
            if !self.is_checked {
                return vec![Line::of("reading sessions …", Role::Muted)];
            }
            if self.refresh == CatalogueRefresh::Never {
                return vec![
                    plain("The index has no sessions.".to_owned()),
                    Line::new(),
                    plain(format!("Without --no-refresh, those in {homes} are read.")),
                ];
            }
            return vec![
                plain(format!("No sessions in {homes} yet.")),
                Line::new(),
                plain("`unspool --demo` opens made-up sessions to look around.".to_owned()),
            ];
        }
        if !self.is_read && !self.is_found_shown() {
            return vec![Line::of("…", Role::Muted)];
        }
        let head = if self.query.is_empty() {
            "No sessions are shown.".to_owned()
        } else {
            format!("Nothing fits “{}”.", self.query.text())
        };
        let mut lines = vec![plain(head), Line::new()];
        lines.extend(self.offers());
        lines
    }

    /// Lists the keys that would show rows, with the number of rows.
    fn offers(&self) -> Vec<Line> {
        let counts = self.list.counts;
        let offer = |key: &str, words: String| {
            let mut line = Line::of(format!("{key:<8}"), Role::Id);
            line.add(words, Role::Plain);
            line
        };
        let mut lines = Vec::new();
        let is_text = self.mode == FindMode::Text;
        if let Some(all) = self.text_count.filter(|all| is_text && all.sessions > 0) {
            lines.push(offer("Ctrl-T", format!("{all} everywhere")));
        } else if counts.elsewhere > 0 {
            let rows = human::plural(counts.elsewhere, "session");
            lines.push(offer("Ctrl-T", format!("{rows} outside of {}", self.kept.scope.name())));
        }
        if counts.hidden.sum() > 0 {
            let rows = human::plural(counts.hidden.sum(), "session");
            lines.push(offer("Ctrl-O", format!("{rows} of kinds that are hidden")));
        }
        if self.mode == FindMode::Titles && !self.query.is_empty() {
            let words = match self.text_count {
                Some(TextCount { sessions: 0, .. }) => "no session says it either".to_owned(),
                Some(count) => format!("{count} in the full text"),
                None => "search the full text".to_owned(),
            };
            lines.push(offer("Ctrl-F", words));
        }
        if !self.query.is_empty() {
            lines.push(offer("Esc", "clears what is typed".to_owned()));
        }
        lines
    }
}
