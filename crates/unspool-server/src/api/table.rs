//! All operations of the API. The router and the API's document are built from this table.

use std::sync::OnceLock;

use axum::http::Method;

use super::operation::{AnswerForm, Operation};
use super::parameters::{PAGES, PROJECT, SESSION, ZONE};
use super::{
    agent, checks, document, drive, entries, graph, inbox, messages, search, sessions, status,
    streams, totals, transcripts,
};
use crate::filters::FILTERS;
use crate::route::{Call, Route};
use crate::web::ProblemKind::{
    self, Ambiguous, Conflict, NewerMessages, NoClient, NotDriving, NotFound, NotInstalled,
    SessionOwned, UnknownHome, UntrustedFolder, WrongState,
};
use crate::web::{RequestProblem, WebReply};

/// All operations of the API.
pub(crate) const OPERATIONS: &[Operation] = &[
    read(
        "getStatus",
        Route::get("/api/status", status::status).taking(&[]),
        "Say what the server is",
        AnswerForm::Json("ServerStatus"),
    ),
    read(
        "getInbox",
        Route::get("/api/inbox", inbox::inbox).taking(&[inbox::INBOX_PARAMETERS, ZONE]),
        "List what needs input, works, idles, and was done since the inbox was last seen",
        AnswerForm::Json("Inbox"),
    ),
    read(
        "listProjects",
        Route::get("/api/projects", inbox::projects).taking(&[FILTERS, ZONE, PAGES]),
        "List projects with sessions that fit, those first in which something happened last",
        AnswerForm::Json("ProjectsPage"),
    ),
    Operation {
        id: "listProjectSessions",
        route: Route::get("/api/projects/{project}/sessions", sessions::of_project)
            .taking(&[PROJECT, FILTERS, ZONE, PAGES]),
        summary: "List the sessions of a project, newest first",
        body: None,
        answer: AnswerForm::Json("SessionsPage"),
        problems: &[NotFound],
    },
    of_session(
        "getAgentSession",
        Route::get("/api/projects/{project}/agent-sessions/{agentId}", agent::agent)
            .taking(&[PROJECT, agent::AGENT_PARAMETERS]),
        "Show the conversation of an agent, messages included",
        AnswerForm::Json("Document"),
    ),
    read(
        "listSessions",
        Route::get("/api/sessions", sessions::list).taking(&[FILTERS, ZONE, PAGES]),
        "List sessions, newest first",
        AnswerForm::Json("SessionsPage"),
    ),
    of_session(
        "getSession",
        Route::get("/api/sessions/{id}", sessions::overview).taking(&[SESSION]),
        "Show a session without its messages: paths, turns, agents, counts, side files",
        AnswerForm::Json("Overview"),
    ),
    of_session(
        "listMessages",
        Route::get("/api/sessions/{id}/messages", messages::messages)
            .taking(&[SESSION, messages::MESSAGE_PARAMETERS]),
        "List messages of a session, before or after an entry; the newest if neither is \
         given",
        AnswerForm::Json("MessagesPage"),
    ),
    of_session(
        "listAgents",
        Route::get("/api/sessions/{id}/agents", sessions::agents).taking(&[SESSION]),
        "List the agents of a session",
        AnswerForm::Json("SessionAgents"),
    ),
    of_session(
        "getTree",
        Route::get("/api/sessions/{id}/tree", graph::tree).taking(&[SESSION]),
        "Draw the graph of a session: turns, forks, compactions, agents",
        AnswerForm::Json("Tree"),
    ),
    of_session(
        "getTimeline",
        Route::get("/api/sessions/{id}/timeline", graph::timeline)
            .taking(&[SESSION, graph::SHOWN_PARAMETERS]),
        "Show where the time of a path went: model, tools, agents, waiting",
        AnswerForm::Json("Timeline"),
    ),
    of_session(
        "getContext",
        Route::get("/api/sessions/{id}/context", graph::context)
            .taking(&[SESSION, graph::SHOWN_PARAMETERS]),
        "Show how full the model's context was after each answer",
        AnswerForm::Json("ContextSeries"),
    ),
    of_session(
        "getFiles",
        Route::get("/api/sessions/{id}/files", graph::files)
            .taking(&[SESSION, graph::SHOWN_PARAMETERS]),
        "Show every change of a file that a path made, those of agents included",
        AnswerForm::Json("Changes"),
    ),
    of_session(
        "comparePaths",
        Route::get("/api/sessions/{id}/compare", graph::compare)
            .taking(&[SESSION, graph::COMPARE_PARAMETERS]),
        "Compare two paths of a session: prompts, files, cost, how they ended",
        AnswerForm::Json("PathComparison"),
    ),
    of_session(
        "getEntry",
        Route::get("/api/sessions/{id}/entries/{uuid}", entries::entry)
            .taking(&[SESSION, entries::ENTRY_PARAMETERS]),
        "Give the untouched line of an entry",
        AnswerForm::Record,
    ),
    of_session(
        "getMarkdown",
        Route::get("/api/sessions/{id}/transcript.md", transcripts::markdown)
            .taking(&[SESSION, transcripts::TRANSCRIPT_PARAMETERS]),
        "Write a path of a session as Markdown",
        AnswerForm::File(transcripts::MARKDOWN),
    ),
    of_session(
        "getHtml",
        Route::get("/api/sessions/{id}/transcript.html", transcripts::html)
            .taking(&[SESSION, transcripts::TRANSCRIPT_PARAMETERS]),
        "Write a path of a session as a page that needs nothing else",
        AnswerForm::File(transcripts::HTML),
    ),
    of_session(
        "getDocument",
        Route::get("/api/sessions/{id}/transcript.json", transcripts::object)
            .taking(&[SESSION, transcripts::TRANSCRIPT_PARAMETERS]),
        "Write a path of a session as one object, messages included",
        AnswerForm::Json("Document"),
    ),
    of_session(
        "getLines",
        Route::get("/api/sessions/{id}/transcript.jsonl", transcripts::lines)
            .taking(&[SESSION, transcripts::TRANSCRIPT_PARAMETERS]),
        "Write the original lines of a path of a session",
        AnswerForm::File(transcripts::LINES),
    ),
    of_session(
        "getText",
        Route::get("/api/sessions/{id}/transcript.txt", transcripts::text)
            .taking(&[SESSION, transcripts::TRANSCRIPT_PARAMETERS]),
        "Write a path of a session as plain text",
        AnswerForm::File(transcripts::TEXT),
    ),
    of_session(
        "streamSession",
        Route::stream("/api/sessions/{id}/stream", streams::stream)
            .taking(&[SESSION, streams::STREAM_PARAMETERS]),
        "Follow the messages of a session as they are written",
        AnswerForm::Events("StreamEvents"),
    ),
    read(
        "streamEvents",
        Route::stream("/api/events", streams::events).taking(&[]),
        "Follow what changes in the homes",
        AnswerForm::Events("LibraryEvents"),
    ),
    read(
        "search",
        Route::get("/api/search", search::search).taking(&[
            search::SEARCH_PARAMETERS,
            FILTERS,
            ZONE,
        ]),
        "Search everything that was said, thought, called and answered",
        AnswerForm::Json("HitsPage"),
    ),
    read(
        "getStats",
        Route::get("/api/stats", totals::stats).taking(&[totals::STATS_PARAMETERS, FILTERS, ZONE]),
        "Sum up tokens, cost, time, turns, calls and changed lines",
        AnswerForm::Json("Stats"),
    ),
    of_session(
        "check",
        Route::get("/api/check", checks::check).taking(&[checks::CHECK_PARAMETERS]),
        "Check logs for damage and broken rules",
        AnswerForm::Json("CheckReport"),
    ),
    Operation {
        id: "listRuns",
        route: Route::get("/api/runs", drive::runs).taking(&[]),
        summary: "List runs of the client, the newest first",
        body: None,
        answer: AnswerForm::Json("Runs"),
        problems: &[NotDriving],
    },
    Operation {
        id: "getRun",
        route: Route::get("/api/runs/{run}", drive::run).taking(&[drive::RUN]),
        summary: "Show a run with its queue and what waits for a person",
        body: None,
        answer: AnswerForm::Json("Run"),
        problems: &[NotDriving, NotFound],
    },
    Operation {
        id: "getRunMenu",
        route: Route::get("/api/runs/{run}/menu", drive::menu).taking(&[drive::RUN]),
        summary: "List the slash commands and the models that the client of a run offers",
        body: None,
        answer: AnswerForm::Json("RunMenu"),
        problems: &[NotDriving, NotFound],
    },
    Operation {
        id: "suggestFiles",
        route: Route::get("/api/runs/{run}/files", drive::files)
            .taking(&[drive::RUN, drive::FILES_PARAMETERS]),
        summary: "Ask the client of a run for files, to complete a path in a prompt",
        body: None,
        answer: AnswerForm::Json("SuggestedFiles"),
        problems: &[NotDriving, NotFound, WrongState, NoClient],
    },
    Operation {
        id: "getLastMenu",
        route: Route::get("/api/menu", drive::last_menu)
            .taking(&[drive::FOLDER, drive::MENU_PARAMETERS]),
        summary: "List the slash commands and the models that the last client of a session or in a folder offered",
        body: None,
        answer: AnswerForm::Json("RunMenu"),
        problems: &[NotDriving],
    },
    driven(
        "findFiles",
        Route::drive(&Method::GET, "/api/files", drive::SMALL, drive::files_in)
            .taking(&[drive::FOLDER, drive::FILES_PARAMETERS]),
        "Look for files in a trusted folder, to complete a path in a prompt without a client",
        None,
        "SuggestedFiles",
    ),
    driven(
        "startRun",
        Route::drive(&Method::POST, "/api/runs", drive::LARGE, drive::start).taking(&[]),
        "Start a run: a new session, one that is gone on with, or a fork",
        Some("StartBody"),
        "Run",
    ),
    driven(
        "planRun",
        Route::drive(&Method::POST, "/api/plan", drive::LARGE, drive::plan).taking(&[]),
        "Show how a run would be started: folder, command, environment, trust; starts nothing",
        Some("StartBody"),
        "RunPlan",
    ),
    driven(
        "planNextRun",
        Route::drive(&Method::POST, "/api/runs/{run}/plan", drive::SMALL, drive::plan_next)
            .taking(&[drive::RUN]),
        "Show how going on with a run that is over would start the client; starts nothing",
        Some("NextRunBody"),
        "RunPlan",
    ),
    of_run(
        "goOn",
        Route::drive(&Method::POST, "/api/runs/{run}/go-on", drive::SMALL, drive::go_on),
        "Go on with the session of a run that is over",
        "NextRunBody",
    ),
    of_run(
        "runAgain",
        Route::drive(&Method::POST, "/api/runs/{run}/again", drive::SMALL, drive::again),
        "Run the last prompt again, of a run that is over or whose last turn failed; tools may run twice",
        "NextRunBody",
    ),
    driven(
        "putPrompt",
        Route::drive(&Method::POST, "/api/runs/{run}/prompts", drive::LARGE, drive::put)
            .taking(&[drive::RUN]),
        "Put a prompt into the queue of a run",
        Some("PromptBody"),
        "PromptReceipt",
    ),
    driven(
        "cancelPrompt",
        Route::drive(
            &Method::DELETE,
            "/api/runs/{run}/prompts/{prompt}",
            drive::SMALL,
            drive::cancel,
        )
        .taking(&[drive::RUN, drive::PROMPT]),
        "Take a prompt back",
        None,
        "PromptReceipt",
    ),
    of_run(
        "orderQueue",
        Route::drive(&Method::POST, "/api/runs/{run}/queue", drive::SMALL, drive::reorder),
        "Put queued prompts in an order",
        "OrderBody",
    ),
    of_run(
        "interrupt",
        Route::drive(&Method::POST, "/api/runs/{run}/interrupt", drive::SMALL, drive::interrupt),
        "Interrupt the turn of a run",
        "ActionBody",
    ),
    of_run(
        "stopRun",
        Route::drive(&Method::POST, "/api/runs/{run}/stop", drive::SMALL, drive::stop),
        "End a run politely",
        "ActionBody",
    ),
    of_run(
        "releaseQueue",
        Route::drive(&Method::POST, "/api/runs/{run}/release", drive::SMALL, drive::release),
        "Go on with a queue that waits: another process has the session, or the last turn failed",
        "ActionBody",
    ),
    of_run(
        "setMode",
        Route::drive(&Method::POST, "/api/runs/{run}/mode", drive::SMALL, drive::mode),
        "Change the permission mode or the model of a run",
        "ModeBody",
    ),
    of_run(
        "setDeadlines",
        Route::drive(&Method::POST, "/api/runs/{run}/deadlines", drive::SMALL, drive::deadlines),
        "Change the deadlines or the budget of a run",
        "DeadlinesBody",
    ),
    Operation {
        id: "listApprovals",
        route: Route::get("/api/approvals", drive::approvals).taking(&[]),
        summary: "List what waits for a person, the oldest first",
        body: None,
        answer: AnswerForm::Json("Approvals"),
        problems: &[NotDriving],
    },
    driven(
        "answerApproval",
        Route::drive(&Method::POST, "/api/approvals/{approval}", drive::LARGE, drive::answer)
            .taking(&[drive::APPROVAL]),
        "Answer what waits for a person; the first answer counts",
        Some("AnswerBody"),
        "AnswerReceipt",
    ),
    Operation {
        id: "getTrust",
        route: Route::get("/api/trust", drive::report).taking(&[drive::TRUST_PARAMETERS]),
        summary: "Show what in a folder runs code, and whether the folder is trusted",
        body: None,
        answer: AnswerForm::Json("FolderTrust"),
        problems: &[NotDriving, NotFound],
    },
    driven(
        "trustFolder",
        Route::drive(&Method::POST, "/api/trust", drive::SMALL, drive::trust).taking(&[]),
        "Trust a folder with what runs code in it now",
        Some("TrustBody"),
        "FolderTrust",
    ),
    read(
        "getOpenApi",
        Route::get("/api/openapi.json", openapi).taking(&[]),
        "Describe the API: this document",
        AnswerForm::AnyJson,
    ),
];

