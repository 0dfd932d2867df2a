//! Entity tags of answers, so that a browser fetches only answers that have changed.

use sha2::{Digest as _, Sha256};

use crate::access::hex;

/// An entity tag: the name of a state of an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct EntityTag(String);

impl EntityTag {
    /// Computes the tag from everything that the answer depends on.
    pub(crate) fn of(parts: &[&[u8]]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        // The tag is weak: compression changes the bytes, but not the meaning.
        Self(format!("W/\"{}\"", hex(&hash.finalize()[..12])))
    }

    /// Returns the tag as it is in a header.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether a request has this state already, by its `If-None-Match`.
    pub(crate) fn is_in(&self, header: Option<&str>) -> bool {
        let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
        let mut known = header.unwrap_or_default().split(',').map(opaque);
        known.any(|tag| tag == "*" || tag == opaque(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_known_by_its_tag() {
        let tag = EntityTag::of(&[b"ab", b"c"]);
        assert_ne!(tag, EntityTag::of(&[b"a", b"bc"]));
        let strong = tag.as_str().trim_start_matches("W/").to_owned();
        assert!(tag.is_in(Some(&format!("\"x\", {strong}"))));
        assert!(!tag.is_in(Some("\"x\"")) && !tag.is_in(None));
    }
}
