//! Resolves names other than those of sessions with a log: an entry of any log, or a session of
//! which only the prompt history is left.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use memchr::memmem::Finder;
use rayon::prelude::*;
use unspool_model::history::HistoryLine;
use unspool_model::ids::{EntryId, SessionId};
use unspool_model::schema::RecordKey;
use unspool_model::time::Time;

use super::locate::EntryError;
use unspool_search::text::source::pasted;
use unspool_store::files::OpenFile;
use unspool_store::files::lines::LineReader;
use unspool_store::home::layout::pastes_of;
use unspool_store::home::{Discovery, FileClass, Home, SessionFile};

/// The minimum length of a uuid prefix that is searched in all logs.
const FEWEST: usize = 8;

/// An entry that was found by its name alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundEntry {
    /// The log of its session; the most recently written one of several.
    pub log: PathBuf,
    /// The uuid of the entry.
    pub entry: EntryId,
    /// How many other sessions have the entry too.
    pub others: usize,
}

/// Finds the session with an entry whose uuid has a prefix. Reads all logs.
pub fn find_entry(found: &[Discovery], asked: &str) -> Result<Option<FoundEntry>, EntryError> {
    let is_part = |c: char| c.is_ascii_hexdigit() || c == '-';
    if asked.len() < FEWEST || !asked.chars().all(is_part) {
        return Ok(None);
    }
    let asked = asked.to_ascii_lowercase();
    let opening = RecordKey::Uuid.opening();
    let key = format!("{opening}{asked}");
    let finder = Finder::new(&key);
    let sessions: Vec<&SessionFile> =
        found.iter().flat_map(Discovery::sessions).map(|(_, session)| session).collect();
    let mut holding: Vec<(&SessionFile, BTreeSet<String>)> = sessions
        .into_par_iter()
        .map(|session| (session, uuids_in(session, &finder, opening.len())))
        .filter(|(_, uuids)| !uuids.is_empty())
        .collect();
    let uuids: BTreeSet<&String> = holding.iter().flat_map(|(_, uuids)| uuids).collect();
    let Some(entry) = uuids.first().map(|uuid| EntryId::new(uuid.as_str())) else {
        return Ok(None);
    };
    if uuids.len() > 1 {
        let matches = uuids.into_iter().take(8).map(|uuid| EntryId::new(uuid.as_str()));
        return Err(EntryError::Ambiguous { asked, matches: matches.collect() });
    }
    holding.sort_by_key(|(session, _)| (session.stamp.modified, session.path.clone()));
    let others = holding.len().saturating_sub(1);
    Ok(holding.pop().map(|(session, _)| FoundEntry { log: session.path.clone(), entry, others }))
}

/// Returns the uuids in the logs of a session that the finder matches; `before` is the length of
/// the searched text before the uuid.
fn uuids_in(session: &SessionFile, finder: &Finder<'_>, before: usize) -> BTreeSet<String> {
    let own = (session.class != FileClass::AgentsOnly).then_some(&session.path);
    let agents = session.agents.iter().map(|agent| &agent.path);
    let mut uuids = BTreeSet::new();
    for path in own.into_iter().chain(agents) {
        // Opening the session reports unreadable files.
        let _ = each_line(path, &mut |bytes| {
            for at in finder.find_iter(bytes) {
                let uuid = &bytes[at + before..];
                let length = uuid.iter().position(|&byte| byte == b'"').unwrap_or_default();
                uuids.insert(String::from_utf8_lossy(&uuid[..length]).into_owned());
            }
        });
    }
    uuids.retain(|uuid| !uuid.is_empty());
    uuids
}

/// A session of which only prompts are left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PastSession {
    /// Its id.
    pub session: SessionId,
    /// The folder of the session.
    pub project: String,
    /// The prompts with their times, in the order of the history.
    pub prompts: Vec<(Option<Time>, String)>,
}

/// Finds the sessions in the histories of homes whose ids have a prefix.
pub fn find_past(homes: &[Home], asked: &str) -> Vec<PastSession> {
    let mut sessions: Vec<PastSession> = Vec::new();
    for home in homes {
        let folder = pastes_of(&home.history_file());
        // A home without a history is not an error.
        let _ = each_line(&home.history_file(), &mut |bytes| {
            for line in bytes.split(|&byte| byte == b'\n') {
                let typed = HistoryLine::read(line);
                let id = typed.session();
                let begins =
                    id.get(..asked.len()).is_some_and(|start| start.eq_ignore_ascii_case(asked));
                if !begins {
                    continue;
                }
                let mut text = String::new();
                typed.each_text(&|hash| pasted(&folder, hash), |part| {
                    if !text.is_empty() {
                        text.push('\n');
                    }
                    text.push_str(part);
                });
                let prompt = (typed.time, text);
                match sessions.iter_mut().find(|known| known.session.as_str() == id) {
                    Some(known) => known.prompts.push(prompt),
                    None => sessions.push(PastSession {
                        session: SessionId::new(&*id),
                        project: typed.project().into_owned(),
                        prompts: vec![prompt],
                    }),
                }
            }
        });
    }
    sessions
}

fn each_line(path: &Path, each: &mut dyn FnMut(&[u8])) -> std::io::Result<()> {
    LineReader::default().read(&OpenFile::open(path)?, 0..u64::MAX, &mut |bytes, _| {
        each(bytes);
        ControlFlow::Continue(())
    })
}
