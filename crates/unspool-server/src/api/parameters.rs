//! Parameters that several operations share, and their values.

use jiff::tz::TimeZone;
use unspool_engine::ops::message::Unanswered;
use unspool_engine::ops::transcript::{LeftOutMessages, ViewKind};
use unspool_model::query::Clock;
use unspool_store::filter::{
    FilterBasis, OwnerFilter, RowFilter, TypedFilter, TypedFilterError, parse_size,
};
use unspool_store::rows::{SessionKind, Status};

use crate::route::Call;
use crate::web::{Parameter, ParameterForm, Problem};

/// How many rows a page of a list has, unless it is asked for otherwise.
const ROWS: u64 = 200;
/// How many rows a page of a list has at most.
const MOST_ROWS: u64 = 1_000;

/// Which sessions: the filters of `unspool list`.
pub(super) const FILTERS: &[Parameter] = &[
    Parameter::many(
        "project",
        ParameterForm::Text,
        "Only sessions of this project: its name, its path, a part of these, or a pattern with *",
    ),
    Parameter::one(
        "here",
        ParameterForm::Switch,
        "Only sessions of the folder that the server was started in, of folders in it, and of \
         other git worktrees of its repository",
    ),
    Parameter::one(
        "since",
        ParameterForm::Text,
        "Only sessions with something in them after this: 3d, 10:00, yesterday, monday, last \
         week, nov 1, 2026-11-01",
    ),
    Parameter::one(
        "until",
        ParameterForm::Text,
        "Only sessions with something in them before the end of this",
    ),
    Parameter::many(
        "branch",
        ParameterForm::Text,
        "Only sessions on this git branch: its name, or a pattern with *",
    ),
    Parameter::many(
        "model",
        ParameterForm::Text,
        "Only sessions with this model: its name, a part of it, or a pattern with *",
    ),
    Parameter::many(
        "tool",
        ParameterForm::Text,
        "Only sessions that called this tool: its name, or a pattern with *",
    ),
    Parameter::many(
        "file",
        ParameterForm::Text,
        "Only sessions that touched this file: its path, the end or a part of it, or a pattern \
         with *",
    ),
    Parameter::one(
        "min_size",
        ParameterForm::Text,
        "Only sessions with a log of at least this size: 500k, 1M, 1.5G",
    ),
    Parameter::one(
        "min_messages",
        ParameterForm::Integer {
            least: 0,
            most: u32::MAX as u64,
            usual: None,
        },
        "Only sessions with at least this many messages",
    ),
    Parameter::many(
        "kind",
        ParameterForm::Choice {
            names: || SessionKind::ALL.map(SessionKind::name).to_vec(),
            usual: None,
        },
        "Only sessions of this kind",
    ),
    Parameter::many(
        "status",
        ParameterForm::Choice {
            names: || Status::ALL.map(Status::name).to_vec(),
            usual: None,
        },
        "Only sessions that ended like this",
    ),
    Parameter::one(
        "live",
        ParameterForm::Switch,
        "Only sessions that a running process owns",
    ),
];

/// The zone that times are of.
pub(super) const ZONE: &[Parameter] = &[Parameter::one(
    "zone",
    ParameterForm::Text,
    "The time zone that days and times without a zone are of, by its IANA name; UTC if none",
)];

/// Pages of a list.
pub(super) const PAGES: &[Parameter] = &[
    Parameter::one(
        "limit",
        ParameterForm::Integer {
            least: 1,
            most: MOST_ROWS,
            usual: Some(ROWS),
        },
        "How many are wanted at most",
    ),
    CURSOR,
];

/// Where a page begins.
pub(super) const CURSOR: Parameter = Parameter::one(
    "cursor",
    ParameterForm::Cursor,
    "The `next` of the page before, with the same parameters",
);

/// A project in the path.
pub(super) const PROJECT: &[Parameter] = &[Parameter::path(
    "project",
    "The project, by the name of its folder under projects/",
)];

/// A session in the path, and the project that tells it from others of the same id.
pub(super) const SESSION: &[Parameter] = &[
    Parameter::path(
        "id",
        "The session: its id, or a beginning of it that no other has",
    ),
    Parameter::one(
        "project",
        ParameterForm::Text,
        "The project of the session, where several have one of this id",
    ),
];

/// Which path of a session.
pub(super) const PATH: Parameter = Parameter::one(
    "path",
    ParameterForm::Integer {
        least: 1,
        most: u32::MAX as u64,
        usual: None,
    },
    "The number of a path; the active one if none",
);

/// Which agent of a session.
pub(super) const AGENT: Parameter = Parameter::one(
    "agent",
    ParameterForm::Text,
    "An agent of the session: its conversation instead of the session's own",
);

