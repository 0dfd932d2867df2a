//! Unusual files: long lines, torn ones, plain text, and missing files.

use super::*;

fn record(text: &str) -> String {
    format!("{{\"type\":\"user\",\"message\":{{\"content\":\"{text}\"}}}}\n")
}

#[test]
fn lines_at_the_ends_of_chunks_are_whole() {
    let chunk = 256 * 1024;
    let needle = record("a needle");
    let mut log = String::new();
    let mut expected = Vec::new();
    for (round, before) in [0, 1, 7, 20, needle.len() - 1, needle.len()].into_iter().enumerate() {
        let end = (round + 1) * chunk - before;
        let fill = end - log.len() - record("").len();
        log += &record(&"x".repeat(fill));
        assert_eq!(log.len(), end);
        expected.push(log.len() as u64);
        log += &needle;
    }
    let hits = Files::log("a", &log).find("a needle", PatternKind::Exact);
    assert_eq!(offsets(&hits), expected);
}

#[test]
fn large_files_are_searched_in_stretches_that_share_no_line() {
    let line = record(&"x".repeat(99_000));
    let mut log = String::new();
    let mut expected = Vec::new();
    // More than three stretches, with one line that contains a whole one.
    while log.len() < 20_000_000 {
        expected.push(log.len() as u64);
        log += &record(&format!("needle {}", log.len()));
        log += &line;
    }
    expected.push(log.len() as u64);
    log += &record(&format!("{}needle", "y".repeat(40_000_000)));
    while log.len() < 90_000_000 {
        expected.push(log.len() as u64);
        log += &record("needle");
        log += &line;
    }
    let hits = Files::log("a", &log).find("needle", PatternKind::Exact);
    assert_eq!(offsets(&hits), expected);
}

#[test]
fn a_line_of_80_megabytes_is_searched() {
    let mut log = record("before");
    log += &record(&format!("{}needle{}", "x\\n".repeat(20_000_000), "y".repeat(20_000_000)));
    log += &record("after");
    let files = Files::log("a", &log);
    for (pattern, line) in [("needle", 1), ("after", 2)] {
        let starts: Vec<usize> = std::iter::once(0)
            .chain(memchr::memchr_iter(b'\n', log.as_bytes()).map(|newline| newline + 1))
            .collect();
        let hits = files.find(pattern, PatternKind::Exact);
        assert_eq!(offsets(&hits), [starts[line] as u64], "{pattern}");
        assert!(hits[0].snippet.text.chars().count() <= 162);
    }
}

#[test]
fn damage_is_searched_as_text() {
    let garbage: Vec<u8> = (0..=255).cycle().take(5000).collect();
    let mut log = garbage.clone();
    log.extend(b"\nnot a record but needle\r\n\n   \n[1,\"needle\"]\n");
    log.extend(b"\"needle\xff\n");
    log.extend(b"{\"type\":\"user\",\"message\":{\"content\":\"caf\\u00e9 nee\xffdle needle");
    let files = Files::log("a", &log);
    assert_eq!(files.find("needle", PatternKind::Exact).len(), 4);
    assert_eq!(files.find("café", PatternKind::Exact).len(), 1);
    assert_eq!(files.find("nee.dle", PatternKind::Regex).len(), 1);
    assert!(files.scan(&ScanRequest::new("needle", PatternKind::Exact)).file_errors.is_empty());
}

#[test]
fn spilled_outputs_are_plain_text() {
    let mut text = String::from("first line\n");
    text += &"filler \\n \"quoted\"\n".repeat(40_000);
    text += "one needle\nanother needle\n";
    let mut files = Files::new();
    files.add("a.txt", Content::Spilled, &text);
    files.add("b.txt", Content::Spilled, "tail without newline");
    files.add("c.jpg", Content::Spilled, b"\xff\xd8\0\0needle");
    files.add("d.txt", Content::Spilled, b"\xff\xff\xff\nx\nbad \xff byte\nlast");
    for (pattern, expected) in [
        ("needle", &["a.txt"][..]),
        ("^another", &["a.txt"]),
        (r#"\\n "quoted"$"#, &["a.txt"]),
        (r"needle\nanother", &["a.txt"]),
        (r"(?s)first.*needle", &["a.txt"]),
        (r"\Afirst", &["a.txt"]),
        (r"\Aanother", &[]),
        (r"newline\z", &["b.txt"]),
        ("without", &["b.txt"]),
        (r"bad .\sbyte", &["d.txt"]),
        ("bad . byte", &["d.txt"]),
        ("absent", &[]),
    ] {
        let hits = files.find(pattern, PatternKind::Regex);
        let names: Vec<&str> = hits.iter().map(|hit| hit.session.as_str()).collect();
        assert_eq!(names, expected, "{pattern}");
    }
    let hits = files.find("needle", PatternKind::Exact);
    assert!(hits[0].snippet.text.contains("one needle\nanother needle"));
    let mut request = ScanRequest::new("bad . byte", PatternKind::Regex);
    request.extent.context = 1;
    let hits = files.scan(&request).hits;
    assert_eq!(hits[0].snippet.text, "x\nbad \u{FFFD} byte\nlast");
}

#[test]
fn a_file_that_is_gone_is_an_error_and_the_others_are_searched() {
    let mut files = Files::log("a", record("needle"));
    let gone = files.add("b", Content::Log, record("needle"));
    let emptied = files.add("c", Content::Log, record("needle"));
    fs::remove_file(&gone).expect("removes");
    write(&emptied, b"");
    let scan = files.scan(&ScanRequest::new("needle", PatternKind::Exact));
    assert_eq!(scan.hits.len(), 1);
    assert_eq!(scan.file_errors.len(), 1);
    assert_eq!(scan.file_errors[0].path, gone);
}

#[test]
fn a_file_that_grew_is_searched_to_its_end() {
    let mut files = Files::log("a", record("needle"));
    write(&files.sources[0].path, record("needle").repeat(3).as_bytes());
    files.sources[0].bytes = 10;
    assert_eq!(files.find("needle", PatternKind::Exact).len(), 3);
}
