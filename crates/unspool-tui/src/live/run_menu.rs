//! Menus for a run that unspool drives.
//!
//! Each item contains its run, prompt and new value, so a change of the run while a menu is open cannot
//! change the meaning of an item.

use unspool_drive::socket::{LimitChange, LimitsChange};
use unspool_drive::store::PromptRecord;
use unspool_drive::suggestion::mode_words;
use unspool_drive::{MenuModel, PermissionMode, PromptId, PromptState, RunId, RunNeed, RunView};
use unspool_model::time::Time;
use unspool_text::human;
use unspool_text::sanitize;

use super::deadline::{DEADLINES, IDLE_TITLE, WAITING_TITLE};
use crate::menu::{Menu, MenuItem};
use crate::plan_rows::deadline_words;
use crate::work::live::{NextRunKind, RunChange};

/// The width of a prompt in a menu, so that its state fits on 60 columns.
const MOST_PROMPT: usize = 38;
/// The largest width of a model's name and of its description.
const MOST_NOTE: usize = 40;
/// The action of a menu item.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum RunOffer {
    Answer,
    /// Opens the pending request.
    Prompt,
    /// Opens the prompt input.
    Actions,
    /// Opens another menu of the run.
    Menu(RunMenuKind),
    /// Plans a run that continues this one.
    Next(NextRunKind),
    /// Changes the run.
    Change(RunChange),
}

/// A menu of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum RunMenuKind {
    /// All actions.
    Run,
    /// The open prompts.
    Queue,
    /// One open prompt.
    Prompt(PromptId),
    /// The permission modes.
    Permissions,
    /// The models, which the client has to be asked for.
    Models,
    /// Both deadlines.
    Deadlines,
    /// One deadline.
    Deadline(DeadlineKind),
}

/// A deadline of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DeadlineKind {
    Idle,
    Waiting,
}

impl DeadlineKind {
    /// Returns the change that sets the deadline; `None` switches it off.
    pub(super) fn change(self, seconds: Option<u64>) -> RunChange {
        let change = LimitChange::from(seconds);
        RunChange::Limits(match self {
            Self::Idle => LimitsChange { idle: change, ..LimitsChange::default() },
            Self::Waiting => LimitsChange { waiting: change, ..LimitsChange::default() },
        })
    }
}

/// A menu of a run, and the actions of its items.
#[derive(Debug)]
pub(super) struct RunMenu {
    pub(super) run: RunId,
    pub(super) menu: Menu,
    pub(super) offers: Vec<RunOffer>,
    /// The deadline that a typed text sets.
    pub(super) deadline: Option<DeadlineKind>,
}

/// An item and its action.
type OfferedItem = (MenuItem, RunOffer);

impl RunMenu {
    fn new(run: &RunId, title: &str, items: Vec<OfferedItem>) -> Self {
        let (items, offers): (Vec<MenuItem>, Vec<RunOffer>) = items.into_iter().unzip();
        let items = (0..).zip(items);
        let numbered = items.map(|(number, item)| item.with_number(number));
        Self {
            run: run.clone(),
            menu: Menu::new("run", title, numbered.collect()),
            offers,
            deadline: None,
        }
    }

