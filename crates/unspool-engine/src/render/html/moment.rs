//! Times in a page.

use jiff::tz::TimeZone;
use unspool_model::time::Time;

use super::escape::Html;

/// How much of a time is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Precision {
    /// `2026-11-09 08:28`
    Minute,
    /// `2026-11-09`
    Day,
    /// `08:28:05`
    Clock,
}

/// Paints a time, in the zone of whoever exports, with the exact instant beside it.
pub(super) fn moment(time: Time, zone: &TimeZone, precision: Precision, html: &mut Html) {
    html.tag("<time").attribute("datetime", &time.to_string());
    let shown = written(time, zone, precision);
    if precision == Precision::Clock {
        html.attribute("title", &written(time, zone, Precision::Minute));
    }
    html.tag(">").text(&shown).tag("</time>");
}

/// Writes a time; nothing if it is out of the calendar.
pub(super) fn written(time: Time, zone: &TimeZone, precision: Precision) -> String {
    let Ok(instant) = jiff::Timestamp::from_millisecond(time.as_millis()) else {
        return String::new();
    };
    let format = match precision {
        Precision::Minute => "%Y-%m-%d %H:%M",
        Precision::Day => "%Y-%m-%d",
        Precision::Clock => "%H:%M:%S",
    };
    instant.to_zoned(zone.clone()).strftime(format).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_and_exact() {
        let time = Time::parse("2026-11-09T08:28:05.123Z").expect("a time");
        let mut html = Html::new();
        moment(time, &TimeZone::UTC, Precision::Clock, &mut html);
        assert_eq!(
            html.as_str(),
            "<time datetime=\"2026-11-09T08:28:05.123Z\" title=\"2026-11-09 08:28\">08:28:05</time>"
        );
        let far = Time::from_millis(i64::MAX);
        assert_eq!(written(far, &TimeZone::UTC, Precision::Day), "");
    }
}
