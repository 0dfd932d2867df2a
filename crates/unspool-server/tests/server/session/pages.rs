//! The page itself: its first content, and its links.

use super::{ID, messages, server, transcript, turns, values};
use unspool_testkit::uuid;

#[test]
fn a_short_session_is_there_as_a_whole() {
    let server = server(&turns(3));
    let page = server.get(&format!("/s/{ID}"));
    assert_eq!(page.status, 200, "{}", page.body);
    assert_eq!(messages(&page.body), (0..9).collect::<Vec<_>>());
    assert!(page.body.contains("3 turns"));
    for n in 1..=3 {
        assert!(page.body.contains(&format!("id=\"turn-{n}\"")));
        assert!(page.body.contains(&format!("href=\"/s/{ID}?turn={n}#turn-{n}\"")));
        assert!(page.body.contains(&format!("id=\"e-{}\"", uuid(&format!("a{n}")))));
    }
    assert_eq!(page.body.matches("<dialog class=\"keys\"").count(), 1, "{}", page.body);
    let line = "<p class=\"complete\">12 entries: <a href=\"";
    assert!(page.body.contains(line), "{}", page.body);
}

#[test]
fn of_a_long_session_the_newest_hundred_messages_are_there() {
    let server = server(&turns(200));
    let page = server.get(&format!("/s/{ID}")).body;
    let shown = messages(&page);
    assert_eq!(shown.last(), Some(&599));
    assert!(shown.len() <= 100 && shown.len() >= 40, "{}", shown.len());
    let empty = transcript(&page).matches(" data-h=\"").count();
    let chunks = values(transcript(&page), "data-from");
    assert!(empty > 5 && chunks.len() > empty);
    // Every message is in one chunk, and an empty chunk has a link that shows it.
    let ends = values(transcript(&page), "data-to");
    assert_eq!(chunks[1..], ends[..ends.len() - 1]);
    assert_eq!((chunks[0], ends[ends.len() - 1]), ("0", "600"));
    let first = server.get(&format!("/s/{ID}?m={}", chunks[1])).body;
    let from: u32 = chunks[1].parse().expect("a number");
    assert!(messages(&first).contains(&from));
    assert!(!messages(&first).contains(&599));
}

#[test]
fn an_address_shows_what_it_names() {
    let server = server(&turns(200));
    let about = |query: &str| messages(&server.get(&format!("/s/{ID}?{query}")).body);
    assert!(about("turn=100").contains(&297));
    assert!(about(&format!("at={}", uuid("b50"))).contains(&149));
    // The result of a call is in the message of the call.
    assert!(about(&format!("at={}", uuid("r50"))).contains(&148));
    assert!(about("call=t70").contains(&208));
    assert_eq!(about("turn=9999"), about(""));
    assert_eq!(server.get(&format!("/s/{ID}?at=00000000-0000")).status, 404);
    assert_eq!(server.get(&format!("/s/{ID}?turn=x")).status, 400);
}

const FORKED: &str = r#"
u1 user "first"
a1 assistant "one"
u2 user "left"
a2 assistant "two"
u3 user < a1 "taken"
a3 assistant "three"
"#;

#[test]
fn branches_are_named_where_they_leave_and_can_be_opened() {
    let server = server(FORKED);
    let page = server.get(&format!("/s/{ID}")).body;
    assert!(page.contains("1 branch left here"), "{page}");
    assert!(page.contains("path 1, rewound: 1 turn"), "{page}");
    assert!(page.contains("2 entries are not on the active path"), "{page}");
    assert!(page.contains("<summary>path 2 of 2</summary>"), "{page}");
    let other = server.get(&format!("/s/{ID}?path=1")).body;
    assert!(other.contains("id=\"abandoned\""), "{other}");
    assert!(other.contains("left") && !transcript(&other).contains("taken"));
    assert_eq!(server.get(&format!("/s/{ID}?path=7")).status, 404);
    // The address of an entry on another path redirects to that path.
    let entry = uuid("a2");
    let moved = server.get(&format!("/s/{ID}?at={entry}"));
    assert_eq!(moved.status, 303);
    let way = format!("/s/{ID}?path=1&at={entry}#e-{entry}");
    assert_eq!(moved.header("location"), Some(way.as_str()));
    assert_eq!(server.get(&format!("/s/{ID}?path=1&at={entry}")).status, 200);
}

#[test]
fn the_context_is_a_view_of_its_own() {
    let server = server(
        r#"
u1 user "before"
a1 assistant "one"
c1 system compact_boundary "compacted" before=1000 after=100
s1 user summary "what was said"
u2 user "after"
a2 assistant "two"
"#,
    );
    let history = server.get(&format!("/s/{ID}")).body;
    assert!(transcript(&history).contains("before"));
    assert!(history.contains("class=\"compacted\""), "{history}");
    let context = server.get(&format!("/s/{ID}?view=context")).body;
    assert!(!transcript(&context).contains(">before<"), "{context}");
    assert!(context.contains("This is what the model would be sent"));
    assert_eq!(server.get(&format!("/s/{ID}?view=other")).status, 400);
}

#[test]
fn the_rail_of_many_turns_is_bounded() {
    let server = server(&turns(500));
    let page = server.get(&format!("/s/{ID}?turn=250")).body;
    let lines = values(&page, "data-turn");
    assert!(lines.len() < 125 && lines.contains(&"250"), "{}", lines.len());
    let around = server.get(&format!("/s/{ID}/rail?turn=20")).body;
    assert!(values(&around, "data-turn").contains(&"20"));
    assert!(around.contains("prompt number 20"));
    assert!(!around.contains("prompt number 250"));
}

#[test]
fn reading_goes_on_where_it_ended() {
    let server = server(&turns(100));
    let page = server.get(&format!("/s/{ID}")).body;
    assert!(!page.contains("id=\"fresh\""), "nothing was read before");
    let read = |entry: &str| {
        let way = format!("/s/{ID}/read?path=1&entry={}", uuid(entry));
        server.ask_as_owner("POST", &way, &[]).status
    };
    assert_eq!(read("b40"), 204);
    assert_eq!(read("b20"), 204, "a mark never goes back");
    let page = server.get(&format!("/s/{ID}")).body;
    let line = page.find("id=\"fresh\"").expect("a line");
    let place = |text: &str| page.find(text).expect("it is there");
    assert!(place("answer number 40<") < line && line < place(">prompt number 41</div>"));
    assert!(page.contains("data-read=\"119\""));
    assert_eq!(page.matches("class=\"mark new\"").count(), 60);
    assert_eq!(read("b100"), 204);
    assert!(!server.get(&format!("/s/{ID}")).body.contains("id=\"fresh\""));
    assert_eq!(read("nothing"), 404);
    let foreign = [("origin", "http://evil.example")];
    let way = format!("/s/{ID}/read?entry={}", uuid("b1"));
    assert_eq!(server.ask_as_owner("POST", &way, &foreign).status, 403);
}

#[test]
fn sums_of_a_very_long_session_come_after_its_page() {
    let server = server(&turns(2_800));
    let page = server.get(&format!("/s/{ID}")).body;
    assert!(page.contains("id=\"panel-facts\" data-late"), "{page}");
    assert!(page.contains("Log</dt>") && !page.contains("<h2>Time</h2>"));
    for way in ["/panel", "?facts=1"] {
        let whole = server.get(&format!("/s/{ID}{way}")).body;
        assert!(!whole.contains("data-late"), "{way}");
        for words in ["<h2>Time</h2>", "<h2>Tools</h2>", "Log</dt>"] {
            assert!(whole.contains(words), "{way}: {words}");
        }
    }
}
