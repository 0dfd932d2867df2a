//! Times on pages, in UTC: a transcript is the same wherever it is exported.

use unspool_model::time::Time;
use unspool_text::html::Html;

/// The precision of a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Precision {
    /// `2026-11-09 08:28 UTC`
    Minute,
    /// `2026-11-09`
    Day,
    /// `08:28:05`
    Clock,
}

/// Paints a time, with the exact time as an attribute.
pub(super) fn moment(time: Time, precision: Precision, html: &mut Html) {
    html.tag("<time").attribute("datetime", &time.to_string());
    if precision == Precision::Clock {
        html.attribute("title", &written(time, Precision::Minute));
    }
    html.tag(">").text(&written(time, precision)).tag("</time>");
}

/// Paints a time that a script of the page converts to the reader's time zone.
pub(super) fn moment_of_reader(time: Time, html: &mut Html) {
    html.tag("<time data-as=\"clock\"").attribute("datetime", &time.to_string());
    html.attribute("title", &written(time, Precision::Minute));
    let clock = written(time, Precision::Clock);
    html.tag(">").text(&clock).tag("</time>");
}

/// Formats a time; empty if the time is outside of the calendar.
pub(super) fn written(time: Time, precision: Precision) -> String {
    let Ok(instant) = jiff::Timestamp::from_millisecond(time.as_millis()) else {
        return String::new();
    };
    let format = match precision {
        Precision::Minute => "%Y-%m-%d %H:%M UTC",
        Precision::Day => "%Y-%m-%d",
        Precision::Clock => "%H:%M:%S",
    };
    instant.strftime(format).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_and_exact() {
        let time = Time::parse("2026-11-09T08:28:05.123Z").expect("a time");
        let mut html = Html::new();
        moment(time, Precision::Clock, &mut html);
        assert_eq!(
            html.as_str(),
            "<time datetime=\"2026-11-09T08:28:05.123Z\" title=\"2026-11-09 08:28 UTC\">08:28:05</time>"
        );
        assert_eq!(written(Time::from_millis(i64::MAX), Precision::Day), "");
    }
}