/// Builds an operation on one session, which may be unknown or ambiguous.
const fn of_session(
    id: &'static str,
    route: Route,
    summary: &'static str,
    answer: AnswerForm,
) -> Operation {
    Operation { id, route, summary, body: None, answer, problems: &[NotFound, Ambiguous] }
}

/// Builds an operation that can fail only in ways that every request can.
const fn read(
    id: &'static str,
    route: Route,
    summary: &'static str,
    answer: AnswerForm,
) -> Operation {
    Operation { problems: &[], ..of_session(id, route, summary, answer) }
}

/// Possible problems of requests to drive.
const DRIVEN_PROBLEMS: &[ProblemKind] = &[
    NotDriving,
    NotFound,
    UntrustedFolder,
    UnknownHome,
    SessionOwned,
    Conflict,
    NewerMessages,
    WrongState,
    NoClient,
    NotInstalled,
];

const fn driven(
    id: &'static str,
    route: Route,
    summary: &'static str,
    body: Option<&'static str>,
    answer: &'static str,
) -> Operation {
    Operation {
        id,
        route,
        summary,
        body,
        answer: AnswerForm::Json(answer),
        problems: DRIVEN_PROBLEMS,
    }
}

/// Builds a request to drive whose answer is the run in its new state.
const fn of_run(
    id: &'static str,
    route: Route,
    summary: &'static str,
    body: &'static str,
) -> Operation {
    driven(id, route.taking(&[drive::RUN]), summary, Some(body), "Run")
}

/// `GET /api/openapi.json`
#[expect(clippy::unnecessary_wraps, reason = "every route gives a reply or a problem")]
fn openapi(_: &Call) -> Result<WebReply, RequestProblem> {
    static TEXT: OnceLock<String> = OnceLock::new();
    let text = TEXT.get_or_init(|| document::document(OPERATIONS).to_string());
    Ok(WebReply::of("application/json", text.as_str()))
}
