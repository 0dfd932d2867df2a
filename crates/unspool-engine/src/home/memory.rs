//! What a project's folder held when it was last walked, and whether it still does.
//!
//! Listing folders costs more than asking each known file and folder for its time. So a walk
//! leaves a [`Memory`] of every project: its logs with their stamps, and the times of the
//! folders they were found in. As long as all of them are the same, the project is what it
//! was, and nothing is listed.
//!
//! A name that comes or goes changes the time of its folder, and what is written changes the
//! stamp of its file. Two things do not show: a change within the same tick of the clock, and
//! the end of a problem such as a link that led nowhere. A project with something that recent,
//! or with a problem, is remembered as unsettled and walked again. Names that are not UTF-8
//! are not remembered at all.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use unspool_model::ids::SessionId;

use super::discover::agent_id;
use super::stat::Folder;
use super::{AgentFile, FileClass, FileIdentity, ForeignFile, Layout, Project, SessionFile, Stamp};

/// Something that was written this recently may be written again without its time changing.
const RECENT: Duration = Duration::from_secs(2);

/// How many files one thread asks about at a time.
const BATCH: usize = 256;

/// What a project's folder held.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Memory {
    settled: bool,
    folders: Vec<KnownFolder>,
    sessions: Vec<KnownSession>,
    loose_agents: Vec<KnownAgent>,
    foreign: Vec<KnownFile>,
}

/// A folder that was listed, relative to the project's, with its time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct KnownFolder {
    path: String,
    modified: i64,
}

