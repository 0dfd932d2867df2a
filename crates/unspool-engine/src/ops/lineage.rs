//! Sessions that share entries with a session.
//!
//! A fork, an old-style resume and a copy begin with entries of another session under the same
//! uuids; the SDK's fork assigns new uuids and names the session. So the beginning of each file is
//! enough. Only if this session itself begins with a compaction are the other files read further,
//! since that entry is in their middle.

use std::collections::HashSet;

use memchr::memmem;
use rayon::prelude::*;
use unspool_model::entry::Flags;
use unspool_model::ids::SessionId;
use unspool_model::log::Log;

use unspool_store::files::OpenFile;
use unspool_store::home::SessionFile;
use unspool_store::session::Session;
use unspool_store::tail::LogFile;

/// A session that shares entries with another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RelatedSession {
    /// The session.
    pub session: SessionId,
    /// The number of shared entries.
    pub shared: u64,
}

/// How many bytes of each file are read.
const HEAD: u64 = 64 * 1024;

/// Finds the sessions among `others` that share entries with a session.
pub fn lineage(session: &Session, others: &[SessionFile]) -> Vec<RelatedSession> {
    let own: HashSet<&str> = uuids(session.log()).collect();
    let first = uuids(session.log()).next();
    let begins_compacted = session
        .log()
        .entries
        .iter()
        .find(|entry| entry.uuid.is_some())
        .is_some_and(|entry| entry.flags.has(Flags::BOUNDARY));
    let own_identity = session.main.stamp().identity;
    let mut related: Vec<RelatedSession> = others
        .par_iter()
        .filter(|other| {
            other.class.has_transcript()
                && (other.stamp.identity.is_none() || other.stamp.identity != own_identity)
                && other.path != session.main.path()
        })
        .filter_map(|other| {
            let limit = if begins_compacted { u64::MAX } else { HEAD };
            let head = OpenFile::open(&other.path).and_then(|file| file.part(0, limit)).ok()?;
            let start = Log::read(&head[..head.len().min(HEAD as usize)]);
            let has_first =
                first.is_some_and(|uuid| memmem::find(&head, uuid.as_bytes()).is_some());
            if !has_first
                && !uuids(&start).take(8).any(|uuid| own.contains(uuid))
                && forked_from(&start, &session.id) == 0
            {
                return None;
            }
            let file = LogFile::open(&other.path).ok()?;
            let same: HashSet<&str> = uuids(file.log()).filter(|uuid| own.contains(uuid)).collect();
            let shared = (same.len() as u64).max(forked_from(file.log(), &session.id));
            (shared > 0).then(|| RelatedSession { session: other.id.clone(), shared })
        })
        .collect();
    let log = session.log();
    for (&named, &count) in &log.facts.forked_from {
        let named = SessionId::new(log.text(named));
        if named != session.id && related.iter().all(|other| other.session != named) {
            related.push(RelatedSession { session: named, shared: u64::from(count) });
        }
    }
    related.sort_by(|a, b| b.shared.cmp(&a.shared).then_with(|| a.session.cmp(&b.session)));
    related
}

/// Returns how many entries of a log were copied from a session under new uuids.
fn forked_from(log: &Log, session: &SessionId) -> u64 {
    let named = log.symbols.find(session.as_str());
    let count = named.and_then(|session| log.facts.forked_from.get(&session));
    count.copied().map_or(0, u64::from)
}

fn uuids(log: &Log) -> impl Iterator<Item = &str> {
    log.entries
        .iter()
        .filter(|entry| entry.kind.links())
        .filter_map(|entry| entry.uuid)
        .map(|uuid| log.text(uuid))
}
