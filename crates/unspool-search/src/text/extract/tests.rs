//! Which texts become documents, and with which roles.

use std::collections::HashSet;
use std::fmt::Write as _;

use serde_json::Value;
use unspool_model::ids::is_uuid;
use unspool_model::schema::is_name;
use unspool_testkit::reallogs::RealLogs;
use unspool_testkit::{files_below, session};

use super::*;
use crate::text::document::{DocumentFlags, EntryPart, TextDocument};

fn documents(bytes: &[u8]) -> Vec<TextDocument> {
    documents_at(bytes, 0)
}

fn documents_at(bytes: &[u8], offset: u64) -> Vec<TextDocument> {
    let is_copied = |_: &str, _: &str| false;
    let mut extractor = Extractor::new(LogOwner::Session, &is_copied);
    let mut found = Vec::new();
    extractor.lines(bytes, offset, &mut |document| found.push(document));
    found
}

fn shown(document: &TextDocument) -> String {
    let mut line = format!("{} {:?}", document.role, document.place.part);
    if let Some(tool) = &document.tool {
        let _ = write!(line, " {tool}");
    }
    for (mark, name) in [
        (DocumentFlags::ERROR, "error"),
        (DocumentFlags::IMAGE, "image"),
        (DocumentFlags::OWN, "own"),
        (DocumentFlags::REPEAT, "repeat"),
        (DocumentFlags::AGENT, "agent"),
    ] {
        if document.marks.has(mark) {
            let _ = write!(line, " {name}");
        }
    }
    format!("{line}: {}", document.text.replace('\n', "|"))
}

fn check(notation: &str, expected: &[&str]) {
    let found: Vec<_> = documents(&session(notation)).iter().map(shown).collect();
    assert_eq!(found, expected, "{notation}");
}

#[test]
fn each_part_of_a_message_is_a_document() {
    check(
        r#"
        u1 user "fix the bug"
        a1 assistant thinking "hm" "Looking." call Bash:t1 {"command":"ls","n":[{"deep":"er"}]}
        r1 result t1 "src"
        "#,
        &[
            "user Block(0): fix the bug",
            "thinking Block(0): hm",
            "assistant Block(1): Looking.",
            "tool Block(2) Bash: Bash|ls|er",
            "result Block(0) Bash: src",
        ],
    );
}

#[test]
fn roles_follow_what_an_entry_says() {
    check(
        r#"
        u1 user "<command-name>/clear</command-name>"
        u2 user "<system-reminder>note</system-reminder>"
        u3 user meta "injected"
        u4 user summary "what was before"
        u5 user image
        s1 system informational "remark"
        a1 assistant api-error=rate_limit "too fast"
        "#,
        &[
            "user Block(0): <command-name>/clear</command-name>",
            "system Block(0): <system-reminder>note</system-reminder>",
            "system Block(0): injected",
            "summary Block(0): what was before",
            "user Block(0) image: image",
            "system Block(0): remark",
            "assistant Block(0) error: too fast",
            "system Fields error: rate_limit",
        ],
    );
}

#[test]
fn what_only_metadata_says_is_kept_once() {
    check(
        r#"
        -- custom-title "parser work"
        -- queue enqueue "also a test"
        u1 user "one"
        at1 attachment queued_command {"prompt":"also a test","commandMode":"prompt"}
        at2 attachment hook_success "hook says ok" {"stdout":"lint clean"}
        -- custom-title "parser work"
        -- last-prompt u1 "one"
        -- last-prompt u1 "two"
        x1 ?new-thing "never seen" {"inner":{"note":"deep text"},"uuid2":"kept"}
        "#,
        &[
            "title Block(0): parser work",
            "user Block(0) repeat: also a test",
            "user Block(0): one",
            "user Block(0): also a test",
            "system Fields: PostToolUse:Bash|hook says ok|lint.sh|lint clean",
            "user Block(0) repeat: two",
            "system Block(0): never seen",
            "system Fields: deep text|kept",
        ],
    );
}

