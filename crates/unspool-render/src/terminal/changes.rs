//! All changes of a session, for a terminal: file by file, edit by edit.

use unspool_model::conversation::CallStatus;
use unspool_model::ids::short;
use unspool_text::diff::WideLines;
use unspool_text::human;
use unspool_text::style::{Emphasis, Line, Role, Style};

use super::insight::{InsightPage, changed_lines, clock_style, muted};
use super::{ClockStyle, PageLayout, clock, tilde};
use crate::document::StartFolder;
use unspool_engine::ops::changes::{ChangedFile, EditSource, FileEdit, SessionChanges};
use unspool_engine::ops::transcript::Transcript;

/// Draws the changes of a transcript.
pub fn changes(shown: &Transcript<'_>, changes: &SessionChanges, layout: &PageLayout) -> Vec<Line> {
    let mut page = InsightPage::new(shown, layout);
    facts(&mut page, changes);
    let folder = StartFolder::new(shown.cwd());
    let edits = changes.files.iter().flat_map(|file| &file.edits);
    let style = clock_style(edits.filter_map(|edit| edit.time), layout);
    for changed in &changes.files {
        page.lines.push(Line::new());
        let line = file(changed, &folder, layout);
        page.lines.push(line.truncated(layout.width));
        for change in &changed.edits {
            edit(&mut page, change, style);
        }
    }
    page.lines
}

fn facts(page: &mut InsightPage<'_>, changes: &SessionChanges) {
    let totals = changes.totals();
    let worked = changes.files.iter().filter(|file| file.totals().edits > 0);
    let mut parts = vec![
        Line::of(human::plural(worked.count(), "changed file"), Role::Plain),
        Line::of(human::plural(totals.edits as usize, "edit"), Role::Plain),
        changed_lines(totals.added, totals.removed),
    ];
    if totals.failed > 0 {
        let text = format!("{} did not work", human::plural(totals.failed as usize, "edit"));
        parts.push(Line::of(text, Role::Failure));
    }
    page.facts(parts);
}

fn file(file: &ChangedFile, folder: &StartFolder, layout: &PageLayout) -> Line {
    let path = folder.shorten(&file.path);
    let path = tilde(path, layout.user_home.as_deref());
    let mut line = Line::of(path, Style::from(Role::Path).with(Emphasis::STRONG));
    let totals = file.totals();
    line.add("  ", Role::Plain);
    if totals.edits > 0 {
        line.append(changed_lines(totals.added, totals.removed));
        let edits = human::plural(totals.edits as usize, "edit");
        line.add(format!("  {edits}"), Role::Muted);
    }
    if file.is_new() {
        line.add("  new", Role::Success);
    }
    if totals.failed > 0 {
        line.add(format!("  {} failed", totals.failed), Role::Failure);
    }
    line
}

fn edit(page: &mut InsightPage<'_>, edit: &FileEdit, style: ClockStyle) {
    let mut line = Line::new();
    if let Some(turn) = edit.turn {
        line.add(format!("turn {turn}  "), Role::Muted);
    }
    if let Some(time) = edit.time {
        let time = clock(time, &page.layout.zone, style);
        line.add(format!("{time}  "), Role::Time);
    }
    line.add(edit.tool.clone(), Role::ToolName).add("  ", Role::Plain);
    line.append(changed_lines(edit.added, edit.removed));
    let word = match edit.status {
        CallStatus::Done if edit.deleted => Some(("deleted", Role::Warning)),
        CallStatus::Done => None,
        CallStatus::Failed => Some(("failed", Role::Failure)),
        CallStatus::Denied => Some(("denied", Role::Warning)),
        CallStatus::Interrupted => Some(("interrupted", Role::Warning)),
        CallStatus::Pending => Some(("running", Role::Success)),
    };
    if let Some((word, role)) = word {
        line.add(format!("  {word}"), role);
    } else if edit.source == EditSource::Asked {
        line.add("  as asked for", Role::Muted);
    }
    if let Some(agent) = &edit.agent {
        line.add("  agent ", Role::Muted).add(short(agent), Role::Id);
    }
    let room = page.room();
    page.line(line.truncated(room));
    let mut indent = Line::new();
    indent.pad(2);
    let inside = room.saturating_sub(indent.width());
    for line in edit.diff.lines(inside, WideLines::Broken) {
        page.line(line.indented(&indent));
    }
    if edit.diff.is_empty() {
        page.line(muted("  the log does not say what was changed"));
    }
}
