//! The picker's screen: handles keys, answers and changes of files.

mod answers;
mod choosing;
mod hints;
mod waking;

use std::sync::Arc;

use unspool_engine::library::LibraryEvent;
use unspool_model::named::Named as _;
use unspool_model::time::Time;
use unspool_render::keys::{KeyAction, KeyContext};
use unspool_store::filter::RowFilter;

use super::flash::RowFlash;
use super::layout::{PickerLayout, effective};
use super::list::{ChoiceAfter, ListArrangement, PickerList, RowLines};
use super::live_rows::LiveRows;
use super::menus;
use crate::canvas::Canvas;
use crate::edit_line::{EditLine, LineEdit};
use crate::event::{MouseInput, MouseKind};
use crate::press::{KeyPress, LetterUse};
use crate::screen::{Handled, InputMode, ScreenContext, TuiScreen, ViewContext};
use crate::settings::{CatalogueRefresh, PickerUse, SessionSubject, TuiSettings};
use crate::work::picker::insert::InsertPart;
use crate::work::picker::preview::{PreviewRequest, PreviewState};
use crate::work::picker::query::TypedWords;
use crate::work::picker::rows::{PickerRows, RowKey};
use crate::work::picker::saved::{PickerScope, PreviewPlace, SavedPickerState};
use crate::work::picker::text::{TextCount, TextResults};
use crate::work::picker::{CatalogueNotes, PickerRequest, agent_rows};
use crate::work::{WorkAnswer, WorkReply, WorkRequest, WorkTicket};

/// The least time between two refreshes.
const BETWEEN_CHECKS_MS: i64 = 1_000;
/// The interval at which rows are read during a long refresh.
const BETWEEN_FILLS_MS: i64 = 700;

/// What the query searches.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) enum FindMode {
    /// Titles, first prompts, projects and branches.
    #[default]
    Titles,
    /// The texts of sessions.
    Text,
}

/// The tickets of unanswered requests.
#[derive(Default)]
struct PickerTickets {
    stored: Option<WorkTicket>,
    check: Option<WorkTicket>,
    check_text: Option<WorkTicket>,
    matches: Option<WorkTicket>,
    text: Option<WorkTicket>,
    text_count: Option<WorkTicket>,
    preview: Option<WorkTicket>,
    act: Option<WorkTicket>,
}

/// A completed filter, and its other possible values.
struct Completion {
    /// The byte offset of the value, and the query up to the cursor.
    start: usize,
    typed: String,
    values: Vec<String>,
    at: usize,
}

/// The picker.
#[derive(Default)]
pub(crate) struct PickerScreen {
    pub(super) usage: PickerUse,
    pub(super) query: EditLine,
    pub(super) mode: FindMode,
    /// All sessions, as read last.
    pub(super) rows: Arc<PickerRows>,
    /// The rows that are shown.
    pub(super) list: PickerList,
    /// The last result of a full-text search.
    pub(super) found: Option<Box<TextResults>>,
    /// The error of the query.
    pub(super) failure: Option<String>,
    /// The number of sessions that a full-text search finds: in the scope, if no title matches; everywhere,
    /// while the full text of a smaller scope is shown.
    pub(super) text_count: Option<TextCount>,
    pub(super) marks: Vec<(RowKey, SessionSubject)>,
    pub(super) kept: SavedPickerState,
    pub(super) live: LiveRows,
    /// The rows whose marks flash.
    pub(super) flash: RowFlash,
    pub(super) preview: PreviewState,
    pub(super) notes: CatalogueNotes,
    /// The progress of a refresh: bytes read, and bytes in total.
    pub(super) checking: Option<(u64, u64)>,
    /// Set while another process writes the index.
    pub(super) is_waiting: bool,
    /// Set after all rows were read once, and after a refresh.
    pub(super) is_read: bool,
    pub(super) is_checked: bool,
    pub(super) refresh: CatalogueRefresh,
    /// The filter of the command line.
    asked_for: RowFilter,
    /// The input line for turns to insert into a prompt.
    pub(super) asking: Option<EditLine>,
    tickets: PickerTickets,
    completion: Option<Completion>,
    /// Set while the list does not yet show the current query.
    is_query_new: bool,
    /// Set while new rows wait for a pause between keys.
    waits_to_arrange: bool,
    waits_to_check: bool,
    is_text_checked: bool,
    is_covered: bool,
    has_scope_of_own: bool,
    /// The saved scope, while the list shows a wider one because it has no sessions.
    widened_from: Option<PickerScope>,
    last_key: Option<Time>,
    last_check: Option<Time>,
    check_began: Option<Time>,
    check_took: i64,
    last_fill: Option<Time>,
}