/// Which view of a path.
pub(super) const VIEW: Parameter = Parameter::one(
    "view",
    ParameterForm::Choice {
        names: || VIEWS.map(|(name, _)| name).to_vec(),
        usual: Some("history"),
    },
    "The whole history, or the context: what the model would be sent now",
);

const VIEWS: [(&str, ViewKind); 2] = [
    ("history", ViewKind::History),
    ("context", ViewKind::Context),
];

/// What to do with calls that have no result.
pub(super) const INTERRUPTED: Parameter = Parameter::one(
    "interrupted",
    ParameterForm::Choice {
        names: || UNANSWERED.map(|(name, _)| name).to_vec(),
        usual: Some("mark"),
    },
    "What to do with calls that have no result: mark them, hide them, or make up a result",
);

const UNANSWERED: [(&str, Unanswered); 3] = [
    ("mark", Unanswered::Mark),
    ("hide", Unanswered::Hide),
    ("synthesize", Unanswered::Synthesize),
];

/// What to do with messages that a resume would leave out.
pub(super) const LEFT_OUT: Parameter = Parameter::one(
    "left_out",
    ParameterForm::Choice {
        names: || LEFT_OUTS.map(|(name, _)| name).to_vec(),
        usual: Some("show"),
    },
    "What to do with messages that a resume would leave out without a rewind",
);

const LEFT_OUTS: [(&str, LeftOutMessages); 2] = [
    ("show", LeftOutMessages::Show),
    ("hide", LeftOutMessages::Hide),
];

/// Reads which view is wanted.
pub(super) fn view(call: &Call) -> Result<ViewKind, Problem> {
    Ok(call.query.choose("view", &VIEWS)?.unwrap_or_default())
}

/// Reads what to do with calls that have no result.
pub(super) fn unanswered(call: &Call) -> Result<Unanswered, Problem> {
    let chosen = call.query.choose("interrupted", &UNANSWERED)?;
    Ok(chosen.unwrap_or_default())
}

/// Reads what to do with messages that a resume would leave out.
pub(super) fn left_out(call: &Call) -> Result<LeftOutMessages, Problem> {
    Ok(call
        .query
        .choose("left_out", &LEFT_OUTS)?
        .unwrap_or_default())
}

/// Reads how many rows are wanted.
pub(super) fn rows_wanted(call: &Call) -> Result<usize, Problem> {
    Ok(call.query.read("limit")?.unwrap_or(ROWS as usize))
}

/// Reads the zone that times are of.
pub(super) fn zone(call: &Call) -> Result<TimeZone, Problem> {
    let Some(name) = call.query.get("zone") else {
        return Ok(TimeZone::UTC);
    };
    let wrong = || Problem::parameter("zone", format!("there is no time zone {name:?}"));
    // The name is looked up among files: only what can be a name of a zone gets there.
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-' | '+');
    if !name.chars().all(is_letter) {
        return Err(wrong());
    }
    TimeZone::get(name).map_err(|_| wrong())
}

/// Reads the filters.
pub(super) fn filter(call: &Call) -> Result<RowFilter, Problem> {
    let settings = call.state.library.settings();
    let clock = Clock {
        now: settings.clock.time(),
        zone: zone(call)?,
    };
    let basis = FilterBasis {
        clock: &clock,
        here: &settings.here,
        user_home: settings.user_home.as_deref(),
    };
    typed(call)?.resolve(basis).map_err(|error| {
        let name = match &error {
            TypedFilterError::Time { bound, .. } => bound.name(),
            TypedFilterError::EmptyRange { .. } => "until",
        };
        Problem::parameter(name, error.to_string())
    })
}

fn typed(call: &Call) -> Result<TypedFilter, Problem> {
    let query = &call.query;
    let all = |name: &str| -> Vec<String> {
        let values = query.all(name);
        values.map(str::to_owned).collect()
    };
    let size = |text: &str| {
        parse_size(text).map_err(|error| Problem::parameter("min_size", error.to_string()))
    };
    let kinds = all("kind").into_iter().filter_map(|name| {
        let mut kinds = SessionKind::ALL.into_iter();
        kinds.find(|kind| kind.name() == name)
    });
    let statuses = all("status").into_iter().filter_map(|name| {
        let mut statuses = Status::ALL.into_iter();
        statuses.find(|status| status.name() == name)
    });
    Ok(TypedFilter {
        projects: all("project"),
        here: query.is_on("here"),
        since: query.get("since").map(str::to_owned),
        until: query.get("until").map(str::to_owned),
        branches: all("branch"),
        models: all("model"),
        tools: all("tool"),
        files: all("file"),
        min_bytes: query.get("min_size").map(size).transpose()?,
        min_messages: query.read("min_messages")?,
        kinds: kinds.collect(),
        statuses: statuses.collect(),
        owner: if query.is_on("live") {
            OwnerFilter::Process
        } else {
            OwnerFilter::Any
        },
    })
}
