//! A home, and random changes to it.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use unspool_testkit::home::{AgentFilePlace, TestSideFile};
use unspool_testkit::random::{self, RandomShape};
use unspool_testkit::rng::Rng;
use unspool_testkit::{TestHome, append, files_below, session, uuid};

/// Planted words; each is searched for. There are so many that no log is likely to contain one so
/// often that a search reads only some of its texts: the choice of texts depends on the frequency
/// of words, and thus on everything that was ever indexed.
pub(crate) const WORDS: [&str; 48] = [
    "anchor", "barley", "cobalt", "dolmen", "ember", "fjord", "gasket", "heron", "ingot",
    "juniper", "kelp", "lantern", "magnet", "nickel", "onyx", "parsley", "quartz", "rivet",
    "sorrel", "tundra", "umber", "velvet", "walnut", "xenon", "yarrow", "zephyr", "acorn",
    "bramble", "cinder", "drizzle", "estuary", "furrow", "garnet", "hazel", "iris", "jetty",
    "kernel", "lichen", "mortar", "nettle", "opal", "pumice", "quiver", "russet", "saffron",
    "thistle", "urchin", "vellum",
];
pub(crate) const FOLDERS: [&str; 3] = ["/srv/a", "/srv/b", "/srv/c"];

/// A home that changes, and the folder of the index that is updated after the changes.
pub(crate) struct World {
    pub(crate) home: TestHome,
    pub(crate) cache: tempfile::TempDir,
    pub(crate) rng: Rng,
    /// The number of names in use.
    names: usize,
    /// Logs that were removed.
    removed: Vec<(PathBuf, Vec<u8>)>,
    pub(crate) story: Vec<String>,
}

fn is_log(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "jsonl") && !path.ends_with("journal.jsonl")
}

fn is_agent(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().starts_with("agent-")
}

impl World {
    /// Returns an empty home.
    pub(crate) fn empty(seed: u64) -> Self {
        Self {
            home: TestHome::new(),
            cache: tempfile::tempdir().expect("a folder"),
            rng: Rng::new(seed),
            names: 0,
            removed: Vec::new(),
            story: vec![format!("seed {seed}")],
        }
    }

    /// Returns a home with a few of everything.
    pub(crate) fn new(seed: u64) -> Self {
        let mut world = Self::empty(seed);
        for folder in [FOLDERS[0], FOLDERS[0], FOLDERS[1]] {
            let name = world.add_session(folder);
            world.add_agent_of(folder, &name);
            world.add_side_of(folder, &name);
            world.add_history_of(folder, &name);
        }
        world.add_history_of(FOLDERS[2], &uuid("a session that is gone"));
        world
    }

    fn name(&mut self) -> String {
        self.names += 1;
        uuid(&format!("session {}", self.names))
    }

