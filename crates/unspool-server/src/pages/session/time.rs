//! Times in a page: UTC for readers without a script, and the instant for the script that writes
//! them in the reader's zone.

use unspool_model::time::Time;
use unspool_text::html::Html;

/// Paints a time; `form` says how the script writes it: `clock`, `minute`, `day` or `ago`.
pub(super) fn moment(time: Time, form: &'static str, html: &mut Html) {
    let instant = jiff::Timestamp::from_millisecond(time.as_millis());
    let format = match form {
        "clock" => "%H:%M UTC",
        "day" => "%Y-%m-%d",
        _ => "%Y-%m-%d %H:%M UTC",
    };
    let words = instant.map(|instant| instant.strftime(format).to_string());
    html.tag("<time data-as=\"").tag(form).tag("\"");
    html.attribute("datetime", &time.to_string()).tag(">");
    html.text(&words.unwrap_or_default()).tag("</time>");
}