    /// Builds a menu, or returns why there is none.
    pub(super) fn of(kind: &RunMenuKind, run: &RunView, now: Time) -> Result<Self, &'static str> {
        let id = &run.run.id;
        if run.run.state.is_over() && *kind != RunMenuKind::Run {
            return Err("the run is over: `X` says what can be done");
        }
        Ok(match kind {
            RunMenuKind::Run => Self::new(id, "Driven session", run_items(run)),
            RunMenuKind::Queue => {
                let items = queue_items(run);
                if items.is_empty() {
                    return Err("no prompt waits or is worked on");
                }
                Self::new(id, "Queue", items)
            }
            RunMenuKind::Prompt(prompt) => {
                let items = prompt_items(run, prompt);
                if items.is_empty() {
                    return Err("the prompt does not wait any more");
                }
                Self::new(id, "Prompt", items)
            }
            RunMenuKind::Permissions => {
                let now = run.run.mode.as_deref();
                let chosen =
                    PermissionMode::OFFERED.iter().position(|mode| Some(mode.name()) == now);
                let mut made = Self::new(id, "Permissions", mode_items(now));
                made.menu = made.menu.with_numbers().with_chosen(chosen.unwrap_or(0));
                made
            }
            // The models are known only after a request to the client.
            RunMenuKind::Models => return Err("the models are asked for"),
            RunMenuKind::Deadlines => Self::new(id, "Deadlines", deadline_kinds(run, now)),
            RunMenuKind::Deadline(kind) => {
                let title = match kind {
                    DeadlineKind::Idle => IDLE_TITLE,
                    DeadlineKind::Waiting => WAITING_TITLE,
                };
                let mut made = Self::new(id, title, deadline_items(*kind, run));
                made.menu = made.menu.with_typed();
                made.deadline = Some(*kind);
                made
            }
        })
    }

    /// Builds the menu of the client's models.
    pub(super) fn models(run: &RunId, models: &[MenuModel], now: Option<&str>) -> Self {
        let items = models.iter().map(|model| {
            let is_now = Some(model.value.as_str()) == now;
            let note = if is_now { "now" } else { &model.description };
            let name = sanitize::one_line(&model.name, MOST_NOTE);
            let item = MenuItem::numbered(0, name).with_note(sanitize::one_line(note, MOST_NOTE));
            let change = RunChange::Model(model.value.clone());
            (item, RunOffer::Change(change))
        });
        Self::new(run, "Model", items.collect())
    }
}

fn item(key: &str, label: impl Into<String>, offer: RunOffer) -> OfferedItem {
    (MenuItem::numbered(0, label).with_key(key), offer)
}

/// Lists the actions that are possible in the state of the run.
fn run_items(run: &RunView) -> Vec<OfferedItem> {
    let change = |label: &str, change| item("", label, RunOffer::Change(change));
    let next = |label: &str, kind| item("", label, RunOffer::Next(kind));
    let menu = |key: &str, label: &str, kind| item(key, label, RunOffer::Menu(kind));
    let mut items = if run.run.state.is_over() {
        vec![
            next("go on with the session …", NextRunKind::GoOn),
            next("run its last prompt again: tools may run twice …", NextRunKind::Again),
            change("end what is left of it", RunChange::Stop),
        ]
    } else {
        vec![
            item("a", "answer what it waits for", RunOffer::Answer),
            item("i", "write a prompt", RunOffer::Prompt),
            menu("u", "queue: order and cancel prompts …", RunMenuKind::Queue),
            menu("p", "permissions …", RunMenuKind::Permissions),
            menu("M", "model …", RunMenuKind::Models),
            menu("d", "deadlines …", RunMenuKind::Deadlines),
            item("I", "interrupt the turn", RunOffer::Change(RunChange::Interrupt)),
            change("end the run", RunChange::Stop),
        ]
    };
    if run.need() == Some(RunNeed::Held) {
        items.push(change("let its queue go on", RunChange::Release));
    }
    items.push(item("", "everything else …", RunOffer::Actions));
    items
}

fn queue_items(run: &RunView) -> Vec<OfferedItem> {
    let open = run.prompts.iter().filter(|prompt| prompt.state.is_open());
    let items = open.map(|prompt| {
        let text = sanitize::one_line(&prompt.content.text, MOST_PROMPT);
        let note = match prompt.state {
            PromptState::Queued => "waits",
            PromptState::Sent => "the client has it",
            _ => "is worked on",
        };
        let item = MenuItem::numbered(0, text).with_note(note);
        let kind = RunMenuKind::Prompt(prompt.id.clone());
        (item, RunOffer::Menu(kind))
    });
    items.collect()
}

