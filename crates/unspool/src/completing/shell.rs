//! The scripts of the shells, and the lines that they read.

use std::ffi::OsString;

use clap::ValueEnum;
use unspool_text::sanitize;

use super::line::unquoted;

/// The largest width of a description.
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
    /// Returns the script that adds completion to the shell.
    pub(crate) fn script(self) -> &'static str {
        match self {
            Self::Bash => include_str!("unspool.bash"),
            Self::Zsh => include_str!("unspool.zsh"),
            Self::Fish => include_str!("unspool.fish"),
        }
    }

    /// Returns the words without the shell's quotes. zsh removes them itself.
    pub(super) fn unquoted(self, words: &[OsString]) -> Vec<OsString> {
        let plain = |word: &OsString| match (self, word.to_str()) {
            (Self::Bash | Self::Fish, Some(text)) => unquoted(text).into(),
            _ => word.clone(),
        };
        words.iter().map(plain).collect()
    }

    /// Formats a candidate for the script; `None` if it contains control characters. Names of branches and
    /// projects come from logs, which are untrusted.
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

/// Escapes special characters for bash, which inserts candidates without quoting them.
fn escaped_for_bash(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len());
    for (at, c) in value.char_indices() {
        let is_plain = c.is_alphanumeric()
            || "_-./@%+=:,".contains(c)
            // A leading `~` must stay unescaped.
            || (c == '~' && at == 0);
        if !is_plain {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// Escapes the separator of zsh's lines; zsh quotes the values itself.
fn escaped_for_zsh(value: &str) -> String {
    value.replace('\\', "\\\\").replace(':', "\\:")
}
