//! Tests of the picker with scripts of keys: states, keys, properties.

mod keys;
mod laws;
mod states;

use unspool_engine::library::{Library, LibraryClock, LibrarySettings, ListRequest};
use unspool_engine::ops::inbox::{AskKind, InboxAsk, InboxItem, LiveGroup};
use unspool_engine::ops::now::{CallAsk, CallNow, SessionNow};
use unspool_model::time::Time;
use unspool_model::tool::UserQuestion;
use unspool_store::progress::Unwatched;
use unspool_store::rows::SessionRow;
use unspool_testkit::time::START;
use unspool_testkit::{TestHome, session, uuid};

use crate::testing::lab::{LabSetup, given};
use crate::work::live::{LiveBoard, LiveCard};

/// Thirty days after the first line of a built session: 2026-02-04T09:00:00Z.
const DAYS: i64 = 30 * DAY_S;
const DAY_S: i64 = 86_400;
const HOUR_S: i64 = 3_600;

/// The sessions of the test home: name, folder, how many seconds ago it ended, and log.
const SESSIONS: [(&str, &str, i64, &str); 9] = [
    (
        "importer",
        "/srv/tidepool",
        130,
        r#"u1 user @T "Importer drops the last row"
           a1 assistant "The reader stops at the last newline." call Bash:t1 {"command":"cargo test import"}
           r1 result t1 "12 passed""#,
    ),
    (
        "photos",
        "/srv/lanterna",
        12,
        r#"u1 user @T "Scale the photos in img/ to 1600 px"
           a1 assistant "Scaling." call Bash:t1 {"command":"cargo test"}"#,
    ),
    (
        "reading",
        "/srv/notes",
        26 * 60,
        r#"u1 user @T "Reading list sorted by topic"
           a1 assistant "Sorted.""#,
    ),
    (
        "spike",
        "/srv/tidepool",
        3 * HOUR_S,
        r#"%branch spike/filter
           u1 user @T "tidepool should filter its readings"
           a1 assistant "A median filter then." out=90000
           u2 user "Good, with a window of five"
           a2 assistant "Done: the window has five readings."
           -- custom-title "spike-filter""#,
    ),
    (
        "summary",
        "/srv/notes",
        5 * HOUR_S,
        r#"%entrypoint sdk-cli
           u1 user @T source=sdk "Summarise the notes of the last week"
           a1 assistant "API Error: overloaded" api-error=overloaded"#,
    ),
    (
        "ci",
        "/srv/tidepool",
        DAY_S + 2 * HOUR_S,
        r#"u1 user @T "CI on main is red since last night"
           a1 assistant "A test needs the network; it is green again.""#,
    ),
    (
        "logo",
        "/srv/lanterna",
        DAY_S + 3 * HOUR_S,
        r#"u1 user @T "我们的标志在深色背景上看起来褪色了 (our logo looks washed out on the dark background)"
           a1 assistant "It needs a lighter stroke.""#,
    ),
    (
        "year",
        "/srv/tidepool",
        4 * DAY_S,
        r#"u1 user @T "tidepool should keep a year of readings"
           a1 assistant "CSV, one file per day"
           u2 user < - "tidepool should keep a year of readings, in a database"
           a2 assistant "SQLite in WAL mode then.""#,
    ),
    (
        "broker",
        "/srv/tidepool",
        22 * DAY_S,
        r#"u1 user @T "Since the broker on the pier restarts every night, reconnect"
           u2 user "[Request interrupted by user]""#,
    ),
];

/// A home with sessions of every group.
pub(crate) fn harbour() -> TestHome {
    let home = TestHome::new();
    for (name, folder, ago, log) in SESSIONS {
        let log = log.replace("@T", &format!("@{}", DAYS - ago - 5));
        let log = format!("%session {name}\n%cwd {folder}\n{log}");
        home.add_session(folder, &uuid(name), session(&log));
    }
    home.add_session("/srv/tidepool", &uuid("nothing"), "{\"type\":\"mode\",\"mode\":\"x\"}\n");
    home
}

/// Sets up the program with the harbour, at its time.
pub(crate) fn harbour_lab(home: &TestHome) -> LabSetup<'_> {
    given(home).at(DAYS * 1000).here("/srv/tidepool")
}

/// The running sessions of the harbour: one asks, one works, one is idle.
pub(crate) fn board(home: &TestHome) -> LiveBoard {
    let call = |tool: &str, summary: &str, asks: CallAsk| CallNow {
        id: None,
        tool: tool.to_owned(),
        summary: summary.to_owned(),
        since: None,
        asks,
    };
    let question = UserQuestion {
        question: "Shall I migrate the old files too?".into(),
        header: Some("migrate?".into()),
        options: Vec::new(),
        multiple: false,
    };
    let asks = call("AskUserQuestion", "", CallAsk::Questions(vec![question]));
    let works = call("Bash", "cargo test", CallAsk::Nothing);
    let cards = [
        ("importer", LiveGroup::NeedsInput, 130, Some(asks)),
        ("photos", LiveGroup::Working, 12, Some(works)),
        ("reading", LiveGroup::Idle, 26 * 60, None),
    ];
    let rows = rows_of(home);
    let cards = cards.into_iter().map(|(name, group, ago, call)| {
        let id = uuid(name);
        let row = rows.iter().find(|row| row.id.as_str() == id);
        LiveCard {
            item: InboxItem {
                row: row.expect("a row").clone(),
                process: None,
                since: Some(Time::from_millis(START + (DAYS - ago) * 1000)),
                asks: (group == LiveGroup::NeedsInput).then(|| InboxAsk {
                    kind: AskKind::Question,
                    call: call.clone(),
                    agent: None,
                }),
                now: SessionNow { calls: call.into_iter().collect(), ..SessionNow::default() },
            },
            group,
            run: None,
        }
    });
    LiveBoard { cards: cards.collect(), is_known: true, ..LiveBoard::default() }
}

fn rows_of(home: &TestHome) -> Vec<SessionRow> {
    let clock = LibraryClock::fixed(std::time::SystemTime::UNIX_EPOCH);
    let library = Library::open(LibrarySettings::of_home(home.path(), clock));
    let answer = library.expect("a library").list(&ListRequest::default(), &Unwatched);
    answer.expect("rows").rows
}
