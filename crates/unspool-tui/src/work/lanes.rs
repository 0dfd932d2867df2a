//! The threads of the lanes.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::{WorkAnswer, WorkCall, WorkContext, WorkLane, WorkQuestion, WorkState};

/// Takes the answers of all lanes.
pub(crate) type AnswerTaker = Arc<dyn Fn(WorkAnswer) + Send + Sync>;

/// The lanes that have been asked something.
pub(crate) struct Workers {
    context: WorkContext,
    answers: AnswerTaker,
    lanes: BTreeMap<WorkLane, Arc<LaneMailbox>>,
}

/// The requests that a lane has not begun with.
#[derive(Default)]
struct LaneMailbox {
    waiting: Mutex<VecDeque<WorkQuestion>>,
    filled: Condvar,
}

impl Workers {
    /// Starts no thread yet.
    pub(crate) fn new(context: WorkContext, answers: AnswerTaker) -> Self {
        Self {
            context,
            answers,
            lanes: BTreeMap::new(),
        }
    }

    /// Puts a request into its lane.
    pub(crate) fn ask(&mut self, question: WorkQuestion) {
        let lane = question.request.lane();
        let mailbox = match self.lanes.get(&lane) {
            Some(mailbox) => Arc::clone(mailbox),
            None => self.start(lane),
        };
        let mut waiting = mailbox.lock();
        if lane != WorkLane::Act {
            waiting.clear();
        }
        waiting.push_back(question);
        mailbox.filled.notify_one();
    }

    fn start(&mut self, lane: WorkLane) -> Arc<LaneMailbox> {
        let mailbox = Arc::new(LaneMailbox::default());
        let (context, answers) = (self.context.clone(), Arc::clone(&self.answers));
        let served = Arc::clone(&mailbox);
        let thread = thread::Builder::new().name(format!("unspool-{lane:?}").to_lowercase());
        // Without a thread the lane stays silent, and the program goes on with what it has.
        let _ = thread.spawn(move || serve(&served, context, &answers));
        self.lanes.insert(lane, Arc::clone(&mailbox));
        mailbox
    }
}

impl LaneMailbox {
    fn lock(&self) -> MutexGuard<'_, VecDeque<WorkQuestion>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a request.
    fn take(&self) -> WorkQuestion {
        let mut waiting = self.lock();
        loop {
            if let Some(question) = waiting.pop_front() {
                return question;
            }
            let filled = self.filled.wait(waiting);
            waiting = filled.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Answers requests until the program has ended.
fn serve(mailbox: &LaneMailbox, context: WorkContext, answers: &AnswerTaker) {
    let mut state = WorkState::new(context);
    loop {
        let WorkQuestion {
            screen,
            ticket,
            request,
        } = mailbox.take();
        let tell = |reply| {
            answers(WorkAnswer {
                screen,
                ticket,
                reply,
            });
        };
        let is_stale = || !mailbox.lock().is_empty();
        state.answer(request, &mut WorkCall::new(&tell, &is_stale));
    }
}
