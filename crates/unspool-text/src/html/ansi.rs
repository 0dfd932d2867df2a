//! Converts the output of a program to markup, with its colours.
//!
//! Colours and emphasis (the `m` sequences: 16 and 256 colours, true colour, bold, faint, italic,
//! underlined, inverse, struck) become classes; the style sheet gives them colours that are
//! readable in both themes, so none is set here. Carriage returns and backspaces are replayed as in
//! `sanitize::output`. Every other sequence is removed.
//!
//! The end of a sequence is found by `sanitize` and not by a terminal's parser: such a parser waits
//! for the end of a control string that never ends, and would hide the rest of a text.

use super::escape::Html;
use crate::sanitize::sequence_len;

/// Paints the output of a program.
pub fn ansi(text: &str, html: &mut Html) {
    if !text.bytes().any(may_move) {
        html.text(text);
        return;
    }
    let mut screen = Screen { html, line: Vec::new(), style: AnsiStyle::default(), rewind: false };
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let len = if let Some(len) = sequence_len(rest) {
            screen.sequence(&rest[..len]);
            len
        } else {
            screen.take(c);
            c.len_utf8()
        };
        rest = &rest[len..];
        let run = rest.bytes().position(may_move).unwrap_or(rest.len());
        screen.write(&rest[..run]);
        rest = &rest[run..];
    }
    screen.flush();
}

/// Returns whether a byte may begin a control character, of one or two bytes, other than a line break
/// or a tab.
fn may_move(byte: u8) -> bool {
    matches!(byte, 0..=0x08 | 0x0b..=0x1f | 0xc2)
}

/// The line being written.
struct Screen<'h> {
    html: &'h mut Html,
    line: Vec<(AnsiStyle, String)>,
    style: AnsiStyle,
    /// Set after a carriage return: the next text overwrites this line.
    rewind: bool,
}

impl Screen<'_> {
    fn take(&mut self, c: char) {
        match c {
            '\r' => self.rewind = true,
            '\u{8}' => self.erase(),
            // Shown at once, so that the next text cannot complete it.
            '\u{1b}' => self.put("␛"),
            '\u{80}'..='\u{9f}' => self.put("\u{fffd}"),
            _ => self.write(c.encode_utf8(&mut [0; 4])),
        }
    }

    fn write(&mut self, mut text: &str) {
        while let Some(end) = text.find('\n') {
            self.put(&text[..end]);
            self.rewind = false;
            self.put("\n");
            self.flush();
            text = &text[end + 1..];
        }
        self.put(text);
    }

    fn put(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if std::mem::take(&mut self.rewind) {
            self.line.clear();
        }
        match self.line.last_mut() {
            Some((style, run)) if *style == self.style => run.push_str(text),
            _ => self.line.push((self.style, text.to_owned())),
        }
    }

    fn erase(&mut self) {
        while let Some((_, run)) = self.line.last_mut().filter(|_| !self.rewind) {
            if run.pop().is_some() {
                return;
            }
            self.line.pop();
        }
    }

    fn flush(&mut self) {
        for (style, run) in self.line.drain(..) {
            style.paint(&run, self.html);
        }
    }

    /// Applies the colours of a sequence that sets them.
    fn sequence(&mut self, sequence: &str) {
        let body = sequence.strip_prefix("\u{1b}[").or_else(|| sequence.strip_prefix('\u{9b}'));
        let Some(parameters) = body.and_then(|body| body.strip_suffix('m')) else {
            return;
        };
        if parameters.bytes().all(|b| matches!(b, b'0'..=b'9' | b';' | b':')) {
            self.style.set(parameters);
        }
    }
}

/// A colour that classes can express.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Color {
    /// One of the sixteen colours that a theme defines.
    Named(u8),
    /// Red, green and blue, in 16 steps each.
    Mixed([u8; 3]),
}

impl Color {
    /// Returns a colour of the palette of 256.
    fn indexed(index: u8) -> Self {
        /// The steps of the colour cube, as terminals have them.
        const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
        match index {
            0..=15 => Self::Named(index),
            16..=231 => {
                let cube = index - 16;
                let step = |at: u8| STEPS[usize::from(at % 6)];
                Self::mixed(step(cube / 36), step(cube / 6), step(cube))
            }
            _ => {
                let grey = 8 + (index - 232) * 10;
                Self::mixed(grey, grey, grey)
            }
        }
    }

