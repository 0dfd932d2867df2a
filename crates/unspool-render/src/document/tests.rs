//! How messages and calls are presented, one case for each kind of content.

use unspool_model::conversation::CallStatus::{self, Denied, Done, Failed};
use unspool_model::conversation::Speaker;
use unspool_model::entry::MessageKind;
use unspool_model::record::MediaKind;

use super::*;
use unspool_engine::ops::message::{BlockText, CallText, CompactionText, MessageText, ResultText};

fn message(kind: MessageKind, texts: &[&str]) -> MessageText {
    MessageText {
        speaker: Speaker::User,
        kind,
        left_out: false,
        entries: Vec::new(),
        time: None,
        model: None,
        name: None,
        compaction: None,
        deleted: false,
        blocks: texts.iter().map(|text| BlockText::Text((*text).to_owned())).collect(),
    }
}

/// Presents a call whose result has a text and a structured outcome.
fn call(name: &str, input: &str, status: CallStatus, text: &str, outcome: &str) -> ShownCall {
    ShownCall::of(
        CallText {
            id: None,
            name: name.to_owned(),
            input: input.to_owned(),
            status,
            result: Some(ResultText {
                entry: None,
                text: text.to_owned(),
                is_error: status == Failed,
                replied: false,
                deleted: false,
                outcome: Some(outcome.as_bytes().to_vec()).filter(|raw| !raw.is_empty()),
                media: Vec::new(),
            }),
            agent: None,
            duration_ms: Some(999),
        },
        &folder(),
    )
}

fn folder() -> StartFolder {
    StartFolder::new(Some("/srv/app".to_owned()))
}

/// Lists the details of a call with their sides and weights.
fn outline(call: &ShownCall) -> Vec<String> {
    let body = |body: &DetailBody| match body {
        DetailBody::Code { language, .. } => format!("code {language}"),
        DetailBody::Change { path, diff } => format!("change {path} {}", diff.hunks().len()),
        DetailBody::Output { is_error, .. } => format!("output {is_error}"),
        DetailBody::Todos(todos) => format!("todos {}", todos.len()),
        DetailBody::Prose(_) => "prose".to_owned(),
        DetailBody::Questions(asked) => format!("questions {:?}", asked[0].answer),
        DetailBody::Links(links) => format!("links {}", links[0].url),
        DetailBody::Media(_) => "media".to_owned(),
    };
    let details = call.details.iter();
    details
        .map(|detail| format!("{:?} {:?} {}", detail.side, detail.weight, body(&detail.body)))
        .collect()
}

/// Checks the details of a call.
fn check(name: &str, input: &str, came: (CallStatus, &str, &str), expected: &[&str]) {
    let (status, text, outcome) = came;
    let shown = call(name, input, status, text, outcome);
    assert_eq!(outline(&shown), expected, "{name} {input} {status:?}");
    assert_eq!(shown.duration_ms, None);
}

