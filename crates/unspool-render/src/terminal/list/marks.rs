//! Marks for what is special about a session; cards describe it in words.

use unspool_text::style::{Line, Role};

use unspool_store::rows::{SessionKind, SessionRow, Status};

/// The legend of the marks, for help texts.
pub const LEGEND: &str = "● live or open, ■ interrupted, ✗ error, ○ no conversation, » run by a \
program, ◆ an agent, ↶ rewinds, ≡ compactions, ◇ agents";

/// Draws the marks of a session.
pub(super) fn marks(row: &SessionRow) -> Line {
    let mut line = Line::new();
    let mut mark = |text: String, role: Role| {
        if !line.is_blank() {
            line.add(" ", Role::Plain);
        }
        line.add(text, role);
    };
    if row.live {
        mark("●".to_owned(), Role::Success);
    }
    let ended = match row.status {
        Status::Complete => None,
        Status::Open => Some("●").filter(|_| !row.live),
        Status::Interrupted => Some("■"),
        Status::Error => Some("✗"),
        Status::Empty => Some("○"),
    };
    if let Some(sign) = ended {
        mark(sign.to_owned(), status_role(row.status));
    }
    match row.kind {
        SessionKind::Headless => mark("»".to_owned(), Role::Muted),
        SessionKind::Agent => mark("◆".to_owned(), Role::Muted),
        SessionKind::Main | SessionKind::Empty => {}
    }
    for (sign, count, role) in [
        ("↶", row.branches, Role::Warning),
        ("≡", row.compactions, Role::Muted),
        ("◇", row.agents, Role::Muted),
    ] {
        if count > 0 {
            mark(format!("{sign}{count}"), role);
        }
    }
    line
}

/// Returns the style of a session's status.
pub(super) fn status_role(status: Status) -> Role {
    match status {
        Status::Complete => Role::Plain,
        Status::Interrupted => Role::Warning,
        Status::Error => Role::Failure,
        Status::Open => Role::Success,
        Status::Empty => Role::Muted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unspool_model::named::Named as _;
    use unspool_store::testing::row;

    #[test]
    fn every_sign_is_in_the_legend() {
        let mut every = row("a", "/srv/demo");
        (every.branches, every.compactions, every.agents) = (2, 1, 13);
        let mut signs = String::new();
        for status in Status::ALL {
            for kind in SessionKind::ALL {
                (every.status, every.kind) = (*status, *kind);
                signs.push_str(&marks(&every).plain());
            }
        }
        let signs = signs.chars().filter(|c| !c.is_ascii());
        for sign in signs {
            assert!(LEGEND.contains(sign), "{sign}");
        }
        (every.status, every.kind) = (Status::Interrupted, SessionKind::Headless);
        assert_eq!(marks(&every).plain(), "■ » ↶2 ≡1 ◇13");
        (every.status, every.live) = (Status::Open, true);
        assert_eq!(marks(&every).plain(), "● » ↶2 ≡1 ◇13");
    }
}
