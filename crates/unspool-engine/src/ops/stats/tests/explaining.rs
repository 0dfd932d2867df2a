//! Why a line counts or not.

use unspool_model::ids::SessionId;
use unspool_model::log::Log;

use super::{LedgerFile, file, totals, worth};
use crate::ops::stats::{CountReason, CountStatus, CountedLine, Explained, ExplainedFile};
use unspool_store::testing::dollar_prices;

const MONDAY: &str = "2026-11-09T10:00:00Z";
const TUESDAY: &str = "2026-11-10T10:00:00Z";

fn explain(files: &[LedgerFile], at: usize) -> Explained {
    let log = Log::default();
    let explained = ExplainedFile { source: files[at].source(), log: &log };
    let explained = totals(files).explain(&files[at].session, &[explained], &dollar_prices());
    explained.expect("whole ledgers")
}

fn not_counted(why: CountReason, by: &LedgerFile, line: u32) -> CountStatus {
    CountStatus::NotCounted {
        why,
        winner: CountedLine {
            session: SessionId::new(by.session.id.as_str()),
            file: by.path.clone(),
            line,
        },
    }
}

fn statuses(explained: &Explained) -> Vec<CountStatus> {
    explained.lines.iter().map(|line| line.status.clone()).collect()
}

#[test]
fn each_line_says_what_came_of_it() {
    let first = file("a", MONDAY)
        .usage("m1/r", "opus", 1, 5, MONDAY)
        .usage("m1/r", "opus", 9, 5, MONDAY)
        .usage("m1/r", "opus", 9, 5, MONDAY)
        .usage("m1/r", "opus", 9, 4, MONDAY)
        .message("m1", MONDAY);
    let fork = file("b", TUESDAY)
        .usage("m1/r", "opus", 9, 5, TUESDAY)
        .usage("m2", "mystery", 3, 0, TUESDAY)
        .message("m1", TUESDAY)
        .message("m2", TUESDAY);
    let files = [first, fork];
    let explained = explain(&files, 0);
    assert_eq!(
        statuses(&explained),
        [
            not_counted(CountReason::FewerOutput, &files[0], 2),
            CountStatus::Counted,
            not_counted(CountReason::Repeat, &files[0], 2),
            not_counted(CountReason::FewerTokens, &files[0], 2),
        ]
    );
    assert_eq!((explained.tokens.sum(), explained.cost), (14, worth(14)));
    assert_eq!((explained.messages.here, explained.messages.elsewhere), (1, 0));
    let explained = explain(&files, 1);
    assert_eq!(
        statuses(&explained),
        [not_counted(CountReason::Repeat, &files[0], 2), CountStatus::Counted]
    );
    assert_eq!((explained.tokens.sum(), explained.cost), (3, None));
    assert_eq!(explained.unpriced_models, ["mystery"]);
    assert_eq!((explained.messages.here, explained.messages.elsewhere), (1, 1));
}

#[test]
fn a_copy_of_a_copy_is_explained_by_the_original() {
    let said = |file: LedgerFile, key: &str| {
        file.usage(key, "opus", 9, 0, MONDAY).message(key, MONDAY).turn(key, 40, MONDAY)
    };
    let files = [
        said(file("c", TUESDAY), "1").copy("2", "1"),
        said(file("b", TUESDAY), "0").copy("1", "0"),
        said(file("a", MONDAY), "0"),
    ];
    for at in [0, 1] {
        let explained = explain(&files, at);
        assert_eq!(statuses(&explained), [not_counted(CountReason::Repeat, &files[2], 1)]);
        for shares in [explained.messages, explained.turns] {
            assert_eq!((shares.here, shares.elsewhere), (0, 1));
        }
    }
    assert_eq!(statuses(&explain(&files, 2)), [CountStatus::Counted]);
}

#[test]
fn a_row_without_a_request_is_explained_by_the_one_it_joins() {
    let files = [
        file("a", MONDAY).usage("m/r", "opus", 9, 0, MONDAY),
        file("b", TUESDAY).usage("m", "opus", 4, 0, TUESDAY),
        file("c", TUESDAY).usage("m/q", "opus", 2, 0, TUESDAY),
    ];
    assert_eq!(statuses(&explain(&files, 0)), [CountStatus::Counted]);
    assert_eq!(
        statuses(&explain(&files, 1)),
        [not_counted(CountReason::FewerOutput, &files[0], 1)]
    );
    assert_eq!(statuses(&explain(&files, 2)), [CountStatus::Counted]);
}

#[test]
fn a_larger_copy_without_a_request_takes_the_place_of_the_best() {
    let files = [
        file("a", MONDAY).usage("m/r", "opus", 9, 0, MONDAY),
        file("b", TUESDAY).usage("m", "opus", 12, 0, TUESDAY),
        file("c", TUESDAY).usage("m/q", "opus", 2, 0, TUESDAY),
    ];
    assert_eq!(
        statuses(&explain(&files, 0)),
        [not_counted(CountReason::FewerOutput, &files[1], 1)]
    );
    assert_eq!(statuses(&explain(&files, 1)), [CountStatus::Counted]);
    assert_eq!(statuses(&explain(&files, 2)), [CountStatus::Counted]);
}

#[test]
fn records_glued_on_one_line_count_once() {
    let mut glued =
        file("a", MONDAY).usage("m", "opus", 9, 0, MONDAY).usage("m", "opus", 9, 0, MONDAY);
    for row in &mut glued.ledger.usage {
        row.place.line = 7;
    }
    let files = [glued];
    let explained = explain(&files, 0);
    assert_eq!(
        statuses(&explained),
        [CountStatus::Counted, not_counted(CountReason::Repeat, &files[0], 7)]
    );
    assert_eq!(explained.tokens.output, 9);
}

#[test]
fn answers_are_named_by_the_log() {
    let line = |id: &str, output: u64| {
        format!(
            "{{\"type\":\"assistant\",\"uuid\":\"u\",\"message\":{{\"id\":\"{id}\",\"model\":\"opus\",\
             \"role\":\"assistant\",\"content\":[],\"usage\":{{\"output_tokens\":{output}}}}}}}\n"
        )
    };
    let text = format!("{}{{}}\n{}{}", line("msg_1", 1), line("msg_2", 2), line("msg_3", 3));
    let log = Log::read(text.as_bytes());
    let mut held = file("a", MONDAY)
        .usage("m1", "opus", 1, 0, MONDAY)
        .usage("m2", "opus", 2, 0, MONDAY)
        .usage("m9", "opus", 9, 0, MONDAY);
    for (row, line) in held.ledger.usage.iter_mut().zip([1, 3, 9]) {
        row.place.line = line;
    }
    let files = [held];
    let explained = ExplainedFile { source: files[0].source(), log: &log };
    let explained = totals(&files)
        .explain(&files[0].session, &[explained], &dollar_prices())
        .expect("whole ledgers");
    let ids: Vec<_> = explained.lines.iter().map(|line| line.message.as_deref()).collect();
    assert_eq!(ids, [Some("msg_1"), Some("msg_2"), None]);
}
