//! The command line: which command, and what is left for it.

use std::ffi::OsString;
use std::fmt::Write as _;

use anyhow::{Context as _, Result, anyhow, bail};

/// One entry of `cargo xtask --help`.
#[derive(Debug)]
pub(crate) struct XtaskCommand {
    /// The word that selects it.
    pub(crate) name: &'static str,
    /// One line for the list of commands.
    pub(crate) about: &'static str,
    /// Runs it with the words after its name.
    pub(crate) run: fn(&[String]) -> Result<()>,
}

/// What the first word asked for.
#[derive(Debug)]
pub(crate) enum XtaskRequest<'a> {
    /// Print the list of commands.
    Help,
    /// Run a command with the words after its name.
    Run(&'a XtaskCommand, &'a [String]),
}

/// Turns the process arguments into text.
pub(crate) fn from_os(words: impl Iterator<Item = OsString>) -> Result<Vec<String>> {
    words
        .map(|word| {
            word.into_string()
                .map_err(|word| anyhow!("argument is not UTF-8: {}", word.display()))
        })
        .collect()
}

/// Picks the command named by the first word.
pub(crate) fn request<'a>(
    words: &'a [String],
    commands: &'a [XtaskCommand],
) -> Result<XtaskRequest<'a>> {
    let Some((first, rest)) = words.split_first() else {
        return Ok(XtaskRequest::Help);
    };
    if is_help(first) || first == "help" {
        return Ok(XtaskRequest::Help);
    }
    match commands.iter().find(|command| command.name == first) {
        Some(command) => Ok(XtaskRequest::Run(command, rest)),
        None => bail!("no command `{first}`; `cargo xtask --help` lists them"),
    }
}

/// Lists the commands with one line each.
pub(crate) fn overview(commands: &[XtaskCommand]) -> String {
    let mut text = String::from("Usage: cargo xtask COMMAND [ARGS...]\n\nCommands:\n");
    let width = commands.iter().map(|c| c.name.len()).max().unwrap_or(0);
    for XtaskCommand { name, about, .. } in commands {
        let _ = writeln!(text, "  {name:width$}  {about}");
    }
    text.push_str("\n`cargo xtask COMMAND --help` tells more about one command.\n");
    text
}

/// Whether a word asks for help.
pub(crate) fn is_help(word: &str) -> bool {
    matches!(word, "-h" | "--help")
}

/// Reads the value of an option that is a number. Zero means nothing anywhere.
pub(crate) fn number(flag: &str, value: Option<&str>) -> Result<u64> {
    let value = value.with_context(|| format!("{flag} needs a number"))?;
    match value.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => bail!("{flag} needs a number above zero, got `{value}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMANDS: [XtaskCommand; 2] = [
        XtaskCommand {
            name: "one",
            about: "First.",
            run: |_| Ok(()),
        },
        XtaskCommand {
            name: "three",
            about: "Third.",
            run: |_| Ok(()),
        },
    ];

    fn requested(line: &str) -> String {
        let words: Vec<String> = line.split_whitespace().map(String::from).collect();
        match request(&words, &COMMANDS) {
            Ok(XtaskRequest::Help) => "help".into(),
            Ok(XtaskRequest::Run(command, rest)) => format!("{} {rest:?}", command.name),
            Err(error) => format!("error: {error}"),
        }
    }

    #[test]
    fn first_word_selects_the_command() {
        assert_eq!(requested(""), "help");
        assert_eq!(requested("-h"), "help");
        assert_eq!(requested("--help one"), "help");
        assert_eq!(requested("help"), "help");
        assert_eq!(requested("one"), "one []");
        assert_eq!(
            requested("three --help x"),
            r#"three ["--help", "x"]"#,
            "help after the name belongs to the command"
        );
        assert_eq!(
            requested("two"),
            "error: no command `two`; `cargo xtask --help` lists them"
        );
    }

    #[test]
    fn overview_aligns_one_line_per_command() {
        let text = overview(&COMMANDS);
        assert!(
            text.contains("\n  one    First.\n  three  Third.\n"),
            "{text}"
        );
    }
}
