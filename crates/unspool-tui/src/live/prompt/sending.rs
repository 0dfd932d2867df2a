//! Sends the prompt, and shows the text that has to be read first.

use ratatui::layout::Rect;
use unspool_engine::library::FeedPosition;
use unspool_model::ids::EntryId;
use unspool_render::keys::KeyAction;

use super::{PAGE, PromptScreen, PromptStage, PromptTarget, text_width};
use crate::live::held::{HeldChoice, HeldPrompt};
use crate::live::text::PromptText;
use crate::screen::{Handled, ScreenContext};
use crate::work::WorkRequest;
use crate::work::live::{LiveRequest, PromptOutcome, PromptRequest, PromptWay, StartOptions};

impl PromptScreen {
    pub(super) fn send(&mut self, cx: &mut ScreenContext<'_>) {
        if self.text.text().trim().is_empty() {
            return cx.say("the prompt is empty");
        }
        let run = self.run(cx.board).map(|run| run.run.id.clone());
        let way = match (run, &self.form) {
            (Some(run), _) => PromptWay::Queue { run, prompt: self.ids.prompt.clone() },
            (None, Some(form)) => self.begin(form.options().clone(), None),
            (None, None) => {
                return cx.say("the run is over; the prompt was not sent and is kept as a draft");
            }
        };
        self.ask_to_send(way, self.seen, cx);
    }

    /// Returns the way of a prompt that starts a run; `at` is the last entry of a fork.
    fn begin(&self, options: StartOptions, at: Option<EntryId>) -> PromptWay {
        PromptWay::Begin { run: self.ids.run.clone(), options, at }
    }

    fn ask_to_send(
        &mut self,
        way: PromptWay,
        seen: Option<FeedPosition>,
        cx: &mut ScreenContext<'_>,
    ) {
        if self.subject.is_none() && self.session.is_some() {
            return cx.say("the session is not known any more");
        }
        self.completion.close();
        self.save_draft(cx);
        let request = PromptRequest {
            way,
            subject: self.subject.clone(),
            text: self.text.text(),
            seen,
            width: text_width(cx.size.columns),
        };
        cx.ask(WorkRequest::Live(LiveRequest::Prompt(Box::new(request))));
        self.stage = PromptStage::Sending;
    }

    /// Carries out the decision about a held prompt.
    pub(super) fn decide_held(&mut self, number: usize, cx: &mut ScreenContext<'_>) {
        let PromptStage::Held(held) = &self.stage else {
            return;
        };
        let choice = match held.choice(number) {
            Ok(choice) => choice,
            Err(words) => return cx.say(words),
        };
        match choice {
            HeldChoice::Send => {
                self.stage = PromptStage::Typing;
                // The missed messages have been shown.
                self.seen = None;
                self.send(cx);
            }
            HeldChoice::Fork(at) => self.fork(at, cx),
            HeldChoice::Discard => {
                self.text = PromptText::default();
                self.changed = Some(cx.now);
                self.save_draft(cx);
                cx.say("the prompt is discarded");
                cx.back();
            }
            HeldChoice::Start(start) => {
                cx.ask(WorkRequest::Live(LiveRequest::Start(start)));
                self.stage = PromptStage::Sending;
            }
            HeldChoice::Leave => self.type_on(cx),
        }
    }

    /// Sends the prompt to a fork of the session, in a new run.
    fn fork(&mut self, at: EntryId, cx: &mut ScreenContext<'_>) {
        let options = match &self.form {
            Some(form) => form.options().clone(),
            None => self.options_of_run(cx),
        };
        let way = self.begin(options, Some(at));
        self.ask_to_send(way, None, cx);
    }

    /// Returns the options of a fork's run: the folder and the home of the session's run.
    fn options_of_run(&self, cx: &ScreenContext<'_>) -> StartOptions {
        let plan = self.run(cx.board).map(|run| &run.run.plan);
        StartOptions {
            folder: plan.map(|plan| plan.cwd.display().to_string()),
            home: plan.map(|plan| plan.home.clone()),
            ..StartOptions::new(cx.settings)
        }
    }

    pub(super) fn take_outcome(&mut self, outcome: PromptOutcome, cx: &mut ScreenContext<'_>) {
        match outcome {
            PromptOutcome::Sent(words) => {
                (self.changed, self.kept) = (None, Some(String::new()));
                self.text = PromptText::default();
                cx.say(words);
                cx.refresh_board();
                cx.back();
            }
            PromptOutcome::Held(missed) => self.show_held(HeldPrompt::after_messages(*missed), cx),
            PromptOutcome::Planned(plan) => {
                let is_typed = !matches!(self.target, PromptTarget::NextRun(..));
                let draft = is_typed.then(|| self.draft_name());
                let held = HeldPrompt::before_start(*plan, draft);
                self.show_held(held, cx);
            }
            PromptOutcome::Failed(words) => {
                self.type_on(cx);
                cx.say(words);
            }
        }
    }

    /// Returns to the input, or to the screen below if there is none.
    fn type_on(&mut self, cx: &mut ScreenContext<'_>) {
        self.stage = PromptStage::Typing;
        if matches!(self.target, PromptTarget::NextRun(..)) {
            cx.back();
        }
    }

    /// Shows the text that has to be read before the prompt is sent.
    fn show_held(&mut self, held: HeldPrompt, cx: &ScreenContext<'_>) {
        self.stage = PromptStage::Held(held);
        self.read_on(0, cx);
    }

    /// Scrolls the text that has to be read.
    pub(super) fn read_on(&mut self, lines: isize, cx: &ScreenContext<'_>) {
        // A screen that is too small is not painted, so nothing on it was read.
        if cx.size.is_too_small() {
            return;
        }
        let area = Rect::new(0, 0, cx.size.columns, cx.size.rows);
        let area = self.layout(area).conversation;
        if let PromptStage::Held(held) = &mut self.stage {
            held.scroll_by(lines, area);
        }
    }

    pub(super) fn act_on_held(&mut self, action: KeyAction, cx: &mut ScreenContext<'_>) -> Handled {
        let PromptStage::Held(held) = &mut self.stage else {
            return Handled::No;
        };
        match action {
            KeyAction::LineDown => held.choose_by(1),
            KeyAction::LineUp => held.choose_by(-1),
            KeyAction::PageDown => self.read_on(PAGE as isize, cx),
            KeyAction::PageUp => self.read_on(-(PAGE as isize), cx),
            KeyAction::Open => {
                let chosen = held.chosen();
                self.decide_held(chosen, cx);
            }
            KeyAction::Close => self.type_on(cx),
            _ => return Handled::No,
        }
        Handled::Yes
    }
}
