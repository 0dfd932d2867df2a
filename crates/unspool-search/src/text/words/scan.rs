//! Finds the words of a text.
//!
//! A word is a run of letters and digits, or one hump of it (`fooBar` is `foo` and `bar`).
//! Each word has its own position, so `parse_config`, `src/main.rs`, `foo::bar` and `fooBar`
//! are consecutive words, as in a phrase. Words have other forms at the same positions; see
//! [`WordForm`].
//!
//! Ids and encoded data are never split, versions and dates stay whole, and only the beginning of
//! a long run of encoded data is kept.

use super::class::{CharClass, DIGIT, LOWER, UPPER, class, letter};
use super::colour;
use super::fold;
use super::letters::{LetterWindow, Letters, NOISE};
use super::numbering::Numbering;
use super::stem::Stems;
use super::{FoundWord, LONGEST, WordForm};

/// How many numbers a version or a date has at most. Chosen by judgement: most have two to four.
const MOST_NUMBERS: usize = 8;
/// The length of the first group of a uuid.
const UUID_HEAD: usize = 8;
/// The length in bytes that encoded data is cut to: enough to distinguish values, while each byte
/// is a node of the dictionary. 32 was chosen by judgement.
const NOISE_KEPT: usize = 32;

/// Iterates over the words of a text.
pub(crate) struct WordScanner<'t> {
    text: &'t str,
    at: usize,
    position: u32,
    /// The end of the last run, if that counted as encoded data.
    noise: Option<usize>,
    numbering: Numbering,
    /// The part of the text that is classified.
    window: LetterWindow,
    scratch: String,
}

/// A run of letters and digits.
#[derive(Clone, Copy)]
struct LetterRun {
    from: usize,
    to: usize,
    /// The ASCII characters at its start; all its characters if it is `ascii`.
    bits: Letters,
    /// The kinds of its ASCII characters: [`LOWER`], [`UPPER`], [`DIGIT`].
    letters: u8,
    /// The kinds without its first character.
    inner: u8,
    ascii: bool,
}

impl LetterRun {
    fn is_number(self) -> bool {
        self.ascii && self.letters == DIGIT
    }
}