#[test]
fn commands_and_their_output() {
    let command = "Asked Hidden code bash";
    check(
        "Bash",
        r#"{"command":"ls"}"#,
        (Done, "out", ""),
        &[command, "Answered Folded output false"],
    );
    let changed = r#"{"stdout":"","stderr":"","bashEditDiff":{"files":[{"filePath":"/a","hunks":[{"oldStart":1,"oldLines":1,"newStart":1,"newLines":1,"lines":["-x","+y"]}]}]}}"#;
    check(
        "Bash",
        r#"{"command":"sed -i"}"#,
        (Done, "", changed),
        &[command, "Answered Hidden change /a 1"],
    );
    check("mcp__s__t", r#"{"a":1}"#, (Done, "", ""), &["Asked Hidden code json"]);
}

#[test]
fn what_was_read_is_quiet_unless_it_failed() {
    let input = r#"{"file_path":"/a"}"#;
    check("Read", input, (Done, "text", ""), &["Answered Hidden output false"]);
    check("Read", input, (Failed, "no", ""), &["Answered Folded output true"]);
}

#[test]
fn an_edit_is_its_change() {
    let edit = r#"{"file_path":"/a","old_string":"x","new_string":"y"}"#;
    check("Edit", edit, (Done, "updated", ""), &["Answered Folded change /a 1"]);
    check(
        "Edit",
        edit,
        (Denied, "not allowed", ""),
        &["Asked Hidden change /a 1", "Answered Folded output false"],
    );
    let made = r#"{"type":"create","filePath":"/n","content":"a\nb\n","structuredPatch":[]}"#;
    check(
        "Write",
        r#"{"file_path":"/n","content":"a\n"}"#,
        (Done, "made", made),
        &["Answered Folded change /n 1"],
    );
}

#[test]
fn lists_plans_questions_and_pages_are_shown_as_such() {
    let todos = r#"{"todos":[{"content":"a","status":"completed"}]}"#;
    check("TodoWrite", todos, (Done, "ok", ""), &["Asked Open todos 1"]);
    check(
        "ExitPlanMode",
        r##"{"plan":"# P"}"##,
        (Done, "approved", ""),
        &["Asked Open prose", "Answered Folded output false"],
    );
    let ask = r#"{"questions":[{"question":"Which?","options":[{"label":"A"}]}]}"#;
    let answered = r#"{"questions":[],"answers":{"Which?":"A"}}"#;
    check(
        "AskUserQuestion",
        ask,
        (Done, "answered", answered),
        &[r#"Asked Open questions Some("A")"#],
    );
    check(
        "AskUserQuestion",
        ask,
        (Failed, "away", ""),
        &["Asked Open questions None", "Answered Folded output true"],
    );
    let found = r#"{"query":"q","results":[{"content":[{"title":"T","url":"javascript:x"}]}]}"#;
    check(
        "WebSearch",
        r#"{"query":"q"}"#,
        (Done, "found", found),
        &["Answered Hidden links javascript:x", "Answered Folded output false"],
    );
}

#[test]
fn paths_are_seen_from_the_session_s_folder() {
    let read = call("Read", r#"{"file_path":"/srv/app/src/a.rs"}"#, Done, "", "");
    assert_eq!(read.summary, "src/a.rs");
    let elsewhere = call("Read", r#"{"file_path":"/etc/hosts"}"#, Done, "", "");
    assert_eq!(elsewhere.summary, "/etc/hosts");
    let grep = call("Grep", r#"{"pattern":"x","path":"/srv/app"}"#, Done, "", "");
    assert_eq!(grep.summary, "x in .");
    let input = r#"{"command":"cd /srv/app && cargo test"}"#;
    let run = call("Bash", input, Done, "", "");
    assert_eq!(run.summary, "cargo test");
    let DetailBody::Code { text, .. } = &run.details[0].body else {
        panic!("{:?}", run.details);
    };
    assert_eq!(text, "cd /srv/app && cargo test", "the command stays whole");
    let edit = r#"{"file_path":"/srv/app/a","old_string":"x","new_string":"y"}"#;
    check("Edit", edit, (Done, "updated", ""), &["Answered Folded change a 1"]);
}

#[test]
fn a_new_status_is_said_once() {
    let input = r#"{"taskId":"1","status":"in_progress"}"#;
    let came =
        r#"{"success":true,"taskId":"1","statusChange":{"from":"pending","to":"in_progress"}}"#;
    let update = call("TaskUpdate", input, Done, "Updated", came);
    assert_eq!(update.summary, "task 1: in progress");
    assert_eq!(update.note, None);
}

#[test]
fn an_agent_s_answer_is_prose() {
    let came = r#"{"status":"completed","agentId":"a1","totalTokens":1}"#;
    let answer = "Fine.\nagentId: a1 (for resuming)\n<usage>total_tokens: 1</usage>";
    let call = call("Agent", r#"{"description":"d","prompt":"p"}"#, Done, answer, came);
    let said = call.details.iter().find_map(|detail| match &detail.body {
        DetailBody::Prose(text) => Some(text.as_str()),
        _ => None,
    });
    assert_eq!(said, Some("Fine."));
}

#[test]
fn remarks_of_the_client_have_words_for_names() {
    let mut hooks = message(MessageKind::Notice, &[]);
    hooks.name = Some("stop_hook_summary".to_owned());
    let shown = Passage::of(hooks, &folder());
    assert_eq!(shown.label.as_deref(), Some("stop hooks ran"));
    assert_eq!(shown.weight, DisplayWeight::Hidden);
    let mut failed = message(MessageKind::Notice, &["[lint.sh]: no such file"]);
    failed.name = Some("stop_hook_summary".to_owned());
    let shown = Passage::of(failed, &folder());
    assert_eq!(shown.label.as_deref(), Some("errors of stop hooks"));
    assert_eq!(shown.weight, DisplayWeight::Open);
    assert_eq!(shown.said(), "[lint.sh]: no such file");
    let feedback = message(MessageKind::Meta, &["Stop hook feedback:\nTests fail."]);
    let shown = Passage::of(feedback, &folder());
    assert_eq!(shown.label.as_deref(), Some("feedback of a stop hook"));
    assert_eq!(shown.weight, DisplayWeight::Open);
    let retried = Passage::of(message(MessageKind::Error, &[]), &folder());
    assert!(retried.said().contains("tried again"));
}

#[test]
fn names_of_tools() {
    let name = |name: &str| call(name, "{}", Done, "", "").name;
    assert_eq!(name("mcp__server__a_tool"), "server:a_tool");
    assert_eq!(name("Bash"), "Bash");
    assert_eq!(name(""), "unnamed tool");
}

#[test]
fn commands_come_out_of_their_tags() {
    for (text, line, output) in [
        (
            "<command-name>/model</command-name><command-args>opus</command-args>",
            Some("/model opus"),
            "",
        ),
        ("<bash-input>ls</bash-input>", Some("! ls"), ""),
        ("<bash-stdout>a</bash-stdout><bash-stderr>b</bash-stderr>", None, "a\nb"),
        ("<local-command-stdout>unclosed", None, "unclosed"),
    ] {
        let shown = Passage::of(message(MessageKind::Command, &[text]), &folder());
        let [PassagePart::Command { line: said, output: came }] = shown.parts.as_slice() else {
            panic!("{text}: {:?}", shown.parts);
        };
        assert_eq!((said.as_deref(), came.as_str()), (line, output), "{text}");
    }
}

#[test]
fn reports_say_their_summary_and_what_came_of_it() {
    let text = "<task-notification><summary>done</summary><result>42</result></task-notification>";
    let shown = Passage::of(message(MessageKind::AgentReport, &[text]), &folder());
    assert_eq!(shown.said(), "done\n42");
    assert_eq!(shown.label.as_deref(), Some("agent report"));
    assert_eq!(shown.weight, DisplayWeight::Folded);
}

#[test]
fn a_compaction_says_who_asked_and_how_much_it_saved() {
    let mut boundary = message(MessageKind::Boundary, &["Conversation compacted"]);
    let words = |message: &MessageText| Passage::of(message.clone(), &folder()).label;
    assert_eq!(words(&boundary).as_deref(), Some("context compacted"));
    boundary.compaction = Some(CompactionText {
        trigger: Some("auto".to_owned()),
        tokens_before: Some(155_000),
        tokens_after: None,
        kept: 2,
    });
    let expected = "context compacted (auto), 155k tokens before, 2 entries kept";
    assert_eq!(words(&boundary).as_deref(), Some(expected));
}

#[test]
fn only_known_pictures_are_pictures() {
    let media = |media_type: &str| MediaText {
        kind: MediaKind::Image,
        media_type: media_type.to_owned(),
        bytes: Some(3),
        data: Some("Zm9v".to_owned()),
    };
    assert_eq!(media("image/png").extension(), "png");
    assert!(media("image/webp").is_picture());
    for hostile in ["image/svg+xml", "text/html", "../../etc/passwd", ""] {
        assert_eq!(media(hostile).extension(), "bin", "{hostile}");
        assert!(!media(hostile).is_picture(), "{hostile}");
    }
    assert_eq!(media("image/png").content().as_deref(), Some(&b"foo"[..]));
}
