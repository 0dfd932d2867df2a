//! Totals, groups, and credited sessions.

use jiff::tz::TimeZone;
use unspool_model::entry::Verdict;
use unspool_model::query::TimeRange;
use unspool_model::time::Time;

use super::{LedgerFile, by, file, outputs, sum_up, sum_up_in, worth};
use crate::ops::stats::{By, TotalsRequest};

const MONDAY: &str = "2026-11-09T10:00:00Z";
const TUESDAY: &str = "2026-11-10T10:00:00Z";

#[test]
fn one_of_everything() {
    let files = [file("a", MONDAY)
        .usage("m1/r1", "opus", 10, 1, MONDAY)
        .usage("m1/r1", "opus", 50, 1, MONDAY)
        .usage("m2", "haiku", 7, 3, TUESDAY)
        .message("m1", MONDAY)
        .message("m2", TUESDAY)
        .call("c1", "Bash", Some(Verdict::Failed), (0, 0))
        .call("c2", "Edit", Some(Verdict::Done), (5, 2))
        .call("c3", "Bash", None, (0, 0))
        .turn("t1", 1500, MONDAY)];
    let total = sum_up(&files, &TotalsRequest::default()).total;
    assert_eq!((total.tokens.output, total.tokens.input), (57, 4));
    assert_eq!(total.cost, worth(61));
    assert_eq!((total.messages, total.turns, total.calls), (2, 1, 3));
    assert_eq!(total.failed_calls, 1);
    assert_eq!((total.lines_added, total.lines_removed), (5, 2));
    assert_eq!((total.active_ms, total.sessions), (1500, 1));
}

#[test]
fn nothing_costs_nothing() {
    let stats = sum_up(&[], &TotalsRequest::default());
    assert_eq!(stats.total.cost, worth(0));
    assert_eq!(stats.total.sessions, 0);
    assert!(stats.groups.is_empty() && stats.days.is_empty());
}

#[test]
fn requests_tell_answers_apart_only_where_both_have_one() {
    let cases: [(&[(&str, u64)], u64); 7] = [
        (&[("m/q", 10), ("m/r", 90)], 100),
        (&[("m/r", 90), ("m", 5)], 90),
        (&[("m/r", 90), ("m", 95)], 95),
        (&[("m/q", 10), ("m", 90), ("m/r", 90)], 100),
        (&[("m/q", 10), ("m", 95), ("m/r", 90)], 105),
        (&[("m", 5), ("n", 6)], 11),
        (&[("m/q", 1), ("m/r", 2), ("m/q", 3)], 5),
    ];
    for (rows, expected) in cases {
        let files: Vec<LedgerFile> = rows
            .iter()
            .zip(["a", "b", "c"])
            .map(|((key, output), id)| file(id, MONDAY).usage(key, "opus", *output, 0, MONDAY))
            .collect();
        let total = sum_up(&files, &TotalsRequest::default()).total;
        assert_eq!(total.tokens.output, expected, "{rows:?}");
    }
}

#[test]
fn what_several_sessions_hold_is_credited_to_one() {
    let lines = |file: LedgerFile| file.usage("m/r", "opus", 9, 0, MONDAY).message("m", MONDAY);
    let early = "2026-11-01T00:00:00Z";
    let large = |file: LedgerFile| file.with(|session| session.bytes = 900);
    let busy = |file: LedgerFile| file.with(|session| session.agents = 3);
    let timeless = |file: LedgerFile| file.with(|session| session.started = None);
    let (first, later) = (lines(file("b", early)), lines(file("a", MONDAY)));
    let cases = [
        ("the one that started first", [first.clone(), later.clone()], "b"),
        ("not a copy", [lines(file("z", MONDAY)), first.copied_to("a", true)], "z"),
        ("the larger one", [later.clone(), large(lines(file("c", MONDAY)))], "c"),
        ("the one with agents", [later.clone(), busy(lines(file("c", MONDAY)))], "c"),
        ("by id", [lines(file("c", MONDAY)), later.clone()], "a"),
        ("one with a time", [timeless(later.clone()), lines(file("c", MONDAY))], "c"),
    ];
    for (why, files, expected) in cases {
        let stats = sum_up(&files, &by(By::Session));
        let keys: Vec<_> = stats.groups.iter().map(|group| group.key.as_deref()).collect();
        assert_eq!(keys, [Some(expected)], "{why}");
        assert_eq!(stats.total.sessions, 1, "{why}");
        assert_eq!(stats.groups[0].label.as_deref(), Some(&*format!("About {expected}")));
        assert_eq!((stats.total.tokens.output, stats.total.messages), (9, 1));
    }
}

