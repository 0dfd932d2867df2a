//! An answer that is begun before the index is known to be up to date.
//!
//! While the homes are walked, another thread asks the index as it stands. If the walk leads to
//! no change, that answer is the one that would be given afterwards.

use std::panic::resume_unwind;
use std::thread::{Scope, ScopedJoinHandle};

use unspool_engine::home::Home;
use unspool_engine::index::Standing;

use super::{Found, Question, let_go};
use crate::indexed::{Asking, Indexed, folder};
use crate::sessions::{Homes, live_in};
use crate::settings::{Refresh, Settings};

/// An answer that is on its way.
pub(super) struct Early<'s>(ScopedJoinHandle<'s, Option<Answer>>);

struct Answer {
    found: Found,
    standing: Standing,
}

/// Begins to answer a question about all sessions, if the index is to be brought up to date.
pub(super) fn begin<'s>(
    scope: &'s Scope<'s, '_>,
    question: &'s Question,
    homes: &'s Homes,
    settings: &'s Settings,
) -> Option<Early<'s>> {
    let folder = folder(homes, settings)?;
    // Where files that are open cannot be removed, a damaged index could not be built anew.
    if settings.refresh.value == Refresh::Never || cfg!(windows) {
        return None;
    }
    let homes = homes.roots();
    let work = move || answer(question, homes, Standing::open(folder)?);
    Some(Early(scope.spawn(work)))
}

fn answer(question: &Question, homes: &[Home], standing: Standing) -> Option<Answer> {
    let asking = Asking {
        index: &standing.index,
        homes,
        live: &live_in(homes),
    };
    // What goes wrong here is said when the question is asked again, if it goes wrong again.
    let found = question.ask(&standing.text, asking, None).ok()?;
    Some(Answer { found, standing })
}

impl Early<'_> {
    /// Returns what was found, if the index that was brought up to date would say the same.
    pub(super) fn found(self, indexed: &Indexed<'_>) -> Option<Found> {
        if indexed.has_news() {
            // Not worth waiting for.
            return None;
        }
        let answer = self.0.join().unwrap_or_else(|panic| resume_unwind(panic));
        let Answer { found, standing } = answer?;
        let agrees = indexed.agrees_with(&standing);
        let_go(standing.text);
        agrees.then_some(found)
    }
}
