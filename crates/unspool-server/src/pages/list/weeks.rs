//! The number of sessions by week, for the last 26 weeks.

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use unspool_model::time::Time;
use unspool_store::rows::SessionRow;
use unspool_text::html::Html;
use unspool_text::human;

use crate::pages::parts::{StripBar, changed_url, strip};
use crate::pages::zone::day_of;
use crate::route::Call;

/// Half a year.
const WEEKS: i64 = 26;

/// The last weeks, oldest first: the Monday and the number of sessions of each.
pub(super) struct Weeks(Vec<(Date, u64)>);

impl Weeks {
    /// Counts sessions by the week of their last activity.
    pub(super) fn of(rows: &[SessionRow], now: Time, zone: &TimeZone) -> Self {
        let this = monday(day_of(now, zone).unwrap_or_default());
        let mondays = (0..WEEKS).rev();
        let mondays = mondays.filter_map(|back| days_later(this, -7 * back));
        let mut weeks: Vec<(Date, u64)> = mondays.map(|monday| (monday, 0)).collect();
        for row in rows {
            let week = monday(day_of(row.last_active(), zone).unwrap_or_default());
            if let Ok(at) = weeks.binary_search_by_key(&week, |(monday, _)| *monday) {
                weeks[at].1 += 1;
            }
        }
        Self(weeks)
    }

    /// Paints the weeks as bars, each a link that filters by its week.
    pub(super) fn paint(&self, call: &Call, html: &mut Html) {
        let chosen = (call.query.get("since"), call.query.get("until"));
        let bars: Vec<StripBar> =
            self.0.iter().map(|&(monday, count)| bar(monday, count, chosen, call)).collect();
        strip(&bars, "Sessions by week, the last 26 weeks", html);
    }
}

fn bar(monday: Date, count: u64, chosen: (Option<&str>, Option<&str>), call: &Call) -> StripBar {
    let sunday = days_later(monday, 6).unwrap_or(monday);
    let (first, last) = (monday.to_string(), sunday.to_string());
    let is_chosen = chosen == (Some(&first), Some(&last));
    // A click on the chosen week removes the filter.
    let [since, until] = [&*first, &*last].map(|day| Some(day).filter(|_| !is_chosen));
    let way = changed_url(call, &[("since", since), ("until", until), ("cursor", None)]);
    StripBar {
        value: count,
        title: format!("Week of {monday}: {}", human::plural(count as usize, "session")),
        way: Some(way),
        is_chosen,
    }
}

fn monday(day: Date) -> Date {
    let since = day.weekday().since(Weekday::Monday);
    days_later(day, -i64::from(since)).unwrap_or(day)
}

fn days_later(day: Date, days: i64) -> Option<Date> {
    day.checked_add(jiff::Span::new().days(days)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weeks_begin_on_monday() {
        let day = |text: &str| text.parse::<Date>().expect("a day");
        assert_eq!(monday(day("2026-11-09")), day("2026-11-09"));
        assert_eq!(monday(day("2026-11-15")), day("2026-11-09"));
        assert_eq!(monday(day("2027-01-01")), day("2026-12-28"));
        let now = Time::parse("2026-11-15T23:00:00Z").expect("a time");
        let Weeks(weeks) = Weeks::of(&[], now, &TimeZone::UTC);
        assert_eq!(weeks.len(), 26);
        assert_eq!(weeks[25].0, day("2026-11-09"));
    }
}
