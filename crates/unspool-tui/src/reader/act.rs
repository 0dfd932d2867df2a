//! Actions of the reader.

use unspool_render::keys::KeyAction;
use unspool_render::terminal::{DetailLevel, DiffSides, FoldLevel, ReaderBlockKind};

use super::document::SearchDirection;
use super::pane::{OpenPane, SidePane};
use super::screen::{ReadFocus, ReaderScreen, ReaderUse, SIDES_FROM};
use super::strand::{Goal, JumpKind, ReadSearch};
use crate::edit_line::EditLine;
use crate::menu::{Menu, MenuItem};
use crate::screen::{Handled, ScreenContext, clock};
use crate::work::reader::ReadProblem;
use crate::work::reader::aside::{AsidePart, CopyPart, InsertChoice, PaneTarget, ReadPane};

impl ReaderScreen {
    /// Runs an action while a search is typed.
    pub(super) fn act_typing(&mut self, action: KeyAction, cx: &mut ScreenContext<'_>) -> Handled {
        match action {
            KeyAction::Fold => self.search(cx),
            KeyAction::Close => self.typed = None,
            KeyAction::HalfPageUp => self.typed = Some(EditLine::default()),
            KeyAction::Quit | KeyAction::Suspend | KeyAction::Redraw => return Handled::No,
            // Other actions are ignored while the search is typed.
            _ => {}
        }
        Handled::Yes
    }

    fn search(&mut self, cx: &mut ScreenContext<'_>) {
        let Some(line) = self.typed.take() else {
            return;
        };
        let text = line.text().to_owned();
        if text.is_empty() {
            self.strand_mut().search = None;
            return;
        }
        self.strand_mut().search = Some(ReadSearch::new(&text));
        self.request_aside(AsidePart::Find(text), cx);
    }

    /// Runs an action.
    pub(super) fn act_reading(&mut self, action: KeyAction, cx: &mut ScreenContext<'_>) -> Handled {
        if self.focus != ReadFocus::Text && self.act_in_list(action, cx) == Handled::Yes {
            return Handled::Yes;
        }
        if self.moves(action, cx) == Handled::Yes || self.shows(action, cx) == Handled::Yes {
            return Handled::Yes;
        }
        match action {
            KeyAction::Paths => self.paths_menu(cx),
            KeyAction::PreviousPath => self.next_path(SearchDirection::Up, cx),
            KeyAction::NextPath => self.next_path(SearchDirection::Down, cx),
            KeyAction::GoOutline => self.go_outline(),
            KeyAction::GoTree => self.open_pane(ReadPane::Tree, cx),
            KeyAction::GoAgents => self.open_pane(ReadPane::Agents, cx),
            KeyAction::GoFiles => self.open_pane(ReadPane::Files, cx),
            KeyAction::GoSummary => self.open_pane(ReadPane::Summary, cx),
            KeyAction::GoRaw => self.open_pane(ReadPane::Raw, cx),
            KeyAction::GoWaterfall => self.open_pane(ReadPane::Waterfall, cx),
            KeyAction::CopyMessage => self.copy(CopyPart::Message, cx),
            KeyAction::CopyBlock => self.copy(CopyPart::Block, cx),
            KeyAction::InsertMessage => self.insert(InsertChoice::Message, cx),
            KeyAction::InsertTurn => self.insert(InsertChoice::Turn, cx),
            KeyAction::Resume if self.usage == ReaderUse::Insert => {
                cx.say("a prompt is edited; `unspool resume` resumes a session");
            }
            KeyAction::CopyLogPath if self.depth() > 1 => {
                if let Some(facts) = &self.strand().facts {
                    cx.copy(facts.file.display().to_string(), "the path of the log");
                }
            }
            KeyAction::Edit => {
                let message = self.strand().cursor.message();
                self.request_aside(AsidePart::Edit { message }, cx);
            }
            KeyAction::NextPane => self.next_pane(SearchDirection::Down),
            KeyAction::PreviousPane => self.next_pane(SearchDirection::Up),
            KeyAction::Close => return self.close(cx),
            KeyAction::Back => return self.back(cx),
            KeyAction::Redraw => {
                if self.strand().problem == Some(ReadProblem::Replaced) {
                    self.read_again(cx);
                }
                return Handled::No;
            }
            _ => return Handled::No,
        }
        Handled::Yes
    }

