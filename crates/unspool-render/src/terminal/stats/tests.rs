//! Pages of totals, as drawn.

use super::*;
use unspool_engine::ops::stats::{Others, Then};
use unspool_model::usage::Tokens;
use unspool_store::prices::{Override, PriceTable, Rate, Rates};

fn tokens(output: u64) -> Tokens {
    Tokens {
        input: output / 10,
        output,
        cache_write_5m: output * 2,
        cache_write_1h: 0,
        cache_read: output * 40,
    }
}

fn cost(output: u64) -> Option<Cost> {
    let rate = Rate::from_usd(1.0)?;
    let rates = Rates::usual(rate, rate);
    let table = PriceTable::built_in().with_overrides([Override {
        model: "opus".to_owned(),
        from: None,
        rates,
    }]);
    table.cost("opus", &tokens(output), None)
}

fn sums(output: u64) -> Sums {
    Sums {
        tokens: tokens(output),
        cost: cost(output),
        unpriced: 0,
        messages: output / 1000,
        turns: output / 10_000,
        calls: output / 2000,
        failed_calls: output / 40_000,
        lines_added: output / 500,
        lines_removed: output / 5000,
        active_ms: output * 20,
        sessions: 3,
    }
}

fn sample(by: By, keys: &[(Option<&str>, u64)]) -> Stats {
    let groups = keys.iter().map(|(key, output)| StatsGroup {
        key: key.map(str::to_owned),
        then: Vec::new(),
        label: (by == By::Session).then(|| "Fix the 漢字 parser\x1b[31m".to_owned()),
        sums: sums(*output),
    });
    let day = |day: i8, tokens: u64| Day {
        date: Date::constant(2026, 11, day),
        tokens,
        cost: cost(tokens).unwrap_or_default(),
    };
    Stats {
        by,
        then: Then::default(),
        total: sums(keys.iter().map(|(_, output)| output).sum()),
        groups: groups.collect(),
        others: None,
        days: vec![day(2, 400_000), day(3, 100_000), day(9, 800_000)],
        unpriced_models: Vec::new(),
    }
}

fn layout(width: usize, glyphs: Glyphs) -> StatsLayout {
    StatsLayout { width, user_home: Some("/home/u".to_owned()), glyphs }
}

fn drawn(stats: &Stats, width: usize, glyphs: Glyphs) -> Vec<String> {
    super::stats(stats, &layout(width, glyphs)).iter().map(Line::plain).collect()
}

#[test]
fn billions_have_the_letter_that_people_know() {
    let page = drawn(&sample(By::Model, &[(Some("opus"), 2_000_000_000)]), 80, Glyphs::Blocks);
    let row = |name: &str| page.iter().find(|line| line.contains(name)).cloned();
    assert!(row("output").is_some_and(|line| line.contains("2B")), "{page:?}");
    assert!(row("cache reads").is_some_and(|line| line.contains("80B")), "{page:?}");
}

#[test]
fn a_page_at_eighty_columns() {
    let keys = [(Some("2026-11-09"), 800_000), (Some("2026-11-03"), 100_000), (None, 0)];
    let mut stats = sample(By::Day, &keys);
    stats.others = Some(Others { groups: 2, sums: sums(400_000) });
    stats.total.unpriced = 1500;
    stats.groups[1].sums.unpriced = 1500;
    let expected = "\
tokens                      38.8M
  input                       90k  ▏
  output                     900k  ▌
  cache writes, 5 min        1.8M  ▉
  cache writes, 1 h             0
  cache reads                 36M  ██████████████████▌
cost                        $6.84  without 1.5k tokens that have no price
time working                  5 h
turns                          90
messages                      900
calls                         450  22 failed, 4.9 %
lines                  +1.8k -180
sessions                        3

▄▁·····█
cost a day, 2026-11-02 to 2026-11-09; most on 2026-11-09: $6.08

DAY           COST              TOKENS  OUTPUT     WORKING  TURNS  CALLS
2026-11-09   $6.08  ██████████   34.5M    800k  4 h 26 min     80    400
2026-11-03  $0.76+  █▎            4.3M    100k      33 min     10     50
(none)
(others)     $3.04  █████        17.2M    400k  2 h 13 min     40    200";
    let drawn = drawn(&stats, 80, Glyphs::Blocks);
    assert_eq!(drawn.join("\n"), expected, "\n{}", drawn.join("\n"));
}

#[test]
fn tools_have_rates_of_failure() {
    let keys = [(Some("Bash"), 800_000), (Some("Edit"), 20_000), (None, 0)];
    let drawn = drawn(&sample(By::Tool, &keys), 70, Glyphs::Ascii);
    let table = &drawn[drawn.len() - 3..];
    assert_eq!(
        table,
        [
            "TOOL  CALLS           FAILED   RATE       LINES  SESSIONS",
            "Bash    400  #######      20  5.0 %  +1.6k -160         3",
            "Edit     10  #                           +40 -4         3",
        ]
    );
}

#[test]
fn pages_fit_and_hold_nothing_that_acts_on_a_terminal() {
    let keys = [
        (Some("/srv/a very long path/with many parts/\x1b]0;title\x07x"), 800_000),
        (Some("=1+1"), u64::from(u32::MAX)),
        (None, 40),
    ];
    let all = [
        By::Nothing,
        By::Day,
        By::Week,
        By::Month,
        By::Project,
        By::Session,
        By::Model,
        By::Tool,
        By::Branch,
    ];
    for by in all {
        let stats = sample(by, &keys);
        for width in (20..=200).step_by(7) {
            for glyphs in [Glyphs::Blocks, Glyphs::Ascii] {
                for line in super::stats(&stats, &layout(width, glyphs)) {
                    assert!(line.width() <= width, "{by:?} at {width}: {}", line.plain());
                    assert!(!line.plain().contains('\x1b'));
                }
            }
        }
    }
}

#[test]
fn a_terminal_without_blocks_gets_ascii() {
    let keys = [(Some("main"), 800_000), (Some("topic"), 100_000)];
    for line in drawn(&sample(By::Branch, &keys), 100, Glyphs::Ascii) {
        assert!(line.is_ascii(), "{line}");
    }
}

#[test]
fn years_fit_into_a_line() {
    let mut stats = sample(By::Nothing, &[]);
    stats.days[0].date = Date::constant(2023, 1, 1);
    let lines = drawn(&stats, 60, Glyphs::Blocks);
    let [.., spark, words, _] = lines.as_slice() else {
        panic!("{lines:?}");
    };
    assert_eq!(spark.chars().count(), 59, "{spark}");
    assert!(words.contains("24 days a mark"), "{words}");
    stats.days[0].date = Date::MIN;
    stats.days[2].date = Date::MAX;
    let lines = drawn(&stats, 40, Glyphs::Blocks);
    let spark = &lines[lines.len() - 4];
    assert_eq!(spark.chars().count(), 40, "{spark}");
}

#[test]
fn the_end_of_a_long_path_stays() {
    let keys = [
        (Some("/home/u/app"), 800_000),
        (Some("/srv/a very long path/with many parts/parser"), 100_000),
    ];
    let lines = drawn(&sample(By::Project, &keys), 60, Glyphs::Blocks);
    let names: Vec<&str> = lines[lines.len() - 2..]
        .iter()
        .map(|line| line.split("  ").next().unwrap_or_default())
        .collect();
    assert_eq!(names, ["~/app", "…/with many parts/parser"]);
}
