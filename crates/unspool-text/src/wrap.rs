//! Wraps styled lines by display width.

use super::style::{Line, TextSpan};
use super::width::{TextUnit, units};

/// Wraps a line to `width` columns.
///
/// Lines break at spaces, and next to wide characters, which count as words; a longer word is cut.
/// Spaces at a break are dropped. Leading spaces are kept and repeated on the lines that follow, up
/// to half of the width. The result has at least one line. Only a width below two can be exceeded,
/// by a character that takes two columns.
pub fn wrap(line: &Line, width: usize) -> Vec<Line> {
    let mut out = Vec::new();
    Wrapper::new(line, width, &mut out).run();
    out
}

/// Wraps a line to `width` columns, prefixes included: `first` for the first line, `rest` for the
/// others.
pub fn wrap_with(line: &Line, width: usize, first: &Line, rest: &Line) -> Vec<Line> {
    let room = width.saturating_sub(first.width().max(rest.width()));
    wrap(line, room)
        .into_iter()
        .enumerate()
        .map(|(index, line)| line.indented(if index == 0 { first } else { rest }))
        .collect()
}

/// A run of bytes of one span.
#[derive(Clone, Copy)]
struct WrapPiece {
    span: usize,
    start: usize,
    end: usize,
}

/// Consecutive pieces with their width: a line or a word under construction.
#[derive(Default)]
struct PieceRun {
    pieces: Vec<WrapPiece>,
    width: usize,
}

impl PieceRun {
    fn push(&mut self, piece: WrapPiece, width: usize) {
        self.width += width;
        match self.pieces.last_mut() {
            Some(last) if last.span == piece.span && last.end == piece.start => {
                last.end = piece.end;
            }
            _ => self.pieces.push(piece),
        }
    }

    /// Moves everything from `other` to the end of this run.
    fn append(&mut self, other: &mut Self) {
        unspool_work::add(1 + other.pieces.len());
        let width = std::mem::take(&mut other.width);
        for piece in other.pieces.drain(..) {
            self.push(piece, 0);
        }
        self.width += width;
    }

    fn clear(&mut self) {
        self.pieces.clear();
        self.width = 0;
    }

    fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }
}

struct Wrapper<'a> {
    source: &'a [TextSpan],
    out: &'a mut Vec<Line>,
    width: usize,
    /// The indentation of every line in columns.
    indent: usize,
    /// The line so far, without its indentation.
    line: PieceRun,
    /// The spaces after the line, kept if a word follows on the same line.
    spaces: PieceRun,
    /// The word so far.
    word: PieceRun,
}

impl<'a> Wrapper<'a> {
    fn new(line: &'a Line, width: usize, out: &'a mut Vec<Line>) -> Self {
        let width = width.max(1);
        let texts = || line.spans().iter().flat_map(|span| span.text().bytes());
        let most = (width / 2).min(width.saturating_sub(2));
        let leading = texts().take(most).take_while(|b| *b == b' ').count();
        Self {
            source: line.spans(),
            out,
            width,
            indent: leading,
            line: PieceRun::default(),
            spaces: PieceRun::default(),
            word: PieceRun::default(),
        }
    }

    fn run(mut self) {
        let mut leading = true;
        for (span, source) in self.source.iter().enumerate() {
            let mut start = 0;
            for unit in units(source.text()) {
                let end = start + unit.text.len();
                unspool_work::add(unit.text.len());
                let piece = WrapPiece { span, start, end };
                start = end;
                if unit.text != " " {
                    leading = false;
                    self.unit(unit, piece);
                } else if !leading {
                    self.space(piece);
                }
            }
        }
        self.end_word();
        if !self.line.is_empty() || self.out.is_empty() {
            self.end_line();
        }
    }

    fn room(&self) -> usize {
        self.width - self.indent
    }

    fn space(&mut self, piece: WrapPiece) {
        self.end_word();
        if !self.line.is_empty() {
            self.spaces.push(piece, 1);
        }
    }

    fn unit(&mut self, unit: TextUnit, piece: WrapPiece) {
        let wide = unit.width > 1;
        if wide {
            self.end_word();
        }
        if self.word.width + unit.width > self.room() && !self.word.is_empty() {
            // The word is longer than a line: cut it here.
            self.end_word();
            self.end_line();
        }
        self.word.push(piece, unit.width);
        if wide {
            self.end_word();
        }
    }

