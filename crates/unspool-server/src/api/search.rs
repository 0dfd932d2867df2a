//! `GET /api/search`: hits, page by page.
//!
//! How hits are ranked depends on how many are asked for, so pages are cut out of a few answers of
//! fixed sizes: the hits of the smallest come first, then those that only the next one has. So
//! each hit is on one page, whatever the limit is.

use std::collections::HashSet;
use std::path::PathBuf;

use unspool_engine::library::{HitsLeft, SearchMode, SearchPaths, SearchRequest};
use unspool_model::query::Role;
use unspool_render::json::HitsPageJson;
use unspool_search::hit::{SearchHit, SnippetSize};
use unspool_search::scan::{CaseMode, Further};
use unspool_store::progress::Unwatched;

use super::parameters::{CURSOR, filter, zone};
use crate::route::Call;
use crate::web::{Parameter, ParameterForm, RequestProblem, WebReply};

/// How many hits a page has, unless it is asked for otherwise.
const HITS: u64 = 20;
/// How many hits answers have that pages are cut out of. Chosen by judgement: most readers end
/// within the first, and reading a thousand hits from their logs takes a moment.
const WINDOWS: [usize; 2] = [100, 1_000];
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
        ParameterForm::Choice {
            names: || vec!["ranked", "exact", "regex"],
            usual: Some("ranked"),
        },
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
        ParameterForm::Integer {
            least: 0,
            most: 20,
            usual: Some(0),
        },
        "How many lines of the text around a hit are wanted",
    ),
    Parameter::many(
        "role",
        ParameterForm::Choice {
            names: || Role::ALL.iter().map(|role| role.name()).collect(),
            usual: None,
        },
        "Only what is from these",
    ),
    Parameter::one(
        "active",
        ParameterForm::Switch,
        "Only what is on the active path",
    ),
    Parameter::one(
        "limit",
        ParameterForm::Integer {
            least: 1,
            most: WINDOWS[0] as u64,
            usual: Some(HITS),
        },
        "How many hits are wanted at most",
    ),
    CURSOR,
];

/// `GET /api/search`
pub(super) fn search(call: &Call) -> Result<WebReply, RequestProblem> {
    let limit = call.query.read("limit")?.unwrap_or(HITS as usize);
    let start = start(call)?;
    let request = request(call)?;
    call.state.freshness.freshen_text()?;
    let found = FoundSoFar::reaching(call, &request, start.saturating_add(limit))?;
    let end = start.saturating_add(limit).min(found.hits.len());
    let is_last = end == found.hits.len() && !found.has_more;
    let next = (!is_last && end > start).then(|| format!("h.{end}"));
    let hits = found.hits.get(start..end).unwrap_or_default();
    WebReply::json(&HitsPageJson::new(hits, next))
}

/// Reads where the page begins.
fn start(call: &Call) -> Result<usize, RequestProblem> {
    let Some(cursor) = call.query.get("cursor") else {
        return Ok(0);
    };
    let number = cursor.strip_prefix("h.").and_then(|at| at.parse().ok());
    let most = WINDOWS[WINDOWS.len() - 1];
    let number = number.filter(|&at: &usize| at <= most);
    number.ok_or_else(|| RequestProblem::parameter("cursor", "this is not the cursor of a page"))
}

fn request(call: &Call) -> Result<SearchRequest, RequestProblem> {
    let query = &call.query;
    let case = if query.is_on("ignore_case") {
        CaseMode::Ignore
    } else {
        CaseMode::Sensitive
    };
    let modes = [
        ("ranked", SearchMode::Ranked),
        ("exact", SearchMode::Exact(case)),
        ("regex", SearchMode::Regex(case)),
    ];
    let is_asked = |role: &&Role| query.all("role").any(|name| name == role.name());
    Ok(SearchRequest {
        text: query.get("q").unwrap_or_default().to_owned(),
        mode: query.choose("mode", &modes)?.unwrap_or(SearchMode::Ranked),
        filter: filter(call)?,
        roles: Role::ALL.iter().filter(is_asked).copied().collect(),
        paths: if query.is_on("active") {
            SearchPaths::Active
        } else {
            SearchPaths::All
        },
        limit: 0,
        of_session: (!query.is_on("flat")).then_some(OF_SESSION),
        extent: SnippetSize {
            width: SNIPPET,
            context: query.read("context")?.unwrap_or(0),
        },
        zone: zone(call)?,
    })
}

/// Hits in the order of pages, as far as they are needed.
#[derive(Default)]
struct FoundSoFar {
    hits: Vec<SearchHit>,
    /// Whether a larger answer may have more.
    has_more: bool,
}

impl FoundSoFar {
    /// Searches until there are so many hits, or there are no more.
    fn reaching(
        call: &Call,
        request: &SearchRequest,
        wanted: usize,
    ) -> Result<Self, RequestProblem> {
        let mut found = Self::default();
        let mut known = HashSet::new();
        for limit in WINDOWS {
            let request = SearchRequest {
                limit,
                ..request.clone()
            };
            let answer = call.state.library.search(&request, &Unwatched)?;
            let nothing_left = HitsLeft::Counted(Further::Exactly(0));
            found.has_more = answer.left != nothing_left && limit != WINDOWS[WINDOWS.len() - 1];
            let is_new = |hit: &SearchHit| known.insert(HitKey::of(hit));
            found.hits.extend(answer.hits.into_iter().filter(is_new));
            if found.hits.len() >= wanted || !found.has_more {
                break;
            }
        }
        Ok(found)
    }
}

/// What a hit is known again by.
#[derive(PartialEq, Eq, Hash)]
struct HitKey {
    file: PathBuf,
    offset: u64,
    role: &'static str,
    snippet: String,
}

impl HitKey {
    fn of(hit: &SearchHit) -> Self {
        Self {
            file: hit.file.clone(),
            offset: hit.offset,
            role: hit.role.name(),
            snippet: hit.snippet.text.clone(),
        }
    }
}
