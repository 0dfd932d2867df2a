use std::path::Path;

use super::*;
use crate::home::testing::HomeFixture;

const A: &str = "aaaa1111-1111-4111-8111-111111111111";
const B: &str = "bbbb2222-1111-4111-8111-111111111111";

fn reasons(found: &Discovery) -> Vec<(&Path, Reason)> {
    found.problems.iter().map(|problem| (problem.path.as_path(), problem.reason)).collect()
}

fn project(found: &Discovery) -> &Project {
    match found.projects.as_slice() {
        [project] => project,
        other => panic!("{other:?}"),
    }
}

fn classes(project: &Project) -> Vec<(&str, FileClass)> {
    let sessions = project.sessions.iter();
    sessions.map(|session| (session.id.as_str(), session.class)).collect()
}

fn agent_ids(agents: &[AgentFile]) -> Vec<&str> {
    agents.iter().map(|agent| agent.id.as_str()).collect()
}

#[test]
fn transcripts_are_sorted_by_name_and_size() {
    let at = HomeFixture::new();
    at.log(&format!("projects/p/{B}.jsonl"), 0);
    at.log(&format!("projects/p/{A}.jsonl"), 5);
    at.log("projects/p/notes.jsonl", 0);
    at.file("projects/p/stub.jsonl", "");
    at.file("projects/p/sessions-index.json", "{}");
    at.file("projects/p/memory/log.jsonl", "{}");
    at.folder("projects/empty");
    let found = at.discover();
    assert_eq!(reasons(&found), []);
    let ids: Vec<&str> = found.projects.iter().map(|project| project.id.as_str()).collect();
    assert_eq!(ids, ["empty", "p"]);
    let project = &found.projects[1];
    assert_eq!(
        classes(project),
        [
            (A, FileClass::Session),
            (B, FileClass::Session),
            ("notes", FileClass::Named),
            ("stub", FileClass::Empty),
        ]
    );
    let first = &project.sessions[0];
    assert_eq!(first.stamp.bytes, 16);
    assert_eq!(first.stamp.modified_ms(), 1_700_000_005_000);
    assert_eq!(first.stamp.identity.is_some(), cfg!(unix));
    assert_eq!(project.foreign, []);
}

#[test]
fn agents_are_found_in_every_layout() {
    let at = HomeFixture::new();
    let base = format!("projects/p/{A}");
    at.log(&format!("{base}.jsonl"), 0);
    at.log(&format!("{base}/subagents/agent-two.jsonl"), 0);
    at.file(&format!("{base}/subagents/agent-two.meta.json"), "{}");
    at.log(&format!("{base}/subagents/workflows/run9/agent-three.jsonl"), 0);
    at.log(&format!("{base}/subagents/workflows/run9/journal.jsonl"), 0);
    at.log(&format!("{base}/subagents/agent-.jsonl"), 0);
    at.log(&format!("{base}/tool-results/agent-no.jsonl"), 0);
    at.file("projects/p/agent-one.jsonl", &format!("{{\"sessionId\":\"{A}\"}}\n"));
    at.file("projects/p/agent-lost.jsonl", "{\"sessionId\":\"gone\"}\n");
    at.file("projects/p/agent-blank.jsonl", "");
    let found = at.discover();
    assert_eq!(reasons(&found), []);
    let project = project(&found);
    let session = &project.sessions[0];
    assert_eq!(agent_ids(&session.agents), ["two", "three", "one"]);
    let layouts: Vec<&Layout> = session.agents.iter().map(|agent| &agent.layout).collect();
    let run = Layout::Workflow { run: "run9".into() };
    assert_eq!(layouts, [&Layout::Subagents, &run, &Layout::Sibling]);
    assert!(session.agents[0].sidecar.is_some());
    assert!(session.agents[1].sidecar.is_none());
    assert!(session.agents.iter().all(|agent| agent.session.as_ref() == Some(&session.id)));
    assert_eq!(session.dir, Some(at.path(&base)));
    assert_eq!(agent_ids(&project.loose_agents), ["blank", "lost"]);
    assert_eq!(project.loose_agents[0].session, None);
    assert_eq!(project.loose_agents[1].session, Some(SessionId::new("gone")));
    let foreign: Vec<&Path> = project.foreign.iter().map(|file| file.path.as_path()).collect();
    let subagents = at.path(&base).join("subagents");
    assert_eq!(
        foreign,
        [subagents.join("agent-.jsonl"), subagents.join("workflows/run9/journal.jsonl")]
    );
}

