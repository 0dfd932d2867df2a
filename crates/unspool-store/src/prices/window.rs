//! How many tokens a model takes at once, by the name that a log gives it.
//!
//! Noted on 2026-11-16 from the vendor's pages on its models and on context windows
//! (<https://platform.claude.com/docs/en/build-with-claude/context-windows>) and from what Claude
//! Code offers. A log does not say which window an answer was given in: models that were offered
//! with two lose the `[1m]` that asks for the larger one on the way to the log. Of those both
//! sizes are named here, and the caller decides by what it sees. A model that is not listed has
//! no window here.

use super::model_name::{self, Family, Model};

/// The windows that a model was offered with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ContextWindow {
    /// It has one.
    One(u64),
    /// The name in the log asks for the larger one of two.
    Named(u64),
    /// It has two, and the log does not say which was asked for.
    Either {
        /// The usual one.
        usual: u64,
        /// The one that has to be asked for.
        large: u64,
    },
}

impl ContextWindow {
    /// Returns how many tokens fit, given how many there are: what is fuller than the usual window is
    /// in the large one.
    pub fn limit_for(self, tokens: u64) -> u64 {
        match self {
            Self::One(limit) | Self::Named(limit) => limit,
            Self::Either { usual, .. } if tokens <= usual => usual,
            Self::Either { large, .. } => large,
        }
    }
}

const SMALL: u64 = 200_000;
const LARGE: u64 = 1_000_000;

/// Says how many tokens a model takes at once; nothing for a model that is not listed.
pub fn context_window(model: &str) -> Option<ContextWindow> {
    let name = model.to_ascii_lowercase();
    let found = Model::parse(model_name::bare(&name))?;
    if name.ends_with("[1m]") {
        return Some(ContextWindow::Named(LARGE));
    }
    Some(match (found.family, found.version) {
        (Family::Fable | Family::Mythos, (5, 0 | 1))
        | (Family::Opus | Family::Sonnet, (5, 0 | 5))
        | (Family::Haiku, (5, 5)) => ContextWindow::One(LARGE),
        (Family::Opus, (4, 6..=8)) | (Family::Sonnet, (4, 0 | 5 | 6)) => {
            ContextWindow::Either { usual: SMALL, large: LARGE }
        }
        (Family::Opus, (3, 0) | (4, 0 | 1 | 5))
        | (Family::Sonnet, (3, 0 | 5 | 7))
        | (Family::Haiku, (3, 0 | 5) | (4, 5)) => ContextWindow::One(SMALL),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_that_is_fuller_than_the_usual_window_is_in_the_large_one() {
        let either = ContextWindow::Either { usual: SMALL, large: LARGE };
        assert_eq!(either.limit_for(SMALL), SMALL);
        assert_eq!(either.limit_for(SMALL + 1), LARGE);
        assert_eq!(ContextWindow::One(SMALL).limit_for(LARGE), SMALL);
    }

    #[test]
    fn a_window_is_known_by_the_name_or_not_at_all() {
        let either = ContextWindow::Either { usual: SMALL, large: LARGE };
        for (name, expected) in [
            ("claude-opus-5-5", Some(ContextWindow::One(LARGE))),
            ("claude-haiku-4-5-20251001", Some(ContextWindow::One(SMALL))),
            ("claude-sonnet-4-5-20250929", Some(either)),
            ("claude-sonnet-4-5-20250929[1m]", Some(ContextWindow::Named(LARGE))),
            ("us.anthropic.claude-opus-4-6-v1", Some(either)),
            ("claude-opus-9", None),
            ("gpt-5[1m]", None),
            ("<synthetic>", None),
            ("", None),
        ] {
            assert_eq!(context_window(name), expected, "{name}");
        }
    }
}
