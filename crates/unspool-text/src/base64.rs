//! Base64, the encoding of images in logs.
//!
//! The alphabet is the standard one. Decoding is lenient: line breaks are skipped, padding may be
//! missing, and text that is not base64 gives `None`.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use base64::engine::{DecodePaddingMode, general_purpose};

/// Decodes what other programs wrote.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Encodes bytes, with padding.
pub fn encode(bytes: &[u8]) -> String {
    general_purpose::STANDARD.encode(bytes)
}

/// Decodes base64 with or without padding; `None` if it contains other characters.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let is_break = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let text: Vec<u8> = text.bytes().filter(|byte| !is_break(byte)).collect();
    LENIENT.decode(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_breaks_and_missing_padding_are_read() {
        for text in ["Zm9vYg==", "Zm9vYg", "Zm9v\r\nYg==\n"] {
            assert_eq!(decode(text).as_deref(), Some(&b"foob"[..]), "{text}");
        }
        assert_eq!(encode(b"foob"), "Zm9vYg==");
        assert_eq!(decode("<svg>"), None);
    }
}
