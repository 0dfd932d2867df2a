//! Sessions by the names that people gave them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use unspool_model::near::near;

use unspool_store::home::NameError;
use unspool_store::rows::SessionRow;

/// How many similar names an error suggests.
const OFFERED: usize = 5;

/// The given names, each with the logs of the sessions that have it.
#[derive(Default)]
pub(super) struct GivenNames(BTreeMap<String, Vec<PathBuf>>);

impl GivenNames {
    /// Collects the names of the sessions that have one.
    pub(super) fn of(rows: Vec<SessionRow>) -> Self {
        let mut names = Self::default();
        for row in rows {
            if let Some(name) = row.name {
                names.0.entry(name).or_default().push(row.file);
            }
        }
        names
    }

    /// Returns the logs of the sessions with a name. Case is ignored only if no session has exactly
    /// this name.
    pub(super) fn logs(&self, text: &str) -> Option<Vec<&Path>> {
        let text = text.trim();
        if let Some(logs) = self.0.get(text) {
            return Some(logs.iter().map(PathBuf::as_path).collect());
        }
        let lower = text.to_lowercase();
        let alike = self.0.iter().filter(|(name, _)| name.to_lowercase() == lower);
        let logs: Vec<&Path> =
            alike.flat_map(|(_, logs)| logs.iter().map(PathBuf::as_path)).collect();
        (!logs.is_empty()).then_some(logs)
    }

    /// Adds similar names to the error about an unknown one.
    pub(super) fn add_near(&self, error: NameError) -> NameError {
        match error {
            NameError::Unknown { text, near, .. } => {
                NameError::Unknown { names: self.near(&text), text, near }
            }
            other => other,
        }
    }

    /// Lists the names that resemble a text or contain it.
    fn near(&self, text: &str) -> Vec<String> {
        let names: Vec<&str> = self.0.keys().map(String::as_str).collect();
        let mut found = near(text, &names);
        let lower = text.to_lowercase();
        let contains = |name: &&str| name.to_lowercase().contains(&lower);
        let containing: Vec<&str> = names.iter().copied().filter(contains).collect();
        found.extend(
            containing.into_iter().filter(|name| !found.contains(name)).collect::<Vec<_>>(),
        );
        found.into_iter().take(OFFERED).map(str::to_owned).collect()
    }
}
