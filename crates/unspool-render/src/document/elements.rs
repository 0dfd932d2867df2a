//! Elements that the client inserts into texts, such as `<ide_opened_file>…</ide_opened_file>`.
//!
//! A text is split into plain text and elements with known names. The caller passes these names;
//! all other tags are part of the text, since people write about HTML too. A missing end tag is
//! searched for once per name, and a missing `>` once, so that many start tags do not take quadratic
//! time.

/// A piece of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TextPiece<'t> {
    /// Text outside of elements, never blank.
    Said(&'t str),
    /// An element.
    Element(Element<'t>),
}

/// An element with a known name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Element<'t> {
    /// The name.
    pub(super) name: &'static str,
    /// The rest of the start tag, after the name.
    attributes: &'t str,
    /// The content, without line breaks at its ends.
    pub(super) inside: &'t str,
}

impl<'t> Element<'t> {
    /// Returns the value of an attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<&'t str> {
        let start = self.attributes.find(&format!("{name}=\""))? + name.len() + 2;
        let length = self.attributes[start..].find('"')?;
        Some(&self.attributes[start..start + length])
    }
}

/// Splits a text into pieces. An element begins a line or follows another one, and has an end tag.
pub(super) fn pieces<'t>(text: &'t str, names: &[&'static str]) -> Vec<TextPiece<'t>> {
    let mut pieces = Vec::new();
    let tagged = &text[..text.rfind('>').map_or(0, |last| last + 1)];
    // Names whose end tag does not occur in the rest of the text.
    let mut endless: Vec<&str> = Vec::new();
    let (mut said, mut at) = (0, 0);
    while let Some(found) = tagged[at..].find('<') {
        unspool_work::add(1);
        let open = at + found;
        let element = element_at(tagged, open, names, &mut endless);
        let Some((element, end)) = element else {
            at = open + 1;
            continue;
        };
        push_said(&text[said..open], &mut pieces);
        pieces.push(TextPiece::Element(element));
        (said, at) = (end, end);
    }
    push_said(&text[said..], &mut pieces);
    pieces
}

/// Returns the element if it is all of a text.
pub(super) fn only_element<'t>(text: &'t str, names: &[&'static str]) -> Option<Element<'t>> {
    match pieces(text, names).as_slice() {
        [TextPiece::Element(element)] => Some(*element),
        _ => None,
    }
}

fn push_said<'t>(text: &'t str, pieces: &mut Vec<TextPiece<'t>>) {
    if !text.trim().is_empty() {
        pieces.push(TextPiece::Said(text.trim_matches('\n')));
    }
}

/// Parses the element at an offset; returns it with the offset of its end.
fn element_at<'t>(
    text: &'t str,
    open: usize,
    names: &[&'static str],
    endless: &mut Vec<&'static str>,
) -> Option<(Element<'t>, usize)> {
    // Only indentation or another element may precede an element on its line.
    let before = text[..open].trim_end_matches([' ', '\t']);
    if !(before.is_empty() || before.ends_with(['\n', '>'])) {
        return None;
    }
    let tag = &text[open + 1..];
    let name = names.iter().find(|name| {
        let rest = tag.strip_prefix(**name);
        rest.is_some_and(|rest| rest.starts_with(['>', ' ', '\n']))
    })?;
    if endless.contains(name) {
        return None;
    }
    let close = tag.find('>');
    unspool_work::add(close.unwrap_or(tag.len()));
    let (attributes, rest) = (&tag[name.len()..close?], &tag[close? + 1..]);
    let length = rest.find(&format!("</{name}>"));
    unspool_work::add(length.unwrap_or(rest.len()));
    let Some(length) = length else {
        endless.push(name);
        return None;
    };
    let start = text.len() - rest.len();
    let element = Element { name, attributes, inside: rest[..length].trim_matches('\n') };
    Some((element, start + length + name.len() + 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: &[&str] = &["note", "ide"];

    #[test]
    fn known_elements_are_taken_out() {
        let text = "<note>\na\n</note><ide x=\"1\">b</ide>\n\nsaid <note>c</note>\n<b>d</b>";
        let element =
            |name, attributes, inside| TextPiece::Element(Element { name, attributes, inside });
        assert_eq!(
            pieces(text, NAMES),
            [
                element("note", "", "a"),
                element("ide", " x=\"1\"", "b"),
                TextPiece::Said("said <note>c</note>\n<b>d</b>"),
            ]
        );
    }

    #[test]
    fn what_does_not_end_is_text() {
        for text in ["<note>a", "<note", "<notes>a</notes>", "a <note>b</note>"] {
            assert_eq!(pieces(text, NAMES), [TextPiece::Said(text)], "{text}");
        }
        assert_eq!(pieces(" \n", NAMES), []);
    }

    #[test]
    fn attributes_are_found_by_name() {
        let text = "<note who=\"a\" to=\"b\">x</note>";
        let found = only_element(text, NAMES).expect("an element");
        assert_eq!(found.attribute("who"), Some("a"));
        assert_eq!(found.attribute("to"), Some("b"));
        assert_eq!(found.attribute("no"), None);
    }

    #[test]
    fn many_open_tags_take_work_in_proportion() {
        for (tag, end) in [("<note>\n", ""), ("<note \n", ""), ("<note \n", ">")] {
            unspool_work::assert_linear(tag, 1000, |count| {
                let text = "<b>\n".to_owned() + &tag.repeat(count) + end;
                unspool_work::count(|| assert_eq!(pieces(&text, NAMES).len(), 1))
            });
        }
    }
}
