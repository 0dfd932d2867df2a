//! The reader's screen: a stack of conversations, panes, a search line.

use unspool_engine::library::{LibraryEvent, SessionPlace, WatchedSession};
use unspool_model::ids::EntryId;
use unspool_model::positions::PathNumber;
use unspool_render::keys::{KeyAction, KeyContext};
use unspool_render::terminal::{DetailLevel, DiffSides, FoldLevel};

use super::layout::ReadLayout;
use super::pane::{OpenPane, PaneList, SidePane};
use super::strand::{OpenConversation, ReadSearch};
use crate::canvas::Canvas;
use crate::edit_line::{EditLine, LineEdit};
use crate::event::{MouseInput, MouseKind, ScreenSize};
use crate::press::{KeyPress, LetterUse};
use crate::screen::{Handled, InputMode, ScreenContext, TuiScreen, ViewContext};
use crate::settings::{PickerUse, SessionSubject, StartScreen};
use crate::work::reader::aside::{AsidePart, ReadPane};
use crate::work::reader::{LayoutRequest, ReadStyle, ReadTarget, ReaderReply, ReaderRequest};
use crate::work::{WorkAnswer, WorkReply, WorkRequest};

/// How many rows the wheel scrolls.
const WHEEL: isize = 3;

/// The least width for changes side by side.
pub(super) const SIDES_FROM: u16 = 120;

/// The part of the screen that keys move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ReadFocus {
    Text,
    Outline,
    Pane,
}

/// The purpose of the reader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ReaderUse {
    Browse,
    /// Editing a prompt: the chosen message is inserted into it.
    Insert,
}

/// The reader.
pub(crate) struct ReaderScreen {
    pub(super) usage: ReaderUse,
    pub(super) place: SessionPlace,
    /// The stack of conversations, the visible one last, each on top of the one that opened it. Never
    /// empty.
    pub(super) strands: Vec<OpenConversation>,
    pub(super) calls: FoldLevel,
    pub(super) thinking: DetailLevel,
    pub(super) sides: DiffSides,
    /// The number of the current layout.
    pub(super) generation: u64,
    /// Set if the files have to be checked for changes.
    pub(super) is_outdated: bool,
    /// The entry to go to.
    pub(super) at: Option<EntryId>,
    pub(super) size: ScreenSize,
    pub(super) has_outline: bool,
    pub(super) outline: PaneList,
    pub(super) pane: Option<OpenPane>,
    pub(super) focus: ReadFocus,
    /// The search that is being typed.
    pub(super) typed: Option<EditLine>,
    /// The unanswered requests.
    pub(super) asked: Vec<AsidePart>,
    /// Set while the mouse drags the scroll bar.
    pub(super) drags_bar: bool,
}

impl ReaderScreen {
    pub(crate) fn new(place: SessionPlace, at: Option<EntryId>, find: Option<String>) -> Self {
        let mut strand = OpenConversation::new(ReadTarget::default(), 1);
        let find = find.filter(|text| !text.is_empty());
        // The search runs as soon as the conversation is read.
        strand.search = find.as_deref().map(ReadSearch::new);
        Self {
            usage: ReaderUse::Browse,
            place,
            strands: vec![strand],
            calls: FoldLevel::Summary,
            thinking: DetailLevel::Folded,
            sides: DiffSides::One,
            generation: 0,
            is_outdated: false,
            at,
            size: ScreenSize { columns: 80, rows: 24 },
            has_outline: true,
            outline: PaneList::default(),
            pane: None,
            focus: ReadFocus::Text,
            typed: None,
            asked: Vec::new(),
            drags_bar: false,
        }
    }

    /// Opens a session and follows its end.
    pub(crate) fn following(place: SessionPlace) -> Self {
        let mut screen = Self::new(place, None, None);
        screen.strand_mut().follows = true;
        screen
    }

    /// Opens a session and the files that it changed.
    pub(crate) fn with_files(place: SessionPlace) -> Self {
        Self {
            pane: Some(OpenPane::new(SidePane::Rows(ReadPane::Files))),
            focus: ReadFocus::Pane,
            ..Self::new(place, None, None)
        }
    }

    pub(super) fn strand(&self) -> &OpenConversation {
        self.strands.last().expect("one conversation stays open")
    }

    pub(super) fn strand_mut(&mut self) -> &mut OpenConversation {
        self.strands.last_mut().expect("one conversation stays open")
    }

    /// Returns the number of open conversations.
    pub(super) fn depth(&self) -> usize {
        self.strands.len()
    }

    pub(super) fn layout(&self) -> ReadLayout {
        ReadLayout::of(self.size, self.has_outline, self.pane.is_some())
    }