#[test]
fn agents_without_a_transcript_keep_their_session() {
    let at = HomeFixture::new();
    at.log(&format!("projects/p/{A}/subagents/agent-x.jsonl"), 3);
    at.log(&format!("projects/p/{A}/subagents/agent-y.jsonl"), 9);
    at.folder(&format!("projects/p/{B}/subagents"));
    let found = at.discover();
    let project = project(&found);
    assert_eq!(classes(project), [(A, FileClass::AgentsOnly)]);
    let session = &project.sessions[0];
    assert_eq!(session.path, at.path(&format!("projects/p/{A}.jsonl")));
    assert_eq!(session.stamp.modified_ms(), 1_700_000_009_000);
    assert_eq!(agent_ids(&session.agents), ["x", "y"]);
}

#[test]
fn logs_in_unknown_places_are_foreign() {
    let at = HomeFixture::new();
    at.log("projects/top.jsonl", 0);
    at.log(&format!("projects/p/backup/{A}.jsonl"), 0);
    at.log("projects/p/backup/agent-z.jsonl", 0);
    at.log("projects/p/1/2/3/4/5/6/7/8/deep.jsonl", 0);
    let found = at.discover();
    assert_eq!(found.foreign.len(), 1);
    assert_eq!(project(&found).sessions, []);
    let names: Vec<_> = project(&found).foreign.iter().filter_map(|f| f.path.file_name()).collect();
    assert_eq!(names, [format!("{A}.jsonl").as_str(), "agent-z.jsonl"]);
    let deep = at.path("projects/p/1/2/3/4/5/6/7/8");
    assert_eq!(reasons(&found), [(deep.as_path(), Reason::TooDeep)]);
}

#[test]
fn a_home_without_projects_is_a_problem_only() {
    let at = HomeFixture::new();
    let root = at.path("projects");
    assert_eq!(reasons(&at.discover()), [(root.as_path(), Reason::Missing)]);
    at.file("projects", "x");
    assert_eq!(reasons(&at.discover()), [(root.as_path(), Reason::NotAFolder)]);
}

#[test]
fn a_home_given_twice_is_read_once() {
    let at = HomeFixture::new();
    at.log(&format!("projects/p/{A}.jsonl"), 0);
    let found = discover_all(&[at.home(), at.home()]);
    assert_eq!(found[0].projects.len(), 1);
    assert_eq!(found[1].projects, []);
    assert_eq!(found[1].problems[0].reason, Reason::AlreadyRead);
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_linked_project_is_followed_once_and_under_its_own_name() {
        let (at, outside) = (HomeFixture::new(), HomeFixture::new());
        at.log(&format!("projects/own/{A}.jsonl"), 0);
        at.link(at.path("projects/own"), "projects/alias");
        outside.log(&format!("moved/{B}.jsonl"), 0);
        at.link(outside.path("moved"), "projects/x1");
        at.link(outside.path("moved"), "projects/x2");
        let found = at.discover();
        assert_eq!(reasons(&found), []);
        let names: Vec<(&str, Vec<&str>)> = found
            .projects
            .iter()
            .map(|project| {
                let aliases = project.aliases.iter().map(ProjectId::as_str).collect();
                (project.id.as_str(), aliases)
            })
            .collect();
        assert_eq!(names, [("own", vec!["alias"]), ("x1", vec!["x2"])]);
        assert_eq!(found.sessions().count(), 2);
    }

    #[test]
    fn loops_and_dangling_links_are_problems() {
        let at = HomeFixture::new();
        at.link(".", "projects/dot");
        at.link("..", "projects/dotdot");
        at.link("nothing", "projects/gone");
        at.link("ouroboros", "projects/ouroboros");
        at.log(&format!("projects/p/{A}.jsonl"), 0);
        at.link("nothing", &format!("projects/p/{B}.jsonl"));
        at.link("..", &format!("projects/p/{A}/up"));
        at.link("/", "projects/p/anywhere");
        let found = at.discover();
        let reason = |name: &str| {
            let path = at.path(name);
            let problem = found.problems.iter().find(|problem| problem.path == path);
            problem.unwrap_or_else(|| panic!("{name}")).reason
        };
        assert_eq!(reason("projects/dot"), Reason::Loop);
        assert_eq!(reason("projects/dotdot"), Reason::Loop);
        assert_eq!(reason("projects/gone"), Reason::DanglingLink);
        assert!(matches!(reason("projects/ouroboros"), Reason::Unreadable(_)));
        assert_eq!(reason(&format!("projects/p/{B}.jsonl")), Reason::DanglingLink);
        assert_eq!(reason(&format!("projects/p/{A}/up")), Reason::LinkNotFollowed);
        assert_eq!(reason("projects/p/anywhere"), Reason::LinkNotFollowed);
        assert_eq!(found.problems.len(), 7);
        assert_eq!(classes(project(&found)), [(A, FileClass::Session)]);
    }

    #[test]
    fn linked_transcripts_and_session_folders_are_read() {
        let (at, outside) = (HomeFixture::new(), HomeFixture::new());
        let log = outside.log("elsewhere.jsonl", 0);
        at.link(log, &format!("projects/p/{A}.jsonl"));
        outside.log("session/subagents/agent-x.jsonl", 0);
        outside.log("session/other/private.jsonl", 0);
        at.link(outside.path("session"), &format!("projects/p/{A}"));
        let found = at.discover();
        assert_eq!(reasons(&found), []);
        let project = project(&found);
        assert_eq!(classes(project), [(A, FileClass::Session)]);
        assert_eq!(agent_ids(&project.sessions[0].agents), ["x"]);
        assert_eq!(project.foreign, []);
    }

    #[test]
    fn names_that_are_not_utf8_are_listed_with_a_problem() {
        let at = HomeFixture::new();
        at.folder("projects");
        let folder = at.path("projects").join(OsStr::from_bytes(b"p\xff"));
        let log = folder.join(OsStr::from_bytes(b"s\xff.jsonl"));
        fs::create_dir(&folder).expect("a folder");
        fs::write(&log, "{}\n").expect("a file");
        let found = at.discover();
        assert_eq!(
            reasons(&found),
            [(folder.as_path(), Reason::NotUtf8), (log.as_path(), Reason::NotUtf8)]
        );
        let project = project(&found);
        assert_eq!(project.id.as_str(), "p\u{fffd}");
        assert_eq!(classes(project), [("s\u{fffd}", FileClass::Named)]);
        assert_eq!(project.sessions[0].path, log);
    }

    #[test]
    fn what_is_no_regular_file_is_never_opened() {
        let at = HomeFixture::new();
        let names = [format!("{A}.jsonl"), "agent-x.jsonl".to_owned()];
        for name in &names {
            at.link("/dev/zero", &format!("projects/p/{name}"));
        }
        let found = at.discover();
        assert_eq!(classes(project(&found)), [(A, FileClass::Unreadable)]);
        assert_eq!(found.problems.len(), 2);
        assert!(found.problems.iter().all(|problem| problem.reason == Reason::NotAFile));
    }

    #[test]
    fn locked_files_and_folders_are_problems() {
        let at = HomeFixture::new();
        let log = at.log(&format!("projects/p/{A}.jsonl"), 0);
        at.folder("projects/q");
        let folder = at.path("projects/q");
        let lock = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
        };
        lock(&log, 0o000);
        lock(&folder, 0o000);
        let readable = fs::read_dir(&folder).is_ok();
        let found = at.discover();
        lock(&folder, 0o700);
        // The superuser can read everything.
        if readable {
            assert_eq!(reasons(&found), []);
            return;
        }
        assert_eq!(found.projects.len(), 2);
        assert_eq!(classes(&found.projects[0]), [(A, FileClass::Unreadable)]);
        let denied = Reason::Unreadable(std::io::ErrorKind::PermissionDenied);
        assert_eq!(reasons(&found), [(log.as_path(), denied), (folder.as_path(), denied)]);
    }
}

