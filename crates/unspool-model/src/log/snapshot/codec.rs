//! Encodes numbers, texts and symbols as bytes.
//!
//! A number takes seven bits of each byte, the lowest first; a set eighth bit means that more
//! bytes follow. Differences are zigzag-encoded, so that small ones of either sign stay short.
//! A [`SnapshotReader`] checks every number that it returns as a length or a symbol.

use super::{Result, SnapshotError};
use crate::symbols::Symbol;

/// Writes a snapshot from its beginning to its end.
#[derive(Default)]
pub(super) struct SnapshotWriter {
    /// The bytes that were written so far.
    pub(super) out: Vec<u8>,
}

impl SnapshotWriter {
    pub(super) fn byte(&mut self, byte: u8) {
        self.out.push(byte);
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    pub(super) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.out.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.out.push(number as u8);
    }

    /// Writes the number of items that follow.
    pub(super) fn count(&mut self, count: usize) {
        self.number(count as u64);
    }

    /// Writes the difference between two numbers, of either sign.
    pub(super) fn step(&mut self, from: i64, to: i64) {
        let step = to.wrapping_sub(from);
        self.number(((step << 1) ^ (step >> 63)) as u64);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.count(text.len());
        self.bytes(text.as_bytes());
    }

    /// Writes a symbol that may be anywhere in the table.
    pub(super) fn symbol(&mut self, symbol: Symbol) {
        self.count(symbol.index());
    }

    /// Writes a symbol that is probably close to `base`.
    pub(super) fn near(&mut self, base: usize, symbol: Symbol) {
        self.step(base as i64, symbol.index() as i64);
    }

    /// Writes an optional value.
    pub(super) fn maybe<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.byte(u8::from(value.is_some()));
        if let Some(value) = value {
            write(self, value);
        }
    }
}

/// Reads what a [`SnapshotWriter`] wrote.
pub(super) struct SnapshotReader<'a> {
    rest: &'a [u8],
    /// The number of symbols; zero until they are read.
    pub(super) symbols: usize,
}

impl<'a> SnapshotReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, symbols: 0 }
    }

    /// Returns the number of bytes that are left.
    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }

    pub(super) fn flag(&mut self) -> Result<bool> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(SnapshotError::Damaged),
        }
    }

    pub(super) fn byte(&mut self) -> Result<u8> {
        let (&byte, rest) = self.rest.split_first().ok_or(SnapshotError::Damaged)?;
        self.rest = rest;
        Ok(byte)
    }

    pub(super) fn bytes(&mut self, length: usize) -> Result<&'a [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or(SnapshotError::Damaged)?;
        self.rest = rest;
        Ok(bytes)
    }

    pub(super) fn chunk<const N: usize>(&mut self) -> Result<&'a [u8; N]> {
        let (chunk, rest) = self.rest.split_first_chunk().ok_or(SnapshotError::Damaged)?;
        self.rest = rest;
        Ok(chunk)
    }

    #[inline]
    pub(super) fn number(&mut self) -> Result<u64> {
        let first = self.byte()?;
        if first < 0x80 {
            return Ok(u64::from(first));
        }
        self.longer_number(first)
    }

    fn longer_number(&mut self, first: u8) -> Result<u64> {
        let mut number = u64::from(first & 0x7f);
        for shift in (7..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(SnapshotError::Damaged)
    }

    /// Reads a number that fits into 32 bits.
    pub(super) fn small(&mut self) -> Result<u32> {
        self.number()?.try_into().map_err(|_| SnapshotError::Damaged)
    }

    /// Reads the number of items that follow. Each takes at least one byte, so there cannot be
    /// more items than bytes: no memory is reserved for items that do not exist.
    pub(super) fn count(&mut self) -> Result<usize> {
        let count = usize::try_from(self.number()?).map_err(|_| SnapshotError::Damaged)?;
        if count > self.rest.len() {
            return Err(SnapshotError::Damaged);
        }
        Ok(count)
    }

    /// Reads the number of items that follow, and the items.
    pub(super) fn list<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let count = self.count()?;
        // Few rows take less than two bytes; a list of such rows grows while it is read.
        let mut list = Vec::with_capacity(with_room(count.min(self.left() / 2)));
        for _ in 0..count {
            list.push(read(self)?);
        }
        Ok(list)
    }

    /// Reads a number that was written as its difference from another one.
    #[inline]
    pub(super) fn step(&mut self, from: i64) -> Result<i64> {
        let folded = self.number()?;
        let step = (folded >> 1) as i64 ^ -((folded & 1) as i64);
        Ok(from.wrapping_add(step))
    }

    pub(super) fn text(&mut self) -> Result<&'a str> {
        let length = self.count()?;
        std::str::from_utf8(self.bytes(length)?).map_err(|_| SnapshotError::Damaged)
    }

    pub(super) fn symbol(&mut self) -> Result<Symbol> {
        let index = self.number()?;
        self.known(index)
    }

    pub(super) fn near(&mut self, base: usize) -> Result<Symbol> {
        let index = self.step(base as i64)?;
        self.known(index as u64)
    }

    /// Returns the symbol at an index, if there is one.
    fn known(&self, index: u64) -> Result<Symbol> {
        if index < self.symbols as u64 {
            Ok(Symbol::at(index as usize))
        } else {
            Err(SnapshotError::Damaged)
        }
    }

    pub(super) fn maybe<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<Option<T>> {
        match self.byte()? {
            0 => Ok(None),
            1 => read(self).map(Some),
            _ => Err(SnapshotError::Damaged),
        }
    }
}

/// Returns the capacity for `count` items of a log that will grow: a sixteenth more, so that
/// the next line does not cause a copy of everything.
pub(super) fn with_room(count: usize) -> usize {
    count.saturating_add(count / 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let numbers = [0, 1, 127, 128, 16_383, 16_384, u64::MAX >> 1, u64::MAX];
        let steps = [(0, 0), (5, 4), (-1, 70), (i64::MIN, i64::MAX), (9, 9)];
        let mut writer = SnapshotWriter::default();
        for number in numbers {
            writer.number(number);
        }
        for (from, to) in steps {
            writer.step(from, to);
        }
        let mut reader = SnapshotReader::new(&writer.out);
        for number in numbers {
            assert_eq!(reader.number(), Ok(number));
        }
        for (from, to) in steps {
            assert_eq!(reader.step(from), Ok(to));
        }
        assert_eq!(reader.left(), 0);
    }

    #[test]
    fn a_number_without_end_or_beyond_64_bits_is_damage() {
        for bytes in [&[][..], &[0x80], &[0xff; 9], &[0xff; 11]] {
            assert_eq!(
                SnapshotReader::new(bytes).number(),
                Err(SnapshotError::Damaged),
                "{bytes:?}"
            );
        }
    }
}
