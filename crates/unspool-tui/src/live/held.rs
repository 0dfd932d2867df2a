//! A held prompt: before it is sent, the person has to read either messages that came while it was written,
//! or the plan of the run that it starts. Below the text are the choices.

use ratatui::layout::Rect;
use unspool_model::ids::EntryId;
use unspool_text::human;
use unspool_text::style::{Line, Role};
use unspool_text::wrap::wrap_with;

use crate::canvas::Canvas;
use crate::plan_rows::plan_rows;
use crate::work::live::{MissedMessages, StartPlan, StartRequest};

/// The width of the names of a plan's rows.
const NAMES: usize = 13;

/// What the person decides about a held prompt.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum HeldChoice {
    /// Sends it unchanged.
    Send,
    /// Sends it to a fork after this entry.
    Fork(EntryId),
    /// Deletes it.
    Discard,
    /// Starts the run.
    Start(Box<StartRequest>),
    /// Returns to the input.
    Leave,
}

impl HeldChoice {
    fn words(&self) -> &'static str {
        match self {
            Self::Send => "go on anyway",
            Self::Fork(_) => "go on from what was seen, in a copy of the session",
            Self::Discard => "discard the prompt",
            Self::Start(start) if start.trust.is_some() => "trust this folder, and start it",
            Self::Start(_) => "start it",
            Self::Leave => "not now",
        }
    }
}

/// A held prompt.
#[derive(Debug)]
pub(super) struct HeldPrompt {
    words: String,
    /// The text to read: the prefix of each line, and the line.
    lines: Vec<(Line, Line)>,
    choices: Vec<HeldChoice>,
    chosen: usize,
    scroll: usize,
    /// Set once the end was visible; a run is not started before.
    has_seen_end: bool,
}

impl HeldPrompt {
    /// Holds a prompt because of missed messages. A fork needs an entry to start after.
    pub(super) fn after_messages(missed: MissedMessages) -> Self {
        let came = human::plural(missed.count, "message");
        let mut choices = vec![HeldChoice::Send];
        choices.extend(missed.last_seen.map(HeldChoice::Fork));
        choices.push(HeldChoice::Discard);
        let lines = missed.lines.into_iter();
        Self {
            words: format!("{came} came since you looked; the prompt was not sent"),
            lines: lines.map(|line| (Line::new(), line)).collect(),
            choices,
            chosen: 0,
            scroll: 0,
            has_seen_end: true,
        }
    }

    /// Holds a prompt until its plan was read; `draft` is the name of the prompt's draft.
    pub(super) fn before_start(mut plan: StartPlan, draft: Option<String>) -> Self {
        // `plan.code` lists the broken files of the folder already.
        let in_folder = &plan.code.broken;
        plan.plan.broken.retain(|it| !in_folder.contains(it));
        let words = if plan.is_trusted() {
            "This starts Claude Code"
        } else {
            "This starts Claude Code in a folder that is not trusted"
        };
        let lines = plan_lines(&plan);
        let trust = (!plan.is_trusted()).then_some(plan.code.print);
        let start = StartRequest { run: plan.request, trust, draft };
        Self {
            words: words.to_owned(),
            lines,
            // A double press of Enter must not trust a folder, so another choice is selected.
            chosen: usize::from(start.trust.is_some()),
            choices: vec![HeldChoice::Start(Box::new(start)), HeldChoice::Leave],
            scroll: 0,
            has_seen_end: false,
        }
    }

    /// Returns the choice with an index.
    pub(super) fn choice(&self, number: usize) -> Result<HeldChoice, &'static str> {
        let choice = self.choices.get(number).ok_or("this number chooses nothing")?;
        let needs_reading = matches!(choice, HeldChoice::Start(_)) && !self.has_seen_end;
        if needs_reading {
            return Err("read it to its end first: Space goes on");
        }
        Ok(choice.clone())
    }

    pub(super) fn chosen(&self) -> usize {
        self.chosen
    }

    pub(super) fn choose_by(&mut self, by: isize) {
        let last = self.choices.len() - 1;
        self.chosen = self.chosen.saturating_add_signed(by).min(last);
    }

    /// Scrolls, and records whether the end is visible in an area.
    pub(super) fn scroll_by(&mut self, lines: isize, area: Rect) {
        let text = self.text_area(area);
        let height = usize::from(text.height);
        let count = self.wrapped(text.width).len();
        let last = count.saturating_sub(height);
        self.scroll = self.scroll.saturating_add_signed(lines).min(last);
        self.has_seen_end |= height > 0 && self.scroll >= last;
    }

    fn wrapped(&self, width: u16) -> Vec<Line> {
        let lines = self.lines.iter();
        let width = usize::from(width).max(10);
        lines
            .flat_map(|(before, line)| {
                let rest = Line::of(" ".repeat(before.width()), Role::Plain);
                wrap_with(line, width, before, &rest)
            })
            .collect()
    }

    /// Returns the area of the text, between the heading and the choices.
    fn text_area(&self, area: Rect) -> Rect {
        let below = self.choices.len() as u16 + 1;
        let below = below.min(area.height.saturating_sub(2));
        Rect {
            x: area.x + 2,
            y: area.y + 1,
            width: area.width.saturating_sub(4),
            height: area.height.saturating_sub(1 + below),
        }
    }

    /// Paints the text to read, and the choices below it.
    pub(super) fn view(&self, canvas: &mut Canvas<'_>, area: Rect) {
        canvas.text(area, (0, 0), &format!(" ◆ {}", self.words), Role::Warning);
        let text = self.text_area(area);
        let lines = self.wrapped(text.width);
        canvas.lines(text, lines.iter().skip(self.scroll));
        let rest = lines.len();
        let rest = rest.saturating_sub(self.scroll + usize::from(text.height));
        if rest > 0 {
            let words = format!("─ {} more · Space ", human::plural(rest, "line"));
            let row = text.bottom().saturating_sub(area.y);
            canvas.text(area, (2, row), &words, Role::Warning);
        }
        for (number, choice) in self.choices.iter().enumerate() {
            let row = Rect { y: text.bottom() + 1 + number as u16, height: 1, ..area };
            if row.y >= area.bottom() {
                break;
            }
            let mut line = Line::of(format!("  {} ", number + 1), Role::Id);
            line.add(choice.words(), Role::Plain);
            canvas.line(row, 0, &line.truncated(usize::from(row.width)));
            if number == self.chosen {
                canvas.select(row);
            }
        }
    }
}

/// Lists the rows of a plan, and the settings of the folder that run code.
fn plan_lines(plan: &StartPlan) -> Vec<(Line, Line)> {
    let rows = plan_rows(&plan.plan).into_iter().map(|(name, words)| {
        let role = match name {
            "broken" => Role::Warning,
            _ => Role::Plain,
        };
        let name = Line::of(format!("{name:<NAMES$}"), Role::Muted);
        (name, Line::of(words, role))
    });
    let code = plan.code.lines();
    let words = if code.is_empty() {
        "nothing in the folder runs code now"
    } else {
        "these run code when a client works there:"
    };
    let head = (Line::new(), Line::of(words, Role::Muted));
    let code =
        code.into_iter().map(|words| (Line::of("  ", Role::Plain), Line::of(words, Role::Warning)));
    rows.chain([head]).chain(code).collect()
}