    pub(super) fn style(&self) -> ReadStyle {
        ReadStyle {
            width: self.layout().text_width(),
            calls: self.calls,
            thinking: self.thinking,
            sides: self.sides(),
            folds: self.strand().document.folds(),
        }
    }

    /// Returns the layout of changes: side by side if wanted and if there is room.
    fn sides(&self) -> DiffSides {
        match self.sides {
            DiffSides::Two if self.size.columns >= SIDES_FROM => DiffSides::Two,
            _ => DiffSides::One,
        }
    }

    /// Opens the conversation of an agent on top.
    pub(super) fn open_agent(&mut self, agent: &str, cx: &mut ScreenContext<'_>) {
        let target = ReadTarget { agent: Some(agent.to_owned()), path: None };
        let height = self.layout().text_height();
        self.close_pane();
        self.strands.push(OpenConversation::new(target, height));
        self.asked.clear();
        self.at = None;
        self.request_layout(cx);
    }

    /// Returns to the conversation below; returns whether there is one.
    pub(super) fn leave_agent(&mut self, cx: &mut ScreenContext<'_>) -> bool {
        if self.strands.len() == 1 {
            return false;
        }
        self.strands.pop();
        self.asked.clear();
        // The size of the screen and the fold levels may have changed meanwhile.
        let height = self.layout().text_height();
        let strand = self.strand_mut();
        strand.resize(height);
        (strand.outline_print, strand.aside_print) = (None, None);
        self.lay_out_all(cx);
        true
    }

    /// Shows another path.
    pub(super) fn turn_to_path(&mut self, number: PathNumber, cx: &mut ScreenContext<'_>) {
        let strand = self.strand_mut();
        let Some(facts) = &mut strand.facts else {
            return;
        };
        if facts.path == Some(number) {
            return;
        }
        let mut paths = facts.paths.iter();
        let is_active = paths.any(|path| path.number == number && path.is_active);
        // A target without a number stays on the active path when that changes.
        strand.target.path = (!is_active).then_some(number);
        strand.flipped_to = None;
        strand.follows = false;
        // A fingerprint of zero matches no facts, so the worker sends those of the new path.
        facts.print = 0;
        self.generation += 1;
        self.ask_for_path(cx);
    }

    /// Requests the facts of a path that is not shown, without an entry to stay on.
    pub(super) fn ask_for_path(&mut self, cx: &mut ScreenContext<'_>) {
        let strand = self.strand();
        let request = LayoutRequest {
            place: self.place.clone(),
            target: strand.target.clone(),
            refresh: false,
            known: Some(0),
            stay: None,
            at: self.at.clone(),
            style: self.style(),
            generation: self.generation,
            ranges: Vec::new(),
        };
        cx.ask(WorkRequest::Reader(ReaderRequest::Read(Box::new(request))));
    }

    /// Reads a replaced log from its start.
    pub(super) fn read_again(&mut self, cx: &mut ScreenContext<'_>) {
        let height = self.layout().text_height();
        self.strands.truncate(1);
        self.strands[0] = OpenConversation::new(ReadTarget::default(), height);
        self.at = None;
        self.generation += 1;
        self.is_outdated = true;
        self.request_layout(cx);
    }
}

impl TuiScreen for ReaderScreen {
    fn open(&mut self, cx: &mut ScreenContext<'_>) {
        self.size = cx.size;
        if cx.settings.start == StartScreen::Picker(PickerUse::Insert) {
            self.usage = ReaderUse::Insert;
        }
        let height = self.layout().text_height();
        self.strand_mut().resize(height);
        self.request_layout(cx);
    }

    fn has_content(&self) -> bool {
        let strand = self.strand();
        let is_laid =
            strand.document.is_empty() || strand.document.is_fresh(strand.cursor.message());
        strand.problem.is_some() || (strand.facts.is_some() && is_laid)
    }

    fn defers(&self, _: KeyAction) -> bool {
        // Actions wait only for the first lines; after a jump they need not.
        let strand = self.strand();
        let has_lines = strand.document.is_empty() || strand.document.has_lines();
        strand.problem.is_none() && (strand.facts.is_none() || !has_lines)
    }

    fn input_mode(&self) -> InputMode {
        match self.typed {
            Some(_) => InputMode {
                context: KeyContext::Reader,
                // Every letter is text, even the first one.
                letters: LetterUse::Text { is_empty: false },
            },
            None => InputMode::READER,
        }
    }

    fn act(&mut self, action: KeyAction, cx: &mut ScreenContext<'_>) -> Handled {
        let handled = match self.typed {
            Some(_) => self.act_typing(action, cx),
            None => self.act_reading(action, cx),
        };
        self.follow_cursor();
        self.request_layout(cx);
        self.request_outdated_asides(cx);
        handled
    }

