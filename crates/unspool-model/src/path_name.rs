//! Names of project folders, as clients derive them from the project's path.
//!
//! The encoding loses information: `a_b`, `a.b` and `a-b` get the same name. A path can be compared with a
//! folder's name, but a name cannot be decoded. The true path of a project is the `cwd` inside its entries.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// Number of characters of a name that are kept before a hash is appended.
pub const MAX_LENGTH: usize = 200;

/// How well a path matches the name of a folder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FolderMatch {
    /// The path encodes to the name.
    Exact,
    /// The path is too long to be encoded in full, and the name has the same beginning.
    ///
    /// Writers compute different hashes, so the rest of the name is not evidence; the `cwd`
    /// inside the folder's files is.
    PrefixOfLong,
    /// The name belongs to another path.
    No,
}

/// The unit of a path that is replaced with one hyphen.
#[derive(Clone, Copy)]
enum CharUnit {
    CodePoint,
    Utf16,
}

impl CharUnit {
    fn width(self, c: char) -> usize {
        match self {
            Self::CodePoint => 1,
            Self::Utf16 => c.len_utf16(),
        }
    }
}

/// Composes `text` to Unicode normalisation form C.
pub fn nfc(text: &str) -> Cow<'_, str> {
    if is_nfc_quick(text.chars()) == IsNormalized::Yes {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfc().collect())
    }
}

/// Encodes a path as the name of its project's folder.
///
/// A hyphen replaces each code point that is not an ASCII letter or digit. A name of more than
/// [`MAX_LENGTH`] characters is cut there, and a hash of the path is appended. The path should
/// be the real one, without symbolic links.
pub fn encode(path: &str) -> String {
    finish(&nfc(path), CharUnit::CodePoint)
}

/// Returns all names that writers may give to the folder of a path, most likely first.
///
/// Writers differ on characters outside the basic plane: one hyphen for each code
/// point, or one for each UTF-16 unit.
pub fn candidates(path: &str) -> Vec<String> {
    let path = nfc(path);
    ways(&path).iter().map(|&unit| finish(&path, unit)).collect()
}

/// Compares a path with the name of a project folder.
pub fn matches_folder(path: &str, folder_name: &str) -> FolderMatch {
    let path = nfc(path);
    let units = ways(&path);
    if units.iter().any(|&unit| finish(&path, unit) == folder_name) {
        return FolderMatch::Exact;
    }
    let starts_like = |&unit: &CharUnit| {
        let plain = sanitise(&path, unit);
        plain.len() > MAX_LENGTH
            && folder_name
                .strip_prefix(&plain[..MAX_LENGTH])
                .is_some_and(|rest| rest.starts_with('-'))
    };
    if units.iter().any(starts_like) { FolderMatch::PrefixOfLong } else { FolderMatch::No }
}

/// Returns the units that give different names for a path.
fn ways(path: &str) -> &'static [CharUnit] {
    let is_astral = |c: char| c.len_utf16() == 2;
    if path.chars().any(is_astral) {
        &[CharUnit::CodePoint, CharUnit::Utf16]
    } else {
        &[CharUnit::CodePoint]
    }
}

fn sanitise(path: &str, unit: CharUnit) -> String {
    let mut name = String::with_capacity(path.len());
    for c in path.chars() {
        if c.is_ascii_alphanumeric() {
            name.push(c);
        } else {
            name.extend(std::iter::repeat_n('-', unit.width(c)));
        }
    }
    name
}

fn finish(path: &str, unit: CharUnit) -> String {
    let mut name = sanitise(path, unit);
    if name.len() > MAX_LENGTH {
        // Only ASCII is left, so any position is a character boundary.
        name.truncate(MAX_LENGTH);
        name.push('-');
        name.push_str(&match unit {
            CharUnit::CodePoint => hash(path.chars().map(u32::from)),
            CharUnit::Utf16 => hash(path.encode_utf16().map(u32::from)),
        });
    }
    name
}