#[test]
fn the_row_that_counts_is_credited_where_it_is() {
    let torn = file("a", MONDAY).usage("m/r", "opus", 1, 5, MONDAY);
    let whole = file("b", TUESDAY).usage("m/r", "opus", 80, 5, TUESDAY);
    let stats = sum_up(&[torn, whole], &by(By::Session));
    assert_eq!(outputs(&stats.groups), [(Some("b"), 80)]);
}

#[test]
fn copies_of_calls_and_turns_say_most_together() {
    use Verdict::{Denied, Done, Failed, Interrupted};
    let cases = [
        (None, Some(Done), 0),
        (None, Some(Failed), 1),
        (Some(Interrupted), Some(Done), 0),
        (Some(Interrupted), Some(Failed), 1),
        (Some(Denied), Some(Failed), 1),
        (Some(Done), Some(Failed), 1),
    ];
    for (one, other, failed) in cases {
        let files = [
            file("a", MONDAY).call("c", "Edit", one, (3, 0)).turn("t", 10, MONDAY),
            file("b", TUESDAY).call("c", "Edit", other, (1, 4)).turn("t", 90, TUESDAY),
        ];
        let stats = sum_up(&files, &by(By::Session));
        let total = stats.total;
        assert_eq!((total.calls, total.failed_calls), (1, failed), "{one:?} {other:?}");
        assert_eq!((total.lines_added, total.lines_removed), (3, 4));
        assert_eq!((total.turns, total.active_ms), (1, 90));
        assert_eq!(stats.groups.len(), 1);
        assert_eq!(stats.groups[0].key.as_deref(), Some("a"));
    }
}

#[test]
fn groups_of_time_are_in_order_and_those_without_come_last() {
    let files = [file("a", MONDAY)
        .usage("m1", "opus", 1, 0, TUESDAY)
        .usage("m2", "opus", 2, 0, MONDAY)
        .usage("m3", "opus", 4, 0, "2026-11-16T00:00:00Z")
        .usage("m4", "opus", 8, 0, "2026-12-01T00:00:00Z")
        .usage("m5", "opus", 16, 0, "no time")];
    let cases = [
        (
            By::Day,
            vec![
                (Some("2026-11-09"), 2),
                (Some("2026-11-10"), 1),
                (Some("2026-11-16"), 4),
                (Some("2026-12-01"), 8),
                (None, 16),
            ],
        ),
        (
            By::Week,
            vec![(Some("2026-W46"), 3), (Some("2026-W47"), 4), (Some("2026-W49"), 8), (None, 16)],
        ),
        (By::Month, vec![(Some("2026-11"), 7), (Some("2026-12"), 8), (None, 16)]),
    ];
    for (unit, expected) in cases {
        let stats = sum_up(&files, &by(unit));
        assert_eq!(outputs(&stats.groups), expected, "{unit:?}");
        let days: Vec<_> =
            stats.days.iter().map(|day| (day.date.to_string(), day.tokens)).collect();
        let expected = [("2026-11-09", 2), ("2026-11-10", 1), ("2026-11-16", 4), ("2026-12-01", 8)];
        assert_eq!(days, expected.map(|(day, tokens)| (day.to_owned(), tokens)));
    }
}

#[test]
fn a_session_counts_on_every_day_it_touches() {
    let files = [file("a", MONDAY).usage("m1", "opus", 1, 0, "2026-11-09T23:59:59.999Z").usage(
        "m2",
        "opus",
        2,
        0,
        "2026-11-10T00:00:00Z",
    )];
    let stats = sum_up(&files, &by(By::Day));
    assert_eq!(outputs(&stats.groups), [(Some("2026-11-09"), 1), (Some("2026-11-10"), 2)]);
    let sessions: Vec<_> = stats.groups.iter().map(|group| group.sums.sessions).collect();
    assert_eq!((sessions, stats.total.sessions), (vec![1, 1], 1));
    let zone = TimeZone::get("America/New_York").expect("a zone");
    let stats = sum_up_in(&files, &by(By::Day), &zone);
    assert_eq!(outputs(&stats.groups), [(Some("2026-11-09"), 3)]);
}

