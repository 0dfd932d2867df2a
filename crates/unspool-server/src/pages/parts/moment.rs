//! Times in a page. They are in UTC and say so; a script rewrites them in the time zone of the browser.

use unspool_model::names;
use unspool_model::time::Time;
use unspool_text::html::Html;

names! {
    /// The style of a time, which a script applies.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) enum TimeStyle {
        /// How long ago the time was.
        Ago = "ago",
        /// How long a state has lasted since then.
        For = "for",
        /// The day and the minute.
        Minute = "minute",
        /// The time of the day.
        Clock = "clock",
        /// How much time is left, counting down.
        Left = "left",
    }
}

impl TimeStyle {
    fn format(self) -> &'static str {
        match self {
            Self::Ago | Self::Minute => "%b %-d, %H:%M UTC",
            Self::For => "since %H:%M UTC",
            Self::Clock => "%H:%M UTC",
            Self::Left => "at %H:%M UTC",
        }
    }
}

/// Paints a time; paints nothing if it is outside the calendar's range.
pub(crate) fn moment(time: Time, style: TimeStyle, html: &mut Html) {
    let Ok(instant) = jiff::Timestamp::from_millisecond(time.as_millis()) else {
        return;
    };
    html.tag("<time").attribute("datetime", &time.to_string());
    html.attribute("data-as", style.name()).tag(">");
    html.text(&instant.strftime(style.format()).to_string());
    html.tag("</time>");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_exact_and_say_their_zone() {
        let mut html = Html::new();
        moment(Time::from_millis(0), TimeStyle::Ago, &mut html);
        let expected = "<time datetime=\"1970-01-01T00:00:00.000Z\" data-as=\"ago\">\
                        Jan 1, 00:00 UTC</time>";
        assert_eq!(html.as_str(), expected);
        let mut none = Html::new();
        moment(Time::from_millis(i64::MAX), TimeStyle::Ago, &mut none);
        assert!(none.is_empty());
    }
}
