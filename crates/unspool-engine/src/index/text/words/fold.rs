//! Letters without their marks.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Appends a word in lower case, letters and their marks composed, apostrophes left out.
pub(super) fn push_lower(word: &str, out: &mut String) {
    if word.is_ascii() && !word.contains('\'') {
        let start = out.len();
        out.push_str(word);
        out[start..].make_ascii_lowercase();
    } else {
        let letters = word.chars().filter(|c| !matches!(c, '\'' | '’'));
        out.extend(letters.flat_map(char::to_lowercase).nfc());
    }
}

/// Appends a word of lower-case letters without their marks; tells whether that is another word.
///
/// `é` becomes `e` and `ß` becomes `ss`, so that a word is found without the keys to type it.
pub(super) fn push_folded(word: &str, out: &mut String) -> bool {
    let start = out.len();
    for c in word.nfkd().filter(|&c| !is_combining_mark(c)) {
        match c {
            'ß' => out.push_str("ss"),
            'æ' => out.push_str("ae"),
            'œ' => out.push_str("oe"),
            'ø' => out.push('o'),
            'ł' => out.push('l'),
            'đ' | 'ð' => out.push('d'),
            'þ' => out.push_str("th"),
            'ı' => out.push('i'),
            _ => out.extend(c.to_lowercase()),
        }
    }
    let differs = out[start..] != *word && out.len() > start;
    if !differs {
        out.truncate(start);
    }
    differs
}
