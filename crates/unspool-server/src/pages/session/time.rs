//! Times in a page: in UTC for readers without a script, and as an instant that the script shows in
//! the reader's time zone.

use unspool_model::time::Time;
use unspool_text::html::Html;

/// Paints a time; the script shows it to the minute.
pub(super) fn moment(time: Time, html: &mut Html) {
    let instant = jiff::Timestamp::from_millisecond(time.as_millis());
    let words = instant.map(|instant| instant.strftime("%Y-%m-%d %H:%M UTC").to_string());
    html.tag("<time data-as=\"minute\"");
    html.attribute("datetime", &time.to_string()).tag(">");
    html.text(&words.unwrap_or_default()).tag("</time>");
}
