//! Arguments of `cargo xtask fuzz`.

use anyhow::{Result, bail, ensure};

use crate::args::{is_help, number};

/// How long a target runs if nothing is said.
const DEFAULT_SECONDS: u64 = 60;

/// What the command line asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FuzzRequest {
    /// Print the help text.
    Help,
    /// Run one target, or all of them.
    Run {
        /// The one target.
        target: Option<String>,
        /// When to stop each target.
        limits: Limits,
    },
}

/// When a target stops; whichever comes first.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limits {
    /// After this many seconds.
    seconds: Option<u64>,
    /// After this many executions.
    runs: Option<u64>,
}

impl Limits {
    /// The flags libFuzzer understands. One limit is always among them.
    pub(super) fn to_flags(self) -> Vec<String> {
        let seconds = match self {
            Self {
                seconds: None,
                runs: None,
            } => Some(DEFAULT_SECONDS),
            _ => self.seconds,
        };
        let mut flags = vec![
            "-print_final_stats=1".to_owned(),
            "-dict=fuzz/log.dict".to_owned(),
        ];
        flags.extend(seconds.map(|n| format!("-max_total_time={n}")));
        flags.extend(self.runs.map(|n| format!("-runs={n}")));
        flags
    }
}

/// Reads `[TARGET] [--seconds N] [--runs N]` in any order.
pub(super) fn parse(words: &[String]) -> Result<FuzzRequest> {
    let mut target = None;
    let mut limits = Limits::default();
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        if is_help(word) {
            return Ok(FuzzRequest::Help);
        }
        let (flag, attached) = match word.split_once('=') {
            Some((flag, value)) => (flag, Some(value)),
            None => (word, None),
        };
        let limit = match flag {
            "--seconds" => &mut limits.seconds,
            "--runs" => &mut limits.runs,
            _ if word.starts_with('-') => bail!("`cargo xtask fuzz` has no option `{word}`"),
            _ => {
                ensure!(target.is_none(), "more than one fuzz target: `{word}`");
                target = Some(word.to_owned());
                continue;
            }
        };
        *limit = Some(number(flag, attached.or_else(|| words.next()))?);
    }
    Ok(FuzzRequest::Run { target, limits })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &str) {
        let words: Vec<String> = line.split_whitespace().map(String::from).collect();
        let actual = match parse(&words) {
            Ok(FuzzRequest::Help) => "help".to_owned(),
            Ok(FuzzRequest::Run { target, limits }) => {
                let target = target.as_deref().unwrap_or("all");
                format!("{target} {}", limits.to_flags()[2..].join(" "))
            }
            Err(error) => format!("error: {error}"),
        };
        assert_eq!(actual, expected, "{line}");
    }

    #[test]
    fn target_and_limits_in_any_order() {
        check("", "all -max_total_time=60");
        check("line", "line -max_total_time=60");
        check("--seconds 5 line", "line -max_total_time=5");
        check("line --seconds=5", "line -max_total_time=5");
        check("--runs 1000", "all -runs=1000");
        check(
            "--runs=10 line --seconds 2",
            "line -max_total_time=2 -runs=10",
        );
        check("line --help", "help");
    }

    #[test]
    fn wrong_words_are_named() {
        check("--fast", "error: `cargo xtask fuzz` has no option `--fast`");
        check("a b", "error: more than one fuzz target: `b`");
        check("--seconds", "error: --seconds needs a number");
        check(
            "--runs many",
            "error: --runs needs a number above zero, got `many`",
        );
        check(
            "--seconds=0",
            "error: --seconds needs a number above zero, got `0`",
        );
    }
}
