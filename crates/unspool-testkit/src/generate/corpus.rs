//! Generates a whole home: the number and sizes of its sessions, and the paths of their files.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::WrittenLog;
use super::lines::{Identity, Uuid, fresh_uuid};
use super::pools::Pools;
use super::transcript::{Played, Spawned, TranscriptPlan, play};
use super::words::stem;
use crate::home::project_folder;
use crate::rng::Rng;
use crate::time::START;

/// The number of days over which the sessions are spread.
const DAYS: u64 = 180;

/// The versions that wrote the sessions; the newest is the most common.
const VERSIONS: [&str; 5] = ["2.1.325", "2.1.325", "2.1.325", "2.1.232", "2.1.97"];

/// The settings of a home to generate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corpus {
    /// The seed; equal seeds give equal homes.
    pub seed: u64,
    /// The approximate size of all files together.
    pub total_bytes: u64,
    /// The number of projects; some get far more sessions than others.
    pub projects: usize,
}

/// The content of a generated home.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CorpusManifest {
    /// The number of files of all kinds.
    pub files: u64,
    /// The size of all files.
    pub bytes: u64,
    /// The number of lines in all logs.
    pub entries: u64,
    /// The number of sessions.
    pub sessions: u64,
    /// The number of agents' logs.
    pub agents: u64,
    /// The number of sessions that contain [`super::NEEDLE`].
    pub needles: u64,
    /// The path of the largest log.
    pub largest: PathBuf,
    /// The size of the largest log.
    pub largest_bytes: u64,
}

impl Corpus {
    /// Returns settings with a number of projects that suits the size.
    pub fn new(seed: u64, total_bytes: u64) -> Self {
        let projects = (total_bytes / 16_000_000).clamp(3, 80) as usize;
        Self { seed, total_bytes, projects }
    }

    /// Writes the home to a folder, like a user's `~/.claude`.
    ///
    /// A few sessions are very large, some have megabytes, and most have 20 to 200 KB. The modification time
    /// of each file is the time of its last line.
    pub fn write_to(&self, folder: &Path) -> io::Result<CorpusManifest> {
        let pool_size = (self.total_bytes / 64).clamp(128 * 1024, 6 * 1024 * 1024) as usize;
        let rng = Rng::new(self.seed);
        let mut writer = CorpusWriter {
            folder,
            pools: Pools::new(self.seed, pool_size),
            projects: projects(&mut rng.fork(1), self.projects),
            history: Vec::new(),
            manifest: CorpusManifest::default(),
        };
        fs::create_dir_all(folder.join("projects"))?;
        let mut rng = rng.fork(2);
        for size in self.large_sizes(&mut rng) {
            writer.session(&mut rng, size)?;
        }
        let smallest = 20_000.min(self.total_bytes / 8);
        while writer.manifest.bytes + (writer.history.len() as u64) < self.total_bytes {
            let left = self.total_bytes - writer.manifest.bytes;
            let size = rng.skewed(20_000, 200_000).min(left).max(smallest);
            writer.session(&mut rng, size)?;
        }
        writer.finish()
    }

    /// Returns the sizes of the few large sessions; small ones fill the rest.
    fn large_sizes(&self, rng: &mut Rng) -> Vec<u64> {
        const MB: u64 = 1_000_000;
        let total = self.total_bytes;
        let mut sizes = Vec::new();
        if total >= 400 * MB {
            for _ in 0..total / (330 * MB) {
                sizes.push(rng.between(52 * MB, 75 * MB));
            }
        } else {
            sizes.push(total / 8);
        }
        let (low, high) = if total >= 64 * MB { (MB, 12 * MB) } else { (total / 128, total / 16) };
        let mut medium = total * 3 / 10;
        while medium > low && high > 200_000 {
            let size = rng.skewed(low, high);
            sizes.push(size);
            medium = medium.saturating_sub(size);
        }
        sizes
    }
}

/// Writes the files of a home.
struct CorpusWriter<'a> {
    folder: &'a Path,
    pools: Pools,
    /// The working folders of the projects, the most used first.
    projects: Vec<String>,
    history: Vec<u8>,
    manifest: CorpusManifest,
}

