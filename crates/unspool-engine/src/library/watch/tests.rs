//! Checks of changed places report the same events as a sweep.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use unspool_model::ids::{ProjectId, SessionId};
use unspool_testkit::home::AgentFilePlace;
use unspool_testkit::rng::Rng;
use unspool_testkit::{TestHome, files_below, soak, uuid};

use super::*;
use unspool_store::home::Processes as _;

const FOLDERS: [&str; 3] = ["/srv/a", "/srv/b", "/srv/c"];

/// A home that changes, with the hints that a system would send if it watched every folder.
struct ChangingHome {
    home: TestHome,
    rng: Rng,
    hints: Vec<PathBuf>,
    story: Vec<String>,
}

impl ChangingHome {
    fn new(seed: u64) -> Self {
        let mut world = Self {
            home: TestHome::new(),
            rng: Rng::new(seed),
            hints: Vec::new(),
            story: vec![format!("seed {seed}")],
        };
        for _ in 0..6 {
            world.change();
        }
        world
    }

    fn watch(&self) -> LibraryWatch {
        LibraryWatch::new(vec![Home::new(self.home.path())])
    }

    /// Records a hint for a path that is about to be written or removed. A new folder has one hint,
    /// whatever it contains. A folder with links to it has hints under their names too.
    fn hint(&mut self, path: &Path) {
        let missing = path.ancestors().take_while(|path| !path.exists());
        let hint = missing.last().unwrap_or(path).to_owned();
        let folder = hint.parent().expect("a folder");
        let real = fs::canonicalize(folder).expect("a folder that exists");
        let real = real.join(hint.file_name().expect("a name"));
        let mut hints = vec![hint, real];
        // A link may lead to another link.
        for _ in 0..3 {
            let by_links: Vec<PathBuf> =
                hints.iter().flat_map(|hint| self.by_links(hint)).collect();
            hints.extend(by_links);
        }
        hints.sort();
        hints.dedup();
        self.story.push(format!("  {hints:?}"));
        self.hints.extend(hints);
    }

    /// Returns the paths under which links show a path: those of links to the path, to its parents,
    /// and to something in it.
    fn by_links(&self, path: &Path) -> Vec<PathBuf> {
        let links = self.files().into_iter();
        let links = links.filter_map(|link| Some((fs::read_link(&link).ok()?, link)));
        links
            .filter_map(|(target, link)| match path.strip_prefix(&target) {
                Ok(below) if below == Path::new("") => Some(link),
                Ok(below) => Some(link.join(below)),
                Err(_) => target.starts_with(path).then_some(link),
            })
            .collect()
    }

    fn session(&mut self) -> String {
        uuid(&format!("s{}", self.rng.below(4)))
    }

    fn text(&mut self, session: &str) -> String {
        let length = self.rng.below(40);
        format!("{{\"sessionId\":\"{session}\",\"x\":\"{}\"}}\n", "x".repeat(length))
    }

    fn files(&self) -> Vec<PathBuf> {
        files_below(&self.home.path().join("projects"))
    }

    fn some_file(&mut self) -> Option<PathBuf> {
        let files = self.files();
        (!files.is_empty()).then(|| files[self.rng.below(files.len())].clone())
    }

    fn write(&mut self, path: &Path, text: &str) {
        self.hint(path);
        // A broken link may be in the way.
        if fs::create_dir_all(path.parent().expect("a folder")).is_ok() {
            fs::write(path, text).expect("written");
        }
    }

    fn change(&mut self) {
        let (folder, session) = (self.rng.pick(&FOLDERS), self.session());
        let text = self.text(&session);
        let project = self.home.project_dir(folder);
        let log = project.join(format!("{session}.jsonl"));
        match self.rng.below(12) {
            0 | 1 => self.write(&log, &text),
            2 => self.add_agent(folder, &session, &text),
            3 => self.write(&log.with_extension("").join("tool-results/t1.txt"), &text),
            4 | 5 => self.append(&text),
            6 => self.remove_file(),
            7 => self.remove_folder(&log.with_extension("")),
            8 if self.rng.chance(0.3) => self.remove_folder(&project),
            9 => self.rename(&project),
            10 => self.link(&project),
            _ => {
                let name = self.rng.pick(&["memory/notes.md", "x.tmp", "memory.jsonl"]);
                self.write(&project.join(name), &text);
            }
        }
    }

    fn add_agent(&mut self, folder: &str, session: &str, text: &str) {
        let agent = format!("a{}", self.rng.below(3));
        let place = match self.rng.below(3) {
            0 => AgentFilePlace::Sibling,
            1 => AgentFilePlace::Subagents,
            _ => AgentFilePlace::Workflow { run: "r1".to_owned() },
        };
        let folder = match &place {
            AgentFilePlace::Sibling => self.home.project_dir(folder),
            AgentFilePlace::Subagents => {
                self.home.project_dir(folder).join(session).join("subagents")
            }
            AgentFilePlace::Workflow { run } => {
                let agents = self.home.project_dir(folder).join(session);
                agents.join("subagents/workflows").join(run)
            }
        };
        self.write(&folder.join(format!("agent-{agent}.jsonl")), text);
    }

    fn append(&mut self, text: &str) {
        if let Some(path) = self.some_file() {
            self.hint(&path);
            let file = OpenOptions::new().append(true).open(&path);
            // A link may lead to a folder.
            if let Ok(mut file) = file {
                file.write_all(text.as_bytes()).expect("written");
            }
        }
    }

