//! A recap lists the events of a period once, and its sums equal the totals.

use jiff::tz::TimeZone;
use unspool_engine::library::{RecapRequest, StatsRequest};
use unspool_engine::ops::recap::Recap;
use unspool_engine::ops::stats::{By, Sums, Then};
use unspool_model::conversation::TurnOutcome;
use unspool_model::query::TimeRange;
use unspool_model::time::Time;
use unspool_store::filter::RowFilter;
use unspool_store::prices::Cost;
use unspool_store::progress::Unwatched;
use unspool_testkit::time::START;
use unspool_testkit::{TestHome, session, uuid};

use crate::setup::library;

/// The seconds of a day.
const DAY: i64 = 24 * 60 * 60;

/// Returns a filter for a period, in seconds after the start of sessions.
fn filter(from: i64, until: Option<i64>) -> RowFilter {
    let at = |seconds: i64| Time::from_millis(START + seconds * 1000);
    RowFilter {
        time: TimeRange { from: Some(at(from)), until: until.map(at) },
        ..RowFilter::default()
    }
}

/// Returns a recap, and checks that its sums equal the totals of the period.
#[track_caller]
fn recap(home: &TestHome, from: i64, until: Option<i64>) -> Recap {
    let library = library(home);
    let request = RecapRequest { filter: filter(from, until), zone: TimeZone::UTC };
    let recap = library.recap(&request, &Unwatched).expect("a recap").recap;
    let totals = StatsRequest {
        filter: filter(from, until),
        by: By::Nothing,
        then: Then::default(),
        limit: None,
        zone: TimeZone::UTC,
    };
    let totals = library.stats(&totals, &Unwatched).expect("totals").stats.total;
    assert_eq!(recap.total.sums, totals);
    let projects = || recap.projects.iter().map(|project| &project.total.sums);
    let sum = |number: fn(&Sums) -> u64| projects().map(number).sum::<u64>();
    assert_eq!(sum(|sums| sums.tokens.sum()), totals.tokens.sum());
    assert_eq!(sum(|sums| sums.messages), totals.messages);
    assert_eq!(sum(|sums| sums.lines_added), totals.lines_added);
    let cost: Cost = projects().filter_map(|sums| sums.cost).sum();
    assert_eq!(Some(cost), totals.cost);
    recap
}

/// Lists the prompts, session by session.
fn prompts(recap: &Recap) -> Vec<Vec<&str>> {
    let sessions = recap.projects.iter().flat_map(|project| &project.sessions);
    sessions
        .map(|session| session.prompts.iter().map(|prompt| prompt.text.as_str()).collect())
        .collect()
}

/// A session over three days, with an edit on the first and on the second.
fn three_days() -> String {
    let edit = r#"{"file_path":"/srv/demo/FILE","old_string":"a\nb\n","new_string":"a\nc\nd\n"}"#;
    let (one, two) = (edit.replace("FILE", "one.rs"), edit.replace("FILE", "two.rs"));
    format!(
        r#"
u1 user @0 "first day\nand more"
a1 assistant call Edit:t1 {one}
r1 result t1 "ok"
a2 assistant "done"
u2 user @{second} "second day"
a3 assistant call Edit:t2 {two}
r2 result t2 "ok"
a4 assistant "done"
u3 user @{third} "third day"
a5 assistant "done"
"#,
        second = DAY,
        third = 2 * DAY,
    )
}

#[test]
fn a_session_that_began_earlier_has_its_turns_of_that_time() {
    let home = TestHome::new();
    home.add_session("/srv/demo", &uuid("s"), session(&three_days()));
    let day = |number: i64| recap(&home, number * DAY, Some((number + 1) * DAY));
    for (number, asked, files) in [
        (0, "first day", &["/srv/demo/one.rs"][..]),
        (1, "second day", &["/srv/demo/two.rs"]),
        (2, "third day", &[]),
    ] {
        let recap = day(number);
        assert_eq!(prompts(&recap), [[asked]]);
        let session = &recap.projects[0].sessions[0];
        let paths: Vec<&str> = session.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, files);
        assert_eq!(session.goes_on, number < 2);
        assert_eq!(session.outcome, Some(TurnOutcome::Done));
        assert_eq!(recap.total.prompts, 1);
    }
    let all = recap(&home, 0, None);
    assert_eq!(prompts(&all), [["first day", "second day", "third day"]]);
    let file = &all.projects[0].sessions[0].files[0];
    assert_eq!((file.added, file.removed, file.edits), (2, 1, 1));
    assert!(recap(&home, 3 * DAY, None).projects.is_empty());
}

#[test]
fn a_turn_over_midnight_is_in_both_days_and_marked_in_the_second() {
    let home = TestHome::new();
    let log = format!("u1 user @{} \"late\"\na1 assistant @{} \"done\"", DAY - 60, DAY + 60);
    home.add_session("/srv/demo", &uuid("s"), session(&log));
    let first = recap(&home, 0, Some(DAY));
    assert!(!first.projects[0].sessions[0].prompts[0].earlier);
    let second = recap(&home, DAY, Some(2 * DAY));
    assert!(second.projects[0].sessions[0].prompts[0].earlier);
}

#[test]
fn what_a_fork_copied_is_told_once() {
    let home = TestHome::new();
    let log = session(&three_days());
    home.add_session("/srv/demo", &uuid("s"), &log);
    let more = session("u9 user @900 \"elsewhere\"\na9 assistant \"yes\"");
    home.add_session("/srv/demo", &uuid("fork"), [log.as_slice(), &more].concat());
    let recap = recap(&home, 0, None);
    let mut asked: Vec<&str> = prompts(&recap).concat();
    asked.sort_unstable();
    assert_eq!(asked, ["elsewhere", "first day", "second day", "third day"]);
    let sessions = &recap.projects[0].sessions;
    let edits: u32 =
        sessions.iter().flat_map(|session| &session.files).map(|file| file.edits).sum();
    assert_eq!(edits, 2);
}

#[test]
fn projects_with_the_newest_work_come_first() {
    let home = TestHome::new();
    for (project, at) in [("/srv/old", 0), ("/srv/new", 500)] {
        let log = format!("%cwd {project}\nu{at} user @{at} \"hello\"\na{at} assistant \"yes\"");
        home.add_session(project, &uuid(project), session(&log));
    }
    let recap = recap(&home, 0, None);
    let names: Vec<&str> = recap.projects.iter().map(|project| project.name.as_str()).collect();
    assert_eq!(names, ["new", "old"]);
}
