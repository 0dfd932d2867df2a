//! Formats numbers for people.

/// Formats a duration in milliseconds: `350 ms`, `4.2 s`, `41 s`, `5 min`, `2 h 10 min`, `3 d 4 h`.
/// Smaller units are cut off, not rounded.
pub fn duration(ms: u64) -> String {
    const DAY: u64 = 24 * 60 * 60;
    let seconds = ms / 1000;
    match seconds {
        0 => format!("{ms} ms"),
        1..10 if !ms.is_multiple_of(1000) && ms % 1000 >= 100 => {
            format!("{seconds}.{} s", ms % 1000 / 100)
        }
        1..60 => format!("{seconds} s"),
        60..600 => pair(seconds / 60, "min", seconds % 60, "s"),
        600..3600 => format!("{} min", seconds / 60),
        3600..DAY => pair(seconds / 3600, "h", seconds / 60 % 60, "min"),
        _ => pair(seconds / DAY, "d", seconds / 3600 % 24, "h"),
    }
}

fn pair(large: u64, large_unit: &str, small: u64, small_unit: &str) -> String {
    if small == 0 {
        format!("{large} {large_unit}")
    } else {
        format!("{large} {large_unit} {small} {small_unit}")
    }
}

/// Formats a size in bytes: `512 B`, `1.2 MB`. Units are powers of 1000.
pub fn bytes(size: u64) -> String {
    scaled(size, &[" B", " kB", " MB", " GB", " TB", " PB", " EB"])
}

/// Formats a count of tokens or the like: `999`, `12.4k`, `1.3M`, `2.1B`.
pub fn count(value: u64) -> String {
    scaled(value, &["", "k", "M", "B", "T", "P", "E"])
}

/// Formats an amount of money: `$0.0042`, `$0.42`, `$12.30`, `$1234`.
pub fn dollars(amount: f64) -> String {
    let amount = amount.max(0.0);
    if amount > 0.0 && amount < 0.01 {
        format!("${amount:.4}")
    } else if amount < 1000.0 {
        format!("${amount:.2}")
    } else {
        format!("${amount:.0}")
    }
}

/// Formats a value with the largest unit that it reaches: one decimal below 100, none from there
/// on.
fn scaled(value: u64, units: &[&str]) -> String {
    let mut scale = 1u128;
    let value = u128::from(value);
    for (index, unit) in units.iter().enumerate() {
        // Rounded, so that 999,950 becomes 1.0 of the next unit.
        let tenths = (value * 10 + scale / 2) / scale;
        let whole = (value + scale / 2) / scale;
        if whole >= 1000 && index + 1 < units.len() {
            scale *= 1000;
            continue;
        }
        return if index == 0 || tenths >= 1000 || tenths.is_multiple_of(10) {
            format!("{whole}{unit}")
        } else {
            format!("{}.{}{unit}", tenths / 10, tenths % 10)
        };
    }
    value.to_string()
}

/// Formats a count with its noun: `1 line`, `2 lines`, `3 branches`.
pub fn plural(count: usize, noun: &str) -> String {
    if count == 1 {
        return format!("1 {noun}");
    }
    let vowel_before_y = |stem: &str| stem.ends_with(['a', 'e', 'i', 'o', 'u']);
    match noun.strip_suffix('y') {
        Some(stem) if !vowel_before_y(stem) => format!("{count} {stem}ies"),
        _ if noun.ends_with(['s', 'x']) || noun.ends_with("ch") || noun.ends_with("sh") => {
            format!("{count} {noun}es")
        }
        _ => format!("{count} {noun}s"),
    }
}

/// Formats how long ago something was, from now minus then in milliseconds: `just now`, `5 min
/// ago`, `3 days ago`; `in 2 h` for a time in the future.
pub fn ago(ms: i64) -> String {
    const MINUTE: u64 = 60;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    let seconds = ms.unsigned_abs() / 1000;
    let named = |unit: u64, noun: &str| plural((seconds / unit) as usize, noun);
    let distance = match seconds {
        0..MINUTE => return "just now".to_owned(),
        MINUTE..HOUR => format!("{} min", seconds / MINUTE),
        HOUR..DAY => format!("{} h", seconds / HOUR),
        _ if seconds < 30 * DAY => named(DAY, "day"),
        _ if seconds < 365 * DAY => named(30 * DAY, "month"),
        _ => named(365 * DAY, "year"),
    };
    if ms < 0 { format!("in {distance}") } else { format!("{distance} ago") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Copy + std::fmt::Debug>(write: impl Fn(T) -> String, cases: &[(T, &str)]) {
        for (value, expected) in cases {
            assert_eq!(write(*value), *expected, "{value:?}");
        }
    }

    #[test]
    fn durations() {
        check(
            duration,
            &[
                (0, "0 ms"),
                (350, "350 ms"),
                (999, "999 ms"),
                (1000, "1 s"),
                (1050, "1 s"),
                (4_290, "4.2 s"),
                (41_900, "41 s"),
                (59_999, "59 s"),
                (60_000, "1 min"),
                (90_000, "1 min 30 s"),
                (300_000, "5 min"),
                (3_599_999, "59 min"),
                (7_200_000, "2 h"),
                (7_800_000, "2 h 10 min"),
                (86_400_000, "1 d"),
                (273_600_000, "3 d 4 h"),
                (u64::MAX, "213503982334 d 14 h"),
            ],
        );
    }

    #[test]
    fn sizes() {
        check(
            bytes,
            &[
                (0, "0 B"),
                (999, "999 B"),
                (1000, "1 kB"),
                (1_240_000, "1.2 MB"),
                (99_940_000, "99.9 MB"),
                (99_960_000, "100 MB"),
                (999_499, "999 kB"),
                (999_500, "1 MB"),
                (1_170_000_000, "1.2 GB"),
                (u64::MAX, "18.4 EB"),
            ],
        );
    }

    #[test]
    fn counts() {
        check(
            count,
            &[
                (999, "999"),
                (1000, "1k"),
                (1049, "1k"),
                (12_400, "12.4k"),
                (124_400, "124k"),
                (1_300_000, "1.3M"),
                (2_100_000_000, "2.1B"),
                (999_960_000, "1B"),
            ],
        );
    }

    #[test]
    fn money() {
        check(
            dollars,
            &[
                (0.0, "$0.00"),
                (0.004_23, "$0.0042"),
                (0.423, "$0.42"),
                (12.3, "$12.30"),
                (1234.5, "$1234"),
                (-1.0, "$0.00"),
            ],
        );
    }

    #[test]
    fn plurals() {
        let cases = [
            (0, "line", "0 lines"),
            (1, "line", "1 line"),
            (2, "entry", "2 entries"),
            (2, "day", "2 days"),
            (3, "branch", "3 branches"),
            (2, "match", "2 matches"),
        ];
        for (count, noun, expected) in cases {
            assert_eq!(plural(count, noun), expected);
        }
    }

    #[test]
    fn relative_times() {
        check(
            ago,
            &[
                (0, "just now"),
                (59_999, "just now"),
                (300_000, "5 min ago"),
                (7_200_000, "2 h ago"),
                (86_400_000, "1 day ago"),
                (259_200_000, "3 days ago"),
                (29 * 86_400_000, "29 days ago"),
                (65 * 86_400_000, "2 months ago"),
                (800 * 86_400_000, "2 years ago"),
                (-7_200_000, "in 2 h"),
                (i64::MIN, "in 292471208 years"),
            ],
        );
    }
}