    fn press(&mut self, press: KeyPress, cx: &mut ScreenContext<'_>) {
        if let Some(line) = &mut self.typed
            && line.press(press) == LineEdit::Unknown
        {
            cx.say("Enter searches, Esc closes");
        }
    }

    fn paste(&mut self, text: &str, _: &mut ScreenContext<'_>) {
        if let Some(line) = &mut self.typed {
            line.insert(text);
        }
    }

    fn mouse(&mut self, mouse: MouseInput, cx: &mut ScreenContext<'_>) {
        match mouse.kind {
            MouseKind::Press => self.click(mouse, cx),
            MouseKind::Drag if self.drags_bar => {
                let area = self.layout().transcript;
                let row = usize::from(mouse.row.saturating_sub(area.y));
                self.strand_mut().go_to_share(row, usize::from(area.height));
            }
            MouseKind::Drag => {}
            MouseKind::Release => self.drags_bar = false,
            MouseKind::WheelUp | MouseKind::WheelDown => {
                let rows = if mouse.kind == MouseKind::WheelUp { -WHEEL } else { WHEEL };
                self.wheel(mouse, rows);
            }
        }
        self.follow_cursor();
        self.request_layout(cx);
    }

    fn chosen(&mut self, menu: &'static str, item: usize, cx: &mut ScreenContext<'_>) {
        if menu == "paths" {
            self.turn_to_path(PathNumber::at(item), cx);
        }
    }

    fn answer(&mut self, answer: WorkAnswer, cx: &mut ScreenContext<'_>) {
        match answer.reply {
            WorkReply::Reader(ReaderReply::Read(reply)) => self.take_lines(*reply, cx),
            WorkReply::Reader(ReaderReply::Aside(reply)) => self.take_aside(*reply, cx),
            WorkReply::Picker(_) | WorkReply::Live(_) | WorkReply::Act(_) => {}
        }
    }

    fn news(&mut self, news: &[LibraryEvent], cx: &mut ScreenContext<'_>) {
        let session = &self.place.session;
        let is_own = |event: &LibraryEvent| match event {
            LibraryEvent::LiveBegan(live)
            | LibraryEvent::LiveChanged(live)
            | LibraryEvent::LiveEnded(live) => live.session == *session,
            event => event.session().is_some_and(|own| own.session == *session),
        };
        if news.iter().any(is_own) {
            self.is_outdated = true;
            self.request_layout(cx);
        }
    }

    fn resized(&mut self, cx: &mut ScreenContext<'_>) {
        self.size = cx.size;
        let height = self.layout().text_height();
        for strand in &mut self.strands {
            strand.resize(height);
        }
        self.lay_out_all(cx);
        self.request_pane(cx);
        self.request_outdated_asides(cx);
    }

    fn view(&self, canvas: &mut Canvas<'_>, cx: &ViewContext<'_>) {
        self.paint(canvas, cx);
    }

    fn subject(&self) -> Option<SessionSubject> {
        let strand = self.strand();
        let facts = strand.facts.as_ref()?;
        let watched = facts.watched.as_ref();
        Some(SessionSubject {
            place: self.place.clone(),
            title: facts.title.clone().unwrap_or_default(),
            file: watched.map_or_else(|| facts.file.clone(), |it| it.file.clone()),
            entry: strand.entry(),
        })
    }

    fn watched(&self) -> Option<WatchedSession> {
        self.strands.first()?.facts.as_ref()?.watched.clone()
    }

    fn hints(&self) -> Vec<KeyAction> {
        use KeyAction as A;
        let insert: &[A] = match self.usage {
            ReaderUse::Insert => &[A::InsertMessage, A::InsertTurn],
            ReaderUse::Browse => &[],
        };
        let hints = [
            A::NextTurn,
            A::NextError,
            A::NextChange,
            A::Search,
            A::Fold,
            A::Paths,
            A::GoTree,
            A::CopyResume,
            A::Resume,
            A::Follow,
            A::CallDetail,
            A::Thinking,
            A::ActionMenu,
        ];
        insert.iter().copied().chain(hints).collect()
    }

    fn own_hints(&self) -> Option<&'static [(&'static str, &'static str)]> {
        match (self.focus, &self.typed) {
            (_, Some(_)) => Some(&[("Enter", "searches"), ("Esc", "closes")]),
            (ReadFocus::Outline | ReadFocus::Pane, None) => Some(&[
                ("↓ ↑", "line"),
                ("Enter", "goes there"),
                ("Tab", "next pane"),
                ("Esc", "closes"),
                ("?", "keys"),
            ]),
            (ReadFocus::Text, None) => None,
        }
    }
}
