//! Searches the index before it is known to be up to date.
//!
//! While the homes are walked, another thread queries the index as it is. If the walk finds no
//! change, the answer of that thread is also the answer of the updated index.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::{Scope, ScopedJoinHandle};

use super::{FoundHits, SearchQuestion, SearchScope};
use crate::library::index::IndexView;
use crate::library::settings::RefreshPolicy;
use crate::library::walk::{HomesWalk, live_in};
use crate::library::{Library, locked};
use unspool_search::OpenedIndex;
use unspool_store::home::Home;

/// A thread that is working on an answer.
pub(super) struct SpeculativeSearch<'s>(ScopedJoinHandle<'s, Option<(FoundHits, OpenedIndex)>>);

impl<'s> SpeculativeSearch<'s> {
    /// Begins to search all sessions, if this request updates the index.
    pub(super) fn begin(
        threads: &'s Scope<'s, '_>,
        question: &'s SearchQuestion,
        library: &'s Library,
    ) -> Option<Self> {
        let folder = library.index_folder()?;
        // On Windows a rebuild of a damaged index could not delete files that the thread has open.
        if library.refresh_policy() == RefreshPolicy::OnDemand || cfg!(windows) {
            return None;
        }
        let homes = library.homes();
        let work = move || ask(question, homes, OpenedIndex::open(folder)?);
        Some(Self(threads.spawn(work)))
    }

    /// Returns the result, if a search of the updated index would return the same.
    pub(super) fn take(
        self,
        scope: &SearchScope,
        library: &Library,
        walk: &HomesWalk,
    ) -> Option<FoundHits> {
        if scope.refreshed_sessions > 0 {
            // Sessions were read since, so the answer is outdated.
            return None;
        }
        let answer = self.0.join().unwrap_or_else(|panic| resume_unwind(panic));
        let (found, opened) = answer?;
        let now = library.settings.clock.now();
        let agrees = library
            .with_index(|index| Ok(opened.agrees_with(index, walk.roots(), walk.walked(), now)));
        *locked(&library.text) = Some(Arc::new(opened.text));
        agrees.unwrap_or(false).then_some(found)
    }
}

fn ask(
    question: &SearchQuestion,
    homes: &[Home],
    opened: OpenedIndex,
) -> Option<(FoundHits, OpenedIndex)> {
    let view = IndexView { index: &opened.index, homes, live: &live_in(homes) };
    // The search after the update reports the error, if it fails again.
    let found = question.ask(&opened.text, view, None).ok()?;
    Some((found, opened))
}
