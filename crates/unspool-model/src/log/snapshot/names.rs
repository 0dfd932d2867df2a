//! Encodes the strings of a log. Most are uuids, which take 16 bytes instead of 36.

use super::codec::{SnapshotReader, SnapshotWriter, with_room};
use super::{Result, SnapshotError};
use crate::symbols::Symbols;

/// Written in place of a length for a uuid of 16 bytes; lengths are written plus one.
const UUID: u64 = 0;

/// Offsets in the text of a uuid of the digits of each byte.
const DIGITS: [usize; 16] = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

pub(super) fn write(writer: &mut SnapshotWriter, symbols: &Symbols, count: usize) {
    writer.count(count);
    writer.count(symbols.texts().take(count).map(str::len).sum());
    for text in symbols.texts().take(count) {
        if let Some(uuid) = packed(text) {
            writer.number(UUID);
            writer.bytes(&uuid);
        } else {
            writer.number(text.len() as u64 + 1);
            writer.bytes(text.as_bytes());
        }
    }
}

pub(super) fn read(reader: &mut SnapshotReader<'_>) -> Result<Symbols> {
    let count = reader.count()?;
    let length = usize::try_from(reader.number()?).map_err(|_| SnapshotError::Damaged)?;
    // A text is as long as its bytes here, and 17 bytes of a uuid become 36.
    if length > reader.left().saturating_mul(3) {
        return Err(SnapshotError::Damaged);
    }
    let mut text = Vec::with_capacity(with_room(length));
    let mut ends = Vec::with_capacity(with_room(count));
    for _ in 0..count {
        match reader.number()? {
            UUID => text.extend_from_slice(&unpacked(reader.chunk()?)),
            length => {
                let length = usize::try_from(length - 1).map_err(|_| SnapshotError::Damaged)?;
                text.extend_from_slice(reader.bytes(length)?);
            }
        }
        ends.push(text.len() as u64);
    }
    let text = String::from_utf8(text).map_err(|_| SnapshotError::Damaged)?;
    let whole = ends.iter().all(|&end| text.is_char_boundary(end as usize));
    reader.symbols = count;
    whole.then(|| Symbols::restored(text, ends)).ok_or(SnapshotError::Damaged)
}

/// The value of each character as a digit; [`NO_DIGIT`] for characters that the client does not use.
const VALUES: [u8; 256] = {
    let mut values = [NO_DIGIT; 256];
    let mut value = 0;
    while value < 16 {
        values[HEX[value] as usize] = value as u8;
        value += 1;
    }
    values
};
const NO_DIGIT: u8 = 0xff;
const HEX: &[u8; 16] = b"0123456789abcdef";

/// Returns the bytes of a uuid that is written as the client writes it.
///
/// Digits are looked up in a table, because branches on the kind of a digit are unpredictable.
fn packed(text: &str) -> Option<[u8; 16]> {
    let text: &[u8; 36] = text.as_bytes().try_into().ok()?;
    if [text[8], text[13], text[18], text[23]] != *b"----" {
        return None;
    }
    let (mut uuid, mut all) = ([0; 16], 0);
    for (byte, at) in uuid.iter_mut().zip(DIGITS) {
        let high = VALUES[usize::from(text[at])];
        let low = VALUES[usize::from(text[at + 1])];
        all |= high | low;
        *byte = high << 4 | low;
    }
    (all < 16).then_some(uuid)
}

fn unpacked(uuid: &[u8; 16]) -> [u8; 36] {
    let mut text = [b'-'; 36];
    for (byte, at) in uuid.iter().zip(DIGITS) {
        text[at] = HEX[usize::from(byte >> 4)];
        text[at + 1] = HEX[usize::from(byte & 15)];
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_comes_back_the_same_is_packed() {
        for (text, expected) in [
            ("550e8400-e29b-41d4-a716-446655440000", true),
            ("00000000-0000-0000-0000-000000000000", true),
            ("550E8400-E29B-41D4-A716-446655440000", false),
            ("550e8400-e29b-41d4-a716-44665544000g", false),
            ("550e8400ee29b-41d4-a716-446655440000", false),
            ("agent-abc", false),
            ("", false),
        ] {
            let uuid = packed(text);
            assert_eq!(uuid.is_some(), expected, "{text}");
            if let Some(uuid) = uuid {
                assert_eq!(unpacked(&uuid), text.as_bytes());
            }
        }
    }
}