impl CorpusWriter<'_> {
    /// Writes a session with its agents, all of which together have about the given size.
    fn session(&mut self, rng: &mut Rng, size: u64) -> io::Result<()> {
        let agent_sizes = agent_sizes(rng, size);
        let own: u64 = size - agent_sizes.iter().sum::<u64>();
        let needle = self.manifest.sessions % 97 == 3;
        let at = rng.unit() * rng.unit() * self.projects.len() as f64;
        let plan = TranscriptPlan {
            identity: Identity {
                session: fresh_uuid(rng),
                agent: None,
                cwd: self.projects[at as usize].clone(),
                version: rng.pick(&VERSIONS),
                branch: rng.pick(&["main", "main", "fix/parser", "feature/search"]),
            },
            size: own,
            start: START + rng.between(0, DAYS * 86_400_000) as i64,
            agents: agent_sizes.len(),
            prompt: None,
            needle,
        };
        let project = self.folder.join("projects").join(project_folder(&plan.identity.cwd));
        let session = text(&plan.identity.session);
        let path = project.join(format!("{session}.jsonl"));
        let seed = rng.next_u64();
        let played = self.transcript(&path, Rng::new(seed), &plan)?;
        self.manifest.sessions += 1;
        self.manifest.needles += u64::from(needle);
        self.remember_prompts(&plan.identity, &played);
        let results = project.join(&session).join("tool-results");
        for spill in &played.spills {
            fs::create_dir_all(&results)?;
            self.file(&results.join(&spill.name), played.end, &spill.content)?;
        }
        let agents = project.join(&session).join("subagents");
        for (agent, size) in played.agents.into_iter().zip(agent_sizes) {
            self.agent(&agents, rng, &plan.identity, agent, size)?;
        }
        Ok(())
    }

    fn agent(
        &mut self,
        folder: &Path,
        rng: &mut Rng,
        parent: &Identity,
        agent: Spawned,
        size: u64,
    ) -> io::Result<()> {
        let sidecar = format!(
            r#"{{"agentType":"general-purpose","description":"explore the code","toolUseId":"{}","spawnDepth":1,"finished":true}}"#,
            agent.call
        );
        let path = folder.join(format!("agent-{}.jsonl", agent.id));
        let plan = TranscriptPlan {
            identity: Identity { agent: Some(agent.id), ..parent.clone() },
            size,
            start: agent.start,
            agents: 0,
            prompt: Some(agent.prompt),
            needle: false,
        };
        let seed = rng.next_u64();
        let played = self.transcript(&path, Rng::new(seed), &plan)?;
        self.manifest.agents += 1;
        let sidecar_path = path.with_extension("meta.json");
        self.file(&sidecar_path, played.end, sidecar.as_bytes())
    }

    fn transcript(&mut self, path: &Path, rng: Rng, plan: &TranscriptPlan) -> io::Result<Played> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = File::create(path)?;
        let played = play(&mut file, &self.pools, rng, plan)?;
        file.set_modified(system_time(played.end))?;
        let WrittenLog { bytes, entries } = played.written;
        self.manifest.files += 1;
        self.manifest.bytes += bytes;
        self.manifest.entries += entries;
        if bytes > self.manifest.largest_bytes {
            self.manifest.largest_bytes = bytes;
            path.clone_into(&mut self.manifest.largest);
        }
        Ok(played)
    }

    fn file(&mut self, path: &Path, modified: i64, content: &[u8]) -> io::Result<()> {
        let mut file = File::create(path)?;
        file.write_all(content)?;
        file.set_modified(system_time(modified))?;
        self.manifest.files += 1;
        self.manifest.bytes += content.len() as u64;
        Ok(())
    }

    fn remember_prompts(&mut self, identity: &Identity, played: &Played) {
        for (time, prompt) in &played.prompts {
            self.history.extend_from_slice(br#"{"display":""#);
            self.history.extend_from_slice(prompt);
            let rest = format!(
                r#"","pastedContents":{{}},"timestamp":{time},"project":"{}","sessionId":"{}"}}"#,
                identity.cwd,
                text(&identity.session)
            );
            self.history.extend_from_slice(rest.as_bytes());
            self.history.push(b'\n');
        }
    }

    fn finish(mut self) -> io::Result<CorpusManifest> {
        let history = std::mem::take(&mut self.history);
        let end = START + DAYS as i64 * 86_400_000;
        let path = self.folder.join("history.jsonl");
        self.file(&path, end, &history)?;
        Ok(self.manifest)
    }
}

/// Returns the sizes of the agents of a session.
fn agent_sizes(rng: &mut Rng, session: u64) -> Vec<u64> {
    let count = match session {
        0..60_000 => 0,
        60_000..1_000_000 => rng.below(3),
        1_000_000..20_000_000 => rng.below(8),
        _ => rng.between(10, 30) as usize,
    };
    let share = session / 2 / count.max(1) as u64;
    (0..count).map(|_| rng.skewed(15_000, 400_000).min(share)).collect()
}

fn projects(rng: &mut Rng, count: usize) -> Vec<String> {
    (0..count.max(1))
        .map(|index| format!("/home/dev/src/{}-{}_{index}", stem(rng), stem(rng)))
        .collect()
}

fn text(uuid: &Uuid) -> String {
    String::from_utf8_lossy(uuid).into_owned()
}

fn system_time(unix_ms: i64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(unix_ms.max(0) as u64)
}
