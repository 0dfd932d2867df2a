//! From the index to totals.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::PathBuf;

use unspool_model::ids::{AgentId, ProjectId, SessionId};

use super::{SessionMeta, Source, Totals};
use unspool_store::home::Home;
use unspool_store::index::{CatalogueError, Index, LedgerRow};

/// Lays the ledgers of all files in some homes side by side, one in memory at a time.
///
/// `sessions` are all sessions of these homes: those that were not asked for decide what is a
/// copy. A file of a session that is not among them counts if all of them were asked for.
/// Each ledger is then handed to the caller, which may explain it.
pub fn collect(
    index: &Index,
    homes: &[Home],
    sessions: &[SessionMeta],
    mut give: impl FnMut(&SessionMeta, LedgerRow),
) -> Result<Totals, CatalogueError> {
    let mut totals = Totals::default();
    let known: HashMap<_, &SessionMeta> = sessions.iter().map(|meta| (key(meta), meta)).collect();
    let everything = sessions.iter().all(|meta| meta.selected);
    index.ledgers(homes, |row| {
        let at = (
            Some(row.home.clone()),
            Some(ProjectId::new(row.project.as_str())),
            row.session.clone(),
        );
        let session = known.get(&at).map_or_else(
            || Cow::Owned(unlisted(&row, everything)),
            |session| Cow::Borrowed(*session),
        );
        totals.add(&Source {
            session: &session,
            agent: row.agent.as_deref().map(AgentId::new).as_ref(),
            file: &row.path,
            ledger: &row.ledger,
        });
        give(&session, row);
    })?;
    Ok(totals)
}

fn key(session: &SessionMeta) -> (Option<PathBuf>, Option<ProjectId>, SessionId) {
    (
        session.home.clone(),
        session.project.clone(),
        session.id.clone(),
    )
}

/// Stands for a session that no list has.
fn unlisted(row: &LedgerRow, selected: bool) -> SessionMeta {
    SessionMeta {
        id: row.session.clone(),
        home: Some(row.home.clone()),
        project: Some(ProjectId::new(row.project.as_str())),
        cwd: None,
        title: None,
        started: None,
        bytes: 0,
        agents: 0,
        selected,
    }
}
