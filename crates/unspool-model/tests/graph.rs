//! Links and paths of sessions: a notation in, paths out.

use std::collections::HashMap;

use unspool_model::conversation::Conversation;
use unspool_model::graph::{Rule, Scope};
use unspool_model::log::Log;
use unspool_model::node::Edge;
use unspool_model::positions::NodeId;
use unspool_testkit::{session, uuid};

/// Writes the paths of a session as `1: a b c` and `2*: a d` with a star for the active one.
fn paths(notation: &str, rule: Rule) -> Vec<String> {
    let names: HashMap<String, &str> = notation
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .map(|name| (uuid(name), name))
        .collect();
    let log = Log::read(&session(notation));
    let conversation = Conversation::new(&log, rule, Scope::Session);
    let name = |&node: &NodeId| {
        let uuid = conversation.graph.entry(&log, node).uuid;
        uuid.map_or("?", |uuid| names[log.text(uuid)])
    };
    conversation
        .paths
        .paths
        .iter()
        .map(|path| {
            let nodes = conversation.paths.nodes(&conversation.graph, path);
            let names: Vec<&str> = nodes.iter().map(name).collect();
            let star = if path.active { "*" } else { "" };
            format!("{}{star}: {}", path.index, names.join(" "))
        })
        .collect()
}

fn check(notation: &str, expected: &[&str]) {
    assert_eq!(paths(notation, Rule::Current), expected, "{notation}");
}

fn check_rule(rule: Rule, notation: &str, expected: &[&str]) {
    assert_eq!(paths(notation, rule), expected, "{notation}");
}

#[test]
fn an_unknown_parent_is_bridged_to_what_comes_before() {
    let notation = "u1 user \"1\"\na1 assistant \"1\"\nu2 user < ?gone \"2\"\na2 assistant \"2\"";
    check(notation, &["1*: u1 a1 u2 a2"]);
    check_rule(Rule::NewestTime, notation, &["1: u1 a1", "2*: u2 a2"]);
    check_rule(Rule::Sdk, notation, &["1: u1 a1", "2*: u2 a2"]);
}

#[test]
fn an_unknown_parent_at_the_start_is_a_root() {
    check("u1 user < ?elsewhere \"1\"\na1 assistant \"1\"", &["1*: u1 a1"]);
}

#[test]
fn a_bridge_stays_on_its_side() {
    check("u1 user \"1\"\ns1 user < - sidechain \"s\"\nu2 user < ?gone \"2\"", &["1*: u1 u2"]);
}

#[test]
fn a_cycle_is_cut_where_the_parent_comes_later() {
    check(
        "u1 user \"1\"\na1 assistant < a2 \"1\"\nu2 user < a1 \"2\"\na2 assistant < u2 \"2\"",
        &["1*: u1 a1 u2 a2"],
    );
    check("u1 user < u1 \"its own parent\"\na1 assistant \"1\"", &["1*: u1 a1"]);
    check("u1 user < a1 \"1\"\na1 assistant < u1 \"1\"", &["1*: u1 a1"]);
}

#[test]
fn children_may_be_before_their_parents() {
    check(
        "u1 user \"1\"\na2 assistant < u2 \"2\"\nu2 user < a1 \"2\"\na1 assistant < u1 \"1\"",
        &["1: u1 a1 u2 a2", "2*: u1 a1"],
    );
    // Without a pin, the client continues from the last line, or from a newer one below it.
    check(
        "u1 user \"1\"\na2 assistant < u2 @90 \"2\"\nu2 user < a1 @2 \"2\"\na1 assistant < u1 @3 \"1\"",
        &["1*: u1 a1 u2 a2"],
    );
}

#[test]
fn a_duplicate_counts_once_with_its_last_content() {
    check(
        "u1 user \"1\"\na1 assistant \"1\"\nu1 user again < - \"1, changed\"\na1 assistant again < u1 \"1\"",
        &["1*: u1 a1"],
    );
}

