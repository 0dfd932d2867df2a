//! Pages without a conversation, or without all of it.

use unspool_testkit::{TestHome, session};

use super::{ID, server};
use crate::harness::TestServer;

#[test]
fn an_empty_session_says_what_it_has() {
    let server =
        server("-- custom-title \"Nothing yet\"\n-- mode \"plan\"\n-- torn {\"type\":\"us\n");
    let page = server.get(&format!("/s/{ID}"));
    assert_eq!(page.status, 200, "{}", page.body);
    assert!(page.body.contains("<h1>Nothing yet</h1>"), "{}", page.body);
    assert!(page.body.contains("No conversation; 2 metadata entries"), "{}", page.body);
    assert!(page.body.contains("A damaged line of the log"), "{}", page.body);
}

#[test]
fn a_damaged_line_is_named_in_its_place() {
    let server = server(
        "u1 user \"before it\"\n-- raw {\"type\":\"user\",\"mess\na1 assistant < u1 \"after it\"\n",
    );
    let page = server.get(&format!("/s/{ID}")).body;
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} in {page}"));
    let (before, damage) = (place("before it</div>"), place("class=\"damaged\""));
    assert!(before < damage && damage < place("after it"), "{page}");
    assert!(page.contains(&format!("/s/{ID}/raw/byte:")), "{page}");
    assert!(page.contains("1 damaged"), "{page}");
}

#[test]
fn an_agent_without_a_file_is_named() {
    let server = server(
        "u1 user \"go\"\na1 assistant call Agent:t1 {\"description\":\"dig\",\"prompt\":\"deep\"}\n\
         r1 result t1 \"found\" agent=gone1\n",
    );
    let page = server.get(&format!("/s/{ID}")).body;
    assert!(page.contains("Agent"), "{page}");
    let way = format!("/s/{ID}/a/gone1");
    let agent = server.ask_as_owner("GET", &way, &[("accept", "text/html")]);
    assert_eq!(agent.status, 404);
    assert!(agent.body.contains("its file is gone"), "{}", agent.body);
    assert!(agent.body.contains("gone1"), "{}", agent.body);
}

#[test]
fn of_a_log_that_is_gone_the_prompts_are_shown() {
    let home = TestHome::new();
    home.add_session(
        "/srv/other",
        "22222222-2222-4222-8222-222222222222",
        session("u1 user \"x\""),
    );
    home.add_history("/srv/demo", ID, 1_767_225_600_000, "fix <b>the</b> bug");
    let server = TestServer::of(home);
    let page = server.get(&format!("/s/{ID}"));
    assert_eq!(page.status, 200, "{}", page.body);
    assert!(page.body.contains("The log of this session is gone"), "{}", page.body);
    assert!(page.body.contains("fix &lt;b&gt;the&lt;/b&gt; bug"), "{}", page.body);
    unspool_testkit::markup::check_served(&page.body);
    assert_eq!(server.get("/s/33333333-3333-4333-8333-333333333333").status, 404);
}

#[test]
fn an_id_that_two_projects_have_needs_the_project() {
    let home = TestHome::new();
    home.add_session("/srv/one", ID, session("u1 user \"of the first\""));
    home.add_session("/srv/two", ID, session("u1 user \"of the second\""));
    let server = TestServer::of(home);
    let page = server.get(&format!("/s/{ID}"));
    assert_eq!(page.status, 409, "{}", page.body);
    for project in ["-srv-one", "-srv-two"] {
        let way = format!("/s/{ID}?project={project}");
        assert!(page.body.contains(&format!("href=\"{way}\"")), "{}", page.body);
    }
    let second = server.get(&format!("/s/{ID}?project=-srv-two"));
    assert_eq!(second.status, 200);
    assert!(second.body.contains("of the second"), "{}", second.body);
    let link = format!("/s/{ID}?project=-srv-two&amp;turn=1#turn-1");
    assert!(second.body.contains(&link), "{}", second.body);
    let part = server.get(&format!("/s/{ID}/part?project=-srv-two"));
    assert!(part.body.contains("of the second"), "{}", part.body);
}
