//! Hits by session, the session with the best hit first.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use unspool_model::ids::SessionId;

use crate::hit::Hit;
use unspool_store::rows::Row;

/// The hits of one session.
#[derive(Clone, PartialEq, Debug)]
pub struct Group {
    /// The session.
    pub session: SessionId,
    /// The session's row, unless its file is gone.
    pub row: Option<Row>,
    /// Its hits, in the order in which they came.
    pub hits: Vec<Hit>,
}

/// Puts hits that came best first into groups; a group stands where its first hit stood.
pub fn group(hits: Vec<Hit>, rows: &[Row]) -> Vec<Group> {
    let rows: HashMap<(Option<&Path>, &SessionId), &Row> = rows
        .iter()
        .map(|row| ((row.home.as_deref(), &row.id), row))
        .collect();
    let mut places: HashMap<(Option<PathBuf>, SessionId), usize> = HashMap::new();
    let mut groups: Vec<Group> = Vec::new();
    for hit in hits {
        let key = (hit.home.clone(), hit.session.clone());
        let at = *places.entry(key).or_insert_with(|| {
            let row = rows.get(&(hit.home.as_deref(), &hit.session));
            groups.push(Group {
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
