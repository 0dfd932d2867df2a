//! Where paths leave one another.
//!
//! All paths are put into one row in which those that lead through a group are neighbours. Then
//! the paths that leave another one at a group are at most two stretches of the row: those
//! through the group, without those that go on with the other path. So what is said of one path
//! costs no more than its length, however many others there are.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::FixedState;

use super::{Path, Paths};
use crate::positions::{GroupId, PathNumber};

/// All paths of a conversation in a row, those through one group side by side.
#[derive(Clone, Default, Debug)]
pub struct PathRow {
    /// The numbers of the paths, by place.
    numbers: Vec<PathNumber>,
    /// The places of the paths, by number; numbers count from one.
    places: Vec<u32>,
    /// For each group the places of the paths that lead through it.
    spans: Vec<Range<u32>>,
}

/// The places where other paths leave one path, by group.
#[derive(Clone, Default, Debug)]
pub struct Exits(HashMap<GroupId, [Range<u32>; 2], FixedState>);

/// The paths that leave another one at a group.
#[derive(Clone, Debug)]
pub struct Leaving<'r> {
    row: &'r PathRow,
    places: [Range<u32>; 2],
}

impl PathRow {
    /// Puts the paths of a conversation into a row.
    pub fn new(paths: &Paths) -> Self {
        unspool_work::add(paths.groups.len() + paths.paths.len());
        let mut through: Vec<u32> = vec![0; paths.groups.len()];
        for path in &paths.paths {
            through[path.last] += 1;
        }
        // Each group is listed after the one that it continues.
        for group in GroupId::all(paths.groups.len()).rev() {
            if let Some(parent) = paths.groups[group].parent() {
                through[parent] += through[group];
            }
        }
        // The next free place of each group, and of the row.
        let mut free: Vec<u32> = Vec::with_capacity(paths.groups.len());
        let mut end = 0;
        let mut spans = Vec::with_capacity(paths.groups.len());
        for (found, &count) in paths.groups.iter().zip(&through) {
            let slot = match found.parent() {
                Some(parent) => &mut free[parent],
                None => &mut end,
            };
            let start = *slot;
            *slot += count;
            free.push(start);
            spans.push(start..start + count);
        }
        let mut row = Self {
            numbers: vec![PathNumber::at(0); paths.paths.len()],
            places: Vec::with_capacity(paths.paths.len()),
            spans,
        };
        for path in &paths.paths {
            let slot = &mut free[path.last];
            row.places.push(*slot);
            row.numbers[*slot as usize] = path.index;
            *slot += 1;
        }
        row
    }

    /// Returns the place of a path.
    pub fn place(&self, path: &Path) -> u32 {
        self.places[path.index]
    }

    /// Returns the places of the paths that lead through a group.
    pub fn through(&self, group: GroupId) -> Range<u32> {
        self.spans[group].clone()
    }

    /// Finds where other paths leave a path.
    pub fn exits(&self, paths: &Paths, path: &Path) -> Exits {
        let own = self.place(path);
        let mut exits = HashMap::default();
        let mut stays = own..own + 1;
        for group in paths.trail(path.last).into_iter().rev() {
            let through = self.through(group);
            if through.len() > stays.len() {
                exits.insert(group, [through.start..stays.start, stays.end..through.end]);
            }
            stays = through;
        }
        Exits(exits)
    }

    /// Returns the paths that leave another one at a group, given where that one is left.
    pub fn leaving(&self, exits: &Exits, group: GroupId) -> Option<Leaving<'_>> {
        let places = exits.0.get(&group)?.clone();
        Some(Leaving { row: self, places })
    }
}

impl Leaving<'_> {
    /// Returns how many there are, one at least.
    pub fn count(&self) -> usize {
        self.places.iter().map(ExactSizeIterator::len).sum()
    }

    /// Tells whether the path with a number is one of them.
    pub fn has(&self, number: PathNumber) -> bool {
        unspool_work::add(1);
        let place = self.row.places.get(number.index());
        place.is_some_and(|place| self.places.iter().any(|places| places.contains(place)))
    }

    /// Lists their numbers in order.
    pub fn numbers(&self) -> Vec<PathNumber> {
        unspool_work::add(self.count());
        let places = self.places.iter().cloned().flatten();
        let mut numbers: Vec<PathNumber> =
            places.map(|place| self.row.numbers[place as usize]).collect();
        numbers.sort_unstable();
        numbers
    }
}
