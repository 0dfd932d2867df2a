//! Runs: list, show, plan, start, continue and repeat.

use std::path::{Path, PathBuf};

use axum::http::StatusCode;
use unspool_drive::json::{NextRunBodyJson, StartBodyJson};
use unspool_drive::{
    FailureCause, PermissionMode, PromptContent, PromptId, RunId, RunLimits, RunRequest, RunView,
};

use super::requests::{check_budget, check_images, check_seen, deadline};
use super::{asker, drive, permission_mode, run_named, run_reply, wrong_id};
use crate::driving::Driving;
use crate::route::Call;
use crate::web::{ProblemKind, RequestProblem, WebReply};

/// `GET /api/runs`
pub(in crate::api) fn runs(call: &Call) -> Result<WebReply, RequestProblem> {
    WebReply::json(&drive(call)?.runs_json()?)
}

/// `GET /api/runs/{run}`
pub(in crate::api) fn run(call: &Call) -> Result<WebReply, RequestProblem> {
    let view = drive(call)?.run(&run_named(call)?)?;
    run_reply(&view.to_json(), StatusCode::OK)
}

/// `POST /api/runs`
pub(in crate::api) fn start(call: &Call) -> Result<WebReply, RequestProblem> {
    let body: StartBodyJson = call.body()?;
    let (seen, is_forced) = (body.seen.clone(), body.force);
    let request = requested(call, body)?;
    check_client(call)?;
    let drive = drive(call)?;
    // A repeated request only returns the run that it started, so it needs no check.
    let counts = !is_forced && request.at.is_none() && drive.run(&request.id).is_err();
    if let (Some(session), Some(seen)) = (&request.session, seen.filter(|_| counts)) {
        check_seen(call, session, &seen)?;
    }
    started(call, &drive.start(&request)?)
}

/// `POST /api/plan`
pub(in crate::api) fn plan(call: &Call) -> Result<WebReply, RequestProblem> {
    let request = requested(call, call.body()?)?;
    WebReply::json(&drive(call)?.plan_json(&request)?)
}

/// Converts a body to the request for a run.
fn requested(call: &Call, body: StartBodyJson) -> Result<RunRequest, RequestProblem> {
    let id = RunId::parse(&body.id).map_err(|error| wrong_id(&error))?;
    if body.session.is_none() && (body.at.is_some() || body.fork) {
        let detail = "session: `at` and `fork` are about a session to go on with";
        return Err(RequestProblem::new(ProblemKind::BadRequest, detail));
    }
    check_images(&body.images)?;
    body.budget.map_or(Ok(()), check_budget)?;
    let mut request = RunRequest::new(id, body.cwd, asker(call));
    request.home = match &body.home {
        Some(home) => Some(served_home(call, home)?),
        None => home_of(call, body.session.as_deref()),
    };
    request.prompt = body.prompt.map(|text| PromptContent { text, images: body.images });
    request.session = body.session;
    request.at = body.at;
    request.fork = body.fork;
    request.model = body.model;
    request.budget = body.budget;
    let usual = drive(call)?.limits();
    request.limits = Some(RunLimits {
        idle: deadline("idle", body.idle)?.apply(usual.idle),
        waiting: deadline("waiting", body.waiting)?.apply(usual.waiting),
    });
    let mode = permission_mode(body.permission_mode.as_deref())?;
    request.mode = mode.unwrap_or(PermissionMode::Default);
    Ok(request)
}

/// Refuses to start a client that is not installed.
fn check_client(call: &Call) -> Result<(), RequestProblem> {
    let client = call.state.driving.as_ref().map(Driving::client);
    match client.filter(|client| client.path.is_none()) {
        None => Ok(()),
        Some(client) => {
            let advice = FailureCause::NotInstalled.advice();
            let detail = format!("the program `{}` is not there; {advice}", client.program);
            let problem = RequestProblem::new(ProblemKind::NotInstalled, detail);
            Err(problem.with("program", client.program))
        }
    }
}

/// Refuses a home that is not served: its settings may have hooks, which run in untrusted folders too.
fn served_home(call: &Call, home: &Path) -> Result<PathBuf, RequestProblem> {
    let real = |path: &Path| path.canonicalize().ok();
    let wanted = real(home).filter(|_| home.is_absolute());
    let mut homes = call.state.library.homes().iter();
    let found =
        wanted.and_then(|wanted| homes.find(|one| real(&one.root).as_ref() == Some(&wanted)));
    found.map(|found| found.root.clone()).ok_or_else(|| {
        let detail = format!(
            "home: {} is not served; start the server with `--home` for it",
            home.display()
        );
        RequestProblem::new(ProblemKind::UnknownHome, detail)
    })
}

/// Returns the home of a session, or else the first served home.
fn home_of(call: &Call, session: Option<&str>) -> Option<PathBuf> {
    let homes = call.state.library.homes();
    let found = session.and_then(|session| call.state.session_in(session, None).ok());
    let found = found.and_then(|open| open.found().home.clone());
    let home = found.or_else(|| homes.first().cloned());
    home.map(|home| home.root)
}

/// `POST /api/runs/{run}/plan`
pub(in crate::api) fn plan_next(call: &Call) -> Result<WebReply, RequestProblem> {
    let body: NextRunBodyJson = call.body()?;
    let id = RunId::parse(&body.id).map_err(|error| wrong_id(&error))?;
    let plan = drive(call)?.plan_next(&id, &run_named(call)?, &asker(call))?;
    WebReply::json(&plan)
}

/// `POST /api/runs/{run}/go-on`
pub(in crate::api) fn go_on(call: &Call) -> Result<WebReply, RequestProblem> {
    let body: NextRunBodyJson = call.body()?;
    let id = RunId::parse(&body.id).map_err(|error| wrong_id(&error))?;
    check_client(call)?;
    let view = drive(call)?.go_on(&id, &run_named(call)?, &asker(call))?;
    started(call, &view)
}

/// `POST /api/runs/{run}/again`
pub(in crate::api) fn again(call: &Call) -> Result<WebReply, RequestProblem> {
    let body: NextRunBodyJson = call.body()?;
    let (drive, run) = (drive(call)?, run_named(call)?);
    let old = drive.run(&run)?.run;
    if !old.state.is_over() {
        let id = PromptId::parse(&body.id).map_err(|error| wrong_id(&error))?;
        drive.repeat_last(&id, &run, &asker(call))?;
        return run_reply(&drive.run(&run)?.to_json(), StatusCode::OK);
    }
    let id = RunId::parse(&body.id).map_err(|error| wrong_id(&error))?;
    check_client(call)?;
    let view = drive.run_again(&id, &run, &asker(call))?;
    started(call, &view)
}

fn started(call: &Call, view: &RunView) -> Result<WebReply, RequestProblem> {
    if let Some(driving) = &call.state.driving {
        driving.tell_started(&view.run.id);
    }
    run_reply(&view.to_json(), StatusCode::CREATED)
}
