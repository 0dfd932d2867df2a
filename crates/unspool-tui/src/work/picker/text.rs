//! Full-text search with the query language of `unspool search`, and one row for each session found.

use std::collections::HashMap;
use std::fmt;

use unspool_engine::library::{
    CollectedNotes, HitsLeft, Library, LibraryError, LibraryNote, SearchRequest, SessionPlace,
};
use unspool_model::ids::EntryId;
use unspool_model::query::TextRole;
use unspool_model::time::Time;
use unspool_search::hit::{SearchHit, SnippetSize};
use unspool_store::filter::{Here, RowFilter};
use unspool_store::rows::SessionRow;

use super::rows::{PickerRows, RowKey, ScopeFolders};
use super::saved::PickerScope;
use crate::settings::TuiSettings;

/// The number of hits, in total and for each session. Chosen by judgement: more sessions than a person
/// looks through.
const HITS: usize = 300;
const OF_SESSION: usize = 6;
/// The largest width of a snippet, in characters.
const SNIPPET: usize = 160;

/// The best hit of a session.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct FoundText {
    pub(crate) entry: Option<EntryId>,
    pub(crate) role: TextRole,
    /// Set if an agent said it.
    pub(crate) is_agent: bool,
    /// The snippet, on one line.
    pub(crate) text: String,
    /// The matches, in characters of the text.
    pub(crate) marks: Vec<std::ops::Range<usize>>,
    /// The number of further hits in the session.
    pub(crate) more: usize,
    /// Set if there may be more than counted.
    pub(crate) has_more: bool,
}

/// The number of sessions found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TextCount {
    pub(crate) sessions: usize,
    /// Set if there may be more.
    pub(crate) is_cut: bool,
}

impl fmt::Display for TextCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let more = if self.is_cut { "+" } else { "" };
        let noun = if self.sessions == 1 { "session" } else { "sessions" };
        write!(f, "{}{more} {noun}", self.sessions)
    }
}

/// The result of a search.
#[derive(Debug, Default)]
pub(crate) struct TextResults {
    /// The sessions, best first.
    pub(crate) rows: PickerRows,
    /// The best hit of each session.
    pub(crate) found: HashMap<RowKey, FoundText>,
    /// The words of the query, without filters.
    pub(crate) words: String,
    /// The percentage of the logs that is searchable; `None` if all of them are.
    pub(crate) coverage: Option<u64>,
    /// Set if there may be more hits.
    pub(crate) is_cut: bool,
    /// Remarks for the person, such as a word that may be a mistyped filter.
    pub(crate) remarks: Vec<String>,
}

/// Runs a search.
pub(crate) fn search(
    settings: &TuiSettings,
    text: &str,
    scope: PickerScope,
) -> Result<TextResults, String> {
    let library: &Library = &settings.library;
    let folders = ScopeFolders::of(&settings.here);
    let notes = CollectedNotes::default();
    let request = SearchRequest {
        filter: RowFilter { here: here_of(&folders, scope), ..settings.filter.clone() },
        limit: HITS,
        of_session: Some(OF_SESSION),
        extent: SnippetSize { width: SNIPPET, context: 0 },
        zone: settings.zone.clone(),
        ..SearchRequest::ranked(text)
    };
    let answer = match library.search(&request, &notes) {
        Ok(answer) => answer,
        Err(LibraryError::EmptyQuery) => return Ok(TextResults::default()),
        Err(error) => return Err(error.to_string()),
    };
    let mut results = TextResults {
        words: answer.words,
        is_cut: answer.left == HitsLeft::Perhaps,
        ..TextResults::default()
    };
    for hit in &answer.hits {
        results.add(hit, &folders, &answer.rows);
    }
    for missing in &answer.missing {
        let near = missing.near.as_ref();
        let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        let words = format!("no text has `{}`{near}", missing.word);
        results.remarks.push(words);
    }
    let unmatched = answer.unmatched.iter();
    results.remarks.extend(unmatched.map(ToString::to_string));
    for note in notes.take() {
        match note {
            LibraryNote::TextPartial(coverage) => {
                results.coverage = Some(coverage.covered * 100 / coverage.total.max(1));
            }
            LibraryNote::QueryHint(hint) => results.remarks.push(hint.to_string()),
            _ => {}
        }
    }
    Ok(results)
}

/// Returns the folders of a scope; `None` for everywhere.
fn here_of(folders: &ScopeFolders, scope: PickerScope) -> Option<Here> {
    match scope {
        PickerScope::Here => Some(folders.here.clone()),
        PickerScope::Repository => {
            let repository = folders.repository.clone();
            Some(repository.unwrap_or_else(|| folders.here.clone()))
        }
        PickerScope::Everywhere => None,
    }
}

impl TextResults {
    pub(crate) fn count(&self) -> TextCount {
        TextCount { sessions: self.rows.len(), is_cut: self.is_cut }
    }

    fn add(&mut self, hit: &SearchHit, folders: &ScopeFolders, rows: &[SessionRow]) {
        let place = SessionPlace {
            home: hit.home.clone(),
            project: hit.project.clone(),
            session: hit.session.clone(),
        };
        let is_meant = |row: &&SessionRow| row.id == hit.session && row.home == hit.home;
        let key = if let Some(row) = rows.iter().find(is_meant) {
            self.rows.add(row, folders);
            RowKey::of(&crate::settings::place_of(row))
        } else {
            let time = hit.time.unwrap_or(Time::from_millis(0));
            let title = "a session whose log is gone";
            self.rows.add_gone(&place, title, time);
            RowKey::of(&place)
        };
        if let Some(found) = self.found.get_mut(&key) {
            found.more += 1;
            found.has_more = self.is_cut && found.more + 1 >= OF_SESSION;
            return;
        }
        self.found.insert(
            key,
            FoundText {
                entry: hit.entry.clone(),
                role: hit.role,
                is_agent: hit.agent.is_some(),
                // Line breaks become spaces, which keeps the character offsets of the matches.
                text: hit.snippet.text.replace(['\n', '\r', '\t'], " "),
                marks: hit.snippet.matches.clone(),
                more: 0,
                has_more: false,
            },
        );
    }
}
