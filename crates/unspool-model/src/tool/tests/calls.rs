use crate::tool::parse;

/// Calls: the tool, its input, and the start of how the parsed value is written.
pub(super) const CALLS: &[(&str, &str, &str)] = &[
    (
        "Bash",
        r#"{"command":"sleep 1.5; echo bgout","description":"Run bg","run_in_background":true}"#,
        r#"Bash { command: "sleep 1.5; echo bgout" }"#,
    ),
    ("PowerShell", r#"{"command":"dir"}"#, r#"Bash { command: "dir" }"#),
    (
        "Read",
        r#"{"file_path":"a.txt","offset":3,"limit":4,"pages":"1-2"}"#,
        r#"Read { path: "a.txt", offset: Some(3), limit: Some(4), pages: Some("1-2") }"#,
    ),
    (
        "Edit",
        r#"{"replace_all":false,"file_path":"a.txt","old_string":"beta\n","new_string":"ONE"}"#,
        r#"Edit { path: "a.txt", old: "beta\n", new: "ONE" }"#,
    ),
    (
        "MultiEdit",
        r#"{"file_path":"a","edits":[{"old_string":"b","new_string":"c","replace_all":true},7]}"#,
        r#"MultiEdit { path: "a", edits: [Replacement { old: "b", new: "c", replace_all: true }, Replacement { old: "", new: "", replace_all: false }] }"#,
    ),
    (
        "Write",
        r#"{"file_path":"yes.txt","content":"y\n"}"#,
        r#"Write { path: "yes.txt", content: "y\n" }"#,
    ),
    (
        "NotebookEdit",
        r#"{"notebook_path":"n","cell_id":"c","new_source":"s","cell_type":"code","edit_mode":"insert"}"#,
        r#"NotebookEdit { path: "n", cell: Some("c"), source: "s", mode: Some("insert") }"#,
    ),
    (
        "Glob",
        r#"{"pattern":"*.rs","path":"src"}"#,
        r#"Glob { pattern: "*.rs", path: Some("src") }"#,
    ),
    (
        "Grep",
        r#"{"pattern":"x","path":"src","glob":"*.rs","type":"rust","output_mode":"count","-n":true}"#,
        r#"Grep { pattern: "x", path: Some("src"), glob: Some("*.rs") }"#,
    ),
    ("LS", r#"{"path":"/"}"#, r#"Ls { path: "/" }"#),
    (
        "Task",
        r#"{"description":"sub explore","prompt":"explore","subagent_type":"general-purpose","run_in_background":false}"#,
        r#"Agent { description: "sub explore", prompt: "explore", kind: Some("general-purpose") }"#,
    ),
    (
        "Agent",
        r#"{"description":"d","prompt":"p","run_in_background":true}"#,
        r#"Agent { description: "d", prompt: "p", kind: None }"#,
    ),
    (
        "TodoWrite",
        r#"{"todos":[{"content":"c","status":"pending","activeForm":"a"},{"content":"old","status":"completed","id":"1","priority":"high"},{"status":"pending"}]}"#,
        r#"TodoWrite { todos: [Todo { content: "c", status: Pending, active_form: Some("a") }, Todo { content: "old", status: Completed, active_form: None }] }"#,
    ),
    (
        "TaskCreate",
        r#"{"subject":"First step","description":"Do the first step","activeForm":"Doing first step"}"#,
        r#"TaskCreate { subject: "First step", description: Some("Do the first step") }"#,
    ),
    (
        "TaskUpdate",
        r#"{"taskId":"1","status":"completed"}"#,
        r#"TaskUpdate { id: "1", status: Some("completed"), subject: None }"#,
    ),
    ("TaskGet", r#"{"taskId":"1"}"#, r#"TaskGet { id: "1" }"#),
    ("TaskList", "{}", "TaskList"),
    ("TaskStop", r#"{"task_id":"b34myi6yj"}"#, r#"TaskStop { id: "b34myi6yj" }"#),
    ("KillShell", r#"{"shell_id":"a7a3c6"}"#, r#"TaskStop { id: "a7a3c6" }"#),
    ("TaskOutput", r#"{"task_id":"b3","block":true,"timeout":5}"#, r#"TaskOutput { id: "b3" }"#),
    ("BashOutput", r#"{"bash_id":"a7"}"#, r#"TaskOutput { id: "a7" }"#),
    ("AgentOutputTool", r#"{"agentId":"f3","block":true}"#, r#"TaskOutput { id: "f3" }"#),
    (
        "WebFetch",
        r#"{"url":"https://e.org","prompt":"p"}"#,
        r#"WebFetch { url: "https://e.org", prompt: Some("p") }"#,
    ),
    ("WebSearch", r#"{"query":"q","allowed_domains":["e.org"]}"#, r#"WebSearch { query: "q" }"#),
    (
        "AskUserQuestion",
        r#"{"questions":[{"question":"A?","header":"a","options":[{"label":"x","description":"y"},{"label":1}],"multiSelect":true}]}"#,
        r#"AskUserQuestion { questions: [UserQuestion { question: "A?", header: Some("a"), options: [Choice { label: "x", description: Some("y"), preview: None }], multiple: true }] }"#,
    ),
    ("ExitPlanMode", r#"{"plan":"1. do it"}"#, r#"ExitPlanMode { plan: Some("1. do it") }"#),
    ("EnterPlanMode", "{}", "EnterPlanMode"),
    ("Skill", r#"{"skill":"review","args":"12"}"#, r#"Skill { name: "review", args: Some("12") }"#),
    (
        "Workflow",
        r#"{"script":"s","name":"n","scriptPath":"p","resumeFromRunId":"r"}"#,
        r#"Workflow { title: Some("n"), script: Some("s"), script_path: Some("p"), resumes: Some("r") }"#,
    ),
    (
        "SendMessage",
        r#"{"to":"bob","summary":"s","message":"m"}"#,
        r#"SendMessage { to: "bob", summary: Some("s"), message: Some("m") }"#,
    ),
    ("ToolSearch", r#"{"query":"q","max_results":5}"#, r#"ToolSearch { query: "q" }"#),
    (
        "Monitor",
        r#"{"description":"d","timeout_ms":5,"command":"c"}"#,
        r#"Monitor { description: Some("d"), command: Some("c") }"#,
    ),
    ("EnterWorktree", r#"{"name":"w"}"#, r#"EnterWorktree { name: Some("w"), path: None }"#),
    (
        "ExitWorktree",
        r#"{"action":"remove","discard_changes":true}"#,
        r#"ExitWorktree { action: Some("remove") }"#,
    ),
    ("mcp__a_b__c__d", r#"{"k":1}"#, r#"Mcp { server: "a_b", tool: "c__d", input: ["#),
    ("mcp__broken", r#"{"k":1}"#, "Other(["),
    ("Nope", r#"{"x":1}"#, "Other(["),
    ("Bash", r#"{"command":["ls"]}"#, "Other(["),
    ("Agent", r#"{"subagent_type":"x"}"#, "Other(["),
    ("TodoWrite", r#"{"todos":"[]"}"#, "Other(["),
    ("Bash", r#""ls""#, "Other(["),
];

#[test]
fn calls_are_what_logs_say() {
    for (name, input, expected) in CALLS {
        let written = format!("{:?}", parse(name, input.as_bytes()));
        assert!(written.starts_with(expected), "{name} {input}\n{written}");
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
