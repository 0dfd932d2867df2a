//! Which name a mistyped one may have meant.
//!
//! Knows slips of the keyboard: a letter too many, too few, wrong, or swapped with its
//! neighbour. A word and the names that there are go in, the near ones come out.

use strsim::osa_distance;

/// Longer words are not mistyped names.
const LONGEST: usize = 24;

/// Lists the names near to `word`, best first, whatever the case of either.
pub fn near<'a>(word: &str, names: &[&'a str]) -> Vec<&'a str> {
    let word = word.to_ascii_lowercase();
    let mut ranked: Vec<(usize, &str)> = names
        .iter()
        .filter_map(|name| Some((rank(&word, &name.to_ascii_lowercase())?, *name)))
        .collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, name)| name).collect()
}

/// Returns how many slips are between a word and a known one; nothing if they are too many for
/// the length of the word.
pub fn near_distance(word: &str, known: &str) -> Option<usize> {
    let lengths = word.len().abs_diff(known.len());
    if word.len() > LONGEST || word.len() < 4 || lengths > slips(word) {
        return None;
    }
    let distance = osa_distance(word, known);
    (distance <= slips(word)).then_some(distance)
}

/// Ranks a name by its distance from what was typed; nothing if it is far.
fn rank(word: &str, name: &str) -> Option<usize> {
    if word.len() > LONGEST {
        return None;
    }
    if word.len() >= 2 && name.starts_with(word) {
        return Some(0);
    }
    let distance = osa_distance(word, name);
    (distance <= slips(word)).then_some(distance)
}

/// Returns how many slips are likely in a word of this length.
pub(crate) fn slips(word: &str) -> usize {
    if word.len() < 6 { 1 } else { 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_keyboard_are_near() {
        let names = ["color", "pager", "width", "time_zone", "Europe/Berlin"];
        for (word, expected) in [
            ("colour", vec!["color"]),
            ("COLOR", vec!["color"]),
            ("pgaer", vec!["pager"]),
            ("wi", vec!["width"]),
            ("timezone", vec!["time_zone"]),
            ("europe/berlim", vec!["Europe/Berlin"]),
            ("zone", vec![]),
            ("", vec![]),
            ("a word that is much too long for a slip", vec![]),
        ] {
            assert_eq!(near(word, &names), expected, "{word}");
        }
    }
}
