//! Paints roles with escape codes, by one fixed theme.

use super::style::{CodeToken, Emphasis, Line, Role, Style};

/// Whether roles become colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColorMode {
    /// Plain text only.
    Never,
    /// Colours and emphasis by escape codes.
    Always,
}

/// Appends a line with its escape codes, without a line break. Every escape code is closed at the
/// end.
pub fn paint(line: &Line, mode: ColorMode, out: &mut String) {
    let mut open = Vec::new();
    for span in line.spans() {
        if mode == ColorMode::Always {
            let codes = rendition(span.style());
            if codes != open {
                close(&open, out);
                for (place, code) in codes.iter().enumerate() {
                    out.push_str(if place == 0 { "\u{1b}[" } else { ";" });
                    out.push_str(&code.to_string());
                }
                out.push_str(if codes.is_empty() { "" } else { "m" });
                open = codes;
            }
        }
        out.push_str(span.text());
    }
    close(&open, out);
}

fn close(open: &[u8], out: &mut String) {
    if !open.is_empty() {
        out.push_str("\u{1b}[0m");
    }
}

/// Returns the escape codes of a style: the numbers between `ESC [` and `m`.
pub fn rendition(style: Style) -> Vec<u8> {
    const MARKS: [(Emphasis, u8); 4] = [
        (Emphasis::STRONG, 1),
        (Emphasis::EMPHASIS, 3),
        (Emphasis::STRIKE, 9),
        (Emphasis::CHANGED, 7),
    ];
    let mut codes = role_codes(style.role).to_vec();
    for (mark, code) in MARKS {
        if style.marks.contains(mark) && !codes.contains(&code) {
            codes.push(code);
        }
    }
    codes
}

/// The theme. It uses only those of the 16 colours that are readable on dark and on light
/// backgrounds, so no blue, white or black.
fn role_codes(role: Role) -> &'static [u8] {
    match role {
        Role::Plain
        | Role::CodeBlock
        | Role::Tool
        | Role::DiffContext
        | Role::Number
        | Role::Model => &[],
        Role::Heading | Role::Assistant => &[1, 35],
        Role::Code | Role::DiffHunk | Role::Path => &[36],
        Role::Link => &[4],
        Role::Quote | Role::Success | Role::DiffAdded | Role::CountAdded => &[32],
        Role::ListMarker | Role::Id => &[35],
        Role::Rule | Role::System | Role::Muted | Role::Time => &[2],
        Role::User => &[1, 36],
        Role::ToolName | Role::Title => &[1],
        Role::Failure => &[1, 31],
        Role::DiffRemoved | Role::CountRemoved => &[31],
        Role::Warning => &[1, 33],
        Role::Thinking => &[2, 3],
        Role::Match => &[1, 7],
        Role::Syntax(token) => token_codes(token),
        Role::ColumnHead => &[1, 4],
    }
}

/// The colours of code. Names stay plain, so that a line does not get too colourful.
fn token_codes(token: CodeToken) -> &'static [u8] {
    match token {
        CodeToken::Keyword | CodeToken::Meta => &[35],
        CodeToken::Type | CodeToken::Function => &[36],
        CodeToken::String | CodeToken::Added => &[32],
        CodeToken::Number => &[33],
        CodeToken::Comment => &[2],
        CodeToken::Name => &[],
        CodeToken::Removed => &[31],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sanitize::clean;
    use crate::style::TextSpan;
    use proptest::prelude::*;

    fn painted(line: &Line, mode: ColorMode) -> String {
        let mut out = String::new();
        paint(line, mode, &mut out);
        out
    }

    #[test]
    fn paints_roles_and_marks() {
        let strong = Style::default().with(Emphasis::STRONG);
        let cases: [(&[(&str, Style)], &str); 7] = [
            (&[], ""),
            (&[("a", Role::Plain.into())], "a"),
            (&[("a", Role::Failure.into())], "\x1b[1;31ma\x1b[0m"),
            (
                &[("a", strong), ("b", strong.with(Emphasis::EMPHASIS))],
                "\x1b[1ma\x1b[0m\x1b[1;3mb\x1b[0m",
            ),
            (&[("a", Role::Title.into()), ("b", strong)], "\x1b[1mab\x1b[0m"),
            (&[("a", Style::from(Role::Title).with(Emphasis::STRONG))], "\x1b[1ma\x1b[0m"),
            (&[("a", Role::Id.into()), ("b", Role::Plain.into())], "\x1b[35ma\x1b[0mb"),
        ];
        for (spans, expected) in cases {
            let line: Line = spans.iter().map(|(t, s)| TextSpan::new(*t, *s)).collect();
            assert_eq!(painted(&line, ColorMode::Always), expected);
        }
    }

    fn any_style() -> impl Strategy<Value = Style> {
        const ROLES: [Role; 6] =
            [Role::Plain, Role::Failure, Role::Muted, Role::Heading, Role::Thinking, Role::Link];
        const MARKS: [Emphasis; 3] = [Emphasis::NONE, Emphasis::STRONG, Emphasis::CHANGED];
        (0..ROLES.len(), 0..MARKS.len(), 0..MARKS.len()).prop_map(|(role, one, two)| Style {
            role: ROLES[role],
            marks: MARKS[one] | MARKS[two],
        })
    }

    proptest! {
        #[test]
        fn painted_text_stripped_of_codes_is_the_plain_text(
            spans in proptest::collection::vec((any::<String>(), any_style()), 0..6)
        ) {
            let line: Line = spans.into_iter().map(|(t, s)| TextSpan::new(t, s)).collect();
            prop_assert_eq!(painted(&line, ColorMode::Never), line.plain());
            let colored = painted(&line, ColorMode::Always);
            prop_assert_eq!(clean(&colored), line.plain());
            let last_escape = colored.rfind('\u{1b}').map(|at| &colored[at..]);
            prop_assert!(last_escape.is_none_or(|tail| tail.starts_with("\x1b[0m")));
        }
    }
}
