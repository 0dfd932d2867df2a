//! Pages: everything comes once, whatever the length of a page is.

use serde_json::Value;

use super::world::World;

/// Reads all pages of a list.
fn all(world: &World, way: &str, name: &str) -> Vec<Value> {
    let mut all = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut asked = way.to_owned();
        if let Some(cursor) = &cursor {
            asked.extend(["&cursor=", cursor]);
        }
        let page = world.json(&asked);
        all.extend(page[name].as_array().expect("a list").iter().cloned());
        match page["next"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => return all,
        }
    }
}

#[test]
fn lists_of_any_filter_are_read_page_by_page() {
    let world = World::new();
    for filter in [
        "",
        "&kind=main",
        "&project=notes",
        "&tool=Bash",
        "&kind=agent",
        "&since=2000-01-01",
        "&min_messages=2",
    ] {
        let whole = all(&world, &format!("/api/sessions?limit=1000{filter}"), "sessions");
        for limit in [1, 3] {
            let way = format!("/api/sessions?limit={limit}{filter}");
            assert_eq!(all(&world, &way, "sessions"), whole, "{way}");
        }
        let ended = |row: &Value| row["ended"].as_str().unwrap_or_default().to_owned();
        let times: Vec<String> = whole.iter().map(ended).filter(|t| !t.is_empty()).collect();
        assert!(times.is_sorted_by(|a, b| a >= b), "{filter}: {times:?}");
    }
}

#[test]
fn hits_are_read_page_by_page() {
    let world = World::new();
    for query in ["q=the", "q=the&flat=true", "q=e&mode=exact", "q=[aeiou]&mode=regex"] {
        let way = |limit: usize| format!("/api/search?{query}&limit={limit}");
        let names = |limit: usize| -> Vec<String> {
            let hits = all(&world, &way(limit), "hits");
            let name = |hit: &Value| {
                let parts = ["file", "entry", "role", "snippet"].map(|key| &hit[key]);
                format!("{parts:?}")
            };
            hits.iter().map(name).collect()
        };
        let whole = names(100);
        assert!(whole.len() > 7, "{query}: {}", whole.len());
        for limit in [100, 33] {
            let pages = names(limit);
            let same = pages.iter().zip(&whole).take_while(|(a, b)| a == b).count();
            let (page, all) = (pages.get(same), whole.get(same));
            assert_eq!(page, all, "{query} {limit}: hit {same}");
        }
    }
}

/// Reads messages page by page, from an entry to one end of the path.
fn walk(world: &World, way: &str, direction: &str, from: Option<&str>) -> Vec<Value> {
    let mut pages = Vec::new();
    let mut from = from.map(str::to_owned);
    loop {
        let mut asked = way.to_owned();
        if let Some(from) = &from {
            asked.extend(["&", direction, "=", from]);
        }
        let page = world.json(&asked);
        let messages = page["messages"].as_array().expect("messages").clone();
        pages.push(messages);
        match page[direction].as_str() {
            Some(next) => from = Some(next.to_owned()),
            None => break,
        }
    }
    if direction == "before" {
        pages.reverse();
    }
    pages.concat()
}

#[test]
fn messages_before_and_after_any_entry_are_all_of_them_once() {
    let world = World::new();
    let mut paths = 0;
    for row in world.sessions() {
        let known = world.known(&row);
        let base = format!("/api/sessions/{}", known.id);
        for path in 1..=known.paths {
            let whole = world.json(&format!("{base}/transcript.json?path={path}"));
            let whole = whole["messages"].as_array().expect("messages").clone();
            paths += 1;
            let way = |limit: usize| format!("{base}/messages?path={path}&limit={limit}");
            assert_eq!(walk(&world, &way(3), "before", None), whole, "{base} {path}");
            let step = (whole.len() / 4).max(1);
            for at in (0..whole.len()).step_by(step) {
                let entries = whole[at]["entries"].as_array().expect("entries");
                let entry = entries[entries.len() / 2].as_str().expect("a uuid");
                let limit = 1 + at % 5;
                let before = walk(&world, &way(limit), "before", Some(entry));
                let after = walk(&world, &way(limit), "after", Some(entry));
                let all = [&before[..], &whole[at..=at], &after[..]].concat();
                assert_eq!(all, whole, "{base} {path} {entry}");
            }
        }
    }
    assert!(paths > 20, "{paths}");
}

#[test]
fn views_and_agents_are_read_page_by_page() {
    let world = World::new();
    let known = world.richest();
    let base = format!("/api/sessions/{}", known.id);
    let context = world.json(&format!("{base}/transcript.json?view=context"));
    let context = context["messages"].as_array().expect("messages");
    let way = format!("{base}/messages?view=context&limit=2");
    assert_eq!(&walk(&world, &way, "before", None), context);
    for agent in &known.agents {
        let project = &known.project;
        let way = format!("/api/projects/{project}/agent-sessions/{agent}");
        let whole = world.json(&format!("{way}?session={}", known.id));
        let whole = whole["messages"].as_array().expect("messages");
        let way = format!("{base}/messages?agent={agent}&limit=2");
        assert_eq!(&walk(&world, &way, "before", None), whole, "{agent}");
    }
}

#[test]
fn an_entry_of_another_path_is_not_a_place() {
    let world = World::new();
    let known = world.richest();
    let way = format!("/api/sessions/{}/messages", known.id);
    let unknown = "00000000-0000-4000-8000-000000000000";
    assert_eq!(world.server.get(&format!("{way}?after={unknown}")).status, 404);
    let entry = &known.entries[0];
    let both = format!("{way}?after={entry}&before={entry}");
    assert_eq!(world.server.get(&both).status, 400);
    assert_eq!(world.server.get(&format!("{way}?path=999")).status, 404);
}
