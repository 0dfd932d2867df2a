use super::*;

/// Returns the costs of a million tokens of each kind, in requests of one kind each.
fn million(table: &PriceTable, model: &str, at: Option<&str>) -> Option<[f64; 5]> {
    // As a thousand short requests, so that no prompt counts as long.
    let part = 1000;
    let kinds = [
        Tokens { input: part, ..Tokens::default() },
        Tokens { output: part, ..Tokens::default() },
        Tokens { cache_write_5m: part, ..Tokens::default() },
        Tokens { cache_write_1h: part, ..Tokens::default() },
        Tokens { cache_read: part, ..Tokens::default() },
    ];
    let at = at.map(|at| Time::parse(at).expect("a time"));
    let costs = kinds.map(|tokens| {
        let cost = table.cost(model, &tokens, at)?;
        Some(std::iter::repeat_n(cost, 1000).sum::<Cost>().usd())
    });
    let costs: Option<Vec<f64>> = costs.into_iter().collect();
    costs?.try_into().ok()
}

fn listed(model: &str, at: Option<&str>) -> Option<[f64; 5]> {
    million(&PriceTable::built_in(), model, at)
}

fn prompt(input: u64, cache_read: u64, output: u64) -> Tokens {
    Tokens { input, output, cache_read, ..Tokens::default() }
}

fn usd(model: &str, tokens: Tokens, at: &str) -> f64 {
    let at = Time::parse(at).expect("a time");
    let cost = PriceTable::built_in().cost(model, &tokens, Some(at));
    cost.expect("a price").usd()
}

#[test]
fn list_prices_by_family_and_version() {
    for (models, expected) in [
        (
            &["claude-3-opus-20240229", "claude-opus-4-20250514", "claude-opus-4-1"][..],
            [15.0, 75.0, 18.75, 30.0, 1.5],
        ),
        (
            &[
                "claude-opus-4-5-20251101",
                "claude-opus-4-6",
                "claude-opus-4-7",
                "claude-opus-4-8",
                "claude-opus-5",
            ],
            [5.0, 25.0, 6.25, 10.0, 0.5],
        ),
        (&["claude-opus-5-5"], [4.0, 20.0, 5.0, 8.0, 0.2]),
        (
            &[
                "claude-3-5-sonnet-20241022",
                "claude-3-7-sonnet-20250219",
                "claude-sonnet-4-20250514",
                "claude-sonnet-4-5-20250929",
                "claude-sonnet-4-6",
            ],
            [3.0, 15.0, 3.75, 6.0, 0.3],
        ),
        (&["claude-sonnet-5"], [2.0, 10.0, 2.5, 4.0, 0.2]),
        (&["claude-sonnet-5-5"], [2.0, 10.0, 2.5, 4.0, 0.1]),
        (&["claude-3-haiku-20240307"], [0.25, 1.25, 0.3, 0.5, 0.03]),
        (&["claude-3-5-haiku-20241022"], [0.8, 4.0, 1.0, 1.6, 0.08]),
        (&["claude-haiku-4-5-20251001"], [1.0, 5.0, 1.25, 2.0, 0.1]),
        (&["claude-haiku-5-5"], [0.1, 0.5, 0.125, 0.2, 0.01]),
        (&["claude-fable-5", "claude-mythos-5"], [10.0, 50.0, 12.5, 20.0, 1.0]),
        (&["claude-fable-5-1", "claude-mythos-5-1"], [10.0, 50.0, 12.5, 20.0, 0.25]),
    ] {
        for model in models {
            assert_eq!(listed(model, None), Some(expected), "{model}");
        }
    }
}

#[test]
fn models_that_are_not_listed_have_no_price() {
    for model in ["claude-opus-9", "claude-sonnet-4-9", "gpt-6", "haiku", "", "<other>"] {
        assert_eq!(listed(model, None), None, "{model}");
    }
}

#[test]
fn synthetic_answers_cost_nothing_and_are_not_unknown() {
    assert_eq!(listed("<synthetic>", None), Some([0.0; 5]));
}

#[test]
fn the_price_is_that_of_the_day() {
    let read = |at| listed("claude-sonnet-5-5", at).expect("a price")[4];
    for (at, expected) in [
        (Some("2026-09-28T12:00:00Z"), 0.2),
        (Some("2026-10-07T23:59:59.999Z"), 0.2),
        (Some("2026-10-08T00:00:00Z"), 0.1),
        (Some("1999-01-01T00:00:00Z"), 0.2),
        (None, 0.1),
    ] {
        assert_eq!(read(at).to_string(), expected.to_string(), "{at:?}");
    }
}

