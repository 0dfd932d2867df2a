//! The vocabulary of generated text.
//!
//! Words of English and of code. The word of rank *n* is used about 1/*n* times as often as the first (Zipf's
//! law).

use crate::rng::Rng;

/// English words, the most frequent first.
const ENGLISH: &str = "the to and a of is it in that for this be on with as are not we can if or \
    from but now let will should all have which so when one by at an was there also file test need \
    error use run only what no new code then after change line into each same add check still run \
    first where before because more value its fix two call path case could out make get both time \
    set name already makes works here does look some next without build see returns like user way \
    about between type left right state done failing keeps instead missing read write order empty \
    found old through would under over current end start wrong reason handle output input field \
    string number list index server request response client session entry message event branch \
    commit merge release version config default option flag level memory thread lock queue cache \
    table column row key query search result filter sort page window button colour theme layout \
    small large fast slow simple clean safe public private local remote global static dynamic \
    parse render write open close send receive create delete update insert remove move copy load \
    save store fetch push pull start stop wait retry timeout cancel finish begin connect listen \
    question answer problem solution idea plan step task note example detail summary report log \
    warning failure success attempt limit size length width height offset range count total \
    average maximum minimum budget cost price token model prompt agent tool hook shell command \
    argument variable function method module package crate library binary script folder directory \
    temporary permanent nested parallel serial atomic random stable unstable broken correct exact \
    careful quietly exactly probably certainly usually rarely almost together apart around against \
    during until while although however therefore otherwise perhaps maybe rather quite very much \
    many few several most least every other another such own whole half part piece side top bottom \
    front back inside outside above below near far early late soon again once twice always never \
    today tomorrow yesterday week month year morning evening hour minute second moment \
    good better best bad worse worst high low long short wide narrow deep shallow heavy light \
    strange obvious subtle tricky easy hard clear confusing useful useless important minor major";

/// Stems of identifiers.
const STEMS: &str = "read write parse render token buffer cursor index entry node graph edge leaf \
    root branch session message block call result usage cache store page query filter rank score \
    match scan line span offset chunk frame stream event watch poll queue worker pool task job \
    state status config option flag level limit size count total path name file dir home project \
    user agent tool hook shell env time clock date zone text word char byte string number value \
    key map set list vec item iter next prev first last head tail left right parent child merge \
    split join trim copy clone load save open close start stop init drop build make test case \
    error warn info debug trace http route handler request response client server socket";

/// Words that are not ASCII.
const FOREIGN: &str = "naïve café größer Änderung déjà señal проверка ошибка 日本語 設定 파일 🙂";

/// A vocabulary, the most frequent words first.
#[derive(Debug)]
pub(crate) struct WordPool {
    words: Vec<String>,
}

impl WordPool {
    /// Creates a vocabulary of `size` words; equal seeds give equal words.
    pub(crate) fn new(seed: u64, size: usize) -> Self {
        let mut rng = Rng::new(seed);
        let [stems, foreign] =
            [STEMS, FOREIGN].map(|list| list.split_whitespace().collect::<Vec<&str>>());
        let mut words: Vec<String> = ENGLISH.split_whitespace().map(str::to_owned).collect();
        while words.len() < size {
            words.push(match rng.below(100) {
                0..45 => identifier(&mut rng, &stems),
                45..90 => invented(&mut rng),
                90..97 => rng.pick(&stems).to_owned(),
                _ => rng.pick(&foreign).to_owned(),
            });
        }
        Self { words }
    }

    /// Returns a random word; frequent ones have lower ranks.
    pub(crate) fn word(&self, rng: &mut Rng) -> &str {
        let rank = (self.words.len() as f64).powf(rng.unit()) as usize;
        &self.words[rank.min(self.words.len()) - 1]
    }
}

/// Returns a random stem, for names of folders and files.
pub(crate) fn stem(rng: &mut Rng) -> &'static str {
    let at = rng.below(STEMS.split_whitespace().count());
    STEMS.split_whitespace().nth(at).unwrap_or("file")
}

/// Returns an identifier of several stems in `snake_case`, `camelCase` or `CamelCase`.
fn identifier(rng: &mut Rng, stems: &[&str]) -> String {
    let style = rng.below(3);
    let mut name = String::new();
    for part in 0..rng.between(2, 4) {
        let stem = rng.pick(stems);
        match (style, part) {
            (0 | 1, 0) => name.push_str(stem),
            (0, _) => {
                name.push('_');
                name.push_str(stem);
            }
            _ => {
                name.push_str(&stem[..1].to_uppercase());
                name.push_str(&stem[1..]);
            }
        }
    }
    name
}

/// Returns a random word of two to four syllables.
fn invented(rng: &mut Rng) -> String {
    const ONSETS: [&str; 14] =
        ["b", "br", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "st", "t"];
    const VOWELS: [&str; 7] = ["a", "e", "i", "o", "u", "ai", "ea"];
    const CODAS: [&str; 8] = ["", "", "", "n", "r", "s", "l", "nd"];
    let mut word = String::new();
    for _ in 0..rng.between(2, 4) {
        word.push_str(rng.pick(&ONSETS));
        word.push_str(rng.pick(&VOWELS));
        word.push_str(rng.pick(&CODAS));
    }
    word
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn frequencies_fall_with_the_rank() {
        let vocabulary = WordPool::new(1, 20_000);
        let mut rng = Rng::new(2);
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for _ in 0..50_000 {
            *counts.entry(vocabulary.word(&mut rng)).or_default() += 1;
        }
        assert!(counts["the"] > 2000);
        assert!(counts.len() > 5000, "{}", counts.len());
    }
}
