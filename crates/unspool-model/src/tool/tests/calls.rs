use super::{ToolSample, calls};
use crate::tool::parse;

#[test]
fn calls_are_what_logs_say() {
    for ToolSample { tool, raw, written, summary, .. } in calls() {
        let call = parse(tool, raw.as_bytes());
        let found = format!("{call:?}");
        assert!(found.starts_with(written), "{tool} {raw}\n{found}");
        if let Some(summary) = summary {
            assert_eq!(call.summary(), summary, "{tool} {raw}");
        }
    }
}

#[test]
fn calls_that_change_a_file_name_it() {
    for (name, input, expected) in [
        ("Edit", r#"{"file_path":"a"}"#, Some("a")),
        ("MultiEdit", r#"{"file_path":"a"}"#, Some("a")),
        ("Write", r#"{"file_path":"a"}"#, Some("a")),
        ("NotebookEdit", r#"{"notebook_path":"a"}"#, Some("a")),
        ("Write", r#"{"file_path":1}"#, None),
        ("Read", r#"{"file_path":"a"}"#, None),
        ("Bash", r#"{"command":"touch a"}"#, None),
    ] {
        assert_eq!(parse(name, input.as_bytes()).changes(), expected, "{name} {input}");
    }
}
