//! Completions of a word in a prompt: commands of the client, or files of its folder.
//!
//! Commands are those that a client reported: the client of this run, else of the session's last run, else
//! of the last run in the folder. The run's client is asked for files; without a client, a trusted folder
//! is scanned.

use std::path::{Path, PathBuf};

use unspool_drive::{ClientMenu, Drive, DriveError, MenuCommand, RunId};
use unspool_model::ids::SessionId;

/// The largest number of completions.
const MOST: usize = 8;

/// The word at the cursor, without its leading `/` or `@`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum PromptWord {
    /// A command: `/comp`.
    Command(String),
    /// A file: `@src/ma`.
    File(String),
}

/// A word to complete, and the prompt that contains it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CompletionRequest {
    pub(crate) word: PromptWord,
    /// The run that gets the prompt.
    pub(crate) run: Option<RunId>,
    pub(crate) session: Option<SessionId>,
    pub(crate) folder: Option<PathBuf>,
}

/// A completion of a word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct WordCompletion {
    /// The whole word with its leading character.
    pub(crate) text: String,
    /// A description.
    pub(crate) about: String,
}

/// Lists the completions of a word; none if the client cannot be asked.
pub(super) fn complete(drive: &Drive, request: &CompletionRequest) -> Vec<WordCompletion> {
    let found = match &request.word {
        PromptWord::Command(name) => commands(drive, request, name),
        PromptWord::File(path) => files(drive, request, path),
    };
    found.unwrap_or_default()
}

fn commands(
    drive: &Drive,
    request: &CompletionRequest,
    typed: &str,
) -> Result<Vec<WordCompletion>, DriveError> {
    let named = menu(drive, request)?.commands.into_iter();
    let fitting = named.filter_map(|command| {
        let MenuCommand { name, description, argument_hint } = command;
        let name = name.trim_start_matches('/');
        name.starts_with(typed).then(|| WordCompletion {
            text: format!("/{name}"),
            about: format!("{argument_hint} {description}").trim().to_owned(),
        })
    });
    Ok(fitting.take(MOST).collect())
}

/// Returns the menu of the run's client, else the last menu of the session or the folder.
fn menu(drive: &Drive, request: &CompletionRequest) -> Result<ClientMenu, DriveError> {
    if let Some(run) = &request.run {
        return drive.menu(run);
    }
    let session = request.session.as_ref().map(SessionId::as_str);
    let folder = request.folder.as_deref().unwrap_or(Path::new(""));
    let last = drive.last_menu(session, folder)?;
    Ok(last.map(|(_, menu)| menu).unwrap_or_default())
}

fn files(
    drive: &Drive,
    request: &CompletionRequest,
    typed: &str,
) -> Result<Vec<WordCompletion>, DriveError> {
    let files = match (&request.run, &request.folder) {
        (Some(run), _) => drive.suggest_files(run, typed)?,
        (None, Some(folder)) => drive.files_in(folder, typed)?,
        (None, None) => Vec::new(),
    };
    let files = files
        .into_iter()
        .map(|path| WordCompletion { text: format!("@{path}"), about: String::new() });
    Ok(files.take(MOST).collect())
}
