//! Where paths leave one another.
//!
//! All paths are arranged in a row in which those through one group are neighbours. Then the
//! paths that leave another one at a group are at most two ranges of the row: those through the
//! group, except those that continue with the other path. So finding the exits of one path
//! takes time proportional to its length, however many others there are.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::FixedState;

use super::{Path, Paths};
use crate::positions::{GroupId, PathNumber};

/// All paths of a conversation in a row, with those through one group next to each other.
#[derive(Clone, Default, Debug)]
pub struct PathOrder {
    /// The number of the path at each place.
    numbers: Vec<PathNumber>,
    /// The place of each path, by its number.
    places: Vec<u32>,
    /// The places of the paths through each group.
    spans: Vec<Range<u32>>,
}

/// The places where other paths leave one path, by group.
#[derive(Clone, Default, Debug)]
pub struct PathExits(HashMap<GroupId, [Range<u32>; 2], FixedState>);

/// The paths that leave another one at a group.
#[derive(Clone, Debug)]
pub struct LeavingPaths<'r> {
    row: &'r PathOrder,
    places: [Range<u32>; 2],
}

impl PathOrder {
    /// Arranges the paths of a conversation.
    pub fn new(paths: &Paths) -> Self {
        unspool_work::add(paths.groups.len() + paths.paths.len());
        let mut through: Vec<u32> = vec![0; paths.groups.len()];
        for path in &paths.paths {
            through[path.last] += 1;
        }
        // Each group is listed after the one that it continues, so counts are complete before they are added.
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

    /// Returns where other paths leave a path.
    pub fn exits(&self, paths: &Paths, path: &Path) -> PathExits {
        let own = self.place(path);
        let mut exits = HashMap::default();
        let mut stays = own..own + 1;
        // Paths through a group that are not through the next one leave this path there.
        for group in paths.trail(path.last).into_iter().rev() {
            let through = self.through(group);
            if through.len() > stays.len() {
                exits.insert(group, [through.start..stays.start, stays.end..through.end]);
            }
            stays = through;
        }
        PathExits(exits)
    }

    /// Returns the paths that leave another one at a group, given the exits of the other one.
    pub fn leaving(&self, exits: &PathExits, group: GroupId) -> Option<LeavingPaths<'_>> {
        let places = exits.0.get(&group)?.clone();
        Some(LeavingPaths { row: self, places })
    }
}

impl LeavingPaths<'_> {
    /// Returns the number of paths, at least one.
    pub fn count(&self) -> usize {
        self.places.iter().map(ExactSizeIterator::len).sum()
    }

    /// Tells whether the path with a number is among them.
    pub fn has(&self, number: PathNumber) -> bool {
        unspool_work::add(1);
        let place = self.row.places.get(number.index());
        place.is_some_and(|place| self.places.iter().any(|places| places.contains(place)))
    }

    /// Returns the numbers of the paths, in order.
    pub fn numbers(&self) -> Vec<PathNumber> {
        unspool_work::add(self.count());
        let places = self.places.iter().cloned().flatten();
        let mut numbers: Vec<PathNumber> =
            places.map(|place| self.row.numbers[place as usize]).collect();
        numbers.sort_unstable();
        numbers
    }
}