    /// Moves the cursor or the screen.
    fn moves(&mut self, action: KeyAction, cx: &mut ScreenContext<'_>) -> Handled {
        let height = self.layout().text_height() as isize;
        let strand = self.strand_mut();
        match action {
            KeyAction::LineDown => strand.move_cursor(1),
            KeyAction::LineUp => strand.move_cursor(-1),
            // Pages overlap: the last row of one is the first row of the next.
            KeyAction::PageDown => strand.scroll((height - 1).max(1)),
            KeyAction::PageUp => strand.scroll(-(height - 1).max(1)),
            KeyAction::HalfPageDown => strand.scroll((height / 2).max(1)),
            KeyAction::HalfPageUp => strand.scroll(-(height / 2).max(1)),
            KeyAction::First => strand.go_to_start(),
            KeyAction::Last => {
                strand.follows = true;
                strand.go_to_end();
            }
            KeyAction::Follow => {
                strand.follows = !strand.follows;
                if strand.follows {
                    strand.go_to_end();
                }
                cx.say(if strand.follows { "following the end" } else { "not following" });
            }
            KeyAction::NextTurn => self.jump(JumpKind::Turn, SearchDirection::Down, cx),
            KeyAction::PreviousTurn => self.jump(JumpKind::Turn, SearchDirection::Up, cx),
            KeyAction::NextMessage => self.jump(JumpKind::Message, SearchDirection::Down, cx),
            KeyAction::PreviousMessage => self.jump(JumpKind::Message, SearchDirection::Up, cx),
            KeyAction::NextError => self.jump(JumpKind::Error, SearchDirection::Down, cx),
            KeyAction::PreviousError => self.jump(JumpKind::Error, SearchDirection::Up, cx),
            KeyAction::NextChange => self.jump(JumpKind::Change, SearchDirection::Down, cx),
            KeyAction::PreviousChange => self.jump(JumpKind::Change, SearchDirection::Up, cx),
            KeyAction::NextMatch => self.next_match(SearchDirection::Down, cx),
            KeyAction::PreviousMatch => self.next_match(SearchDirection::Up, cx),
            KeyAction::Search => self.typed = Some(EditLine::default()),
            _ => return Handled::No,
        }
        Handled::Yes
    }

    fn jump(&mut self, kind: JumpKind, lean: SearchDirection, cx: &mut ScreenContext<'_>) {
        if !self.strand_mut().jump(kind, lean) {
            cx.say(kind.none(lean));
        }
    }

    fn next_match(&mut self, lean: SearchDirection, cx: &mut ScreenContext<'_>) {
        let strand = self.strand_mut();
        let Some(search) = &strand.search else {
            return self.jump(JumpKind::Call, lean, cx);
        };
        if search.found.is_none() {
            return cx.say("searching …");
        }
        strand.follows = false;
        if let Some(place) = strand.next_matching_line(lean) {
            let row = (strand.height / 4).max(1);
            strand.go(Goal::Place(place), row);
        } else if let Some(message) = strand.next_matching_message(lean) {
            self.locate(message, cx);
        } else {
            cx.say(match lean {
                SearchDirection::Down => "no match further down",
                SearchDirection::Up => "no match further up",
            });
        }
    }

    /// Changes how much of calls, thinking and changes is shown.
    fn shows(&mut self, action: KeyAction, cx: &mut ScreenContext<'_>) -> Handled {
        match action {
            KeyAction::Fold => self.fold(cx),
            KeyAction::Unfold => {
                let is_open = self.calls == FoldLevel::Full && self.thinking == DetailLevel::Full;
                (self.calls, self.thinking) = if is_open {
                    (FoldLevel::Summary, DetailLevel::Folded)
                } else {
                    (FoldLevel::Full, DetailLevel::Full)
                };
                self.strand_mut().document.forget_folds();
                self.show_again(cx);
            }
            KeyAction::CallDetail => {
                let (level, words) = match self.calls {
                    FoldLevel::Line => (FoldLevel::Summary, "calls with their beginnings"),
                    FoldLevel::Summary => (FoldLevel::Full, "calls as a whole"),
                    FoldLevel::Full => (FoldLevel::Line, "calls as lines"),
                };
                self.calls = level;
                self.strand_mut().document.forget_folds();
                self.show_again(cx);
                cx.say(words);
            }
            KeyAction::Thinking => {
                self.thinking = match self.thinking {
                    DetailLevel::Full => DetailLevel::Folded,
                    DetailLevel::Folded => DetailLevel::Full,
                };
                self.show_again(cx);
            }
            KeyAction::Sides if self.size.columns < SIDES_FROM => {
                cx.say("changes side by side need 120 columns");
            }
            KeyAction::Sides => {
                self.sides = match self.sides {
                    DiffSides::One => DiffSides::Two,
                    DiffSides::Two => DiffSides::One,
                };
                self.show_again(cx);
            }
            _ => return Handled::No,
        }
        Handled::Yes
    }

