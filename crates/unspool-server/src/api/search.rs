//! `GET /api/search`: a page of hits.
//!
//! The order of the hits depends on how many are requested and on their age. So every page is a slice of the
//! same answer: [`MOST`] hits, ranked for the time of the first page, which the cursor contains. Each hit is
//! on one page, whatever the limit is, unless matching text is written in between.

use unspool_engine::library::{SearchMode, SearchPaths, SearchRequest};
use unspool_model::named::Named as _;
use unspool_model::query::TextRole;
use unspool_model::time::Time;
use unspool_render::json::HitsPageJson;
use unspool_search::hit::SnippetSize;
use unspool_search::scan::CaseMode;
use unspool_store::progress::Unwatched;

use super::parameters::{CURSOR, filter, zone};
use crate::route::Call;
use crate::web::{Parameter, ParameterForm, RequestProblem, WebReply};

/// The default number of hits on a page.
const HITS: u64 = 20;
/// The maximum number of hits on a page.
const MOST_OF_PAGE: u64 = 100;
/// The number of hits in the answer that is sliced into pages. Chosen by judgement: more hits take
/// a moment to read from their logs, and a reader of so many changes the query.
const MOST: usize = 1_000;
/// How many hits of one session are shown together, as on the command line.
const OF_SESSION: usize = 3;
/// The width of a snippet in characters, as on the command line.
const SNIPPET: usize = 200;

/// The parameters of a search.
pub(super) const SEARCH_PARAMETERS: &[Parameter] = &[
    Parameter::needed(
        "q",
        ParameterForm::Text,
        "What to look for: words, \"a phrase\", +required, -excluded, begin*, this OR that, \
         project:app, tool:Bash, role:user, since:3d, is:active, has:error",
    ),
    Parameter::one(
        "mode",
        ParameterForm::Choice { names: || vec!["ranked", "exact", "regex"], usual: Some("ranked") },
        "Ranked search for words, or a scan of the logs for an exact text or a regular expression",
    ),
    Parameter::one(
        "ignore_case",
        ParameterForm::Switch,
        "Let upper and lower case be the same in a scan; ranked search always does",
    ),
    Parameter::one(
        "flat",
        ParameterForm::Switch,
        "The best hits first, whatever sessions they are of; else a few of each session",
    ),
    Parameter::one(
        "context",
        ParameterForm::Integer { least: 0, most: 20, usual: Some(0) },
        "How many lines of the text around a hit are wanted",
    ),
    Parameter::many(
        "role",
        ParameterForm::Choice { names: || TextRole::NAMES.to_vec(), usual: None },
        "Only texts with this role",
    ),
    Parameter::one("active", ParameterForm::Switch, "Only texts on the active path"),
    Parameter::one(
        "limit",
        ParameterForm::Integer { least: 1, most: MOST_OF_PAGE, usual: Some(HITS) },
        "How many hits are wanted at most",
    ),
    CURSOR,
];

/// `GET /api/search`
pub(super) fn search(call: &Call) -> Result<WebReply, RequestProblem> {
    let limit = call.query.read("limit")?.unwrap_or(HITS as usize);
    let page = HitsCursor::of(call)?;
    let request = request(call, page.time)?;
    call.state.refresher.try_refresh_text()?;
    let found = call.state.library.search(&request, &Unwatched)?.hits;
    let end = page.start.saturating_add(limit).min(found.len());
    let hits = found.get(page.start..end).unwrap_or_default();
    let further = HitsCursor { start: end, ..page };
    let next = (end < found.len()).then(|| further.name());
    WebReply::json(&HitsPageJson::new(hits, next))
}

/// The cursor of a page of hits.
#[derive(Clone, Copy)]
struct HitsCursor {
    /// The time of the request for the first page.
    time: Time,
    /// How many hits come before the page.
    start: usize,
}

impl HitsCursor {
    /// Reads the cursor of a request; without one, returns that of the first page.
    fn of(call: &Call) -> Result<Self, RequestProblem> {
        let Some(cursor) = call.query.get("cursor") else {
            return Ok(Self { time: call.state.library.settings().clock.time(), start: 0 });
        };
        let problem = || RequestProblem::parameter("cursor", "this is not the cursor of a page");
        Self::read(cursor).ok_or_else(problem)
    }

    fn read(name: &str) -> Option<Self> {
        let (time, start) = name.strip_prefix("h.")?.split_once('.')?;
        let start = start.parse().ok().filter(|&start| start <= MOST)?;
        let time = Time::from_millis(time.parse().ok()?);
        Some(Self { time, start })
    }

    fn name(self) -> String {
        format!("h.{}.{}", self.time.as_millis(), self.start)
    }
}

fn request(call: &Call, time: Time) -> Result<SearchRequest, RequestProblem> {
    let query = &call.query;
    let case = if query.is_on("ignore_case") { CaseMode::Ignore } else { CaseMode::Sensitive };
    let modes = [
        ("ranked", SearchMode::Ranked),
        ("exact", SearchMode::Exact(case)),
        ("regex", SearchMode::Regex(case)),
    ];
    let is_asked = |role: &&TextRole| query.all("role").any(|name| name == role.name());
    Ok(SearchRequest {
        text: query.get("q").unwrap_or_default().to_owned(),
        mode: query.choose("mode", &modes)?.unwrap_or(SearchMode::Ranked),
        filter: filter(call)?,
        roles: TextRole::ALL.iter().filter(is_asked).copied().collect(),
        paths: if query.is_on("active") { SearchPaths::Active } else { SearchPaths::All },
        limit: MOST,
        of_session: (!query.is_on("flat")).then_some(OF_SESSION),
        extent: SnippetSize { width: SNIPPET, context: query.read("context")?.unwrap_or(0) },
        zone: zone(call)?,
        time: Some(time),
    })
}