    fn mixed(red: u8, green: u8, blue: u8) -> Self {
        Self::Mixed([red, green, blue].map(|part| part >> 4))
    }
}

/// The style of a run of text.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct AnsiStyle {
    front: Option<Color>,
    back: Option<Color>,
    emphasis: u8,
}

/// The kinds of emphasis: the parameter that sets it, the one that ends it, its class.
const EMPHASIS: [(u16, u16, &str); 6] =
    [(1, 22, "sb"), (2, 22, "sd"), (3, 23, "si"), (4, 24, "su"), (7, 27, "sv"), (9, 29, "ss")];
/// The index of the one that swaps the colours.
const INVERSE: usize = 4;

impl AnsiStyle {
    fn set(&mut self, parameters: &str) {
        let mut numbers = AnsiParameters(parameters);
        while let Some(number) = numbers.next() {
            match number {
                0 => *self = Self::default(),
                30..=37 => self.front = Some(Color::Named(number as u8 - 30)),
                90..=97 => self.front = Some(Color::Named(number as u8 - 82)),
                40..=47 => self.back = Some(Color::Named(number as u8 - 40)),
                100..=107 => self.back = Some(Color::Named(number as u8 - 92)),
                38 => self.front = numbers.color().or(self.front),
                48 => self.back = numbers.color().or(self.back),
                39 => self.front = None,
                49 => self.back = None,
                58 => _ = numbers.color(),
                _ => self.emphasize(number),
            }
        }
    }

    fn emphasize(&mut self, number: u16) {
        for (bit, (on, off, _)) in EMPHASIS.iter().enumerate() {
            if number == *on {
                self.emphasis |= 1 << bit;
            } else if number == *off {
                self.emphasis &= !(1 << bit);
            }
        }
    }

    fn paint(self, text: &str, html: &mut Html) {
        if self == Self::default() {
            html.text(text);
            return;
        }
        html.tag("<span class=\"");
        let inverse = self.emphasis & (1 << INVERSE) != 0;
        let (front, back) = if inverse { (self.back, self.front) } else { (self.front, self.back) };
        html.tag("a");
        put_color(html, front, "f");
        put_color(html, back, "b");
        for (bit, (_, _, class)) in EMPHASIS.iter().enumerate() {
            if self.emphasis & (1 << bit) != 0 {
                html.tag(" ").tag(class);
            }
        }
        html.tag("\">").text(text).tag("</span>");
    }
}

fn put_color(html: &mut Html, color: Option<Color>, ground: &'static str) {
    match color {
        None => {}
        Some(Color::Named(index)) => {
            html.tag(" ").tag(ground).number(index.into());
        }
        Some(Color::Mixed(parts)) => {
            html.tag(" ").tag(ground).tag("x");
            for (name, part) in ["r", "g", "b"].into_iter().zip(parts) {
                html.tag(" ").tag(ground).tag(name).number(part.into());
            }
        }
    }
}

/// The parameters of a sequence that are not read yet.
struct AnsiParameters<'a>(&'a str);

