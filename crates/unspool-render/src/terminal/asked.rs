//! What a client asks a person, whole, so that nothing is allowed unseen.

use serde_json::Value;
use unspool_text::style::{Line, Role};

/// A request of a client that waits for a person.
#[derive(Clone, Copy, Debug)]
pub struct AskedRequestView<'a> {
    /// `tool`, `question`, `plan` or `elicitation`.
    pub kind: &'a str,
    /// The tool, or the MCP server that asks.
    pub tool: Option<&'a str>,
    /// The input of the call, or the form to fill in.
    pub input: &'a Value,
    /// What the call is for, in words.
    pub description: Option<&'a str>,
}

impl AskedRequestView<'_> {
    /// Returns a word or two for it.
    pub fn title(&self) -> String {
        let tool = self.tool.unwrap_or("a tool");
        match self.kind {
            "question" => "question".to_owned(),
            "plan" => "plan".to_owned(),
            "elicitation" => format!("form of {tool}"),
            _ => tool.to_owned(),
        }
    }

    /// Returns what it is about, in as many lines as it has.
    pub fn about(&self) -> String {
        let input = self.input;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let known = match self.kind {
            "question" => text(&input["questions"][0]["question"]),
            "plan" => text(&input["plan"]),
            "elicitation" => self.description.map(str::to_owned),
            _ => ["command", "file_path", "url", "pattern"]
                .iter()
                .find_map(|name| text(&input[*name])),
        };
        known.unwrap_or_else(|| match input {
            Value::Null => String::new(),
            input => input.to_string(),
        })
    }

    /// Returns all of it, set in by so many columns.
    pub fn lines(&self, indent: usize) -> Vec<Line> {
        let block = AskedBlock { indent };
        match self.kind {
            "question" => block.questions(self.input),
            "plan" => {
                let plan = self.input["plan"].as_str().unwrap_or_default();
                block.text(plan, Role::Plain)
            }
            _ => block.call(self.tool.unwrap_or_default(), self.input),
        }
    }
}

/// Lines that are set in.
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

    fn call(&self, tool: &str, input: &Value) -> Vec<Line> {
        let field = |name: &str| input[name].as_str().unwrap_or_default();
        let with = |mut lines: Vec<Line>, shown: &[&str]| {
            lines.extend(self.others(input, shown));
            lines
        };
        match tool {
            "Bash" => {
                let command = self.text(field("command"), Role::Code);
                with(command, &["command", "description"])
            }
            "Edit" => {
                let mut lines = self.text(field("file_path"), Role::Path);
                lines.extend(self.marked(field("old_string"), "- ", Role::DiffRemoved));
                lines.extend(self.marked(field("new_string"), "+ ", Role::DiffAdded));
                with(lines, &["file_path", "old_string", "new_string"])
            }
            "Write" => {
                let mut lines = self.text(field("file_path"), Role::Path);
                lines.extend(self.marked(field("content"), "+ ", Role::DiffAdded));
                with(lines, &["file_path", "content"])
            }
            _ if input.is_null() => Vec::new(),
            _ => {
                let text = serde_json::to_string_pretty(input).unwrap_or_default();
                self.text(&text, Role::Code)
            }
        }
    }

    fn marked(&self, text: &str, mark: &str, role: Role) -> Vec<Line> {
        let text: Vec<String> = text.lines().map(|line| format!("{mark}{line}")).collect();
        self.text(&text.join("\n"), role)
    }

    /// Returns the fields that were not shown otherwise.
    fn others(&self, input: &Value, shown: &[&str]) -> Vec<Line> {
        let fields = input.as_object().into_iter().flatten();
        let rest = fields.filter(|(name, _)| !shown.contains(&name.as_str()));
        rest.flat_map(|(name, value)| self.text(&format!("{name}: {value}"), Role::Muted))
            .collect()
    }

    fn questions(&self, input: &Value) -> Vec<Line> {
        let mut lines = Vec::new();
        for question in input["questions"].as_array().into_iter().flatten() {
            let text = question["question"].as_str().unwrap_or_default();
            lines.extend(self.text(text, Role::Plain));
            let options = question["options"].as_array().into_iter().flatten();
            for (index, option) in options.enumerate() {
                let label = option["label"].as_str().unwrap_or_default();
                let words = option["description"].as_str().unwrap_or_default();
                let mut line = Line::new();
                line.pad(self.indent + 2)
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
}
