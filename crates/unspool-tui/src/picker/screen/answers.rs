//! The picker's handling of worker answers, and the schedule of refreshes.

use std::sync::Arc;

use unspool_model::named::Named as _;
use unspool_model::time::Time;
use unspool_store::rows::{SessionKind, Status};

use super::{BETWEEN_CHECKS_MS, BETWEEN_FILLS_MS, FindMode, PickerScreen};
use crate::effect::TuiEffect;
use crate::picker::list::{ChoiceAfter, ListLine, RowLines};
use crate::screen::ScreenContext;
use crate::settings::{CatalogueRefresh, PickerUse, TuiOutcome};
use crate::work::WorkTicket;
use crate::work::picker::query::TypedWords;
use crate::work::picker::rows::PickerRows;
use crate::work::picker::saved::{PickerScope, SavedPickerState};
use crate::work::picker::text::TextResults;
use crate::work::picker::{CatalogueNotes, PickerReply, PickerRequest, agent_rows};

impl PickerScreen {
    pub(super) fn take_rows(
        &mut self,
        rows: Arc<PickerRows>,
        notes: CatalogueNotes,
        cx: &mut ScreenContext<'_>,
    ) {
        let is_first = self.list.selected().is_none();
        // The note about a rebuild stays for the whole run.
        let is_rebuilt = self.notes.is_rebuilt || notes.is_rebuilt;
        self.notes = CatalogueNotes { is_rebuilt, ..notes };
        self.is_read |= rows.is_whole;
        self.rows = rows;
        if is_first && !self.is_query_new {
            self.refill(ChoiceAfter::NewestHere, cx);
        } else if self.may_arrange(cx) || self.list.is_empty() {
            self.refill(ChoiceAfter::Kept, cx);
        } else {
            self.waits_to_arrange = true;
        }
        if self.rows.is_whole {
            self.widen_scope(cx);
        }
    }

    /// Switches to the next scope that has sessions, if the saved one has none.
    pub(super) fn widen_scope(&mut self, cx: &mut ScreenContext<'_>) {
        if self.has_scope_of_own || self.rows.is_empty() {
            return;
        }
        let has_some = |scope: PickerScope| self.rows.all().iter().any(|row| scope.has(row.scope));
        let empty = self.kept.scope;
        if has_some(empty) {
            self.has_scope_of_own = true;
            return;
        }
        if self.is_checked {
            self.has_scope_of_own = true;
        }
        while !has_some(self.kept.scope) && self.kept.scope != PickerScope::Everywhere {
            self.kept.scope = self.kept.scope.following();
        }
        self.widened_from = Some(empty);
        let now = self.kept.scope.name();
        let words = match empty {
            PickerScope::Here => format!("no sessions of this folder: {now}"),
            _ => format!("no sessions of this repository: {now}"),
        };
        cx.say(words);
        self.refill(ChoiceAfter::First, cx);
    }

    /// Refreshes the catalogue. The pause before the next refresh is ten times as long as the last one
    /// took, and at least `BETWEEN_CHECKS_MS`, so that a large home does not keep the disk busy.
    pub(super) fn check(&mut self, cx: &mut ScreenContext<'_>) {
        if self.refresh == CatalogueRefresh::Never {
            // Without refreshes the picker is complete as soon as all rows were read.
            self.waits_to_check = false;
            self.is_checked |= self.is_read;
            return;
        }
        if self.tickets.check.is_some() {
            self.waits_to_check = true;
            return;
        }
        if self.is_covered {
            self.waits_to_check = true;
            return;
        }
        let pause = BETWEEN_CHECKS_MS.max(self.check_took * 10);
        let next = self.last_check.map(|last| last.as_millis() + pause);
        if let Some(next) = next.filter(|&next| next > cx.now.as_millis()) {
            self.waits_to_check = true;
            cx.wake_at(Time::from_millis(next));
            return;
        }
        self.waits_to_check = false;
        self.check_began = Some(cx.now);
        let request = PickerRequest::Check(agent_rows(self.kept));
        self.tickets.check = Some(Self::ask(request, cx));
    }

