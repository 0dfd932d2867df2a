//! The work for a page of a very long session, counted.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::SystemTime;

use axum::http::Request;
use tokio::sync::watch;
use unspool_engine::library::{Library, LibraryClock, LibrarySettings};
use unspool_engine::ops::context_series::context_series;
use unspool_engine::ops::timeline::time_sums;
use unspool_testkit::TestHome;
use unspool_testkit::generate;

use super::page::page;
use super::part::part;
use super::request::SheetRequest;
use super::sheet::SessionSheet;
use crate::access::Access;
use crate::limits::ConnectionLimits;
use crate::route::Call;
use crate::settings::{ServerSettings, TokenPolicy};
use crate::state::ServerState;
use crate::web::WebReply;

const ID: &str = "11111111-1111-4111-8111-111111111111";

fn state(home: &TestHome) -> Arc<ServerState> {
    let clock = LibraryClock::fixed(SystemTime::UNIX_EPOCH);
    let library = Library::open(LibrarySettings::of_home(home.path(), clock));
    let settings = ServerSettings {
        library: Arc::new(library.expect("a library")),
        access: Access::in_memory(None).expect("access"),
        tokens: TokenPolicy::Open,
        host_names: Vec::new(),
        limits: ConnectionLimits::default(),
        home_label: String::new(),
        logs_home: None,
        drive: None,
    };
    let (_, ending) = watch::channel(false);
    Arc::new(ServerState::new(settings, 1, ending))
}

fn call(state: &Arc<ServerState>, way: &str) -> Call {
    let (parts, ()) = Request::builder().uri(way).body(()).expect("a request").into_parts();
    let names = HashMap::from([("id".to_owned(), ID.to_owned())]);
    Call::new(Arc::clone(state), names, &parts)
}

/// Counts the steps of the work for an answer.
fn counted(answer: impl FnOnce() -> WebReply) -> (u64, WebReply) {
    let mut reply = None;
    let work = unspool_work::count(|| reply = Some(answer()));
    (work, reply.expect("an answer"))
}

#[test]
fn a_page_of_a_hundred_thousand_messages_reads_a_few_hundred() {
    let home = TestHome::new();
    let mut log = Vec::new();
    generate::chain(&mut log, 100_000).expect("a log");
    home.add_session("/srv/demo", ID, log);
    let state = state(&home);
    // The session stays open, so that reading its log is not counted.
    let open = state.session_in(ID, None).expect("it opens");
    // Scans of the log's tables are counted separately; the other steps read messages.
    let asked = SheetRequest::of(&call(&state, &format!("/s/{ID}"))).expect("a request");
    let tables = |page: bool| {
        let work = counted(|| {
            let view = open.view();
            let sheet = SessionSheet::new(&view, &asked, state.prices()).expect("a sheet");
            if page {
                sheet.counts();
                context_series(&sheet.shown);
                time_sums(&sheet.shown).expect("sums");
            }
            sheet.plan();
            WebReply::of("text/plain", Vec::new())
        });
        work.0
    };
    let beyond = tables(true);
    let way = format!("/s/{ID}");
    let (work, reply) = counted(|| page(&call(&state, &way)).expect("a page"));
    let read = work.saturating_sub(beyond);
    assert!(read < 400, "{read} steps beyond {beyond}");
    let html = String::from_utf8(reply.body().to_vec()).expect("text");
    let articles = html.matches("<article").count();
    assert!(articles <= 100, "{articles}");
    let elements = html.matches('<').count() / 2;
    assert!(elements < 15_000, "{elements}");
    let way = format!("/s/{ID}/part?from=50000&to=50060");
    let (work, _) = counted(|| part(&call(&state, &way)).expect("a part"));
    let read = work.saturating_sub(tables(false));
    // Sixty messages are read, and each paragraph is painted in a few steps.
    assert!(read < 400, "{read}");
}
