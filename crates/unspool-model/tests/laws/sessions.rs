//! Generators of sessions for the laws, and the number of cases.

use std::fmt;
use std::ops::Deref;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use unspool_testkit::random::{self, RandomShape};

/// Returns a configuration with about `cases` cases.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    let usual = ProptestConfig::default();
    let seed = match usual.rng_seed {
        RngSeed::Random => RngSeed::Fixed(0x0075_6e73_706f_6f6c),
        chosen @ RngSeed::Fixed(_) => chosen,
    };
    ProptestConfig {
        cases: (u64::from(cases) * u64::from(usual.cases) / 256).max(1) as u32,
        rng_seed: seed,
        // A failing seed becomes a test, not a line in a file.
        failure_persistence: None,
        ..usual
    }
}

/// Bytes of a file, shown readably in the message of a failing test.
#[derive(Clone)]
pub(crate) struct Sample(pub(crate) Vec<u8>);

impl Deref for Sample {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{}\n{:?}", String::from_utf8_lossy(&self.0), self.0.escape_ascii().to_string())
    }
}

/// Generates the bytes of a session of any shape, damaged or not.
pub(crate) fn any_session(most_entries: usize) -> impl Strategy<Value = Sample> {
    (any::<u64>(), 0..=most_entries)
        .prop_map(|(seed, entries)| Sample(random::session(seed, &RandomShape::any(seed, entries))))
}

/// Generates the bytes of a session of one shape; `shape` takes the number of entries.
pub(crate) fn session_of(
    shape: impl Fn(usize) -> RandomShape,
    most_entries: usize,
) -> impl Strategy<Value = Sample> {
    (any::<u64>(), 0..=most_entries)
        .prop_map(move |(seed, entries)| Sample(random::session(seed, &shape(entries))))
}

/// Generates bytes that are not a log, but use the characters of one.
pub(crate) fn any_bytes(most: usize) -> impl Strategy<Value = Sample> {
    let token = prop_oneof![
        4 => prop::sample::select(TOKENS).prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop::collection::vec(token, 0..most).prop_map(|tokens| Sample(tokens.concat()))
}

/// Tokens that may form something like a log by chance.
const TOKENS: &[&[u8]] = &[
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b"\"",
    b"\\",
    b"\n",
    b"\r\n",
    b" ",
    b"\x0c",
    b"{\"type\":\"user\",\"uuid\":\"a\"}",
    b"{\"type\":\"user\",\"uuid\":\"b\",\"parentUuid\":\"a\",\"message\":\"hi\"}\n",
    b"{\"type\":\"assistant\",\"uuid\":\"c\",\"parentUuid\":\"b\",\"message\":{\"id\":\"m\",\"content\":[",
    b"\"type\":",
    b"\"uuid\":",
    b"\"parentUuid\":",
    b"\"message\":",
    b"\"content\":",
    b"\"a\"",
    b"\"b\"",
    b"\"user\"",
    b"\"assistant\"",
    b"\"system\"",
    b"null",
    b"true",
    b"12",
    b"-1.5e3",
    b"\\ud83d",
    b"\xff",
];
