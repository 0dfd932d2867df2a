//! Gathers totals from the library.

use jiff::civil::Date;
use unspool_engine::library::{CollectedNotes, LibraryNote, LibrarySettings, StatsRequest};
use unspool_engine::ops::stats::{By, Stats, StatsGroup, Sums};
use unspool_model::names;
use unspool_store::filter::RowFilter;

use crate::filters::row_filter;
use crate::pages::zone::{PageZone, day_of};
use crate::route::Call;
use crate::web::{Queries, RequestProblem};

/// The maximum number of listed tools and projects.
const LISTED: usize = 40;
/// The time range if a request names none.
pub(super) const USUAL_TIME: &str = "30d";

/// The columns that a chart can have: the name in addresses, and the grouping.
pub(super) const COLUMNS: [(&str, By); 5] = [
    ("day", By::Day),
    ("week", By::Week),
    ("month", By::Month),
    ("weekday", By::Weekday),
    ("hour", By::Hour),
];

names! {
    /// The measure of a chart.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(super) enum ChartMeasure {
        Cost = "cost",
        Tokens = "tokens",
    }
}

impl ChartMeasure {
    /// Returns the measure of some sums as a whole number: millionths of a dollar, or tokens.
    pub(super) fn of(self, sums: &Sums) -> u64 {
        match self {
            Self::Cost => (sums.cost.map_or(0.0, unspool_store::prices::Cost::usd) * 1e6) as u64,
            Self::Tokens => sums.tokens.sum(),
        }
    }

    /// Formats a value of the measure.
    pub(super) fn write(self, value: u64) -> String {
        match self {
            Self::Cost => unspool_text::human::dollars(value as f64 / 1e6),
            Self::Tokens => unspool_text::human::count(value),
        }
    }
}

/// The totals of a time range.
pub(super) struct StatsData {
    pub(super) total: Sums,
    pub(super) by: By,
    pub(super) measure: ChartMeasure,
    /// The groups of the chart: by time, then by model.
    pub(super) columns: Vec<StatsGroup>,
    pub(super) tools: Vec<StatsGroup>,
    pub(super) projects: Vec<StatsGroup>,
    pub(super) unpriced: Vec<String>,
    /// The first requested day, and today.
    pub(super) days: (Option<Date>, Date),
    pub(super) notes: Vec<LibraryNote>,
}

impl StatsData {
    /// Gathers the totals that a request names.
    pub(super) fn gather(call: &Call, zone: &PageZone) -> Result<Self, RequestProblem> {
        call.state.refresher.try_refresh()?;
        let since = call.query.get("since").unwrap_or(USUAL_TIME);
        let settings = call.state.library.settings();
        let now = settings.clock.time();
        let filter = filter(&call.query, since, zone, settings)?;
        let by = match call.query.choose("by", &COLUMNS)? {
            Some(by) => by,
            None => usual_columns(since),
        };
        let notes = CollectedNotes::default();
        let ask = |by: By, then: By, limit: Option<usize>| -> Result<Stats, RequestProblem> {
            let request = StatsRequest {
                filter: filter.clone(),
                by,
                then: [then, By::Nothing],
                limit,
                zone: zone.zone.clone(),
            };
            Ok(call.state.library.stats(&request, &notes)?.stats)
        };
        let main = ask(by, By::Model, None)?;
        let measure = call.query.named("measure")?;
        let measure = measure.unwrap_or(if main.total.cost.is_some() {
            ChartMeasure::Cost
        } else {
            ChartMeasure::Tokens
        });
        let day = |time| day_of(time, &zone.zone);
        let data = Self {
            total: main.total,
            by,
            measure,
            columns: main.groups,
            tools: ask(By::Tool, By::Nothing, Some(LISTED))?.groups,
            projects: ask(By::Project, By::Nothing, Some(LISTED))?.groups,
            unpriced: main.unpriced_models,
            days: (filter.time.from.and_then(day), day(now).unwrap_or_default()),
            notes: Vec::new(),
        };
        Ok(Self { notes: notes.take(), ..data })
    }
}

/// Reads the filters, with `since` as the start of the time range; `all` is any time.
fn filter(
    query: &Queries,
    since: &str,
    zone: &PageZone,
    settings: &LibrarySettings,
) -> Result<RowFilter, RequestProblem> {
    let since = (since != "all").then_some(since);
    let query = Queries::parse(&query.with(&[("since", since)]));
    row_filter(&query, settings, &zone.zone)
}

/// Returns the columns that suit a time range.
fn usual_columns(since: &str) -> By {
    match since {
        "90d" => By::Week,
        "all" => By::Month,
        _ => By::Day,
    }
}
