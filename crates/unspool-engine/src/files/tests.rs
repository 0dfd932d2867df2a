use std::ffi::OsStr;

use super::*;

#[test]
fn names_are_packed_and_unpacked() {
    for name in ["a.jsonl", "data.zst", "x", ".highwatermark", "0123@v1"] {
        let packed = packed_path(Path::new(name));
        let plain = plain_name(packed.as_os_str());
        assert_eq!(plain.as_deref(), Some(OsStr::new(name)));
    }
    for name in ["a.jsonl", ".zst", "zst", "", "a.zst2", "..zst", "...zst"] {
        assert_eq!(plain_name(OsStr::new(name)), None, "{name}");
    }
}
