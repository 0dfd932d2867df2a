//! Assigns messages to pages.
//!
//! A long path becomes several pages. Their first messages are computed before the first page is written,
//! from the turns alone, so that every page can link to every turn although no finished page is kept.

use std::ops::Range;

/// The messages that a page should contain. At a few kilobytes each this makes a megabyte or two,
/// which a phone still scrolls well.
const USUAL: u32 = 300;
/// The most messages of a turn that is not split into pages of its own.
const MOST: u32 = 2 * USUAL;

/// The pages of a transcript.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PagePlan {
    /// The first message of each page.
    starts: Vec<u32>,
}

impl PagePlan {
    /// Puts all messages on one page.
    pub(super) fn single() -> Self {
        Self { starts: vec![0] }
    }

    /// Assigns turns to pages; only a turn that is too long is split.
    pub(super) fn of(turns: impl IntoIterator<Item = Range<u32>>) -> Self {
        let mut starts = vec![0];
        for turn in turns {
            let page = starts.last().copied().unwrap_or(0);
            if turn.start > page && turn.end.saturating_sub(page) > USUAL {
                starts.push(turn.start);
            }
            let mut page = starts.last().copied().unwrap_or(0);
            while turn.end.saturating_sub(page) > MOST {
                page += USUAL;
                starts.push(page);
            }
        }
        Self { starts }
    }

    /// Returns the number of pages.
    pub(super) fn pages(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Returns the page of a message, counted from one.
    pub(super) fn page_of(&self, message: u32) -> u32 {
        self.starts.partition_point(|start| *start <= message) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn starts(lengths: &[u32]) -> Vec<u32> {
        let mut at = 0;
        let turns = lengths.iter().map(|length| {
            let turn = at..at + length;
            at += length;
            turn
        });
        PagePlan::of(turns.collect::<Vec<_>>()).starts
    }

    #[test]
    fn pages_begin_with_turns() {
        assert_eq!(starts(&[]), [0]);
        assert_eq!(starts(&[300]), [0]);
        assert_eq!(starts(&[200, 100, 1]), [0, 300]);
        assert_eq!(starts(&[200, 101, 99]), [0, 200]);
        assert_eq!(starts(&[550]), [0], "one turn may be somewhat longer");
        assert_eq!(starts(&[10, 1000, 10]), [0, 10, 310, 610, 1010]);
    }

    #[test]
    fn messages_find_their_page() {
        let plan = PagePlan { starts: vec![0, 10, 20] };
        assert_eq!(plan.pages(), 3);
        let pages = [0, 9, 10, 19, 20, 1000].map(|message| plan.page_of(message));
        assert_eq!(pages, [1, 1, 2, 2, 3, 3]);
        assert_eq!(PagePlan::single().page_of(7), 1);
    }

    proptest! {
        #[test]
        fn pages_are_in_order_and_not_too_long(lengths in proptest::collection::vec(1u32..2000, 0..40)) {
            let mut starts = starts(&lengths);
            starts.push(lengths.iter().sum());
            for page in starts.windows(2) {
                prop_assert!(page[0] < page[1] || lengths.is_empty());
                prop_assert!(page[1] - page[0] <= MOST);
            }
        }
    }
}
