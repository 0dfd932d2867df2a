//! What a client offers: slash commands, models, and files whose names go on from a beginning.
//!
//! Read leniently, like everything of the client: an entry without a name is left out, and what is too
//! much is cut.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::decode;

/// How many commands, models or files are kept.
const MOST: usize = 1_000;
/// The longest text of an entry, in characters.
const LONGEST: usize = 500;

/// A slash command.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MenuCommand {
    /// Its name, without the slash.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What may follow the name, such as `[file]`; empty if nothing does.
    pub argument_hint: String,
}

/// A model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MenuModel {
    /// What sets it.
    pub value: String,
    /// What it is called.
    pub name: String,
    /// What it is good for.
    pub description: String,
}

/// What a client offers.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct ClientMenu {
    /// Slash commands, in the client's order.
    pub commands: Vec<MenuCommand>,
    /// Models, in the client's order.
    pub models: Vec<MenuModel>,
}

/// A command as the client writes it.
#[derive(Deserialize)]
struct WrittenCommand {
    name: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default, rename = "argumentHint")]
    argument_hint: Option<String>,
}

/// A model as the client writes it.
#[derive(Deserialize)]
struct WrittenModel {
    value: String,
    #[serde(default, rename = "displayName")]
    name: Option<String>,
    #[serde(default)]
    description: Option<String>,
}

/// The most errors of settings that are kept.
const MOST_ERRORS: usize = 20;

/// A file as the client writes it.
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

/// Reads the entries of a list that have the right form; none without a list.
fn entries<T: serde::de::DeserializeOwned>(raw: Option<&RawValue>) -> Option<Vec<T>> {
    let all: Vec<Box<RawValue>> = decode(raw)?;
    let read = all.iter().filter_map(|one| decode(Some(one)));
    Some(read.take(MOST).collect())
}

/// Reads slash commands; none without a list of them.
pub(super) fn read_commands(raw: Option<&RawValue>) -> Option<Vec<MenuCommand>> {
    let written: Vec<WrittenCommand> = entries(raw)?;
    let commands = written.into_iter().map(|command| MenuCommand {
        name: cut(command.name),
        description: cut(command.description.unwrap_or_default()),
        argument_hint: cut(command.argument_hint.unwrap_or_default()),
    });
    Some(commands.collect())
}

/// Reads models; none without a list of them.
pub(super) fn read_models(raw: Option<&RawValue>) -> Option<Vec<MenuModel>> {
    let written: Vec<WrittenModel> = entries(raw)?;
    let models = written.into_iter().map(|model| MenuModel {
        name: cut(model.name.unwrap_or_else(|| model.value.clone())),
        value: cut(model.value),
        description: cut(model.description.unwrap_or_default()),
    });
    Some(models.collect())
}

/// Reads the paths of files; none without a list of them.
pub(super) fn read_files(raw: Option<&RawValue>) -> Option<Vec<String>> {
    let written: Vec<WrittenFile> = entries(raw)?;
    Some(written.into_iter().map(|file| file.path).collect())
}

/// Something that is wrong with a settings file. Releases of the client may name its parts in other ways, or
/// write a sentence.
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

/// Reads what is wrong with settings files, a sentence for each; none without a list of it.
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
