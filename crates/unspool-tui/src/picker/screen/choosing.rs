//! Actions on the selected row: open, mark, choose, insert into a prompt.

use super::{Completion, FindMode, PickerScreen};
use crate::effect::TuiEffect;
use crate::picker::menus;
use crate::press::KeyPress;
use crate::screen::{Handled, ScreenContext, ScreenRequest, TuiScreen as _};
use crate::settings::{PickerUse, TuiOutcome};
use crate::work::picker::PickerRequest;
use crate::work::picker::insert::{InsertPart, parse_turns};
use crate::work::picker::query::{OpenWord, quoted};
use crate::work::picker::rows::PickerRow;

impl PickerScreen {
    /// Opens or chooses the selected row.
    pub(super) fn enter(&mut self, cx: &mut ScreenContext<'_>) {
        let Some(row) = self.list.selected_row() else {
            return;
        };
        if row.is_gone {
            cx.say("the log of this session is gone; `unspool show` prints its prompts");
            return;
        }
        match &self.usage {
            PickerUse::Browse => self.read(cx),
            PickerUse::Choose { .. } => {
                let places = self.subjects().into_iter().map(|it| it.place).collect();
                self.tickets.act = Some(Self::ask(PickerRequest::Choose(places), cx));
            }
            PickerUse::Insert => cx.menu(menus::insert()),
        }
    }

    /// Opens the selected session in the reader.
    pub(super) fn read(&self, cx: &mut ScreenContext<'_>) {
        if let Some(subject) = self.subject() {
            cx.open(ScreenRequest::Session {
                place: subject.place,
                at: subject.entry,
                find: self.words_found(),
            });
        }
    }

    /// Returns the words of the full-text query, for the reader to highlight.
    pub(super) fn words_found(&self) -> Option<String> {
        let found = self.found.as_ref().filter(|_| self.is_found_shown())?;
        Some(found.words.clone()).filter(|words| !words.is_empty())
    }

    pub(super) fn insert(&mut self, part: InsertPart, cx: &mut ScreenContext<'_>) {
        if let Some(subject) = self.subject() {
            let request = PickerRequest::Insert { subject, part };
            self.tickets.act = Some(Self::ask(request, cx));
        }
    }

    /// Leaves the prompt to the person's own editor; in other pickers the key moves to the end of the line.
    pub(super) fn edit_elsewhere(&mut self, cx: &mut ScreenContext<'_>) {
        if self.usage == PickerUse::Insert {
            cx.effect(TuiEffect::Leave(Box::new(TuiOutcome::EditElsewhere)));
        } else {
            self.query.press(KeyPress::control('e'));
        }
    }

    /// Toggles the mark of the selected row, then moves the selection.
    pub(super) fn mark(&mut self, by: isize, cx: &mut ScreenContext<'_>) {
        if matches!(self.usage, PickerUse::Choose { several: false, .. } | PickerUse::Insert) {
            cx.say("one session is wanted; `unspool pick --multi` takes several");
            return;
        }
        let Some(row) = self.list.selected_row() else {
            return;
        };
        let key = row.key;
        match self.marks.iter().position(|(marked, _)| *marked == key) {
            Some(at) => {
                self.marks.remove(at);
            }
            None => self.marks.push((key, self.list.rows.subject(row))),
        }
        self.step(by, cx);
    }

    /// Completes the filter at the cursor with its next or previous value; returns whether the cursor is in
    /// one.
    pub(super) fn complete(&mut self, by: isize, cx: &mut ScreenContext<'_>) -> bool {
        let before = self.query.before_cursor().to_owned();
        let again = self.completion.take().filter(|it| it.typed == before);
        let mut completion = match (again, OpenWord::at_end_of(&before)) {
            (Some(mut again), _) => {
                let count = again.values.len().max(1) as isize;
                again.at = (again.at as isize + by).rem_euclid(count) as usize;
                again
            }
            (None, Some(open)) => Completion {
                start: open.start,
                values: self.values_of(&open),
                typed: String::new(),
                at: 0,
            },
            (None, None) => return false,
        };
        if let Some(value) = completion.values.get(completion.at) {
            self.query.replace_from(completion.start, &quoted(value));
            self.query.before_cursor().clone_into(&mut completion.typed);
            self.completion = Some(completion);
            self.edited(cx);
        }
        true
    }

    /// Lists the values that complete a filter, the most frequent first.
    pub(super) fn values_of(&self, open: &OpenWord) -> Vec<String> {
        let name = |row: &PickerRow| match open.name {
            "project" => Some(row.project_name),
            "branch" => Some(row.branch),
            "model" => Some(row.model),
            _ => None,
        };
        let mut counts = std::collections::BTreeMap::new();
        for number in self.rows.all().iter().filter_map(name) {
            *counts.entry(number).or_insert(0_usize) += 1;
        }
        let typed = open.value.to_lowercase();
        let begins = |name: &str| name.to_lowercase().starts_with(&typed);
        let mut values: Vec<(usize, &str)> = counts
            .into_iter()
            .map(|(number, count)| (count, self.rows.name(number)))
            .filter(|(_, name)| !name.is_empty() && begins(name))
            .collect();
        values.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(other.1)));
        values.into_iter().map(|(_, name)| name.to_owned()).collect()
    }

    /// Closes one thing: the line for turns, the query, the full text; leaves the picker if none is open.
    pub(super) fn escape(&mut self, cx: &mut ScreenContext<'_>) -> Handled {
        if self.asking.take().is_some() {
            return Handled::Yes;
        }
        if !self.query.is_empty() {
            self.query.clear();
            self.edited(cx);
            return Handled::Yes;
        }
        if self.mode == FindMode::Text {
            self.set_mode(FindMode::Titles, cx);
            return Handled::Yes;
        }
        Handled::No
    }

    pub(super) fn type_turns(&mut self, press: KeyPress) {
        if let Some(line) = &mut self.asking {
            line.press(press);
        }
    }

    pub(super) fn take_turns(&mut self, cx: &mut ScreenContext<'_>) {
        let typed = self.asking.as_ref().map(|line| line.text().to_owned());
        match typed.as_deref().and_then(parse_turns) {
            Some(turns) => {
                self.asking = None;
                self.insert(InsertPart::Turns(turns), cx);
            }
            None => cx.say("turns are typed as 3 or 2..5"),
        }
    }
}
