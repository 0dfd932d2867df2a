//! Totals do not depend on where and how often a claim occurs.

use std::collections::BTreeMap;

use proptest::prelude::*;
use unspool_model::log::Log;
use unspool_model::usage::{Claim, Ledger, ModelAt, Tokens};
use unspool_testkit::random::{self, RandomShape};

use crate::sessions::cases;

/// A claim that owns its texts.
type Row = (&'static str, Option<&'static str>, &'static str, Tokens);

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let count = || prop_oneof![4 => 0..4u64, 1 => Just(u64::MAX), 1 => any::<u64>()];
    let tokens = (count(), count(), count(), count(), count()).prop_map(
        |(input, output, cache_write_5m, cache_write_1h, cache_read)| Tokens {
            input,
            output,
            cache_write_5m,
            cache_write_1h,
            cache_read,
        },
    );
    let row = (
        prop::sample::select(vec!["m1", "m2", "m3"]),
        prop::option::of(prop::sample::select(vec!["r1", "r2", "r3"])),
        prop::sample::select(vec!["opus", "sonnet", ""]),
        tokens,
    );
    prop::collection::vec(row, 0..20)
}

/// Returns the total of all rows, and the total of each model.
fn totals<'r>(rows: impl IntoIterator<Item = &'r Row>) -> (Tokens, BTreeMap<String, Tokens>) {
    let mut ledger = Ledger::default();
    for &(message, request, model, tokens) in rows {
        ledger.add(&Claim { message, request, model: (model, None), tokens });
    }
    totals_of(&ledger)
}

fn totals_of(ledger: &Ledger<&str, ModelAt<'_>>) -> (Tokens, BTreeMap<String, Tokens>) {
    let mut models: BTreeMap<String, Tokens> = BTreeMap::new();
    for ((model, _), tokens) in ledger.counted() {
        *models.entry(model.to_owned()).or_default() += tokens;
    }
    (ledger.total(), models)
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn totals_do_not_depend_on_the_order_of_claims(
        (rows, shuffled) in rows().prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle())),
    ) {
        prop_assert_eq!(totals(&rows), totals(&shuffled));
    }

    #[test]
    fn totals_do_not_depend_on_copies_of_claims(
        (rows, copies) in rows().prop_flat_map(|rows| {
            let some = prop::sample::subsequence(rows.clone(), 0..=rows.len());
            (Just(rows), some.prop_shuffle())
        }),
    ) {
        prop_assert_eq!(totals(&rows), totals(rows.iter().chain(&copies)));
    }
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn totals_do_not_depend_on_how_lines_are_spread_over_files(
        seed in any::<u64>(),
        places in prop::collection::vec((0..3usize, any::<bool>()), 80),
    ) {
        let shape = RandomShape {
            repeated_messages: 0.1,
            duplicates: 0.1,
            wrong_types: 0.1,
            flat: 0.1,
            ..RandomShape::well_formed(60)
        };
        let whole = random::session(seed, &shape);
        let mut files = vec![Vec::new(); 3];
        for (line, (file, copied)) in whole.split_inclusive(|&b| b == b'\n').zip(places.iter().cycle()) {
            files[*file].extend_from_slice(line);
            if *copied {
                files[(file + 1) % 3].extend_from_slice(line);
            }
        }
        let (whole, files) = (Log::read(&whole), files.iter().map(|file| Log::read(file)));
        let files: Vec<Log> = files.collect();
        let (mut one, mut many) = (Ledger::default(), Ledger::default());
        whole.claim_usage(&mut one);
        for file in &files {
            file.claim_usage(&mut many);
        }
        prop_assert_eq!(totals_of(&one), totals_of(&many));
    }
}
