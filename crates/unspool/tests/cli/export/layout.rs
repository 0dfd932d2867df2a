//! The places of agents, images and other parts.

use unspool_testkit::home::AgentFilePlace;
use unspool_testkit::{TestHome, session};

use super::{export, name};
use crate::run::{OTHER, SESSION, home_with};

/// A session with an agent that its call started, and an agent that no call refers to.
fn with_agents() -> TestHome {
    let home = home_with(
        r#"
u1 user "go"
a1 assistant call Agent:t1 {"description":"look around","prompt":"look at <everything>","subagent_type":"Explore"}
r1 result t1 "all is well" agent=abc1
a2 assistant "done"
"#,
    );
    let agent = "%agent abc1\nx1 user \"look at <everything>\"\ny1 assistant \"I **looked**.\"\n";
    home.add_agent("/srv/demo", SESSION, &AgentFilePlace::Subagents, "abc1", session(agent));
    let lost = "%agent lost\nx2 user \"nobody asked\"\ny2 assistant \"still here\"\n";
    home.add_agent("/srv/demo", SESSION, &AgentFilePlace::Subagents, "lost", session(lost));
    home
}

#[test]
fn agents_are_under_the_call_that_started_them() {
    let exported = export(&with_agents(), &[SESSION]);
    let text = exported.only();
    let agent = text.find("I **looked**.").expect("the agent's answer");
    let call = text.find("<b>Agent</b>").expect("the call");
    let done = text.find("\ndone").expect("the answer");
    assert!(call < agent && agent < done, "{text}");
    assert_eq!(text.matches("look at &lt;everything&gt;").count(), 1, "{text}");
    let lost = text.find("## 1 agent that no call is known for").expect("a heading");
    assert!(text[lost..].contains("still here"), "{text}");
    assert!(text.contains("<summary>agent abc1 · Explore · look around · 2 messages</summary>"));
}

#[test]
fn agents_may_have_files_of_their_own() {
    let exported = export(&with_agents(), &[SESSION, "--agents", "separate"]);
    let names = [name(".md"), name("_agent_abc1.md"), name("_agent_lost.md")];
    assert_eq!(exported.names(), names);
    let text = exported.text(&names[0]);
    assert!(!text.contains("I **looked**."), "{text}");
    assert!(text.contains(&format!("[agent abc1]({})", names[1])), "{text}");
    assert!(text.contains(&format!("[agent lost]({})", names[2])), "{text}");
    let agent = exported.text(&names[1]);
    assert!(agent.contains("I **looked**.") && agent.contains("- **Agent:** abc1"), "{agent}");
    for format in ["json", "jsonl", "text"] {
        let exported =
            export(&with_agents(), &[SESSION, "--agents", "separate", "--format", format]);
        assert_eq!(exported.files.len(), 3, "{format}");
    }
}

#[test]
fn agents_of_a_session_that_is_left_out_are_not_lost() {
    let home = with_agents();
    let log =
        std::fs::read_to_string(home.project_dir("/srv/demo").join(format!("{SESSION}.jsonl")));
    let mut copy = log.expect("a log");
    let more =
        String::from_utf8(session("a2 assistant \"done\"\nu9 user \"and now?\"\n")).expect("UTF-8");
    copy.push_str(more.lines().nth(1).expect("a line"));
    copy.push('\n');
    home.add_session("/srv/demo", OTHER, copy);
    let exported = export(&home, &["--all"]);
    assert_eq!(exported.names(), [format!("transcript_{OTHER}.md")]);
    let text = exported.only();
    assert!(text.contains("I **looked**.") && text.contains("still here"), "{text}");
    let exported = export(&home, &["--all", "--agents", "separate"]);
    assert_eq!(exported.files.len(), 3, "{:?}", exported.names());
}

#[test]
fn agents_without_a_session_are_exported_alone() {
    let home = TestHome::new();
    let agent = "%agent abc1\nx1 user \"look\"\ny1 assistant \"looked\"\n";
    home.add_agent("/srv/demo", SESSION, &AgentFilePlace::Subagents, "abc1", session(agent));
    let inline = export(&home, &["--all"]);
    assert_eq!(inline.files.len(), 0);
    assert!(inline.ran.err.contains("of 1 session only agents are left"), "{}", inline.ran.err);
    // Each session is counted once.
    assert!(!inline.ran.err.contains("without a conversation"));
    let exported = export(&home, &["--all", "--agents", "separate"]);
    assert_eq!(exported.names(), [name("_agent_abc1.md")]);
    assert!(exported.only().contains("looked"));
}

#[test]
fn images_are_files_next_to_the_transcript_each_once() {
    let home = home_with("u1 user \"see\" image image\na1 assistant \"I see\"\n");
    let exported = export(&home, &[SESSION]);
    let picture = name("_files/image-1.png");
    assert_eq!(exported.names(), [name(".md"), picture.clone()]);
    assert_eq!(&exported.files[&picture][..4], b"\x89PNG");
    let text = exported.text(&name(".md"));
    assert_eq!(text.matches(&format!("]({picture})")).count(), 2, "{text}");
    let text = export(&home, &[SESSION, "--format", "text"]);
    assert!(text.only().contains("[image, image/png, "), "{}", text.only());
}
