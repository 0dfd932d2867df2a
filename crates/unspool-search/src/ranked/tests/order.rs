//! The order of hits, and texts that are shown once.

use super::*;

/// Adds sessions that contain some words, which makes the words common.
fn add_common(home: &TestHome, words: &[&str], times: usize) {
    for word in words {
        for number in 0..times {
            let notation = format!("u1 user \"{word} number {number}\"");
            home.add_session(CWD, &uuid(&format!("{word}{number}")), session(&notation));
        }
    }
}

#[test]
fn a_text_with_more_of_the_words_comes_before_one_with_fewer() {
    let home = TestHome::new();
    let common = ["heron", "egret", "stork", "crane"];
    // One word is rare enough to outweigh the others if only rarity counts.
    add_common(&home, &common, 14);
    let rare = session("u1 user \"gull gull gull gull\"");
    home.add_session(CWD, &uuid("one"), rare);
    let many = session(&format!("u1 user \"{}\"", common.join(" ")));
    home.add_session(CWD, &uuid("four"), many);
    let found = SearchFixture::new(&home).search("heron egret stork crane gull", 10);
    let order: Vec<&str> = found.sessions.iter().map(|it| it.session.as_str()).collect();
    assert_eq!(order[..2], [uuid("four"), uuid("one")]);
}

#[test]
fn a_session_with_more_of_the_words_comes_before_one_with_fewer() {
    let home = TestHome::new();
    add_common(&home, &["stork"], 10);
    let two = "u1 user \"heron egret today\"\na1 assistant \"heron again\"";
    home.add_session(CWD, &uuid("two"), session(two));
    let three = "u1 user \"heron egret there\"\na1 assistant \"stork again\"";
    home.add_session(CWD, &uuid("three"), session(three));
    let found = SearchFixture::new(&home).search("heron egret stork", 10);
    let order: Vec<&str> = found.sessions.iter().map(|it| it.session.as_str()).collect();
    assert_eq!(order[..2], [uuid("three"), uuid("two")]);
}

#[test]
fn an_agents_answer_and_the_result_of_its_call_are_one_hit() {
    let answer = "the walrus sleeps on the ice of the northern bay, as it does every winter";
    let home = home_of(&format!(
        "u1 user \"where does it sleep\"\n\
         a1 assistant call Task:t1 {{\"prompt\":\"look\"}}\n\
         r1 result t1 \"{answer}\\nagentId: a1 (for resuming)\""
    ));
    let agent = format!("%agent a1\nu1 user \"look\"\na1 assistant \"{answer}\"");
    home.add_agent(CWD, &uuid("s"), &AgentFilePlace::Subagents, "a1", session(&agent));
    let fixture = SearchFixture::new(&home);
    assert_eq!(fixture.texts("walrus").len(), 1);
    let flat = fixture.ask("walrus", 10, None).sessions;
    assert_eq!(flat.iter().map(|found| found.hits.len()).sum::<usize>(), 1);
}

#[test]
fn equal_hits_come_in_the_same_order_however_the_index_came_about() {
    let home = TestHome::new();
    let mut cache = tempfile::tempdir().expect("a folder");
    // The sessions are added in the reverse of every order that hits can have.
    let mut names: Vec<String> = (0..8).map(|number| uuid(&format!("s{number}"))).collect();
    names.sort_unstable();
    for name in names.iter().rev() {
        home.add_session(CWD, name, session("u1 user \"one needle\"\na1 assistant \"a needle\""));
        cache = SearchFixture::with_cache(&home, cache).into_cache();
    }
    let grown = SearchFixture::with_cache(&home, cache).order("needle");
    assert_eq!(grown.len(), 16);
    assert_eq!(grown, SearchFixture::new(&home).order("needle"));
}
