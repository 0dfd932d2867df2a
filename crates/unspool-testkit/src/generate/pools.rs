//! Pools of text from which pieces are cut.
//!
//! Prose, program code, terminal output and base64 are escaped for JSON strings already, so that a piece is
//! one copy of bytes. Some pieces get a unique word, because the vocabulary of real logs never stops growing.

use super::words::{WordPool, stem};
use crate::rng::Rng;

/// The escape sequence of a line end in a JSON string.
const NEWLINE: &[u8] = b"\\n";

/// Pools of text from which pieces are cut.
#[derive(Debug)]
pub(crate) struct Pools {
    prose: Vec<u8>,
    code: LinePool,
    output: LinePool,
    base64: Vec<u8>,
    paths: Vec<String>,
}

/// Text with the offsets of its lines.
#[derive(Debug, Default)]
struct LinePool {
    bytes: Vec<u8>,
    /// The offset of each line, and the end of the last.
    starts: Vec<usize>,
}

/// The kind of lines to compose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineSource {
    Code,
    Output,
}

/// Escaped lines of text with their line ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct Composed {
    pub(crate) bytes: Vec<u8>,
    /// The offset of each line.
    starts: Vec<usize>,
}

impl Composed {
    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns a line without its line end.
    pub(crate) fn line(&self, index: usize) -> &[u8] {
        let end = self.starts.get(index + 1).copied().unwrap_or(self.bytes.len());
        &self.bytes[self.starts[index]..end - NEWLINE.len()]
    }

    /// Returns the first lines, up to a number of bytes.
    pub(crate) fn head(&self, limit: usize) -> &[u8] {
        if self.bytes.len() <= limit {
            return &self.bytes;
        }
        let lines = self.starts.partition_point(|start| *start <= limit);
        &self.bytes[..self.starts[lines - 1]]
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.starts.clear();
    }
}

impl Pools {
    /// Creates pools of about `size` bytes each; equal seeds give equal pools.
    pub(crate) fn new(seed: u64, size: usize) -> Self {
        let vocabulary = WordPool::new(seed, (size / 64).clamp(2000, 60_000));
        let rng = Rng::new(seed);
        let paths = paths(&mut rng.fork(1), (size / 4096).clamp(64, 2000));
        Self {
            prose: prose(&vocabulary, &mut rng.fork(2), size),
            code: lines(&mut rng.fork(3), size, |out, rng| {
                code_line(out, rng, &vocabulary);
            }),
            output: lines(&mut rng.fork(4), size, |out, rng| {
                output_line(out, rng, &vocabulary, &paths);
            }),
            base64: base64(&mut rng.fork(5), 96 * 1024),
            paths,
        }
    }

    /// Returns the path of a source file in the project folder.
    pub(crate) fn path(&self, rng: &mut Rng) -> &str {
        // The square makes some files far more popular than others.
        let at = rng.unit() * rng.unit() * self.paths.len() as f64;
        &self.paths[at as usize]
    }

    /// Appends about `len` bytes of prose.
    pub(crate) fn push_prose(&self, out: &mut Vec<u8>, rng: &mut Rng, len: usize) {
        let end = out.len() + len;
        loop {
            let piece = rng.between(150, 1200) as usize;
            out.extend_from_slice(self.prose_piece(rng, piece.min(end - out.len())));
            if out.len() + 24 > end {
                return;
            }
            push_fresh_word(out, rng);
        }
    }

    /// Returns a piece of prose from one blank to another.
    fn prose_piece(&self, rng: &mut Rng, len: usize) -> &[u8] {
        let room = self.prose.len() - len.min(self.prose.len() / 2);
        let from = next_blank(&self.prose, rng.below(room.saturating_sub(64)));
        let to = next_blank(&self.prose, (from + len).min(self.prose.len() - 64));
        &self.prose[from + 1..to.max(from + 1)]
    }

