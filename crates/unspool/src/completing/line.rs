//! The words of a command line that is being completed.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The words of the line, the last one up to the cursor.
pub(super) struct TypedLine {
    pub(super) words: Vec<OsString>,
    /// The start of the last word that the shell has not passed as a part of it.
    pub(super) before: String,
}

/// Rejoins the words that bash splits: `--project`, `=`, `tide` are one word, but bash completes only the
/// last part.
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

/// Moves options that select homes before the hidden command that completes, so that they apply to it:
/// `unspool show --home DIR 4b` offers sessions of that folder. The shell has not expanded the line yet, so
/// `~` is expanded here.
pub(crate) fn with_globals_first(args: Vec<OsString>, user_home: Option<&Path>) -> Vec<OsString> {
    if args.get(1).is_none_or(|arg| arg != "__complete") {
        return args;
    }
    let mut globals = Vec::new();
    // The word that is being completed is not an option yet.
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

/// Expands a leading `~` to the user's home.
fn expanded(value: &OsStr, user_home: Option<&Path>) -> OsString {
    let below = value.to_str().and_then(|text| text.strip_prefix("~/"));
    match below.zip(user_home) {
        Some((below, home)) => home.join(below).into(),
        None => value.to_owned(),
    }
}

/// Removes a shell's quotes and backslashes from a word.
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
