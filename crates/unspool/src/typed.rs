//! Handles the command line before it is parsed: expands the short form, and suggests commands for unknown
//! ones.

use std::ffi::OsString;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, Parser as _};
use unspool_model::near::near;
use unspool_store::home::layout::agent_in;
use unspool_store::home::{MIN_PREFIX, SessionName};

use crate::args::first_word;
use crate::cli::CliArgs;
use crate::commands::search;
use crate::completing;

/// Names that people try, with the commands they probably mean.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("ls", "list"),
    ("sessions", "list"),
    ("history", "list"),
    ("cat", "show"),
    ("open", "show"),
    ("read", "show"),
    ("view", "show"),
    ("find", "search"),
    ("grep", "search"),
    ("branches", "tree"),
    ("graph", "tree"),
    ("cost", "stats"),
    ("usage", "stats"),
    ("doctor", "check"),
    ("verify", "check"),
    ("backup", "archive"),
    ("restore", "archive restore"),
    ("continue", "resume"),
    ("settings", "config"),
];

/// Parses the command line; on an error, prints it and ends the process.
pub(crate) fn parse(args: Vec<OsString>, user_home: Option<&Path>) -> CliArgs {
    let args = completing::with_globals_first(args, user_home);
    let args = search::move_exclusions_after_dashes(expand_short_form(args));
    let first = first_word(&args).map(|at| args[at].clone());
    CliArgs::try_parse_from(args).unwrap_or_else(|error| match unknown_command(&error) {
        // A wrong word after a command is an error of that command.
        Some(word) if first.is_some_and(|first| first == word) => {
            CliArgs::command().error(ErrorKind::InvalidSubcommand, not_a_command(word)).exit()
        }
        _ => error.exit(),
    })
}

/// Inserts `show` before a session: `unspool 4ba648c7`.
pub(crate) fn expand_short_form(mut args: Vec<OsString>) -> Vec<OsString> {
    let at = first_word(&args);
    let word = at.and_then(|at| args[at].to_str());
    if let (Some(at), true) = (at, word.is_some_and(looks_like_a_session)) {
        args.insert(at, "show".into());
    }
    args
}

/// Tells whether a word is an id, a position such as `@2`, or a file. No command looks like one.
fn looks_like_a_session(word: &str) -> bool {
    match SessionName::parse(word) {
        SessionName::Newest(_) | SessionName::File(_) => true,
        SessionName::Prefix(text) => {
            let id = agent_in(&text);
            id.len() >= MIN_PREFIX
                && id.starts_with(|c: char| c.is_ascii_hexdigit())
                && id.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
        }
    }
}

/// Returns the word that is not a command.
fn unknown_command(error: &clap::Error) -> Option<&str> {
    let is_wanted = error.kind() == ErrorKind::InvalidSubcommand;
    match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) if is_wanted => Some(word),
        _ => None,
    }
}

fn not_a_command(word: &str) -> String {
    let hint = match command_for(word) {
        Some(command) => format!("did you mean `unspool {command}`?"),
        None => "`unspool show NAME` shows the session of a name, and `unspool search WORDS` \
            looks for words"
            .to_owned(),
    };
    format!("`{}` is not a command; {hint}", word.escape_debug())
}

/// Returns the command that the user may have meant: one with this other name, or a similar name.
fn command_for(word: &str) -> Option<String> {
    if let Some((_, name)) = OTHER_NAMES.iter().find(|(other, _)| *other == word) {
        return Some((*name).to_owned());
    }
    let command = CliArgs::command();
    let names: Vec<&str> = command
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
        .map(clap::Command::get_name)
        .collect();
    near(word, &names).first().map(|name| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn a_session_where_a_command_would_be_is_shown() {
        for (line, expected) in [
            ("u 4ba648c7", "u show 4ba648c7"),
            ("u @", "u show @"),
            ("u --home /x 4ba6 --json", "u --home /x show 4ba6 --json"),
            ("u --no-pager @2", "u --no-pager show @2"),
            ("u ./a.jsonl", "u show ./a.jsonl"),
            ("u a.jsonl --tools none", "u show a.jsonl --tools none"),
            ("u agent-a0ab4f5a", "u show agent-a0ab4f5a"),
            ("u show 4ba6", "u show 4ba6"),
            ("u 4ba", "u 4ba"),
            ("u resume", "u resume"),
            ("u", "u"),
            ("u --home /x", "u --home /x"),
        ] {
            assert_eq!(expand_short_form(typed(line)), typed(expected), "{line}");
        }
    }

    #[test]
    fn no_command_looks_like_a_session() {
        for command in CliArgs::command().get_subcommands() {
            assert!(!looks_like_a_session(command.get_name()));
        }
    }

    #[test]
    fn a_word_that_is_no_command_leads_on() {
        for (word, said) in [
            ("shwo", "did you mean `unspool show`?"),
            ("grep", "did you mean `unspool search`?"),
            ("continue", "did you mean `unspool resume`?"),
            ("spike-filter", "`unspool show NAME`"),
        ] {
            let message = not_a_command(word);
            assert!(message.contains(said), "{message}");
            assert!(!message.contains("unspool tree"), "{message}");
        }
    }

    #[test]
    fn other_names_are_no_commands_and_lead_to_one() {
        let command = CliArgs::command();
        let has = |name: &str| command.find_subcommand(name).is_some();
        for (other, name) in OTHER_NAMES {
            let first = name.split(' ').next().unwrap_or_default();
            assert!(!has(other) && has(first), "{other} {name}");
        }
    }
}
