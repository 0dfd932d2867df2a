//! Parses names of models, however a platform spells them.
//!
//! The name is one from a log; the result is its family and version, if the model is one of
//! Anthropic's. Nothing is guessed: an unknown word makes the name unknown, since a variant may
//! have a price of its own.

/// A family of models.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Family {
    Fable,
    Haiku,
    Mythos,
    Opus,
    Sonnet,
}

impl Family {
    fn find(word: &str) -> Option<Self> {
        Some(match word {
            "fable" => Self::Fable,
            "haiku" => Self::Haiku,
            "mythos" => Self::Mythos,
            "opus" => Self::Opus,
            "sonnet" => Self::Sonnet,
            _ => return None,
        })
    }
}

/// A model by its family and version.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Model {
    pub(super) family: Family,
    pub(super) version: (u8, u8),
}

impl Model {
    /// Parses a bare name, such as `claude-sonnet-4-5` or the older `claude-3-5-sonnet`.
    pub(super) fn parse(bare: &str) -> Option<Self> {
        let words: Vec<&str> = bare.strip_prefix("claude-")?.split(['-', '.']).collect();
        let (family, numbers) = match words.split_first()? {
            (first, numbers) if Family::find(first).is_some() => (*first, numbers),
            _ => words.split_last().map(|(last, numbers)| (*last, numbers))?,
        };
        let version = match numbers {
            [major] => (number(major)?, 0),
            [major, minor] => (number(major)?, number(minor)?),
            _ => return None,
        };
        Some(Self { family: Family::find(family)?, version })
    }
}

/// Parses a part of a version, which has two digits at most.
fn number(word: &str) -> Option<u8> {
    (word.len() <= 2 && is_number(word)).then(|| word.parse().ok()).flatten()
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Removes what platforms add to a lowercase name: the `[1m]` of a long context, Bedrock's
/// `us.anthropic.` and `-v1:0`, Vertex AI's `@20250929`, folders before a `/`, and the date of a
/// snapshot. Names of other vendors lose only the brackets.
pub(super) fn bare(name: &str) -> &str {
    let name = name.split_once('[').map_or(name, |(name, _)| name);
    let Some(start) = name.rfind("claude-") else {
        return name;
    };
    if !name[..start].is_empty() && !name[..start].ends_with(['.', '/', ':']) {
        return name;
    }
    let name = &name[start..];
    let name = cut(name, '@', |rest| matches!(rest, "latest" | "default") || is_date(rest));
    let name = cut(name, ':', is_number);
    let name = cut(name, '-', |rest| rest.strip_prefix('v').is_some_and(is_number));
    cut(name, '-', |rest| rest == "latest" || is_date(rest))
}

/// Cuts off the last part of a name, after `mark`, if it is of a kind.
fn cut(name: &str, mark: char, is_of_kind: impl Fn(&str) -> bool) -> &str {
    match name.rsplit_once(mark) {
        Some((front, rest)) if is_of_kind(rest) => front,
        _ => name,
    }
}

fn is_date(word: &str) -> bool {
    word.len() == 8 && is_number(word)
}

/// Returns whether a name begins with a prefix, without splitting a number: `claude-opus-4-10` does
/// not begin with `claude-opus-4-1`.
pub(super) fn begins(prefix: &str, name: &str) -> bool {
    let digit = |c: char| c.is_ascii_digit();
    name.strip_prefix(prefix)
        .is_some_and(|rest| !(prefix.ends_with(digit) && rest.starts_with(digit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_the_same_model() {
        let sonnet_45 = (Family::Sonnet, (4, 5));
        for (name, expected) in [
            ("claude-sonnet-4-5", sonnet_45),
            ("claude-sonnet-4-5-20250929", sonnet_45),
            ("claude-sonnet-4-5-20250929[1m]", sonnet_45),
            ("claude-sonnet-4-5@20250929", sonnet_45),
            ("claude-sonnet-4.5", sonnet_45),
            ("anthropic/claude-sonnet-4.5", sonnet_45),
            ("anthropic.claude-sonnet-4-5-20250929-v1:0", sonnet_45),
            ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", sonnet_45),
            (
                "arn:aws:bedrock:us-east-1:123456789012:inference-profile/global.anthropic.claude-sonnet-4-5-20250929-v1:0",
                sonnet_45,
            ),
            ("anthropic.claude-opus-4-6-v1", (Family::Opus, (4, 6))),
            ("claude-opus-4-1", (Family::Opus, (4, 1))),
            ("claude-opus-4-20250514", (Family::Opus, (4, 0))),
            ("claude-opus-4-0", (Family::Opus, (4, 0))),
            ("claude-opus-5", (Family::Opus, (5, 0))),
            ("claude-opus-5-5", (Family::Opus, (5, 5))),
            ("claude-3-opus-20240229", (Family::Opus, (3, 0))),
            ("claude-3-5-sonnet-v2@20241022", (Family::Sonnet, (3, 5))),
            ("claude-3-7-sonnet-latest", (Family::Sonnet, (3, 7))),
            ("claude-3-5-haiku@latest", (Family::Haiku, (3, 5))),
            ("claude-fable-5-1", (Family::Fable, (5, 1))),
            ("claude-mythos-5", (Family::Mythos, (5, 0))),
        ] {
            let model = Model::parse(bare(name));
            let expected = Model { family: expected.0, version: expected.1 };
            assert_eq!(model, Some(expected), "{name}");
        }
    }

    #[test]
    fn what_is_not_known_is_not_guessed() {
        for name in [
            "",
            "claude",
            "claude-",
            "claude-opus",
            "claude-4-5",
            "claude-opus-4-5-fast",
            "claude-opus-4-5-1",
            "claude-opus-455",
            "claude-opus-x",
            "claude-instant-1-2",
            "my-claude-opus-4-5",
            "claude-opus-4-5:thinking",
            "opus",
            "gpt-6",
            "<synthetic>",
        ] {
            assert_eq!(Model::parse(bare(name)), None, "{name}");
        }
    }

    #[test]
    fn a_beginning_does_not_split_a_number() {
        for (prefix, name, expected) in [
            ("claude-opus-4-1", "claude-opus-4-1", true),
            ("claude-opus-4-1", "claude-opus-4-1-20250805", true),
            ("claude-opus-4-1", "claude-opus-4-10", false),
            ("claude-opus-", "claude-opus-4", true),
            ("qwen", "qwen3-coder", true),
            ("qwen3", "qwen", false),
        ] {
            assert_eq!(begins(prefix, name), expected, "{prefix} {name}");
        }
    }
}
