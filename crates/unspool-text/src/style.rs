//! Labelled text: spans have roles, which the painter turns into colours.

use std::borrow::Cow;
use std::iter;
use std::ops::{BitOr, BitOrAssign};

use super::sanitize;
use super::width::{units, width};

/// The label of a piece of code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CodeToken {
    /// A keyword of the language.
    Keyword,
    /// The name of a type.
    Type,
    /// The name of a function.
    Function,
    /// A quoted text.
    String,
    /// A number, or a constant of the language.
    Number,
    /// A comment.
    Comment,
    /// The name of a field, an attribute or a variable.
    Name,
    /// Metadata: an annotation, a directive, a heading.
    Meta,
    /// An added line of a diff.
    Added,
    /// A removed line of a diff.
    Removed,
}

/// The label of a piece of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Role {
    /// Text without a label.
    #[default]
    Plain,
    /// A heading of a document.
    Heading,
    /// Code inside a sentence.
    Code,
    /// A line of a code block.
    CodeBlock,
    /// A piece of code with its label.
    Syntax(CodeToken),
    /// The text of a link.
    Link,
    /// The bar before quoted text.
    Quote,
    /// A bullet, a number or a check box before a list item.
    ListMarker,
    /// A line that separates: rules and table borders.
    Rule,
    /// A user's text.
    User,
    /// The assistant's text.
    Assistant,
    /// A message of the program.
    System,
    /// Input and output of tools.
    Tool,
    /// The name of a tool.
    ToolName,
    /// A success.
    Success,
    /// A failure.
    Failure,
    /// A warning.
    Warning,
    /// Text that is less important than the text around it.
    Muted,
    /// The assistant's thinking.
    Thinking,
    /// An added line of a diff.
    DiffAdded,
    /// A removed line of a diff.
    DiffRemoved,
    /// An unchanged line of a diff.
    DiffContext,
    /// The header of a hunk.
    DiffHunk,
    /// The number of added lines.
    CountAdded,
    /// The number of removed lines.
    CountRemoved,
    /// A file or folder.
    Path,
    /// An identifier: session, message, agent.
    Id,
    /// The title of a session or a page.
    Title,
    /// A count, a size, a duration.
    Number,
    /// A date or a time.
    Time,
    /// The name of a model.
    Model,
    /// A match of a search.
    Match,
    /// The head of a column.
    ColumnHead,
}

/// Emphasis on top of a role; marks nest and combine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Emphasis(u8);

impl Emphasis {
    /// No emphasis.
    pub const NONE: Self = Self(0);
    /// Stressed, usually italic.
    pub const EMPHASIS: Self = Self(1);
    /// Strongly stressed, usually bold.
    pub const STRONG: Self = Self(2);
    /// Struck through.
    pub const STRIKE: Self = Self(4);
    /// The changed part of a line of a diff.
    pub const CHANGED: Self = Self(8);

    /// Returns whether all of `other` is set.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for Emphasis {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Emphasis {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// A role with its emphasis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Style {
    /// The role of the text.
    pub role: Role,
    /// The emphasis of the text.
    pub marks: Emphasis,
}

impl Style {
    /// Adds emphasis.
    #[must_use]
    pub fn with(self, marks: Emphasis) -> Self {
        Self { role: self.role, marks: self.marks | marks }
    }
}

impl From<Role> for Style {
    fn from(role: Role) -> Self {
        Self { role, marks: Emphasis::NONE }
    }
}

/// A piece of a line in one style.
///
/// Its text is clean by construction: it has no control character, line break or tab.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TextSpan {
    text: String,
    style: Style,
}

impl TextSpan {
    /// Makes a span of any text, which is cleaned and put on one line: line breaks become spaces,
    /// tabs are expanded.
    pub fn new(text: impl Into<String>, style: impl Into<Style>) -> Self {
        let text = text.into();
        let text = match sanitize::inline(&text) {
            Cow::Owned(safe) => safe,
            Cow::Borrowed(_) => text,
        };
        Self::from_clean(text, style.into())
    }

    /// Makes a span without a label.
    pub fn plain(text: impl Into<String>) -> Self {
        Self::new(text, Role::Plain)
    }

    /// Makes a span of text that was cut out of another span.
    pub(super) fn from_clean(text: String, style: Style) -> Self {
        debug_assert!(!text.chars().any(char::is_control), "span text is clean");
        Self { text, style }
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the style.
    pub fn style(&self) -> Style {
        self.style
    }

    /// Returns the role.
    pub fn role(&self) -> Role {
        self.style.role
    }

    /// Returns the width of the text in columns.
    pub fn width(&self) -> usize {
        width(&self.text)
    }
}

/// One line of output.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Line(Vec<TextSpan>);

impl Line {
    /// Makes an empty line.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes an empty line with room for some spans.
    pub(super) fn with_capacity(spans: usize) -> Self {
        Self(Vec::with_capacity(spans))
    }

    /// Makes a line of one span.
    pub fn of(text: impl Into<String>, style: impl Into<Style>) -> Self {
        Self::from(TextSpan::new(text, style))
    }

    /// Appends a span, unless it is empty; joins it to the last one if they have the same style.
    pub fn push(&mut self, span: TextSpan) {
        if span.text.is_empty() {
            return;
        }
        match self.0.last_mut() {
            Some(last) if last.style == span.style => last.text.push_str(&span.text),
            _ => self.0.push(span),
        }
    }

    /// Appends a span without joining it to the last one.
    pub(super) fn push_apart(&mut self, span: TextSpan) {
        if !span.text.is_empty() {
            self.0.push(span);
        }
    }

