//! What waits for a person: the whole request, so that nothing is allowed unseen.

use serde_json::Value;
use unspool_drive::json::ApprovalJson;
use unspool_text::{Line, Role, sanitize};

use super::{block, short};

/// The most columns of a request in one line.
const SUMMARY: usize = 72;
/// How far the request is set in.
const INDENT: usize = 4;

/// Returns a request on one line.
pub(crate) fn approval_summary(approval: &ApprovalJson) -> Line {
    let mut line = Line::of(short(&approval.id), Role::Id);
    line.add("  ", Role::Plain)
        .add(title(approval), Role::Warning);
    let about = sanitize::one_line(&about(approval), SUMMARY);
    if !about.is_empty() {
        line.add("  ", Role::Plain).add(about, Role::Plain);
    }
    line
}

/// Returns a request whole.
pub(crate) fn approval_lines(approval: &ApprovalJson) -> Vec<Line> {
    let mut head = Line::of("? ", Role::Warning);
    head.add(title(approval), Role::Warning)
        .add("  ", Role::Plain)
        .add(short(&approval.id), Role::Id);
    let mut lines = vec![head];
    lines.extend(request(approval));
    let reason = approval.description.iter().chain(&approval.reason);
    lines.extend(reason.flat_map(|words| block(words, INDENT, Role::Muted)));
    for (index, suggestion) in approval.suggestions.iter().enumerate() {
        let mut line = Line::new();
        line.pad(INDENT)
            .add(format!("--always {}  ", index + 1), Role::Code)
            .add(suggested(suggestion), Role::Muted);
        lines.push(line);
    }
    let mut how = Line::new();
    how.pad(INDENT).add(how_to_answer(approval), Role::Muted);
    lines.push(how);
    lines
}

fn title(approval: &ApprovalJson) -> String {
    let tool = approval.tool.as_deref().unwrap_or("a tool");
    match approval.kind.as_str() {
        "question" => "question".to_owned(),
        "plan" => "plan".to_owned(),
        "elicitation" => format!("form of {tool}"),
        _ => tool.to_owned(),
    }
}

/// Returns what a request is about.
fn about(approval: &ApprovalJson) -> String {
    let input = &approval.input;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let known = match approval.kind.as_str() {
        "question" => text(&input["questions"][0]["question"]),
        "plan" => text(&input["plan"]),
        "elicitation" => approval.description.clone(),
        _ => ["command", "file_path", "url", "pattern"]
            .iter()
            .find_map(|name| text(&input[*name])),
    };
    known.unwrap_or_else(|| match input {
        Value::Null => String::new(),
        input => input.to_string(),
    })
}

fn request(approval: &ApprovalJson) -> Vec<Line> {
    let input = &approval.input;
    match approval.kind.as_str() {
        "question" => questions(input),
        "plan" => match input["plan"].as_str() {
            Some(plan) => block(plan, INDENT, Role::Plain),
            None => Vec::new(),
        },
        _ => call(approval.tool.as_deref().unwrap_or_default(), input),
    }
}

/// Returns the input of a call, whole.
fn call(tool: &str, input: &Value) -> Vec<Line> {
    let field = |name: &str| input[name].as_str().unwrap_or_default();
    match tool {
        "Bash" => {
            let mut lines = block(field("command"), INDENT, Role::Code);
            lines.extend(others(input, &["command", "description"]));
            lines
        }
        "Edit" => {
            let mut lines = block(field("file_path"), INDENT, Role::Path);
            lines.extend(marked(field("old_string"), "- ", Role::DiffRemoved));
            lines.extend(marked(field("new_string"), "+ ", Role::DiffAdded));
            lines.extend(others(input, &["file_path", "old_string", "new_string"]));
            lines
        }
        "Write" => {
            let mut lines = block(field("file_path"), INDENT, Role::Path);
            lines.extend(marked(field("content"), "+ ", Role::DiffAdded));
            lines.extend(others(input, &["file_path", "content"]));
            lines
        }
        _ if input.is_null() => Vec::new(),
        _ => {
            let text = serde_json::to_string_pretty(input).unwrap_or_default();
            block(&text, INDENT, Role::Code)
        }
    }
}

fn marked(text: &str, mark: &str, role: Role) -> Vec<Line> {
    let text: Vec<String> = text.lines().map(|line| format!("{mark}{line}")).collect();
    block(&text.join("\n"), INDENT, role)
}

/// Returns the fields that were not shown otherwise.
fn others(input: &Value, shown: &[&str]) -> Vec<Line> {
    let fields = input.as_object().into_iter().flatten();
    let rest = fields.filter(|(name, _)| !shown.contains(&name.as_str()));
    rest.flat_map(|(name, value)| block(&format!("{name}: {value}"), INDENT, Role::Muted))
        .collect()
}