    fn folder(&mut self) -> &'static str {
        self.rng.pick(&FOLDERS)
    }

    fn pick(&mut self, paths: &[PathBuf]) -> Option<PathBuf> {
        (!paths.is_empty()).then(|| paths[self.rng.below(paths.len())].clone())
    }

    fn logs(&self) -> Vec<PathBuf> {
        let mut logs = files_below(&self.home.path().join("projects"));
        logs.retain(|path| is_log(path));
        logs
    }

    fn log(&mut self) -> Option<PathBuf> {
        let logs = self.logs();
        self.pick(&logs)
    }

    /// Returns a text that may also be elsewhere.
    fn text(&mut self) -> String {
        format!("about {}", self.rng.pick(&WORDS))
    }

    /// Writes some turns of a session, with a fork and a call.
    fn turns(&mut self, session_name: &str, agent: Option<&str>) -> Vec<u8> {
        self.names += 1;
        let number = self.names;
        let [ask, think, reply, more, other] = [(); 5].map(|()| self.text());
        let branch = self.rng.pick(&["main", "topic"]);
        let model = self.rng.pick(&["claude-opus-5-5", "claude-haiku-4-5"]);
        let agent = agent.map_or(String::new(), |agent| format!("%agent {agent}\n"));
        session(&format!(
            r#"
            %session {session_name}
            %branch {branch}
            {agent}
            u{number} user "{ask}"
            a{number} assistant model={model} thinking "{think}" call Bash:t{number} {{"command":"{reply}"}} out=12
            r{number} result t{number} "{more}"
            b{number} assistant model={model} "{reply}" out=7
            v{number} user < a{number} "{other}"
            c{number} assistant "{more}" out=5
            "#
        ))
    }

    pub(crate) fn add_session(&mut self, folder: &str) -> String {
        let name = self.name();
        let bytes = self.turns(&name, None);
        self.home.add_session(folder, &name, bytes);
        name
    }

    pub(crate) fn add_agent_of(&mut self, folder: &str, name: &str) {
        self.names += 1;
        let agent = format!("a{}", self.names);
        let bytes = self.turns(name, Some(&agent));
        let place = match self.rng.below(3) {
            0 => AgentFilePlace::Sibling,
            1 => AgentFilePlace::Subagents,
            _ => AgentFilePlace::Workflow { run: "wf1".to_owned() },
        };
        self.home.add_agent(folder, name, &place, &agent, bytes);
        if self.rng.chance(0.5) {
            let meta = format!(r#"{{"agentType":"Explore","description":"{}"}}"#, self.text());
            self.home.add_agent_meta(folder, name, &place, &agent, meta);
        }
    }

    fn add_side_of(&mut self, folder: &str, name: &str) {
        let text = self.text();
        let cwd = folder.to_owned();
        let (place, content) = match self.rng.below(4) {
            0 => (
                TestSideFile::Task(1),
                format!(r#"{{"id":"1","subject":"{text}","status":"pending"}}"#),
            ),
            1 => (TestSideFile::Plan("calm-plan".to_owned()), format!("# {text}")),
            2 => {
                let name = "t1.txt".to_owned();
                (TestSideFile::ToolResult { cwd, name }, text)
            }
            _ => {
                let run = "wf1".to_owned();
                let line = format!(r#"{{"type":"result","result":"{text}"}}"#);
                (TestSideFile::WorkflowJournal { cwd, run }, line + "\n")
            }
        };
        self.home.add_side_file(name, &place, content);
    }

    pub(crate) fn add_history_of(&mut self, folder: &str, name: &str) {
        let text = self.text();
        self.names += 1;
        let millis = 1_790_000_000_000 + self.names as i64;
        self.home.add_history(folder, name, millis, &text);
    }

    /// Makes a random change to the home.
    pub(crate) fn step(&mut self) {
        let done = match self.rng.below(18) {
            0 | 1 => self.grow(),
            2 => self.cut(),
            3 => self.rewrite(),
            4 | 5 => self.remove(),
            6 => self.remove_folder(),
            7 => self.move_log(),
            8 => self.rename(),
            9 => self.copy(),
            10 | 11 => self.restore(),
            12 => self.touch(),
            13 => self.add(),
            14 => self.change_side(),
            15 => self.change_history(),
            16 => self.rename_folder(),
            _ => self.empty_project(),
        };
        self.story.extend(done);
    }
}

/// The changes to a home. Each returns a description if it found something to change.
impl World {
    fn grow(&mut self) -> Option<String> {
        let log = self.log()?;
        let name = log.file_stem()?.to_string_lossy().into_owned();
        let bytes = self.turns(&name, None);
        let whole = self.rng.chance(0.6);
        let end = if whole { bytes.len() } else { self.rng.below(bytes.len()) };
        append(&log, &bytes[..end]);
        Some(format!("grow {} by {end}", log.display()))
    }

    fn cut(&mut self) -> Option<String> {
        let log = self.log()?;
        let bytes = fs::read(&log).expect("a log");
        let end = self.rng.below(bytes.len() + 1);
        let opened = OpenOptions::new().write(true).open(&log).expect("opens");
        opened.set_len(end as u64).expect("cuts");
        Some(format!("cut {} to {end}", log.display()))
    }

    /// Rewrites a log, in place or as a new file: with the same lines in another order, with other
    /// lines, or with those of a random session, which may be damaged.
    fn rewrite(&mut self) -> Option<String> {
        let log = self.log()?;
        let bytes = match self.rng.below(4) {
            0 => self.turns("rewritten", None),
            1 => {
                let seed = self.rng.next_u64();
                random::session(seed, &RandomShape::any(seed, 30))
            }
            _ => {
                let bytes = fs::read(&log).expect("a log");
                let mut lines: Vec<_> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
                self.rng.shuffle(&mut lines);
                lines.concat()
            }
        };
        if self.rng.chance(0.5) {
            fs::write(&log, bytes).expect("writes");
            return Some(format!("rewrite {}", log.display()));
        }
        let other = log.with_extension("new");
        fs::write(&other, bytes).expect("writes");
        fs::rename(&other, &log).expect("replaces");
        Some(format!("replace {}", log.display()))
    }

    fn remove(&mut self) -> Option<String> {
        let log = self.log()?;
        let bytes = fs::read(&log).expect("a log");
        fs::remove_file(&log).expect("removes");
        let told = format!("remove {}", log.display());
        self.removed.push((log, bytes));
        Some(told)
    }

    fn restore(&mut self) -> Option<String> {
        if self.removed.is_empty() {
            return None;
        }
        let number = self.rng.below(self.removed.len());
        let (log, bytes) = self.removed.swap_remove(number);
        fs::create_dir_all(log.parent()?).expect("makes a folder");
        fs::write(&log, bytes).expect("writes");
        Some(format!("restore {}", log.display()))
    }

    /// Returns the folders of sessions.
    fn session_folders(&self) -> Vec<PathBuf> {
        let mut folders: Vec<PathBuf> = Vec::new();
        for file in files_below(&self.home.path().join("projects")) {
            let below = file.strip_prefix(self.home.path()).expect("below");
            let parts: Vec<_> = below.iter().take(3).collect();
            let folder = self.home.path().join(parts.iter().collect::<PathBuf>());
            if folder.is_dir() && !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        folders
    }

    fn remove_folder(&mut self) -> Option<String> {
        let folder = self.pick(&self.session_folders())?;
        fs::remove_dir_all(&folder).expect("removes");
        Some(format!("remove {}", folder.display()))
    }

    /// Renames the folder of a session to that of another one.
    fn rename_folder(&mut self) -> Option<String> {
        let folder = self.pick(&self.session_folders())?;
        let to = self.log().filter(|to| !is_agent(to))?.with_extension("");
        if to.exists() || to.starts_with(&folder) {
            return None;
        }
        fs::rename(&folder, &to).expect("renames");
        Some(format!("rename {} to {}", folder.display(), to.display()))
    }

    fn move_log(&mut self) -> Option<String> {
        let log = self.log()?;
        let folder = self.folder();
        let folder = self.home.project_dir(folder);
        fs::create_dir_all(&folder).expect("makes a folder");
        let to = folder.join(log.file_name()?);
        fs::rename(&log, &to).expect("moves");
        Some(format!("move {} to {}", log.display(), to.display()))
    }

    /// Returns a path for a log in the folder of another one; occasionally a session becomes an
    /// agent, or an agent a session.
    fn place_next_to(&mut self, log: &Path) -> PathBuf {
        let name = self.name();
        let agent = is_agent(log) != self.rng.chance(0.2);
        log.with_file_name(if agent {
            format!("agent-{}.jsonl", &name[..8])
        } else {
            format!("{name}.jsonl")
        })
    }

    fn rename(&mut self) -> Option<String> {
        let log = self.log()?;
        let to = self.place_next_to(&log);
        fs::rename(&log, &to).expect("renames");
        Some(format!("rename {} to {}", log.display(), to.display()))
    }

    fn copy(&mut self) -> Option<String> {
        let log = self.log()?;
        let to = self.place_next_to(&log);
        fs::copy(&log, &to).expect("copies");
        Some(format!("copy {} to {}", log.display(), to.display()))
    }

    fn touch(&mut self) -> Option<String> {
        let file = self.pick(&files_below(self.home.path()))?;
        let opened = OpenOptions::new().write(true).open(&file).expect("opens");
        let before = Duration::from_secs(10 + self.rng.below(1000) as u64);
        let time = SystemTime::now() - before;
        opened.set_modified(time).expect("sets the time");
        Some(format!("touch {}", file.display()))
    }

    fn add(&mut self) -> Option<String> {
        let folder = self.folder();
        let main = |log: &PathBuf| !is_agent(log);
        let logs: Vec<PathBuf> = self.logs().into_iter().filter(main).collect();
        let owner = self.pick(&logs).filter(|_| self.rng.chance(0.7));
        let name = match owner {
            Some(log) => log.file_stem()?.to_string_lossy().into_owned(),
            None => self.add_session(folder),
        };
        match self.rng.below(3) {
            0 => self.add_agent_of(folder, &name),
            1 => self.add_side_of(folder, &name),
            _ => self.add_history_of(folder, &name),
        }
        Some(format!("add to {name} in {folder}"))
    }

    /// Rewrites or removes a side file. A sidecar is not rewritten: it is read along with its log.
    fn change_side(&mut self) -> Option<String> {
        let mut sides = files_below(self.home.path());
        sides.retain(|path| !is_log(path));
        let side = self.pick(&sides)?;
        if self.rng.chance(0.5) || side.to_string_lossy().ends_with(".meta.json") {
            fs::remove_file(&side).expect("removes");
            return Some(format!("remove {}", side.display()));
        }
        let text = self.text();
        fs::write(&side, format!("{{\"subject\":\"{text}\"}}\n")).expect("writes");
        Some(format!("rewrite {}", side.display()))
    }

    /// Removes a line of the prompt history, inserts one, or truncates the last one.
    fn change_history(&mut self) -> Option<String> {
        let path = self.home.path().join("history.jsonl");
        let text = fs::read_to_string(&path).ok()?;
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        let number = self.rng.below(lines.len().max(1));
        let change = self.rng.below(4);
        match change {
            0 if number < lines.len() => drop(lines.remove(number)),
            1 if number < lines.len() => lines[number] = lines[0],
            2 if number < lines.len() => lines.push(lines[number]),
            _ => lines.reverse(),
        }
        let mut text = lines.concat();
        if self.rng.chance(0.2) {
            text.truncate(self.rng.below(text.len() + 1));
        }
        fs::write(&path, text).expect("writes");
        Some(format!("change {change} of history at {number}"))
    }

    fn empty_project(&mut self) -> Option<String> {
        let folder = self.folder();
        let dir = self.home.project_dir(folder);
        fs::remove_dir_all(&dir).ok()?;
        fs::create_dir_all(&dir).expect("makes a folder");
        Some(format!("empty {folder}"))
    }
}
