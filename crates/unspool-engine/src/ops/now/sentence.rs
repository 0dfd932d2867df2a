//! The last sentence of a text, for a line of preview.

/// The maximum length of the sentence in characters. Chosen by judgement: two lines of a page.
const LONGEST: usize = 240;

/// Returns the last sentence of a Markdown text, as one line without markup; `None` if the text has
/// no words. A sentence that is too long loses its beginning.
pub(super) fn last_sentence(text: &str) -> Option<String> {
    let line = last_line(text)?;
    let plain: String = line
        .trim_start_matches(['#', '-', '*', '>', '+', ' ', '\t'])
        .chars()
        .filter(|c| !matches!(c, '*' | '`'))
        .collect();
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentence = plain[last_start(&plain)..].trim();
    if !sentence.chars().any(char::is_alphanumeric) {
        return Some(plain).filter(|plain| plain.chars().any(char::is_alphanumeric));
    }
    let characters = sentence.chars().count();
    if characters <= LONGEST {
        return Some(sentence.to_owned());
    }
    let rest = sentence.chars().skip(characters - LONGEST);
    Some(std::iter::once('…').chain(rest).collect())
}

/// Returns the last line with words outside code blocks, or else the last line with words.
fn last_line(text: &str) -> Option<&str> {
    let mut in_code = false;
    let (mut last, mut last_of_code) = (None, None);
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if line.chars().any(char::is_alphanumeric) {
            *(if in_code { &mut last_of_code } else { &mut last }) = Some(line);
        }
    }
    last.or(last_of_code)
}

/// Returns the offset at which the last sentence of a line begins.
fn last_start(line: &str) -> usize {
    let mut start = 0;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        let ends = matches!(before, '.' | '!' | '?' | '…');
        let more = line[at..].chars().any(char::is_alphanumeric);
        if ends && c == ' ' && more {
            start = at + 1;
        }
        before = c;
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_sentence_is_one_line_without_marks() {
        for (text, expected) in [
            ("Done.", Some("Done.")),
            ("First. Then **this** one!", Some("Then this one!")),
            ("Version 1.2.3 is out. Shall I go on?", Some("Shall I go on?")),
            ("See:\n\n- one\n- `two` of them\n", Some("two of them")),
            ("# All done\n", Some("All done")),
            ("Run this:\n```sh\ncargo test\n```\n", Some("Run this:")),
            ("```\nonly code\n```", Some("only code")),
            ("One. Two. …", Some("Two. …")),
            ("", None),
            ("\n \n---\n", None),
        ] {
            assert_eq!(last_sentence(text).as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn a_sentence_that_is_too_long_loses_its_beginning() {
        let text = format!("Long: {} end", "é".repeat(500));
        let said = last_sentence(&text).expect("a sentence");
        assert_eq!(said.chars().count(), LONGEST + 1);
        assert!(said.starts_with('…') && said.ends_with(" end"), "{said}");
    }
}
