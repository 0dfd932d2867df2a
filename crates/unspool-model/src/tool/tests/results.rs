use super::{ToolSample, results};
use crate::tool::{line_changes, may_tell_lines, outcome};

#[test]
fn results_are_what_logs_say() {
    for ToolSample { tool, raw, written, note, changes, .. } in results() {
        let outcome = outcome(tool, raw.as_bytes());
        let found = format!("{outcome:?}");
        assert!(found.starts_with(written), "{tool} {raw}\n{found}");
        assert_eq!(outcome.note().unwrap_or_default(), note, "{tool} {raw}");
        assert_eq!(outcome.line_changes(), changes, "{tool} {raw}");
    }
}

#[test]
fn changed_lines_are_told_whatever_the_tool_is_called() {
    let plain = results().filter(|sample| !sample.tool.starts_with("mcp__"));
    for ToolSample { tool, raw, changes, .. } in plain {
        assert_eq!(line_changes(raw.as_bytes()), changes, "{tool} {raw}");
        let fields: serde_json::Map<_, _> = serde_json::from_str(raw).unwrap_or_default();
        let mut fields = fields.iter();
        let tells =
            fields.any(|(key, value)| may_tell_lines(key.as_bytes(), value.to_string().as_bytes()));
        assert!(tells || changes.is_none(), "{tool} {raw}");
    }
}
