//! Finds the session of a plan: the one whose entries name the plan.
//!
//! The file of a plan does not name its session, and without an index any log may. So logs are read
//! only for plans that are shown, for all plans at once, the newest sessions first.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::Path;

use memchr::memmem::Finder;
use rayon::prelude::*;
use unspool_model::schema::RecordKey;

use super::source::{Content, ScanSource};
use crate::hit::SearchHit;
use unspool_store::files::OpenFile;
use unspool_store::files::lines::LineReader;
use unspool_store::filter::SessionSet;

/// How many logs are read before checking whether every plan has a session.
const ROUND: usize = 64;

/// The maximal length of a plan's name, in bytes.
const LONGEST: usize = 256;

/// Keeps only the files of some sessions. Plans are kept if a log that is kept names them. A
/// history is kept if the sessions are those of folders, for prompts whose sessions are gone.
pub fn only(mut sources: Vec<ScanSource>, sessions: &SessionSet) -> Vec<ScanSource> {
    for source in &mut sources {
        if let Content::History(past) = &mut source.content {
            past.folders.clone_from(&sessions.folders);
        }
    }
    let allow = |source: &ScanSource| match &source.content {
        Content::History(past) => past.folders.is_some(),
        _ => sessions.contains(source.home.as_deref(), &source.session, None),
    };
    let unclaimed = |source: &ScanSource| source.content == Content::Plan && !allow(source);
    sources.retain(|source| allow(source) || unclaimed(source));
    if sources.iter().any(unclaimed) {
        claim(&mut sources);
        sources.retain(|source| allow(source));
    }
    sources
}

/// Sets the sessions of plans to those that name them.
fn claim(sources: &mut [ScanSource]) {
    let plans = sources.iter().filter(|source| is_unclaimed(source));
    let wanted = plans.filter_map(|plan| slug(&plan.path)).collect();
    let owners = owners(sources, wanted);
    let of = |plan: &ScanSource| owners.get(&slug(&plan.path)?).copied();
    for at in 0..sources.len() {
        let plan = &sources[at];
        if let Some(log) = of(plan).filter(|_| is_unclaimed(plan)) {
            let log = sources[log].clone();
            let plan = &mut sources[at];
            (plan.session, plan.project, plan.gone) = (log.session, log.project, false);
        }
    }
}

/// Sets the sessions of hits in plans to those that name the plans.
pub(super) fn claim_hits(hits: &mut [SearchHit], sources: &[ScanSource]) {
    if hits.iter().all(|hit| !hit.session.as_str().is_empty()) {
        return;
    }
    let plans = sources.iter().filter(|source| is_unclaimed(source));
    let plans: HashSet<&Path> = plans.map(|plan| plan.path.as_path()).collect();
    let in_plan = |hit: &&mut SearchHit| plans.contains(hit.file.as_path());
    let found: Vec<&mut SearchHit> = hits.iter_mut().filter(in_plan).collect();
    let wanted = found.iter().filter_map(|hit| slug(&hit.file)).collect();
    let owners = owners(sources, wanted);
    for hit in found {
        let owner = slug(&hit.file).and_then(|slug| owners.get(&slug));
        if let Some(&owner) = owner {
            hit.session = sources[owner].session.clone();
            hit.project.clone_from(&sources[owner].project);
            hit.gone = false;
        }
    }
}

fn is_unclaimed(source: &ScanSource) -> bool {
    source.content == Content::Plan && source.session.as_str().is_empty()
}

/// Returns the name of a plan in entries.
fn slug(plan: &Path) -> Option<String> {
    let stem = plan.file_stem()?.to_str()?;
    Some(stem.to_owned())
}

/// Finds the first log that names each of some plans.
fn owners(sources: &[ScanSource], mut wanted: HashSet<String>) -> HashMap<String, usize> {
    let mut owners = HashMap::new();
    let logs = sources.iter().enumerate();
    let logs: Vec<(usize, &ScanSource)> =
        logs.filter(|(_, source)| source.content == Content::Log).collect();
    for round in logs.chunks(ROUND) {
        if wanted.is_empty() {
            break;
        }
        let named: Vec<(usize, HashSet<String>)> = round
            .par_iter()
            .map_init(LineReader::default, |lines, (at, log)| (*at, named(log, &wanted, lines)))
            .collect();
        for (at, slugs) in named {
            for slug in slugs {
                if wanted.remove(&slug) {
                    owners.insert(slug, at);
                }
            }
        }
    }
    owners
}

/// Returns the plans that a log names; a log that cannot be read names none.
fn named(log: &ScanSource, wanted: &HashSet<String>, lines: &mut LineReader) -> HashSet<String> {
    let mut found = HashSet::new();
    let Ok(file) = OpenFile::open(&log.path) else {
        return found;
    };
    let opening = RecordKey::Slug.opening();
    let key = Finder::new(&opening);
    let _ = lines.read(&file, 0..u64::MAX, &mut |bytes, _| {
        for at in key.find_iter(bytes) {
            let name = &bytes[at + opening.len()..];
            let name = &name[..name.len().min(LONGEST)];
            let end = memchr::memchr(b'"', name).unwrap_or(0);
            let name = std::str::from_utf8(&name[..end]).unwrap_or_default();
            if wanted.contains(name) && !found.contains(name) {
                found.insert(name.to_owned());
            }
        }
        if found.len() == wanted.len() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    lines.overlong = 0;
    found
}
