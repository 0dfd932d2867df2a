//! Values encoded with a checksum, so that damage is detected.

use std::hash::BuildHasher as _;

use foldhash::quality::FixedState;
use postcard::ser_flavors::Flavor;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The size of a checksum in bytes.
const SUM: usize = 4;

/// The error for a stored value that cannot be decoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("what was kept is damaged")]
pub struct Damaged;

/// Encodes a value with its checksum.
pub(super) fn seal<T: Serialize>(value: &T) -> Vec<u8> {
    seal_bytes(|bytes| {
        // Writing into memory cannot fail, and the format supports the shapes of all values.
        let _ = postcard::serialize_with_flavor(value, Growing(bytes));
    })
}

/// A buffer that a value is appended to.
struct Growing<'b>(&'b mut Vec<u8>);

impl Flavor for Growing<'_> {
    type Output = ();

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}

/// Encodes the bytes that `body` appends, with their checksum.
pub(super) fn seal_bytes(body: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = vec![0; SUM];
    body(&mut bytes);
    let sum = checksum(bytes.get(SUM..).unwrap_or_default());
    if let Some(place) = bytes.get_mut(..SUM) {
        place.copy_from_slice(&sum);
    }
    bytes
}

/// Decodes a sealed value.
pub(super) fn open<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Damaged> {
    #[cfg(test)]
    OPENED.set(OPENED.get() + 1);
    postcard::from_bytes(open_bytes(bytes)?).map_err(|_| Damaged)
}

/// Checks sealed bytes and returns them without the checksum.
pub(super) fn open_bytes(bytes: &[u8]) -> Result<&[u8], Damaged> {
    let (sum, body) = bytes.split_at_checked(SUM).ok_or(Damaged)?;
    if sum == checksum(body) { Ok(body) } else { Err(Damaged) }
}

#[cfg(test)]
thread_local! {
    static OPENED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts the values that this thread has decoded, for tests of what is not read.
#[cfg(test)]
pub(super) fn opened() -> usize {
    OPENED.get()
}

fn checksum(body: &[u8]) -> [u8; SUM] {
    (FixedState::default().hash_one(body) as u32).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_comes_back_and_a_damaged_one_does_not() {
        let value = (7u64, "seven".to_owned(), vec![Some(1u8), None]);
        let bytes = seal(&value);
        assert_eq!(open(&bytes), Ok(value));
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            let read: Result<(u64, String, Vec<Option<u8>>), _> = open(&damaged);
            assert_eq!(read, Err(Damaged), "byte {at}");
        }
        assert_eq!(open::<()>(b"abc"), Err(Damaged));
    }
}
