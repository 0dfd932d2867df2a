//! Parameters that several operations share, and their values.

use jiff::tz::TimeZone;
use unspool_engine::ops::message::Unanswered;
use unspool_engine::ops::transcript::{LeftOutMessages, ViewKind};
use unspool_model::named::Named as _;
use unspool_store::filter::RowFilter;

use crate::filters::row_filter;
use crate::route::Call;
use crate::web::{Parameter, ParameterForm, RequestProblem};

/// How many rows a page of a list has, unless it is asked for otherwise.
const ROWS: u64 = 200;
/// How many rows a page of a list has at most.
const MOST_ROWS: u64 = 1_000;

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
        ParameterForm::Integer { least: 1, most: MOST_ROWS, usual: Some(ROWS) },
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
pub(super) const PROJECT: &[Parameter] =
    &[Parameter::path("project", "The project, by the name of its folder under projects/")];

/// A session in the path, and the project that tells it from others of the same id.
pub(super) const SESSION: &[Parameter] = &[
    Parameter::path("id", "The session: its id, or a beginning of it that no other has"),
    Parameter::one(
        "project",
        ParameterForm::Text,
        "The project of the session, where several have one of this id",
    ),
];

/// Which path of a session.
pub(super) const PATH: Parameter = Parameter::one(
    "path",
    ParameterForm::Integer { least: 1, most: u32::MAX as u64, usual: None },
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
    ParameterForm::Choice { names: || ViewKind::NAMES.to_vec(), usual: Some("history") },
    "The whole history, or the context: what the model would be sent now",
);

/// What to do with calls that have no result.
pub(super) const INTERRUPTED: Parameter = Parameter::one(
    "interrupted",
    ParameterForm::Choice { names: || Unanswered::NAMES.to_vec(), usual: Some("mark") },
    "What to do with calls that have no result: mark them, hide them, or make up a result",
);

/// What to do with messages that a resume would leave out.
pub(super) const LEFT_OUT: Parameter = Parameter::one(
    "left_out",
    ParameterForm::Choice { names: || LeftOutMessages::NAMES.to_vec(), usual: Some("show") },
    "What to do with messages that a resume would leave out without a rewind",
);

/// Reads which view is wanted.
pub(super) fn view(call: &Call) -> Result<ViewKind, RequestProblem> {
    Ok(call.query.named("view")?.unwrap_or_default())
}

/// Reads what to do with calls that have no result.
pub(super) fn unanswered(call: &Call) -> Result<Unanswered, RequestProblem> {
    Ok(call.query.named("interrupted")?.unwrap_or_default())
}

/// Reads what to do with messages that a resume would leave out.
pub(super) fn left_out(call: &Call) -> Result<LeftOutMessages, RequestProblem> {
    Ok(call.query.named("left_out")?.unwrap_or_default())
}

/// Reads how many rows are wanted.
pub(super) fn rows_wanted(call: &Call) -> Result<usize, RequestProblem> {
    Ok(call.query.read("limit")?.unwrap_or(ROWS as usize))
}

/// Reads the zone that times are of.
pub(super) fn zone(call: &Call) -> Result<TimeZone, RequestProblem> {
    let Some(name) = call.query.get("zone") else {
        return Ok(TimeZone::UTC);
    };
    let wrong = || RequestProblem::parameter("zone", format!("there is no time zone {name:?}"));
    // The name is looked up among files: only what can be a name of a zone gets there.
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-' | '+');
    if !name.chars().all(is_letter) {
        return Err(wrong());
    }
    TimeZone::get(name).map_err(|_| wrong())
}

/// Reads the filters.
pub(super) fn filter(call: &Call) -> Result<RowFilter, RequestProblem> {
    let settings = call.state.library.settings();
    row_filter(&call.query, settings, &zone(call)?)
}