/// A file, relative to the project's folder.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct KnownFile {
    path: String,
    stamp: KnownStamp,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct KnownStamp {
    bytes: u64,
    modified: i64,
    identity: Option<(u64, u64)>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct KnownSession {
    id: String,
    class: KnownClass,
    stamp: KnownStamp,
    has_folder: bool,
    has_outputs: bool,
    agents: Vec<KnownAgent>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum KnownClass {
    Session,
    Named,
    Empty,
    AgentsOnly,
}

/// An agent's file, and whose it is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct KnownAgent {
    file: KnownFile,
    has_sidecar: bool,
    layout: KnownLayout,
    session: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum KnownLayout {
    Sibling,
    Subagents,
    Workflow(String),
}

impl Memory {
    /// Remembers a project that was just walked; none if a name cannot be kept. `folders` are
    /// those that were listed, with the times that they had before.
    pub(crate) fn of(
        project: &Project,
        folders: &[(PathBuf, SystemTime)],
        now: SystemTime,
        troubled: bool,
    ) -> Option<Self> {
        let dir = &project.dir;
        let folders: Vec<KnownFolder> = folders
            .iter()
            .map(|(path, modified)| {
                Some(KnownFolder {
                    path: relative(dir, path)?,
                    modified: nanos(*modified)?,
                })
            })
            .collect::<Option<_>>()?;
        let sessions = project.sessions.iter().map(|it| KnownSession::of(dir, it));
        let loose = project
            .loose_agents
            .iter()
            .map(|it| KnownAgent::of(dir, it));
        let foreign = project.foreign.iter();
        let foreign = foreign.map(|it| KnownFile::of(dir, &it.path, &it.stamp));
        let mut memory = Self {
            settled: false,
            folders,
            sessions: sessions.collect::<Option<_>>()?,
            loose_agents: loose.collect::<Option<_>>()?,
            foreign: foreign.collect::<Option<_>>()?,
        };
        memory.settled = !troubled && memory.is_settled(now);
        Some(memory)
    }

    /// Tells whether everything is old enough for its time to be believed.
    fn is_settled(&self, now: SystemTime) -> bool {
        let Some(limit) = now.checked_sub(RECENT).and_then(nanos) else {
            return false;
        };
        let files = self.files().map(|file| file.stamp.modified);
        let own = self.sessions.iter().map(|session| session.stamp.modified);
        let folders = self.folders.iter().map(|folder| folder.modified);
        files.chain(own).chain(folders).all(|time| time < limit)
    }

    /// Returns the memory of the same project, to be walked again whatever happens.
    #[must_use]
    pub(crate) fn unsettled(self) -> Self {
        Self {
            settled: false,
            ..self
        }
    }

    /// Tells whether the next walk may believe this.
    pub(crate) fn settled(&self) -> bool {
        self.settled
    }

    fn agents(&self) -> impl Iterator<Item = &KnownAgent> {
        let owned = self.sessions.iter().flat_map(|session| &session.agents);
        owned.chain(&self.loose_agents)
    }

    fn files(&self) -> impl Iterator<Item = &KnownFile> {
        self.agents().map(|agent| &agent.file).chain(&self.foreign)
    }

    /// Tells whether a project's folder still holds what it held.
    pub(crate) fn holds(&self, dir: &Path) -> bool {
        if !self.settled {
            return false;
        }
        let Some(dir) = Folder::open(dir) else {
            return false;
        };
        let folders = self.folders.par_chunks(BATCH).all(|folders| {
            folders
                .iter()
                .all(|it| dir.folder_time(&it.path).and_then(nanos) == Some(it.modified))
        });
        let same = |path: &str, stamp: &KnownStamp| {
            let now = dir.stamp(path);
            now.and_then(|now| KnownStamp::of(&now)) == Some(*stamp)
        };
        let sessions = || {
            self.sessions.par_chunks(BATCH).all(|sessions| {
                let mut name = String::new();
                sessions.iter().all(|session| {
                    name.clear();
                    name.push_str(&session.id);
                    name.push_str(".jsonl");
                    session.class == KnownClass::AgentsOnly || same(&name, &session.stamp)
                })
            })
        };
        let files: Vec<&KnownFile> = self.files().collect();
        folders
            && sessions()
            && files
                .par_chunks(BATCH)
                .all(|files| files.iter().all(|file| same(&file.path, &file.stamp)))
    }

    /// Puts what is remembered into a project.
    pub(crate) fn fill(&self, project: &mut Project) {
        let dir = project.dir.clone();
        let sessions = self.sessions.iter().map(|it| it.found(&dir));
        project.sessions = sessions.collect();
        let loose = self.loose_agents.iter();
        project.loose_agents = loose.filter_map(|it| it.found(&dir)).collect();
        let foreign = self.foreign.iter().map(|it| ForeignFile {
            path: dir.join(&it.path),
            stamp: it.stamp.found(),
        });
        project.foreign = foreign.collect();
    }

    /// Lists the folders of outputs that were too long for a log, with their sessions.
    pub(crate) fn outputs(&self, dir: &Path) -> impl Iterator<Item = (PathBuf, String)> {
        let sessions = self.sessions.iter().filter(|session| session.has_outputs);
        sessions.map(|session| {
            let folder = dir.join(&session.id).join("tool-results");
            (folder, session.id.clone())
        })
    }

    /// Lists `.jsonl` files that are no logs.
    pub(crate) fn foreign(&self, dir: &Path) -> impl Iterator<Item = PathBuf> {
        self.foreign.iter().map(|file| dir.join(&file.path))
    }

    /// Returns the agents beside the transcripts of a project's folder, for [`owner`].
    pub(crate) fn siblings(&self, dir: &Path) -> HashMap<PathBuf, &KnownAgent> {
        self.agents()
            .filter(|agent| agent.layout == KnownLayout::Sibling)
            .map(|agent| (dir.join(&agent.file.path), agent))
            .collect()
    }
}

/// Returns the session of an agent's file that was looked into before, if the stamp says that
/// it is still the same.
pub(crate) fn owner(
    siblings: &HashMap<PathBuf, &KnownAgent>,
    path: &Path,
    stamp: &Stamp,
) -> Option<SessionId> {
    let agent = siblings.get(path)?;
    let same = KnownStamp::of(stamp) == Some(agent.file.stamp);
    agent
        .session
        .as_deref()
        .filter(|_| same)
        .map(SessionId::new)
}

impl KnownFile {
    fn of(dir: &Path, path: &Path, stamp: &Stamp) -> Option<Self> {
        Some(Self {
            path: relative(dir, path)?,
            stamp: KnownStamp::of(stamp)?,
        })
    }
}

impl KnownStamp {
    fn of(stamp: &Stamp) -> Option<Self> {
        let identity = stamp.identity;
        Some(Self {
            bytes: stamp.bytes,
            modified: nanos(stamp.modified)?,
            identity: identity.map(|it| (it.device, it.inode)),
        })
    }

    fn found(self) -> Stamp {
        Stamp {
            bytes: self.bytes,
            modified: time(self.modified),
            identity: self
                .identity
                .map(|(device, inode)| FileIdentity { device, inode }),
        }
    }
}

impl KnownSession {
    fn of(dir: &Path, session: &SessionFile) -> Option<Self> {
        let agents = session.agents.iter().map(|it| KnownAgent::of(dir, it));
        relative(dir, &session.path)?;
        Some(Self {
            id: session.id.as_str().to_owned(),
            class: match session.class {
                FileClass::Session => KnownClass::Session,
                FileClass::Named => KnownClass::Named,
                FileClass::Empty => KnownClass::Empty,
                FileClass::AgentsOnly => KnownClass::AgentsOnly,
                // It may be readable the next time without any sign.
                FileClass::Unreadable => return None,
            },
            stamp: KnownStamp::of(&session.stamp)?,
            has_folder: session.dir.is_some(),
            has_outputs: session.outputs.is_some(),
            agents: agents.collect::<Option<_>>()?,
        })
    }

    fn found(&self, dir: &Path) -> SessionFile {
        let folder = self.has_folder.then(|| dir.join(&self.id));
        let outputs = folder.as_ref().filter(|_| self.has_outputs);
        SessionFile {
            id: SessionId::new(self.id.as_str()),
            path: dir.join(format!("{}.jsonl", self.id)),
            class: match self.class {
                KnownClass::Session => FileClass::Session,
                KnownClass::Named => FileClass::Named,
                KnownClass::Empty => FileClass::Empty,
                KnownClass::AgentsOnly => FileClass::AgentsOnly,
            },
            stamp: self.stamp.found(),
            agents: self.agents.iter().filter_map(|it| it.found(dir)).collect(),
            outputs: outputs.map(|folder| folder.join("tool-results")),
            dir: folder,
        }
    }
}

impl KnownAgent {
    fn of(dir: &Path, agent: &AgentFile) -> Option<Self> {
        Some(Self {
            file: KnownFile::of(dir, &agent.path, &agent.stamp)?,
            has_sidecar: agent.sidecar.is_some(),
            layout: match &agent.layout {
                Layout::Sibling => KnownLayout::Sibling,
                Layout::Subagents => KnownLayout::Subagents,
                Layout::Workflow { run } => KnownLayout::Workflow(run.clone()),
            },
            session: agent.session.as_ref().map(ToString::to_string),
        })
    }

    fn found(&self, dir: &Path) -> Option<AgentFile> {
        let path = dir.join(&self.file.path);
        let name = self.file.path.rsplit('/').next().unwrap_or_default();
        Some(AgentFile {
            id: agent_id(name)?,
            sidecar: self.has_sidecar.then(|| path.with_extension("meta.json")),
            layout: match &self.layout {
                KnownLayout::Sibling => Layout::Sibling,
                KnownLayout::Subagents => Layout::Subagents,
                KnownLayout::Workflow(run) => Layout::Workflow { run: run.clone() },
            },
            session: self.session.as_deref().map(SessionId::new),
            stamp: self.file.stamp.found(),
            path,
        })
    }
}

fn relative(dir: &Path, path: &Path) -> Option<String> {
    let text = path.strip_prefix(dir).ok()?.to_str()?;
    Some(if cfg!(windows) {
        text.replace('\\', "/")
    } else {
        text.to_owned()
    })
}

/// Returns a time in nanoseconds since the epoch, if it is after that and before the end of
/// the numbers.
fn nanos(time: SystemTime) -> Option<i64> {
    let after = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    i64::try_from(after.as_nanos()).ok()
}

fn time(nanos: i64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_nanos(nanos.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::home::testing::Fixture;
    use crate::home::{
        Discovery, Fate, Home, HomeFound, HomesFound, discover, discover_remembered,
    };

    const A: &str = "aaaa1111-1111-4111-8111-111111111111";
    const B: &str = "bbbb2222-1111-4111-8111-111111111111";

    /// A home with one project that has everything a project can have.
    fn home() -> Fixture {
        let at = Fixture::new();
        at.log(&format!("projects/p/{A}.jsonl"), 0);
        at.file(
            "projects/p/agent-s.jsonl",
            &format!("{{\"sessionId\":\"{A}\"}}\n"),
        );
        at.file(
            "projects/p/agent-t.jsonl",
            "{\"sessionId\":\"elsewhere\"}\n",
        );
        at.log(&format!("projects/p/{A}/subagents/agent-x.jsonl"), 1);
        at.file(&format!("projects/p/{A}/subagents/agent-x.meta.json"), "{}");
        at.log(
            &format!("projects/p/{A}/subagents/workflows/run1/agent-y.jsonl"),
            2,
        );
        at.file(
            &format!("projects/p/{A}/subagents/workflows/run1/journal.jsonl"),
            "{}",
        );
        at.file(&format!("projects/p/{A}/tool-results/out.txt"), "spilled");
        at.log(&format!("projects/p/{B}/subagents/agent-z.jsonl"), 3);
        at.file("projects/p/empty.jsonl", "");
        at
    }

    /// Walks, much later than anything was written; returns what was found, whether anything
    /// was walked, and what to remember.
    fn walk(home: &Home, memory: Option<&Memory>) -> (Discovery, bool, Option<Memory>) {
        let mut walked = discover_remembered(std::slice::from_ref(home), &|_, _| memory.cloned());
        let walked = walked.pop().expect("a home");
        let later = SystemTime::now() + Duration::from_secs(10);
        match &walked.fates[..] {
            [Fate::Same(memory)] => {
                let memory = memory.clone();
                let home = HomeFound::new(walked.found, vec![(0, memory.clone())]);
                let found = HomesFound::new(vec![home]);
                (found[0].clone(), false, Some(memory))
            }
            [Fate::Walked(visit)] => {
                let kept = visit.memory(&walked.found.projects[0], later);
                (walked.found, true, kept)
            }
            fates => panic!("{} projects", fates.len()),
        }
    }

    #[test]
    fn what_is_remembered_is_what_a_walk_finds() {
        let at = home();
        let (first, walked, memory) = walk(&at.home(), None);
        assert!(walked);
        assert_eq!(first.sessions().count(), 3);
        assert_eq!(first.agents().count(), 5);
        let (again, walked, _) = walk(&at.home(), memory.as_ref());
        assert!(!walked);
        assert_eq!(again, first);
    }

    type Change = Box<dyn Fn(&Fixture)>;

    #[test]
    fn every_change_is_noticed() {
        let deep = format!("projects/p/{A}/subagents/workflows/run1");
        let changes: Vec<(&str, Change)> = vec![
            (
                "a log grows",
                Box::new(|at| {
                    at.file(
                        &format!("projects/p/{A}.jsonl"),
                        "{\"type\":\"user\"}\n{}\n",
                    );
                }),
            ),
            (
                "a log is touched",
                Box::new(|at| at.touch(&format!("projects/p/{A}.jsonl"), 9)),
            ),
            (
                "a new log",
                Box::new(|at| {
                    at.log("projects/p/new.jsonl", 0);
                }),
            ),
            (
                "a log is gone",
                Box::new(|at| {
                    fs::remove_file(at.path("projects/p/empty.jsonl")).expect("removed");
                }),
            ),
            (
                "an agent grows",
                Box::new(|at| {
                    at.file("projects/p/agent-s.jsonl", "{\"sessionId\":\"x\"}\n{}\n");
                }),
            ),
            (
                "a new agent",
                Box::new(|at| {
                    at.log(&format!("projects/p/{A}/subagents/agent-n.jsonl"), 0);
                }),
            ),
            (
                "a new agent deep below",
                Box::new(move |at| {
                    at.log(&format!("{deep}/agent-n.jsonl"), 0);
                }),
            ),
            (
                "a sidecar is gone",
                Box::new(|at| {
                    let path = format!("projects/p/{A}/subagents/agent-x.meta.json");
                    fs::remove_file(at.path(&path)).expect("removed");
                }),
            ),
            (
                "a folder is gone",
                Box::new(|at| {
                    fs::remove_dir_all(at.path(&format!("projects/p/{B}"))).expect("removed");
                }),
            ),
            (
                "outputs for another session",
                Box::new(|at| {
                    at.file(&format!("projects/p/{B}/tool-results/more.txt"), "x");
                }),
            ),
        ];
        for (what, change) in changes {
            let at = home();
            let (_, _, memory) = walk(&at.home(), None);
            // The change is in another tick of the clock.
            std::thread::sleep(Duration::from_millis(8));
            change(&at);
            let (again, walked, _) = walk(&at.home(), memory.as_ref());
            assert!(walked, "{what}");
            assert_eq!(again, discover(&at.home()), "{what}");
        }
    }

    #[test]
    fn what_was_just_written_is_looked_at_again() {
        let at = home();
        let mut walked = discover_remembered(&[at.home()], &|_, _| None);
        let walked = walked.pop().expect("a home");
        let [Fate::Walked(visit)] = &walked.fates[..] else {
            panic!("one project");
        };
        let memory = visit.memory(&walked.found.projects[0], SystemTime::now());
        let memory = memory.expect("names that can be kept");
        assert!(!memory.settled());
        assert!(!memory.holds(&at.path("projects/p")));
    }

    #[test]
    fn an_agent_that_was_looked_into_before_is_not_opened_again() {
        let at = home();
        let (_, _, memory) = walk(&at.home(), None);
        let memory = memory.expect("a memory").unsettled();
        // Other bytes with the stamp of before: whoever opened it would see them.
        let path = at.path("projects/p/agent-s.jsonl");
        let stamp = |path: &Path| Stamp::of(&fs::metadata(path).expect("a file"));
        let before = stamp(&path);
        let text = fs::read_to_string(&path).expect("text").replace(A, B);
        fs::write(&path, text).expect("written");
        let file = fs::File::options().append(true).open(&path);
        let file = file.expect("a file");
        file.set_modified(before.modified).expect("a time");
        assert_eq!(stamp(&path), before);
        let (again, walked, _) = walk(&at.home(), Some(&memory));
        assert!(walked);
        let agents = again.agents().filter(|(_, agent)| agent.path == path);
        let owners: Vec<_> = agents.map(|(_, agent)| agent.session.clone()).collect();
        assert_eq!(owners, [Some(SessionId::new(A))]);
    }

    #[cfg(unix)]
    #[test]
    fn a_project_with_a_problem_is_walked_again() {
        let at = home();
        at.link(at.path("nowhere"), "projects/p/dangling.jsonl");
        let (_, _, memory) = walk(&at.home(), None);
        assert!(!memory.is_some_and(|memory| memory.settled()));
    }
}
