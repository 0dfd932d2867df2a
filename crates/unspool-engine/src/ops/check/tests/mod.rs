//! What `check` finds in small logs.
//!
//! Small logs are written in a notation of one line for each record:
//!
//! ```text
//! user UUID PARENT SECOND                 a prompt; the parent `-` is null
//! answer UUID PARENT SECOND               an answer
//! call UUID PARENT SECOND TOOL ID         an answer that calls a tool
//! result UUID PARENT SECOND ID [JSON]     its result, with its `toolUseResult`
//! boundary UUID LOGICAL-PARENT SECOND     a compaction
//! head TYPE UUID PARENT SECOND KEYS       any other record of the wire dialect
//! flat TYPE UUID SECOND KEYS              a message of the flat dialect
//! {…}                                     a line as it is
//! ```
//!
//! A case begins with `# name` and ends with the findings that it expects, each as
//! `= rule severity line`, where the line `-` means the whole file.

mod cases;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use unspool_model::conversation::Liveness;
use unspool_model::graph::Rule;

use self::cases::FLAT_SESSION;
use super::{CheckReport, MOST_PER_RULE, RuleId, check};
use unspool_store::home::{Resolved, describe_log};
use unspool_store::session::{Session, SessionFileError};

const ID: &str = "11111111-1111-4111-8111-111111111111";

/// Converts the notation to JSON lines.
fn log(notation: &str) -> String {
    let mut text = String::new();
    for line in notation.lines().map(str::trim).filter(|line| !line.is_empty()) {
        writeln!(text, "{}", record(line)).expect("a string takes all");
    }
    text
}

