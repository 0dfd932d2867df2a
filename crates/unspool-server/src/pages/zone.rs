//! The zone whose days a page means: that of the browser, which a script says in a cookie.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use unspool_model::time::Time;

use crate::route::Call;

/// The cookie in which a script says the browser's zone.
const COOKIE: &str = "unspool-zone";
/// Longer than any name of a zone.
const LONGEST: usize = 64;

/// A zone and its name.
pub(crate) struct PageZone {
    pub(crate) zone: TimeZone,
    /// The name, as the browser has it; scripts compare it with their own.
    pub(crate) name: String,
}

impl PageZone {
    /// Reads the zone of a request; UTC if it says none that is known.
    pub(crate) fn of(call: &Call) -> Self {
        let asked = call.cookie(COOKIE).filter(|name| is_name(name));
        let known = asked.and_then(|name| Some((TimeZone::get(&name).ok()?, name)));
        let (zone, name) = known.unwrap_or_else(|| (TimeZone::UTC, "UTC".to_owned()));
        Self { zone, name }
    }
}

/// Returns the day of a time in a zone.
pub(crate) fn day_of(time: Time, zone: &TimeZone) -> Option<Date> {
    let instant = jiff::Timestamp::from_millisecond(time.as_millis()).ok()?;
    Some(instant.to_zoned(zone.clone()).date())
}

/// Tells whether a text looks like the name of a zone. It never names a file by a path upwards.
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