#[test]
fn damaged_bytes_are_texts_too() {
    check(
        r#"
        u1 user "one"
        -- torn {"type":"user","message":{"content":"torn\nword caf\u00e9
        u2 user "two"
        "#,
        &["user Block(0): one", "system Fields: \"torn|word café", "user Block(0): two"],
    );
}

#[test]
fn the_flat_dialect_has_calls_and_results() {
    let lines = concat!(
        r#"{"type":"user","uuid":"a","message":"hello","sessionId":"s"}"#,
        "\n",
        r#"{"type":"assistant","uuid":"b","parentUuid":"a","subtype":"tool_use","toolName":"Read","toolArguments":{"file_path":"/a.rs"},"message":"reading","sessionId":"s"}"#,
        "\n",
        r#"{"type":"system","uuid":"c","parentUuid":"b","message":"fn main","sessionId":"s"}"#,
        "\n",
    );
    let found: Vec<_> = documents(lines.as_bytes()).iter().map(shown).collect();
    assert_eq!(
        found,
        [
            "user Block(0): hello",
            "assistant Block(0): reading",
            "tool Block(1) Read: Read|/a.rs",
            "result Block(0) Read: fn main",
        ]
    );
}

#[test]
fn what_is_next_to_a_result_is_kept_if_it_is_new() {
    let call = r#"{"type":"assistant","uuid":"a","message":{"id":"m","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"unspool search x"}}]}}"#;
    let data = "AAAA".repeat(20);
    let result = r#"{"type":"user","uuid":"b","message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":[{"type":"text","text":"head only"},{"type":"image","source":{"type":"base64","data":"AAAA"}}]}]},"toolUseResult":{"stdout":"head only\nthe tail","originalFile":"old"}}"#;
    let result = result.replace("AAAA", &data);
    let found: Vec<_> =
        documents(format!("{call}\n{result}\n").as_bytes()).iter().map(shown).collect();
    assert_eq!(
        found,
        [
            "tool Block(0) Bash own: Bash|unspool search x",
            "result Block(0) Bash error image own: head only",
            "result Outcome Bash error image own: head only|the tail|old",
        ]
    );
}

#[test]
fn what_a_file_held_before_is_kept_once_however_often_it_is_edited() {
    let body: Vec<String> = (0..2_000).map(|line| format!("line {line} of it")).collect();
    let original = body.join("\\n");
    let edit = |number: usize| {
        let (old, new) = (&body[number], format!("changed {number}"));
        let call = format!(
            r#"{{"type":"assistant","uuid":"a{number}","message":{{"id":"m{number}","content":[{{"type":"tool_use","id":"t{number}","name":"Edit","input":{{"file_path":"/a.rs","old_string":"{old}","new_string":"{new}"}}}}]}}}}"#
        );
        let result = format!(
            r#"{{"type":"user","uuid":"r{number}","message":{{"content":[{{"type":"tool_result","tool_use_id":"t{number}","content":"updated"}}]}},"toolUseResult":{{"filePath":"/a.rs","oldString":"{old}","newString":"{new}","originalFile":"{original}","structuredPatch":[{{"oldStart":1,"lines":["-{old}","+{new}"," only in patch {number}"]}}]}}}}"#
        );
        format!("{call}\n{result}\n")
    };
    let log: String = (0..50).map(edit).collect();
    let found = documents(log.as_bytes());
    let outcomes = || found.iter().filter(|d| d.place.part == EntryPart::Outcome);
    let bytes: usize = outcomes().map(|document| document.text.len()).sum();
    assert!(bytes < original.len() + 50 * 40, "{bytes}");
    let known: HashSet<&str> = found.iter().flat_map(|d| d.text.lines()).collect();
    assert!(body.iter().all(|line| known.contains(line.as_str())));
    assert!((0..50).all(|n| known.contains(format!("only in patch {n}").as_str())));
}

#[test]
fn signs_of_life_are_kept_as_far_as_they_are_new() {
    let line = |output: &str| {
        format!(
            r#"{{"type":"progress","uuid":"{output}","data":{{"type":"bash_progress","output":"{output}"}}}}"#
        )
    };
    let lines = format!("{}\n{}\n", line(r"one\ntwo"), line(r"one\ntwo\nthree"));
    let found: Vec<_> = documents(lines.as_bytes()).iter().map(shown).collect();
    assert_eq!(found, ["system Outcome: one|two", "system Outcome: three"]);
}

#[test]
fn messages_of_agents_are_left_out_where_their_own_file_has_them() {
    let line = r#"{"type":"progress","uuid":"p","data":{"type":"agent_progress","agentId":"a1","message":{"type":"assistant","uuid":"x","message":{"content":[{"type":"text","text":"from the agent"}]}}}}"#;
    for (copied, expected) in [(true, 0), (false, 1)] {
        let is_copied = |agent: &str, entry: &str| copied && (agent, entry) == ("a1", "x");
        let mut extractor = Extractor::new(LogOwner::Session, &is_copied);
        let mut found = Vec::new();
        let bytes = format!("{line}\n");
        extractor.lines(bytes.as_bytes(), 0, &mut |document| {
            found.push(shown(&document));
        });
        assert_eq!(found.len(), expected, "{found:?}");
    }
}

#[test]
fn spilled_outputs_and_plans_are_noted() {
    let line = r#"{"type":"user","uuid":"b","slug":"calm-fox","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"<persisted-output>\nOutput too large. Full output saved to: /h/s/tool-results/toolu_1.txt\n\nPreview"}]}}"#;
    let is_copied = |_: &str, _: &str| false;
    let mut extractor = Extractor::new(LogOwner::Session, &is_copied);
    extractor.lines(format!("{line}\n").as_bytes(), 40, &mut |_| {});
    let notes = extractor.into_notes();
    assert_eq!(notes.plans, ["calm-fox"]);
    assert_eq!(notes.spilled, [(40, "toolu_1.txt".to_owned())]);
}

/// Fields whose strings are not texts.
const NO_TEXT: &str = r"
type subtype uuid parentUuid logicalParentUuid sessionId session_id timestamp version requestId
userType entrypoint cwd gitBranch slug agentId promptId leafUuid messageId permissionMode
promptSource origin sourceToolAssistantUUID sourceToolUseID toolUseID parentToolUseID level effort
id model stop_reason usage signature tool_use_id caller role media_type status hookEvent
commandMode hash shapeHash toolStats resolvedModel cache_control compactMetadata backupFileName
backupTime toolDenialKind $schema operation persistedOutputPath diagnostics taskId
interruptedMessageId stop_details container context_management stop_sequence
";

fn leaves(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::String(text) => out.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| leaves(item, out)),
        Value::Object(fields) => {
            for (key, value) in fields {
                let is_name = is_name(key.as_bytes()) && !value.is_object();
                let encoded = key == "data" && value.is_string();
                if !encoded && !is_name && !NO_TEXT.split_whitespace().any(|known| known == key) {
                    leaves(value, out);
                }
            }
        }
        _ => {}
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2)
}

