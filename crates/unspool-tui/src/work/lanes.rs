//! The threads of the lanes.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::{WorkAnswer, WorkCall, WorkContext, WorkLane, WorkQuestion, WorkState};

/// The callback that receives the answers of all lanes.
pub(crate) type AnswerTaker = Arc<dyn Fn(WorkAnswer) + Send + Sync>;

/// The lanes, each started with its first request.
pub(crate) struct Workers {
    context: WorkContext,
    answers: AnswerTaker,
    lanes: BTreeMap<WorkLane, Arc<LaneMailbox>>,
}

/// The requests that a lane has not begun.
#[derive(Default)]
struct LaneMailbox {
    state: Mutex<LaneState>,
    filled: Condvar,
    emptied: Condvar,
}

#[derive(Default)]
struct LaneState {
    waiting: VecDeque<WorkQuestion>,
    is_busy: bool,
}

impl Workers {
    /// Creates the workers without starting a thread.
    pub(crate) fn new(context: WorkContext, answers: AnswerTaker) -> Self {
        Self { context, answers, lanes: BTreeMap::new() }
    }

    /// Puts a request into its lane.
    pub(crate) fn ask(&mut self, question: WorkQuestion) {
        let lane = question.request.lane();
        let mailbox = match self.lanes.get(&lane) {
            Some(mailbox) => Arc::clone(mailbox),
            None => self.start(lane),
        };
        let mut state = mailbox.lock();
        if !lane.keeps_all() {
            state.waiting.clear();
        }
        state.waiting.push_back(question);
        mailbox.filled.notify_one();
    }

    /// Waits until the lanes that answer all requests are done, for each at most `longest`.
    pub(crate) fn finish(&self, longest: Duration) {
        for (_, mailbox) in self.lanes.iter().filter(|(lane, _)| lane.keeps_all()) {
            let is_at_work = |state: &mut LaneState| state.is_busy || !state.waiting.is_empty();
            let state = mailbox.lock();
            // Work that takes longer is cut off when the process ends.
            drop(mailbox.emptied.wait_timeout_while(state, longest, is_at_work));
        }
    }

    fn start(&mut self, lane: WorkLane) -> Arc<LaneMailbox> {
        let mailbox = Arc::new(LaneMailbox::default());
        let (context, answers) = (self.context.clone(), Arc::clone(&self.answers));
        let served = Arc::clone(&mailbox);
        let thread = thread::Builder::new().name(format!("unspool-{lane:?}").to_lowercase());
        // Without the thread the lane never answers, and the program continues with the data it has.
        let _ = thread.spawn(move || serve(&served, context, &answers));
        self.lanes.insert(lane, Arc::clone(&mailbox));
        mailbox
    }
}

impl LaneMailbox {
    fn lock(&self) -> MutexGuard<'_, LaneState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Marks the previous request as done, and waits for the next.
    fn take(&self) -> WorkQuestion {
        let mut state = self.lock();
        loop {
            if let Some(question) = state.waiting.pop_front() {
                state.is_busy = true;
                return question;
            }
            state.is_busy = false;
            self.emptied.notify_all();
            let filled = self.filled.wait(state);
            state = filled.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Answers requests until the process ends.
fn serve(mailbox: &LaneMailbox, context: WorkContext, answers: &AnswerTaker) {
    let mut state = WorkState::new(context);
    loop {
        let WorkQuestion { screen, ticket, request } = mailbox.take();
        let tell = |reply| {
            answers(WorkAnswer { screen, ticket, reply });
        };
        let is_stale = || !mailbox.lock().waiting.is_empty();
        state.answer(request, &mut WorkCall::new(&tell, &is_stale));
    }
}