#[test]
fn a_day_of_25_hours_is_one_day() {
    let zone = TimeZone::get("Europe/Berlin").expect("a zone");
    let files = [file("a", MONDAY)
        .usage("m1", "opus", 1, 0, "2026-10-24T22:00:00Z")
        .usage("m2", "opus", 2, 0, "2026-10-25T00:30:00Z")
        .usage("m3", "opus", 4, 0, "2026-10-25T01:30:00Z")
        .usage("m4", "opus", 8, 0, "2026-10-25T22:59:59Z")
        .usage("m5", "opus", 16, 0, "2026-10-25T23:00:00Z")];
    let stats = sum_up_in(&files, &by(By::Day), &zone);
    assert_eq!(outputs(&stats.groups), [(Some("2026-10-25"), 15), (Some("2026-10-26"), 16)]);
}

#[test]
fn a_range_of_time_is_about_lines() {
    let files = [file("a", MONDAY)
        .usage("m1", "opus", 1, 0, MONDAY)
        .usage("m2", "opus", 2, 0, TUESDAY)
        .usage("m3", "opus", 4, 0, "no time")
        .message("m1", MONDAY)];
    let at = |text: &str| Time::parse(text);
    let cases = [
        (TimeRange::default(), 7, 1),
        (TimeRange { from: at(TUESDAY), until: None }, 2, 0),
        (TimeRange { from: None, until: at(TUESDAY) }, 1, 1),
        (TimeRange { from: at(MONDAY), until: at(MONDAY) }, 0, 0),
    ];
    for (time, output, messages) in cases {
        let request = TotalsRequest { time, ..TotalsRequest::default() };
        let total = sum_up(&files, &request).total;
        assert_eq!((total.tokens.output, total.messages), (output, messages), "{time:?}");
        assert_eq!(total.sessions, u64::from(output > 0));
    }
}

#[test]
fn sessions_that_were_not_asked_for_still_own_what_they_said() {
    let unasked = |file: LedgerFile| file.with(|session| session.selected = false);
    let first = file("a", MONDAY).usage("m1", "opus", 1, 0, MONDAY);
    let fork =
        file("b", TUESDAY).usage("m1", "opus", 1, 0, TUESDAY).usage("m2", "opus", 2, 0, TUESDAY);
    let one = sum_up(&[first.clone(), unasked(fork.clone())], &by(By::Project));
    let other = sum_up(&[unasked(first), fork], &by(By::Project));
    assert_eq!(outputs(&one.groups), [(Some("/srv/a"), 1)]);
    assert_eq!(outputs(&other.groups), [(Some("/srv/b"), 2)]);
}

#[test]
fn branches_models_and_tools_make_groups() {
    let files = [file("a", MONDAY)
        .usage("m1", "opus", 1, 0, MONDAY)
        .on("main")
        .usage("m2", "haiku", 2, 0, MONDAY)
        .on("topic")
        .usage("m3", "opus", 4, 0, MONDAY)
        .call("c1", "Bash", Some(Verdict::Failed), (0, 0))
        .call("c2", "Bash", Some(Verdict::Done), (0, 0))
        .call("c3", "Edit", Some(Verdict::Done), (7, 1))];
    let branches = sum_up(&files, &by(By::Branch));
    assert_eq!(outputs(&branches.groups), [(Some("topic"), 2), (Some("main"), 1), (None, 4)]);
    let models = sum_up(&files, &by(By::Model));
    assert_eq!(outputs(&models.groups), [(Some("opus"), 5), (Some("haiku"), 2), (None, 0)]);
    let tools = sum_up(&files, &by(By::Tool));
    let calls: Vec<_> = tools
        .groups
        .iter()
        .map(|group| (group.key.as_deref(), group.sums.calls, group.sums.failed_calls))
        .collect();
    assert_eq!(calls, [(Some("Bash"), 2, 1), (Some("Edit"), 1, 0), (None, 0, 0)]);
    assert_eq!(tools.groups[2].sums.tokens.output, 7);
}

#[test]
fn models_without_a_price_are_named() {
    let unpriced = |file: LedgerFile| file.usage("m1", "mystery", 10, 0, MONDAY);
    let only = sum_up(&[unpriced(file("a", MONDAY))], &TotalsRequest::default());
    assert_eq!(only.total.cost, None);
    assert_eq!((only.total.unpriced, only.total.tokens.output), (10, 10));
    assert_eq!(only.unpriced_models, ["mystery"]);
    let mixed = unpriced(file("a", MONDAY)).usage("m2", "opus", 5, 0, MONDAY);
    let mixed = sum_up(&[mixed], &by(By::Model));
    assert_eq!((mixed.total.cost, mixed.total.unpriced), (worth(5), 10));
    let costs: Vec<_> =
        mixed.groups.iter().map(|group| (group.key.as_deref(), group.sums.cost)).collect();
    assert_eq!(costs, [(Some("opus"), worth(5)), (Some("mystery"), None)]);
    let unused = file("a", MONDAY).usage("m1", "mystery", 0, 0, MONDAY);
    let unused = sum_up(&[unused], &TotalsRequest::default());
    assert_eq!((unused.total.cost, unused.unpriced_models.len()), (worth(0), 0));
}