    /// Takes an answer of a worker.
    pub(super) fn reply(
        &mut self,
        reply: PickerReply,
        ticket: WorkTicket,
        cx: &mut ScreenContext<'_>,
    ) {
        let tickets = &mut self.tickets;
        match reply {
            PickerReply::SavedState(kept) => self.take_kept(kept),
            PickerReply::Rows { rows, notes } => {
                is_answered(&mut tickets.stored, ticket);
                self.take_stored(rows, *notes, cx);
            }
            PickerReply::Checking { read, total } => {
                self.is_waiting = false;
                self.checking = Some((read, total)).filter(|_| total > 0);
                self.fill(cx);
            }
            PickerReply::Waiting => self.is_waiting = true,
            PickerReply::Checked { rows, notes } => self.checked(rows, *notes, cx),
            PickerReply::TextChecked => {
                tickets.check_text = None;
                self.is_text_checked = true;
                if self.mode == FindMode::Text && !self.query.is_empty() {
                    self.search(cx);
                }
            }
            PickerReply::Matches { rows, matches, failure } => {
                if is_answered(&mut tickets.matches, ticket) {
                    self.failure = failure;
                    self.matched(rows, &matches, cx);
                }
            }
            PickerReply::Found(found) => {
                if is_answered(&mut tickets.text, ticket) {
                    self.take_found(found, cx);
                }
            }
            PickerReply::TextCount(count) => {
                if is_answered(&mut tickets.text_count, ticket) {
                    self.text_count = count;
                }
            }
            PickerReply::Preview(text) => {
                if is_answered(&mut tickets.preview, ticket) {
                    self.preview.show(*text);
                }
            }
            PickerReply::Chosen(rows) if rows.is_empty() => {
                cx.say("the index does not have this session any more");
            }
            PickerReply::Chosen(rows) => leave(TuiOutcome::Chosen(rows), cx),
            PickerReply::Inserted(Ok(text)) => leave(TuiOutcome::Inserted(text), cx),
            PickerReply::Inserted(Err(words)) => cx.say(words),
        }
    }

    /// Takes stored rows, and starts a refresh after the first ones.
    fn take_stored(
        &mut self,
        rows: Arc<PickerRows>,
        notes: CatalogueNotes,
        cx: &mut ScreenContext<'_>,
    ) {
        self.take_rows(rows, notes, cx);
        if self.last_check.is_none() {
            self.check(cx);
        }
    }

    pub(super) fn take_kept(&mut self, kept: SavedPickerState) {
        self.kept = kept;
        match &self.usage {
            PickerUse::Browse => {}
            PickerUse::Insert => self.kept.scope = PickerScope::Here,
            // The filters of the command line already select the sessions.
            PickerUse::Choose { .. } => self.kept.scope = PickerScope::Everywhere,
        }
        // Kinds that the command line names are shown.
        let kinds = &self.asked_for.kinds;
        let filters = &mut self.kept.filters;
        filters.headless |= kinds.contains(&SessionKind::Headless);
        filters.agents |= kinds.contains(&SessionKind::Agent);
        filters.empty |=
            kinds.contains(&SessionKind::Empty) || self.asked_for.statuses.contains(&Status::Empty);
    }

    pub(super) fn checked(
        &mut self,
        rows: Arc<PickerRows>,
        notes: CatalogueNotes,
        cx: &mut ScreenContext<'_>,
    ) {
        self.tickets.check = None;
        self.checking = None;
        self.is_waiting = false;
        self.is_checked = true;
        self.last_check = Some(cx.now);
        self.check_took =
            self.check_began.map_or(0, |began| cx.now.as_millis() - began.as_millis());
        let before = Arc::clone(&self.rows);
        self.take_rows(rows, notes, cx);
        self.flash_changed(&before, cx);
        if self.waits_to_check {
            self.check(cx);
        }
        self.wake(cx);
    }

