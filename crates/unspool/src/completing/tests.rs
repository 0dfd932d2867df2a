use std::ffi::OsString;
use std::path::Path;

use clap::{Arg, Command, CommandFactory as _};

use super::CompletingShell;
use super::line::{joined, unquoted, with_globals_first};
use super::values::OfferedValues;
use crate::cli::CliArgs;

fn typed(line: &str) -> Vec<OsString> {
    line.split(' ').map(OsString::from).collect()
}

#[test]
fn homes_that_are_typed_count_for_what_is_offered() {
    for (line, expected) in [
        (
            "u __complete zsh -- u show --home /x 4b",
            "u --home /x __complete zsh -- u show --home /x 4b",
        ),
        ("u __complete zsh -- u --demo show 4b", "u --demo __complete zsh -- u --demo show 4b"),
        (
            "u __complete zsh -- u --index=/i show 4b",
            "u --index=/i __complete zsh -- u --index=/i show 4b",
        ),
        // The word at the cursor is not a value yet.
        ("u __complete zsh -- u show --home /x", "u __complete zsh -- u show --home /x"),
        (
            "u __complete bash -- u show --home ~/x 4b",
            "u --home /home/me/x __complete bash -- u show --home ~/x 4b",
        ),
        ("u show --home /x 4b", "u show --home /x 4b"),
    ] {
        let lifted = with_globals_first(typed(line), Some(Path::new("/home/me")));
        assert_eq!(lifted, typed(expected), "{line}");
    }
}

#[test]
fn what_bash_takes_apart_is_put_together() {
    for (line, expected, before) in [
        ("u list --project = ti", "u list --project=ti", "--project="),
        ("u list --project =", "u list --project=", "--project="),
        ("u list --project=ti", "u list --project=ti", ""),
        ("u show = 4b", "u show = 4b", ""),
    ] {
        let line = joined(typed(line));
        assert_eq!(line.words, typed(expected));
        assert_eq!(line.before, before);
    }
}

#[test]
fn quotes_of_a_shell_go() {
    for (word, plain) in [
        ("plain", "plain"),
        (r"two\ words", "two words"),
        ("'two words'", "two words"),
        ("\"two wo", "two wo"),
        (r#""a\"b""#, "a\"b"),
        (r"'a\b'", r"a\b"),
    ] {
        assert_eq!(unquoted(word), plain, "{word}");
    }
}

#[test]
fn hostile_texts_reach_a_shell_as_letters_or_not_at_all() {
    let title = "$(touch x) `y`\u{1b}[31m red\u{7}\nsecond\tcolumn";
    let id = "4ba648c7";
    let lines = [CompletingShell::Bash, CompletingShell::Zsh, CompletingShell::Fish].map(|shell| {
        let line = shell.line(id, title).expect("a line");
        assert!(!line.contains('\n') && !line.contains('\u{1b}') && !line.contains('\u{7}'));
        line
    });
    assert_eq!(lines[0], id);
    assert_eq!(lines[1], "4ba648c7:$(touch x) `y` red␇");
    assert_eq!(lines[2], "4ba648c7\t$(touch x) `y` red␇");
    for control in ["a\nb", "a\tb", "\u{1b}]0;x\u{7}", ""] {
        for shell in [CompletingShell::Bash, CompletingShell::Zsh, CompletingShell::Fish] {
            assert_eq!(shell.line(control, ""), None);
        }
    }
    let branch = "$(touch x);*";
    let escaped = CompletingShell::Bash.line(branch, "").expect("a line");
    assert_eq!(escaped, r"\$\(touch\ x\)\;\*");
    assert_eq!(unquoted(&escaped), branch);
    assert_eq!(CompletingShell::Zsh.line("a:b\\c", "t").as_deref(), Some(r"a\:b\\c:t"));
}

/// Calls `each` for all arguments of all commands.
fn each_argument(command: &Command, each: &mut dyn FnMut(&Command, &Arg)) {
    for arg in command.get_arguments() {
        each(command, arg);
    }
    for below in command.get_subcommands() {
        each_argument(below, each);
    }
}

#[test]
fn whatever_takes_a_session_or_a_run_is_completed() {
    let (mut sessions, mut runs) = (0, 0);
    each_argument(&CliArgs::command(), &mut |command, arg| {
        let names = arg.get_value_names().unwrap_or_default();
        let takes_session = names.iter().any(|name| name.contains("SESSION"));
        let takes_run = names.iter().any(|name| name.starts_with("RUN"));
        let source = match OfferedValues::of(arg) {
            Some(OfferedValues::Sessions) => (true, false),
            Some(OfferedValues::Runs) => (false, true),
            Some(OfferedValues::RunsAndSessions) => (true, true),
            _ => (false, false),
        };
        let place = format!("{} {}", command.get_name(), arg.get_id());
        assert_eq!(source, (takes_session, takes_run), "{place}");
        sessions += usize::from(takes_session);
        runs += usize::from(takes_run);
    });
    assert!(sessions >= 6, "{sessions}");
    assert!(runs >= 8, "{runs}");
}
