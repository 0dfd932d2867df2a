//! A hash of numbers that is the same in every process and on every machine.

/// Hashes numbers; their order counts.
pub(super) fn mix<const N: usize>(parts: [u64; N]) -> u64 {
    parts
        .into_iter()
        .fold(N as u64, |mixed, part| scramble((mixed ^ part).wrapping_add(0x9e37_79b9_7f4a_7c15)))
}

/// Spreads each bit of a number over all bits (the last step of `SplitMix64`).
fn scramble(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
