//! Groups hits by session, the session with the best hit first.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use unspool_model::ids::SessionId;

use crate::hit::SearchHit;
use unspool_store::rows::SessionRow;

/// The hits of one session.
#[derive(Clone, PartialEq, Debug)]
pub struct HitGroup {
    /// The session.
    pub session: SessionId,
    /// The session's row, unless its file is gone.
    pub row: Option<SessionRow>,
    /// The hits, in their original order.
    pub hits: Vec<SearchHit>,
}

/// Groups hits that are sorted by rank; groups are in the order of their first hits.
pub fn group(hits: Vec<SearchHit>, rows: &[SessionRow]) -> Vec<HitGroup> {
    let rows: HashMap<(Option<&Path>, &SessionId), &SessionRow> =
        rows.iter().map(|row| ((row.home.as_deref(), &row.id), row)).collect();
    let mut places: HashMap<(Option<PathBuf>, SessionId), usize> = HashMap::new();
    let mut groups: Vec<HitGroup> = Vec::new();
    for hit in hits {
        let key = (hit.home.clone(), hit.session.clone());
        let at = *places.entry(key).or_insert_with(|| {
            let row = rows.get(&(hit.home.as_deref(), &hit.session));
            groups.push(HitGroup {
                session: hit.session.clone(),
                row: row.copied().cloned(),
                hits: Vec::new(),
            });
            groups.len() - 1
        });
        groups[at].hits.push(hit);
    }
    groups
}
