//! Finds the session that a run continues.

use std::path::{Path, PathBuf};

use anyhow::Result;
use unspool_engine::library::{OpenSession, SessionRequest};
use unspool_engine::ops::locate;
use unspool_store::home::Target;

use crate::context::CommandContext;
use crate::errors::{UsageError, wrong_use};
use crate::settings::{HomeChoice, SettingOrigin, Settings};
use crate::ui::Ui;

/// A session that a run can continue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FoundSession {
    /// The id.
    pub(crate) id: String,
    /// The folder that the session started in, where the client looks for it.
    pub(crate) cwd: Option<PathBuf>,
    /// The home.
    pub(crate) home: Option<PathBuf>,
    /// The full id of the requested entry.
    pub(crate) at: Option<String>,
}

/// Finds a session by name, and an entry in it.
pub(crate) fn find_session(
    name: &str,
    at: Option<&str>,
    settings: &Settings,
    ui: &Ui,
) -> Result<FoundSession> {
    let context = CommandContext::open(settings, ui)?;
    let opened = context.library.session(&SessionRequest::named(name), &context)?;
    let Target::Session(file) = &opened.found.target else {
        return wrong_use(format!("`{name}` is an agent; only whole sessions can be gone on with"));
    };
    let at = at.map(|entry| locate::find(&opened.session, entry));
    let at = at.transpose()?.map(|place| place.uuid.to_string());
    let log = opened.session.log();
    let found = FoundSession {
        id: file.id.to_string(),
        cwd: log.facts.cwd().map(|cwd| PathBuf::from(log.text(cwd))),
        home: opened.found.home.as_ref().map(|home| home.root.clone()),
        at,
    };
    context.close();
    Ok(found)
}

/// Returns the full id of an entry, and the number of messages after it; `None` if the entry is not on the
/// active path.
pub(crate) fn newer_than(
    session: &str,
    entry: &str,
    settings: &Settings,
    ui: &Ui,
) -> Result<(String, Option<usize>)> {
    let context = CommandContext::open(settings, ui)?;
    let opened = context.library.session(&SessionRequest::named(session), &context)?;
    let entry = locate::find(&opened.session, entry)?.uuid;
    let open = OpenSession::new(opened);
    let view = open.view();
    let count = view.history().messages.len();
    let newer = view.position_of(&entry).map(|place| count - place - 1);
    context.close();
    Ok((entry.to_string(), newer))
}

/// Returns the home of `--home`, for a new session.
pub(crate) fn named_home(settings: &Settings) -> Result<Option<PathBuf>> {
    match (&settings.homes.value, &settings.homes.origin) {
        (HomeChoice::Folders(homes), SettingOrigin::Flag(_)) => match homes.as_slice() {
            [home] => Ok(Some(home.root.clone())),
            _ => Err(UsageError("a session is in one home; name one --home".to_owned()).into()),
        },
        _ => Ok(None),
    }
}

/// Drops a home that is the client's default: naming it would make the client ask for a login.
pub(crate) fn drop_default_home(home: Option<PathBuf>, settings: &Settings) -> Option<PathBuf> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let own = settings.driving.own_home.as_deref().map(real);
    home.filter(|home| Some(real(home)) != own)
}
