//! The plan to resume a session, for `resume` and for the full-screen program.

use std::ffi::OsString;

use anyhow::Result;
use unspool_drive::ClientProgram;
use unspool_drive::launch::is_ours;
use unspool_engine::library::{Library, Listener, SessionRequest};
use unspool_engine::ops::resume::{
    self, ResumeBranch, ResumePlan, ResumeRemedy, ResumeRequest, ResumeSubject,
};
use unspool_tui::TuiCommand;

use crate::driving::open::client_homes;
use crate::errors::wrong_use;
use crate::settings::{Environment, HomeChoice, Settings, shown};

/// Plans how a session is resumed.
pub(crate) fn plan(
    session: &SessionRequest,
    request: &ResumeRequest,
    library: &Library,
    settings: &Settings,
    listener: &dyn Listener,
) -> Result<ResumePlan> {
    if settings.homes.value == HomeChoice::Demo {
        return wrong_use("the sessions of the demo are made up; none of them can be resumed");
    }
    let opened = library.session(session, listener)?;
    let subject = ResumeSubject::of(&opened.found, &opened.session, &client_homes(settings));
    Ok(resume::plan(&subject, request))
}

/// Returns what the user can do if a session is not resumed.
pub(crate) fn remedies(
    plan: &ResumePlan,
    branch: ResumeBranch,
    settings: &Settings,
) -> Vec<ResumeRemedy> {
    plan.remedies(branch, &|path| shown(path, settings.user_home.as_deref()))
}

/// Builds the command that resumes a session.
pub(crate) fn client_command(client: &ClientProgram, plan: &ResumePlan) -> TuiCommand {
    let ours = Environment::all().into_iter().map(|(name, _)| name);
    let mut removed: Vec<OsString> = ours.filter(|name| is_ours(name)).collect();
    let mut environment = Vec::new();
    match plan.home.variable() {
        Some((name, Some(home))) => environment.push((name.into(), home.into())),
        Some((name, None)) => removed.push(name.into()),
        None => {}
    }
    let arguments = client.arguments.iter().chain(&plan.arguments);
    let folder = plan.folder.clone();
    TuiCommand { folder, environment, removed, ..TuiCommand::new(&client.path, arguments) }
}
