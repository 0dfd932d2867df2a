//! The last row: a message, the continuations of a key sequence, or hints.

use ratatui::layout::Rect;
use unspool_render::keys::{KeyAction, KeyContext, ShownKeys, bindings};
use unspool_text::style::{Line, Role};

use super::TuiProgram;
use crate::canvas::Canvas;

impl TuiProgram {
    /// Paints the last row. Continuations of a key sequence take as many rows as they need.
    pub(super) fn view_footer(&self, canvas: &mut Canvas<'_>) {
        let area = canvas.area();
        let Some((_, screen)) = self.stack.last() else {
            return;
        };
        let context = screen.input_mode().context;
        let width = usize::from(area.width);
        let lines = if let Some(said) = &self.said {
            vec![Line::of(format!(" {said}"), Role::Warning)]
        } else if let Some(pending) = self.matcher.pending() {
            continuations(&pending, context, width)
        } else if let Some(own) = screen.own_hints() {
            let own = own.iter().map(|(keys, words)| hint(keys, words));
            vec![fitting(own.collect(), width)]
        } else {
            vec![self.hints(&screen.hints(), context, width)]
        };
        let height = (lines.len() as u16).min(area.height);
        let rows = Rect { y: area.bottom() - height, height, ..area };
        canvas.clear(rows);
        for (row, line) in (0..height).zip(lines) {
            canvas.line(rows, row, &line.truncated(width));
        }
    }

    /// Builds the hints: keys and what they do, help always included. A key of the settings takes
    /// precedence over those of the table.
    fn hints(&self, actions: &[KeyAction], context: KeyContext, width: usize) -> Line {
        let made = |action: KeyAction| {
            let binding = action.binding(context)?;
            let own = self.matcher.own_keys(action).next();
            let keys = match own {
                Some(own) => ShownKeys(own).to_string(),
                None => binding.keys().next()?.to_string(),
            };
            Some(hint(&keys, binding.short))
        };
        let actions = actions.iter().copied().chain([KeyAction::Help]);
        fitting(actions.filter_map(made).collect(), width)
    }
}

/// Lists the continuations of a key sequence, on as many lines as needed.
fn continuations(pending: &str, context: KeyContext, width: usize) -> Vec<Line> {
    let head = format!(" {pending} …");
    let indent = head.chars().count();
    let mut lines = Vec::new();
    let mut line = Line::of(head, Role::Id);
    for binding in bindings(context) {
        for keys in binding.keys() {
            let rest = keys.as_str().strip_prefix(pending);
            let Some(rest) = rest.and_then(|rest| rest.strip_prefix(' ')) else {
                continue;
            };
            let mut part = Line::of(format!("  {rest}"), Role::Id);
            part.add(format!(" {}", binding.short), Role::Muted);
            if line.width() + part.width() > width {
                lines.push(std::mem::take(&mut line));
                line.pad(indent);
            }
            line.append(part);
        }
    }
    lines.push(line);
    lines
}

fn hint(keys: &str, words: &str) -> Line {
    let mut line = Line::of(format!(" {keys}"), Role::Id);
    line.add(format!(" {words} "), Role::Muted);
    line
}

/// Returns the hints that fit, always including the last one.
fn fitting(mut hints: Vec<Line>, width: usize) -> Line {
    let last = hints.pop().unwrap_or_default();
    let mut line = Line::new();
    for hint in hints {
        if line.width() + hint.width() + last.width() > width {
            break;
        }
        line.append(hint);
    }
    line.append(last);
    line
}
