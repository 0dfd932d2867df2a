//! The generated logs and their files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;
use unspool_testkit::generate::Corpus;

use crate::args::BenchArgs;
use crate::machine;

/// The size of all files of [`crate::shapes`] in full size, in bytes.
const SHAPES: u64 = 2_500_000_000;

/// The folder of a run.
pub(crate) struct RunFolder {
    folder: PathBuf,
    /// Removes the folder on drop, unless the user named it.
    _temporary: Option<TempDir>,
}

impl RunFolder {
    /// Returns the folder that the user named, or a new one where there is room.
    pub(crate) fn choose(args: &BenchArgs) -> Result<Self> {
        if let Some(dir) = &args.dir {
            fs::create_dir_all(dir).with_context(|| format!("cannot use {}", dir.display()))?;
            let folder = dir.canonicalize()?;
            return Ok(Self { folder, _temporary: None });
        }
        let shapes = if args.quick { SHAPES / 5 } else { SHAPES };
        let root = machine::roomy_folder(args.bytes() + args.bytes() / 10 + shapes);
        let temporary = TempDir::with_prefix_in("unspool-bench-", &root)
            .with_context(|| format!("cannot create a folder in {}", root.display()))?;
        Ok(Self { folder: temporary.path().to_owned(), _temporary: Some(temporary) })
    }

    /// Returns the folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }
}

/// A generated home.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Logs {
    pub(crate) seed: u64,
    /// The number and the size of all files.
    pub(crate) files: u64,
    pub(crate) bytes: u64,
    pub(crate) sessions: u64,
    pub(crate) agents: u64,
    /// The number of lines in all transcripts.
    pub(crate) entries: u64,
    #[serde(skip)]
    home: PathBuf,
    #[serde(skip)]
    transcripts: Vec<BenchTranscript>,
}

/// The log of a session or an agent.
#[derive(Clone, Debug)]
pub(crate) struct BenchTranscript {
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
}

impl Logs {
    /// Generates a home, or returns the one that an earlier run left in the folder.
    pub(crate) fn prepare(place: &RunFolder, seed: u64, bytes: u64) -> Result<Self> {
        let home = place.folder().join(format!("home-{bytes}-{seed}"));
        // Written last: without it, the home is incomplete.
        let note = home.with_extension("json");
        let known = fs::read(&note).ok();
        let known = known.and_then(|text| serde_json::from_slice::<Self>(&text).ok());
        let mut logs = if let Some(known) = known {
            eprintln!("using the logs in {}", home.display());
            known
        } else {
            eprintln!("generating logs in {}", home.display());
            let made = Self::generate(&home, seed, bytes)?;
            fs::write(&note, serde_json::to_vec(&made)?)?;
            made
        };
        logs.transcripts = transcripts(&home)?;
        logs.home = home;
        Ok(logs)
    }

    fn generate(home: &Path, seed: u64, bytes: u64) -> Result<Self> {
        remove(home)?;
        let made = Corpus::new(seed, bytes).write_to(home).context("cannot write the logs")?;
        Ok(Self {
            seed,
            files: made.files,
            bytes: made.bytes,
            sessions: made.sessions,
            agents: made.agents,
            entries: made.entries,
            home: PathBuf::new(),
            transcripts: Vec::new(),
        })
    }

    /// Returns the folder of the home.
    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// Returns the transcripts, the largest first.
    pub(crate) fn transcripts(&self) -> &[BenchTranscript] {
        &self.transcripts
    }
}

/// Lists the transcripts of a home, the largest first.
pub(crate) fn transcripts(home: &Path) -> io::Result<Vec<BenchTranscript>> {
    let mut found = Vec::new();
    walk(&home.join("projects"), &mut |path, metadata| {
        if path.extension().is_some_and(|end| end == "jsonl") {
            let bytes = metadata.len();
            found.push(BenchTranscript { path, bytes });
        }
    })?;
    found.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.path.cmp(&b.path)));
    Ok(found)
}

/// Removes a folder of an earlier run, if there is one.
pub(crate) fn remove(folder: &Path) -> io::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    Ok(())
}

/// Visits every file below a folder.
pub(crate) fn walk(
    folder: &Path,
    visit: &mut impl FnMut(PathBuf, &fs::Metadata),
) -> io::Result<()> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for item in fs::read_dir(folder)? {
            let item = item?;
            let metadata = item.metadata()?;
            if metadata.is_dir() {
                folders.push(item.path());
            } else {
                visit(item.path(), &metadata);
            }
        }
    }
    Ok(())
}
