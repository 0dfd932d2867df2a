//! User names in the logs that are exported.

use std::io::{self, Read as _};
use std::path::Path;

use rayon::prelude::*;
use unspool_redact::{People, REACH};

use unspool_store::files;
use unspool_store::home::{Resolved, Target};

/// The size of a read.
const CHUNK: usize = 1 << 20;

/// Collects the user names of all home folders that the logs of the sessions and their agents
/// mention. A log that cannot be read adds no names; the export of that log reports the error.
pub fn people(sources: &[Resolved]) -> People {
    let logs: Vec<&Path> = sources.iter().flat_map(logs).collect();
    let all = logs.par_iter().map(|log| {
        let mut people = People::default();
        let path = log.to_string_lossy();
        people.learn(path.as_bytes(), path.len());
        // Names that were found before a read error count.
        let _ = read(log, &mut people);
        people
    });
    all.reduce(People::default, People::and)
}

fn logs(source: &Resolved) -> Vec<&Path> {
    match &source.target {
        Target::Session(session) => {
            let agents = session.agents.iter().map(|agent| &*agent.path);
            [&*session.path].into_iter().chain(agents).collect()
        }
        Target::Agent(agent) => vec![&*agent.path],
    }
}

/// Reads a log in parts that overlap by the length that a name needs.
fn read(log: &Path, people: &mut People) -> io::Result<()> {
    let file = files::OpenFile::open(log)?;
    let mut reader = file.reader();
    let mut part = Vec::with_capacity(CHUNK + REACH);
    loop {
        let kept = part.len();
        let read = (&mut reader).take((CHUNK - kept) as u64).read_to_end(&mut part)?;
        let end = if read == 0 { part.len() } else { part.len().saturating_sub(REACH) };
        people.learn(&part, end);
        if read == 0 {
            return Ok(());
        }
        part.drain(..end);
    }
}
