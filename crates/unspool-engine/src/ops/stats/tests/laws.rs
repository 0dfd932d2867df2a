//! Totals do not depend on where and how often something occurs.
//!
//! Random sessions and agents with shared rows are read in any order, copied, cut in two and summed
//! up in parts. Invariant values are compared as a whole; additive values are added up.

use std::collections::BTreeMap;

use proptest::prelude::*;
use unspool_model::query::TimeRange;
use unspool_model::time::Time;
use unspool_model::usage::{Claim, Ledger, Tokens};
use unspool_store::prices::Cost;

use super::world::{EPOCH, any_files, explain, messages, sessions};
use super::{LedgerFile, by, sum_up, sum_up_in};
use crate::ops::stats::{By, CountStatus, Stats, Sums, TotalsRequest};

const ALL: [By; 9] = [
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

fn all_ways(files: &[LedgerFile]) -> Vec<Stats> {
    ALL.iter().map(|unit| sum_up(files, &by(*unit))).collect()
}

/// The part of sums that can be added up.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Addable {
    tokens: Tokens,
    counts: [u64; 8],
}

impl Addable {
    fn of(sums: &Sums) -> Self {
        Self {
            tokens: sums.tokens,
            counts: [
                sums.messages,
                sums.turns,
                sums.calls,
                sums.failed_calls,
                sums.lines_added,
                sums.lines_removed,
                sums.active_ms,
                sums.unpriced,
            ],
        }
    }

    fn sum<'s>(parts: impl IntoIterator<Item = &'s Sums>) -> Self {
        let mut sum = Self::default();
        for part in parts.into_iter().map(Self::of) {
            sum.tokens += part.tokens;
            for (count, more) in sum.counts.iter_mut().zip(part.counts) {
                *count += more;
            }
        }
        sum
    }
}

