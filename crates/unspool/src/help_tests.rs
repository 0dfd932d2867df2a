//! Tests of the help: every command has examples, and all of them parse.

use clap::{Command, CommandFactory as _, Parser as _};

use crate::cli::CliArgs;
use crate::commands::search;

/// Calls `each` for every visible command, with the words that lead to it.
fn each_command(command: &Command, way: &str, each: &mut dyn FnMut(&Command, &str)) {
    each(command, way);
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        if below.get_name() != "help" {
            each_command(below, &format!("{way} {}", below.get_name()), each);
        }
    }
}

/// Returns the example lines of a command.
fn examples(command: &Command) -> Vec<String> {
    let help = command.get_after_help().map(ToString::to_string);
    let help = help.unwrap_or_default();
    let lines = help.lines().skip_while(|line| *line != "Examples:").skip(1);
    let lines = lines.take_while(|line| line.starts_with("  "));
    lines.map(str::to_owned).collect()
}

/// Splits a line into words as a shell does, up to a remark, a pipe or a redirection.
fn words(line: &str) -> Vec<String> {
    let line = line.trim().split("  ").next().unwrap_or_default();
    let line =
        line.rsplit_once("| unspool").map_or(line.to_owned(), |(_, rest)| format!("unspool{rest}"));
    let ends = [" | ", " > ", " && ", "; do"];
    let line =
        ends.iter().fold(line.as_str(), |line, end| line.split(end).next().unwrap_or_default());
    let line = line.strip_prefix("while ").unwrap_or(line);
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in line.trim().chars() {
        match (c, quote) {
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            (' ', None) => words.push(String::new()),
            (c, _) => words.last_mut().expect("a word").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn every_command_begins_with_a_line_and_has_examples() {
    each_command(&CliArgs::command(), "unspool", &mut |command, way| {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        assert!(!about.is_empty() && about.chars().count() <= 80, "{way}: {about}");
        let first = about.split(' ').next().unwrap_or_default();
        assert!(!["A", "An", "The", "This"].contains(&first), "{way}: {about}");
        let examples = examples(command);
        assert!(!examples.is_empty(), "{way} has no examples");
        for line in examples {
            assert!(line.chars().count() <= 98, "{way}: {line}");
        }
    });
}

#[test]
fn examples_can_be_typed() {
    let mut parsed = 0;
    each_command(&CliArgs::command(), "unspool", &mut |command, way| {
        for line in examples(command) {
            let words = words(&line);
            assert_eq!(words.first().map(String::as_str), Some("unspool"), "{way}: {line}");
            let words = words.into_iter().map(Into::into).collect();
            let words = crate::typed::expand_short_form(words);
            let words = search::move_exclusions_after_dashes(words);
            if let Err(error) = CliArgs::try_parse_from(words) {
                panic!("{way}: {line}\n{error}");
            }
            parsed += 1;
        }
    });
    assert!(parsed > 50, "{parsed}");
}
