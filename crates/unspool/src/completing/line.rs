//! The words of a command line that is being typed.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The words that are completed, the last of them up to the cursor.
pub(super) struct TypedLine {
    pub(super) words: Vec<OsString>,
    /// What comes before the part of the last word that the shell asks about.
    pub(super) before: String,
}

/// Puts together what bash takes apart: `--project`, `=`, `tide` is one word, of which it asks
/// about the last part.
pub(super) fn joined(words: Vec<OsString>) -> TypedLine {
    let mut joined: Vec<OsString> = Vec::with_capacity(words.len());
    let mut before = String::new();
    let mut is_after_sign = false;
    let count = words.len();
    for (at, word) in words.into_iter().enumerate() {
        let is_sign = word == "=";
        let is_option = |word: &OsString| word.to_string_lossy().starts_with("--");
        match joined.last_mut() {
            Some(last) if is_sign && is_option(last) => {
                last.push(&word);
                is_after_sign = true;
                if at + 1 == count {
                    before = last.to_string_lossy().into_owned();
                }
            }
            Some(last) if is_after_sign => {
                if at + 1 == count {
                    before = last.to_string_lossy().into_owned();
                }
                last.push(&word);
                is_after_sign = false;
            }
            _ => joined.push(word),
        }
    }
    TypedLine { words: joined, before }
}

/// Puts options that say which homes are read before the hidden command that completes, so that
/// they count for it: `unspool show --home DIR 4b` offers sessions of that folder. The shell has not
/// read the line yet, so a `~` in it still means the user's home.
pub(crate) fn with_globals_first(args: Vec<OsString>, user_home: Option<&Path>) -> Vec<OsString> {
    if args.get(1).is_none_or(|arg| arg != "__complete") {
        return args;
    }
    let mut globals = Vec::new();
    // The word that is completed says nothing yet.
    let known = &args[..args.len() - 1];
    let mut words = known.iter().skip_while(|arg| *arg != "--").skip(1);
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        match &*text {
            "--demo" => globals.push(word.clone()),
            "--home" | "--index" => {
                if let Some(value) = words.next().filter(|value| *value != "=") {
                    globals.extend([word.clone(), expanded(value, user_home)]);
                }
            }
            _ if text.starts_with("--home=") || text.starts_with("--index=") => {
                globals.push(word.clone());
            }
            _ => {}
        }
    }
    let mut lifted = args;
    lifted.splice(1..1, globals);
    lifted
}

/// Puts the user's home in the place of a `~` at the beginning of a path.
fn expanded(value: &OsStr, user_home: Option<&Path>) -> OsString {
    let below = value.to_str().and_then(|text| text.strip_prefix("~/"));
    match below.zip(user_home) {
        Some((below, home)) => home.join(below).into(),
        None => value.to_owned(),
    }
}

/// Takes the quotes and backslashes of a shell out of a word.
pub(super) fn unquoted(word: &str) -> String {
    let mut plain = String::with_capacity(word.len());
    let mut quote = None;
    let mut chars = word.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            ('\\', None | Some('"')) => plain.extend(chars.next()),
            (c, _) => plain.push(c),
        }
    }
    plain
}
