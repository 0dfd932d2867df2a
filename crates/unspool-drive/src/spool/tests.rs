//! Tests of writing, reading and limiting spools.

use std::fs;

use super::*;

struct SpoolFixture {
    folder: tempfile::TempDir,
}

impl SpoolFixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self { folder }
    }

    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("spool")
    }

    fn writer(&self, pieces: u64, lines: u64) -> SpoolWriter {
        SpoolWriter::create(&self.path(), SpoolLimits { pieces, lines }).expect("a spool")
    }

    fn lines(&self, from: u64) -> Vec<(SpoolSource, String)> {
        let mut reader = SpoolReader::open(&self.path(), from).expect("a spool");
        let mut all = Vec::new();
        loop {
            let some = reader.read_some().expect("lines");
            if some.is_empty() {
                return all;
            }
            let text = |line: SpoolLine| String::from_utf8(line.text).expect("a text");
            all.extend(some.into_iter().map(|line| (line.source, text(line))));
        }
    }
}

#[test]
fn lines_come_back_from_any_cursor() {
    let at = SpoolFixture::new();
    let mut writer = at.writer(1 << 20, 1 << 20);
    writer.say(b"{\"a\":1}", None);
    writer.complain(b"oh");
    writer.note(b"{}");
    writer.flush();
    let all = [
        (SpoolSource::Said, "{\"a\":1}".to_owned()),
        (SpoolSource::Complained, "oh".to_owned()),
        (SpoolSource::Note, "{}".to_owned()),
    ];
    assert_eq!(at.lines(0), all);
    let mut reader = SpoolReader::open(&at.path(), 0).expect("a spool");
    let cursors: Vec<u64> =
        reader.read_some().expect("lines").iter().map(|line| line.end).collect();
    assert_eq!(cursors.last(), Some(&writer.length()));
    for (index, cursor) in cursors.into_iter().enumerate() {
        assert_eq!(at.lines(cursor), all[index + 1..]);
    }
    assert_eq!(reader.read_some().expect("nothing"), []);
    writer.say(b"more", None);
    writer.flush();
    assert_eq!(reader.read_some().expect("a line").len(), 1);
}

#[test]
fn a_half_line_is_not_read_until_it_is_whole() {
    let at = SpoolFixture::new();
    fs::write(at.path(), b"oone\notw").expect("a file");
    let mut reader = SpoolReader::open(&at.path(), 0).expect("a spool");
    assert_eq!(reader.read_some().expect("a line").len(), 1);
    assert_eq!(reader.read_some().expect("nothing"), []);
    fs::write(at.path(), b"oone\notwo\n?odd\n").expect("a file");
    let lines = reader.read_some().expect("a line");
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].text, b"two");
    assert_eq!(reader.position(), 15);
}

#[test]
fn long_lines_are_read_whole() {
    let at = SpoolFixture::new();
    let mut writer = at.writer(1 << 30, 1 << 30);
    let long = vec![b'x'; 3 << 20];
    writer.say(b"short", None);
    writer.say(&long, None);
    writer.say(b"short", None);
    writer.flush();
    let lengths: Vec<usize> = at.lines(0).iter().map(|(_, text)| text.len()).collect();
    assert_eq!(lengths, [5, 3 << 20, 5]);
}

#[test]
fn past_a_limit_pieces_and_then_lines_are_left_out_with_a_marker() {
    let at = SpoolFixture::new();
    let mut writer = at.writer(60, 200);
    for _ in 0..20 {
        writer.say(b"{\"type\":\"stream_event\"}", Some("stream_event"));
    }
    for _ in 0..20 {
        writer.say(b"{\"type\":\"assistant\"}", Some("assistant"));
    }
    writer.note(b"{\"note\":1}");
    writer.flush();
    let lines = at.lines(0);
    assert_eq!(lines.iter().filter(|(_, text)| text.contains("stream")).count(), 3);
    let pieces = (SpoolSource::Marker, r#"{"left_out":"pieces"}"#.to_owned());
    assert_eq!(lines.iter().filter(|line| **line == pieces).count(), 1);
    let stubs = r#"{"left_out":"line","kind":"assistant","bytes":20}"#;
    let whole = lines
        .iter()
        .filter(|(source, text)| *source == SpoolSource::Said && text.contains("assistant"));
    let left_out = lines.iter().filter(|(_, text)| text == stubs);
    assert_eq!(whole.count() + left_out.count(), 20);
    assert_eq!(lines.last(), Some(&(SpoolSource::Note, "{\"note\":1}".to_owned())));
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_full_disk_refuses_is_counted_and_said_later() {
    let at = SpoolFixture::new();
    let full = OpenOptions::new().append(true).open("/dev/full").expect("a full disk");
    let mut writer = SpoolWriter::of(full, SpoolLimits::default());
    writer.say(b"one", None);
    writer.flush();
    writer.say(b"two", None);
    writer.flush();
    assert_eq!(writer.length(), 0);
    let file = OpenOptions::new().append(true).create(true).open(at.path());
    writer.file = file.expect("a disk with room");
    writer.say(b"three", None);
    writer.flush();
    let marker = r#"{"left_out":"unwritten","lines":2}"#;
    assert_eq!(
        at.lines(0),
        [(SpoolSource::Marker, marker.to_owned()), (SpoolSource::Said, "three".to_owned()),]
    );
}

#[test]
fn the_last_line_is_found_from_the_end() {
    let at = SpoolFixture::new();
    let mut writer = at.writer(1 << 30, 1 << 30);
    let last = |wanted: &str, taken: &std::cell::Cell<usize>| {
        let take = |line: &SpoolLine| {
            taken.set(taken.get() + 1);
            (line.text == wanted.as_bytes()).then_some(line.start)
        };
        last_in_spool(&at.path(), take).expect("a spool")
    };
    let count = std::cell::Cell::new(0);
    assert_eq!(last("end", &count), None);
    writer.say(b"end", None);
    writer.flush();
    assert_eq!(last("end", &count), Some(0));
    for _ in 0..100_000 {
        writer.say(b"a line of a turn that is over", None);
    }
    // This line is longer than the part of the spool that is read first.
    writer.say(&vec![b'o'; 1 << 20], None);
    writer.flush();
    assert_eq!(last("end", &count), Some(0));
    let end = writer.length();
    writer.say(b"end", None);
    writer.say(b"now", None);
    writer.flush();
    count.set(0);
    assert_eq!(last("end", &count), Some(end));
    assert!(count.get() < 10, "{} lines were looked at", count.get());
}