    /// Adds the word to this line, or to the next one if it does not fit.
    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let needed = self.line.width + self.spaces.width + self.word.width;
        if needed > self.room() && !self.line.is_empty() {
            self.end_line();
        }
        self.line.append(&mut self.spaces);
        self.line.append(&mut self.word);
    }

    fn end_line(&mut self) {
        let mut line = Line::new();
        if !self.line.is_empty() {
            line.pad(self.indent);
        }
        for piece in self.line.pieces.drain(..) {
            let span = &self.source[piece.span];
            let text = span.text()[piece.start..piece.end].to_owned();
            unspool_work::add(text.len());
            line.push_apart(TextSpan::from_clean(text, span.style()));
        }
        self.line.clear();
        self.spaces.clear();
        self.out.push(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::{Emphasis, Role, Style};
    use proptest::prelude::*;

    #[test]
    fn wraps_by_columns() {
        let cases = [
            ("", 5, &[""][..]),
            ("one two three", 7, &["one two", "three"]),
            ("one two three", 8, &["one two", "three"]),
            ("one  two", 20, &["one  two"]),
            ("one  two  ", 5, &["one", "two"]),
            ("abcdefgh", 3, &["abc", "def", "gh"]),
            ("a abcdefgh b", 4, &["a", "abcd", "efgh", "b"]),
            ("abcdef g", 4, &["abcd", "ef g"]),
            ("  indented text", 10, &["  indented", "  text"]),
            ("        deep", 6, &["   dee", "   p"]),
            ("   ", 5, &[""]),
            ("漢字漢字", 5, &["漢字", "漢字"]),
            ("ab漢字cd", 4, &["ab漢", "字cd"]),
            ("e\u{301}e\u{301}e\u{301}", 2, &["e\u{301}e\u{301}", "e\u{301}"]),
            ("ab", 0, &["a", "b"]),
            ("漢a", 1, &["漢", "a"]),
            ("👩\u{200d}👩\u{200d}👧👍🏽", 3, &["👩\u{200d}👩\u{200d}👧", "👍🏽"]),
        ];
        for (text, width, expected) in cases {
            let lines: Vec<_> = wrap(&text.into(), width).iter().map(Line::plain).collect();
            assert_eq!(lines, expected, "{text:?} at {width}");
        }
    }

    #[test]
    fn styles_and_prefixes_survive() {
        let strong = Style::default().with(Emphasis::STRONG);
        let mut line = Line::of("see ", Role::Plain);
        line.add("bold", strong).add("face here", Role::Code);
        let lines = wrap_with(&line, 12, &"- ".into(), &"  ".into());
        let plain: Vec<_> = lines.iter().map(Line::plain).collect();
        assert_eq!(plain, ["- see", "  boldface", "  here"]);
        let styles: Vec<_> = lines[1].spans().iter().map(TextSpan::style).collect();
        assert_eq!(styles, [Style::default(), strong, Role::Code.into()]);
    }

    #[test]
    fn endless_clusters_are_cut() {
        let text = "👩\u{200d}".repeat(1000) + "👩";
        let line = Line::from(text.as_str());
        assert!(line.width() > 1900 && wrap(&line, 80).len() > 20);
    }

    #[test]
    fn a_text_without_a_space_takes_work_in_proportion_to_its_length() {
        for unit in ["x", "漢", "e\u{301}"] {
            unspool_work::assert_linear(unit, 1 << 14, |count| {
                let text = unit.repeat(count);
                unspool_work::count(|| {
                    let lines = wrap(&text.as_str().into(), 80);
                    let lengths = lines.iter().map(|line| line.plain().len());
                    assert_eq!(lengths.sum::<usize>(), text.len());
                })
            });
        }
    }

    proptest! {
        #[test]
        fn lines_fit_and_keep_every_character(
            texts in proptest::collection::vec(
                prop_oneof!["[a-c 漢☺\u{fe0f}\u{301}👩\u{200d}ᄀक्]{0,20}", any::<String>()], 0..5),
            width in 2usize..12,
        ) {
            let roles = [Role::Plain, Role::Code, Role::Id];
            let line: Line = texts.into_iter().enumerate()
                .map(|(i, t)| TextSpan::new(t, roles[i % 3])).collect();
            let lines = wrap(&line, width);
            for line in &lines {
                prop_assert!(line.width() <= width, "{:?} at {}", line, width);
            }
            let dense = |s: String| s.replace(' ', "");
            let joined: String = lines.iter().map(Line::plain).collect();
            prop_assert_eq!(dense(joined), dense(line.plain()));
        }
    }
}
