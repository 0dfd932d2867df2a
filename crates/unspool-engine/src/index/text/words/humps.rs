//! Names like `fooBar` and their humps.

/// How many humps a word has at most; a word with more is kept whole.
const MOST: usize = 8;

/// Returns where the humps of a word stand, and how many there are; none for a word that has
/// too many, or is a plural of capitals such as `URLs`.
pub(super) fn humps(word: &str) -> ([(usize, usize); MOST], usize) {
    let bytes = word.as_bytes();
    let mut found = [(0, 0); MOST];
    let (mut count, mut start) = (0, 0);
    for at in 1..=bytes.len() {
        let begins = at == bytes.len() || {
            let (before, here) = (bytes[at - 1], bytes[at]);
            let next_small = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
            here.is_ascii_uppercase() && (!before.is_ascii_uppercase() || next_small)
        };
        if begins {
            if count == MOST {
                return (found, 0);
            }
            found[count] = (start, at);
            count += 1;
            start = at;
        }
    }
    let plural = count == 2 && {
        let (from, to) = found[1];
        to - from == 2 && bytes[to - 1] == b's'
    };
    (found, if plural { 0 } else { count })
}