    /// Folds or unfolds the block at the cursor, or opens its agent.
    fn fold(&mut self, cx: &mut ScreenContext<'_>) {
        let (calls, thinking) = (self.calls, self.thinking);
        let strand = self.strand_mut();
        let key = strand.cursor.key;
        let Some(block) = strand.document.block(key) else {
            return;
        };
        let default = match (&block.kind, thinking) {
            (ReaderBlockKind::Call(call), _) => {
                match call.agent.clone() {
                    Some(agent) if call.has_agent_log => return self.open_agent(&agent, cx),
                    Some(agent) => cx.say(format!("the log of agent {agent} is not here")),
                    None => {}
                }
                calls
            }
            (ReaderBlockKind::Branches { .. }, _) => return self.paths_menu(cx),
            (ReaderBlockKind::Thinking, DetailLevel::Folded) => FoldLevel::Line,
            (ReaderBlockKind::Thinking, DetailLevel::Full) => FoldLevel::Full,
            _ if calls == FoldLevel::Full => FoldLevel::Full,
            _ => FoldLevel::Summary,
        };
        if !block.can_fold {
            return cx.say("nothing is folded here");
        }
        let level = match block.level {
            FoldLevel::Full if default == FoldLevel::Full => Some(FoldLevel::Line),
            FoldLevel::Full => None,
            FoldLevel::Line | FoldLevel::Summary => Some(FoldLevel::Full),
        };
        strand.document.fold(key, level);
        strand.pin_cursor_row();
        self.lay_out_stale(cx);
    }

    // Paths.

    pub(super) fn paths_menu(&self, cx: &mut ScreenContext<'_>) {
        let Some(facts) = &self.strand().facts else {
            return;
        };
        if facts.paths.len() < 2 {
            return cx.say("this conversation has one path");
        }
        let items: Vec<MenuItem> = facts
            .paths
            .iter()
            .map(|path| {
                let item = MenuItem::numbered(path.number.index(), format!("path {}", path.number));
                let mut note = path.words.to_owned();
                if let Some(ended) = path.ended {
                    note = format!("{note} · {}", clock(ended, &cx.settings.zone));
                }
                if facts.path == Some(path.number) {
                    note.push_str(" · shown");
                }
                item.with_note(note)
            })
            .collect();
        let shown = facts.paths.iter();
        let chosen = shown.take_while(|path| facts.path != Some(path.number)).count();
        cx.menu(Menu::new("paths", "Paths", items).with_chosen(chosen));
    }

    fn next_path(&mut self, lean: SearchDirection, cx: &mut ScreenContext<'_>) {
        let Some(facts) = &self.strand().facts else {
            return;
        };
        let mut paths = facts.paths.iter();
        let at = paths.position(|path| facts.path == Some(path.number));
        let next = at.and_then(|at| match lean {
            SearchDirection::Down => at.checked_add(1),
            SearchDirection::Up => at.checked_sub(1),
        });
        let number = next.and_then(|next| facts.paths.get(next)).map(|path| path.number);
        match number {
            Some(number) => self.turn_to_path(number, cx),
            None => cx.say(match lean {
                SearchDirection::Down => "this is the last path",
                SearchDirection::Up => "this is the first path",
            }),
        }
    }

    // Panes.

    fn open_pane(&mut self, kind: ReadPane, cx: &mut ScreenContext<'_>) {
        let side = SidePane::Rows(kind);
        let is_open = self.pane.as_ref().is_some_and(|pane| pane.side == side);
        if is_open && kind != ReadPane::Raw {
            self.close_pane();
        } else {
            self.pane = Some(OpenPane::new(side));
            self.focus = ReadFocus::Pane;
        }
        self.after_pane(cx);
        self.request_pane(cx);
    }

    fn go_outline(&mut self) {
        if self.layout().outline.is_some() {
            self.focus = match self.focus {
                ReadFocus::Outline => {
                    self.has_outline = false;
                    ReadFocus::Text
                }
                _ => ReadFocus::Outline,
            };
            return;
        }
        if !self.has_outline {
            self.has_outline = true;
            if self.layout().outline.is_some() {
                return;
            }
        }
        let mut pane = OpenPane::new(SidePane::Outline);
        let (turn, count) = self.strand().turn();
        pane.list.choose(turn.saturating_sub(1), count);
        self.pane = Some(pane);
        self.focus = ReadFocus::Pane;
    }

    pub(super) fn close_pane(&mut self) {
        self.pane = None;
        self.focus = ReadFocus::Text;
    }

    /// Lays out the transcript again, because a pane may have changed its width.
    pub(super) fn after_pane(&mut self, cx: &mut ScreenContext<'_>) {
        let height = self.layout().text_height();
        self.strand_mut().resize(height);
        self.lay_out_all(cx);
    }

