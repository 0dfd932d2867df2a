//! The colours and attributes of roles, for terminals of different colour depth.
//!
//! The theme uses the terminal's own sixteen colours with bold, dim and reverse, so it fits light and dark
//! backgrounds without asking. Commands print with the same theme (`unspool_text::paint`). On a true-colour
//! terminal whose background is known, lines of a diff get backgrounds; their text gets a colour too, so
//! that both are readable whatever the terminal's own colours are.

use ratatui::style::{Color, Style as CellStyle};
use unspool_model::names;
use unspool_text::paint::rendition;
use unspool_text::style::{Emphasis, Role, Style};

/// The number of colours that a terminal has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColorDepth {
    /// None, only bold, dim and reverse.
    Monochrome,
    /// The sixteen colours of the terminal's own theme.
    Sixteen,
    /// 24-bit colours.
    True,
}

names! {
    /// Whether the background of a terminal is dark or light.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum TerminalBackground {
        /// A dark background.
        Dark = "dark",
        /// A light background.
        Light = "light",
    }
}

/// The colours of a line of a diff: text, background, and the background of the changed words.
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

/// Returns the style that fills a row after a last span of this role, if the role has a background.
pub(crate) fn rest_of_row(
    role: Role,
    depth: ColorDepth,
    background: Option<TerminalBackground>,
) -> Option<CellStyle> {
    let colors = DiffColors::of(role, depth, background)?;
    Some(CellStyle::new().bg(colors.line))
}

/// Returns the cell style of a text style.
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

/// Applies one SGR code, of those that the theme uses.
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

    /// Returns the relative luminance of a colour, from 0 to 1, as WCAG defines it.
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