impl AnsiParameters<'_> {
    fn next(&mut self) -> Option<u16> {
        if self.0.is_empty() {
            return None;
        }
        let end = self.0.find([';', ':']);
        let (number, rest) = match end {
            Some(end) => (&self.0[..end], &self.0[end + 1..]),
            None => (self.0, ""),
        };
        self.0 = rest;
        // An empty number is a zero; one that is too large means nothing.
        Some(if number.is_empty() { 0 } else { number.parse().unwrap_or(u16::MAX) })
    }

    /// Reads a colour of the palette or a true colour, after the number that says what it colours.
    fn color(&mut self) -> Option<Color> {
        // Between colons there may be a color space, which is left empty.
        let with_space = self.0.starts_with("2::");
        let part = |numbers: &mut Self| numbers.next().map(|n| n.min(255) as u8);
        match self.next()? {
            5 => Some(Color::indexed(part(self)?)),
            2 => {
                if with_space {
                    self.next();
                }
                Some(Color::mixed(part(self)?, part(self)?, part(self)?))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sanitize;
    use proptest::prelude::*;
    use unspool_testkit::markup::check_vocabulary;

    fn painted(text: &str) -> String {
        let mut html = Html::new();
        ansi(text, &mut html);
        html.as_str().to_owned()
    }

    #[test]
    fn colours_become_classes() {
        let cases = [
            ("plain <b>", "plain &lt;b&gt;"),
            ("\x1b[31mred\x1b[0m.", r#"<span class="a f1">red</span>."#),
            ("\x1b[1;92mok\x1b[m", r#"<span class="a f10 sb">ok</span>"#),
            ("\x1b[38;5;196mx", r#"<span class="a fx fr15 fg0 fb0">x</span>"#),
            ("\x1b[38;5;9mx", r#"<span class="a f9">x</span>"#),
            ("\x1b[48;5;244mx", r#"<span class="a bx br8 bg8 bb8">x</span>"#),
            ("\x1b[38;2;255;128;0mx", r#"<span class="a fx fr15 fg8 fb0">x</span>"#),
            ("\x1b[38:2::255:128:0mx", r#"<span class="a fx fr15 fg8 fb0">x</span>"#),
            (
                "\x1b[7;31mx\x1b[27my",
                r#"<span class="a b1 sv">x</span><span class="a f1">y</span>"#,
            ),
            ("\x1b[4mx\x1b[24my", r#"<span class="a su">x</span>y"#),
            ("\x1b[31m\nx", "<span class=\"a f1\">\nx</span>"),
            ("\u{9b}32mx", r#"<span class="a f2">x</span>"#),
            ("\x1b[38mx\x1b[999999mx", "xx"),
        ];
        for (text, expected) in cases {
            let got = painted(text);
            let joined = got.replace("\n</span><span class=\"a f1\">", "\n");
            assert_eq!(joined, expected, "{text:?}");
        }
    }

    #[test]
    fn other_sequences_are_removed_and_motion_is_replayed() {
        let cases = [
            ("\x1b]0;title\x07x", "x"),
            ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
            ("\x1b[2J\x1b[1;1Hx", "x"),
            ("10%\r50%\r100%\ndone\r\n", "100%\ndone\n"),
            ("abc\u{8}\u{8}x", "ax"),
            ("\x1b]0;never ends", "␛]0;never ends"),
            ("\x1bP<script>", "␛P&lt;script&gt;"),
            ("half\rfull\r", "full"),
        ];
        for (text, expected) in cases {
            assert_eq!(painted(text), expected, "{text:?}");
        }
    }

    /// Returns the text of a page without its tags.
    fn seen(html: &str) -> String {
        let mut out = String::new();
        for piece in html.split('<') {
            out.push_str(piece.split_once('>').map_or(piece, |(_, text)| text));
        }
        let out = out.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
        out.replace("&#39;", "'").replace("&amp;", "&")
    }

    proptest! {
        #[test]
        fn only_the_colours_differ_from_cleaned_output(
            parts in proptest::collection::vec(
                prop_oneof![
                    Just("\x1b[31m"), Just("\x1b[0m"), Just("\x1b[38;5;200m"), Just("\r"),
                    Just("\n"), Just("a"), Just("<b>"), Just("\x1b]0;t\x07"), Just("\x1b[2K"),
                    Just("\x1b"), Just("\u{8}"), Just("é"), Just("\u{9b}"),
                ],
                0..24,
            )
        ) {
            let text = parts.concat();
            let plain = sanitize::output(&text).into_owned();
            prop_assert_eq!(seen(&painted(&text)), plain);
        }

        #[test]
        fn any_text_gives_known_tags(text in any::<String>()) {
            check_vocabulary(&painted(&text));
        }

        #[test]
        fn any_escapes_give_known_tags(text in "(\x1b\\[[0-9;:]{0,12}[mKHJ]|[<>&\"a\r\n\x08]){0,40}") {
            check_vocabulary(&painted(&text));
        }
    }
}