fn hash(units: impl Iterator<Item = u32>) -> String {
    let hash = units.fold(0_i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(unit as i32));
    base36(hash.unsigned_abs())
}

fn base36(mut number: u32) -> String {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut reversed = Vec::new();
    loop {
        reversed.push(char::from(DIGITS[(number % 36) as usize]));
        number /= 36;
        if number == 0 {
            return reversed.into_iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_equal_those_of_the_python_sdk() {
        let long = format!("/{}", "a".repeat(250));
        for (text, expected) in [
            ("", "0"),
            ("a", "2p"),
            ("hello", "1n1e4y"),
            ("world", "1vgtci"),
            ("/home/u/proj", "v3bcrc"),
            (long.as_str(), "feo44x"),
            ("é", "6h"),
            ("日本語", "fflhz"),
            ("😀", "2r5s"),
        ] {
            assert_eq!(hash(text.chars().map(u32::from)), expected, "{text}");
        }
    }

    #[test]
    fn names_equal_those_of_the_python_sdk() {
        for (path, expected) in [
            ("/", "-"),
            ("/home/u/proj", "-home-u-proj"),
            ("/home/u/my_proj.v2", "-home-u-my-proj-v2"),
            ("/home/u/my proj (1)", "-home-u-my-proj--1-"),
            ("C:\\Users\\me\\code", "C--Users-me-code"),
            ("/home/u/.claude/x", "-home-u--claude-x"),
            ("/tmp/é", "-tmp--"),
            ("/tmp/日本", "-tmp---"),
            ("/tmp/😀x", "-tmp--x"),
            ("plugin:name:server", "plugin-name-server"),
        ] {
            assert_eq!(encode(path), expected, "{path}");
        }
    }

    #[test]
    fn long_names_equal_those_of_the_python_sdk() {
        for (path, expected) in [
            (format!("/{}", "a".repeat(199)), format!("-{}", "a".repeat(199))),
            (format!("/{}", "a".repeat(200)), format!("-{}-b6ymvl", "a".repeat(199))),
            ("/x".repeat(150), format!("{}-4y6yx2", "-x".repeat(100))),
        ] {
            assert_eq!(encode(&path), expected, "{path}");
        }
    }

    #[test]
    fn decomposed_letters_count_as_composed() {
        assert_eq!(encode("/tmp/e\u{301}"), encode("/tmp/é"));
        assert_eq!(nfc("e\u{301}"), "é");
        assert_eq!(matches_folder("/tmp/e\u{301}", "-tmp--"), FolderMatch::Exact);
    }

    #[test]
    fn astral_characters_give_one_name_for_each_way_of_counting() {
        assert_eq!(candidates("/tmp/x"), ["-tmp-x"]);
        assert_eq!(candidates("/tmp/😀x"), ["-tmp--x", "-tmp---x"]);
        let long = format!("/{}😀", "a".repeat(220));
        let names = candidates(&long);
        assert_eq!(names.len(), 2);
        assert_ne!(names[0], names[1]);
        for name in &names {
            assert_eq!(matches_folder(&long, name), FolderMatch::Exact);
        }
    }

    #[test]
    fn a_folder_matches_by_name_or_by_the_start_of_a_long_name() {
        let long = "/x".repeat(150);
        for (path, folder, expected) in [
            ("/home/u/a_b", "-home-u-a-b", FolderMatch::Exact),
            ("/home/u/a_b", "-home-u-a", FolderMatch::No),
            ("/home/u/a", "-home-u-a-b", FolderMatch::No),
            ("/tmp/😀x", "-tmp---x", FolderMatch::Exact),
            (&long, &encode(&long), FolderMatch::Exact),
            (&long, &format!("{}-zzz", "-x".repeat(100)), FolderMatch::PrefixOfLong),
            (&long, &"-x".repeat(100), FolderMatch::No),
            (&long, &format!("{}zzz", "-x".repeat(100)), FolderMatch::No),
        ] {
            assert_eq!(matches_folder(path, folder), expected, "{path} {folder}");
        }
    }
}
