//! What roles look like in a terminal of so many colours.
//!
//! The theme uses the terminal's own sixteen colours with bold, dim and reverse, so it is right on a light
//! and on a dark background without asking. It is the theme that commands print with
//! (`unspool_text::paint`). On a terminal of all colours whose background is known, lines of a diff have
//! backgrounds of their own; their text has a colour too, so that both can be read whatever the terminal's
//! own colours are.

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
    /// All of them.
    True,
}

/// Whether the background of a terminal is dark or light.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TerminalBackground {
    /// It is dark.
    Dark,
    /// It is light.
    Light,
}

/// The colours of a line of a diff: its text, its background, and the background of what changed in it.
struct DiffColors {
    text: Color,
    line: Color,
    changed: Color,
}

impl DiffColors {
    fn of(role: Role, depth: ColorDepth, background: Option<TerminalBackground>) -> Option<Self> {
        if depth != ColorDepth::True {
            return None;
        }
        let rgb = |hex: u32| Color::from_u32(hex);
        let (text, line, changed) = match (role, background?) {
            (Role::DiffAdded, TerminalBackground::Dark) => (0xd3_f4_da, 0x12_34_1e, 0x1b_4d_2a),
            (Role::DiffRemoved, TerminalBackground::Dark) => (0xf9_d9_d6, 0x43_1a_1d, 0x6b_25_28),
            (Role::DiffAdded, TerminalBackground::Light) => (0x0b_3d_1a, 0xda_fb_e1, 0xac_ee_bb),
            (Role::DiffRemoved, TerminalBackground::Light) => (0x5c_12_14, 0xff_eb_e9, 0xff_c9_c6),
            _ => return None,
        };
        Some(Self {
            text: rgb(text),
            line: rgb(line),
            changed: rgb(changed),
        })
    }
}

/// Returns the background of the rest of a row whose last text has a role, if it has one.
pub(crate) fn rest_of_row(
    role: Role,
    depth: ColorDepth,
    background: Option<TerminalBackground>,
) -> Option<CellStyle> {
    let colors = DiffColors::of(role, depth, background)?;
    Some(CellStyle::new().bg(colors.line))
}

/// Returns the cells of a style.
pub(crate) fn cells(
    style: Style,
    depth: ColorDepth,
    background: Option<TerminalBackground>,
) -> CellStyle {
    const MARKS: [(Emphasis, Modifier); 4] = [
        (Emphasis::STRONG, Modifier::BOLD),
        (Emphasis::EMPHASIS, Modifier::ITALIC),
        (Emphasis::STRIKE, Modifier::CROSSED_OUT),
        (Emphasis::CHANGED, Modifier::REVERSED),
    ];
    if let Some(colors) = DiffColors::of(style.role, depth, background) {
        let is_changed = style.marks.contains(Emphasis::CHANGED);
        let background = if is_changed {
            colors.changed
        } else {
            colors.line
        };
        return CellStyle::new().fg(colors.text).bg(background);
    }
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
        Role::Quote | Role::Success | Role::DiffAdded | Role::CountAdded => plain.fg(Color::Green),
        Role::ListMarker | Role::Id => plain.fg(Color::Magenta),
        Role::Rule | Role::System | Role::Muted | Role::Time => plain.dim(),
        Role::User => plain.fg(Color::Cyan).bold(),
        Role::ToolName | Role::Title => plain.bold(),
        Role::Failure => plain.fg(Color::Red).bold(),
        Role::DiffRemoved | Role::CountRemoved => plain.fg(Color::Red),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns how bright a colour is, from nothing to one, as the guidelines of the web measure it.
    fn luminance(color: Color) -> f64 {
        let Color::Rgb(red, green, blue) = color else {
            panic!("{color:?} is one of the terminal's own");
        };
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.040_45 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    fn contrast(one: Color, other: Color) -> f64 {
        let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
        one.max(other) / one.min(other)
    }

    #[test]
    fn lines_of_a_diff_can_be_read_on_both_backgrounds() {
        let changed = Emphasis::CHANGED;
        for background in [TerminalBackground::Dark, TerminalBackground::Light] {
            let paper = match background {
                TerminalBackground::Dark => Color::Rgb(0, 0, 0),
                TerminalBackground::Light => Color::Rgb(255, 255, 255),
            };
            for role in [Role::DiffAdded, Role::DiffRemoved] {
                for style in [Style::from(role), Style::from(role).with(changed)] {
                    let cells = cells(style, ColorDepth::True, Some(background));
                    let (text, line) = (cells.fg.expect("text"), cells.bg.expect("a line"));
                    assert!(contrast(text, line) >= 7.0, "{role:?} on {background:?}");
                    assert!(
                        contrast(line, paper) < 3.0,
                        "{role:?} shouts on {background:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn without_all_colours_or_a_known_background_the_terminals_own_are_used() {
        let dark = Some(TerminalBackground::Dark);
        let added = Style::from(Role::DiffAdded);
        let own = CellStyle::new().fg(Color::Green);
        assert_eq!(cells(added, ColorDepth::True, None), own);
        assert_eq!(cells(added, ColorDepth::Sixteen, dark), own);
        let plain = cells(added, ColorDepth::Monochrome, dark);
        assert_eq!((plain.fg, plain.bg), (None, None));
    }
}
