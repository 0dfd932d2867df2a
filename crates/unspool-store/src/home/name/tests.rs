use unspool_model::ids::ProjectId;

use super::*;
use crate::home::testing::HomeFixture;
use crate::home::{CandidateKind, Target, discover_all};

const A: &str = "aaaa1111-1111-4111-8111-111111111111";
const B: &str = "aaaa2222-1111-4111-8111-111111111111";
const C: &str = "cccc3333-1111-4111-8111-111111111111";

fn here() -> &'static Path {
    Path::new("/nowhere/here")
}

fn find(text: &str, discoveries: &[Discovery], here: &Path) -> Result<String, NameError> {
    let found = resolve(&SessionName::parse(text), discoveries, here)?;
    Ok(match found.target {
        Target::Session(session) => session.id.to_string(),
        Target::Agent(agent) => format!("agent-{}", agent.id),
    })
}

fn names(candidates: &[NameCandidate]) -> Vec<String> {
    candidates.iter().map(NameCandidate::name).collect()
}

/// Makes a home with two projects and one agent.
fn two_projects() -> HomeFixture {
    let at = HomeFixture::new();
    at.log(&format!("projects/-srv-one/{A}.jsonl"), 10);
    at.log(&format!("projects/-srv-one/{B}.jsonl"), 20);
    at.file("projects/-srv-one/zero.jsonl", "");
    at.log("projects/-srv-one/agent-beef01.jsonl", 99);
    at.log(&format!("projects/-srv-two/{C}.jsonl"), 30);
    at
}

#[test]
fn texts_are_told_apart_by_their_look() {
    for (text, expected) in [
        ("@", SessionName::Newest(1)),
        ("@2", SessionName::Newest(2)),
        ("@0", SessionName::Newest(0)),
        ("@+2", SessionName::Prefix("@+2".into())),
        ("@x", SessionName::Prefix("@x".into())),
        ("aaaa", SessionName::Prefix("aaaa".into())),
        ("a/b", SessionName::File("a/b".into())),
        ("./x", SessionName::File("./x".into())),
        ("x.jsonl", SessionName::File("x.jsonl".into())),
        ("", SessionName::Prefix(String::new())),
    ] {
        assert_eq!(SessionName::parse(text), expected, "{text}");
    }
}

