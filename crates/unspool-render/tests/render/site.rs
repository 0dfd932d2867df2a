//! A site around transcripts.

use std::fs;
use std::path::Path;

use unspool_model::ids::SessionId;
use unspool_model::time::Time;
use unspool_render::html::{HtmlSurface, PageOptions, SiteBuilder, SiteSession, Words};
use unspool_testkit::markup::{HOSTILE, check_vocabulary};

use crate::paper::{Book, tell};
use crate::sample;
use crate::surface::options;

/// Returns a session of a site, by its number; every third one is in another project.
pub(crate) fn session(number: usize) -> SiteSession {
    let start = Time::parse("2026-01-01T00:00:00.000Z").expect("a time").as_millis();
    let time = Time::from_millis(start + number as i64 * 3_600_000);
    SiteSession {
        id: SessionId::new(format!("session-{number}")),
        project: if number.is_multiple_of(3) { "/home/dev/lexer" } else { "/home/dev/parser" }
            .to_owned(),
        title: format!("Session number {number} about things"),
        started: Some(time),
        ended: Some(time),
        turns: number % 7 + 1,
        tokens: number as u64 * 1_000,
        cost_usd: Some(0.25),
        file: format!("transcript_session-{number}.html"),
    }
}

/// Writes a site of these sessions, each with a transcript of one of everything.
pub(crate) fn write(out: &Path, sessions: Vec<SiteSession>, order: impl Iterator<Item = usize>) {
    let files: Vec<String> = sessions.iter().map(|session| session.file.clone()).collect();
    let mut site = SiteBuilder::new(out, sessions).expect("a folder");
    for at in order {
        let (mut head, messages) = sample::everything();
        head.title = Some(format!("Title {at} zebra{at}"));
        let options = PageOptions { site: Some(site.neighbours(at)), ..options() };
        let stem = files[at].trim_end_matches(".html");
        let mut book = Book::new(stem);
        let mut surface = HtmlSurface::new(options, &mut book).gathering_words();
        tell(&mut surface, &head, &messages).expect("memory can be written");
        site.add(at, &surface.into_words()).expect("added");
        fs::write(site.transcripts().join(&files[at]), &book.pages[0]).expect("written");
    }
    site.finish().expect("written");
}

/// Returns every file below a folder, by its relative path.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in fs::read_dir(at).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).expect("below").display().to_string();
            found.push((name, fs::read(&path).expect("a file")));
        }
    }
    found.sort();
    found
}

#[test]
fn a_site_is_the_same_whatever_comes_first() {
    let [one, two] = [0, 1].map(|_| tempfile::tempdir().expect("a folder"));
    write(one.path(), (0..5).map(session).collect(), 0..5);
    write(two.path(), (0..5).map(session).collect(), (0..5).rev());
    let names: Vec<String> = files(one.path()).into_iter().map(|(name, _)| name).collect();
    let expected = [
        "assets/page.css",
        "assets/page.js",
        "assets/site.js",
        "index.html",
        "projects/home_dev_lexer.html",
        "projects/home_dev_parser.html",
        "search/index.js",
        "search/p0.js",
        "search/t0.js",
        "search/w0.js",
        "sessions/transcript_session-0.html",
        "sessions/transcript_session-1.html",
        "sessions/transcript_session-2.html",
        "sessions/transcript_session-3.html",
        "sessions/transcript_session-4.html",
    ];
    assert_eq!(names, expected);
    for (a, b) in files(one.path()).into_iter().zip(files(two.path())) {
        assert!(a == b, "{} differs", a.0);
    }
}

#[test]
fn pages_of_a_site_lead_to_each_other() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), (0..5).map(session).collect(), 0..5);
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("a page");
    let index = read("index.html");
    check_vocabulary(&index);
    let newest = index.find("transcript_session-4.html").expect("listed");
    assert!(newest < index.find("transcript_session-0.html").expect("listed"));
    assert!(index.contains("projects/home_dev_lexer.html"));
    let project = read("projects/home_dev_parser.html");
    check_vocabulary(&project);
    assert!(project.contains("../sessions/transcript_session-4.html"));
    assert!(!project.contains("session-3.html"));
    let page = read("sessions/transcript_session-2.html");
    check_vocabulary(&page);
    assert!(page.contains("href=\"../assets/page.css\""));
    assert!(page.contains("href=\"../projects/home_dev_parser.html\""));
    assert!(page.contains("rel=\"next\" href=\"transcript_session-4.html\""));
    assert!(page.contains("rel=\"prev\" href=\"transcript_session-1.html\""));
}

#[test]
fn a_session_that_was_not_written_is_not_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), (0..3).map(session).collect(), [0, 2].into_iter());
    let index = fs::read_to_string(folder.path().join("index.html")).expect("a page");
    assert!(!index.contains("session-1.html"));
    assert!(index.contains("2 sessions"));
}

#[test]
fn links_skip_a_session_that_was_not_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let project = session(0).project;
    let sessions = (0..202).map(|at| SiteSession { project: project.clone(), ..session(at) });
    write(folder.path(), sessions.collect(), [200, 0].into_iter());
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("a page");
    let newest = read("sessions/transcript_session-200.html");
    assert!(newest.contains("rel=\"prev\" href=\"transcript_session-0.html\""));
    assert!(!newest.contains("rel=\"next\""));
    let oldest = read("sessions/transcript_session-0.html");
    assert!(oldest.contains("rel=\"next\" href=\"transcript_session-200.html\""));
    // The list of the project has one page, not two.
    assert!(oldest.contains("href=\"../projects/home_dev_lexer.html\""));
    check_vocabulary(&oldest);
}

#[test]
fn hostile_names_stay_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let sessions: Vec<SiteSession> = (0..)
        .zip(HOSTILE)
        .map(|(number, text)| SiteSession {
            project: (*text).to_owned(),
            title: (*text).to_owned(),
            id: SessionId::new(*text),
            ..session(number)
        })
        .collect();
    let count = sessions.len();
    write(folder.path(), sessions, 0..count);
    for (name, bytes) in files(folder.path()) {
        assert!(name.bytes().all(|b| b.is_ascii_alphanumeric() || b"/._-".contains(&b)), "{name}");
        if bytes.starts_with(b"<!doctype html>") {
            check_vocabulary(std::str::from_utf8(&bytes).expect("UTF-8"));
        }
    }
}

#[test]
fn ten_thousand_sessions_make_bounded_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let sessions: Vec<SiteSession> = (0..10_000).map(session).collect();
    let mut site = SiteBuilder::new(folder.path(), sessions).expect("a folder");
    for at in 0..10_000 {
        site.add(at, &words(at)).expect("added");
    }
    site.finish().expect("written");
    let all = files(folder.path());
    for (name, bytes) in &all {
        assert!(bytes.len() < 256 * 1024, "{name} has {} bytes", bytes.len());
    }
    let pages = all.iter().filter(|(name, _)| name.starts_with("projects/")).count();
    assert_eq!(pages, 17 + 34);
    assert!(all.iter().filter(|(name, _)| name.starts_with("search/w")).count() > 3);
}

/// Returns the words of a transcript, collected as in an export.
fn words(number: usize) -> Words {
    let (mut head, messages) = sample::long(1);
    head.title = Some(format!("Title {number} word{} deed{number}", number % 1000));
    let mut book = Book::new("x");
    let mut surface = HtmlSurface::new(options(), &mut book).gathering_words();
    tell(&mut surface, &head, &messages[..1]).expect("memory can be written");
    surface.into_words()
}
