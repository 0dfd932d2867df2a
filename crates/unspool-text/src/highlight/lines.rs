//! Code as styled lines, for a terminal.

use super::{Language, fence_name, highlight};
use crate::sanitize::{TAB, clean, expand_tabs};
use crate::style::{Line, Role};

/// Highlights code as styled lines. `info` names the language as a fence or a file's extension
/// does; text without a label gets the role `plain`.
pub fn code_lines(info: &str, text: &str, plain: Role) -> Vec<Line> {
    let cleaned = clean(text);
    let text = expand_tabs(&cleaned, TAB);
    let mut lines = vec![Line::new()];
    let mut add = |role: Role, piece: &str| {
        for (index, part) in piece.split('\n').enumerate() {
            if index > 0 {
                lines.push(Line::new());
            }
            if let Some(line) = lines.last_mut() {
                line.add(part, role);
            }
        }
    };
    match Language::named(fence_name(info)) {
        Some(language) => highlight(language, &text, &mut |token, piece| {
            add(token.map_or(plain, Role::Syntax), piece);
        }),
        None => add(plain, &text),
    }
    if text.is_empty() || text.ends_with('\n') {
        lines.pop();
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::{CodeToken, TextSpan};

    #[test]
    fn lines_carry_the_labels_of_their_pieces() {
        let lines = code_lines("rust,ignore", "/* a\nb */ fn\n\n", Role::CodeBlock);
        let roles: Vec<Vec<Role>> =
            lines.iter().map(|line| line.spans().iter().map(TextSpan::role).collect()).collect();
        let (comment, keyword) =
            (Role::Syntax(CodeToken::Comment), Role::Syntax(CodeToken::Keyword));
        assert_eq!(roles, [vec![comment], vec![comment, Role::CodeBlock, keyword], vec![]]);
    }

    #[test]
    fn what_has_no_language_stays_in_one_colour() {
        for (info, text, count) in [("", "fn a\n\tb", 2), ("no-such", "x\n", 1), ("rust", "", 0)] {
            let lines = code_lines(info, text, Role::CodeBlock);
            assert_eq!(lines.len(), count, "{text:?}");
            let spans = lines.iter().flat_map(Line::spans);
            assert!(spans.map(TextSpan::role).all(|role| role == Role::CodeBlock));
        }
    }
}
