//! The screen that takes a prompt: for a session that unspool drives, or to go on with one that does not run.

use unspool_drive::{PromptId, RunId};
use unspool_model::ids::SessionId;
use unspool_render::keys::{KeyAction, KeyContext};
use unspool_text::human;
use unspool_text::sanitize;
use unspool_text::style::{Line, Role};
use unspool_text::wrap;

use crate::canvas::Canvas;
use crate::edit_line::EditLine;
use crate::press::{KeyName, KeyPress, LetterUse};
use crate::screen::{Handled, InputMode, ScreenContext, TuiScreen, ViewContext};
use crate::settings::SessionSubject;
use crate::work::live::LiveRequest;
use crate::work::{WorkAnswer, WorkRequest};

/// What becomes of the prompt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PromptTarget {
    /// It goes into the queue of the run.
    Queue,
    /// It begins a run.
    NewRun,
}

/// A prompt that is typed. Alt-Enter begins another line, Enter sends.
pub(crate) struct PromptScreen {
    session: SessionId,
    subject: Option<SessionSubject>,
    target: PromptTarget,
    /// The lines before the one that is typed.
    lines: Vec<String>,
    line: EditLine,
}

impl PromptScreen {
    pub(crate) fn new(session: SessionId) -> Self {
        Self {
            session,
            subject: None,
            target: PromptTarget::Queue,
            lines: Vec::new(),
            line: EditLine::default(),
        }
    }

    /// Goes on with a session that does not run.
    pub(crate) fn beginning(subject: SessionSubject) -> Self {
        Self {
            target: PromptTarget::NewRun,
            subject: Some(subject.clone()),
            ..Self::new(subject.place.session)
        }
    }

    fn text(&self) -> String {
        let mut lines = self.lines.clone();
        lines.push(self.line.text().to_owned());
        lines.join("\n")
    }

    fn new_line(&mut self) {
        self.lines.push(self.line.text().to_owned());
        self.line.clear();
    }

    fn send(&mut self, cx: &mut ScreenContext<'_>) {
        let text = self.text();
        if text.trim().is_empty() {
            return;
        }
        let run = cx.board.run_of(&self.session).map(|run| run.run.id.clone());
        let request = match (run, self.target, &self.subject) {
            (Some(run), _, _) => LiveRequest::Prompt {
                run,
                id: PromptId::random(),
                text,
            },
            (None, PromptTarget::NewRun, Some(subject)) => LiveRequest::Begin {
                run: RunId::random(),
                place: subject.place.clone(),
                text,
            },
            (None, _, _) => {
                cx.say("the run is over; the prompt was not sent");
                return;
            }
        };
        cx.ask_for_program(WorkRequest::Live(request));
        cx.back();
    }
}

impl TuiScreen for PromptScreen {
    fn open(&mut self, cx: &mut ScreenContext<'_>) {
        let card = cx.board.card(&self.session);
        if let Some(card) = card {
            self.subject = Some(card.subject());
        }
    }

    fn has_content(&self) -> bool {
        true
    }

    fn input_mode(&self) -> InputMode {
        InputMode {
            context: KeyContext::Reader,
            letters: LetterUse::Text { is_empty: false },
        }
    }

    fn act(&mut self, action: KeyAction, cx: &mut ScreenContext<'_>) -> Handled {
        match action {
            KeyAction::Fold => self.send(cx),
            KeyAction::Close => cx.back(),
            KeyAction::Quit | KeyAction::Suspend | KeyAction::Redraw => return Handled::No,
            _ => {}
        }
        Handled::Yes
    }

    fn press(&mut self, press: KeyPress, _: &mut ScreenContext<'_>) {
        match press.key {
            KeyName::Enter if press.alt => self.new_line(),
            KeyName::Backspace if self.line.is_empty() => {
                if let Some(before) = self.lines.pop() {
                    self.line = EditLine::of(&before);
                }
            }
            _ => {
                self.line.press(press);
            }
        }
    }

    fn paste(&mut self, text: &str, _: &mut ScreenContext<'_>) {
        let mut lines = text.lines();
        if let Some(first) = lines.next() {
            self.line.insert(first);
        }
        for line in lines {
            self.new_line();
            self.line.insert(line);
        }
    }

    fn answer(&mut self, _: WorkAnswer, _: &mut ScreenContext<'_>) {}

    fn view(&self, canvas: &mut Canvas<'_>, cx: &ViewContext<'_>) {
        let area = canvas.area();
        let mut head = Line::of(" Prompt  ", Role::Title);
        if let Some(subject) = &self.subject {
            head.add(sanitize::one_line(&subject.title, 60), Role::Muted);
        }
        canvas.line(area, 0, &head);
        let mut rows: Vec<Line> = Vec::new();
        if let Some(run) = cx.board.run_of(&self.session) {
            let queued = run.prompts.iter().filter(|prompt| prompt.state.is_open());
            let queued = queued.count();
            let words = format!(
                "   {} · {}",
                run.run.state.stage(),
                format_args!("{} in the queue", human::plural(queued, "prompt"))
            );
            rows.push(Line::of(words, Role::Muted));
            rows.push(Line::new());
        } else if self.target == PromptTarget::NewRun {
            let words = "   It does not run. A new run goes on with it in its folder, and asks before it acts.";
            rows.push(Line::of(words, Role::Muted));
            rows.push(Line::new());
        }
        let width = usize::from(area.width).saturating_sub(4).max(20);
        let before = self.lines.iter();
        let before = before.flat_map(|line| wrap(&Line::of(line.clone(), Role::Plain), width));
        rows.extend(before.map(|line| line.indented(&Line::of("   ", Role::Plain))));
        let mut typed = Line::of(" › ", Role::Id);
        let (seen, cursor) = self.line.window(usize::from(area.width).saturating_sub(4));
        typed.add(seen.to_owned(), Role::Plain);
        let last = rows.len() as u16;
        rows.push(typed);
        let body = ratatui::layout::Rect {
            y: area.y + 1,
            height: area.height.saturating_sub(2),
            ..area
        };
        let hidden = (rows.len() as u16).saturating_sub(body.height);
        canvas.lines(body, rows.iter().skip(usize::from(hidden)));
        let column = (3 + cursor as u16).min(area.width.saturating_sub(1));
        canvas.set_cursor(column, body.y + last.saturating_sub(hidden));
    }

    fn subject(&self) -> Option<SessionSubject> {
        self.subject.clone()
    }

    fn hints(&self) -> Vec<KeyAction> {
        Vec::new()
    }

    fn own_hints(&self) -> Option<&'static [(&'static str, &'static str)]> {
        Some(match self.target {
            PromptTarget::Queue => &[
                ("Enter", "sends it when idle"),
                ("Alt-Enter", "begins a line"),
                ("Esc", "discards it"),
            ],
            PromptTarget::NewRun => &[
                ("Enter", "goes on with it"),
                ("Alt-Enter", "begins a line"),
                ("Esc", "discards it"),
            ],
        })
    }
}
