//! An answer that is begun before the index is known to be up to date.
//!
//! While the homes are walked, another thread asks the index as it is. If the walk leads to no
//! change, that answer is the one that would be given afterwards.

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

/// An answer that a thread is working on.
pub(super) struct EarlyAnswer<'s>(ScopedJoinHandle<'s, Option<(FoundHits, OpenedIndex)>>);

impl<'s> EarlyAnswer<'s> {
    /// Begins to answer a question about all sessions, if the index is brought up to date first.
    pub(super) fn begin(
        threads: &'s Scope<'s, '_>,
        question: &'s SearchQuestion,
        library: &'s Library,
    ) -> Option<Self> {
        let folder = library.index_folder()?;
        // Where open files cannot be removed, a damaged index could not be rebuilt.
        if library.refresh_policy() == RefreshPolicy::OnDemand || cfg!(windows) {
            return None;
        }
        let homes = library.homes();
        let work = move || ask(question, homes, OpenedIndex::open(folder)?);
        Some(Self(threads.spawn(work)))
    }

    /// Returns what was found, if the index that was brought up to date would say the same.
    pub(super) fn take(
        self,
        scope: &SearchScope,
        library: &Library,
        walk: &HomesWalk,
    ) -> Option<FoundHits> {
        if scope.news > 0 {
            // The answer is an old one, so it is not waited for.
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
    // A failure is told when the question is asked again, if it fails again.
    let found = question.ask(&opened.text, view, None).ok()?;
    Some((found, opened))
}
