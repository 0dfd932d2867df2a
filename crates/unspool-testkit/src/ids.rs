//! The uuids of names in the notation: one mapping, the same in every run and on every machine.

use crate::rng::Rng;

/// The uuid that a rewind writes as the leaf of its `last-prompt` line.
pub const ZERO_UUID: &str = "00000000-0000-0000-0000-000000000000";

/// Returns the uuid of a name in the notation. A name that is a uuid is returned unchanged.
pub fn uuid(name: &str) -> String {
    if is_uuid(name) {
        return name.to_owned();
    }
    let mut rng = Rng::new(fnv1a(name.as_bytes()));
    let text = format_uuid(rng.next_u64(), rng.next_u64());
    String::from_utf8_lossy(&text).into_owned()
}

/// Formats 128 bits as a version 4 uuid.
pub(crate) fn format_uuid(high: u64, low: u64) -> [u8; 36] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let high = (high & !0xf000) | 0x4000;
    let low = (low & !(0b11 << 62)) | (0b10 << 62);
    let bits = (u128::from(high) << 64) | u128::from(low);
    let mut text = [b'-'; 36];
    let mut shift = 128;
    for (index, byte) in text.iter_mut().enumerate() {
        if !matches!(index, 8 | 13 | 18 | 23) {
            shift -= 4;
            *byte = DIGITS[(bits >> shift & 0xf) as usize];
        }
    }
    text
}

/// Tells whether a text has the form of a uuid.
pub(crate) fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Returns the 64-bit FNV-1a hash of some bytes.
pub(crate) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_map_to_distinct_stable_uuids() {
        assert_eq!(uuid("a1"), uuid("a1"));
        assert_ne!(uuid("a1"), uuid("a2"));
        let text = uuid("a1");
        assert!(is_uuid(&text), "{text}");
        assert_eq!(text.as_bytes()[14], b'4');
        assert!(matches!(text.as_bytes()[19], b'8' | b'9' | b'a' | b'b'));
    }

    #[test]
    fn a_uuid_represents_itself() {
        assert_eq!(uuid(ZERO_UUID), ZERO_UUID);
    }
}