fn questions(input: &Value) -> Vec<Line> {
    let mut lines = Vec::new();
    for question in input["questions"].as_array().into_iter().flatten() {
        let text = question["question"].as_str().unwrap_or_default();
        lines.extend(block(text, INDENT, Role::Plain));
        let options = question["options"].as_array().into_iter().flatten();
        for (index, option) in options.enumerate() {
            let label = option["label"].as_str().unwrap_or_default();
            let words = option["description"].as_str().unwrap_or_default();
            let mut line = Line::new();
            line.pad(INDENT + 2)
                .add(format!("{}  ", index + 1), Role::Number)
                .add(label, Role::Code);
            if words != label {
                line.add(format!("  {words}"), Role::Muted);
            }
            lines.push(line);
        }
    }
    lines
}

/// Returns what a suggestion of the client would allow, in words.
fn suggested(suggestion: &Value) -> String {
    let field = |name: &str| suggestion[name].as_str().unwrap_or_default();
    let whither = match field("destination") {
        "session" => "for this session",
        "localSettings" => "always, in this folder (local settings)",
        "projectSettings" => "always, in this project (project settings)",
        "userSettings" => "always, everywhere (user settings)",
        other => other,
    };
    let what = match field("type") {
        "addRules" => {
            let rules = suggestion["rules"].as_array().into_iter().flatten();
            let rules: Vec<String> = rules.map(rule).collect();
            format!("{} {}", field("behavior"), rules.join(", "))
        }
        "setMode" => format!("mode {}", field("mode")),
        "addDirectories" => format!("allow work in {}", suggestion["directories"]),
        _ => return suggestion.to_string(),
    };
    format!("{what} {whither}")
}

fn rule(rule: &Value) -> String {
    let tool = rule["toolName"].as_str().unwrap_or_default();
    match rule["ruleContent"].as_str() {
        Some(content) => format!("{tool}({content})"),
        None => tool.to_owned(),
    }
}

fn how_to_answer(approval: &ApprovalJson) -> String {
    let id = short(&approval.id);
    match approval.kind.as_str() {
        "question" | "elicitation" => format!("unspool drive answer {id} …"),
        _ => format!("unspool drive approve {id}, unspool drive deny {id} WORDS"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn approval(kind: &str, tool: &str, input: Value, suggestions: Vec<Value>) -> ApprovalJson {
        ApprovalJson {
            id: "a0123456789abcdef01234567".to_owned(),
            run: String::new(),
            session: String::new(),
            kind: kind.to_owned(),
            tool: Some(tool.to_owned()),
            input,
            description: None,
            reason: None,
            suggestions,
            call: None,
            agent: None,
            asked: String::new(),
            deadline: None,
            resolved: None,
            decision: None,
            by: None,
            at: None,
        }
    }

    fn text(approval: &ApprovalJson) -> String {
        let lines: Vec<String> = approval_lines(approval).iter().map(Line::plain).collect();
        lines.join("\n")
    }

    #[test]
    fn a_request_is_shown_whole_with_its_suggestions() {
        let rule = json!({"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"ls *"}],
            "behavior":"allow","destination":"localSettings"});
        let mode = json!({"type":"setMode","mode":"acceptEdits","destination":"session"});
        let command = format!("echo {}\nrm -rf build", "x".repeat(300));
        let input = json!({ "command": command, "timeout": 5 });
        let shown = text(&approval("tool", "Bash", input, vec![rule, mode]));
        assert!(shown.contains(&"x".repeat(300)), "{shown}");
        assert!(shown.contains("rm -rf build") && shown.contains("timeout: 5"));
        assert!(shown.contains("--always 1  allow Bash(ls *) always, in this folder"));
        assert!(shown.contains("--always 2  mode acceptEdits for this session"));
    }

    #[test]
    fn edits_and_questions_read_as_such() {
        let input =
            json!({"file_path":"/a","old_string":"one","new_string":"two","replace_all":true});
        let shown = text(&approval("tool", "Edit", input, Vec::new()));
        for part in ["/a", "- one", "+ two", "replace_all: true"] {
            assert!(shown.contains(part), "{shown}");
        }
        let input = json!({"questions":[{"question":"Which?","options":[{"label":"Red","description":"warm"}]}]});
        let question = approval("question", "AskUserQuestion", input, Vec::new());
        let shown = text(&question);
        assert!(
            shown.contains("Which?") && shown.contains("1  Red  warm"),
            "{shown}"
        );
        let summary = approval_summary(&question).plain();
        assert_eq!(summary, "a0123456  question  Which?");
    }
}
