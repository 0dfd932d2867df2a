//! Filtered sessions, page by page, while sessions come and go.

use unspool_engine::library::{FilteredCursor, FilteredPage, FilteredRequest, Library};
use unspool_model::ids::ProjectId;
use unspool_store::filter::{NamePattern, RowFilter};
use unspool_store::progress::Unwatched;
use unspool_store::rows::SessionKind;
use unspool_testkit::{TestHome, session, uuid};

use crate::setup::library;

/// Adds a session in a minute; sessions of one minute share their time.
fn add(home: &TestHome, name: &str, minute: usize, branch: &str) {
    let log = session(&format!("%branch {branch}\nu1 user @{} \"hello\"", minute * 60));
    home.add_session("/srv/demo", &uuid(name), log);
}

fn home() -> TestHome {
    let home = TestHome::new();
    for number in 0..60 {
        let branch = if number % 3 == 0 { "main" } else { "topic" };
        add(&home, &format!("s{number}"), number % 7, branch);
    }
    home
}

fn on(branch: &str) -> RowFilter {
    RowFilter { branches: vec![NamePattern::new(branch)], ..RowFilter::default() }
}

fn page(
    library: &Library,
    filter: &RowFilter,
    after: Option<FilteredCursor>,
    limit: usize,
) -> FilteredPage {
    let request =
        FilteredRequest { filter: filter.clone(), after, limit, ..FilteredRequest::default() };
    library.filtered(&request, &Unwatched).expect("a page")
}

/// Reads all pages; each cursor is converted to text and back.
fn ids(library: &Library, filter: &RowFilter, limit: usize) -> Vec<String> {
    let mut ids = Vec::new();
    let mut after = None;
    loop {
        let page = page(library, filter, after, limit);
        assert!(page.rows.len() <= limit);
        ids.extend(page.rows.iter().map(|row| row.id.to_string()));
        match page.next {
            Some(next) => after = Some(next.to_string().parse().expect("a cursor")),
            None => return ids,
        }
    }
}

#[test]
fn pages_of_any_length_put_together_are_the_list() {
    let home = home();
    let library = library(&home);
    let filters =
        [(RowFilter::default(), 60), (on("main"), 20), (on("topic"), 40), (on("nowhere"), 0)];
    for (filter, expected) in filters {
        let whole = ids(&library, &filter, 1000);
        assert_eq!(whole.len(), expected);
        for limit in [1, 7, 20] {
            assert_eq!(ids(&library, &filter, limit), whole, "{limit}");
        }
    }
}

#[test]
fn a_new_session_moves_no_other_to_another_page() {
    let home = home();
    let library = library(&home);
    for (minute, filter) in [(90, RowFilter::default()), (91, on("main"))] {
        let first = page(&library, &filter, None, 5);
        let before = page(&library, &filter, first.next.clone(), 5);
        add(&home, &format!("new{minute}"), minute, "main");
        let after = page(&library, &filter, first.next, 5);
        assert_eq!(before.rows, after.rows);
        assert_ne!(page(&library, &filter, None, 5).rows[0], first.rows[0]);
    }
}

#[test]
fn copies_of_one_session_are_told_apart() {
    let home = TestHome::new();
    for project in ["/srv/a", "/srv/b", "/srv/c"] {
        let log = session("%branch main\nu1 user @0 \"hello\"");
        home.add_session(project, &uuid("same"), log);
    }
    let library = library(&home);
    for filter in [RowFilter::default(), on("main")] {
        assert_eq!(ids(&library, &filter, 1).len(), 3);
    }
    let request = FilteredRequest {
        project: Some(ProjectId::new("-srv-b")),
        limit: 10,
        filter: on("main"),
        ..FilteredRequest::default()
    };
    let page = library.filtered(&request, &Unwatched).expect("a page");
    assert_eq!(page.rows.len(), 1);
    assert!(library.has_project(&ProjectId::new("-srv-b")));
    assert!(!library.has_project(&ProjectId::new("../-srv-b")));
}

#[test]
fn agents_are_listed_if_they_are_asked_for() {
    let home = home();
    let library = library(&home);
    let filter = RowFilter { kinds: vec![SessionKind::Agent], ..RowFilter::default() };
    assert_eq!(ids(&library, &filter, 10), Vec::<String>::new());
}

#[test]
fn what_is_not_a_cursor_is_told() {
    for text in ["", "x", "c.", "l.1", "l.x.1.s", "q.1.2.s", "l.1.-1.s"] {
        assert!(text.parse::<FilteredCursor>().is_err(), "{text}");
    }
    let home = home();
    let library = library(&home);
    let of_list = page(&library, &on("main"), None, 1).next;
    let request = FilteredRequest { after: of_list, limit: 1, ..FilteredRequest::default() };
    assert!(library.filtered(&request, &Unwatched).is_err());
}