impl PickerScreen {
    pub(crate) fn new(usage: PickerUse, settings: &TuiSettings) -> Self {
        let query = match &usage {
            PickerUse::Choose { query, .. } => EditLine::of(query),
            PickerUse::Browse | PickerUse::Insert => EditLine::default(),
        };
        Self {
            usage,
            refresh: settings.refresh,
            asked_for: settings.filter.clone(),
            is_query_new: !query.is_empty(),
            query,
            ..Self::default()
        }
    }

    fn ask(request: PickerRequest, cx: &mut ScreenContext<'_>) -> WorkTicket {
        cx.ask(WorkRequest::Picker(request))
    }

    fn layout(&self, cx: &ScreenContext<'_>) -> PickerLayout {
        PickerLayout::of(cx.size, self.kept.preview)
    }

    /// Updates the list for the query: at once without one, else with the answer of a worker.
    fn refill(&mut self, choice: ChoiceAfter, cx: &mut ScreenContext<'_>) {
        self.waits_to_arrange = false;
        let typed = TypedWords::of(self.query.text());
        match self.mode {
            FindMode::Text if !self.query.text().trim().is_empty() => self.search(cx),
            FindMode::Titles if !typed.is_empty() => {
                let rows = Arc::clone(&self.rows);
                let request = PickerRequest::Match { rows, typed };
                self.tickets.matches = Some(Self::ask(request, cx));
            }
            _ => {
                self.tickets.matches = None;
                self.tickets.text = None;
                self.found = None;
                self.failure = None;
                self.is_query_new = false;
                let rows = Arc::clone(&self.rows);
                self.arrange(rows, None, RowLines::One, choice, cx);
            }
        }
    }

    fn search(&mut self, cx: &mut ScreenContext<'_>) {
        let text = self.query.text().to_owned();
        let scope = self.kept.scope;
        self.tickets.matches = None;
        self.tickets.text = Some(Self::ask(PickerRequest::Search { text, scope }, cx));
    }

    fn arrange(
        &mut self,
        rows: Arc<PickerRows>,
        matches: Option<&[u32]>,
        lines: RowLines,
        choice: ChoiceAfter,
        cx: &mut ScreenContext<'_>,
    ) {
        let arrangement = ListArrangement {
            matches,
            lines,
            scope: self.kept.scope,
            sort: self.kept.sort,
            filters: self.kept.filters,
            live: &self.live,
            now: cx.now,
            zone: &cx.settings.zone,
        };
        let height = self.layout(cx).height();
        self.list.arrange(rows, &arrangement, choice, height);
        self.show_preview(cx);
    }

    /// Shows the preview of the selected row, asking a worker if it is not cached.
    fn show_preview(&mut self, cx: &mut ScreenContext<'_>) {
        let layout = self.layout(cx);
        let Some(area) = layout.preview else { return };
        let Some(row) = self.list.selected_row() else {
            self.preview.clear();
            return;
        };
        let width = area.width.saturating_sub(2);
        let request = PreviewRequest::of(&self.list.rows, row, width, layout.card());
        if row.is_gone {
            self.preview.clear();
        } else if !self.preview.show_kept(&request) {
            let request = PickerRequest::Preview(Box::new(request));
            self.tickets.preview = Some(Self::ask(request, cx));
        }
    }

    /// Saves the state. A picker for a script or a prompt saves nothing.
    fn save_state(&self, cx: &mut ScreenContext<'_>) {
        if self.usage != PickerUse::Browse {
            return;
        }
        // A scope that the picker widened by itself was not chosen by the user.
        let kept =
            SavedPickerState { scope: self.widened_from.unwrap_or(self.kept.scope), ..self.kept };
        Self::ask(PickerRequest::SaveState(kept), cx);
    }

