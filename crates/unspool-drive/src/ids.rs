//! Ids of runs, prompts, approvals and requests.
//!
//! Callers make uuids. A text that is not a uuid is refused, because ids become file names and arguments of
//! the client.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use unspool_model::ids::is_uuid;

/// A text that is not a valid id.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{text}` is not the id of {kind}; it should be a uuid")]
pub struct WrongDriveId {
    text: String,
    kind: &'static str,
}

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident, $kind:literal) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(Box<str>);

        impl $name {
            /// Parses a uuid in lower or upper case.
            pub fn parse(text: &str) -> Result<Self, WrongDriveId> {
                if is_uuid(text) {
                    Ok(Self(text.to_ascii_lowercase().into()))
                } else {
                    let text = text.chars().take(60).collect();
                    Err(WrongDriveId { text, kind: $kind })
                }
            }

            /// Returns a random id.
            pub fn random() -> Self {
                Self(random_uuid().into())
            }

            /// Returns the text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = WrongDriveId;

            fn try_from(text: String) -> Result<Self, WrongDriveId> {
                Self::parse(&text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0.into()
            }
        }
    };
}

uuid_id!(
    /// The id of a run: one client process with its host.
    RunId,
    "a run"
);
uuid_id!(
    /// The id of a prompt. The client gets it as the uuid of the message, and runs a uuid only once.
    PromptId,
    "a prompt"
);
uuid_id!(
    /// The id of a request that changes something: repeating the request has no further effect.
    ActionId,
    "a request"
);

/// The id of an approval, opaque to callers. It is not the client's own request id, because two clients may
/// choose the same one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ApprovalId(Box<str>);

impl ApprovalId {
    /// Wraps a text without checking it; a text that is not an id matches no approval.
    pub fn new(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
    }

    /// Returns the id for a request of a run's client. It is the same each time.
    pub fn of(run: &RunId, request: &str) -> Self {
        let digest = digest(&[run.as_str(), request]);
        Self(format!("a{}", &digest[..24]).into())
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ApprovalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns the SHA-256 hash of some texts in hexadecimal.
pub(crate) fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    hex(&hash.finalize())
}

/// Formats bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| DIGITS[usize::from(nibble)] as char;
    let pairs = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    pairs.map(digit).collect()
}

/// Returns a random uuid.
pub(crate) fn random_uuid() -> String {
    let mut bytes = [0; 16];
    // If the system has no random numbers, the id is all zeros, and a second one counts as a repetition.
    let _ = getrandom::fill(&mut bytes);
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let text = hex(&bytes);
    let parts = [&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]];
    parts.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_uuids_and_nothing_that_could_be_a_path_or_a_flag() {
        for text in ["", "../x", "--resume", "550e8400e29b41d4a716446655440000", "a/b"] {
            assert!(RunId::parse(text).is_err(), "{text}");
            let json = serde_json::to_string(text).expect("json");
            assert!(serde_json::from_str::<PromptId>(&json).is_err(), "{text}");
        }
        let id = RunId::parse("550E8400-E29B-41D4-A716-446655440000").expect("a uuid");
        assert_eq!(id.as_str(), "550e8400-e29b-41d4-a716-446655440000");
        let random = RunId::random();
        assert_eq!(RunId::parse(random.as_str()), Ok(random.clone()));
        assert_ne!(random, RunId::random());
    }

    #[test]
    fn a_request_keeps_its_name_and_two_runs_do_not_share_one() {
        let (one, two) = (RunId::random(), RunId::random());
        assert_eq!(ApprovalId::of(&one, "r1"), ApprovalId::of(&one, "r1"));
        assert_ne!(ApprovalId::of(&one, "r1"), ApprovalId::of(&two, "r1"));
    }
}
