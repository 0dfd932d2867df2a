//! `GET /api/search`: hits, page by page.
//!
//! Which hits come first depends on how many are asked for and on how old they are. So every page
//! is cut out of an answer of the same size, which is made for the time of the first page: the
//! cursor has that time. Each hit is on one page, whatever the limit is, as long as nothing is
//! written that is found too.

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

/// How many hits a page has, unless it is asked for otherwise.
const HITS: u64 = 20;
/// How many hits a page has at most.
const MOST_OF_PAGE: u64 = 100;
/// How many hits the answer has that pages are cut out of. Chosen by judgement: reading more from
/// their logs takes a moment, and a reader of so many asks for something else.
const MOST: usize = 1_000;
/// How many hits of one session come together, as on the command line.
const OF_SESSION: usize = 3;
/// The characters of a snippet, as on the command line.
const SNIPPET: usize = 200;

/// What to look for, and how.
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
    call.state.freshness.freshen_text()?;
    let found = call.state.library.search(&request, &Unwatched)?.hits;
    let end = page.start.saturating_add(limit).min(found.len());
    let hits = found.get(page.start..end).unwrap_or_default();
    let further = HitsCursor { start: end, ..page };
    let next = (end < found.len()).then(|| further.name());
    WebReply::json(&HitsPageJson::new(hits, next))
}

/// Where a page begins.
#[derive(Clone, Copy)]
struct HitsCursor {
    /// When the first page was asked for.
    time: Time,
    /// How many hits come before it.
    start: usize,
}

impl HitsCursor {
    /// Reads where the page begins that is asked for.
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
