//! Recognises pictures by their first bytes.

/// Returns the media type of a picture, if it is of a type that browsers show as pixels only.
pub fn picture_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_what_its_bytes_say() {
        assert_eq!(picture_type(b"\x89PNG\r\n\x1a\n...."), Some("image/png"));
        assert_eq!(picture_type(b"\xff\xd8\xff\xe0"), Some("image/jpeg"));
        assert_eq!(picture_type(b"GIF89a.."), Some("image/gif"));
        assert_eq!(picture_type(b"RIFF....WEBPVP8 "), Some("image/webp"));
        for other in [&b""[..], b"<svg onload=alert(1)>", b"%PDF-1.7", b"RIFF....WAVE"] {
            assert_eq!(picture_type(other), None);
        }
    }
}
