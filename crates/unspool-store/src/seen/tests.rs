//! Marks that are stored, shared, damaged and recreated.

use std::thread;

use super::*;

fn time(millis: i64) -> Time {
    Time::from_millis(millis)
}

fn session(name: &str) -> SessionId {
    SessionId::new(name)
}

fn mark(entry: &str, at: i64) -> ReadMark {
    ReadMark { entry: EntryId::new(entry), ordinal: at as u64, at: time(at) }
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn open(folder: &Path) -> SeenMarks {
    SeenMarks::open(folder).expect("marks")
}

fn entry_of(marks: &SeenMarks, name: &str) -> Option<String> {
    let mark = marks.last_read(&session(name)).expect("an answer");
    mark.map(|mark| mark.entry.to_string())
}

#[test]
fn marks_are_there_when_they_are_opened_again() {
    let folder = folder();
    let marks = open(folder.path());
    assert_eq!(marks.inbox_seen().expect("an answer"), None);
    assert_eq!(marks.last_read(&session("s")).expect("an answer"), None);
    marks.see_inbox(time(7)).expect("marked");
    marks.mark_read(&session("s"), &mark("e1", 5)).expect("marked");
    drop(marks);
    let marks = open(folder.path());
    assert_eq!(marks.inbox_seen().expect("an answer"), Some(time(7)));
    let read = marks.last_read(&session("s")).expect("an answer");
    assert_eq!(read, Some(mark("e1", 5)));
    assert_eq!(marks.take_notes(), []);
}

#[test]
fn what_was_marked_is_there_after_a_process_that_closed_nothing() {
    let folder = folder();
    let marks = open(folder.path());
    marks.see_inbox(time(7)).expect("marked");
    std::mem::forget(marks);
    let marks = open(folder.path());
    assert_eq!(marks.inbox_seen().expect("an answer"), Some(time(7)));
    assert_eq!(marks.take_notes(), []);
}

#[test]
fn the_latest_mark_counts() {
    let marks = SeenMarks::in_memory().expect("marks");
    for at in [5, 9, 7] {
        marks.see_inbox(time(at)).expect("marked");
        let entry = format!("e{at}");
        marks.mark_read(&session("s"), &mark(&entry, at)).expect("marked");
    }
    assert_eq!(marks.inbox_seen().expect("an answer"), Some(time(9)));
    assert_eq!(entry_of(&marks, "s").as_deref(), Some("e9"));
    // A later rewind may lead to an earlier entry.
    marks.mark_read(&session("s"), &mark("e0", 9)).expect("marked");
    assert_eq!(entry_of(&marks, "s").as_deref(), Some("e0"));
}

#[test]
fn the_oldest_marks_go_when_there_are_too_many() {
    let marks = SeenMarks::in_memory().expect("marks");
    let all = MOST_SESSIONS + SLACK + 1;
    for number in 0..all {
        let mark = mark("e", number as i64);
        marks.mark_read(&session(&number.to_string()), &mark).expect("marked");
    }
    assert_eq!(entry_of(&marks, "0"), None);
    assert_eq!(entry_of(&marks, &(all - MOST_SESSIONS - 1).to_string()), None);
    assert!(entry_of(&marks, &(all - MOST_SESSIONS).to_string()).is_some());
    assert!(entry_of(&marks, &(all - 1).to_string()).is_some());
}

#[test]
fn damaged_marks_begin_again_with_a_note() {
    let folder = folder();
    let file = folder.path().join("seen").join(FILE);
    for damage in [
        &b"not a database at all, and long enough to be looked at as one"[..],
        b"",
        b"SQLite format 3\0 and then nothing that makes sense",
    ] {
        drop(open(folder.path()));
        fs::write(&file, damage).expect("written");
        let marks = open(folder.path());
        assert_eq!(marks.take_notes(), [SeenNote::Restarted], "{damage:?}");
        marks.see_inbox(time(3)).expect("marked");
        drop(marks);
        let marks = open(folder.path());
        assert_eq!(marks.take_notes(), []);
        assert_eq!(marks.inbox_seen().expect("an answer"), Some(time(3)));
    }
}

#[test]
fn marks_that_are_damaged_while_they_are_open_begin_again() {
    let folder = folder();
    let marks = open(folder.path());
    marks.see_inbox(time(3)).expect("marked");
    let file = folder.path().join("seen").join(FILE);
    let other = Connection::open(&file).expect("a database");
    other.execute_batch("DROP TABLE read").expect("dropped");
    drop(other);
    marks.mark_read(&session("s"), &mark("e", 1)).expect("marked");
    assert_eq!(marks.take_notes(), [SeenNote::Restarted]);
    assert_eq!(entry_of(&marks, "s").as_deref(), Some("e"));
}

#[test]
fn marks_of_another_version_begin_again() {
    let folder = folder();
    drop(open(folder.path()));
    let db = Connection::open(folder.path().join("seen").join(FILE)).expect("a database");
    db.pragma_update(None, "user_version", VERSION + 1).expect("a version");
    drop(db);
    assert_eq!(open(folder.path()).take_notes(), [SeenNote::Restarted]);
}

#[test]
fn marks_that_cannot_be_kept_are_in_memory() {
    let folder = folder();
    fs::write(folder.path().join("seen"), "a file in the way").expect("written");
    let marks = open(folder.path());
    assert!(matches!(marks.take_notes().as_slice(), [SeenNote::InMemory { .. }]));
    marks.see_inbox(time(3)).expect("marked");
    assert_eq!(marks.inbox_seen().expect("an answer"), Some(time(3)));
}

#[test]
fn several_openings_at_once_see_each_other() {
    let folder = folder();
    thread::scope(|threads| {
        for thread in 0..4 {
            let folder = folder.path();
            threads.spawn(move || {
                let marks = open(folder);
                for number in 0..25 {
                    let name = format!("{thread}-{number}");
                    marks.mark_read(&session(&name), &mark(&name, 1)).expect("marked");
                }
                assert_eq!(marks.take_notes(), []);
            });
        }
    });
    let marks = open(folder.path());
    for thread in 0..4 {
        let name = format!("{thread}-24");
        assert_eq!(entry_of(&marks, &name), Some(name));
    }
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_them() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder();
    let marks = open(folder.path());
    marks.see_inbox(time(3)).expect("marked");
    let mut files = 0;
    for item in fs::read_dir(folder.path().join("seen")).expect("a folder") {
        let item = item.expect("an item");
        let name = item.file_name();
        if name.to_string_lossy().starts_with(FILE) {
            let mode = item.metadata().expect("a file").permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{name:?}");
            files += 1;
        }
    }
    assert!(files > 0);
}
