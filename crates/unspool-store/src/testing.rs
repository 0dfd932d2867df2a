//! Rows and prices for tests.

use std::path::PathBuf;

use unspool_model::conversation::Conversation;
use unspool_model::graph::{Rule, Scope};
use unspool_model::ids::{ProjectId, SessionId};
use unspool_model::log::Log;
use unspool_model::path_name;
use unspool_model::time::Time;

use crate::prices::{Override, PriceTable, Rate, Rates};
use crate::rows::{RowSource, SessionKind, SessionRow, Status};

/// Parses a time.
///
/// # Panics
///
/// Panics if the text is not a time.
pub fn time(text: &str) -> Time {
    Time::parse(text).expect(text)
}

/// Makes the row of an empty log in a project, with a title and one hour of activity.
pub fn row(id: &str, cwd: &str) -> SessionRow {
    let log = Log::default();
    let path = PathBuf::from(format!("/h/{id}.jsonl"));
    let subject = RowSource {
        id: &SessionId::new(id),
        home: None,
        project: Some(&ProjectId::new(path_name::encode(cwd))),
        path: &path,
        log: &log,
        scope: Scope::Session,
        modified: 0,
        called: None,
        agents: 0,
    };
    SessionRow {
        cwd: Some(cwd.to_owned()),
        title: Some(format!("about {id}")),
        started: Some(time("2026-11-01T10:00:00Z")),
        ended: Some(time("2026-11-01T11:00:00Z")),
        turns: 1,
        messages: 2,
        bytes: 1000,
        status: Status::Complete,
        kind: SessionKind::Main,
        ..subject.row(&Conversation::new(&log, Rule::Current, Scope::Session))
    }
}

/// Makes prices of one dollar per million tokens for `opus` and `haiku`; `mystery` has no price.
///
/// # Panics
///
/// Never: one dollar is a valid price.
pub fn dollar_prices() -> PriceTable {
    let rate = Rate::from_usd(1.0).expect("a price");
    let rates = Rates {
        input: rate,
        output: rate,
        cache_write_5m: rate,
        cache_write_1h: rate,
        cache_read: rate,
    };
    PriceTable::built_in().with_overrides(["opus", "haiku"].map(|model| Override {
        model: model.to_owned(),
        from: None,
        rates,
    }))
}