/// Lists the actions on a prompt.
fn prompt_items(run: &RunView, id: &PromptId) -> Vec<OfferedItem> {
    let change = |label: &str, change| item("", label, RunOffer::Change(change));
    let prompt = run.prompts.iter().find(|prompt| prompt.id == *id);
    match prompt.map(|prompt| prompt.state) {
        Some(PromptState::Queued) => {
            let mut items = order_items(run, id);
            items.push(change("cancel it", RunChange::Cancel(id.clone())));
            items
        }
        Some(PromptState::Sent) => {
            vec![change("ask the client to give it back", RunChange::Cancel(id.clone()))]
        }
        Some(PromptState::TakenUp) => vec![change("interrupt the turn", RunChange::Interrupt)],
        _ => Vec::new(),
    }
}

fn order_items(run: &RunView, id: &PromptId) -> Vec<OfferedItem> {
    let is_queued = |prompt: &&PromptRecord| prompt.state == PromptState::Queued;
    let queued = run.prompts.iter().filter(is_queued);
    let queued: Vec<PromptId> = queued.map(|prompt| prompt.id.clone()).collect();
    let Some(at) = queued.iter().position(|it| it == id) else {
        return Vec::new();
    };
    let moved = |label: &str, to: usize| {
        let mut order = queued.clone();
        let prompt = order.remove(at);
        order.insert(to, prompt);
        item("", label, RunOffer::Change(RunChange::Order(order)))
    };
    let last = queued.len() - 1;
    let mut items = Vec::new();
    if at > 0 {
        items.push(moved("send it next", 0));
    }
    if at > 1 {
        items.push(moved("one earlier", at - 1));
    }
    if at < last {
        items.push(moved("one later", at + 1));
    }
    if at + 1 < last {
        items.push(moved("send it last", last));
    }
    items
}

fn mode_items(now: Option<&str>) -> Vec<OfferedItem> {
    let items = PermissionMode::OFFERED.iter().map(|mode| {
        let is_now = Some(mode.name()) == now;
        let item = MenuItem::numbered(0, mode_words(mode.name()));
        let item = item.with_note(if is_now { "now" } else { mode.name() });
        (item, RunOffer::Change(RunChange::Mode(*mode)))
    });
    items.collect()
}

fn deadline_kinds(run: &RunView, now: Time) -> Vec<OfferedItem> {
    let limits = run.run.limits;
    let left = |at: Option<Time>| {
        at.map_or_else(String::new, |at| format!("{} left", human::duration(at.since(now))))
    };
    let open = run.approvals.iter().filter(|it| it.resolution.is_none());
    let waiting = open.filter_map(|it| it.deadline).min();
    let kinds = [
        (
            DeadlineKind::Idle,
            format!("idle: {}", deadline_words(limits.idle)),
            left(run.run.idle_deadline),
        ),
        (
            DeadlineKind::Waiting,
            format!("waiting for an answer: {}", deadline_words(limits.waiting)),
            left(waiting),
        ),
    ];
    let items = kinds.into_iter().map(|(kind, label, note)| {
        let item = MenuItem::numbered(0, label).with_note(note);
        (item, RunOffer::Menu(RunMenuKind::Deadline(kind)))
    });
    items.collect()
}

fn deadline_items(kind: DeadlineKind, run: &RunView) -> Vec<OfferedItem> {
    let limits = run.run.limits;
    let now = match kind {
        DeadlineKind::Idle => limits.idle,
        DeadlineKind::Waiting => limits.waiting,
    };
    let items = DEADLINES.into_iter().map(|seconds| {
        let item = MenuItem::numbered(0, deadline_words(seconds));
        let item = item.with_note(if seconds == now { "now" } else { "" });
        (item, RunOffer::Change(kind.change(seconds)))
    });
    items.collect()
}
