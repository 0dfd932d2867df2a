//! What the full text holds of a log, the scan finds too.

use std::collections::HashSet;

use unspool_testkit::reallogs::RealLogs;

use super::*;
use crate::index::text::{Part, documents};

/// Returns the words of a text that are no parts of ids.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |word: &&str| {
        word.len() > 2
            && word.chars().all(char::is_alphabetic)
            && !word.chars().all(|c| c.is_ascii_hexdigit())
    };
    text.split(|c: char| !c.is_alphanumeric()).filter(is_word)
}

/// Returns every text of every line, decoded.
fn texts(log: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    let mut each = |_, text: unspool_model::json::Str<'_>| {
        found.push(text.decode().into_owned());
        Ok(())
    };
    for line in log.split_inclusive(|&byte| byte == b'\n') {
        for piece in pieces(line) {
            let bytes = &line[piece.start..piece.end];
            let _ = match piece.kind {
                PieceKind::Blank => Ok(()),
                PieceKind::Record => texts_of(bytes, &mut each).1,
                PieceKind::Fragment => texts_of_fragment(bytes, &mut each),
            };
        }
    }
    found
}

fn assert_agreement(path: &Path) {
    let bytes = fs::read(path).expect("a log");
    let texts = texts(&bytes);
    let known: HashSet<&str> = texts.iter().flat_map(|text| words(text)).collect();
    documents(path, |document| {
        // What stands in the sidecar of an agent is no line of the log.
        if document.place.part == Part::File {
            return;
        }
        // To the full text, pictures and roles inside of a record have names, and keys of torn
        // records are words.
        let line = &bytes[document.place.offset as usize..];
        let torn = !matches!(
            pieces(line).first().map(|p| p.kind),
            Some(PieceKind::Record)
        );
        for word in words(&document.text).filter(|_| !torn) {
            let named = matches!(word, "image" | "document" | "assistant");
            assert!(named || known.contains(word), "{}: {word}", path.display());
        }
    })
    .expect("a log");
}

#[test]
fn every_word_that_the_full_text_holds_of_a_real_log_is_in_a_text_of_the_scan() {
    for path in RealLogs::fixtures().files() {
        assert_agreement(&path);
    }
}
