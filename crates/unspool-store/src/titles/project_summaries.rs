//! The summaries of projects, searched in their logs, for callers without an index.
//!
//! A project is searched once, when the first of its sessions needs it. Logs are read in chunks of
//! whole lines; a line is parsed if it contains the two strings that a summary has, as clients
//! write them. Only the summaries are kept.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use foldhash::quality::FixedState;
use memchr::memmem::Finder;
use unspool_model::log::Log;

use super::{Summaries, needs_naming, summaries_of};
use crate::files::OpenFile;
use crate::files::lines::{LineReader, line_around};
use crate::home::{Discovery, Project, SessionFile};
use crate::session::Session;

/// How many bytes of logs are worth a thread of their own. Chosen by judgement: reading this much
/// takes milliseconds, starting a thread a tenth of one.
const SHARE: u64 = 8 << 20;

/// How many threads search one project; several projects may be searched at once. Chosen by
/// judgement: a bound for machines with many cores.
const THREADS: usize = 8;

/// The summaries of the projects of homes.
pub struct ProjectSummaries<'f> {
    projects: HashMap<(&'f Path, &'f str), SummarySlot<'f>, FixedState>,
}

struct SummarySlot<'f> {
    project: &'f Project,
    summaries: OnceLock<Summaries>,
}

impl<'f> ProjectSummaries<'f> {
    /// Makes an empty collection for the projects that a walk found.
    pub fn new(found: &'f [Discovery]) -> Self {
        let projects = found.iter().flat_map(|home| {
            let root = home.home.root.as_path();
            home.projects.iter().map(move |project| {
                let slot = SummarySlot { project, summaries: OnceLock::new() };
                ((root, project.id.as_str()), slot)
            })
        });
        Self { projects: projects.collect() }
    }

    /// Sets the title that other logs give a session, if its title depends on them.
    pub fn name(&self, session: &mut Session) {
        let (Some(home), Some(project)) = (&session.home, &session.project) else {
            return;
        };
        let key = (home.as_path(), project.as_str());
        let Some(slot) = self.projects.get(&key) else {
            return;
        };
        if needs_naming(session.log(), session.scope) {
            let called = slot.summaries().naming(session.log(), session.scope);
            session.called = called.map(ToOwned::to_owned);
        }
    }
}

impl SummarySlot<'_> {
    fn summaries(&self) -> &Summaries {
        let logs = self.project.sessions.iter();
        let mut logs: Vec<_> = logs.filter(|file| file.class.has_transcript()).collect();
        if logs.len() < 2 {
            // There is no other log.
            static NONE: OnceLock<Summaries> = OnceLock::new();
            return NONE.get_or_init(Summaries::default);
        }
        self.summaries.get_or_init(|| {
            logs.sort_by_key(|file| Reverse(file.stamp.bytes));
            look_through(&logs)
        })
    }
}

/// Searches logs in parallel.
///
/// It starts its own threads: a pool's thread that waits here would take other work of the pool
/// meanwhile, and might end up waiting for itself.
fn look_through(logs: &[&SessionFile]) -> Summaries {
    let bytes: u64 = logs.iter().map(|file| file.stamp.bytes).sum();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let threads = (1 + bytes / SHARE).min(cores.min(THREADS) as u64);
    let next = AtomicUsize::new(0);
    let look = || {
        let mut look = Look::new();
        while let Some(file) = logs.get(next.fetch_add(1, Ordering::Relaxed)) {
            // The caller that opens this log reports its error.
            let _ = look.log(&file.path);
        }
        look.summaries
    };
    on_threads(threads, look)
}

/// Calls a search on this thread and on others, and returns what all of them found.
fn on_threads(threads: u64, look: impl Fn() -> Summaries + Copy + Send) -> Summaries {
    let mut all = Summaries::default();
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(look)).collect();
        all.extend(look().0);
        for other in others {
            all.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)).0);
        }
    });
    all
}

/// One thread's search through logs.
struct Look {
    kind: Finder<'static>,
    leaf: Finder<'static>,
    lines: LineReader,
    summaries: Summaries,
}

impl Look {
    fn new() -> Self {
        Self {
            kind: Finder::new("\"summary\""),
            leaf: Finder::new("\"leafUuid\""),
            lines: LineReader::default(),
            summaries: Summaries::default(),
        }
    }

    fn log(&mut self, path: &Path) -> io::Result<()> {
        let file = OpenFile::open(path)?;
        let Self { kind, leaf, lines, summaries } = self;
        lines.read(&file, 0..u64::MAX, &mut |bytes, _| {
            let mut rest = bytes;
            while let Some(found) = kind.find(rest) {
                let line = line_around(rest, found);
                if leaf.find(&rest[line.clone()]).is_some() {
                    summaries.extend(summaries_of(&Log::read(&rest[line.clone()])));
                }
                rest = &rest[line.end..];
            }
            ControlFlow::Continue(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "a defect")]
    fn a_panic_of_a_thread_is_not_lost() {
        let here = thread::current().id();
        on_threads(2, || {
            assert_eq!(thread::current().id(), here, "a defect");
            Summaries::default()
        });
    }
}