    /// Appends text.
    pub fn add(&mut self, text: impl Into<String>, style: impl Into<Style>) -> &mut Self {
        self.push(TextSpan::new(text, style));
        self
    }

    /// Appends text and returns the line.
    #[must_use]
    pub fn and(mut self, text: impl Into<String>, style: impl Into<Style>) -> Self {
        self.add(text, style);
        self
    }

    /// Appends `count` spaces without a label.
    pub fn pad(&mut self, count: usize) -> &mut Self {
        match self.0.last_mut() {
            Some(last) if last.style == Style::default() => {
                last.text.extend(iter::repeat_n(' ', count));
            }
            _ => self.push(TextSpan::from_clean(" ".repeat(count), Style::default())),
        }
        self
    }

    /// Appends the spans of another line.
    pub fn append(&mut self, other: Self) -> &mut Self {
        self.extend(other.0);
        self
    }

    /// Inserts a prefix at the front.
    #[must_use]
    pub fn indented(mut self, prefix: &Self) -> Self {
        if !prefix.0.is_empty() {
            self.0.splice(0..0, prefix.0.iter().cloned());
        }
        self
    }

    /// Returns the spans in order.
    pub fn spans(&self) -> &[TextSpan] {
        &self.0
    }

    /// Returns whether the line has only white space.
    pub fn is_blank(&self) -> bool {
        self.0.iter().all(|span| span.text.trim().is_empty())
    }

    /// Returns the width of the line in columns.
    pub fn width(&self) -> usize {
        self.0.iter().map(TextSpan::width).sum()
    }

    /// Returns the text without its styles.
    pub fn plain(&self) -> String {
        self.0.iter().map(TextSpan::text).collect()
    }

    /// Cuts the line to at most `max` columns, with `…` at the end if something was cut.
    #[must_use]
    pub fn truncated(self, max: usize) -> Self {
        // Where to cut if the line turns out to be too wide.
        let mut cut = (0, 0);
        let mut total = 0;
        for (index, span) in self.0.iter().enumerate() {
            if span.text.len() < max - total && span.text.is_ascii() {
                total += span.text.len();
                cut = (index, span.text.len());
                continue;
            }
            let mut at = 0;
            for unit in units(&span.text) {
                total += unit.width;
                at += unit.text.len();
                if total > max {
                    return self.cut_with_ellipsis(cut, max);
                }
                if total < max {
                    cut = (index, at);
                }
            }
        }
        self
    }

    fn cut_with_ellipsis(mut self, (index, at): (usize, usize), max: usize) -> Self {
        self.0.truncate(index + 1);
        if let Some(last) = self.0.last_mut() {
            last.text.truncate(at);
            if max > 0 {
                last.text.push('…');
            }
        }
        self.0.retain(|span| !span.text.is_empty());
        self
    }

    /// Removes spaces from the end.
    #[must_use]
    pub fn trimmed_end(mut self) -> Self {
        while let Some(last) = self.0.last_mut() {
            last.text.truncate(last.text.trim_end_matches(' ').len());
            if !last.text.is_empty() {
                break;
            }
            self.0.pop();
        }
        self
    }
}

impl From<TextSpan> for Line {
    fn from(span: TextSpan) -> Self {
        // There are many lines of one span, so their capacity is one.
        Self(if span.text.is_empty() { Vec::new() } else { vec![span] })
    }
}

impl From<&str> for Line {
    fn from(text: &str) -> Self {
        Self::from(TextSpan::plain(text))
    }
}

impl FromIterator<TextSpan> for Line {
    fn from_iter<I: IntoIterator<Item = TextSpan>>(spans: I) -> Self {
        let mut line = Self::new();
        line.extend(spans);
        line
    }
}

impl Extend<TextSpan> for Line {
    fn extend<I: IntoIterator<Item = TextSpan>>(&mut self, spans: I) {
        for span in spans {
            self.push(span);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn spans_are_clean_and_on_one_line() {
        let cases = [
            ("a\nb", "a b"),
            ("a\tb", "a   b"),
            ("\x1b[31mred\x1b[0m", "red"),
            ("\x1b]0;title\x07x", "x"),
            ("a\r\nb", "a b"),
        ];
        for (raw, expected) in cases {
            assert_eq!(TextSpan::plain(raw).text(), expected, "{raw:?}");
        }
    }

    #[test]
    fn truncates_by_columns() {
        let cases = [
            (&["abc"][..], 3, "abc"),
            (&["abcd"], 3, "ab…"),
            (&["ab", "cd"], 3, "ab…"),
            (&["ab", "cd"], 2, "a…"),
            (&["漢字"], 3, "漢…"),
            (&["漢字"], 2, "…"),
            (&["ab"], 0, ""),
            (&[], 0, ""),
            (&["abc", "\u{301}"], 3, "abc\u{301}"),
        ];
        for (parts, max, expected) in cases {
            let mut line = Line::new();
            for (index, part) in parts.iter().enumerate() {
                let role = if index % 2 == 0 { Role::Id } else { Role::Path };
                line.add(*part, role);
            }
            let cut = line.truncated(max);
            assert_eq!(cut.plain(), expected, "{parts:?} to {max}");
            assert!(cut.width() <= max);
        }
    }

    proptest! {
        #[test]
        fn truncated_lines_fit(text in any::<String>(), max in 0usize..20) {
            prop_assert!(Line::of(text, Role::Plain).truncated(max).width() <= max);
        }
    }
}
