//! Plans of runs, as a machine with a client would make them.

use unspool_drive::json::RunPlanJson;
use unspool_drive::launch::{RunPlan, RunSession};
use unspool_drive::trust::{BrokenSettings, CodeSource, TrustReport, TrustVerdict};
use unspool_drive::{ClientProgram, PromptContent, RunId, RunRequest};
use unspool_store::home::HomeNaming;

use crate::work::live::{PromptRequest, PromptWay, StartPlan, start};

/// The id of runs in plans, fixed so that plans look the same each time.
const RUN: &str = "33333333-3333-4333-8333-333333333333";
/// The fingerprint of the settings that run code.
pub(crate) const PRINT: &str = "the print that was seen";

/// Returns the run that a prompt starts.
pub(super) fn begun_by(prompt: &PromptRequest) -> RunRequest {
    let PromptWay::Begin { run, options, at } = &prompt.way else {
        panic!("{prompt:?} begins no run");
    };
    let folder = options.folder.clone().expect("a folder");
    let goes_on = (prompt.subject.as_ref(), at.clone());
    let content = PromptContent::text(prompt.text.clone());
    start::request(run.clone(), folder.into(), options.clone(), goes_on, content)
}

/// Returns a run that continues a session.
pub(super) fn next_run() -> RunRequest {
    let mut request = RunRequest::new(RunId::random(), "/srv/lanterna", "terminal");
    request.session = Some(unspool_testkit::uuid("photos"));
    request
}

/// Returns the plan of a run. Its folder has a hook, whose command tries to clear the terminal, and a
/// broken settings file.
pub(super) fn planned(request: RunRequest, trust: TrustVerdict) -> StartPlan {
    let folder = request.cwd.display().to_string();
    let plan = RunPlan {
        client: ClientProgram::new("/usr/bin/claude"),
        cwd: request.cwd.clone(),
        home: "/home/dev/.claude".into(),
        naming: HomeNaming::Unnamed,
        session: match request.session.clone() {
            Some(session) => RunSession::Resume { session, at: None },
            None => RunSession::New { session: RUN.to_owned() },
        },
        model: request.model.clone(),
        mode: request.mode,
        may_bypass: false,
    };
    let file = |name: &str| format!("{folder}/.claude/{name}").into();
    let broken = vec![BrokenSettings {
        file: file("settings.local.json"),
        reason: "expected value at line 1 column 1".to_owned(),
    }];
    let run = RunId::parse(RUN).expect("a uuid");
    let code = TrustReport {
        folder: folder.clone().into(),
        sources: vec![CodeSource {
            kind: "hook".to_owned(),
            file: file("settings.json"),
            what: "PreToolUse: ./check.sh \u{1b}[2J\n--all".to_owned(),
        }],
        broken,
        print: PRINT.to_owned(),
    };
    let limits = request.limits.unwrap_or_default();
    let verdict = (trust, code.clone());
    let shown = RunPlanJson::new(&plan, &run, limits, request.budget, verdict);
    StartPlan { request, plan: shown, code }
}