    /// Flashes the marks of visible rows that changed.
    fn flash_changed(&mut self, before: &PickerRows, cx: &mut ScreenContext<'_>) {
        if self.is_covered {
            return;
        }
        let height = self.layout(cx).height();
        let in_view = self.list.in_view(height).filter_map(|(_, line)| match line {
            ListLine::Row(row) => Some(self.list.rows.row(row)?.key),
            ListLine::Heading(_) | ListLine::Found(_) => None,
        });
        if let Some(end) = self.flash.begin(before, &self.rows, in_view, cx.now) {
            cx.wake_at(end);
        }
    }

    /// Reads rows during a long refresh, so that the list fills.
    pub(super) fn fill(&mut self, cx: &mut ScreenContext<'_>) {
        let is_due = |last: Time| cx.now.as_millis() - last.as_millis() >= BETWEEN_FILLS_MS;
        if self.tickets.stored.is_none() && self.last_fill.is_none_or(is_due) {
            self.last_fill = Some(cx.now);
            let request = PickerRequest::Stored(agent_rows(self.kept));
            self.tickets.stored = Some(Self::ask(request, cx));
        }
    }

    pub(super) fn matched(
        &mut self,
        rows: Arc<PickerRows>,
        matches: &[u32],
        cx: &mut ScreenContext<'_>,
    ) {
        let choice = self.choice_after();
        self.found = None;
        self.arrange(rows, Some(matches), RowLines::One, choice, cx);
        let words = TypedWords::of(self.query.text()).words;
        if self.list.is_empty() && !words.is_empty() {
            let text = self.query.text().to_owned();
            let scope = self.kept.scope;
            let request = PickerRequest::CountText { text, scope };
            self.tickets.text_count = Some(Self::ask(request, cx));
        }
    }

    /// Counts the matching sessions of all scopes.
    fn count_everywhere(&mut self, cx: &mut ScreenContext<'_>) {
        if self.kept.scope == PickerScope::Everywhere {
            return;
        }
        let request = PickerRequest::CountText {
            text: self.query.text().to_owned(),
            scope: PickerScope::Everywhere,
        };
        self.tickets.text_count = Some(Self::ask(request, cx));
    }

    pub(super) fn take_found(
        &mut self,
        found: Result<Box<TextResults>, String>,
        cx: &mut ScreenContext<'_>,
    ) {
        match found {
            Ok(mut found) => {
                self.failure = None;
                let rows = Arc::new(std::mem::take(&mut found.rows));
                let all: Vec<u32> = (0..rows.len() as u32).collect();
                self.found = Some(found);
                let choice = self.choice_after();
                self.arrange_found(rows, &all, choice, cx);
                self.count_everywhere(cx);
            }
            // The old results stay; the query line shows the error.
            Err(words) => {
                self.failure = Some(words);
                self.is_query_new = false;
            }
        }
    }

    pub(super) fn arrange_found(
        &mut self,
        rows: Arc<PickerRows>,
        all: &[u32],
        choice: ChoiceAfter,
        cx: &mut ScreenContext<'_>,
    ) {
        // The search has applied the scope already; a session without a log has no known folder.
        let scope = std::mem::replace(&mut self.kept.scope, PickerScope::Everywhere);
        self.arrange(rows, Some(all), RowLines::Two, choice, cx);
        self.kept.scope = scope;
    }

    /// Returns how the selection changes: a new query selects its best row.
    pub(super) fn choice_after(&mut self) -> ChoiceAfter {
        if std::mem::take(&mut self.is_query_new) { ChoiceAfter::First } else { ChoiceAfter::Kept }
    }
}

/// Tells whether an answer is the expected one; if so, the ticket is cleared.
fn is_answered(asked: &mut Option<WorkTicket>, answered: WorkTicket) -> bool {
    asked.take_if(|asked| *asked == answered).is_some()
}

fn leave(outcome: TuiOutcome, cx: &mut ScreenContext<'_>) {
    cx.effect(TuiEffect::Leave(Box::new(outcome)));
}