#[test]
fn ids_are_found_whole_or_by_their_start() {
    let homes = [two_projects()];
    let found = [homes[0].discover()];
    for (text, expected) in [
        (A, A),
        (&*A.to_uppercase(), A),
        ("aaaa1", A),
        ("AAAA1", A),
        ("cccc", C),
        ("zero", "zero"),
        ("agent-beef01", "agent-beef01"),
        ("agent-beef", "agent-beef01"),
        ("beef01", "agent-beef01"),
    ] {
        assert_eq!(find(text, &found, here()).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn a_start_that_fits_two_sessions_names_both() {
    let at = two_projects();
    match find("aaaa", &[at.discover()], here()) {
        Err(NameError::Ambiguous { text, candidates }) => {
            assert_eq!(text, "aaaa");
            assert_eq!(names(&candidates), [A, B]);
            assert_eq!(candidates[0].project.as_str(), "-srv-one");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_short_start_is_refused_unless_it_is_a_whole_id() {
    let at = two_projects();
    at.log("projects/-srv-one/x1.jsonl", 0);
    let found = [at.discover()];
    assert_eq!(find("x1", &found, here()).as_deref(), Ok("x1"));
    for (text, near) in [("ccc", vec![C]), ("", vec![])] {
        match find(text, &found, here()) {
            Err(NameError::TooShort { near: got, .. }) => assert_eq!(names(&got), near),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn an_unknown_name_comes_with_near_ones() {
    let at = two_projects();
    let found = [at.discover()];
    for (text, near) in [
        ("cccd3333", vec![C]),
        ("aaaa9999", vec![B, A]),
        ("99999999", vec![]),
        ("agent-beef02", vec!["agent-beef01"]),
    ] {
        match find(text, &found, here()) {
            Err(NameError::Unknown { near: got, .. }) => assert_eq!(names(&got), near, "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn the_newest_is_counted_in_the_project_of_this_folder() {
    let at = two_projects();
    let found = [at.discover()];
    for (text, folder, expected) in [
        ("@", "/srv/one", Ok(B)),
        ("@2", "/srv/one", Ok(A)),
        ("@3", "/srv/one", Err(2)),
        ("@", "/srv/one/deep/inside", Ok(B)),
        ("@", "/srv/two", Ok(C)),
        ("@", "/srv/three", Ok(C)),
        ("@2", "/nowhere/here", Ok(B)),
        ("@9", "/nowhere/here", Err(3)),
    ] {
        let got = find(text, &found, Path::new(folder));
        match expected {
            Ok(id) => assert_eq!(got.as_deref(), Ok(id), "{text} {folder}"),
            Err(found) => match got {
                Err(NameError::NotThatMany { found: got, .. }) => assert_eq!(got, found),
                other => panic!("{text} {folder}: {other:?}"),
            },
        }
    }
}

#[test]
fn the_nearest_project_above_wins() {
    let at = two_projects();
    at.log("projects/-srv/outer.jsonl", 90);
    let found = [at.discover()];
    let of = |folder: &str| find("@", &found, Path::new(folder)).expect("a session");
    assert_eq!(of("/srv/one/x"), B);
    assert_eq!(of("/srv/x"), "outer");
}

#[test]
fn a_long_path_is_told_from_its_like_by_what_the_files_say() {
    let long = format!("/{}/one", "x".repeat(210));
    let other = format!("/{}/two", "x".repeat(210));
    let folder = format!("projects/-{}", "x".repeat(199));
    let at = HomeFixture::new();
    for (project, id, cwd) in [("aaa", A, &other), ("bbb", B, &long)] {
        let line = format!("{{\"cwd\":\"{cwd}\"}}\n");
        at.file(&format!("{folder}-{project}/{id}.jsonl"), &line);
    }
    let found = [at.discover()];
    assert_eq!(find("@", &found, Path::new(&long)).as_deref(), Ok(B));
    assert_eq!(find("@", &found, Path::new(&other)).as_deref(), Ok(A));
}

#[test]
fn the_same_id_in_two_homes_is_ambiguous_unless_one_is_a_stub() {
    let (one, two) = (two_projects(), HomeFixture::new());
    let path = format!("projects/-srv-one/{A}.jsonl");
    let all = || discover_all(&[one.home(), two.home()]);
    two.file(&path, "");
    assert_eq!(find(A, &all(), here()).as_deref(), Ok(A));
    two.log(&path, 50);
    match find(A, &all(), here()) {
        Err(NameError::Ambiguous { candidates, .. }) => {
            assert_eq!(names(&candidates), [A, A]);
            assert!(matches!(candidates[0].kind, CandidateKind::Session(_)));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn agents_that_are_left_alone_do_not_hide_the_transcript() {
    let at = two_projects();
    at.log(&format!("projects/-srv-two/{A}/subagents/agent-1.jsonl"), 60);
    let found = resolve(&SessionName::parse(A), &[at.discover()], here()).expect("a session");
    assert_eq!(found.project.expect("a project").as_str(), "-srv-one");
}

#[test]
fn a_file_in_a_home_is_known_by_its_path() {
    let at = two_projects();
    let found = [at.discover()];
    let path = format!("projects/-srv-one/{A}.jsonl");
    for name in [
        at.path(&path).to_string_lossy().into_owned(),
        format!("./{path}"),
        format!("projects/../{path}"),
    ] {
        let got = resolve(&SessionName::parse(&name), &found, &at.path("")).expect("a file");
        assert_eq!(got.home, Some(at.home()), "{name}");
        assert_eq!(got.project, Some(ProjectId::new("-srv-one")), "{name}");
    }
    let agent = at.path("projects/-srv-one/agent-beef01.jsonl");
    let got = find(&agent.to_string_lossy(), &found, here());
    assert_eq!(got.as_deref(), Ok("agent-beef01"));
}

#[test]
fn a_file_outside_every_home_has_neither_home_nor_project() {
    let (at, outside) = (two_projects(), HomeFixture::new());
    outside.log("copy.jsonl", 0);
    let got = resolve(&SessionName::parse("copy.jsonl"), &[at.discover()], &outside.path(""))
        .expect("a file");
    assert_eq!((got.home, got.project), (None, None));
    assert_eq!(got.target.path(), outside.path("copy.jsonl"));
}

#[test]
fn a_file_name_without_a_file_may_still_be_an_id() {
    let at = two_projects();
    let found = [at.discover()];
    assert_eq!(find(&format!("{A}.jsonl"), &found, here()).as_deref(), Ok(A));
    let several = find("aaaa.jsonl", &found, here());
    assert!(matches!(several, Err(NameError::Ambiguous { .. })), "{several:?}");
    match find("dir/cccd3333.jsonl", &found, here()) {
        Err(NameError::NoSuchFile { path, near }) => {
            assert_eq!(path, here().join("dir/cccd3333.jsonl"));
            assert_eq!(names(&near), [C]);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_folder_next_to_a_transcript_leads_to_it() {
    let at = two_projects();
    at.folder(&format!("projects/-srv-one/{A}/tool-results"));
    let text = format!("projects/-srv-one/{A}/");
    assert_eq!(find(&text, &[at.discover()], &at.path("")).as_deref(), Ok(A));
    let got = find("projects/-srv-one/", &[at.discover()], &at.path(""));
    assert!(matches!(got, Err(NameError::Unusable(_))), "{got:?}");
}

#[cfg(unix)]
#[test]
fn links_to_a_project_and_to_a_home_are_seen_through() {
    let at = two_projects();
    at.link(at.path("projects/-srv-one"), "projects/-moved-here");
    let other = HomeFixture::new();
    other.link(at.path("projects"), "projects");
    let found: Vec<Discovery> = vec![at.discover(), other.discover()];
    assert_eq!(find("@", &found, Path::new("/moved/here")).as_deref(), Ok(B));
    assert_eq!(find(A, &found, here()).as_deref(), Ok(A));
    assert_eq!(find("@2", &found, Path::new("/srv/one")).as_deref(), Ok(A));
}
