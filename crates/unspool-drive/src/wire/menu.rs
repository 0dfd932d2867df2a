//! The menu of a client: slash commands, models, and suggested files.
//!
//! Parsing is lenient, like that of all lines of the client: an entry without a name is skipped, and long
//! lists and texts are cut.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::decode;

/// The maximum number of commands, models or files that are kept.
const MOST: usize = 1_000;
/// The maximum length of a text in characters.
const LONGEST: usize = 500;

/// A slash command.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MenuCommand {
    /// The name, without the slash.
    pub name: String,
    /// A description of the command.
    pub description: String,
    /// The arguments of the command, such as `[file]`; empty if it has none.
    pub argument_hint: String,
}

/// A model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MenuModel {
    /// The value that selects the model.
    pub value: String,
    /// The display name.
    pub name: String,
    /// A description of the model.
    pub description: String,
}

/// The commands and models of a client.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct ClientMenu {
    /// Slash commands, in the client's order.
    pub commands: Vec<MenuCommand>,
    /// Models, in the client's order.
    pub models: Vec<MenuModel>,
}

/// A command in the client's JSON.
#[derive(Deserialize)]
struct WrittenCommand {
    name: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default, rename = "argumentHint")]
    argument_hint: Option<String>,
}

/// A model in the client's JSON.
#[derive(Deserialize)]
struct WrittenModel {
    value: String,
    #[serde(default, rename = "displayName")]
    name: Option<String>,
    #[serde(default)]
    description: Option<String>,
}

/// The maximum number of errors of settings that are kept.
const MOST_ERRORS: usize = 20;

/// A file in the client's JSON.
#[derive(Deserialize)]
struct WrittenFile {
    path: String,
}

fn cut(text: String) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => text[..end].to_owned(),
        None => text,
    }
}

/// Returns the valid entries of a list; `None` if there is no list.
fn entries<T: serde::de::DeserializeOwned>(raw: Option<&RawValue>) -> Option<Vec<T>> {
    let all: Vec<Box<RawValue>> = decode(raw)?;
    let read = all.iter().filter_map(|one| decode(Some(one)));
    Some(read.take(MOST).collect())
}

/// Parses slash commands; `None` if there is no list of them.
pub(super) fn read_commands(raw: Option<&RawValue>) -> Option<Vec<MenuCommand>> {
    let written: Vec<WrittenCommand> = entries(raw)?;
    let commands = written.into_iter().map(|command| MenuCommand {
        name: cut(command.name),
        description: cut(command.description.unwrap_or_default()),
        argument_hint: cut(command.argument_hint.unwrap_or_default()),
    });
    Some(commands.collect())
}

/// Parses models; `None` if there is no list of them.
pub(super) fn read_models(raw: Option<&RawValue>) -> Option<Vec<MenuModel>> {
    let written: Vec<WrittenModel> = entries(raw)?;
    let models = written.into_iter().map(|model| MenuModel {
        name: cut(model.name.unwrap_or_else(|| model.value.clone())),
        value: cut(model.value),
        description: cut(model.description.unwrap_or_default()),
    });
    Some(models.collect())
}

/// Parses the paths of files; `None` if there is no list of them.
pub(super) fn read_files(raw: Option<&RawValue>) -> Option<Vec<String>> {
    let written: Vec<WrittenFile> = entries(raw)?;
    Some(written.into_iter().map(|file| file.path).collect())
}

/// An error in a settings file. Releases of the client may use other names for its parts, or a sentence.
#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenSettingError {
    Words(String),
    Parts {
        #[serde(default, alias = "path", alias = "source")]
        file: Option<String>,
        #[serde(default, alias = "error", alias = "reason")]
        message: Option<String>,
    },
}

/// Parses errors in settings files to one sentence each; `None` if there is no list of them.
pub(super) fn read_setting_errors(raw: Option<&RawValue>) -> Option<Vec<String>> {
    let written: Vec<WrittenSettingError> = entries(raw)?;
    let words = written.into_iter().filter_map(|error| match error {
        WrittenSettingError::Words(words) => Some(words),
        WrittenSettingError::Parts { file, message } => {
            let parts: Vec<String> = file.into_iter().chain(message).collect();
            (!parts.is_empty()).then(|| parts.join(": "))
        }
    });
    Some(words.map(cut).take(MOST_ERRORS).collect())
}
