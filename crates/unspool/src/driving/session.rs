//! Which session a run is to go on with.

use std::path::{Path, PathBuf};

use anyhow::Result;
use unspool_engine::library::{OpenSession, SessionRequest};
use unspool_engine::ops::locate;
use unspool_store::home::Target;

use crate::context::CommandContext;
use crate::errors::{UsageError, wrong_use};
use crate::settings::{HomeChoice, SettingOrigin, Settings};
use crate::ui::Ui;

/// A session that can be gone on with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FoundSession {
    /// Its id.
    pub(crate) id: String,
    /// The folder that it began in, which is where the client looks for it.
    pub(crate) cwd: Option<PathBuf>,
    /// The home it is in.
    pub(crate) home: Option<PathBuf>,
    /// The entry that was asked for, written out.
    pub(crate) at: Option<String>,
}

/// Finds the session of a name, and an entry in it.
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

/// Returns an entry of a session, written out, and how many messages came after it; none of them if
/// the entry is on another branch than the newest.
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

/// Returns the home that was named with `--home`, for a new session.
pub(crate) fn named_home(settings: &Settings) -> Result<Option<PathBuf>> {
    match (&settings.homes.value, &settings.homes.origin) {
        (HomeChoice::Folders(homes), SettingOrigin::Flag(_)) => match homes.as_slice() {
            [home] => Ok(Some(home.root.clone())),
            _ => Err(UsageError("a session is in one home; name one --home".to_owned()).into()),
        },
        _ => Ok(None),
    }
}

/// Leaves out a home that the client uses by itself: naming it would make the client ask for a
/// login.
pub(crate) fn unless_own(home: Option<PathBuf>, settings: &Settings) -> Option<PathBuf> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let own = settings.driving.own_home.as_deref().map(real);
    home.filter(|home| Some(real(home)) != own)
}