#[test]
fn forks_are_messages_continued_in_more_than_one_way() {
    check(
        "u1 user \"1\"\na1 assistant \"1\"\nu2 user \"2\"\na2 assistant \"2\"\nu3 user < a1 \"3\"",
        &["1: u1 a1 u2 a2", "2*: u1 a1 u3"],
    );
}

#[test]
fn hooks_results_and_remarks_are_no_forks() {
    check(
        r#"
u1 user "1"
c1 assistant msg=m call Bash:t1 {}
h1 attachment hook_success < c1
c2 assistant < c1 msg=m call Bash:t2 {}
r2 result < c2 t2 "2"
p1 progress bash_progress < c1
r1 result < c1 t1 "1"
n1 system stop_hook_summary < r2
m1 user < r1 meta "injected"
a2 assistant < r1 "done"
"#,
        &["1*: u1 c1 h1 c2 r2 p1 r1 n1 m1 a2"],
    );
}

#[test]
fn what_is_between_a_fork_and_a_branch_belongs_to_the_branch() {
    check(
        r#"
u1 user "1"
a1 assistant "1"
n1 system turn_duration
u2 user "2"
u3 user < a1 "3"
"#,
        &["1: u1 a1 n1 u2", "2*: u1 a1 u3"],
    );
}

#[test]
fn a_compaction_joins_what_it_compacted() {
    let notation = r#"
u1 user "1"
a1 assistant "1"
b1 system compact_boundary
s1 user summary "in short"
u2 user "2"
"#;
    check(notation, &["1*: u1 a1 b1 s1 u2"]);
    check_rule(Rule::Sdk, notation, &["1: u1 a1", "2*: b1 s1 u2"]);
}

#[test]
fn what_follows_a_kept_message_follows_the_summary() {
    check(
        r#"
u1 user "1"
a1 assistant "1"
b1 system compact_boundary keep=a1
s1 user summary "in short"
u2 user < a1 "2"
a2 assistant "2"
"#,
        &["1*: u1 a1 b1 s1 u2 a2"],
    );
}

#[test]
fn the_last_note_of_the_client_decides() {
    let fork = "u1 user \"1\"\na1 assistant \"1\"\nu2 user \"2\"\na2 assistant \"2\"\nu3 user < a1 \"3\"\n";
    check(&format!("{fork}-- last-prompt a2"), &["1*: u1 a1 u2 a2", "2: u1 a1 u3"]);
    check(&format!("{fork}-- last-prompt a1"), &["1: u1 a1 u2 a2", "2*: u1 a1 u3"]);
    check(&format!("{fork}-- last-prompt zero"), &["1: u1 a1 u2 a2", "2*: u1 a1 u3"]);
    check(
        &format!("{fork}-- last-prompt a2\nu4 user < a2 \"4\"\nu5 user < a1 \"5\""),
        &["1: u1 a1 u2 a2 u4", "2: u1 a1 u3", "3: u1 a1 u5", "4*: u1 a1 u2 a2"],
    );
}

#[test]
fn a_main_entry_below_a_subagent_hangs_on_the_main_entry_above_it() {
    check(
        r#"
u1 user "1"
a1 assistant "delegating"
s1 user sidechain "task"
s2 assistant sidechain "done"
a2 assistant < s2 "back"
"#,
        &["1*: u1 a1 a2"],
    );
}

#[test]
fn an_unknown_type_links_when_it_is_named_as_a_parent() {
    let bytes = br#"{"type":"user","uuid":"u1","message":{"content":"1"}}
{"type":"novelty","uuid":"x1","parentUuid":"u1"}
{"type":"novelty","uuid":"x2","parentUuid":"u1"}
{"type":"assistant","uuid":"a1","parentUuid":"x1","message":{"id":"m","content":[]}}
"#;
    let log = Log::read(bytes);
    let conversation = Conversation::new(&log, Rule::Current, Scope::Session);
    let counts = conversation.counts();
    assert_eq!((counts.active, counts.metadata), (3, 1));
    assert!(conversation.graph.nodes.iter().all(|node| node.edge != Edge::Bridged));
}