impl<'t> WordScanner<'t> {
    /// Starts at the beginning of a text.
    pub(crate) fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            position: 0,
            noise: None,
            numbering: Numbering::default(),
            window: LetterWindow::new(text.as_bytes(), 0),
            scratch: String::new(),
        }
    }

    /// Reads on and passes the next words to `each`; returns false at the end of the text.
    pub(crate) fn step(
        &mut self,
        stems: Option<&mut Stems>,
        each: &mut impl FnMut(FoundWord<'_>),
    ) -> bool {
        let bytes = self.text.as_bytes();
        loop {
            let Some(at) = self.window.next(self.at) else {
                // The window has no more words, or the last word ended before or after it.
                let next = self.window.following(self.at);
                if next >= bytes.len() {
                    return false;
                }
                self.window = LetterWindow::new(bytes, next);
                self.at = next;
                continue;
            };
            self.at = at;
            let letters = self.letters();
            if letters.length() > 0 {
                if self.is_plain(letters) {
                    self.at += letters.length();
                    self.simple(at, self.at, LOWER, stems, each);
                } else {
                    self.word(letters, stems, each);
                }
                return true;
            }
            if bytes[at] == colour::ESCAPE {
                // A colour is not part of the word after it.
                self.at += colour::length(&bytes[at..]);
                continue;
            }
            match self.class_at(self.at) {
                CharClass::Word => self.word(letters, stems, each),
                CharClass::Dense => self.dense(each),
                CharClass::Sign => {
                    let from = self.at;
                    self.at += self.length_at(from);
                    self.hand_out(WordForm::Word, from, self.at, each);
                    self.position += 1;
                }
                CharClass::Mute | CharClass::Other => {
                    self.at += self.length_at(self.at);
                    continue;
                }
            }
            return true;
        }
    }

    /// Returns the letters and digits from here on.
    #[inline]
    fn letters(&mut self) -> Letters {
        if let Some(letters) = self.window.letters(self.at) {
            return letters;
        }
        let bytes = self.text.as_bytes();
        self.window = LetterWindow::new(bytes, self.at);
        let letters = self.window.letters(self.at);
        letters.unwrap_or_else(|| Letters::of(&bytes[self.at..]))
    }

    /// Tells whether the word here is of the most common kind: small letters, with nothing next to
    /// them that could belong to the word.
    #[inline]
    fn is_plain(&self, letters: Letters) -> bool {
        letters.are_plain()
            && letters.length() <= LONGEST
            && self.noise.is_none()
            && !self.is_dotted(self.at)
    }

    /// Tells whether the dot before a word belongs to it, as in `.env`, and does not end another word.
    #[inline]
    fn is_dotted(&self, from: usize) -> bool {
        let before = |distance| from.checked_sub(distance).map_or(0, |at| self.byte(at));
        before(1) == b'.' && letter(before(2)) == 0
    }

    fn class_at(&self, at: usize) -> CharClass {
        let c = self.text.get(at..).and_then(|rest| rest.chars().next());
        c.map_or(CharClass::Other, class)
    }

    fn length_at(&self, at: usize) -> usize {
        self.text[at..].chars().next().map_or(1, char::len_utf8)
    }

    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    /// Passes a piece of the text to `each`, in lower case, and cut if it is too long.
    #[inline]
    fn hand_out(
        &mut self,
        form: WordForm,
        from: usize,
        to: usize,
        each: &mut impl FnMut(FoundWord<'_>),
    ) {
        self.scratch.clear();
        fold::push_lower(&self.text[from..to], &mut self.scratch);
        let is_noise = self.noise == Some(to) && to > from + NOISE_KEPT;
        let longest =
            if is_noise && !is_hash(self.scratch.as_bytes()) { NOISE_KEPT } else { LONGEST };
        let text = &self.scratch[..self.scratch.floor_char_boundary(longest)];
        let position = self.position;
        let span = from..to;
        each(FoundWord { form, position, span, text });
    }

    /// Passes digits and signs to `each`; they have no case.
    #[inline]
    fn hand_out_as_it_is(
        &self,
        form: WordForm,
        from: usize,
        to: usize,
        each: &mut impl FnMut(FoundWord<'_>),
    ) {
        each(FoundWord {
            form,
            position: self.position,
            span: from..to,
            text: &self.text[from..to.min(from + LONGEST)],
        });
    }

    /// Reads the run that begins with these letters.
    #[inline]
    fn run(&mut self, bits: Letters) -> LetterRun {
        let from = self.at;
        let bytes = self.text.as_bytes();
        let (mut letters, mut inner, mut ascii) = (bits.kinds(), bits.inner(), true);
        self.at += bits.length();
        while bytes.get(self.at).is_some_and(|&byte| byte >= 0x80)
            && self.class_at(self.at) == CharClass::Word
        {
            ascii = false;
            self.at += self.length_at(self.at);
            let more = self.letters();
            letters |= more.kinds();
            inner |= more.kinds();
            self.at += more.length();
        }
        LetterRun { from, to: self.at, bits, letters, inner, ascii }
    }

    fn word(
        &mut self,
        letters: Letters,
        stems: Option<&mut Stems>,
        each: &mut impl FnMut(FoundWord<'_>),
    ) {
        let run = self.run(letters);
        if self.is_simple(run) {
            self.simple(run.from, run.to, run.letters, stems, each);
            return;
        }
        let next_to_noise = self.noise.is_some() || run.to - run.from == UUID_HEAD;
        if run.is_number() && !next_to_noise {
            self.numbers(run, each);
            return;
        }
        if self.uuid(run, each) || self.goes_on_noisily(run) {
            return;
        }
        if run.is_number() {
            self.numbers(run, each);
            return;
        }
        if let Some(number) = self.version(run) {
            self.numbers(number, each);
            return;
        }
        self.signed(run, each);
        let humped = run.ascii
            && run.letters & (LOWER | UPPER) == LOWER | UPPER
            && self.noise.is_none()
            && run.inner & UPPER != 0;
        if humped && self.humps(run, each) {
            return;
        }
        let end = if run.letters & DIGIT == 0 { self.contraction() } else { run.to };
        self.hand_out(WordForm::Word, run.from, end, each);
        if !run.ascii {
            self.folded(run, each);
        }
        if run.ascii && run.letters & DIGIT == 0 {
            self.stem(run.from, end, stems, each);
        }
        self.position += 1;
    }

    /// Tells whether a word needs no further checks: small letters, capitals, or one capital and
    /// small letters, with no sign that belongs to the word.
    #[inline]
    fn is_simple(&self, run: LetterRun) -> bool {
        let length = run.to - run.from;
        let plain = match run.letters {
            LOWER => length <= LONGEST,
            UPPER => length < NOISE,
            letters => letters == LOWER | UPPER && length < NOISE && run.inner == LOWER,
        };
        // 0xe2 is the first byte of `’`.
        let following = self.byte(run.to);
        plain
            && run.ascii
            && self.noise.is_none()
            && !matches!(following, b'\'' | b'+' | b'#' | 0xe2)
            && !self.is_dotted(run.from)
    }

    /// Passes a simple word with these kinds of letters to `each`.
    fn simple(
        &mut self,
        from: usize,
        to: usize,
        letters: u8,
        stems: Option<&mut Stems>,
        each: &mut impl FnMut(FoundWord<'_>),
    ) {
        let mut text = &self.text[from..to];
        if letters != LOWER {
            self.scratch.clear();
            self.scratch.push_str(text);
            self.scratch.make_ascii_lowercase();
            text = &self.scratch;
        }
        let found = |form, text| FoundWord { form, position: self.position, span: from..to, text };
        each(found(WordForm::Word, text));
        if let Some(stem) = stems.and_then(|stems| stems.find(text)) {
            each(found(WordForm::Stem, stem));
        }
        self.position += 1;
    }

    /// Passes the humps of a word to `each`, and the whole word too if it has two: `GitHub` is also
    /// written `github`. Longer names are too many to be indexed twice.
    fn humps(&mut self, run: LetterRun, each: &mut impl FnMut(FoundWord<'_>)) -> bool {
        let mut begins = run.bits.humps();
        let length = run.bits.length();
        let two = begins.is_power_of_two();
        // A plural of capitals such as `URLs` is one word.
        let plural =
            two && begins.trailing_zeros() as usize + 2 == length && self.byte(run.to - 1) == b's';
        if begins == 0 || plural {
            return false;
        }
        self.scratch.clear();
        self.scratch.push_str(&self.text[run.from..run.to]);
        self.scratch.make_ascii_lowercase();
        let mut hump = |form, position, from: usize, to: usize| {
            each(FoundWord {
                form,
                position,
                span: run.from + from..run.from + to,
                text: &self.scratch[from..to],
            });
        };
        if two {
            hump(WordForm::Whole, self.position, 0, length);
        }
        let mut from = 0;
        while from < length {
            let to = length.min(begins.trailing_zeros() as usize);
            hump(WordForm::Word, self.position, from, to);
            self.position += 1;
            begins &= begins.wrapping_sub(1);
            from = to;
        }
        true
    }

    /// Passes a word without diacritics to `each`, if that is another word.
    fn folded(&mut self, run: LetterRun, each: &mut impl FnMut(FoundWord<'_>)) {
        let mut lower = String::new();
        fold::push_lower(&self.text[run.from..run.to], &mut lower);
        self.scratch.clear();
        if fold::push_folded(&lower, &mut self.scratch) {
            each(FoundWord {
                form: WordForm::Folded,
                position: self.position,
                span: run.from..run.to,
                text: &self.scratch[..self.scratch.floor_char_boundary(LONGEST)],
            });
        }
    }

    fn stem(
        &mut self,
        from: usize,
        to: usize,
        stems: Option<&mut Stems>,
        each: &mut impl FnMut(FoundWord<'_>),
    ) {
        let Some(stems) = stems else { return };
        self.scratch.clear();
        fold::push_lower(&self.text[from..to], &mut self.scratch);
        if let Some(text) = stems.find(&self.scratch) {
            each(FoundWord { form: WordForm::Stem, position: self.position, span: from..to, text });
        }
    }

    /// Reads over an apostrophe with an English ending; returns the end of the word, which does
    /// not include the ending `'s`.
    fn contraction(&mut self) -> usize {
        let end = self.at;
        let rest = &self.text[end..];
        let Some(ending) = rest.strip_prefix('\'').or(rest.strip_prefix('’')) else {
            return end;
        };
        let is_letter = |b: &u8| letter(*b) != 0;
        let length = ending.bytes().take_while(is_letter).take(3).count();
        let after = end + rest.len() - ending.len() + length;
        match &ending.as_bytes()[..length] {
            b"s" => self.at = after,
            b"t" | b"re" | b"ve" | b"ll" | b"d" | b"m" => {
                self.at = after;
                return after;
            }
            _ => {}
        }
        end
    }

    fn uuid(&mut self, run: LetterRun, each: &mut impl FnMut(FoundWord<'_>)) -> bool {
        const LENGTH: usize = 36;
        let end = run.from + LENGTH;
        let found = run.to - run.from == UUID_HEAD
            && self.byte(run.to) == b'-'
            && letter(self.byte(end)) == 0
            && self.text.get(run.from..end).is_some_and(unspool_model::ids::is_uuid);
        if found {
            self.at = end;
            self.hand_out(WordForm::Word, run.from, end, each);
            self.position += 1;
        }
        found
    }

    /// Returns the number after a `v`, since `v1.2.3` is another way to write `1.2.3`.
    fn version(&self, run: LetterRun) -> Option<LetterRun> {
        let written = &self.text.as_bytes()[run.from..run.to];
        let (b'v' | b'V', number) = written.split_first()? else {
            return None;
        };
        let goes_on = self.byte(run.to) == b'.' && letter(self.byte(run.to + 1)) == DIGIT;
        let is_number = !number.is_empty() && number.iter().all(u8::is_ascii_digit);
        (goes_on && is_number).then_some(LetterRun { from: run.from + 1, letters: DIGIT, ..run })
    }

    /// Passes a number to `each`. A version or a date is one word, and its beginning is another
    /// form of it, `1.2` for `1.2.3`. A line number is left out.
    fn numbers(&mut self, first: LetterRun, each: &mut impl FnMut(FoundWord<'_>)) {
        let mut ends = [first.to; MOST_NUMBERS];
        let mut count = 1;
        while count < MOST_NUMBERS && matches!(self.byte(self.at), b'.' | b'-') {
            let before = self.at;
            self.at += 1;
            let letters = self.letters();
            let next = self.run(letters);
            if !next.is_number() {
                // The time after a date: `2026-11-16T07:00:00Z`.
                let written = &self.text.as_bytes()[next.from..next.to];
                if let [b'0'..=b'9', b'0'..=b'9', b'T', b'0'..=b'9', ..] = written {
                    self.at = next.from + 2;
                } else {
                    self.at = before;
                    break;
                }
            }
            ends[count] = self.at;
            count += 1;
        }
        if count == 1 && self.numbering.is_of_line(self.text, first.from, first.to) {
            return;
        }
        self.hand_out_as_it_is(WordForm::Word, first.from, self.at, each);
        if count > 2 {
            self.hand_out_as_it_is(WordForm::Part, first.from, ends[1], each);
        }
        if count > 1 && self.byte(first.to) == b'-' {
            self.hand_out_as_it_is(WordForm::Part, first.from, first.to, each);
        }
        self.position += 1;
    }

    /// Passes `.env` and `c++` to `each`, with their signs.
    fn signed(&mut self, run: LetterRun, each: &mut impl FnMut(FoundWord<'_>)) {
        let dotted = run.from > 0 && self.byte(run.from - 1) == b'.';
        let before = run.from.checked_sub(2).map_or(b' ', |at| self.byte(at));
        if dotted && letter(before) == 0 && !matches!(before, b'.' | b')' | b']' | 0x80..) {
            self.hand_out(WordForm::Whole, run.from - 1, run.to, each);
        }
        let length = match (self.byte(run.to), run.to - run.from) {
            (b'+', 1..=3) if self.byte(run.to + 1) == b'+' => 2,
            (b'#', 1) => 1,
            _ => return,
        };
        if letter(self.byte(run.to + length)) == 0 && run.letters & DIGIT == 0 {
            self.hand_out(WordForm::Whole, run.from, run.to + length, each);
        }
    }

    /// Tells whether a run continues encoded data whose beginning was kept.
    fn goes_on_noisily(&mut self, run: LetterRun) -> bool {
        let noisy = run.ascii && run.bits.is_noise();
        if !noisy && self.noise.is_none() {
            return false;
        }
        let gap = self.noise.and_then(|end| self.text.get(end..run.from));
        let goes_on = match gap {
            // Letters and digits, or both cases, which the words of a path do not mix.
            Some("+" | "/" | "=" | "==" | "_" | "-") => {
                noisy || run.letters == LOWER | DIGIT || run.inner & UPPER != 0
            }
            Some("\n" | "\r\n") => noisy && !is_hash(&self.text.as_bytes()[run.from..run.to]),
            _ => false,
        };
        self.noise = (goes_on || noisy).then_some(self.at);
        goes_on
    }

    /// Passes text of a script without spaces to `each`: pairs of characters, and the last one alone.
    fn dense(&mut self, each: &mut impl FnMut(FoundWord<'_>)) {
        let mut previous: Option<usize> = None;
        while self.at < self.text.len() && self.class_at(self.at) == CharClass::Dense {
            let at = self.at;
            self.at += self.length_at(at);
            if let Some(start) = previous.replace(at) {
                self.hand_out(WordForm::Word, start, self.at, each);
                self.position += 1;
            }
        }
        if let Some(start) = previous {
            self.hand_out(WordForm::Last, start, self.at, each);
            self.position += 1;
        }
    }
}

/// Tells whether a word is a hash; a list of hashes is not encoded data.
fn is_hash(word: &[u8]) -> bool {
    matches!(word.len(), 32 | 40 | 64) && word.iter().all(u8::is_ascii_hexdigit)
}
