//! Parts that a page fetches: messages, positions, matches.

use super::{ID, messages, server, transcript, turns, values};
use unspool_testkit::uuid;

/// Returns the markup of every filled chunk of a page, by its first message.
fn filled(page: &str) -> Vec<(&str, &str)> {
    let chunks = transcript(page).split("<div class=\"chunk\" ").skip(1);
    chunks
        .filter_map(|chunk| {
            let (head, body) = chunk.split_once(">\n")?;
            let from = values(&chunk[..head.len()], "data-from").first().copied()?;
            // The last chunk is followed by the end of the transcript.
            let end = body.rfind("</section>\n").map_or(0, |at| at + "</section>\n".len());
            Some((from, &body[..end]))
        })
        .collect()
}

#[test]
fn parts_put_together_are_the_whole_transcript() {
    let server = server(&turns(150));
    let page = server.get(&format!("/s/{ID}")).body;
    let froms = values(transcript(&page), "data-from");
    let tos = values(transcript(&page), "data-to");
    let mut seen = Vec::new();
    let mut whole = String::new();
    for (from, to) in froms.iter().zip(&tos) {
        let part = server.get(&format!("/s/{ID}/part?path=1&from={from}&to={to}"));
        assert_eq!(part.status, 200, "{}", part.body);
        unspool_testkit::markup::check_served(&part.body);
        seen.extend(messages(&part.body));
        whole += &part.body;
    }
    assert_eq!(seen, (0..450).collect::<Vec<_>>());
    for n in 1..=150 {
        assert_eq!(whole.matches(&format!("id=\"turn-{n}\"")).count(), 1);
        assert!(whole.contains(&format!("answer number {n}<")));
        assert!(whole.contains(&format!("output {n}<")));
    }
    // The page has the same bytes as the parts.
    for (from, body) in filled(&page).into_iter().filter(|(_, body)| body.contains("<article")) {
        let at = froms.iter().position(|known| *known == from).expect("a chunk");
        let query = format!("path=1&links=active&from={from}&to={}", tos[at]);
        let part = server.get(&format!("/s/{ID}/part?{query}"));
        assert!(body == part.body, "chunk {from} is another one in the page");
    }
}

#[test]
fn a_part_is_asked_for_again_only_when_it_changed() {
    let server = server(&turns(2));
    let way = format!("/s/{ID}/part?from=0&to=3");
    let part = server.get(&way);
    let tag = part.header("etag").expect("a tag").to_owned();
    let again = |tag: &str| server.get_unless(&way, tag);
    assert_eq!(again(&tag).status, 304);
    assert_eq!(again("\"other\"").status, 200);
    // Messages after the part do not matter; changes in it do.
    let grow = |lines: &str| {
        let all = format!("{}{lines}", turns(2));
        let log = unspool_testkit::session(&all);
        server.home.add_session("/srv/demo", ID, log);
    };
    grow("u3 user \"more\"\n");
    assert_eq!(again(&tag).status, 304);
    grow("x1 user < b1 \"another way\"\n");
    assert_eq!(again(&tag).status, 200, "a branch leaves in it now");
}

#[test]
fn ranges_are_kept_in_bounds() {
    let server = server(&turns(200));
    let part = |query: &str| server.get(&format!("/s/{ID}/part?{query}"));
    assert_eq!(messages(&part("from=0&to=600").body).len(), 120);
    assert_eq!(messages(&part("from=590&to=99999").body).len(), 10);
    assert_eq!(part("from=700&to=701").body, "");
    assert_eq!(part("from=5&to=4").status, 400);
    assert_eq!(part("from=-1").status, 400);
}

#[test]
fn positions_say_where_to_look() {
    let server = server(&turns(100));
    let place = |query: &str| server.get(&format!("/s/{ID}/where?{query}"));
    let found = place(&format!("entry={}", uuid("r40"))).json();
    assert_eq!(found["ordinal"], 118);
    assert_eq!(found["here"], true);
    assert_eq!(found["schema"], 1);
    let (from, to) = (found["from"].as_u64(), found["to"].as_u64());
    assert!(from <= Some(118) && Some(118) < to, "{found}");
    assert_eq!(place("turn=3").json()["ordinal"], 6);
    assert_eq!(place("call=t9").json()["ordinal"], 25);
    assert_eq!(place("next=call&from=30").json()["ordinal"], 31);
    assert_eq!(place("next=call&from=30&way=back").json()["ordinal"], 28);
    assert_eq!(place("next=error&from=0").status, 404);
    assert_eq!(place("next=other").status, 400);
    assert_eq!(place("turn=300").status, 404);
    assert_eq!(place("").status, 400);
}

#[test]
fn an_entry_of_an_agent_is_found_in_its_conversation() {
    use unspool_testkit::home::AgentFilePlace;
    use unspool_testkit::session;
    let server = server(
        "u1 user \"go\"\na1 assistant call Agent:t1 {\"description\":\"dig\",\"prompt\":\"deep\"}\n\
         r1 result t1 \"found\" agent=abc\na2 assistant \"done\"\n",
    );
    let log = session("%agent abc\nx1 user \"deep\"\ny1 assistant \"gold\"\n");
    let place = AgentFilePlace::Subagents;
    server.home.add_agent("/srv/demo", ID, &place, "abc", log);
    let page = server.get(&format!("/s/{ID}")).body;
    let agent = format!("<details class=\"agent\" data-agent=\"/s/{ID}/a/abc\">");
    assert!(page.contains(&agent), "{page}");
    let found = server.get(&format!("/s/{ID}/where?entry={}", uuid("y1"))).json();
    assert_eq!(found["agent"], "abc");
    assert_eq!(found["here"], false);
    let inside = server.get(&format!("/s/{ID}/a/abc/part?form=bare&to=100")).body;
    assert!(inside.contains("gold") && !inside.contains("<section"), "{inside}");
    let own = server.get(&format!("/s/{ID}/a/abc"));
    assert_eq!(own.status, 200);
    assert!(own.body.contains("gold") && own.body.contains("<h1>dig</h1>"), "{}", own.body);
    let short = server.get("/a/abc");
    let way = format!("/s/{ID}/a/abc?project=-srv-demo");
    assert_eq!((short.status, short.header("location")), (303, Some(way.as_str())));
    assert_eq!(server.get(&way).status, 200);
    assert_eq!(server.get("/a/nothing-here").status, 404);
}

#[test]
fn a_text_is_found_by_chunk() {
    let server = server(&turns(100));
    let found = server.get(&format!("/s/{ID}/find?q=number%2077")).json();
    assert_eq!(found["total"], 2);
    let chunk = &found["chunks"][0];
    assert_eq!(chunk["messages"][0][0], 228);
    assert_eq!(found["next"], serde_json::Value::Null);
    assert_eq!(server.get(&format!("/s/{ID}/find?q=")).json()["total"], 0);
    let long = "x".repeat(2000);
    assert_eq!(server.get(&format!("/s/{ID}/find?q={long}")).status, 400);
}
