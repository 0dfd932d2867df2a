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

#[cfg(target_os = "linux")]
#[test]
fn what_is_no_file_is_not_opened_and_not_waited_for() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let dir = tempfile::tempdir().expect("a folder");
    let (pipe, socket) = (dir.path().join("pipe"), dir.path().join("socket"));
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RWXU, 0).expect("a pipe");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
    for path in [&pipe, &socket, &dir.path().to_owned()] {
        let error = OpenFile::open(path).expect_err("no file");
        assert_eq!(error.to_string(), not_regular().to_string(), "{path:?}");
    }
    let missing = OpenFile::open(&dir.path().join("missing")).expect_err("no file");
    assert_eq!(missing.kind(), io::ErrorKind::NotFound);
}
