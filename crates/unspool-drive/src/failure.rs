//! Causes of failed runs and turns, as far as a person can do something about them.
//!
//! Messages of the client and the system are matched to a few causes, each with advice. A message that
//! matches none has no cause and is shown unchanged.

use unspool_model::time::Time;

use crate::state::FailureCause;

/// Parts of messages in lower case, with the cause that they indicate. The first match counts, so messages
/// about logins come before the status codes of the API.
const WORDS: [(FailureCause, &[&str]); 5] = [
    (FailureCause::NotInstalled, &["no such file or directory (os error 2)"]),
    (
        FailureCause::NotLoggedIn,
        &[
            "/login",
            "not logged in",
            "invalid api key",
            "oauth token",
            "authentication_error",
            "authentication failed",
        ],
    ),
    (FailureCause::NoCredit, &["credit balance", "billing_error"]),
    (
        FailureCause::Limit,
        &[
            "rate limit",
            "rate_limit",
            "usage limit",
            "hit your limit",
            "limit reached",
            "api error: 429",
        ],
    ),
    (FailureCause::Overloaded, &["overloaded", "api error: 529", "api error: 503"]),
];

impl FailureCause {
    /// Returns the cause that a message of the client or the system indicates.
    pub fn of(words: &str) -> Option<Self> {
        let words = words.to_lowercase();
        let fits = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
        let found = WORDS.iter().find(|(_, parts)| fits(parts));
        found.map(|(cause, _)| *cause)
    }

    /// Returns what is missing, as a sentence.
    pub fn title(self) -> &'static str {
        match self {
            Self::NotInstalled => "Claude Code cannot be found",
            Self::NotLoggedIn => "Claude Code is not logged in",
            Self::NoCredit => "The account has no credit left",
            Self::Limit => "A limit of the account is reached",
            Self::Overloaded => "The API has too much to do",
        }
    }

    /// Tells whether queued prompts would fail for the same reason and must wait. If the client itself
    /// reports a missing file, the client is installed, so that cause does not block the queue.
    pub fn blocks_queue(self) -> bool {
        self != Self::NotInstalled
    }

    /// Returns why queued prompts wait, and how they are released.
    pub fn hold_reason(self) -> String {
        let title = self.title();
        format!(
            "{title}: queued prompts wait until a prompt is answered, or until a person lets them go on"
        )
    }

    /// Returns what a person can do.
    pub fn advice(self) -> &'static str {
        match self {
            Self::NotInstalled => {
                "install it (https://code.claude.com/docs), or name the program with UNSPOOL_CLAUDE or \
                 with `client` in the settings"
            }
            Self::NotLoggedIn => {
                "run `claude` in a terminal, type /login, and send the prompt again"
            }
            Self::NoCredit => "add credit to the account, and send the prompt again",
            Self::Limit => "send the prompt again when the limit has been reset",
            Self::Overloaded => "send the prompt again in some minutes",
        }
    }
}

/// Finds the time at which a limit is reset: some releases of the client append it in seconds after a `|`.
pub fn reset_time(words: &str) -> Option<Time> {
    let (_, after) = words.rsplit_once('|')?;
    let digits: String = after.trim().chars().take_while(char::is_ascii_digit).collect();
    let seconds: i64 = digits.parse().ok()?;
    // A number that is not a time of this century has another meaning.
    let is_date = (1_000_000_000..4_102_444_800).contains(&seconds);
    is_date.then(|| Time::from_millis(seconds * 1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_found_in_what_clients_say() {
        for (words, cause) in [
            ("claude: No such file or directory (os error 2)", Some(FailureCause::NotInstalled)),
            ("Not logged in · Please run /login", Some(FailureCause::NotLoggedIn)),
            ("Invalid API key · Fix external API key", Some(FailureCause::NotLoggedIn)),
            (
                "API Error: 401 {\"type\":\"error\",\"error\":{\"type\":\"authentication_error\"}}",
                Some(FailureCause::NotLoggedIn),
            ),
            ("Credit balance is too low", Some(FailureCause::NoCredit)),
            ("API Error: 429 rate limited", Some(FailureCause::Limit)),
            ("Claude AI usage limit reached|1900000000", Some(FailureCause::Limit)),
            ("You've hit your limit · resets 3pm (UTC)", Some(FailureCause::Limit)),
            (
                "API Error: 529 {\"error\":{\"type\":\"overloaded_error\"}}",
                Some(FailureCause::Overloaded),
            ),
            ("the file has 429 lines", None),
            ("", None),
        ] {
            assert_eq!(FailureCause::of(words), cause, "{words}");
        }
    }

    #[test]
    fn the_time_of_a_reset_is_read_if_it_is_there() {
        let time = reset_time("Claude AI usage limit reached|1900000000");
        assert_eq!(time, Some(Time::from_millis(1_900_000_000_000)));
        assert_eq!(reset_time("a|b"), None);
        assert_eq!(reset_time("ls | wc | 12"), None);
    }
}
