//! How a session is resumed, for `resume` and for the full-screen program: the plan, and its words.

use anyhow::Result;
use unspool_engine::library::{Library, Listener, SessionRequest};
use unspool_engine::ops::resume::{
    self, ResumeBranch, ResumePlan, ResumeRequest, ResumeSubject, WayOut,
};

use crate::driving::open::client_homes;
use crate::errors::UsageError;
use crate::settings::{HomeChoice, Settings, shown};

/// Plans how a session is resumed.
pub(crate) fn plan(
    session: &SessionRequest,
    request: &ResumeRequest,
    library: &Library,
    settings: &Settings,
    listener: &dyn Listener,
) -> Result<ResumePlan> {
    if settings.homes.value == HomeChoice::Demo {
        let words = "the sessions of the demo are made up; none of them can be resumed";
        return Err(UsageError(words.to_owned()).into());
    }
    let opened = library.session(session, listener)?;
    let subject = ResumeSubject::of(&opened.found, &opened.session, &client_homes(settings));
    Ok(resume::plan(&subject, request))
}

/// Returns the client with the arguments that it always gets, as a person types them.
pub(crate) fn program(settings: &Settings) -> Vec<String> {
    let choice = &settings.driving.client.value;
    let name = choice.program.display().to_string();
    let words = std::iter::once(name).chain(choice.arguments.iter().cloned());
    words.collect()
}

/// Returns what a person can do where a session is not resumed.
pub(crate) fn ways_out(
    plan: &ResumePlan,
    branch: ResumeBranch,
    settings: &Settings,
) -> Vec<WayOut> {
    plan.ways_out(branch, &|path| shown(path, settings.user_home.as_deref()))
}
