//! Checks the content of records, and the calls and results of tools.

use unspool_model::record::{Record, RecordPart};
use unspool_model::tool;

/// Names of tools whose input or result has its own parser.
const TOOLS: [&str; 30] = [
    "Bash",
    "Read",
    "Edit",
    "MultiEdit",
    "Write",
    "NotebookEdit",
    "Glob",
    "Grep",
    "LS",
    "Agent",
    "TodoWrite",
    "TaskCreate",
    "TaskUpdate",
    "TaskGet",
    "TaskList",
    "TaskStop",
    "TaskOutput",
    "BashOutput",
    "WebFetch",
    "WebSearch",
    "AskUserQuestion",
    "ExitPlanMode",
    "Skill",
    "Workflow",
    "SendMessage",
    "ToolSearch",
    "Monitor",
    "EnterWorktree",
    "mcp__server__tool",
    "unknown",
];

/// Asserts that reading bytes as a record, as the input of a tool and as a result does not panic.
///
/// The last byte selects the tool.
pub fn check_record(bytes: &[u8]) {
    let last = bytes.last().copied().unwrap_or_default();
    let name = TOOLS[usize::from(last) % TOOLS.len()];
    check_call(name, bytes);
    check_outcome(name, bytes);
    let record = Record::read(bytes);
    for part in &record.parts {
        if let RecordPart::Call { name, input } = part {
            check_call(name, input);
        }
    }
    if let Some(outcome) = record.outcome {
        check_outcome(name, outcome);
    }
}

fn check_call(name: &str, input: &[u8]) {
    let call = tool::parse(name, input);
    let summary = call.summary();
    assert!(!summary.contains('\n'), "{name}: {summary:?}");
    call.changes();
}

fn check_outcome(name: &str, raw: &[u8]) {
    let outcome = tool::outcome(name, raw);
    outcome.note();
    outcome.line_changes();
}
