//! Addresses as QR codes, for a phone in front of a terminal.

use qrcodegen::{QrCode, QrCodeEcc};

/// Draws a text as a QR code, two rows of modules in a line; none if the text is too long.
///
/// Light modules are drawn as blocks, so that the colours are right on a dark terminal, which most
/// are; phones read both.
pub fn qr_lines(text: &str) -> Option<Vec<String>> {
    /// The width of the quiet zone around the code, in modules; phones need one.
    const QUIET: i32 = 2;
    let code = QrCode::encode_text(text, QrCodeEcc::Low).ok()?;
    let is_light = |x, y| !code.get_module(x, y);
    let range = -QUIET..code.size() + QUIET;
    let line = |y: i32| {
        let block = |x| match (is_light(x, y), is_light(x, y + 1)) {
            (true, true) => '█',
            (true, false) => '▀',
            (false, true) => '▄',
            (false, false) => ' ',
        };
        range.clone().map(block).collect()
    };
    Some(range.clone().step_by(2).map(line).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_a_square_with_a_quiet_zone() {
        let lines = qr_lines("http://192.0.2.1:7717/in/0123456789abcdef").expect("a code");
        let width = lines[0].chars().count();
        assert!(lines.iter().all(|line| line.chars().count() == width));
        assert_eq!(lines.len(), width.div_ceil(2));
        assert!(lines[0].chars().all(|c| c == '█'));
        assert_eq!(qr_lines(&"x".repeat(5_000)), None);
    }
}
