//! The state of all running sessions, shared by all screens.
//!
//! A [`LiveBoard`] merges two sources into one list of cards: the inbox, which reads the state of
//! processes, and the runs that unspool drives, whose state is more exact. A worker builds the board; it is
//! immutable.

use unspool_drive::store::ApprovalRecord;
use unspool_drive::{RunNeed, RunView};
use unspool_engine::library::SessionPlace;
use unspool_engine::ops::inbox::{Inbox, InboxItem, LiveGroup};
use unspool_engine::ops::now::SessionNow;
use unspool_model::ids::SessionId;
use unspool_model::time::Time;
use unspool_store::rows::SessionRow;

use crate::settings::{SessionSubject, place_of};

/// The running sessions.
#[derive(Clone, Default, Debug)]
pub(crate) struct LiveBoard {
    /// A card for each session: waiting ones first, in the order in which they began to wait.
    pub(crate) cards: Vec<LiveCard>,
    /// Sessions that ended since the program started, newest first.
    pub(crate) done: Vec<InboxItem>,
    /// The number of ended sessions that are not in `done`.
    pub(crate) done_left: usize,
    /// Set once a worker has read the state; before that, the board is only a placeholder.
    pub(crate) is_known: bool,
}

/// A running session.
#[derive(Clone, Debug)]
pub(crate) struct LiveCard {
    /// The session's row and the state of its process.
    pub(crate) item: InboxItem,
    pub(crate) group: LiveGroup,
    /// The run, if unspool drives the session.
    pub(crate) run: Option<Box<RunView>>,
}

impl LiveBoard {
    /// Merges the inbox with the driven runs. `row` finds the session of a run whose process is not in the
    /// inbox.
    pub(crate) fn new(
        inbox: Inbox,
        runs: Vec<RunView>,
        row: impl Fn(&RunView) -> Option<SessionRow>,
    ) -> Self {
        let Inbox { needs_input, working, idle, done, done_left, .. } = inbox;
        let groups = [
            (LiveGroup::NeedsInput, needs_input),
            (LiveGroup::Working, working),
            (LiveGroup::Idle, idle),
        ];
        let mut runs = RunView::current(runs);
        let mut cards = Vec::new();
        for (group, items) in groups {
            for item in items {
                let driven = runs.iter().position(|run| run.run.session == item.row.id.as_str());
                let run = driven.map(|at| Box::new(runs.swap_remove(at)));
                let group = run.as_deref().map_or(group, group_of);
                cards.push(LiveCard { item, group, run });
            }
        }
        cards.extend(runs.into_iter().filter_map(|run| {
            let item = InboxItem {
                row: row(&run)?,
                process: None,
                since: Some(run.run.made),
                asks: None,
                now: SessionNow::default(),
            };
            let group = group_of(&run);
            let run = Some(Box::new(run));
            Some(LiveCard { item, group, run })
        }));
        cards.sort_by_key(|card| (rank(card.group), card.order()));
        Self { cards, done, done_left, is_known: true }
    }

    /// Returns the card of a session.
    pub(crate) fn card(&self, session: &SessionId) -> Option<&LiveCard> {
        self.cards.iter().find(|card| card.item.row.id == *session)
    }

    /// Returns the run that drives a session.
    pub(crate) fn run_of(&self, session: &SessionId) -> Option<&RunView> {
        self.card(session)?.run.as_deref()
    }

    /// Returns the sessions that wait for a person, longest waiting first.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = SessionPlace> {
        let waiting = self.cards.iter();
        waiting
            .filter(|card| card.group == LiveGroup::NeedsInput)
            .map(|card| place_of(&card.item.row))
    }

    /// Counts the sessions of a group.
    pub(crate) fn count(&self, group: LiveGroup) -> usize {
        self.cards.iter().filter(|card| card.group == group).count()
    }

    /// Returns the runs that unspool drives.
    pub(crate) fn runs(&self) -> impl Iterator<Item = &RunView> {
        self.cards.iter().filter_map(|card| card.run.as_deref())
    }
}

impl LiveCard {
    /// Returns the run's pending approvals, the oldest first.
    pub(crate) fn approvals(&self) -> impl Iterator<Item = &ApprovalRecord> {
        let approvals = self.run.iter().flat_map(|run| &run.approvals);
        approvals.filter(|approval| approval.resolution.is_none())
    }

    /// Returns the time since which the session is in its group.
    pub(crate) fn since(&self) -> Option<Time> {
        self.approvals().map(|approval| approval.asked).next().or(self.item.since)
    }

    pub(crate) fn subject(&self) -> SessionSubject {
        SessionSubject::of_row(&self.item.row)
    }

    /// Sorts waiting sessions by the start of their wait, others newest first.
    fn order(&self) -> (i64, String) {
        let since = self.since().map_or(0, Time::as_millis);
        let order = match self.group {
            LiveGroup::NeedsInput => since,
            LiveGroup::Working | LiveGroup::Idle => -since,
        };
        (order, self.item.row.id.as_str().to_owned())
    }
}

fn group_of(run: &RunView) -> LiveGroup {
    match run.need() {
        // A run that was lost waits as well: a person decides whether it continues.
        Some(RunNeed::Answer | RunNeed::Held | RunNeed::Budget | RunNeed::Over) => {
            LiveGroup::NeedsInput
        }
        Some(RunNeed::Idle) => LiveGroup::Idle,
        None => LiveGroup::Working,
    }
}

fn rank(group: LiveGroup) -> u8 {
    match group {
        LiveGroup::NeedsInput => 0,
        LiveGroup::Working => 1,
        LiveGroup::Idle => 2,
    }
}
