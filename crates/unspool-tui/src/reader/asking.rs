//! The reader's requests to workers, and its handling of their answers.

use unspool_engine::ops::find::FoundMessage;
use unspool_model::ids::EntryId;
use unspool_model::positions::PathNumber;
use unspool_render::terminal::FoldLevel;

use super::document::SearchDirection;
use super::pane::{OpenPane, SidePane};
use super::screen::{ReadFocus, ReaderScreen};
use super::strand::{Goal, JumpKind};
use crate::effect::TuiEffect;
use crate::screen::ScreenContext;
use crate::settings::TuiOutcome;
use crate::work::reader::aside::{
    AsideData, AsidePart, AsideReply, AsideRequest, CopyPart, ReadPane,
};
use crate::work::reader::{LayoutRequest, ReadProblem, ReadReply, ReaderRequest};
use crate::work::{ActRequest, WorkRequest};

impl ReaderScreen {
    /// Requests the layout of messages that are missing, if any.
    pub(super) fn request_layout(&mut self, cx: &mut ScreenContext<'_>) {
        let strand = self.strand();
        let known = strand.facts.as_ref().map(|facts| facts.print);
        let ranges = strand.missing();
        let is_lost = strand.problem == Some(ReadProblem::Replaced);
        let has_all = known.is_some() && ranges.is_empty() && self.at.is_none();
        if (is_lost || has_all) && !self.is_outdated {
            return;
        }
        let request = LayoutRequest {
            place: self.place.clone(),
            target: strand.target.clone(),
            refresh: self.is_outdated,
            known,
            stay: known.and_then(|_| strand.entry()),
            at: self.at.clone(),
            style: self.style(),
            generation: self.generation,
            ranges,
        };
        cx.ask(WorkRequest::Reader(ReaderRequest::Read(Box::new(request))));
    }

    /// Requests data next to the messages, together with the unanswered requests.
    pub(super) fn request_aside(&mut self, part: AsidePart, cx: &mut ScreenContext<'_>) {
        self.asked.retain(|asked| !asked.is_like(&part));
        self.asked.push(part);
        self.ask_aside(cx);
    }

    pub(super) fn ask_aside(&mut self, cx: &mut ScreenContext<'_>) {
        if self.asked.is_empty() {
            return;
        }
        let request = AsideRequest {
            place: self.place.clone(),
            target: self.strand().target.clone(),
            parts: self.asked.clone(),
        };
        cx.ask(WorkRequest::Reader(ReaderRequest::Aside(Box::new(request))));
    }

    /// Requests the outline if it is shown, and the pane and the matches again if the facts changed.
    pub(super) fn request_outdated_asides(&mut self, cx: &mut ScreenContext<'_>) {
        let strand = self.strand();
        let Some(print) = strand.facts.as_ref().map(|facts| facts.print) else {
            return;
        };
        let is_outline = |pane: &OpenPane| pane.side == SidePane::Outline;
        let has_outline =
            self.layout().outline.is_some() || self.pane.as_ref().is_some_and(is_outline);
        if has_outline && strand.outline_print != Some(print) {
            self.strand_mut().outline_print = Some(print);
            self.request_aside(AsidePart::Outline, cx);
        }
        if self.strand().aside_print != Some(print) {
            self.strand_mut().aside_print = Some(print);
            self.request_pane(cx);
            if let Some(text) = self.strand().search.as_ref().map(|it| it.text.clone()) {
                self.request_aside(AsidePart::Find(text), cx);
            }
        }
    }

    /// Requests the rows of the open pane.
    pub(super) fn request_pane(&mut self, cx: &mut ScreenContext<'_>) {
        let Some(SidePane::Rows(kind)) = self.pane.as_ref().map(|pane| pane.side) else {
            return;
        };
        let area = self.layout().pane.unwrap_or_default();
        let part = AsidePart::Pane {
            kind,
            width: usize::from(area.width.saturating_sub(4)),
            message: self.strand().cursor.message(),
        };
        self.request_aside(part, cx);
    }

    /// Lays out everything again after a key; the cursor stays on its row.
    pub(super) fn show_again(&mut self, cx: &mut ScreenContext<'_>) {
        self.strand_mut().pin_cursor_row();
        self.lay_out_all(cx);
    }

    /// Lays out everything again.
    pub(super) fn lay_out_all(&mut self, cx: &mut ScreenContext<'_>) {
        self.generation += 1;
        let calls = self.calls;
        for strand in &mut self.strands {
            strand.document.invalidate(calls);
        }
        self.request_layout(cx);
    }

    /// Lays out the stale blocks again.
    pub(super) fn lay_out_stale(&mut self, cx: &mut ScreenContext<'_>) {
        self.generation += 1;
        self.request_layout(cx);
    }

    pub(super) fn take_lines(&mut self, reply: ReadReply, cx: &mut ScreenContext<'_>) {
        if reply.target != self.strand().target || reply.generation > self.generation {
            return;
        }
        self.is_outdated = false;
        let is_current = reply.generation == self.generation;
        let strand = self.strand_mut();
        let has_facts = reply.facts.is_some();
        if let Some(facts) = reply.facts {
            strand.set_facts(facts);
        }
        let is_stuck = reply.problem.is_some();
        strand.problem = reply.problem;
        let is_empty = reply.laid.is_empty();
        if is_current && !is_empty {
            strand.take_layout(reply.laid);
        }
        let is_there = self.go_to_requested_entry(reply.at, cx);
        if is_current && is_empty && !has_facts && !is_there {
            // The worker had nothing new, so asking again would not end.
            return;
        }
        if !is_stuck {
            self.request_layout(cx);
        }
        self.request_outdated_asides(cx);
        self.follow_cursor();
    }

