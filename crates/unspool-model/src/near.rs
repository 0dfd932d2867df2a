//! Suggestions for mistyped names.
//!
//! Counts typing errors: a letter too many, too few, wrong, or swapped with its neighbour. How
//! many are likely depends on the kind of name: a word of unspool's own ([`near`],
//! [`near_distance`]), a name that people gave ([`near_or_part`]), or an id ([`near_id`]).

use strsim::osa_distance;

/// Longer words are not treated as mistyped names.
const LONGEST: usize = 24;
/// Number of characters that are compared; the rest of longer texts is ignored.
const COMPARED: usize = 64;
/// Number of leading characters that make an id near if they match.
const SHARED: usize = 4;

/// Returns the names near `word`, best first, ignoring case.
pub fn near<'a>(word: &str, names: &[&'a str]) -> Vec<&'a str> {
    let word = word.to_ascii_lowercase();
    let mut ranked: Vec<(usize, &str)> = names
        .iter()
        .filter_map(|name| Some((rank(&word, &name.to_ascii_lowercase())?, *name)))
        .collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, name)| name).collect()
}

/// Returns the names that contain the text or are contained in it, and those within a few
/// typing errors, best first.
pub fn near_or_part<'a>(text: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let folded = |text: &str| -> String { text.to_lowercase().chars().take(COMPARED).collect() };
    let text = folded(text);
    let length = text.chars().count();
    let rank = |name: &str| {
        let name = folded(name);
        let shorter = length.min(name.chars().count());
        if shorter >= 2 && (name.contains(&text) || text.contains(&name)) {
            return Some(0);
        }
        let distance = osa_distance(&text, &name);
        (distance <= length.div_ceil(3)).then_some(distance)
    };
    let ranked = names.into_iter().map(|name| (rank(name), name));
    let mut ranked: Vec<(usize, &str)> =
        ranked.filter_map(|(rank, name)| Some((rank?, name))).collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, name)| name).collect()
}

/// Returns the distance of an id from the typed text, which may be its beginning or a part of it, or `None`
/// if they differ too much. The first `common` characters are those of all ids, so they are not evidence.
pub fn near_id(text: &str, id: &str, common: usize) -> Option<usize> {
    let text: String = text.to_ascii_lowercase().chars().take(COMPARED).collect();
    let id = id.to_ascii_lowercase();
    let length = text.chars().count();
    if length == 0 {
        return None;
    }
    if length >= SHARED && id.contains(&text) {
        return Some(0);
    }
    let beginning: String = id.chars().take(length).collect();
    let distance = osa_distance(&text, &beginning);
    let letters = text.chars().zip(id.chars());
    let shared = letters.take_while(|(a, b)| a == b).count();
    let allowed = (length.saturating_sub(common) / 4).clamp(1, 6);
    let begins_alike = shared.saturating_sub(common) >= SHARED.min(length);
    (distance <= allowed || begins_alike).then_some(distance)
}

/// Returns the number of typing errors between a word and a known word, or `None` if there are
/// too many for the length of the word.
pub fn near_distance(word: &str, known: &str) -> Option<usize> {
    let lengths = word.len().abs_diff(known.len());
    if word.len() > LONGEST || word.len() < 4 || lengths > slips(word) {
        return None;
    }
    few_slips(word, known)
}

/// Returns the distance of a name from the typed word, or `None` if it is too large.
fn rank(word: &str, name: &str) -> Option<usize> {
    if word.len() > LONGEST {
        return None;
    }
    if word.len() >= 2 && name.starts_with(word) {
        return Some(0);
    }
    few_slips(word, name)
}

/// Returns the number of typing errors between two words, or `None` if there are more than is likely.
pub(crate) fn few_slips(word: &str, name: &str) -> Option<usize> {
    let distance = osa_distance(word, name);
    (distance <= slips(word)).then_some(distance)
}

/// Returns how many typing errors are likely in a word of this length.
fn slips(word: &str) -> usize {
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

    #[test]
    fn names_are_near_by_a_part_or_a_few_slips() {
        let names = ["tidepool", "lanterna-site", "notes", "note"];
        let cases: [(&str, &[&str]); 6] = [
            ("tidepol", &["tidepool"]),
            ("Lanterna", &["lanterna-site"]),
            ("notse", &["note", "notes"]),
            ("my-notes", &["note", "notes"]),
            ("nope", &["note", "notes"]),
            ("xyz", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(near_or_part(text, names), expected, "{text}");
        }
    }

    #[test]
    fn an_id_is_near_by_its_start_its_inside_or_few_changes() {
        let id = "7fa0e2b7-6895-4c54-a062-cb7837a03d1c";
        for (text, expected) in [
            ("7fa0e3b7", Some(1)),
            ("7fa0ffff", Some(4)),
            ("CB7837a0", Some(0)),
            ("7f", Some(0)),
            ("00000000", None),
            ("", None),
        ] {
            assert_eq!(near_id(text, id, 0), expected, "{text}");
        }
        let common = "agent-".len();
        assert_eq!(near_id("agent-0000", "agent-abcdef", common), None);
        assert_eq!(near_id("agent-abce", "agent-abcdef", common), Some(1));
    }
}