    fn remove_file(&mut self) {
        if let Some(path) = self.some_file() {
            self.hint(&path);
            fs::remove_file(&path).expect("removed");
        }
    }

    fn remove_folder(&mut self, folder: &Path) {
        if folder.is_dir() && !folder.is_symlink() {
            self.hint(folder);
            fs::remove_dir_all(folder).expect("removed");
        }
    }

    fn rename(&mut self, project: &Path) {
        if let Some(from) = self.some_file() {
            let to = project.join(from.file_name().expect("a name"));
            self.hint(&from);
            self.hint(&to);
            // A folder may be in the way.
            let _ = fs::create_dir_all(project).and_then(|()| fs::rename(&from, &to));
        }
    }

    #[cfg(unix)]
    fn link(&mut self, project: &Path) {
        let link = match self.rng.below(2) {
            0 => project.with_file_name("-srv-link"),
            _ => project.join(uuid("s1")),
        };
        let target = match self.rng.below(3) {
            0 => project.with_file_name("-srv-a"),
            1 => project.with_file_name("-srv-b").join(uuid("s1")),
            _ => project.with_file_name("nowhere"),
        };
        if link.symlink_metadata().is_err() && project.is_dir() {
            self.hint(&link);
            std::os::unix::fs::symlink(target, &link).expect("a link");
        }
    }

    #[cfg(not(unix))]
    fn link(&mut self, _: &Path) {}

    /// Writes the state of a process, which may also change its session.
    fn change_process(&mut self) {
        let pid = std::process::id();
        let path = self.home.path().join(format!("sessions/{pid}.json"));
        let session = self.session();
        let status = self.rng.pick(&["busy", "idle", "waiting"]);
        let start = home::SystemProcesses.start_time(pid);
        let text = format!(
            r#"{{"pid":{pid},"sessionId":"{session}","procStart":"{}","status":"{status}"}}"#,
            start.unwrap_or_default()
        );
        if self.rng.chance(0.2) && path.exists() {
            self.hint(&path);
            fs::remove_file(&path).expect("removed");
        } else {
            self.write(&path, &text);
        }
    }

    /// Returns a session that may exist.
    fn some_session(&mut self) -> WatchedSession {
        let (folder, session) = (self.rng.pick(&FOLDERS), self.session());
        let dir = self.home.project_dir(folder);
        WatchedSession {
            home: self.home.path().to_owned(),
            project: ProjectId::new(dir.file_name().expect("a name").to_string_lossy()),
            file: dir.join(format!("{session}.jsonl")),
            session: SessionId::new(session),
        }
    }
}

fn told(events: &[LibraryEvent]) -> Vec<String> {
    let mut told: Vec<String> = events.iter().map(|event| format!("{event:#?}")).collect();
    told.sort();
    told
}

/// Changes a home step by step, and compares the events of checks with those of sweeps.
fn walk(seed: u64, steps: usize) {
    let mut world = ChangingHome::new(seed);
    let (mut by_hints, mut by_sweeps) = (world.watch(), world.watch());
    for watch in [&mut by_hints, &mut by_sweeps] {
        let rng = world.rng.clone();
        (0..3).for_each(|_| watch.start_viewing(&world.some_session()));
        world.rng = rng;
    }
    for step in 0..steps {
        world.hints.clear();
        world.story.push(format!("step {step}"));
        for _ in 0..=world.rng.below(4) {
            world.change();
        }
        if world.rng.chance(0.3) {
            world.change_process();
        }
        let hints = world.hints.iter().map(PathBuf::as_path);
        let looked = by_hints.look(hints);
        let swept = by_sweeps.sweep();
        assert_eq!(told(&looked), told(&swept), "{}", world.story.join("\n"));
        if step % 5 == 0 {
            assert_eq!(by_hints.sweep(), [], "{}", world.story.join("\n"));
        }
    }
}

#[test]
fn looks_where_hints_point_tell_what_a_sweep_tells() {
    (0..12).for_each(|seed| walk(seed, 25));
}

#[test]
#[ignore = "goes on for as long as it is told, see `cargo xtask soak`"]
fn looks_and_sweeps_of_many_homes() {
    soak::rounds("looks and sweeps", |seed| walk(seed, 200));
}

#[test]
fn a_log_that_grows_is_asked_for_its_stamp_and_nothing_else_is_looked_at() {
    let home = TestHome::new();
    let log = home.add_session("/srv/a", &uuid("s"), "{}\n");
    let mut watch = LibraryWatch::new(vec![Home::new(home.path())]);
    // A second session is added without a hint.
    home.add_session("/srv/a", &uuid("t"), "{}\n");
    home.add_session("/srv/a", &uuid("s"), "{}\n{}\n");
    let events = watch.look([log.as_path()]);
    assert!(
        matches!(events.as_slice(), [LibraryEvent::SessionGrew { from: 3, to: 6, .. }]),
        "{events:?}"
    );
    assert!(matches!(watch.sweep().as_slice(), [LibraryEvent::SessionAdded(_)]));
}

#[test]
fn hints_from_elsewhere_lead_to_nothing() {
    let home = TestHome::new();
    home.add_session("/srv/a", &uuid("s"), "{}\n");
    let mut watch = LibraryWatch::new(vec![Home::new(home.path())]);
    home.add_session("/srv/a", &uuid("t"), "{}\n");
    let elsewhere = [Path::new("/"), Path::new(""), Path::new("/srv/a/x.jsonl")];
    assert_eq!(watch.look(elsewhere), []);
    let history = home.path().join("history.jsonl");
    assert_eq!(watch.look([history.as_path()]), []);
}
