//! Deadlines of runs, as they are chosen and typed.

/// The deadlines in the menus, in seconds; `None` is switched off.
pub(super) const DEADLINES: [Option<u64>; 8] = [
    Some(60),
    Some(300),
    Some(900),
    Some(1_800),
    Some(3_600),
    Some(4 * 3_600),
    Some(24 * 3_600),
    None,
];

/// The titles of the two deadline menus.
pub(super) const IDLE_TITLE: &str = "End the run when it has been idle for";
pub(super) const WAITING_TITLE: &str = "Tell the model that no person came after";

/// Parses a deadline: seconds, a number with a unit, or `off`. The error explains the syntax.
pub(super) fn parse_deadline(text: &str) -> Result<Option<u64>, &'static str> {
    match text.trim() {
        "off" => Ok(None),
        text => seconds(text).map(Some).ok_or("a deadline is typed as 90, 15 min, 2 h or off"),
    }
}

fn seconds(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit());
    let (number, unit) = text.split_at(digits.unwrap_or(text.len()));
    let unit = match unit.trim() {
        "" | "s" | "sec" => 1,
        "m" | "min" => 60,
        "h" => 3_600,
        "d" => 24 * 3_600,
        _ => return None,
    };
    let seconds = number.parse::<u64>().ok()?.checked_mul(unit)?;
    (seconds > 0).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadlines_are_seconds_or_have_a_unit() {
        for (text, seconds) in [
            ("90", Some(Some(90))),
            ("15 min", Some(Some(900))),
            (" 2h ", Some(Some(7_200))),
            ("1 d", Some(Some(86_400))),
            ("off", Some(None)),
            ("0", None),
            ("", None),
            ("soon", None),
            ("1.5 h", None),
            ("-3", None),
            ("99999999999999999999 d", None),
            ("18446744073709551615 d", None),
        ] {
            assert_eq!(parse_deadline(text).ok(), seconds, "{text:?}");
        }
    }
}
