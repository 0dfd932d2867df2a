//! A session whose log is gone; only its prompts are left.

use unspool_text::style::{Line, Role};
use unspool_text::{human, sanitize, wrap};

use super::{ClockStyle, PageLayout, clock, rule, tilde};
use unspool_engine::ops::anywhere::PastSession;

/// Draws the prompts of a session whose log is gone.
pub fn past(past: &PastSession, layout: &PageLayout) -> Vec<Line> {
    let project = tilde(&sanitize::clean(&past.project), layout.user_home.as_deref());
    let mut head = Line::of(sanitize::clean(past.session.as_str()).into_owned(), Role::Id);
    head.add("  ", Role::Plain).add(project, Role::Path);
    let count = human::plural(past.prompts.len(), "prompt");
    head.add(format!("  {count}"), Role::Muted);
    let mut lines = vec![head, rule(layout.width, None)];
    for (time, text) in &past.prompts {
        let mut label = Line::of("❯ ", Role::User);
        if let Some(time) = time {
            let time = clock(*time, &layout.zone, ClockStyle::DateAndTime);
            label.add(time, Role::Time);
        }
        lines.push(label);
        for line in sanitize::clean(text).lines() {
            let room = layout.width.saturating_sub(2).max(20);
            for part in wrap(&Line::of(line.to_owned(), Role::User), room) {
                lines.push(part.indented(&Line::of("  ", Role::Plain)));
            }
        }
        lines.push(Line::new());
    }
    lines
}
