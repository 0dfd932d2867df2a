//! Small charts drawn with characters: bars, sparklines and columns.

/// The characters that charts are drawn with.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Glyphs {
    /// Blocks in eighths.
    #[default]
    Blocks,
    /// ASCII characters, for terminals that lack blocks.
    Ascii,
}

/// Blocks filled from the left, in eighths.
const LEFT: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
/// Blocks filled from the bottom, in eighths.
const LOW: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// The ASCII characters that replace them.
const RAMP: [char; 8] = ['.', ':', '-', '=', '+', '*', '#', '@'];

/// Draws a bar of at most `width` columns, which `largest` fills. Any value above zero is visible.
pub fn bar(value: u64, largest: u64, width: usize, glyphs: Glyphs) -> String {
    match glyphs {
        Glyphs::Blocks => {
            let eighths = scaled(value, largest, width as u64 * 8) as usize;
            let mut bar = String::from('█').repeat(eighths / 8);
            if let Some(part) = (eighths % 8).checked_sub(1) {
                bar.push(LEFT[part]);
            }
            bar
        }
        Glyphs::Ascii => "#".repeat(scaled(value, largest, width as u64) as usize),
    }
}

/// Draws one character for each value; the largest is full, and zero is a dot or a blank.
pub fn sparkline(values: &[u64], glyphs: Glyphs) -> String {
    let (ramp, nothing) = match glyphs {
        Glyphs::Blocks => (LOW, '·'),
        Glyphs::Ascii => (RAMP, ' '),
    };
    let largest = values.iter().copied().max().unwrap_or(0);
    values
        .iter()
        .map(|&value| match scaled(value, largest, 8) {
            0 => nothing,
            level => ramp[level as usize - 1],
        })
        .collect()
}

/// Draws values as adjacent columns, one character wide, in `rows` rows from the top down;
/// `largest` fills all of them. Any value above zero is visible.
pub fn columns(values: &[u64], largest: u64, rows: usize, glyphs: Glyphs) -> Vec<String> {
    let steps = match glyphs {
        Glyphs::Blocks => 8,
        Glyphs::Ascii => 1,
    };
    let total = rows as u64 * steps;
    let levels: Vec<u64> = values.iter().map(|&value| scaled(value, largest, total)).collect();
    let row = |row: usize| {
        let below = (rows - 1 - row) as u64 * steps;
        let levels = levels.iter();
        levels
            .map(|level| match (glyphs, level.saturating_sub(below).min(steps)) {
                (_, 0) => ' ',
                (Glyphs::Blocks, part) => LOW[part as usize - 1],
                (Glyphs::Ascii, _) => '#',
            })
            .collect()
    };
    (0..rows).map(row).collect()
}

/// Scales a value to whole steps, rounded; any value above zero gets at least one.
fn scaled(value: u64, largest: u64, steps: u64) -> u64 {
    if value == 0 || steps == 0 {
        return 0;
    }
    let (value, largest) = (u128::from(value), u128::from(largest.max(value)));
    let step = (value * u128::from(steps) * 2 + largest) / (largest * 2);
    (step as u64).clamp(1, steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::width::width;
    use proptest::prelude::*;

    #[test]
    fn bars_are_drawn_in_eighths() {
        let cases = [
            (0, 100, 10, "", ""),
            (1, 100_000, 10, "▏", "#"),
            (50, 100, 10, "█████", "#####"),
            (55, 100, 10, "█████▌", "######"),
            (100, 100, 10, "██████████", "##########"),
            (100, 0, 2, "██", "##"),
            (7, 7, 0, "", ""),
            (u64::MAX, u64::MAX, 1, "█", "#"),
        ];
        for (value, largest, columns, blocks, ascii) in cases {
            assert_eq!(bar(value, largest, columns, Glyphs::Blocks), blocks);
            assert_eq!(bar(value, largest, columns, Glyphs::Ascii), ascii);
        }
    }

    #[test]
    fn sparklines_show_one_character_for_each_value() {
        assert_eq!(sparkline(&[1, 0, 4, 8], Glyphs::Blocks), "▁·▄█");
        assert_eq!(sparkline(&[1, 0, 4, 8], Glyphs::Ascii), ". =@");
        assert_eq!(sparkline(&[], Glyphs::Blocks), "");
        assert_eq!(sparkline(&[0, 0], Glyphs::Blocks), "··");
    }

    #[test]
    fn columns_start_on_the_ground() {
        let drawn = columns(&[0, 1, 8, 12, 16], 16, 2, Glyphs::Blocks);
        assert_eq!(drawn, ["   ▄█", " ▁███"]);
        let drawn = columns(&[0, 1, 8, 16], 16, 2, Glyphs::Ascii);
        assert_eq!(drawn, ["   #", " ###"]);
        assert_eq!(columns(&[], 1, 1, Glyphs::Blocks), [""]);
        assert!(columns(&[1], 1, 0, Glyphs::Blocks).is_empty());
    }

    proptest! {
        #[test]
        fn charts_never_exceed_their_place(
            values in prop::collection::vec(any::<u64>(), 0..50),
            columns in 0usize..30,
        ) {
            let largest = values.iter().copied().max().unwrap_or(0);
            for glyphs in [Glyphs::Blocks, Glyphs::Ascii] {
                for &value in &values {
                    prop_assert!(width(&bar(value, largest, columns, glyphs)) <= columns);
                }
                prop_assert_eq!(width(&sparkline(&values, glyphs)), values.len());
                for row in super::columns(&values, largest, 3, glyphs) {
                    prop_assert_eq!(width(&row), values.len());
                }
            }
        }
    }
}