#[test]
fn a_long_prompt_costs_more_in_whole_while_that_was_so() {
    let (before, after) = ("2026-03-12T12:00:00Z", "2026-03-13T00:00:00Z");
    // 100,000 new and 100,000 or 100,001 cached tokens, 10,000 written.
    let (short, long) = (prompt(100_000, 100_000, 10_000), prompt(100_000, 100_001, 10_000));
    for (model, at, tokens, expected) in [
        ("claude-sonnet-4-5[1m]", before, short, 0.48),
        ("claude-sonnet-4-5[1m]", before, long, 0.885_000_6),
        ("claude-sonnet-4-20250514", before, long, 0.885_000_6),
        ("claude-sonnet-4-6", before, long, 0.885_000_6),
        ("claude-sonnet-4-6", after, long, 0.480_000_3),
        ("claude-opus-4-6", before, long, 1.475_001),
        ("claude-opus-4-6", after, long, 0.800_000_5),
        ("claude-opus-4-5", before, long, 0.800_000_5),
    ] {
        let cost = usd(model, tokens, at);
        assert_eq!(cost.to_string(), expected.to_string(), "{model} {at}");
    }
    // The length of the answer does not matter, and 100,000 is the limit of Haiku 5.5.
    let haiku = |tokens| usd("claude-haiku-5-5", tokens, "2026-11-01T00:00:00Z").to_string();
    assert_eq!(haiku(prompt(100_000, 0, 1_000_000)), "0.51");
    assert_eq!(haiku(prompt(0, 100_001, 1_000_000)), "2.50500005");
}

fn price(model: &str, input: f64, from: Option<Date>) -> Override {
    let rate = |usd| Rate::from_usd(usd).expect("a price");
    Override { model: model.to_owned(), from, rates: Rates::usual(rate(input), rate(0.0)) }
}

#[test]
fn settings_come_before_the_list() {
    let table = PriceTable::built_in().with_overrides([
        price("claude-opus-", 90.0, None),
        price("Claude-Opus-4-1", 91.0, None),
        price("claude-opus-5", 92.0, Some(date(2026, 1, 1))),
        price("claude-opus-5", 93.0, Some(date(2026, 6, 1))),
        price("claude-haiku-4-5", 94.0, Some(date(2026, 1, 1))),
        price("glm", 0.6, None),
        price("us.anthropic.claude-sonnet", 95.0, None),
    ]);
    let input = |model, at| million(&table, model, at).map(|costs| costs[0]);
    for (model, at, expected) in [
        ("claude-opus-4-1-20250805", None, Some(91.0)),
        ("us.anthropic.claude-opus-4-1-20250805-v1:0", None, Some(91.0)),
        ("claude-opus-4-10", None, Some(90.0)),
        ("claude-opus-9", None, Some(90.0)),
        ("claude-opus-5", None, Some(93.0)),
        ("claude-opus-5", Some("2026-05-31T23:00:00Z"), Some(92.0)),
        ("claude-opus-5", Some("2025-12-31T23:00:00Z"), Some(90.0)),
        ("claude-haiku-4-5", Some("2026-01-01T00:00:00Z"), Some(94.0)),
        ("claude-haiku-4-5", Some("2025-12-31T23:59:59Z"), Some(1.0)),
        ("glm-4.6", None, Some(0.6)),
        ("gpt-6", None, None),
        ("us.anthropic.claude-sonnet-4-6", None, Some(95.0)),
        ("claude-sonnet-4-6", None, Some(3.0)),
    ] {
        assert_eq!(input(model, at), expected, "{model} {at:?}");
    }
}

#[test]
fn of_two_prices_for_one_name_and_day_the_later_applies() {
    let table = PriceTable::built_in()
        .with_overrides([price("x", 1.0, None), price("x", 2.0, None)])
        .with_overrides([price("y", 3.0, None)]);
    let input = |table: &PriceTable| million(table, "x", None).map(|costs| costs[0]);
    assert_eq!(input(&table), Some(2.0));
    let table = table.with_overrides([price("x", 4.0, None)]);
    assert_eq!(input(&table), Some(4.0));
}

#[test]
fn a_prompt_of_hostile_size_is_just_expensive() {
    let tokens = prompt(u64::MAX, u64::MAX, u64::MAX);
    assert!(usd("claude-sonnet-4-5", tokens, "2026-01-01T00:00:00Z") > 1e14);
}
