//! The law: unspool sends what the slow implementation sends.

use std::collections::BTreeSet;

use unspool_testkit::random::resumable::{self, SessionShape};

use crate::oracle;
use crate::sent::resumed;

/// Returns the number of sessions: 1,500, unless `UNSPOOL_SESSIONS` is set.
fn sessions() -> u64 {
    let asked = std::env::var("UNSPOOL_SESSIONS").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(1_500)
}

#[test]
fn what_is_sent_is_what_the_ten_steps_give() {
    for seed in 0..sessions() {
        let turns = 1 + (seed % 9) as usize;
        let session = resumable::session(seed, turns);
        let (mut ours, theirs) = (resumed(&session.log), oracle::resumed(&session.log));
        if theirs.tip.is_none() {
            // The client finds nothing to continue; our history still has an end.
            ours.tip = None;
        }
        assert_eq!(
            ours,
            theirs,
            "seed {seed} with {turns} turns and {:?}\n{}",
            session.shapes,
            String::from_utf8_lossy(&session.log)
        );
    }
}

#[test]
fn every_shape_occurs() {
    let mut seen = BTreeSet::new();
    for seed in 0..400 {
        seen.extend(resumable::session(seed, 1 + (seed % 9) as usize).shapes);
    }
    let missing: Vec<&SessionShape> =
        SessionShape::ALL.iter().filter(|shape| !seen.contains(shape)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
