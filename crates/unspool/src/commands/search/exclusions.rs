//! Excluded words of a search, which look like options.

use std::ffi::OsString;

use crate::args::first_word;

/// Moves the excluded words of a search after a `--`, so that they are not parsed as options: `-test` is a
/// word, `-n5` is not.
pub(crate) fn move_exclusions_after_dashes(
    args: impl IntoIterator<Item = OsString>,
) -> Vec<OsString> {
    let mut args: Vec<OsString> = args.into_iter().collect();
    let Some(first) = after_name(&args) else {
        return args;
    };
    let end = args[first..].iter().position(|arg| arg == "--");
    let end = end.map_or(args.len(), |at| first + at);
    let (words, others): (Vec<_>, Vec<_>) = args.drain(first..end).partition(is_excluded_word);
    args.splice(first..first, others);
    if !words.is_empty() {
        if end == args.len() + words.len() {
            args.push("--".into());
        }
        args.extend(words);
    }
    args
}

/// Returns the position of the arguments of a search; `None` for another command.
fn after_name(args: &[OsString]) -> Option<usize> {
    let at = first_word(args)?;
    (args[at] == "search").then_some(at + 1)
}

fn is_excluded_word(arg: &OsString) -> bool {
    let Some(word) = arg.to_str().and_then(|arg| arg.strip_prefix('-')) else {
        return false;
    };
    if word.starts_with('-') || word.len() < 2 {
        return false;
    }
    // `-i` and `-ih` are switches, `-n5` and `-iC=2` options with a value; anything else is a word.
    let switches = word.trim_start_matches(['i', 'h']);
    let valued = switches.strip_prefix(['n', 'C']);
    let is_number = |value: &str| value.trim_start_matches('=').bytes().all(|b| b.is_ascii_digit());
    !switches.is_empty() && !valued.is_some_and(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excluded_words_are_no_options() {
        let moved = |typed: &str| {
            let args = move_exclusions_after_dashes(typed.split(' ').map(OsString::from));
            let args: Vec<_> = args.iter().map(|arg| arg.to_string_lossy()).collect();
            args.join(" ")
        };
        for (typed, expected) in [
            ("u search parse -test role:user", "u search parse role:user -- -test"),
            ("u --home search search -notthere x", "u --home search search x -- -notthere"),
            ("u search x -n5 -n 7 -C=2 -i -in3 --json", "u search x -n5 -n 7 -C=2 -i -in3 --json"),
            ("u search x -project:app -- --no-verify", "u search x -- --no-verify -project:app"),
            ("u search -- -test", "u search -- -test"),
            ("u list -test", "u list -test"),
            ("u", "u"),
        ] {
            assert_eq!(moved(typed), expected);
        }
    }
}
