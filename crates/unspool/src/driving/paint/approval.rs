//! Formats pending approvals in full, so that nothing is allowed unseen.

use serde_json::Value;
use unspool_drive::ApprovalKind;
use unspool_drive::form::form_fields;
use unspool_drive::json::ApprovalJson;
use unspool_drive::suggestion::suggestion_words;
use unspool_render::terminal::asked_lines;
use unspool_text::{Line, Role, sanitize};

use super::{block, short};

/// The largest width of a summary.
const SUMMARY: usize = 72;
/// The indent of the request.
const INDENT: usize = 4;

/// Returns a request on one line.
pub(crate) fn approval_summary(approval: &ApprovalJson) -> Line {
    let mut line = Line::of(short(&approval.id), Role::Id);
    line.add("  ", Role::Plain).add(approval.title(), Role::Warning);
    let about = sanitize::one_line(&approval.about_or_input(), SUMMARY);
    if !about.is_empty() {
        line.add("  ", Role::Plain).add(about, Role::Plain);
    }
    line
}

/// Returns the whole request.
pub(crate) fn approval_lines(approval: &ApprovalJson) -> Vec<Line> {
    let mut head = Line::of("? ", Role::Warning);
    head.add(approval.title(), Role::Warning)
        .add("  ", Role::Plain)
        .add(short(&approval.id), Role::Id);
    let mut lines = vec![head];
    if approval.kind == ApprovalKind::Elicitation {
        lines.extend(form(&approval.input));
    } else {
        lines.extend(asked_lines(&approval.asked(), INDENT));
    }
    let reason = approval.description.iter().chain(&approval.reason);
    lines.extend(reason.flat_map(|words| block(words, INDENT, Role::Muted)));
    let warned = approval.consequences.iter();
    lines.extend(warned.flat_map(|words| block(words, INDENT, Role::Warning)));
    for (index, suggestion) in approval.suggestions.iter().enumerate() {
        let mut line = Line::new();
        line.pad(INDENT)
            .add(format!("--always {}  ", index + 1), Role::Code)
            .add(suggestion_words(suggestion), Role::Muted);
        lines.push(line);
    }
    let mut how = Line::new();
    how.pad(INDENT).add(how_to_answer(approval), Role::Muted);
    lines.push(how);
    lines
}

/// Returns the fields of a form, one on each line.
fn form(schema: &Value) -> Vec<Line> {
    let mut lines = Vec::new();
    if let Some(page) = schema["url"].as_str() {
        lines.extend(block(&format!("open {page}"), INDENT, Role::Plain));
    }
    for field in form_fields(schema) {
        let mut line = Line::new();
        line.pad(INDENT)
            .add(field.name.as_str(), Role::Code)
            .add(format!("  {}", field.kind.words()), Role::Plain);
        if !field.default.is_null() {
            line.add(format!(", {} if you say nothing", field.default), Role::Muted);
        } else if field.is_required {
            line.add(", needed", Role::Warning);
        }
        lines.push(line);
        let titled = Some(&field.title).filter(|title| **title != field.name);
        for words in titled.into_iter().chain(&field.description) {
            lines.extend(block(words, INDENT + 2, Role::Muted));
        }
    }
    lines
}

fn how_to_answer(approval: &ApprovalJson) -> String {
    let id = short(&approval.id);
    match approval.kind {
        ApprovalKind::Question => format!("unspool drive answer {id} …"),
        ApprovalKind::Elicitation => {
            format!("unspool drive answer {id} FIELD=VALUE …, unspool drive deny {id}")
        }
        ApprovalKind::Tool | ApprovalKind::Plan => {
            format!("unspool drive approve {id}, unspool drive deny {id} WORDS")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn approval(
        kind: ApprovalKind,
        tool: &str,
        input: Value,
        suggestions: Vec<Value>,
    ) -> ApprovalJson {
        ApprovalJson {
            id: "a0123456789abcdef01234567".to_owned(),
            run: String::new(),
            session: String::new(),
            cwd: String::new(),
            kind,
            consequences: Vec::new(),
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
        let shown = text(&approval(ApprovalKind::Tool, "Bash", input, vec![rule, mode]));
        assert!(shown.contains(&"x".repeat(300)), "{shown}");
        assert!(shown.contains("rm -rf build") && shown.contains("timeout: 5"));
        assert!(shown.contains("--always 1  allow Bash(ls *) always in this folder, for you"));
        assert!(shown.contains("--always 2  accept edits without asking for this session"));
    }

    #[test]
    fn a_form_names_its_fields_and_what_they_take() {
        let schema = json!({
            "properties": {
                "name": {"type": "string", "title": "Name of the site"},
                "port": {"type": "integer", "minimum": 1, "default": 80},
            },
            "required": ["name"],
        });
        let shown = text(&approval(ApprovalKind::Elicitation, "forms", schema, Vec::new()));
        for part in [
            "form of forms",
            "name  a text, needed",
            "Name of the site",
            "port  a whole number of 1 or more, 80 if you say nothing",
            "FIELD=VALUE",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
    }

    #[test]
    fn edits_and_questions_read_as_such() {
        let input =
            json!({"file_path":"/a","old_string":"one","new_string":"two","replace_all":true});
        let shown = text(&approval(ApprovalKind::Tool, "Edit", input, Vec::new()));
        for part in ["/a", "- one", "+ two", "replace_all: true"] {
            assert!(shown.contains(part), "{shown}");
        }
        let input = json!({"questions":[{"question":"Which?","options":[{"label":"Red","description":"warm"}]}]});
        let question = approval(ApprovalKind::Question, "AskUserQuestion", input, Vec::new());
        let shown = text(&question);
        assert!(shown.contains("Which?") && shown.contains("1  Red  warm"), "{shown}");
        let summary = approval_summary(&question).plain();
        assert_eq!(summary, "a0123456  question  Which?");
    }
}
