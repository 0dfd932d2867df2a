//! Identifiers as newtypes, so that one kind is never passed for another.
//!
//! All of them are opaque strings: real files contain hyphenated uuids, `agent-…` names, eight
//! hex digits and slugs, and later releases may add other forms. Nothing is validated;
//! [`is_uuid`] is the only check that other code needs.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        pub struct $name(Box<str>);

        impl $name {
            /// Wraps a string that is known to be an id of this kind.
            pub fn new(text: impl Into<Box<str>>) -> Self {
                Self(text.into())
            }

            /// Returns the id as it is in the file.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }
    };
}

id!(
    /// The id of a project: the name of its folder under `projects/`.
    ProjectId
);
id!(
    /// The id of a session: the stem of its main log's file name.
    SessionId
);
id!(
    /// The id of a subagent: the part of its file name after `agent-`.
    AgentId
);
id!(
    /// The id of one entry inside a file: its `uuid`.
    EntryId
);

/// Number of characters of an id that are shown to people; commands accept as many.
pub const SHORT_ID: usize = 8;

/// Returns the beginning of an id, as it is shown to people.
pub fn short(id: &str) -> &str {
    id.char_indices().nth(SHORT_ID).map_or(id, |(end, _)| &id[..end])
}

/// Tells whether `text` is a hyphenated uuid, in either case.
pub fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(i, b)| match i {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuids_are_hyphenated_hex_in_either_case() {
        for (text, expected) in [
            ("550e8400-e29b-41d4-a716-446655440000", true),
            ("550E8400-E29B-41D4-A716-446655440000", true),
            ("00000000-0000-0000-0000-000000000000", true),
            ("agent-abc", false),
            ("550e8400e29b41d4a716446655440000", false),
            ("", false),
        ] {
            assert_eq!(is_uuid(text), expected, "{text}");
        }
    }
}
