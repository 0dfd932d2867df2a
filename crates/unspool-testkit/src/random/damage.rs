//! Damages the lines of a file like crashes, full disks and other programs do.

use super::RandomShape;
use crate::ids::uuid;
use crate::rng::Rng;

/// Lines that are not a JSON object.
const NON_OBJECTS: [&[u8]; 9] = [
    b"null",
    b"[1,2]",
    b"\"text\"",
    b"12",
    b"{",
    b"}{",
    b"not json at all",
    b"{\"type\":\"user\"} trailing",
    b"{\"type\":user}",
];

/// Lines without content.
const BLANKS: [&[u8]; 4] = [b"", b" ", b"\t ", b"\r"];

/// Joins lines to a file, with damage at the rates of a shape.
pub(super) fn file(mut rng: Rng, shape: &RandomShape, mut lines: Vec<Vec<u8>>) -> Vec<u8> {
    shuffle(&mut rng, shape, &mut lines);
    let mut out = Vec::new();
    for mut line in lines {
        if rng.chance(shape.blank) {
            out.extend_from_slice(rng.pick(&BLANKS));
            out.push(b'\n');
        }
        if rng.chance(shape.non_objects) {
            out.extend_from_slice(rng.pick(&NON_OBJECTS));
            out.push(b'\n');
        }
        spoil(&mut rng, shape, &mut line);
        out.extend_from_slice(&line);
        if !rng.chance(shape.glued) {
            out.push(b'\n');
        }
    }
    if rng.chance(shape.no_final_newline) && out.last() == Some(&b'\n') {
        out.pop();
    }
    out
}

fn shuffle(rng: &mut Rng, shape: &RandomShape, lines: &mut [Vec<u8>]) {
    for index in 0..lines.len() {
        if rng.chance(shape.shuffled) {
            let other = rng.below(lines.len());
            lines.swap(index, other);
        }
    }
}

fn spoil(rng: &mut Rng, shape: &RandomShape, line: &mut Vec<u8>) {
    if rng.chance(shape.duplicate_keys) && line.starts_with(b"{\"") {
        let first = match rng.below(4) {
            0 => format!(r#""uuid":"{}","#, uuid("twin")),
            1 => r#""type":"assistant","#.to_owned(),
            2 => r#""message":null,"#.to_owned(),
            _ => format!(r#""parentUuid":"{}","#, uuid("n0")),
        };
        line.splice(1..1, first.into_bytes());
    }
    if rng.chance(shape.invalid_utf8) {
        let at = rng.below(line.len() + 1);
        let bytes = rng.pick(&[b"\xff".as_slice(), b"\xc3", b"\xed\xa0\xbd", b"\xf0\x9f"]);
        line.splice(at..at, bytes.iter().copied());
    }
    if rng.chance(shape.torn) {
        line.truncate(rng.below(line.len() + 1));
    }
}
