//! What a word of a prompt can become: a command of the client, or a file of its folder.
//!
//! Commands are those that a client named: of the run, else of the last run of the session, else of the last
//! run in the folder. Files are asked of the client; where none runs, they are looked for in a trusted folder.

use std::path::{Path, PathBuf};

use unspool_drive::{ClientMenu, Drive, DriveError, MenuCommand, RunId};
use unspool_model::ids::SessionId;

/// How many are offered.
const MOST: usize = 8;

/// The word at the cursor, without the sign that it begins with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum PromptWord {
    /// A command: `/comp`.
    Command(String),
    /// A file: `@src/ma`.
    File(String),
}

/// Which word, and where it is typed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CompletionRequest {
    pub(crate) word: PromptWord,
    /// The run that the prompt is for.
    pub(crate) run: Option<RunId>,
    pub(crate) session: Option<SessionId>,
    pub(crate) folder: Option<PathBuf>,
}

/// What the word can become.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct WordCompletion {
    /// The word with its sign.
    pub(crate) text: String,
    /// What it is.
    pub(crate) about: String,
}

/// Lists what a word can become; nothing if the client cannot be asked.
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

/// Returns what a client offers: that of the run, else the last one of the session or in the folder.
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