    fn step(&mut self, rows: isize, cx: &mut ScreenContext<'_>) {
        let height = self.layout(cx).height();
        self.list.step(rows, height);
        self.show_preview(cx);
    }

    fn edited(&mut self, cx: &mut ScreenContext<'_>) {
        self.is_query_new = true;
        self.text_count = None;
        self.refill(ChoiceAfter::Kept, cx);
    }

    fn set_scope(&mut self, scope: PickerScope, cx: &mut ScreenContext<'_>) {
        self.kept.scope = scope;
        self.has_scope_of_own = true;
        self.widened_from = None;
        self.save_state(cx);
        self.refill(ChoiceAfter::Kept, cx);
    }

    fn next_scope(&mut self, cx: &mut ScreenContext<'_>) {
        let mut scope = self.kept.scope.following();
        if scope == PickerScope::Repository && !self.rows.has_repository {
            scope = scope.following();
        }
        self.set_scope(scope, cx);
    }

    fn next_preview(&mut self, cx: &mut ScreenContext<'_>) {
        let next = match effective(cx.size, self.kept.preview) {
            PreviewPlace::Right => PreviewPlace::Below,
            PreviewPlace::Below => PreviewPlace::Off,
            PreviewPlace::Off => PreviewPlace::Right,
        };
        self.kept.preview = Some(next);
        self.save_state(cx);
        let height = self.layout(cx).height();
        self.list.keep_in_view(height);
        self.show_preview(cx);
    }

    fn set_mode(&mut self, mode: FindMode, cx: &mut ScreenContext<'_>) {
        self.mode = mode;
        self.is_query_new = true;
        self.refill(ChoiceAfter::Kept, cx);
        let may_check = self.refresh == CatalogueRefresh::Walked && !self.is_text_checked;
        if mode == FindMode::Text && may_check && self.tickets.check_text.is_none() {
            self.tickets.check_text = Some(Self::ask(PickerRequest::CheckText, cx));
        }
    }

    /// Tells whether the list shows full-text results.
    pub(super) fn is_found_shown(&self) -> bool {
        self.mode == FindMode::Text && self.found.is_some()
    }
}

/// Tells whether an action applies to the matching rows.
fn is_about_rows(action: KeyAction) -> bool {
    matches!(
        action,
        KeyAction::Open
            | KeyAction::LineDown
            | KeyAction::LineUp
            | KeyAction::HalfPageDown
            | KeyAction::HalfPageUp
            | KeyAction::Mark
            | KeyAction::MarkUp
            | KeyAction::Resume
            | KeyAction::CopyMenu
            | KeyAction::ActionMenu
    )
}

impl TuiScreen for PickerScreen {
    fn open(&mut self, cx: &mut ScreenContext<'_>) {
        Self::ask(PickerRequest::Begin, cx);
    }

    fn has_content(&self) -> bool {
        !self.list.is_empty() || self.is_read
    }

    fn defers(&self, action: KeyAction) -> bool {
        let is_sought = self.tickets.matches.is_some() || self.tickets.text.is_some();
        let is_unread = self.list.is_empty() && (is_sought || !self.is_checked);
        let is_unready = self.is_query_new && is_sought || is_unread;
        self.asking.is_none() && is_unready && is_about_rows(action)
    }

    fn input_mode(&self) -> InputMode {
        InputMode {
            context: KeyContext::Finder,
            letters: LetterUse::Text { is_empty: self.query.is_empty() && self.asking.is_none() },
        }
    }

