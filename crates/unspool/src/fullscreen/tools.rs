//! Starts programs for the full-screen program: the client, the editor, the clipboard.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use unspool_drive::FailureCause;
use unspool_engine::library::{Library, SessionRequest};
use unspool_engine::ops::resume::{ResumeObstacle, ResumePlan, ResumeRequest, shell_word};
use unspool_store::progress::Unwatched;
use unspool_tui::{
    MissingClient, PageRefusal, ResumeOffer, ResumeRefusal, ResumeWay, ResumeWayOut,
    SessionSubject, TuiCommand,
};

use crate::driving::open::{self, ClientNeed};
use crate::driving::refusal::DriveRefusal;
use crate::resuming;
use crate::settings::Settings;

/// Programs that copy a text to the clipboard of a desktop, with their arguments.
const CLIPBOARDS: [(&str, &[&str]); 4] = [
    ("wl-copy", &[]),
    ("xclip", &["-selection", "clipboard"]),
    ("xsel", &["--clipboard", "--input"]),
    ("pbcopy", &[]),
];

/// Returns how a session can be resumed.
pub(super) fn resume(
    library: &Library,
    settings: &Settings,
    session: &SessionSubject,
    way: &ResumeWay,
) -> Result<ResumeOffer, ResumeRefusal> {
    let log = session.file.display().to_string();
    let session = SessionRequest::named(&log);
    let request = ResumeRequest {
        branch: way.branch,
        folder: way.folder.clone(),
        ..ResumeRequest::default()
    };
    let plan = resuming::plan(&session, &request, library, settings, &Unwatched);
    let plan = plan.map_err(|error| refused(error.to_string()))?;
    if let Some(obstacle) = &plan.obstacle {
        return Err(obstructed(obstacle, &plan, way, settings));
    }
    let program = settings.driving.client.value.words();
    let program: Vec<&str> = program.iter().map(String::as_str).collect();
    let client = open::client(settings, ClientNeed::Started);
    let command = client.map(|client| resuming::client_command(&client, &plan));
    Ok(ResumeOffer {
        line: plan.shell_line(&program),
        remarks: plan.remarks.iter().map(ToString::to_string).collect(),
        command: command.map_err(|error| missing_client(&error)),
    })
}

fn refused(words: String) -> ResumeRefusal {
    ResumeRefusal { words, remarks: Vec::new(), remedies: Vec::new() }
}

/// Explains why a session should not be resumed as it is.
fn obstructed(
    obstacle: &ResumeObstacle,
    plan: &ResumePlan,
    way: &ResumeWay,
    settings: &Settings,
) -> ResumeRefusal {
    let mut refusal = refused(obstacle.to_string());
    if matches!(obstacle, ResumeObstacle::Live { .. }) {
        refusal.remedies = vec![ResumeWayOut::Resume(ResumeWay {
            folder: way.folder.clone(),
            ..ResumeWay::fork()
        })];
        return refusal;
    }
    for found in resuming::remedies(plan, way.branch, settings) {
        refusal.remarks.push(found.to_string());
        refusal.remedies.push(match found.folder {
            Some(folder) => {
                ResumeWayOut::Resume(ResumeWay { branch: way.branch, folder: Some(folder) })
            }
            None => ResumeWayOut::Copy(found.command),
        });
    }
    refusal
}

/// Explains why no client can resume a session here.
fn missing_client(error: &anyhow::Error) -> MissingClient {
    let advice = match error.downcast_ref() {
        Some(DriveRefusal::NotInstalled(_)) => Some(FailureCause::NotInstalled.advice()),
        _ => None,
    };
    MissingClient { words: format!("{error:#}"), advice: advice.map(str::to_owned) }
}

/// Offers to start a server for the same homes.
pub(super) fn server_offer(settings: &Settings) -> PageRefusal {
    let program = match open::this_program() {
        Ok(program) => program,
        Err(error) => return PageRefusal::Other(format!("no server runs, and {error:#}")),
    };
    let mut arguments = settings.home_options();
    arguments.extend(["serve".to_owned(), "--open".to_owned()]);
    let words: Vec<String> = arguments.iter().map(|word| shell_word(word)).collect();
    PageRefusal::NoServer {
        line: format!("unspool {}", words.join(" ")),
        start: Box::new(TuiCommand::new(program, arguments)),
    }
}

/// Builds a command that opens a text in an editor, at a line.
#[expect(clippy::disallowed_methods, reason = "a text that the editor reads")]
pub(super) fn editor(
    editor: Option<&str>,
    folder: &Path,
    text: &str,
    line: usize,
) -> io::Result<TuiCommand> {
    let mut file = tempfile::Builder::new().prefix("session-").suffix(".md").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    let (_, path) = file.keep()?;
    let mut words = editor.unwrap_or("vi").split_whitespace();
    let program = words.next().unwrap_or("vi");
    let mut arguments: Vec<OsString> = words.map(Into::into).collect();
    let name = Path::new(program).file_name().unwrap_or_default();
    if name == "code" || name == "codium" {
        let place = format!("{}:{line}", path.display());
        arguments.extend(["--wait".into(), "--goto".into(), place.into()]);
    } else {
        arguments.extend([format!("+{line}").into(), path.into_os_string()]);
    }
    Ok(TuiCommand::new(program, arguments))
}

/// Copies a text with the first program that succeeds.
pub(super) fn copy(text: &str) -> bool {
    CLIPBOARDS.iter().any(|(program, arguments)| {
        let child = Command::new(program)
            .args(*arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut child) = child else {
            return false;
        };
        let written = child.stdin.take().map(|mut into| into.write_all(text.as_bytes()));
        let taken = child.wait().is_ok_and(|status| status.success());
        taken && written.is_some_and(|written| written.is_ok())
    })
}

/// Replaces a file atomically. Only its owner can read it.
#[expect(clippy::disallowed_methods, reason = "a file of our own")]
pub(super) fn replace_file(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
