//! The time zone of a page's days: that of the browser, which a script sends in a cookie.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use unspool_model::time::Time;

use crate::route::Call;

/// The cookie with the name of the browser's time zone.
const COOKIE: &str = "unspool-zone";
/// The maximum length of a name; all names of zones are shorter.
const LONGEST: usize = 64;

/// A time zone and its name.
pub(crate) struct PageZone {
    pub(crate) zone: TimeZone,
    /// The name that the browser uses; scripts compare it with their own.
    pub(crate) name: String,
}

impl PageZone {
    /// Reads the time zone of a request; UTC if it is missing or unknown.
    pub(crate) fn of(call: &Call) -> Self {
        let asked = call.cookie(COOKIE).filter(|name| is_name(name));
        let known = asked.and_then(|name| Some((TimeZone::get(&name).ok()?, name)));
        let (zone, name) = known.unwrap_or_else(|| (TimeZone::UTC, "UTC".to_owned()));
        Self { zone, name }
    }
}

/// Returns the day of a time in a time zone.
pub(crate) fn day_of(time: Time, zone: &TimeZone) -> Option<Date> {
    let instant = jiff::Timestamp::from_millisecond(time.as_millis()).ok()?;
    Some(instant.to_zoned(zone.clone()).date())
}

/// Returns whether a text looks like the name of a zone, and is not a path to another file.
fn is_name(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '+' | '-');
    text.len() <= LONGEST && text.chars().all(is_letter) && !text.starts_with('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_zones_have_no_dots() {
        assert!(is_name("Europe/Berlin") && is_name("Etc/GMT+5") && is_name("UTC"));
        assert!(!is_name("../../etc/passwd") && !is_name("/etc/localtime"));
        assert!(!is_name(&"a".repeat(65)));
    }
}