    fn act(&mut self, action: KeyAction, cx: &mut ScreenContext<'_>) -> Handled {
        self.note_key(cx);
        if self.asking.is_some() && !matches!(action, KeyAction::Open | KeyAction::Close) {
            // Keys apply to the input line, not to the list.
            return match action {
                KeyAction::Quit | KeyAction::Suspend | KeyAction::Redraw => Handled::No,
                _ => Handled::Yes,
            };
        }
        let half = (self.layout(cx).height() / 2).max(1) as isize;
        match action {
            KeyAction::LineDown => self.step(1, cx),
            KeyAction::LineUp => self.step(-1, cx),
            KeyAction::HalfPageDown => self.step(half, cx),
            KeyAction::HalfPageUp => self.step(-half, cx),
            KeyAction::Open if self.asking.is_some() => self.take_turns(cx),
            KeyAction::Open => self.enter(cx),
            KeyAction::FullText => self.set_mode(
                match self.mode {
                    FindMode::Titles => FindMode::Text,
                    FindMode::Text => FindMode::Titles,
                },
                cx,
            ),
            KeyAction::Mark | KeyAction::MarkUp => {
                let by = if action == KeyAction::Mark { 1 } else { -1 };
                if !self.complete(by, cx) {
                    self.mark(by, cx);
                }
            }
            KeyAction::Edit => self.edit_elsewhere(cx),
            KeyAction::Scope => self.next_scope(cx),
            KeyAction::Sort => {
                self.kept.sort = self.kept.sort.following();
                self.save_state(cx);
                self.refill(ChoiceAfter::Kept, cx);
            }
            KeyAction::Filters => cx.menu(menus::filters(self.kept.filters, 0)),
            KeyAction::Preview => self.next_preview(cx),
            KeyAction::PreviewDown | KeyAction::PreviewUp => {
                let lines = if action == KeyAction::PreviewDown { 3 } else { -3 };
                let height = self.layout(cx).preview.map_or(0, |area| area.height);
                self.preview.scroll_by(lines, usize::from(height));
            }
            KeyAction::Close => return self.escape(cx),
            KeyAction::Resume if self.usage != PickerUse::Browse => {
                cx.say("Enter chooses; `unspool resume` resumes a session");
            }
            _ => return Handled::No,
        }
        self.wake_to_arrange(cx);
        Handled::Yes
    }

    fn press(&mut self, press: KeyPress, cx: &mut ScreenContext<'_>) {
        self.note_key(cx);
        if self.asking.is_some() {
            self.type_turns(press);
            return;
        }
        // Control-J is a line feed and always moves down, whatever it is bound to.
        if press == KeyPress::control('j') {
            self.step(1, cx);
        } else if self.query.press(press) == LineEdit::Changed {
            self.edited(cx);
        }
        self.wake_to_arrange(cx);
    }

    fn paste(&mut self, text: &str, cx: &mut ScreenContext<'_>) {
        self.note_key(cx);
        if let Some(line) = &mut self.asking {
            line.insert(text);
        } else {
            self.query.insert(text);
            self.edited(cx);
        }
    }

    fn mouse(&mut self, mouse: MouseInput, cx: &mut ScreenContext<'_>) {
        self.note_key(cx);
        let layout = self.layout(cx);
        let at = ratatui::layout::Position::new(mouse.column, mouse.row);
        let is_on_preview = layout.preview.is_some_and(|area| area.contains(at));
        match mouse.kind {
            MouseKind::WheelDown | MouseKind::WheelUp if is_on_preview => {
                let lines = if mouse.kind == MouseKind::WheelDown { 3 } else { -3 };
                let height = layout.preview.map_or(0, |area| area.height);
                self.preview.scroll_by(lines, usize::from(height));
            }
            MouseKind::WheelDown => self.step(3, cx),
            MouseKind::WheelUp => self.step(-3, cx),
            MouseKind::Press if layout.list.contains(at) => {
                let line = usize::from(mouse.row - layout.list.y);
                match self.list.click(line, layout.height()) {
                    Some(true) => self.enter(cx),
                    Some(false) => self.show_preview(cx),
                    None => {}
                }
            }
            _ => {}
        }
    }

