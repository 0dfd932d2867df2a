//! Reading a file in any number of steps gives the same log as reading it at once.

use proptest::prelude::*;
use proptest::sample::Index;
use unspool_model::log::Log;

use crate::portrait::{difference, portrait};
use crate::sessions::{any_bytes, any_session, cases};
use crate::steps::read_in_steps;

/// Asserts that reading `bytes` with a stop at each of `cuts` makes no difference.
#[track_caller]
pub(crate) fn assert_steps_do_not_matter(bytes: &[u8], cuts: &[usize]) {
    let at_once = portrait(&Log::read(bytes));
    let in_steps = portrait(&read_in_steps(bytes, cuts));
    if let Some(difference) = difference(&at_once, &in_steps) {
        panic!("cut at {cuts:?}:\n{difference}\n{}", bytes.escape_ascii());
    }
}

fn offsets(cuts: &[Index], bytes: &[u8]) -> Vec<usize> {
    cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect()
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn steps_do_not_matter(
        bytes in any_session(50),
        cuts in prop::collection::vec(any::<Index>(), 0..8),
    ) {
        assert_steps_do_not_matter(&bytes, &offsets(&cuts, &bytes));
    }

    #[test]
    fn steps_do_not_matter_for_any_bytes(
        bytes in any_bytes(30),
        cuts in prop::collection::vec(any::<Index>(), 0..8),
    ) {
        assert_steps_do_not_matter(&bytes, &offsets(&cuts, &bytes));
    }
}

#[test]
fn a_file_may_come_byte_by_byte() {
    use unspool_testkit::random::{RandomShape, session};
    for seed in 0..4 {
        let bytes = session(seed, &RandomShape::wild(8));
        let every: Vec<usize> = (0..bytes.len()).collect();
        assert_steps_do_not_matter(&bytes, &every);
    }
}
