//! A request of the client to a person, in full, so that nothing is allowed unseen.
//!
//! This module paints each kind of request for a terminal; [`AskedInput`] parses requests in the
//! same way for all surfaces.

use unspool_model::tool::{AskedField, AskedForm, AskedInput, AskedValue, UserQuestion};
use unspool_text::style::{Line, Role};

/// Returns all lines of a request, indented by `indent` columns.
pub fn asked_lines(asked: &AskedInput, indent: usize) -> Vec<Line> {
    let block = AskedBlock { indent };
    let mut lines = match &asked.matter {
        AskedForm::Command(command) => block.text(command, Role::Code),
        AskedForm::Edits { path, edits } => {
            let mut lines = block.text(path, Role::Path);
            for edit in edits {
                lines.extend(block.marked(&edit.old, "- ", Role::DiffRemoved));
                lines.extend(block.marked(&edit.new, "+ ", Role::DiffAdded));
                if edit.replace_all {
                    lines.extend(block.text("replace_all: true", Role::Muted));
                }
            }
            lines
        }
        AskedForm::Write { path, content } => {
            let mut lines = block.text(path, Role::Path);
            lines.extend(block.marked(content, "+ ", Role::DiffAdded));
            lines
        }
        // The other fields of a question are for the client.
        AskedForm::Questions(questions) => return block.questions(questions),
        AskedForm::Plan(plan) => block.text(plan.as_deref().unwrap_or_default(), Role::Plain),
        AskedForm::Fields => Vec::new(),
    };
    let fields = asked.rest.iter();
    lines.extend(fields.flat_map(|field| block.field(field)));
    lines
}

/// A builder of indented lines.
struct AskedBlock {
    indent: usize,
}

impl AskedBlock {
    fn text(&self, text: &str, role: Role) -> Vec<Line> {
        let lines = text.lines().map(|text| {
            let mut line = Line::new();
            line.pad(self.indent).add(text, role);
            line
        });
        lines.collect()
    }

    fn marked(&self, text: &str, mark: &str, role: Role) -> Vec<Line> {
        let text: Vec<String> = text.lines().map(|line| format!("{mark}{line}")).collect();
        self.text(&text.join("\n"), role)
    }

    fn field(&self, field: &AskedField) -> Vec<Line> {
        let value = match &field.value {
            AskedValue::Text(text) => text,
            AskedValue::Json(json) => json,
        };
        match field.name.as_str() {
            "" => self.text(value, Role::Code),
            name => self.text(&format!("{name}: {value}"), Role::Muted),
        }
    }

    fn questions(&self, questions: &[UserQuestion<'_>]) -> Vec<Line> {
        let mut lines = Vec::new();
        for question in questions {
            lines.extend(self.text(&question.question, Role::Plain));
            for (index, option) in question.options.iter().enumerate() {
                let mut line = Line::new();
                line.pad(self.indent + 2)
                    .add(format!("{}  ", index + 1), Role::Number)
                    .add(&*option.label, Role::Code);
                let words = option.description.as_deref();
                if let Some(words) = words.filter(|words| *words != option.label) {
                    line.add(format!("  {words}"), Role::Muted);
                }
                lines.push(line);
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_changes_of_a_file_read_as_changes() {
        let input = br#"{"file_path":"/a","edits":[{"old_string":"one","new_string":"two"},
            {"old_string":"three","new_string":"four","replace_all":true}],"odd":{"x":1}}"#;
        let lines = asked_lines(&AskedInput::read("MultiEdit", input), 2);
        let lines: Vec<String> = lines.iter().map(Line::plain).collect();
        let expected = [
            "  /a",
            "  - one",
            "  + two",
            "  - three",
            "  + four",
            "  replace_all: true",
            "  odd: {\"x\":1}",
        ];
        assert_eq!(lines, expected);
    }
}
