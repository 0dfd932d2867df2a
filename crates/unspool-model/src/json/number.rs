//! Numbers: their grammar, and the values of counts.

/// Tells whether a byte ends a number or a keyword.
pub(super) fn ends_scalar(byte: u8) -> bool {
    matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r' | b':')
}

/// Reads a whole number with too few digits to overflow, which nearly all numbers of a log are.
/// Returns it with its length.
pub(super) fn short_count(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut number = 0;
    for (length, &byte) in bytes.iter().enumerate().take(19) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            let sound = length == 1 || (length > 1 && bytes[0] != b'0');
            return (sound && ends_scalar(byte)).then_some((number, length));
        }
        number = number * 10 + u64::from(digit);
    }
    None
}

/// Tells whether `text` is a number of the grammar.
pub(super) fn is_number(text: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let whole = digits(text);
    if whole == 0 || (whole > 1 && text[0] == b'0') {
        return false;
    }
    let mut rest = &text[whole..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let length = digits(fraction);
        if length == 0 {
            return false;
        }
        rest = &fraction[length..];
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let exponent =
            exponent.strip_prefix(b"+").or(exponent.strip_prefix(b"-")).unwrap_or(exponent);
        return !exponent.is_empty() && digits(exponent) == exponent.len();
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::super::{Cursor, Malformed};

    #[test]
    fn a_count_is_read_whatever_its_length() {
        for (raw, expected) in [
            ("0,", Ok(Some(0))),
            ("7", Ok(Some(7))),
            (" 1234567890123456789}", Ok(Some(1_234_567_890_123_456_789))),
            ("999999999999999999]", Ok(Some(999_999_999_999_999_999))),
            ("18446744073709551615 ", Ok(Some(u64::MAX))),
            ("1.5", Ok(Some(2))),
            ("2e3,", Ok(Some(2000))),
            ("-1", Ok(None)),
            ("\"7\"", Ok(None)),
            ("007", Err(Malformed)),
            ("12x,", Err(Malformed)),
            ("", Err(Malformed)),
        ] {
            assert_eq!(Cursor::new(raw.as_bytes()).count(), expected, "{raw}");
        }
    }
}
