//! Inputs of calls that a person is asked to allow, read so that every surface shows all of them.
//!
//! [`AskedInput::read`] takes the name of a tool and the raw JSON of its input. A part with a
//! form of its own becomes an [`AskedForm`]; every other field is in [`AskedInput::rest`], so
//! that nothing is allowed unseen. Unlike [`super::parse`], which drops unusual fields of a
//! log, this takes a field only if it has the type that is shown: an edit whose text is not a
//! string, or which has an additional field, is shown as a list of its fields.

use std::borrow::Cow;

use super::call::{Replacement, UserQuestion};
use super::input::{change, question};
use super::value::{RawField, RawObject};
use crate::json::{JsonShape, to_strict};

/// Fields that describe a call without a form of its own, best first.
const SUBJECTS: [&str; 7] =
    ["url", "pattern", "query", "file_path", "notebook_path", "path", "skill"];

/// The complete input of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AskedInput {
    /// The part that has a form of its own.
    pub matter: AskedForm,
    /// All other fields, in order.
    pub rest: Vec<AskedField>,
}

/// The part of an input that has a form of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AskedForm {
    /// A command for a shell.
    Command(String),
    /// Changes of a file, in order.
    Edits {
        /// The file.
        path: String,
        /// The changes.
        edits: Vec<Replacement<'static>>,
    },
    /// A whole file.
    Write {
        /// The file.
        path: String,
        /// The content of the file after the call.
        content: String,
    },
    /// Questions for a person.
    Questions(Vec<UserQuestion<'static>>),
    /// A plan; `None` if the client keeps it in a file.
    Plan(Option<String>),
    /// No such part: everything is in the other fields.
    Fields,
}

/// A field of an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AskedField {
    /// The name; empty for an input that is not an object.
    pub name: String,
    /// The value.
    pub value: AskedValue,
}

/// The value of a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AskedValue {
    /// A string, decoded.
    Text(String),
    /// Anything else, as JSON.
    Json(String),
}

impl AskedInput {
    /// Reads the input of a call of the tool `name`.
    pub fn read(name: &str, input: &[u8]) -> Self {
        let mut fields = InputFields::of(input);
        let matter = match name {
            "Bash" | "PowerShell" => fields.command(),
            "Edit" => fields.edit(),
            "MultiEdit" => fields.edits(),
            "Write" => fields.write(),
            "AskUserQuestion" => fields.questions(),
            "ExitPlanMode" | "exit_plan_mode" => Some(AskedForm::Plan(fields.take("plan"))),
            _ => None,
        };
        Self { matter: matter.unwrap_or(AskedForm::Fields), rest: fields.rest() }
    }

    /// Returns the subject of the call, in full: the command, the file, the first question.
    pub fn about(&self) -> Option<&str> {
        match &self.matter {
            AskedForm::Command(command) => Some(command),
            AskedForm::Edits { path, .. } | AskedForm::Write { path, .. } => Some(path),
            AskedForm::Questions(questions) => Some(&questions.first()?.question),
            AskedForm::Plan(plan) => plan.as_deref(),
            AskedForm::Fields => SUBJECTS.iter().find_map(|name| self.text(name)),
        }
    }

    /// Returns the text of one of the other fields.
    pub fn text(&self, name: &str) -> Option<&str> {
        match &self.field(name)?.value {
            AskedValue::Text(text) => Some(text),
            AskedValue::Json(_) => None,
        }
    }

    /// Tells whether one of the other fields is `true`.
    pub fn is_set(&self, name: &str) -> bool {
        let value = self.field(name).map(|field| &field.value);
        matches!(value, Some(AskedValue::Json(json)) if json == "true")
    }

    fn field(&self, name: &str) -> Option<&AskedField> {
        self.rest.iter().rfind(|field| field.name == name)
    }

    /// Returns the questions; empty if the call asks something else.
    pub fn questions(self) -> Vec<UserQuestion<'static>> {
        match self.matter {
            AskedForm::Questions(questions) => questions,
            _ => Vec::new(),
        }
    }
}

/// The fields that no form has taken yet.
struct InputFields<'a>(RawObject<'a>);

impl<'a> InputFields<'a> {
    fn of(input: &'a [u8]) -> Self {
        let whole = RawField::new(input);
        let is_none = whole.is(JsonShape::Null) || input.is_empty();
        Self(if whole.is(JsonShape::Object) || is_none {
            whole.object()
        } else {
            RawObject(vec![(String::new(), whole)])
        })
    }

    /// Removes and returns a field if `read` accepts it.
    fn take_as<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(RawField<'a>) -> Option<T>,
    ) -> Option<T> {
        let place = self.0.place(name)?;
        let value = read(self.0.0[place].1)?;
        self.0.0.remove(place);
        Some(value)
    }

    /// Removes and returns a field if it is a string.
    fn take(&mut self, name: &str) -> Option<String> {
        self.take_as(name, |field| field.text().map(Cow::into_owned))
    }

    /// Removes and returns fields if all of them are strings.
    fn take_all<const N: usize>(&mut self, names: [&str; N]) -> Option<[String; N]> {
        let are_texts = names.iter().all(|name| self.0.get(name).is(JsonShape::String));
        are_texts.then(|| names.map(|name| self.take(name).unwrap_or_default()))
    }

    fn command(&mut self) -> Option<AskedForm> {
        let command = self.take("command")?;
        // The approval request states this itself, in words for people.
        self.take("description");
        Some(AskedForm::Command(command))
    }

    fn edit(&mut self) -> Option<AskedForm> {
        let [path, old, new] = self.take_all(["file_path", "old_string", "new_string"])?;
        let edit = Replacement {
            old: old.into(),
            new: new.into(),
            replace_all: self.take_as("replace_all", RawField::bool) == Some(true),
        };
        let edits = vec![edit];
        Some(AskedForm::Edits { path, edits })
    }

