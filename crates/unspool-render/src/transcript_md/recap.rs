//! A recap as Markdown that can be pasted into a report.

use std::fmt::Write as _;

use super::escape::inline;
use crate::document::recap::{file_note, in_project, prompts_below, recap_parts, session_parts};
use unspool_engine::ops::recap::{Recap, RecapSession};
use unspool_text::sanitize;

/// Formats a recap under a heading.
pub fn recap(recap: &Recap, heading: &str) -> String {
    let mut out = format!("# {}\n\n", inline(heading));
    // Writing into a string cannot fail.
    let _ = writeln!(out, "{}", recap_parts(&recap.total).join(" · "));
    for project in &recap.projects {
        let _ = write!(out, "\n## {}\n", inline(&project.name));
        for told in &project.sessions {
            session(told, project.cwd.as_deref(), &mut out);
        }
    }
    out
}

fn session(session: &RecapSession, cwd: Option<&str>, out: &mut String) {
    let title = session.row.title.as_deref().unwrap_or("no title");
    let mut parts = vec![format!("`{}`", session.row.short_id())];
    parts.extend(session_parts(session));
    let _ = write!(out, "\n### {}\n\n{}\n", inline(title), parts.join(" · "));
    let line = sanitize::one_line(title, usize::MAX);
    let prompts = prompts_below(session, &line);
    if !prompts.is_empty() {
        out.push('\n');
    }
    for prompt in prompts {
        let earlier = if prompt.earlier { " (asked earlier)" } else { "" };
        let _ = writeln!(out, "- {}{earlier}", inline(&prompt.text));
    }
    if session.files.is_empty() {
        return;
    }
    out.push_str("\nChanged files:\n\n");
    for file in &session.files {
        let path = inline(in_project(&file.path, cwd));
        let _ = writeln!(out, "- {path} {}", file_note(file));
    }
}