    /// Goes to the message of the requested entry; returns whether there is one.
    pub(super) fn go_to_requested_entry(
        &mut self,
        at: Option<(EntryId, Option<u32>)>,
        cx: &mut ScreenContext<'_>,
    ) -> bool {
        let Some((entry, message)) = at.filter(|(entry, _)| self.at.as_ref() == Some(entry)) else {
            return false;
        };
        self.at = None;
        match message {
            Some(message) => {
                let strand = self.strand_mut();
                let row = (strand.height / 4).max(1);
                strand.follows = false;
                strand.go(Goal::Block(message, JumpKind::Message, SearchDirection::Down), row);
            }
            None => cx.say(format!("entry {} is not in this conversation", entry.as_str())),
        }
        message.is_some()
    }

    /// Goes to an entry, and switches to its path if that is not shown.
    pub(super) fn go_to_entry(
        &mut self,
        entry: EntryId,
        path: Option<PathNumber>,
        cx: &mut ScreenContext<'_>,
    ) {
        self.at = Some(entry);
        self.focus = ReadFocus::Text;
        let shown = self.strand().facts.as_ref().and_then(|facts| facts.path);
        match path.filter(|path| Some(*path) != shown) {
            Some(path) => self.turn_to_path(path, cx),
            None => self.request_layout(cx),
        }
    }

    /// Selects the turn at the cursor in the outline.
    pub(super) fn follow_cursor(&mut self) {
        if self.focus != ReadFocus::Outline {
            let (turn, count) = self.strand().turn();
            self.outline.choose(turn.saturating_sub(1), count);
            self.outline.store_scroll(self.layout().text_height());
        }
    }

    pub(super) fn take_aside(&mut self, reply: AsideReply, cx: &mut ScreenContext<'_>) {
        if reply.target != self.strand().target {
            return;
        }
        self.asked.retain(|asked| !asked.is_like(&reply.part));
        match (reply.part, reply.data) {
            (AsidePart::Outline, Ok(AsideData::Outline(rows))) => {
                self.strand_mut().outline = rows;
                self.follow_cursor();
            }
            (AsidePart::Pane { kind, .. }, data) => {
                let turn = self.strand().turn_entry();
                let pane = self.pane.as_mut();
                if let Some(pane) = pane.filter(|pane| pane.side == SidePane::Rows(kind)) {
                    let is_first = pane.rows.is_none();
                    pane.rows = Some(data.map(|data| match data {
                        AsideData::Pane(rows) => rows,
                        _ => Vec::new(),
                    }));
                    if is_first && kind == ReadPane::Tree {
                        pane.choose_entry(turn.as_ref());
                    }
                    let count = pane.rows().len();
                    pane.list.move_by(0, count);
                }
            }
            (AsidePart::Find(text), Ok(AsideData::Found(found))) => {
                self.take_matches(&text, found, cx);
            }
            (AsidePart::Locate { .. }, Ok(AsideData::Located { place, unfold })) => {
                let strand = self.strand_mut();
                for key in unfold {
                    strand.document.fold(key, Some(FoldLevel::Full));
                }
                let row = (strand.height / 4).max(1);
                strand.go(Goal::Place(place), row);
                self.lay_out_stale(cx);
            }
            (AsidePart::Copy { what, .. }, Ok(AsideData::Text(text, _))) => {
                let what = match what {
                    CopyPart::Message => "the message",
                    CopyPart::Block => "the block",
                };
                cx.copy(text, what);
            }
            (AsidePart::Insert { .. }, Ok(AsideData::Text(text, _))) => {
                cx.effect(TuiEffect::Leave(Box::new(TuiOutcome::Inserted(text))));
            }
            (AsidePart::Edit { .. }, Ok(AsideData::Text(text, line))) => {
                cx.do_for_program(ActRequest::Edit { text, line });
            }
            (_, Err(words)) => cx.say(words),
            _ => {}
        }
    }

    pub(super) fn take_matches(
        &mut self,
        text: &str,
        found: Vec<FoundMessage>,
        cx: &mut ScreenContext<'_>,
    ) {
        let strand = self.strand_mut();
        let Some(search) = strand.search.as_mut().filter(|it| it.text == text) else {
            return;
        };
        let is_first = search.found.is_none();
        let first = found.first().map(|found| found.message as u32);
        let from = strand.cursor.message() as usize;
        let next = found.iter().find(|found| found.message >= from);
        let next = next.map(|found| found.message as u32).or(first);
        search.found = Some(found);
        match next {
            Some(message) if is_first => self.locate(message, cx),
            None if is_first => cx.say(format!("{text:?} is not in this conversation")),
            _ => {}
        }
    }

    /// Requests the position of the search text in a message, to go there and unfold it.
    pub(super) fn locate(&mut self, message: u32, cx: &mut ScreenContext<'_>) {
        let Some(search) = &self.strand().search else {
            return;
        };
        let needle = search.text.clone();
        let style = self.style();
        let part = AsidePart::Locate { needle, message, style };
        self.request_aside(part, cx);
    }
}