    fn chosen(&mut self, menu: &'static str, item: usize, cx: &mut ScreenContext<'_>) {
        self.note_key(cx);
        if menu == menus::FILTERS {
            let agents = agent_rows(self.kept);
            menus::set_filter(&mut self.kept.filters, item);
            self.save_state(cx);
            if agent_rows(self.kept) != agents {
                let request = PickerRequest::Stored(agent_rows(self.kept));
                self.tickets.stored = Some(Self::ask(request, cx));
                // A refresh that is running returns rows for the old filters.
                self.waits_to_check |= self.tickets.check.is_some();
            }
            self.refill(ChoiceAfter::Kept, cx);
            cx.menu(menus::filters(self.kept.filters, item));
        } else if menu == menus::INSERT {
            match item {
                0 => self.insert(InsertPart::LastAnswer, cx),
                1 => self.insert(InsertPart::LastPrompt, cx),
                2 => self.insert(InsertPart::LastTurn, cx),
                3 => self.asking = Some(EditLine::default()),
                menus::READ => self.read(cx),
                _ => self.insert(InsertPart::Id, cx),
            }
        }
    }

    fn answer(&mut self, answer: WorkAnswer, cx: &mut ScreenContext<'_>) {
        if let WorkReply::Picker(reply) = answer.reply {
            self.reply(reply, answer.ticket, cx);
        }
        self.wake_to_arrange(cx);
    }

    fn news(&mut self, news: &[LibraryEvent], cx: &mut ScreenContext<'_>) {
        let is_of_logs = |event: &LibraryEvent| {
            !matches!(
                event,
                LibraryEvent::LiveBegan(_)
                    | LibraryEvent::LiveChanged(_)
                    | LibraryEvent::LiveEnded(_)
                    | LibraryEvent::OutputsChanged(_)
            )
        };
        if news.iter().any(is_of_logs) && self.is_checked {
            self.is_text_checked = false;
            self.check(cx);
        }
    }

    fn board_changed(&mut self, cx: &mut ScreenContext<'_>) {
        let before = std::mem::replace(&mut self.live, LiveRows::of(cx.board));
        if !self.live.is_arranged_like(&before) && !self.rows.is_empty() {
            if self.may_arrange(cx) {
                self.refill(ChoiceAfter::Kept, cx);
            } else {
                self.waits_to_arrange = true;
            }
        }
        self.wake_to_arrange(cx);
        self.wake(cx);
    }

    fn tick(&mut self, cx: &mut ScreenContext<'_>) {
        self.flash.end_at(cx.now);
        if self.waits_to_arrange && self.may_arrange(cx) {
            self.refill(ChoiceAfter::Kept, cx);
        }
        if self.waits_to_check && self.is_checked {
            self.check(cx);
        }
        self.wake_to_arrange(cx);
        self.wake(cx);
    }

    fn resized(&mut self, cx: &mut ScreenContext<'_>) {
        let height = self.layout(cx).height();
        self.list.keep_in_view(height);
        self.show_preview(cx);
    }

    fn covered(&mut self, is_covered: bool, cx: &mut ScreenContext<'_>) {
        self.is_covered = is_covered;
        if !is_covered && self.waits_to_check {
            self.check(cx);
        }
        if !is_covered {
            self.wake(cx);
        }
    }

    fn view(&self, canvas: &mut Canvas<'_>, cx: &ViewContext<'_>) {
        self.paint(canvas, cx);
    }

    fn subject(&self) -> Option<SessionSubject> {
        let row = self.list.selected_row()?;
        let mut subject = self.list.rows.subject(row);
        let found = self.found.as_ref().filter(|_| self.is_found_shown());
        subject.entry =
            found.and_then(|found| found.found.get(&row.key)).and_then(|found| found.entry.clone());
        Some(subject)
    }

    fn subjects(&self) -> Vec<SessionSubject> {
        if self.marks.is_empty() {
            return self.subject().into_iter().collect();
        }
        let marks = self.marks.iter();
        marks.map(|(_, subject)| subject.clone()).collect()
    }

    fn hints(&self) -> Vec<KeyAction> {
        match self.list.selected_row() {
            Some(_) => hints::BROWSE.to_vec(),
            None => hints::NO_ROW.to_vec(),
        }
    }

    fn own_hints(&self) -> Option<&'static [(&'static str, &'static str)]> {
        match self.asking {
            Some(_) => Some(hints::TURNS),
            None => hints::own(&self.usage),
        }
    }
}
