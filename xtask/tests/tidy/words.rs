//! The words that texts of this project avoid.
//!
//! A text names the thing that it is about: "the caller", "the row", and not "whoever" or
//! "nobody". The list is short: words that readers have to decode. Comments and documentation are
//! checked, and in programs also the texts in quotes. Names in code are checked next to them, in
//! `names.rs`.

use std::fs;
use std::path::Path;

use super::source::{root, walk};

/// Words and phrases that are not allowed.
pub(super) const BANNED: [&str; 23] = [
    "whoever",
    "somebody",
    "nobody",
    "anew",
    "behind",
    "beside",
    "sign of life",
    "signs of life",
    "is no",
    "are no",
    "stands",
    "stand",
    "holds",
    "shelf",
    "desk",
    "parcel",
    "parcels",
    "kin",
    "trouble",
    "troubles",
    "fate",
    "fates",
    "sayings",
];

/// Phrases that are allowed although they contain a word of the list. A held prompt and a held queue
/// are states of driving, with that name in its JSON.
const USUAL: [&str; 7] = [
    "there is no",
    "there are no",
    "is no longer",
    "are no longer",
    "holds a prompt",
    "holds the prompt",
    "holds the queue",
];

/// The part of a file that is checked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CheckedPart {
    /// Comments.
    Comments,
    /// Comments and texts in quotes.
    Texts,
    /// Everything but code.
    Prose,
}

fn checked_part(path: &Path) -> Option<CheckedPart> {
    let relative = path.strip_prefix(root()).expect("a file of the project");
    let text = relative.to_string_lossy().replace('\\', "/");
    let is_test = text.contains("/tests") || text.contains("testkit") || text.contains("testing");
    match path.extension()?.to_str()? {
        "rs" if is_test => Some(CheckedPart::Comments),
        "rs" => Some(CheckedPart::Texts),
        "md" => Some(CheckedPart::Prose),
        _ => None,
    }
}

/// Returns the checked part of a line, without code.
fn text_of(line: &str, looked: CheckedPart) -> String {
    let text = match looked {
        CheckedPart::Prose => line.to_owned(),
        CheckedPart::Comments => comment(line).to_owned(),
        CheckedPart::Texts => {
            let quoted = line.split('"').skip(1).step_by(2);
            // A single word is a name or data, not a sentence.
            let quoted: Vec<&str> = quoted.filter(|text| text.contains(' ')).collect();
            format!("{} | {}", comment(line), quoted.join(" | "))
        }
    };
    text.split('`').step_by(2).collect::<Vec<_>>().join(" code ")
}

fn comment(line: &str) -> &str {
    let start = line.find("//").filter(|&at| !line[..at].ends_with(':'));
    start.map_or("", |at| &line[at..])
}

/// Returns the banned words of a text.
fn banned_in(text: &str) -> Vec<&'static str> {
    let is_letter = |c: char| c.is_alphanumeric() || c == '\'' || c == '_';
    let words: Vec<String> = text
        .split(|c: char| !is_letter(c))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let text = format!(" {} ", words.join(" "));
    let text = USUAL.iter().fold(text, |text, usual| text.replace(&format!(" {usual} "), " "));
    let has = |phrase: &&str| text.contains(&format!(" {phrase} "));
    BANNED.into_iter().filter(|phrase| has(phrase)).collect()
}

#[test]
fn texts_do_without_the_words_on_the_list() {
    let mut found = Vec::new();
    let mut files = 0;
    walk(&root(), &mut |path| {
        let Some(looked) = checked_part(path) else {
            return;
        };
        if path.ends_with("xtask/tests/tidy/words.rs") {
            return;
        }
        files += 1;
        let text = fs::read_to_string(path).expect("a text");
        for (number, line) in (1..).zip(text.lines()) {
            for word in banned_in(&text_of(line, looked)) {
                found.push(format!("{}:{number}: {word}: {}", path.display(), line.trim()));
            }
        }
    });
    assert!(files > 300, "only {files} files were found");
    assert!(found.is_empty(), "{} places\n{}", found.len(), found.join("\n"));
}

#[test]
fn phrases_are_found_as_words_and_not_in_code() {
    for (line, looked, expected) in [
        ("/// Nobody looks on.", CheckedPart::Comments, vec!["nobody"]),
        ("let beside = 1; // it is no file", CheckedPart::Comments, vec!["is no"]),
        ("ui.note(\"read anew\");", CheckedPart::Comments, vec![]),
        ("ui.note(\"read anew\");", CheckedPart::Texts, vec!["anew"]),
        ("There is no file; see `beside.rs`.", CheckedPart::Prose, vec![]),
        ("/// See [`text::beside`].", CheckedPart::Texts, vec![]),
        ("It holds a prompt.", CheckedPart::Prose, vec![]),
        ("It holds a list.", CheckedPart::Prose, vec!["holds"]),
    ] {
        assert_eq!(banned_in(&text_of(line, looked)), expected, "{line}");
    }
}