    fn next_pane(&mut self, lean: SearchDirection) {
        let layout = self.layout();
        let has = |focus: ReadFocus| match focus {
            ReadFocus::Text => !layout.is_over,
            ReadFocus::Outline => layout.outline.is_some(),
            ReadFocus::Pane => layout.pane.is_some(),
        };
        let mut order = [ReadFocus::Text, ReadFocus::Outline, ReadFocus::Pane];
        if lean == SearchDirection::Up {
            order.reverse();
        }
        let at = order.iter().position(|focus| *focus == self.focus);
        let after = order.iter().cycle().skip(at.unwrap_or(0) + 1).take(3);
        let mut after = after.copied().filter(|focus| has(*focus));
        self.focus = after.next().unwrap_or(ReadFocus::Text);
    }

    /// Moves the selection in the focused list.
    fn act_in_list(&mut self, action: KeyAction, cx: &mut ScreenContext<'_>) -> Handled {
        let height = self.layout().text_height() as isize - 2;
        let count_of_turns = self.strand().turn().1;
        let (list, count) = match (self.focus, &mut self.pane) {
            (ReadFocus::Pane, Some(pane)) => {
                let count = pane.count(count_of_turns);
                (&mut pane.list, count)
            }
            _ => (&mut self.outline, count_of_turns),
        };
        match action {
            KeyAction::LineDown => list.move_by(1, count),
            KeyAction::LineUp => list.move_by(-1, count),
            KeyAction::PageDown => list.move_by(height, count),
            KeyAction::PageUp => list.move_by(-height, count),
            KeyAction::HalfPageDown => list.move_by(height / 2, count),
            KeyAction::HalfPageUp => list.move_by(-height / 2, count),
            KeyAction::First => list.choose(0, count),
            KeyAction::Last => list.choose(usize::MAX, count),
            KeyAction::Fold => {
                if self.focus == ReadFocus::Pane {
                    self.follow_pane(cx);
                } else {
                    let row = self.outline.chosen;
                    self.focus = ReadFocus::Text;
                    self.go_to_turn(row, cx);
                }
                return Handled::Yes;
            }
            _ => return Handled::No,
        }
        list.store_scroll(height.max(1) as usize);
        Handled::Yes
    }

    /// Goes to the target of the pane's selected row.
    pub(super) fn follow_pane(&mut self, cx: &mut ScreenContext<'_>) {
        let Some(pane) = &self.pane else {
            return;
        };
        let row = pane.list.chosen;
        if pane.side == SidePane::Outline {
            self.close_pane();
            self.after_pane(cx);
            return self.go_to_turn(row, cx);
        }
        match pane.rows().get(row).and_then(|row| row.target.clone()) {
            Some(PaneTarget::Agent(id)) => self.open_agent(&id, cx),
            Some(PaneTarget::Entry { entry, path }) => {
                if self.layout().is_over {
                    self.close_pane();
                    self.after_pane(cx);
                }
                self.go_to_entry(entry, path, cx);
            }
            None => {}
        }
    }

    fn copy(&mut self, what: CopyPart, cx: &mut ScreenContext<'_>) {
        let strand = self.strand();
        let key = strand.cursor.key;
        let block = strand.document.block(key);
        let line = block.and_then(|block| block.lines.get(strand.cursor.line));
        let line = line.map(unspool_text::style::Line::plain).unwrap_or_default();
        self.request_aside(AsidePart::Copy { what, key, line }, cx);
    }

    /// Inserts the message or turn at the cursor into the prompt that is being edited, if there is one.
    fn insert(&mut self, what: InsertChoice, cx: &mut ScreenContext<'_>) {
        if self.usage != ReaderUse::Insert {
            return cx.say("no prompt is edited; `unspool pick --editor FILE` edits one");
        }
        let message = self.strand().cursor.message();
        self.request_aside(AsidePart::Insert { what, message }, cx);
    }

    /// Closes the pane, the focus or the search, else goes back.
    fn close(&mut self, cx: &mut ScreenContext<'_>) -> Handled {
        if self.pane.is_some() {
            self.close_pane();
            self.after_pane(cx);
        } else if self.focus != ReadFocus::Text {
            self.focus = ReadFocus::Text;
        } else if self.strand().search.is_some() {
            self.strand_mut().search = None;
        } else {
            return self.back(cx);
        }
        Handled::Yes
    }

    fn back(&mut self, cx: &mut ScreenContext<'_>) -> Handled {
        if self.leave_agent(cx) { Handled::Yes } else { Handled::No }
    }
}