    /// Appends `len` characters of base64.
    pub(crate) fn push_base64(&self, out: &mut Vec<u8>, rng: &mut Rng, len: usize) {
        let mut left = len;
        while left > 0 {
            let piece = left.min(self.base64.len() / 2);
            let from = rng.below(self.base64.len() - piece);
            out.extend_from_slice(&self.base64[from..from + piece]);
            left -= piece;
        }
    }

    /// Fills `text` with lines of about `len` bytes.
    pub(crate) fn compose(
        &self,
        text: &mut Composed,
        source: LineSource,
        rng: &mut Rng,
        len: usize,
    ) {
        let pool = match source {
            LineSource::Code => &self.code,
            LineSource::Output => &self.output,
        };
        text.clear();
        loop {
            pool.push_run(text, rng, len);
            if text.bytes.len() >= len {
                return;
            }
            text.starts.push(text.bytes.len());
            text.bytes.extend_from_slice(b"// ");
            push_fresh_word(&mut text.bytes, rng);
            text.bytes.extend_from_slice(NEWLINE);
        }
    }
}

impl LinePool {
    /// Appends adjacent lines, up to 80, until `text` has about `len` bytes.
    fn push_run(&self, text: &mut Composed, rng: &mut Rng, len: usize) {
        let lines = self.starts.len() - 1;
        let first = rng.below(lines.saturating_sub(90).max(1));
        let base = text.bytes.len();
        let wanted = len.saturating_sub(base);
        let mut last = first;
        while last < lines.min(first + 80) && self.starts[last] - self.starts[first] < wanted {
            text.starts.push(base + self.starts[last] - self.starts[first]);
            last += 1;
        }
        text.bytes.extend_from_slice(&self.bytes[self.starts[first]..self.starts[last]]);
    }
}

/// Appends a unique word between blanks.
fn push_fresh_word(out: &mut Vec<u8>, rng: &mut Rng) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let bits = rng.next_u64();
    out.push(b' ');
    match bits & 3 {
        0 => out.extend_from_slice(b"v_"),
        1 => out.extend_from_slice(b"PR-"),
        2 => out.extend_from_slice(b"id"),
        _ => {}
    }
    for place in 1..8 {
        out.push(DIGITS[(bits >> (place * 4) & 0xf) as usize]);
    }
    out.push(b' ');
}

/// Returns the offset of the first blank at or after `from`.
fn next_blank(text: &[u8], from: usize) -> usize {
    from + text[from..].iter().position(|byte| *byte == b' ').unwrap_or(0)
}

fn paths(rng: &mut Rng, count: usize) -> Vec<String> {
    const ENDS: [&str; 8] = ["rs", "rs", "ts", "tsx", "py", "go", "md", "toml"];
    (0..count)
        .map(|_| {
            let folders: Vec<&str> = (0..rng.between(1, 3)).map(|_| stem(rng)).collect();
            format!("src/{}/{}_{}.{}", folders.join("/"), stem(rng), stem(rng), rng.pick(&ENDS))
        })
        .collect()
}

fn prose(vocabulary: &WordPool, rng: &mut Rng, size: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(size + 1024);
    while out.len() < size {
        for _ in 0..rng.between(1, 6) {
            sentence(&mut out, vocabulary, rng);
        }
        out.extend_from_slice(match rng.below(4) {
            0 => b"\\n\\n- ".as_slice(),
            _ => b"\\n\\n",
        });
    }
    out.extend_from_slice(&[b' '; 64]);
    out
}

fn sentence(out: &mut Vec<u8>, vocabulary: &WordPool, rng: &mut Rng) {
    let words = rng.between(4, 22);
    for index in 0..words {
        let word = vocabulary.word(rng);
        match rng.below(400) {
            0..24 => out.extend([b"`", word.as_bytes(), b"`"].concat()),
            24..28 => out.extend([b"\\\"", word.as_bytes(), b"\\\""].concat()),
            28..32 => out.extend([word.as_bytes(), b" \xe2\x80\x94"].concat()),
            32 if rng.chance(0.02) => out.extend("\u{2028}".bytes()),
            _ if index == 0 => {
                out.push(word.as_bytes()[0].to_ascii_uppercase());
                out.extend_from_slice(&word.as_bytes()[1..]);
            }
            _ => out.extend_from_slice(word.as_bytes()),
        }
        if index + 1 < words {
            out.push(b' ');
        }
    }
    out.extend_from_slice(rng.pick(&[b". ", b". ", b". ", b": ", b"? "]));
}