/// Returns the sum of costs; sums without a price cost nothing here.
fn cost<'s>(parts: impl IntoIterator<Item = &'s Sums>) -> Cost {
    parts.into_iter().filter_map(|part| part.cost).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_order_of_files_changes_anything(
        (files, shuffled) in any_files().prop_flat_map(|files| {
            (Just(files.clone()), Just(files).prop_shuffle())
        }),
    ) {
        prop_assert_eq!(all_ways(&files), all_ways(&shuffled));
    }

    #[test]
    fn a_file_that_comes_twice_changes_nothing(
        files in any_files(),
        again in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
    ) {
        let mut more = files.clone();
        for index in again {
            more.push(index.get(&files).clone());
        }
        prop_assert_eq!(all_ways(&files), all_ways(&more));
    }

    #[test]
    fn copies_under_other_names_change_no_total(
        files in any_files(),
        copies in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>(), any::<bool>()), 0..3),
    ) {
        let mut more = files.clone();
        for (number, (index, marked, first)) in copies.into_iter().enumerate() {
            // Sorts before or after every existing session.
            let id = format!("{}copy{number}", if first { "" } else { "z" });
            more.push(index.get(&files).copied_to(&id, marked));
        }
        for unit in [By::Nothing, By::Day, By::Week, By::Month, By::Model, By::Tool, By::Branch] {
            let (before, after) = (sum_up(&files, &by(unit)), sum_up(&more, &by(unit)));
            prop_assert_eq!(before, after, "{:?}", unit);
        }
    }

    #[test]
    fn an_old_part_next_to_the_whole_changes_nothing(
        files in any_files(),
        index in any::<prop::sample::Index>(),
        line in 0u32..12,
    ) {
        let mut more = files.clone();
        more.push(index.get(&files).cut_after(line, "0-old"));
        prop_assert_eq!(all_ways(&files), all_ways(&more));
    }

    #[test]
    fn tokens_are_those_of_the_ledger_of_the_model(files in any_files()) {
        let names = |file: &LedgerFile, name: Option<u32>| {
            name.map(|name| file.ledger.models[name as usize].clone()).unwrap_or_default()
        };
        let claims: Vec<_> = files
            .iter()
            .flat_map(|file| file.ledger.usage.iter().map(move |row| {
                let request = row.request.map(|request| request.to_string());
                (row.message.to_string(), request, names(file, row.place.model.get()), row.tokens)
            }))
            .collect();
        let mut ledger = Ledger::default();
        for (message, request, model, tokens) in &claims {
            ledger.add(&Claim { message, request: request.as_ref(), model, tokens: *tokens });
        }
        let stats = sum_up(&files, &by(By::Model));
        prop_assert_eq!(stats.total.tokens, ledger.total());
        let mut expected: BTreeMap<String, Tokens> = BTreeMap::new();
        for (model, tokens) in ledger.counted() {
            *expected.entry(model.clone()).or_default() += tokens;
        }
        expected.retain(|_, tokens| *tokens != Tokens::default());
        let found: BTreeMap<_, _> = stats
            .groups
            .iter()
            .filter(|group| group.sums.tokens != Tokens::default())
            .map(|group| (group.key.clone().unwrap_or_default(), group.sums.tokens))
            .collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn groups_add_up_to_the_total(files in any_files(), limit in prop::option::of(0usize..4)) {
        for unit in ALL.into_iter().skip(1) {
            let request = TotalsRequest { by: unit, limit, ..TotalsRequest::default() };
            let stats = sum_up(&files, &request);
            let others = stats.others.iter().map(|others| &others.sums);
            let parts: Vec<&Sums> = stats.groups.iter().map(|group| &group.sums).chain(others).collect();
            prop_assert_eq!(Addable::sum(parts.iter().copied()), Addable::of(&stats.total), "{:?}", unit);
            prop_assert_eq!(cost(parts.iter().copied()), cost([&stats.total]));
            prop_assert!(parts.iter().all(|part| part.sessions <= stats.total.sessions));
            let mut keys: Vec<_> = stats.groups.iter().map(|group| &group.key).collect();
            keys.sort();
            keys.dedup();
            prop_assert_eq!(keys.len(), stats.groups.len(), "no key twice");
            prop_assert!(limit.is_none_or(|limit| stats.groups.len() <= limit));
            let tokens = stats.days.iter().map(|day| day.tokens).sum::<u64>();
            prop_assert!(tokens <= stats.total.tokens.sum());
        }
    }

    #[test]
    fn parts_of_the_sessions_add_up_to_all_of_them(files in any_files(), split in any::<u8>()) {
        let part = |wanted: bool| {
            let mut files = files.clone();
            for file in &mut files {
                let bit = file.session.id.as_str().bytes().last().unwrap_or(0) % 8;
                file.session.selected = (split >> bit & 1 == 1) == wanted;
            }
            sum_up(&files, &TotalsRequest::default()).total
        };
        let (one, other) = (part(true), part(false));
        let total = sum_up(&files, &TotalsRequest::default()).total;
        prop_assert_eq!(Addable::sum([&one, &other]), Addable::of(&total));
        prop_assert_eq!(one.sessions + other.sessions, total.sessions);
        prop_assert_eq!(cost([&one, &other]), cost([&total]));
    }

    #[test]
    fn parts_of_the_time_add_up_to_all_of_it(files in any_files(), at in 0i64..10 * 86_400_000) {
        let at = Some(Time::from_millis(EPOCH + at));
        let part = |time| sum_up(&files, &TotalsRequest { time, ..TotalsRequest::default() }).total;
        let before = part(TimeRange { from: None, until: at });
        let after = part(TimeRange { from: at, until: None });
        let all = sum_up(&files, &by(By::Day));
        let timeless = all.groups.iter().find(|group| group.key.is_none());
        let timeless = timeless.map(|group| group.sums).unwrap_or_default();
        prop_assert_eq!(Addable::sum([&before, &after, &timeless]), Addable::of(&all.total));
    }

    #[test]
    fn the_lines_that_count_add_up_to_what_totals_say(files in any_files()) {
        let stats = sum_up(&files, &by(By::Session));
        for session in sessions(&files) {
            let explained = explain(&files, &session);
            let group = stats.groups.iter().find(|group| group.key.as_deref() == Some(session.as_str()));
            let sums = group.map(|group| group.sums).unwrap_or_default();
            prop_assert_eq!(explained.tokens, sums.tokens);
            prop_assert_eq!(explained.cost.unwrap_or_default(), sums.cost.unwrap_or_default());
            prop_assert_eq!(
                (explained.messages.here, explained.calls.here, explained.turns.here),
                (sums.messages, sums.calls, sums.turns)
            );
            let mut counted = Tokens::default();
            for line in explained.lines.iter().filter(|line| line.status == CountStatus::Counted) {
                counted += line.tokens;
            }
            prop_assert_eq!(counted, explained.tokens);
        }
    }

    #[test]
    fn a_line_that_does_not_count_names_one_that_does(files in any_files()) {
        let mut counted = Vec::new();
        let mut named = Vec::new();
        for session in sessions(&files) {
            for line in explain(&files, &session).lines {
                match line.status {
                    CountStatus::Counted => counted.push((line.file, line.line)),
                    CountStatus::NotCounted { winner, .. } => named.push((winner.file, winner.line)),
                }
            }
        }
        prop_assert!(named.iter().all(|place| counted.contains(place)));
    }

    #[test]
    fn days_follow_the_zone(files in any_files()) {
        for name in ["UTC", "Pacific/Kiritimati", "America/Los_Angeles"] {
            let zone = jiff::tz::TimeZone::get(name).expect("a zone");
            let stats = sum_up_in(&files, &by(By::Day), &zone);
            let mut expected: BTreeMap<Option<String>, u64> = BTreeMap::new();
            for (time, messages) in messages(&files) {
                let instant = time.and_then(|time| jiff::Timestamp::from_millisecond(time.as_millis()).ok());
                let day = instant.map(|at| at.to_zoned(zone.clone()).date().to_string());
                *expected.entry(day).or_default() += messages;
            }
            let found: BTreeMap<_, _> = stats
                .groups
                .iter()
                .filter(|group| group.sums.messages > 0)
                .map(|group| (group.key.clone(), group.sums.messages))
                .collect();
            prop_assert_eq!(found, expected);
        }
    }
}
