//! JSON with indentation, without a change of any value: keys, numbers and escapes stay as they are
//! written, and so do duplicate keys.

/// The maximum depth of the indentation: a log may nest deeper than a page is wide.
const DEEPEST: usize = 24;

/// Indents JSON; returns none if the brackets do not match.
pub(super) fn pretty(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len() * 2);
    let mut open: Vec<char> = Vec::new();
    let mut letters = text.trim().chars().peekable();
    while let Some(c) = letters.next() {
        match c {
            '"' => string(&mut letters, &mut out)?,
            '{' | '[' => {
                out.push(c);
                skip_space(&mut letters);
                let end = if c == '{' { '}' } else { ']' };
                if letters.next_if_eq(&end).is_some() {
                    out.push(end);
                } else {
                    open.push(end);
                    line(open.len(), &mut out);
                }
            }
            '}' | ']' => {
                if open.pop()? != c {
                    return None;
                }
                line(open.len(), &mut out);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(open.len(), &mut out);
            }
            ':' => out.push_str(": "),
            c if c.is_ascii_whitespace() => {}
            c => out.push(c),
        }
    }
    open.is_empty().then_some(out)
}

/// Copies a string verbatim; its opening quote was read already.
fn string(letters: &mut impl Iterator<Item = char>, out: &mut String) -> Option<()> {
    out.push('"');
    loop {
        let c = letters.next()?;
        out.push(c);
        match c {
            '"' => return Some(()),
            '\\' => out.push(letters.next()?),
            _ => {}
        }
    }
}

fn skip_space(letters: &mut std::iter::Peekable<impl Iterator<Item = char>>) {
    while letters.next_if(char::is_ascii_whitespace).is_some() {}
}

fn line(depth: usize, out: &mut String) {
    out.push('\n');
    for _ in 0..depth.min(DEEPEST) {
        out.push_str("  ");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_as_they_were_written() {
        let text = r#"{"a":[1.00,{"b":"x\"}y\u0041"}],"a":{},"c":[ ]}"#;
        let expected = "{\n  \"a\": [\n    1.00,\n    {\n      \"b\": \"x\\\"}y\\u0041\"\n    }\n  ],\n  \
                        \"a\": {},\n  \"c\": []\n}";
        assert_eq!(pretty(text).as_deref(), Some(expected));
    }

    #[test]
    fn what_is_not_whole_is_not_set_out() {
        for text in ["{", "{\"a\"", "[1}", "\"x", "}", "{\"a\":\"\\"] {
            assert_eq!(pretty(text), None, "{text}");
        }
        let deep = "[".repeat(100) + &"]".repeat(100);
        assert!(pretty(&deep).is_some());
    }
}
