//! Parameters that several operations share, and functions that read them.

use jiff::tz::TimeZone;
use unspool_engine::ops::message::Unanswered;
use unspool_engine::ops::transcript::{LeftOutMessages, ViewKind};
use unspool_model::named::Named as _;
use unspool_store::filter::RowFilter;

use crate::filters::row_filter;
use crate::route::Call;
use crate::web::{Parameter, ParameterForm, RequestProblem};

/// The default number of rows on a page of a list.
const ROWS: u64 = 200;
/// The maximum number of rows on a page of a list.
const MOST_ROWS: u64 = 1_000;

/// The time zone of days and times.
pub(super) const ZONE: &[Parameter] = &[Parameter::one(
    "zone",
    ParameterForm::Text,
    "The time zone that days and times without a zone are of, by its IANA name; UTC if none",
)];

/// The size and the cursor of a page of a list.
pub(super) const PAGES: &[Parameter] = &[
    Parameter::one(
        "limit",
        ParameterForm::Integer { least: 1, most: MOST_ROWS, usual: Some(ROWS) },
        "How many are wanted at most",
    ),
    CURSOR,
];

/// The cursor of a page.
pub(super) const CURSOR: Parameter = Parameter::one(
    "cursor",
    ParameterForm::Cursor,
    "The `next` of the page before, with the same parameters",
);

/// The project, in the path.
pub(super) const PROJECT: &[Parameter] =
    &[Parameter::path("project", "The project, by the name of its folder under projects/")];

/// The session, in the path, and the project that distinguishes it from others with the same id.
pub(super) const SESSION: &[Parameter] = &[
    Parameter::path("id", "The session: its id, or a beginning of it that no other has"),
    Parameter::one(
        "project",
        ParameterForm::Text,
        "The project of the session, where several have one of this id",
    ),
];

/// The path of a session.
pub(super) const PATH: Parameter = Parameter::one(
    "path",
    ParameterForm::Integer { least: 1, most: u32::MAX as u64, usual: None },
    "The number of a path; the active one if none",
);

/// The agent of a session.
pub(super) const AGENT: Parameter = Parameter::one(
    "agent",
    ParameterForm::Text,
    "An agent of the session: its conversation instead of the session's own",
);

/// The view of a path.
pub(super) const VIEW: Parameter = Parameter::one(
    "view",
    ParameterForm::Choice { names: || ViewKind::NAMES.to_vec(), usual: Some("history") },
    "The whole history, or the context: what the model would be sent now",
);

/// How calls without a result are shown.
pub(super) const INTERRUPTED: Parameter = Parameter::one(
    "interrupted",
    ParameterForm::Choice { names: || Unanswered::NAMES.to_vec(), usual: Some("mark") },
    "What to do with calls that have no result: mark them, hide them, or make up a result",
);

/// How messages that a resume would leave out are shown.
pub(super) const LEFT_OUT: Parameter = Parameter::one(
    "left_out",
    ParameterForm::Choice { names: || LeftOutMessages::NAMES.to_vec(), usual: Some("show") },
    "What to do with messages that a resume would leave out without a rewind",
);

/// Reads the requested view.
pub(super) fn view(call: &Call) -> Result<ViewKind, RequestProblem> {
    Ok(call.query.named("view")?.unwrap_or_default())
}

/// Reads how calls without a result are shown.
pub(super) fn unanswered(call: &Call) -> Result<Unanswered, RequestProblem> {
    Ok(call.query.named("interrupted")?.unwrap_or_default())
}

/// Reads how messages that a resume would leave out are shown.
pub(super) fn left_out(call: &Call) -> Result<LeftOutMessages, RequestProblem> {
    Ok(call.query.named("left_out")?.unwrap_or_default())
}

/// Reads the requested number of rows.
pub(super) fn rows_wanted(call: &Call) -> Result<usize, RequestProblem> {
    Ok(call.query.read("limit")?.unwrap_or(ROWS as usize))
}

/// Reads the requested time zone; UTC if there is none.
pub(super) fn zone(call: &Call) -> Result<TimeZone, RequestProblem> {
    let Some(name) = call.query.get("zone") else {
        return Ok(TimeZone::UTC);
    };
    let wrong = || RequestProblem::parameter("zone", format!("there is no time zone {name:?}"));
    // The name is looked up among files, so only characters of zone names may get there.
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-' | '+');
    if !name.chars().all(is_letter) {
        return Err(wrong());
    }
    TimeZone::get(name).map_err(|_| wrong())
}

/// Reads the filters of a list.
pub(super) fn filter(call: &Call) -> Result<RowFilter, RequestProblem> {
    let settings = call.state.library.settings();
    row_filter(&call.query, settings, &zone(call)?)
}
