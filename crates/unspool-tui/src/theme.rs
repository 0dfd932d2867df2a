//! What roles look like in a terminal of so many colours.
//!
//! The theme uses the terminal's own sixteen colours with bold, dim and reverse, so it is right on light
//! and on dark ground without asking. It is the theme that commands print with
//! (`unspool_text::paint`).

use ratatui::style::{Color, Modifier, Style as CellStyle};
use unspool_text::highlight::CodeToken;
use unspool_text::style::{Emphasis, Role, Style};

/// How many colours a terminal has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColorDepth {
    /// None: bold, dim and reverse have to do.
    Monochrome,
    /// The sixteen that the terminal's own theme sets.
    Sixteen,
}

/// Returns the cells of a style.
pub(crate) fn cells(style: Style, depth: ColorDepth) -> CellStyle {
    const MARKS: [(Emphasis, Modifier); 4] = [
        (Emphasis::STRONG, Modifier::BOLD),
        (Emphasis::EMPHASIS, Modifier::ITALIC),
        (Emphasis::STRIKE, Modifier::CROSSED_OUT),
        (Emphasis::CHANGED, Modifier::REVERSED),
    ];
    let mut cells = role_cells(style.role);
    for (mark, modifier) in MARKS {
        if style.marks.contains(mark) {
            cells = cells.add_modifier(modifier);
        }
    }
    if depth == ColorDepth::Monochrome {
        cells.fg = None;
    }
    cells
}

fn role_cells(role: Role) -> CellStyle {
    let plain = CellStyle::new();
    match role {
        Role::Plain
        | Role::CodeBlock
        | Role::Tool
        | Role::DiffContext
        | Role::Number
        | Role::Model => plain,
        Role::Heading | Role::Assistant => plain.fg(Color::Magenta).bold(),
        Role::Code | Role::DiffHunk | Role::Path => plain.fg(Color::Cyan),
        Role::Link => plain.underlined(),
        Role::Quote | Role::Success | Role::DiffAdded => plain.fg(Color::Green),
        Role::ListMarker | Role::Id => plain.fg(Color::Magenta),
        Role::Rule | Role::System | Role::Muted | Role::Time => plain.dim(),
        Role::User => plain.fg(Color::Cyan).bold(),
        Role::ToolName | Role::Title => plain.bold(),
        Role::Failure => plain.fg(Color::Red).bold(),
        Role::DiffRemoved => plain.fg(Color::Red),
        Role::Warning => plain.fg(Color::Yellow).bold(),
        Role::Thinking => plain.dim().italic(),
        Role::Match => plain.bold().reversed(),
        Role::Syntax(token) => token_cells(token),
        Role::ColumnHead => plain.bold().underlined(),
    }
}

fn token_cells(token: CodeToken) -> CellStyle {
    let plain = CellStyle::new();
    match token {
        CodeToken::Keyword | CodeToken::Meta => plain.fg(Color::Magenta),
        CodeToken::Type | CodeToken::Function => plain.fg(Color::Cyan),
        CodeToken::String | CodeToken::Added => plain.fg(Color::Green),
        CodeToken::Number => plain.fg(Color::Yellow),
        CodeToken::Comment => plain.dim(),
        CodeToken::Name => plain,
        CodeToken::Removed => plain.fg(Color::Red),
    }
}