#[test]
fn a_limit_keeps_the_largest_and_sums_up_the_rest() {
    let files = [
        file("a", MONDAY).usage("m1", "opus", 1, 0, MONDAY),
        file("b", MONDAY).usage("m2", "opus", 2, 0, TUESDAY).usage(
            "m3",
            "opus",
            9,
            0,
            "2026-11-11T10:00:00Z",
        ),
        file("c", MONDAY).usage("m4", "opus", 8, 0, MONDAY),
    ];
    let limit = |by, limit| TotalsRequest { by, limit: Some(limit), ..TotalsRequest::default() };
    let stats = sum_up(&files, &limit(By::Session, 1));
    assert_eq!(outputs(&stats.groups), [(Some("b"), 11)]);
    let others = stats.others.expect("some were cut");
    assert_eq!((others.groups, others.sums.tokens.output, others.sums.sessions), (2, 9, 2));
    let stats = sum_up(&files, &limit(By::Day, 2));
    assert_eq!(outputs(&stats.groups), [(Some("2026-11-09"), 9), (Some("2026-11-11"), 9)]);
    assert_eq!(stats.others.map(|others| others.groups), Some(1));
    assert_eq!(sum_up(&files, &limit(By::Day, 3)).others, None);
}

#[test]
fn numbers_do_not_overflow() {
    let files = [file("a", MONDAY)
        .usage("m1", "opus", u64::MAX, u64::MAX, MONDAY)
        .usage("m2", "opus", u64::MAX, 1, MONDAY)
        .call("c1", "Edit", None, (u64::MAX, u64::MAX))
        .call("c2", "Edit", None, (1, 1))
        .turn("t1", u64::MAX, MONDAY)
        .turn("t2", 1, MONDAY)];
    let total = sum_up(&files, &by(By::Day)).total;
    assert_eq!(total.tokens.output, u64::MAX);
    assert_eq!((total.lines_added, total.active_ms), (u64::MAX, u64::MAX));
    assert!(total.cost > worth(u64::MAX));
}

#[test]
fn a_copy_of_a_copy_is_the_original_in_any_order() {
    let rows = |file: LedgerFile, key: &str, request: &str| {
        let answer = format!("{key}-answer");
        file.usage(&format!("{answer}/{request}"), "opus", 10, 0, MONDAY)
            .usage(&format!("{answer}/other"), "opus", 3, 0, MONDAY)
            .message(key, MONDAY)
            .message(&answer, MONDAY)
            .turn(key, 40, MONDAY)
    };
    // A fork uses the keys of the entries that it copied, and names its own.
    let original = rows(file("a", MONDAY), "0", "r");
    let fork = rows(file("b", TUESDAY), "0", "r").copy("1", "0").copy("1-answer", "0-answer");
    let again = rows(file("c", TUESDAY), "1", "r").copy("2", "1").copy("2-answer", "1-answer");
    let third = rows(file("d", TUESDAY), "2", "r").copy("3", "2").copy("3-answer", "2-answer");
    let other = rows(file("e", TUESDAY), "x", "q");
    let files = [original, fork, again, third, other];
    let mut orders = vec![vec![]];
    for at in 0..files.len() {
        orders = orders
            .iter()
            .flat_map(|order: &Vec<usize>| {
                (0..=order.len()).map(move |place| {
                    let mut order = order.clone();
                    order.insert(place, at);
                    order
                })
            })
            .collect();
    }
    assert_eq!(orders.len(), 120);
    for order in orders {
        let files: Vec<LedgerFile> = order.iter().map(|&at| files[at].clone()).collect();
        let stats = sum_up(&files, &by(By::Session));
        let total = stats.total;
        let counts = (total.messages, total.turns, total.active_ms);
        assert_eq!(counts, (4, 2, 80), "{order:?}");
        assert_eq!(total.tokens.output, 26, "{order:?}");
        let mut credited = outputs(&stats.groups);
        credited.sort_unstable();
        assert_eq!(credited, [(Some("a"), 13), (Some("e"), 13)], "{order:?}");
    }
}