fn record(line: &str) -> String {
    let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
    match kind {
        "user" => wire("user", rest, r#""message":{"role":"user","content":"go on"}"#),
        "answer" => wire("assistant", rest, &answer(r#"{"type":"text","text":"yes"}"#)),
        "call" => {
            let (place, [tool, id]) = split(rest, 3);
            let block = format!(
                r#"{{"type":"tool_use","id":"{id}","name":"{tool}","input":{{"prompt":"look"}}}}"#
            );
            wire("assistant", place, &answer(&block))
        }
        "result" => {
            let (place, [id, sidecar]) = split(rest, 3);
            let sidecar = if sidecar.is_empty() { "{}" } else { sidecar };
            let block = format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":"ok"}}"#);
            wire(
                "user",
                place,
                &format!(
                    r#""toolUseResult":{sidecar},"message":{{"role":"user","content":[{block}]}}"#
                ),
            )
        }
        "boundary" => {
            let (uuid, [logical, second]) = split(rest, 1);
            let keys = format!(r#""subtype":"compact_boundary","logicalParentUuid":"{logical}""#);
            wire("system", &format!("{uuid} - {second}"), &keys)
        }
        "head" => {
            let (kind, [uuid, rest]) = split(rest, 1);
            let (place, [keys, _]) = split(rest, 2);
            wire(kind, &format!("{uuid} {place}"), keys)
        }
        "flat" => {
            let (kind, [uuid, rest]) = split(rest, 1);
            let (second, keys) = rest.split_once(' ').expect("keys");
            let time = format!("2026-01-01T00:00:{second:0>2}.000Z");
            format!(
                r#"{{"type":"{kind}","uuid":"{uuid}","timestamp":"{time}","sessionId":"{ID}",{keys}}}"#
            )
        }
        _ => line.to_owned(),
    }
}

/// Splits a line after a number of words; the rest is split after its first word.
fn split(line: &str, words: usize) -> (&str, [&str; 2]) {
    let end = line.match_indices(' ').nth(words - 1).map_or(line.len(), |(at, _)| at);
    let rest = line[end..].trim_start();
    if rest.starts_with('"') {
        return (&line[..end], [rest, ""]);
    }
    let (first, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    (&line[..end], [first, rest])
}

fn answer(block: &str) -> String {
    format!(r#""message":{{"role":"assistant","content":[{block}]}}"#)
}

/// Returns a record of the wire dialect with a uuid, a parent and a second.
fn wire(kind: &str, place: &str, keys: &str) -> String {
    let (uuid, [parent, second]) = split(place, 1);
    let parent = if parent == "-" { "null".to_owned() } else { format!("{parent:?}") };
    let second: u32 = second.parse().expect("a second");
    let time = format!("2026-01-01T00:{:02}:{:02}.000Z", second / 60, second % 60);
    format!(
        r#"{{"type":"{kind}","uuid":"{uuid}","parentUuid":{parent},"timestamp":"{time}","isSidechain":false,"userType":"external","sessionId":"{ID}","version":"2.1.325",{keys}}}"#
    )
}

/// A session in its own folder.
struct CheckedFolder(TempDir);

impl CheckedFolder {
    fn new() -> Self {
        Self(TempDir::new().expect("a temporary folder"))
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(&path, content).expect("a file");
        path
    }

    /// Writes the session's own log.
    fn main(&self, content: impl AsRef<[u8]>) -> PathBuf {
        self.write(&format!("{ID}.jsonl"), content)
    }

    /// Writes an agent's log.
    fn agent(&self, id: &str, content: &str) -> PathBuf {
        self.write(&format!("{ID}/subagents/agent-{id}.jsonl"), content)
    }
}

fn open(path: &Path) -> Session {
    let target = describe_log(path).expect("a transcript");
    let found = Resolved { home: None, project: None, target };
    Session::open(&found, None).expect("a readable file")
}

fn checked(content: impl AsRef<[u8]>, rule: Rule) -> CheckReport {
    let folder = CheckedFolder::new();
    check(&open(&folder.main(content)), rule)
}

/// Formats findings as `rule severity line`.
fn lines(report: &CheckReport) -> Vec<String> {
    let mut lines = Vec::new();
    for finding in &report.findings {
        let line = finding.line.map_or("-".to_owned(), |line| line.to_string());
        assert_eq!(finding.severity, finding.rule.severity());
        assert!(!finding.message.is_empty() && !finding.message.contains('\n'), "{finding:?}");
        lines.push(format!("{} {} {line}", finding.rule.id(), finding.severity.name()));
    }
    lines
}

/// Compares every case with its expected findings, under every rule.
fn expect(cases: &str) {
    for case in cases.split("# ").skip(1) {
        let (name, body) = case.split_once('\n').expect("a log");
        let body = body.lines().map(str::trim);
        let (found, records): (Vec<&str>, Vec<&str>) =
            body.partition(|line| line.starts_with("= "));
        let expected: Vec<&str> = found.iter().map(|line| &line[2..]).collect();
        for rule in [Rule::Current, Rule::NewestTime, Rule::Sdk] {
            let report = checked(log(&records.join("\n")), rule);
            assert_eq!(lines(&report), expected, "{name}, {rule:?}: {:#?}", report.findings);
        }
    }
}

#[test]
fn bytes_that_are_not_utf_8_are_reported_with_their_entry() {
    let mut bytes = log("user a - 0").into_bytes();
    let at = bytes.windows(5).position(|bytes| bytes == b"go on").expect("the text");
    bytes[at] = 0xFF;
    let report = checked(bytes, Rule::Current);
    assert_eq!(lines(&report), ["bad-utf8 warning 1"]);
    assert_eq!(report.findings[0].entry.as_deref(), Some("a"));
}

#[test]
fn a_live_session_may_be_in_the_middle_of_something() {
    let folder = CheckedFolder::new();
    let text = log("user a - 0\ncall b a 1 Bash t1") + "{\"type\":";
    let mut session = open(&folder.main(text));
    let found = lines(&check(&session, Rule::Current));
    assert_eq!(found, ["call-without-result warning 2", "unfinished-line warning 3"]);
    session.live = Liveness::Live;
    let found = lines(&check(&session, Rule::Current));
    assert_eq!(found, ["pending-call info 2", "growing-line info 3"]);
}

#[test]
fn an_unknown_parent_points_to_the_damage_before_it() {
    let report = checked(log("user a - 0\n{torn\nanswer b x 1"), Rule::Current);
    assert_eq!(lines(&report), ["damaged-line warning 2", "unknown-parent warning 3"]);
    assert!(report.findings[1].message.contains("line 2"), "{:?}", report.findings[1]);
}

#[test]
fn a_spilled_output_is_looked_for_next_to_the_log() {
    let folder = CheckedFolder::new();
    let text = log(r#"
        user a - 0
        call b a 1 Bash t1
        result c b 2 t1 {"persistedOutputPath":"/old/tool-results/t1.txt"}
        call d c 3 Grep t2
        result e d 4 t2
    "#);
    let note = r"<persisted-output>\nOutput too large (40KB). Full output saved to: /old/tool-results/t2.txt\n\n";
    let at = text.rfind(r#""content":"ok""#).expect("the result") + r#""content":""#.len();
    let path = folder.main(format!("{}{note}{}", &text[..at], &text[at..]));
    let found = || lines(&check(&open(&path), Rule::Current));
    assert_eq!(found(), ["missing-spilled-output warning 3", "missing-spilled-output warning 5"]);
    folder.write(&format!("{ID}/tool-results/t1.txt"), "all of it");
    assert_eq!(found(), ["missing-spilled-output warning 5"]);
    folder.write(&format!("{ID}/tool-results/t2.txt"), "all of it");
    assert!(found().is_empty());
}

#[test]
fn agents_are_checked_with_their_session() {
    let folder = CheckedFolder::new();
    let main = folder.main(log(r#"
        user a - 0
        call b a 1 Agent t1
        result c b 2 t1 {"agentId":"one"}
        call d c 3 Agent t2
        result e d 4 t2 {"agentId":"gone"}
    "#));
    let side = |notation: &str| {
        log(notation).replace(r#""isSidechain":false"#, r#""isSidechain":true,"agentId":"x""#)
    };
    let one = folder.agent("one", &side("user s b 1"));
    let two = folder.agent("two", &side("user t - 1\n{torn"));
    let three = folder.agent("three", &side("user u - 1"));
    folder.write(&format!("{ID}/subagents/agent-three.meta.json"), r#"{"toolUseId":"nowhere"}"#);
    let report = check(&open(&main), Rule::Current);
    let files = report.findings.iter().map(|finding| &finding.file);
    let found: Vec<(&PathBuf, String)> = files.zip(lines(&report)).collect();
    let expected = [
        (&main, "missing-agent-file info 4"),
        (&one, "unknown-parent-elsewhere info 1"),
        (&three, "unlinked-agent info -"),
        (&two, "unlinked-agent info -"),
        (&two, "damaged-line warning 2"),
    ];
    assert_eq!(found, expected.map(|(file, line)| (file, line.to_owned())));
    let summary = report.summary;
    assert_eq!((summary.files, summary.agents.linked, summary.agents.unlinked), (4, 1, 2));
    assert_eq!((summary.sidechains.delegations, summary.sidechains.exchanges), (3, 3));
    assert_eq!((summary.orphans.count, summary.orphans.elsewhere), (1, 1));
}

#[test]
fn a_sidechain_inside_the_file_is_linked_by_its_prompt() {
    let side = r#""isSidechain":true,"message":{"role":"user","content":"#;
    let text = log(&format!(
        "user a - 0\ncall b a 1 Task t1\nhead user c - 2 {side}\"look\"}}\nhead user d - 3 {side}\"else\"}}\nresult e b 4 t1"
    ));
    let report = checked(text, Rule::Current);
    assert_eq!(lines(&report), ["unlinked-agent info 4"]);
    assert_eq!((report.summary.agents.linked, report.summary.agents.unlinked), (1, 1));
}

#[test]
fn a_file_that_cannot_be_read_is_a_finding() {
    let folder = CheckedFolder::new();
    let mut session = open(&folder.main(log("user a - 0")));
    let (path, error) =
        (PathBuf::from("agent-one.jsonl"), std::io::ErrorKind::PermissionDenied.into());
    session.file_errors.push(SessionFileError { path: path.clone(), error });
    let report = check(&session, Rule::Current);
    assert_eq!(lines(&report), ["unreadable-file warning -"]);
    assert_eq!(report.findings[0].file, path);
}

#[test]
fn a_rule_that_is_broken_everywhere_is_cut_short() {
    let mut notation = "user first - 0\n".to_owned();
    for i in 0..3000 {
        writeln!(notation, "user u{i} x{i} 1").expect("a string takes all");
    }
    let report = checked(log(&notation), Rule::Current);
    assert_eq!(report.findings.len() as u64, MOST_PER_RULE + 1);
    let last = report.findings.last().expect("a finding");
    assert_eq!((last.rule, last.line), (RuleId::UnknownParent, Some(1002)));
    assert!(last.message.contains("2000 more"), "{}", last.message);
    assert_eq!(report.summary.findings.warning, 3000, "all are counted");
    assert_eq!(report.summary.rules["unknown-parent"], 3000);
}

#[test]
fn the_rates_of_the_flat_dialect_are_counted() {
    let orphan = r#"flat user l 11 "parentUuid":"lost","logicalParentUuid":"b","message":"x""#;
    let mut summary = checked(log(&format!("{FLAT_SESSION}{orphan}")), Rule::Current).summary;
    assert_eq!(summary.findings.error, 0);
    assert_eq!((summary.dialects.flat, summary.dialects.wire), (12, 0));
    assert_eq!((summary.entries, summary.messages, summary.chain_depth), (12, 12, 8));
    assert_eq!((summary.calls.count, summary.calls.without_result), (1, 0));
    assert_eq!((summary.logical_parents.count, summary.logical_parents.unknown), (1, 0));
    assert_eq!((summary.compactions.count, summary.compactions.most), (1, 1));
    let sidechains = summary.sidechains;
    assert_eq!((sidechains.entries, sidechains.delegations, sidechains.max_depth), (4, 1, 2));
    assert_eq!((summary.orphans.count, summary.orphans.compacted), (1, 1));
    assert_close(summary.orphans.rate, 1.0 / 12.0);
    assert_close(summary.orphans.rate_in_compacted, 1.0 / 12.0);
    assert_close(summary.compactions.per_session, 1.0);

    // A second session of equal length, without any of that, halves the rates.
    let plain: Vec<String> = (0..12).map(|i| format!("user u{i} - {i}")).collect();
    summary.add(&checked(log(&plain.join("\n")), Rule::Current).summary);
    assert_eq!((summary.sessions, summary.files, summary.messages), (2, 2, 24));
    assert_close(summary.orphans.rate, 1.0 / 24.0);
    assert_close(summary.orphans.rate_in_compacted, 1.0 / 12.0);
    assert_close(summary.compactions.per_session, 0.5);
    assert_close(summary.sidechains.mean_depth, 2.0);
    assert_eq!(summary.rules["several-roots"], 11);
}

fn assert_close(left: f64, right: f64) {
    assert!((left - right).abs() < 1e-9, "{left} and {right}");
}
