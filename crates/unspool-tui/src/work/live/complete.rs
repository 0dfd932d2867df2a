//! What a word of a prompt can become: a command of the client, or a file of its folder.
//!
//! Commands are those that a client named: of the run, else of the last run of the session, else of the last
//! run in the folder. Files are asked of the client, so there are none where none runs.

use std::path::PathBuf;

use unspool_drive::{Drive, DriveError, MenuCommand, RunId};
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
    let Some(run) = told_by(drive, request)? else {
        return Ok(Vec::new());
    };
    let named = drive.menu(&run)?.commands.into_iter();
    let fitting = named.filter_map(|command| {
        let MenuCommand {
            name,
            description,
            argument_hint,
        } = command;
        let name = name.trim_start_matches('/');
        name.starts_with(typed).then(|| WordCompletion {
            text: format!("/{name}"),
            about: format!("{argument_hint} {description}").trim().to_owned(),
        })
    });
    Ok(fitting.take(MOST).collect())
}

/// Returns the run whose client named the commands.
fn told_by(drive: &Drive, request: &CompletionRequest) -> Result<Option<RunId>, DriveError> {
    if request.run.is_some() {
        return Ok(request.run.clone());
    }
    let session = request.session.as_ref();
    let last = session.map(|session| drive.last_run_of_session(session.as_str()));
    if let Some(last) = last.transpose()?.flatten() {
        return Ok(Some(last));
    }
    let Some(folder) = &request.folder else {
        return Ok(None);
    };
    let mut runs = drive.runs()?.into_iter();
    let same = runs.find(|run| run.run.plan.cwd == *folder);
    Ok(same.map(|run| run.run.id))
}

fn files(
    drive: &Drive,
    request: &CompletionRequest,
    typed: &str,
) -> Result<Vec<WordCompletion>, DriveError> {
    let Some(run) = &request.run else {
        return Ok(Vec::new());
    };
    let files = drive.suggest_files(run, typed)?.into_iter();
    let files = files.map(|path| WordCompletion {
        text: format!("@{path}"),
        about: String::new(),
    });
    Ok(files.take(MOST).collect())
}
