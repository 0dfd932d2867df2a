//! The last row: what was said, the rest of a sequence of keys, or hints.

use ratatui::layout::Rect;
use unspool_render::keys::{KeyAction, KeyContext, bindings};
use unspool_text::style::{Line, Role};

use super::TuiProgram;
use crate::canvas::Canvas;

impl TuiProgram {
    /// Paints the last row.
    pub(super) fn view_footer(&self, canvas: &mut Canvas<'_>) {
        let area = canvas.area();
        let row = Rect {
            y: area.bottom() - 1,
            height: 1,
            ..area
        };
        canvas.clear(row);
        let Some((_, screen)) = self.stack.last() else {
            return;
        };
        let context = screen.input_mode().context;
        let width = usize::from(row.width);
        let line = if let Some(said) = &self.said {
            Line::of(format!(" {said}"), Role::Warning)
        } else if let Some(pending) = self.matcher.pending() {
            continuations(&pending, context)
        } else {
            hints(&screen.hints(), context, width)
        };
        canvas.line(row, 0, &line.truncated(width));
    }
}

/// Lists what the keys after the beginning of a sequence do.
fn continuations(pending: &str, context: KeyContext) -> Line {
    let mut line = Line::of(format!(" {pending} …"), Role::Id);
    for binding in bindings(context) {
        for keys in binding.keys() {
            let rest = keys.as_str().strip_prefix(pending);
            let Some(rest) = rest.and_then(|rest| rest.strip_prefix(' ')) else {
                continue;
            };
            line.add(format!("  {rest}"), Role::Id);
            line.add(format!(" {}", binding.short), Role::Muted);
        }
    }
    line
}

/// Lists keys and what they do, as many as there is room for, help always among them.
fn hints(actions: &[KeyAction], context: KeyContext, width: usize) -> Line {
    let hint = |action: KeyAction| {
        let binding = action.binding(context)?;
        let keys = binding.keys().next()?;
        let mut line = Line::of(format!(" {keys}"), Role::Id);
        line.add(format!(" {} ", binding.short), Role::Muted);
        Some(line)
    };
    let help = hint(KeyAction::Help).unwrap_or_default();
    let mut line = Line::new();
    for hint in actions.iter().copied().filter_map(hint) {
        if line.width() + hint.width() + help.width() > width {
            break;
        }
        line.append(hint);
    }
    line.append(help);
    line
}
