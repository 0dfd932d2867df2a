//! Whole lines at the end of a file.

use std::io;
use std::path::Path;

use super::OpenFile;

/// Reads the whole lines within the last `most` bytes of a file; nothing if its last line is
/// longer.
pub fn last_lines(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let (file, stamp) = OpenFile::open_with_stamp(path)?;
    let start = stamp.bytes.saturating_sub(most);
    let mut bytes = file.part(start, most)?;
    if start > 0 {
        let cut = memchr::memchr(b'\n', &bytes).map_or(bytes.len(), |newline| newline + 1);
        bytes.drain(..cut);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_end_of_a_file_begins_with_a_whole_line() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("log.jsonl");
        fs::write(&path, "first line\nsecond\n").expect("written");
        let end = |most: u64| last_lines(&path, most).expect("read");
        assert_eq!(end(1000), b"first line\nsecond\n");
        assert_eq!(end(18), b"first line\nsecond\n");
        assert_eq!(end(12), b"second\n");
        assert_eq!(end(7), b"", "the first line may be cut");
        assert_eq!(end(3), b"");
    }
}
