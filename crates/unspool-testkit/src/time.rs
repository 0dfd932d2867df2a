//! Times as milliseconds since 1970, formatted as in logs. Does not read the clock.

use jiff::Timestamp;

/// The time of the first line of a built session: 2026-01-05T09:00:00.000Z.
pub const START: i64 = 1_767_603_600_000;

/// Formats a time as ISO 8601 in UTC with milliseconds.
pub fn iso(unix_ms: i64) -> String {
    let time = Timestamp::from_millisecond(unix_ms).expect("an instant of the calendar");
    time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_written_as_the_logs_write_them() {
        assert_eq!(iso(START), "2026-01-05T09:00:00.000Z");
        assert_eq!(iso(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(iso(951_827_696_789), "2000-02-29T12:34:56.789Z");
        assert_eq!(iso(1_798_761_599_999), "2026-12-31T23:59:59.999Z");
    }
}
