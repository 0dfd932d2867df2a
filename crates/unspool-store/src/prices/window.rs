//! The context windows of models, by their names in logs.
//!
//! Recorded on 2026-11-16 from the vendor's pages on its models and on context windows
//! (<https://platform.claude.com/docs/en/build-with-claude/context-windows>) and from what Claude
//! Code offers. A log does not say in which window an answer was given: the `[1m]` that asks for
//! the larger of two windows is lost on the way to the log. For models with two windows both sizes
//! are listed here, and the caller decides by the tokens that it sees. A model that is not listed
//! has no window here.

use super::model_name::{self, Family, Model};

/// The context windows of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ContextWindow {
    /// The only window.
    One(u64),
    /// The larger of two windows, which the name in the log asks for.
    Named(u64),
    /// Two windows, if the log does not say which one was used.
    Either {
        /// The default window.
        usual: u64,
        /// The window that has to be asked for.
        large: u64,
    },
}

impl ContextWindow {
    /// Returns the size of the window that contains a number of tokens: more than the usual window
    /// has are in the large one.
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

/// Returns the context window of a model; `None` if it is not listed.
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
