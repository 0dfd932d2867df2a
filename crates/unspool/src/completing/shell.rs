//! What each shell wants: a script, and lines.

use std::ffi::OsString;

use clap::ValueEnum;
use unspool_text::sanitize;

use super::line::unquoted;

/// The most columns that the words next to a candidate have.
const HELP: usize = 72;

/// A shell that completes.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CompletingShell {
    /// GNU bash, 3.2 or later
    Bash,
    /// zsh
    Zsh,
    /// fish
    Fish,
}

impl CompletingShell {
    /// Returns the script that makes the shell complete.
    pub(crate) fn script(self) -> &'static str {
        match self {
            Self::Bash => include_str!("unspool.bash"),
            Self::Zsh => include_str!("unspool.zsh"),
            Self::Fish => include_str!("unspool.fish"),
        }
    }

    /// Returns words as a program would get them. zsh takes quotes away itself.
    pub(super) fn unquoted(self, words: &[OsString]) -> Vec<OsString> {
        let plain = |word: &OsString| match (self, word.to_str()) {
            (Self::Bash | Self::Fish, Some(text)) => unquoted(text).into(),
            _ => word.clone(),
        };
        words.iter().map(plain).collect()
    }

    /// Writes a candidate as the script reads it; none if it is not something to type. Names of
    /// branches and projects come from logs, which anybody may have written.
    pub(super) fn line(self, value: &str, help: &str) -> Option<String> {
        if value.is_empty() || value.chars().any(char::is_control) {
            return None;
        }
        let help = sanitize::one_line(help, HELP);
        Some(match (self, help.is_empty()) {
            (Self::Bash, _) => escaped_for_bash(value),
            (Self::Zsh, true) => escaped_for_zsh(value),
            (Self::Zsh, false) => format!("{}:{help}", escaped_for_zsh(value)),
            (Self::Fish, true) => value.to_owned(),
            (Self::Fish, false) => format!("{value}\t{help}"),
        })
    }
}

/// Escapes what bash would read as something else: it puts candidates on the line as they are.
fn escaped_for_bash(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len());
    for (at, c) in value.char_indices() {
        let is_plain = c.is_alphanumeric()
            || "_-./@%+=:,".contains(c)
            // A home folder at the beginning of a path stays one.
            || (c == '~' && at == 0);
        if !is_plain {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// Escapes what ends a value in the lines of zsh, which quotes values itself.
fn escaped_for_zsh(value: &str) -> String {
    value.replace('\\', "\\\\").replace(':', "\\:")
}
