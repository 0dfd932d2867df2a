//! What roles look like in a terminal of so many colours.
//!
//! The theme uses the terminal's own sixteen colours with bold, dim and reverse, so it is right on a light
//! and on a dark background without asking. It is the theme that commands print with
//! (`unspool_text::paint`). On a terminal of all colours whose background is known, lines of a diff have
//! backgrounds of their own; their text has a colour too, so that both can be read whatever the terminal's
//! own colours are.

use ratatui::style::{Color, Style as CellStyle};
use unspool_model::names;
use unspool_text::paint::rendition;
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

names! {
    /// Whether the background of a terminal is dark or light.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum TerminalBackground {
        /// It is dark.
        Dark = "dark",
        /// It is light.
        Light = "light",
    }
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
        Some(Self { text: rgb(text), line: rgb(line), changed: rgb(changed) })
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
    if let Some(colors) = DiffColors::of(style.role, depth, background) {
        let is_changed = style.marks.contains(Emphasis::CHANGED);
        let background = if is_changed { colors.changed } else { colors.line };
        return CellStyle::new().fg(colors.text).bg(background);
    }
    let codes = rendition(style).into_iter();
    let mut cells = codes.fold(CellStyle::new(), with_code);
    if depth == ColorDepth::Monochrome {
        cells.fg = None;
    }
    cells
}

/// Adds what a number of a graphic rendition means, of those that the theme uses.
fn with_code(cells: CellStyle, code: u8) -> CellStyle {
    match code {
        1 => cells.bold(),
        2 => cells.dim(),
        3 => cells.italic(),
        4 => cells.underlined(),
        7 => cells.reversed(),
        9 => cells.crossed_out(),
        31 => cells.fg(Color::Red),
        32 => cells.fg(Color::Green),
        33 => cells.fg(Color::Yellow),
        35 => cells.fg(Color::Magenta),
        36 => cells.fg(Color::Cyan),
        _ => cells,
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
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
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
                    assert!(contrast(line, paper) < 3.0, "{role:?} shouts on {background:?}");
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
