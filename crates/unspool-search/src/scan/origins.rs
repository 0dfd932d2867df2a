//! Finds the entry that a spilled output belongs to: the one that names its file.
//!
//! The logs of a session are read when one of its outputs is a hit. The result is kept until an
//! output of another session is looked up.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use memchr::memmem::Finder;
use unspool_model::entry::Flags;
use unspool_model::ids::EntryId;
use unspool_model::log::Log;
use unspool_model::time::Time;

use super::source::{Content, ScanSource};
use crate::text::extract::spilled_names;
use unspool_store::files::OpenFile;
use unspool_store::files::lines::{LineReader, line_around};
use unspool_store::home::layout::TOOL_RESULTS;

/// The entry whose result was spilled into a file.
#[derive(Clone, Debug)]
pub(super) struct SpilledOrigin {
    /// The log of the entry.
    pub(super) file: PathBuf,
    /// The offset of the entry in the log.
    pub(super) offset: u64,
    /// The uuid of the entry.
    pub(super) entry: Option<EntryId>,
    /// The time of the entry.
    pub(super) time: Option<Time>,
}

/// The origins of the spilled outputs of one session.
#[derive(Default)]
pub(super) struct SpilledOrigins {
    /// The first file of the session, which identifies it.
    first: Option<PathBuf>,
    named: HashMap<String, SpilledOrigin>,
    lines: LineReader,
}

impl SpilledOrigins {
    /// Returns the origin of the output `sources[at]`. All files of a session must be next to one
    /// another in `sources`.
    pub(super) fn of(&mut self, sources: &[ScanSource], at: usize) -> Option<SpilledOrigin> {
        let output = &sources[at];
        let same = |other: &ScanSource| {
            (&other.home, &other.project, &other.session)
                == (&output.home, &output.project, &output.session)
        };
        let start = sources[..at].iter().rposition(|other| !same(other));
        let files = &sources[start.map_or(0, |before| before + 1)..at];
        let first = files.first()?;
        if self.first.as_deref() != Some(&first.path) {
            self.first = Some(first.path.clone());
            self.named.clear();
            for log in files.iter().filter(|file| file.content == Content::Log) {
                self.read(&log.path);
            }
        }
        let name = output.path.file_name()?.to_str()?;
        self.named.get(name).cloned()
    }

    /// Notes the spilled outputs that a log names; a log that cannot be read names none.
    fn read(&mut self, path: &Path) {
        let Ok(file) = OpenFile::open(path) else {
            return;
        };
        let folder = Finder::new(TOOL_RESULTS);
        let named = &mut self.named;
        let _ = self.lines.read(&file, 0..u64::MAX, &mut |bytes, offset| {
            let mut at = 0;
            while let Some(found) = folder.find(&bytes[at..]) {
                let line = line_around(bytes, at + found);
                at = line.end;
                note(&bytes[line.clone()], offset + line.start as u64, path, named);
            }
            ControlFlow::Continue(())
        });
        self.lines.overlong = 0;
    }
}

fn note(line: &[u8], offset: u64, path: &Path, named: &mut HashMap<String, SpilledOrigin>) {
    let log = Log::read(line);
    for entry in &log.entries {
        if !entry.flags.has(Flags::SPILLED) {
            continue;
        }
        let span = entry.span.start as usize..(entry.span.end() as usize).min(line.len());
        for name in spilled_names(&line[span]) {
            named.entry(name.into_owned()).or_insert_with(|| SpilledOrigin {
                file: path.to_owned(),
                offset: offset + entry.span.start,
                entry: entry.uuid.map(|uuid| EntryId::new(log.text(uuid))),
                time: entry.time,
            });
        }
    }
}
