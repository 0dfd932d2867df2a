//! Which names a mistyped one may have meant.

use crate::home::distance;

/// Longer texts are not mistyped names.
const LONGEST: usize = 64;

/// Lists the names near to a text, best first: those that hold it or a part of which it is,
/// and those that are a few slips away.
pub(crate) fn nearest<'n>(text: &str, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let text = folded(text);
    let mut ranked: Vec<(usize, &str)> = names
        .filter_map(|name| Some((rank(&text, name)?, name)))
        .collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, name)| name).collect()
}

/// Ranks a name by its distance from a text; nothing if it is far.
fn rank(text: &[char], name: &str) -> Option<usize> {
    let name = folded(name);
    let (short, long) = if text.len() < name.len() {
        (text, name.as_slice())
    } else {
        (name.as_slice(), text)
    };
    if short.len() >= 2 && long.windows(short.len()).any(|part| part == short) {
        return Some(0);
    }
    let distance = distance(text, &name);
    (distance <= text.len().div_ceil(3)).then_some(distance)
}

fn folded(text: &str) -> Vec<char> {
    text.to_lowercase().chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(nearest(text, names.iter().copied()), expected, "{text}");
        }
    }
}