fn lines(rng: &mut Rng, size: usize, mut line: impl FnMut(&mut Vec<u8>, &mut Rng)) -> LinePool {
    let mut pool = LinePool { bytes: Vec::with_capacity(size + 1024), starts: vec![0] };
    while pool.bytes.len() < size {
        line(&mut pool.bytes, rng);
        pool.bytes.extend_from_slice(NEWLINE);
        pool.starts.push(pool.bytes.len());
    }
    pool
}

fn code_line(out: &mut Vec<u8>, rng: &mut Rng, vocabulary: &WordPool) {
    for _ in 0..rng.below(5) {
        out.extend_from_slice(b"    ");
    }
    let mut word = || vocabulary.word(rng);
    let text = match word().len() % 8 {
        0 => "}".to_owned(),
        1 => String::new(),
        2 => format!("let {} = {}.{}({})?;", word(), word(), word(), word()),
        3 => format!("fn {}({}: {}) -> {} {{", word(), word(), word(), word()),
        4 => format!("// {} {} {} {} {}", word(), word(), word(), word(), word()),
        5 => format!("if {} == \\\"{}\\\" && !{}.is_empty() {{", word(), word(), word()),
        6 => format!("{}.{}(&{}, \\\"{}\\\\n\\\");", word(), word(), word(), word()),
        _ => format!("return {}::{}({}, {});", word(), word(), word(), word()),
    };
    out.extend_from_slice(text.as_bytes());
}

fn output_line(out: &mut Vec<u8>, rng: &mut Rng, vocabulary: &WordPool, paths: &[String]) {
    let path = &paths[rng.below(paths.len())];
    let (kind, number, bits) = (rng.below(7), rng.below(2000), rng.next_u64());
    let mut word = || vocabulary.word(rng);
    let text = match kind {
        0 => format!("{path}:{number}:{}: {} {} {}", number % 80, word(), word(), word()),
        1 => format!("test {}::{}::{} ... \\u001b[32mok\\u001b[0m", word(), word(), word()),
        2 => format!("warning: {} {} {} {} {}", word(), word(), word(), word(), word()),
        3 => format!("{:07x} {} {} {}", bits & 0xfff_ffff, word(), word(), word()),
        4 => format!("-rw-r--r-- 1 dev dev {number:>8} {path}"),
        5 => format!("\\t{}\\t{number}\\t{}", word(), bits % 1_000_000),
        _ => format!("[{number}ms] {} {}={} {}={number}", word(), word(), word(), word()),
    };
    out.extend_from_slice(text.as_bytes());
}

fn base64(rng: &mut Rng, len: usize) -> Vec<u8> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    (0..len).map(|_| DIGITS[rng.below(64)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(escaped: &[u8]) -> String {
        let json = [b"\"", escaped, b"\""].concat();
        serde_json::from_slice(&json).expect("pieces are escaped and whole")
    }

    #[test]
    fn every_piece_is_a_valid_json_string() {
        let pools = Pools::new(3, 64 * 1024);
        let mut rng = Rng::new(4);
        let mut text = Composed::default();
        for round in 0..500 {
            let len = rng.skewed(1, 20_000) as usize;
            let mut out = Vec::new();
            pools.push_prose(&mut out, &mut rng, len);
            assert!(decoded(&out).len() < len + 64, "round {round}");
            pools.compose(&mut text, LineSource::Code, &mut rng, len);
            assert_eq!(decoded(&text.bytes).lines().count(), text.len());
            decoded(text.line(text.len() - 1));
            pools.compose(&mut text, LineSource::Output, &mut rng, len);
            assert!(decoded(text.head(200)).len() <= 200);
        }
    }
}
