//! Packed files, unpacked by other tools and read at any offset.

use std::io::{Read as _, Seek as _, SeekFrom};

use proptest::prelude::*;

use super::*;
use crate::archive::pack::{FRAME, StatePlaces, prepare};
use crate::files::packed::PackedFile;

/// Packs some bytes and returns the path.
fn packed(folder: &Path, bytes: &[u8]) -> PathBuf {
    let source = folder.join("source");
    fs::write(&source, bytes).expect("writes");
    let current = folder.join("archive/file.jsonl");
    fs::create_dir_all(folder.join("archive")).expect("a folder");
    fs::write(folder.join("archive").join(MARKER), "{}").expect("writes");
    let places = StatePlaces {
        current: current.clone(),
        older: folder.join("archive/older"),
        temporary: folder.to_owned(),
    };
    let prepared = prepare(&source, &places, Mode::Write, &|_| false).expect("packs");
    prepared.put(&places).expect("puts it in its place");
    current
}

#[test]
fn any_decoder_gives_the_original_bytes() {
    let long = lines(60_000);
    let one_line = "x".repeat(3 * FRAME + 5);
    for bytes in ["", "x", "no newline", &long, &one_line] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = packed_path(&packed(folder.path(), bytes.as_bytes()));
        let decoded = zstd::decode_all(&*fs::read(path).expect("a file"));
        assert!(decoded.expect("unpacks") == bytes.as_bytes());
    }
}

#[test]
fn frames_end_with_lines_and_are_small() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = lines(60_000);
    let packed = packed(folder.path(), text.as_bytes());
    let packed = PackedFile::open(&packed_path(&packed)).expect("opens");
    assert!(packed.frames().len() > 4);
    for frame in packed.frames() {
        assert!(frame.length as usize <= FRAME);
        assert_eq!(text.as_bytes()[frame.end() as usize - 1], b'\n');
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_place_is_read_as_in_the_original(
        length in 0..3 * FRAME,
        every in 1usize..5_000,
        reads in proptest::collection::vec((0..4 * FRAME as u64, 0..2 * FRAME), 1..12),
    ) {
        let byte = |at: usize| if at.is_multiple_of(every) { b'\n' } else { (at * 7 % 251) as u8 };
        let bytes: Vec<u8> = (0..length).map(byte).collect();
        let folder = tempfile::tempdir().expect("a folder");
        let path = packed(folder.path(), &bytes);
        let file = crate::files::OpenFile::open(&path).expect("opens");
        prop_assert_eq!(file.stamp().expect("a stamp").bytes, length as u64);
        let mut reader = file.reader();
        for (at, wanted) in reads {
            reader.seek(SeekFrom::Start(at)).expect("seeks");
            let mut read = Vec::new();
            (&mut reader).take(wanted as u64).read_to_end(&mut read).expect("reads");
            let start = length.min(at as usize);
            prop_assert!(read == bytes[start..length.min(start + wanted)]);
        }
    }
}
