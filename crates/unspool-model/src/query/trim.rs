//! Separates words from the punctuation around them.

use super::TermKind;

/// Tells whether `c` is left out before a word.
pub(super) fn opens(c: char) -> bool {
    is_tick(c) || is_asterisk(c) || "([{,;‘¿¡（「『【《〈［｛".contains(c)
}

/// Tells whether `c` before a word says that the word is meant as written.
pub(super) fn is_tick(c: char) -> bool {
    matches!(c, '`' | '\'')
}

fn is_asterisk(c: char) -> bool {
    c == '*'
}

/// Tells whether `text` contains anything to search for.
pub(super) fn says_something(text: &str) -> bool {
    text.chars().any(|c| match c {
        '_' => true,
        '\0'..='\u{7f}' => c.is_ascii_alphanumeric(),
        '\u{80}'..='\u{bf}'
        | '\u{2000}'..='\u{206f}'
        | '\u{3000}'..='\u{303f}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ff00}'..='\u{ffef}' => c.is_alphanumeric(),
        _ => !c.is_whitespace(),
    })
}

/// Returns the word in a text without white space.
pub(super) fn word(raw: &str) -> (&str, TermKind) {
    let mut end = End::new(raw);
    loop {
        unspool_work::add(1);
        let rest = end.drop_while(|c| end_of_sentence(c) || ends_anything(c));
        let bare = rest.trim_end_matches(is_asterisk);
        match rest.len() - bare.len() {
            0 => return (rest, TermKind::Word),
            1 => return (bare, TermKind::Prefix),
            _ => end.text = bare,
        }
    }
}

/// Returns the value of a filter in a text without white space.
///
/// Full stops stay, because `.` and `..` are folders.
pub(super) fn value(raw: &str) -> &str {
    End::new(raw).drop_while(ends_anything)
}

/// Tells whether `c` may end a sentence or a clause, but also a path.
fn end_of_sentence(c: char) -> bool {
    matches!(c, '.' | ':' | '…' | '。' | '：')
}

fn ends_anything(c: char) -> bool {
    is_tick(c) || "?!,;’”–—？！、，；）」』】》〉］｝".contains(c)
}

/// The end of a text, with the counts that decide about its brackets and quotes.
struct End<'a> {
    text: &'a str,
    /// For each kind of bracket, the number of closing brackets minus that of opening ones.
    unopened: [isize; 3],
    quotes: usize,
}

impl<'a> End<'a> {
    fn new(text: &'a str) -> Self {
        unspool_work::add(text.len());
        let (mut unopened, mut quotes) = ([0; 3], 0);
        for byte in text.bytes() {
            match byte {
                b'(' => unopened[0] -= 1,
                b')' => unopened[0] += 1,
                b'[' => unopened[1] -= 1,
                b']' => unopened[1] += 1,
                b'{' => unopened[2] -= 1,
                b'}' => unopened[2] += 1,
                b'"' => quotes += 1,
                _ => {}
            }
        }
        Self { text, unopened, quotes }
    }

    /// Drops characters that `drops` accepts, closing brackets that were not opened, and an odd quote.
    fn drop_while(&mut self, drops: impl Fn(char) -> bool) -> &'a str {
        while let Some(last) = self.text.chars().next_back() {
            unspool_work::add(1);
            if !drops(last) && !self.is_left_over(last) {
                break;
            }
            self.text = &self.text[..self.text.len() - last.len_utf8()];
        }
        self.text
    }

    fn is_left_over(&mut self, last: char) -> bool {
        let unopened = match last {
            ')' => &mut self.unopened[0],
            ']' => &mut self.unopened[1],
            '}' => &mut self.unopened[2],
            '"' => {
                let odd = self.quotes % 2 == 1;
                self.quotes -= usize::from(odd);
                return odd;
            }
            _ => return false,
        };
        let left_over = *unopened > 0;
        *unopened -= isize::from(left_over);
        left_over
    }
}
