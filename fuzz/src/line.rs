//! Checks the splitting of lines.

use crate::checks::assert_pieces_are_the_line;

/// Asserts that the pieces of a line, joined, are the line.
pub fn check_line(line: &[u8]) {
    assert_pieces_are_the_line(line);
}
