//! Lower case, and letters without diacritics.

use unicode_normalization::char::{decompose_compatible, is_combining_mark};
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

/// Appends a word in lower case, in composed form (NFC) and without apostrophes.
pub(super) fn push_lower(word: &str, out: &mut String) {
    if word.is_ascii() && !word.contains('\'') {
        let start = out.len();
        out.push_str(word);
        out[start..].make_ascii_lowercase();
        return;
    }
    let start = out.len();
    let letters = word.chars().filter(|c| !matches!(c, '\'' | '’'));
    out.extend(letters.flat_map(char::to_lowercase));
    if is_nfc_quick(out[start..].chars()) != IsNormalized::Yes {
        let composed: String = out[start..].nfc().collect();
        out.truncate(start);
        out.push_str(&composed);
    }
}

/// Appends a lower-case word without diacritics, if that is another word; returns whether it is.
///
/// `é` becomes `e` and `ß` becomes `ss`, so that a keyboard without these letters suffices.
pub(super) fn push_folded(word: &str, out: &mut String) -> bool {
    let start = out.len();
    let mut push = |c: char| match c {
        'ß' => out.push_str("ss"),
        'æ' => out.push_str("ae"),
        'œ' => out.push_str("oe"),
        'ø' => out.push('o'),
        'ł' => out.push('l'),
        'đ' | 'ð' => out.push('d'),
        'þ' => out.push_str("th"),
        'ı' => out.push('i'),
        c if c.is_ascii() => out.push(c.to_ascii_lowercase()),
        c if is_combining_mark(c) => {}
        c => out.extend(c.to_lowercase()),
    };
    for c in word.chars() {
        decompose_compatible(c, &mut push);
    }
    let differs = out[start..] != *word && out.len() > start;
    if !differs {
        out.truncate(start);
    }
    differs
}