    fn edits(&mut self) -> Option<AskedForm> {
        let items = self.0.get("edits").array()?;
        if !items.iter().all(|item| is_plain_edit(*item)) {
            return None;
        }
        let [path] = self.take_all(["file_path"])?;
        self.take_as("edits", Some);
        let edits = items.into_iter().map(|item| change(&item.object()).into_owned());
        let edits = edits.collect();
        Some(AskedForm::Edits { path, edits })
    }

    fn write(&mut self) -> Option<AskedForm> {
        let [path, content] = self.take_all(["file_path", "content"])?;
        Some(AskedForm::Write { path, content })
    }

    fn questions(&mut self) -> Option<AskedForm> {
        let read = |item| Some(question(item)?.into_owned());
        let questions =
            self.take_as("questions", |field| field.array()?.into_iter().map(read).collect())?;
        Some(AskedForm::Questions(questions))
    }

    fn rest(self) -> Vec<AskedField> {
        let read = |(name, field): (String, RawField<'_>)| AskedField {
            name,
            value: match field.text() {
                Some(text) => AskedValue::Text(text.into_owned()),
                None => AskedValue::Json(field.raw().map_or(Cow::Borrowed(""), to_strict).into()),
            },
        };
        self.0.0.into_iter().map(read).collect()
    }
}

/// Tells whether an edit of a `MultiEdit` has the fields that its form shows, and no others.
fn is_plain_edit(edit: RawField<'_>) -> bool {
    let RawObject(fields) = edit.object();
    let is_known = |(name, value): &(String, RawField<'_>)| match name.as_str() {
        "old_string" | "new_string" => value.is(JsonShape::String),
        "replace_all" => value.is(JsonShape::Bool),
        _ => false,
    };
    let has = |name: &str| fields.iter().filter(|(known, _)| known == name).count() == 1;
    fields.iter().all(is_known) && has("old_string") && has("new_string")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(tool: &str, input: &str) -> AskedInput {
        AskedInput::read(tool, input.as_bytes())
    }

    fn names(asked: &AskedInput) -> Vec<&str> {
        asked.rest.iter().map(|field| field.name.as_str()).collect()
    }

    #[test]
    fn what_has_a_form_of_its_own_is_taken_and_all_else_is_left() {
        let bash = read(
            "Bash",
            r#"{"command":"a\nb","description":"does","timeout":5,"run_in_background":true}"#,
        );
        assert_eq!(bash.matter, AskedForm::Command("a\nb".to_owned()));
        assert_eq!(names(&bash), ["timeout", "run_in_background"]);
        assert!(bash.is_set("run_in_background") && !bash.is_set("timeout"));
        let edit = read(
            "Edit",
            r#"{"file_path":"/a","old_string":"x","new_string":"y","replace_all":true,"odd":"z"}"#,
        );
        let AskedForm::Edits { path, edits } = &edit.matter else {
            panic!("{edit:?}");
        };
        assert_eq!((path.as_str(), edits.len()), ("/a", 1));
        assert!(edits[0].replace_all && edits[0].new == "y");
        assert_eq!(edit.text("odd"), Some("z"));
        let several = read(
            "MultiEdit",
            r#"{"file_path":"/a","edits":[{"old_string":"x","new_string":"y"},{"old_string":"","new_string":"z"}]}"#,
        );
        assert!(matches!(&several.matter, AskedForm::Edits { edits, .. } if edits.len() == 2));
        assert_eq!(names(&several), [""; 0]);
        let write = read("Write", r#"{"content":"c","file_path":"/a"}"#);
        assert_eq!(write.about(), Some("/a"));
        assert_eq!(read("WebFetch", r#"{"url":"u"}"#).about(), Some("u"));
    }

    #[test]
    fn nothing_of_an_odd_input_is_hidden() {
        for (tool, input, left) in [
            ("Bash", r#"{"command":["rm"]}"#, &["command"][..]),
            ("Write", r#"{"file_path":"/a","content":{"x":1}}"#, &["file_path", "content"]),
            ("Edit", r#"{"file_path":"/a","old_string":"x"}"#, &["file_path", "old_string"]),
            (
                "MultiEdit",
                r#"{"file_path":"/a","edits":[{"old_string":"x","new_string":"y","more":1}]}"#,
                &["file_path", "edits"],
            ),
            ("AskUserQuestion", r#"{"questions":[1]}"#, &["questions"]),
            ("Bash", r#"{"command":"first","command":"last"}"#, &["command"]),
            ("Other", r#"["a"]"#, &[""]),
            ("Other", "null", &[]),
            ("Other", "", &[]),
        ] {
            assert_eq!(names(&read(tool, input)), left, "{tool} {input}");
        }
        let twice = read("Bash", r#"{"command":"first","command":"last"}"#);
        assert_eq!(twice.about(), Some("last"));
    }

    #[test]
    fn questions_and_plans_are_read_whole() {
        let asked = read(
            "AskUserQuestion",
            r#"{"questions":[{"question":"Which?","header":"H","multiSelect":true,
                "options":[{"label":"Red","description":"warm","preview":"P"}]}]}"#,
        );
        assert_eq!(asked.about(), Some("Which?"));
        let questions = asked.questions();
        assert!(questions[0].multiple);
        assert_eq!(questions[0].options[0].preview.as_deref(), Some("P"));
        let plan = read("ExitPlanMode", r#"{"plan":"p","planFilePath":"/f"}"#);
        assert_eq!(plan.about(), Some("p"));
        assert_eq!(names(&plan), ["planFilePath"]);
        assert_eq!(read("ExitPlanMode", "{}").matter, AskedForm::Plan(None));
    }
}
