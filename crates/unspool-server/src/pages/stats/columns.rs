//! Groups by time and model as columns of a chart: one column for each day, week or month, stacked by model.

use jiff::civil::{Date, ISOWeekDate, Weekday};
use unspool_engine::ops::stats::{By, StatsGroup, Sums};

use super::gather::{ChartMeasure, StatsData};
use crate::pages::parts::percent;

/// The number of models with their own colour; the others share one.
pub(super) const COLOURED: usize = 6;

/// One column.
pub(super) struct ChartColumn {
    /// The key of the group: a day, a week, an hour.
    pub(super) key: String,
    /// The label below the column.
    pub(super) label: String,
    /// The first and the last day of the column, if it covers days.
    pub(super) days: Option<(Date, Date)>,
    /// The values of the column, by the position of the model.
    pub(super) parts: Vec<(usize, u64)>,
    pub(super) total: u64,
    pub(super) turns: u64,
}

/// A chart: its columns, and the models with their totals, the largest first.
pub(super) struct ColumnChart {
    pub(super) columns: Vec<ChartColumn>,
    pub(super) models: Vec<(String, u64)>,
    pub(super) largest: u64,
}

impl ColumnChart {
    /// Builds the columns of a chart.
    pub(super) fn of(data: &StatsData) -> Self {
        let models = models(&data.columns, data.measure);
        let mut columns: Vec<ChartColumn> = Vec::new();
        if data.by == By::Day {
            columns = every_day(data);
        }
        for group in &data.columns {
            let Some(key) = &group.key else {
                continue;
            };
            let at = columns.iter().position(|column| column.key == *key);
            let at = at.unwrap_or_else(|| {
                columns.push(ChartColumn::new(key, data.by));
                columns.len() - 1
            });
            columns[at].add(group, &models, data.measure);
        }
        let largest = columns.iter().map(|column| column.total).max();
        Self { columns, models, largest: largest.unwrap_or(0) }
    }
}

impl ChartColumn {
    fn new(key: &str, by: By) -> Self {
        Self {
            key: key.to_owned(),
            label: label(key, by),
            days: days(key, by),
            parts: Vec::new(),
            total: 0,
            turns: 0,
        }
    }

    fn add(&mut self, group: &StatsGroup, models: &[(String, u64)], measure: ChartMeasure) {
        let value = measure.of(&group.sums);
        self.turns += group.sums.turns;
        self.total += value;
        if value > 0 {
            let name = model_of(group);
            let at = models.iter().position(|(known, _)| known == name);
            self.parts.push((at.unwrap_or(COLOURED), value));
            self.parts.sort_unstable();
        }
    }
}

/// Returns a column for every day from the first to the last, even if nothing happened on it.
fn every_day(data: &StatsData) -> Vec<ChartColumn> {
    let day = |group: &StatsGroup| group.key.as_deref()?.parse::<Date>().ok();
    let first = data.columns.iter().filter_map(day).min();
    let first = match (data.days.0, first) {
        (Some(asked), Some(first)) => Some(asked.min(first)),
        (_, first) => first,
    };
    let last = data.columns.iter().filter_map(day).max();
    let (Some(first), Some(last)) = (first, last) else {
        return Vec::new();
    };
    let mut columns = Vec::new();
    let mut at = first;
    while at <= last.max(data.days.1) && columns.len() < 400 {
        columns.push(ChartColumn::new(&at.to_string(), By::Day));
        let Ok(next) = at.tomorrow() else {
            break;
        };
        at = next;
    }
    columns
}

/// Returns the models with their totals, the largest first.
fn models(groups: &[StatsGroup], measure: ChartMeasure) -> Vec<(String, u64)> {
    let mut models: Vec<(String, u64)> = Vec::new();
    for group in groups {
        let (name, value) = (model_of(group), measure.of(&group.sums));
        match models.iter_mut().find(|(known, _)| known == name) {
            Some((_, sum)) => *sum += value,
            None => models.push((name.to_owned(), value)),
        }
    }
    models.retain(|(_, value)| *value > 0);
    models.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    models
}

fn model_of(group: &StatsGroup) -> &str {
    let then = group.then.first().and_then(Option::as_deref);
    then.unwrap_or("no model")
}

fn label(key: &str, by: By) -> String {
    match by {
        By::Day => key.get(5..).unwrap_or(key).to_owned(),
        By::Week => key.split('-').nth(1).unwrap_or(key).to_owned(),
        By::Weekday => key.chars().take(3).collect(),
        By::Hour => key.chars().take(2).collect(),
        _ => key.to_owned(),
    }
}

/// Returns the first and the last day of a column.
fn days(key: &str, by: By) -> Option<(Date, Date)> {
    match by {
        By::Day => {
            let day = key.parse().ok()?;
            Some((day, day))
        }
        By::Week => {
            let (year, week) = key.split_once("-W")?;
            let week = week.parse().ok()?;
            let monday = ISOWeekDate::new(year.parse().ok()?, week, Weekday::Monday).ok()?;
            let monday = monday.date();
            Some((monday, monday.saturating_add(jiff::Span::new().days(6))))
        }
        By::Month => {
            let first: Date = format!("{key}-01").parse().ok()?;
            Some((first, first.last_of_month()))
        }
        _ => None,
    }
}

/// Returns the percentage of input tokens that came from the cache.
pub(super) fn cache_share(sums: &Sums) -> Option<u64> {
    let tokens = sums.tokens;
    let read = tokens.input + tokens.cache_read + tokens.cache_write_5m + tokens.cache_write_1h;
    (read > 0).then(|| percent(tokens.cache_read, read))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_know_their_days() {
        let told = |key, by| {
            let (first, last) = days(key, by).expect("days");
            format!("{first} {last}")
        };
        assert_eq!(told("2026-11-09", By::Day), "2026-11-09 2026-11-09");
        assert_eq!(told("2026-W46", By::Week), "2026-11-09 2026-11-15");
        assert_eq!(told("2026-02", By::Month), "2026-02-01 2026-02-28");
        assert_eq!(days("08:00", By::Hour), None);
        assert_eq!(days("x-Wy", By::Week), None);
        assert_eq!(label("2026-11-09", By::Day), "11-09");
        assert_eq!(label("é", By::Day), "é");
    }
}
