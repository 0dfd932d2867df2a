//! Instants as milliseconds since 1970, written as the logs write them.
//!
//! Knows the civil calendar in UTC. Does not read the clock of the machine.

/// The instant of the first line of a built session: 2026-01-05T09:00:00.000Z.
pub const START: i64 = 1_767_603_600_000;

/// Formats an instant as ISO 8601 in UTC with milliseconds.
pub fn iso(unix_ms: i64) -> String {
    let mut text = Vec::with_capacity(24);
    push_iso(&mut text, unix_ms);
    String::from_utf8(text).expect("digits are UTF-8")
}

/// Appends an instant as ISO 8601 in UTC with milliseconds.
pub(crate) fn push_iso(out: &mut Vec<u8>, unix_ms: i64) {
    let (days, ms) = (unix_ms.div_euclid(86_400_000), unix_ms.rem_euclid(86_400_000) as u64);
    let (year, month, day) = civil(days);
    push_digits(out, year, 4);
    out.push(b'-');
    push_digits(out, month, 2);
    out.push(b'-');
    push_digits(out, day, 2);
    out.push(b'T');
    push_digits(out, ms / 3_600_000, 2);
    out.push(b':');
    push_digits(out, ms / 60_000 % 60, 2);
    out.push(b':');
    push_digits(out, ms / 1000 % 60, 2);
    out.push(b'.');
    push_digits(out, ms % 1000, 3);
    out.push(b'Z');
}

fn push_digits(out: &mut Vec<u8>, number: u64, width: u32) {
    for place in (0..width).rev() {
        out.push(b'0' + (number / 10_u64.pow(place) % 10) as u8);
    }
}

/// Turns days since 1970-01-01 into year, month and day of the Gregorian calendar.
///
/// Counts in eras of 400 years that begin on 1 March, so the leap day is the last of its year.
fn civil(days: i64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year as u64, month as u64, day as u64)
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