/// Walks every recorded home, if the checkout has them.
#[test]
fn recorded_homes_hold_no_surprise() {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reallogs");
    let Ok(versions) = fs::read_dir(recorded) else {
        return;
    };
    let scenarios =
        versions.filter_map(|version| fs::read_dir(version.ok()?.path()).ok()).flatten();
    for scenario in scenarios.filter_map(Result::ok) {
        let root = scenario.path().join("home");
        if !root.join("projects").is_dir() {
            continue;
        }
        let found = discover(&Home::new(&root));
        assert_eq!(reasons(&found), [], "{}", root.display());
        for project in &found.projects {
            assert_eq!(project.foreign, []);
            for (id, class) in classes(project) {
                assert!(matches!(class, FileClass::Session | FileClass::Empty), "{id}");
            }
            for agent in &project.loose_agents {
                assert_eq!(agent.layout, Layout::Sibling);
            }
        }
        assert!(found.sessions().next().is_some(), "{}", root.display());
    }
}

#[test]
fn of_more_names_than_are_looked_at_the_first_are_found() {
    let at = HomeFixture::new();
    for agent in ["a", "b", "c", "d"] {
        at.log(&format!("projects/p/{A}/subagents/agent-{agent}.jsonl"), 0);
    }
    let search = |most: usize| {
        let mut visit = WalkSummary { problems: Vec::new(), folders: Vec::new() };
        let root = at.path(&format!("projects/p/{A}"));
        let found = search_names(&root, false, &SessionId::new(A), &mut visit, most);
        let told = visit.problems.iter().map(|problem| problem.reason);
        (found.agents.len(), told.collect::<Vec<_>>())
    };
    // The folder of agents counts as a name, too.
    assert_eq!(search(5), (4, vec![]));
    assert_eq!(search(4), (3, vec![Reason::TooMany]));
    assert_eq!(search(1), (0, vec![Reason::TooMany]));
}