fn assert_complete(name: &str, bytes: &[u8]) {
    let documents = documents(bytes);
    let known: HashSet<&str> = documents.iter().flat_map(|d| words(&d.text)).collect();
    for line in bytes.split(|&byte| byte == b'\n') {
        let Ok(value) = serde_json::from_slice::<Value>(line) else {
            continue;
        };
        let mut texts = Vec::new();
        leaves(&value, &mut texts);
        for text in texts
            .iter()
            .filter(|text| text.len() < 256 || text.contains(' '))
            .filter(|text| !is_uuid(text))
        {
            // The client adds this prefix to the text of a result.
            let text = text.strip_prefix("Error: ").unwrap_or(text);
            for word in words(text) {
                let line = String::from_utf8_lossy(line);
                assert!(known.contains(word), "{name}: {word:?} of {line}");
            }
        }
    }
}

#[test]
fn every_word_of_every_real_log_is_in_a_document() {
    for path in RealLogs::fixtures().files() {
        let bytes = std::fs::read(&path).expect("a log");
        assert_complete(&path.display().to_string(), &bytes);
    }
}

#[test]
fn every_word_of_a_generated_home_is_in_a_document() {
    let folder = tempfile::tempdir().expect("a folder");
    unspool_testkit::generate::Corpus::new(11, 3_000_000).write_to(folder.path()).expect("a home");
    let files = files_below(&folder.path().join("projects")).into_iter();
    for path in files.filter(|path| path.extension().is_some_and(|ending| ending == "jsonl")) {
        let bytes = std::fs::read(&path).expect("a log");
        assert_complete(&path.display().to_string(), &bytes);
    }
}

#[test]
fn lines_read_in_steps_give_the_same_places() {
    for path in RealLogs::fixtures().files() {
        let bytes = std::fs::read(&path).expect("a log");
        let at_once = documents(&bytes);
        for document in at_once.iter().take(50) {
            let start = document.place.offset as usize;
            let end = memchr::memchr(b'\n', &bytes[start..])
                .map_or(bytes.len(), |newline| start + newline + 1);
            let alone = documents_at(&bytes[start..end], document.place.offset);
            assert!(
                alone.iter().any(|other| other.place == document.place
                    && words(&document.text).all(|word| other.text.contains(word))),
                "{:?}",
                document.place
            );
        }
    }
}
