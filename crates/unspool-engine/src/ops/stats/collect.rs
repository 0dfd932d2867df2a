//! Computes totals from the index.

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::known::session_key;
use super::{SessionMeta, StatsSource, Totals};
use unspool_store::home::Home;
use unspool_store::index::{CatalogueError, Damaged, Index, LedgerRow};

/// Combines the ledgers of all files in some homes, and queries them.
///
/// `sessions` contains all sessions of these homes: those that are not selected still decide which
/// rows are copies. A file of a session that is not in the list counts if all sessions are selected.
pub fn collect<T>(
    index: &Index,
    homes: &[Home],
    sessions: &[SessionMeta],
    ask: impl FnOnce(&Totals<'_>) -> Result<T, Damaged>,
) -> Result<T, CatalogueError> {
    let rows = index.ledgers(homes)?;
    let listed = sessions.iter().map(|meta| (session_key(meta), meta));
    let listed: HashMap<_, _, FixedState> = listed.collect();
    let everything = sessions.iter().all(|meta| meta.selected);
    let session_of = |row: &LedgerRow| {
        let key = (Some(row.home.as_path()), Some(&row.project), &row.session);
        let meta = listed.get(&key).copied();
        meta.map_or_else(|| Cow::Owned(unlisted(row, everything)), Cow::Borrowed)
    };
    let metas: Vec<Cow<'_, SessionMeta>> = rows.iter().map(session_of).collect();
    let sources = rows.iter().zip(&metas).map(|(row, meta)| StatsSource {
        session: meta,
        agent: row.agent.as_ref(),
        file: &row.path,
        ledger: Cow::Borrowed(&row.ledger),
    });
    Ok(ask(&Totals::new(sources)?)?)
}

/// Returns the facts of a session that is not in the list.
fn unlisted(row: &LedgerRow, selected: bool) -> SessionMeta {
    SessionMeta {
        id: row.session.clone(),
        home: Some(row.home.clone()),
        project: Some(row.project.clone()),
        cwd: None,
        title: None,
        started: None,
        bytes: 0,
        agents: 0,
        selected,
    }
}
