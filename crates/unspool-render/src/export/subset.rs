//! Finds the paths that contain all of another path.
//!
//! A fork, or a resume by an older client, begins with a copy of the session that it continues, so
//! the copy contains all of that session's path. Entries are compared by hashes of their uuids. A
//! path that contains another one contains its last entry, so only paths through that entry are
//! candidates, the longest first, since the longest one is written. Two rules limit this: an active
//! path is held only by active paths, and a path is not left out for a path of its own session, not
//! even indirectly, by a copy that is left out itself.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

use unspool_model::positions::PathNumber;

/// The most hashes of a session that are kept for comparison. Of a session with more, only the
/// longest paths are compared, so a path may be written although another one contains it.
const MOST: usize = 1 << 24;

/// The most sessions that are kept for comparison.
const KEPT: usize = 4;

/// The facts about a path that the comparison needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PathCandidate {
    /// The number in its session.
    pub(super) number: PathNumber,
    /// The hash of its last entry.
    pub(super) key: u64,
    /// The number of entries.
    pub(super) length: usize,
    /// Whether a resume would continue the path.
    pub(super) is_active: bool,
}

/// The facts about a session that the comparison needs.
#[derive(Clone, Default, Debug)]
pub(super) struct ComparedSession {
    /// The paths. Those that may contain the same entry are neighbours.
    pub(super) paths: Vec<PathCandidate>,
    /// All entries.
    pub(super) entries: Vec<SharedEntry>,
    /// The index of a path that may contain any entry.
    pub(super) anywhere: Option<usize>,
}

/// An entry of a session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SharedEntry {
    /// The hash of the entry's uuid.
    pub(super) hash: u64,
    /// The indices of the paths that may contain the entry.
    pub(super) paths: Range<u32>,
}

impl ComparedSession {
    /// Returns the paths that may contain an entry with these indices.
    fn candidates(&self, paths: Range<u32>) -> impl Iterator<Item = &PathCandidate> {
        let range = paths.start as usize..paths.end as usize;
        let anywhere = self.anywhere.filter(|at| !range.contains(at));
        self.paths[range].iter().chain(anywhere.map(|at| &self.paths[at]))
    }
}

/// A path of a session: the index of the session and the number of the path.
pub(super) type PathId = (usize, PathNumber);

/// The number of a path, and the sorted hashes of its entries.
pub(super) type Entries = (PathNumber, Vec<u64>);

/// Finds the paths that other paths contain, each with the path that contains it.
///
/// `members` are in the order of precedence: of two paths with the same entries, the one of the
/// earlier session stays. `load` returns the paths of a session with their entries.
pub(super) fn held(
    members: &[ComparedSession],
    load: &mut dyn FnMut(usize) -> Vec<Entries>,
) -> HashMap<PathId, PathId> {
    let postings = postings(members);
    let mut spelled = PathEntriesCache { load, kept: Vec::new() };
    let mut held = HashMap::new();
    for (session, member) in members.iter().enumerate() {
        for path in &member.paths {
            // A path that contains this one contains its last entry, `key`.
            let mut holders: Vec<(usize, &PathCandidate)> = holding(&postings, path.key)
                .filter(|(other, _)| *other != session)
                .flat_map(|(other, range)| {
                    let candidates = members[other].candidates(range);
                    candidates.map(move |path| (other, path))
                })
                .inspect(|_| unspool_work::add(1))
                .filter(|(_, other)| other.length >= path.length)
                .filter(|(_, other)| other.is_active || !path.is_active)
                .collect();
            holders.sort_by_key(|(other, path)| (Reverse(path.length), *other, path.number));
            let own = (session, path.number);
            if let Some(holder) = spelled.first_holder(own, path.length, &holders) {
                held.insert(own, holder);
            }
        }
    }
    settled(&held)
}

/// Replaces the holder of each path by one that is written. A path whose holder is in its own
/// session, by way of copies that are left out, is not held.
fn settled(held: &HashMap<PathId, PathId>) -> HashMap<PathId, PathId> {
    // A holder is longer than its path, or equal and earlier, so following holders ends.
    let last = |held: &HashMap<PathId, PathId>, path: PathId| {
        let mut at = path;
        while let Some(holder) = held.get(&at) {
            at = *holder;
        }
        at
    };
    let others: HashMap<PathId, PathId> = held
        .iter()
        .filter(|(path, _)| last(held, **path).0 != path.0)
        .map(|(path, holder)| (*path, *holder))
        .collect();
    let paths = others.keys();
    paths.map(|path| (*path, last(&others, *path))).collect()
}

/// An entry, its session, and the range of that session's paths that may contain it.
type Posting = (u64, u32, u32, u32);

/// Lists the entries of all sessions, sorted.
fn postings(members: &[ComparedSession]) -> Vec<Posting> {
    let total = members.iter().map(|member| member.entries.len()).sum();
    let mut postings: Vec<Posting> = Vec::with_capacity(total);
    for (session, member) in (0u32..).zip(members) {
        let entries = member.entries.iter();
        postings.extend(
            entries.map(|SharedEntry { hash, paths }| (*hash, session, paths.start, paths.end)),
        );
    }
    postings.sort_unstable();
    postings.dedup();
    postings
}

fn holding(postings: &[Posting], entry: u64) -> impl Iterator<Item = (usize, Range<u32>)> {
    let begin = postings.partition_point(|(other, ..)| *other < entry);
    postings[begin..]
        .iter()
        .take_while(move |(other, ..)| *other == entry)
        .map(|&(_, session, start, end)| (session as usize, start..end))
}

/// The entries of the paths of a few sessions; those used last are kept.
struct PathEntriesCache<'l> {
    load: &'l mut dyn FnMut(usize) -> Vec<Entries>,
    /// The entries of the paths of each session, by number; the session used last is at the end.
    kept: Vec<(usize, HashMap<PathNumber, Vec<u64>>)>,
}

impl PathEntriesCache<'_> {
    /// Returns the first of these holders that contains all of a path.
    fn first_holder(
        &mut self,
        own: PathId,
        length: usize,
        holders: &[(usize, &PathCandidate)],
    ) -> Option<PathId> {
        if holders.is_empty() {
            return None;
        }
        let entries = self.entries(own)?.clone();
        holders.iter().find_map(|(other, path)| {
            let id = (*other, path.number);
            // Of two equal paths, the earlier one stays.
            let precedes = path.length > length || *other < own.0;
            let is_inside = precedes && contains(self.entries(id)?, &entries);
            is_inside.then_some(id)
        })
    }

    fn entries(&mut self, (session, number): PathId) -> Option<&Vec<u64>> {
        let known = self.kept.iter().position(|(kept, _)| *kept == session);
        if let Some(at) = known {
            self.kept[at..].rotate_left(1);
        } else {
            let paths = longest((self.load)(session));
            if self.kept.len() >= KEPT {
                self.kept.remove(0);
            }
            self.kept.push((session, paths));
        }
        self.kept.last()?.1.get(&number)
    }
}

/// Keeps the longest paths, up to [`MOST`] entries.
fn longest(mut paths: Vec<Entries>) -> HashMap<PathNumber, Vec<u64>> {
    paths.sort_by_key(|(number, entries)| (Reverse(entries.len()), *number));
    let mut total = 0;
    paths.retain(|(_, entries)| {
        total += entries.len();
        total <= MOST
    });
    paths.into_iter().collect()
}

/// Returns whether `whole` contains all of `part`; both are sorted.
fn contains(whole: &[u64], part: &[u64]) -> bool {
    unspool_work::add(whole.len());
    let mut whole = whole.iter();
    part.iter().all(|entry| whole.any(|other| other == entry))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Finds the held paths among sessions. A path is a list of entries in order; the last path of
    /// a session is active.
    fn check(sessions: &[&[&[u64]]]) -> Vec<((usize, u32), (usize, u32))> {
        let spelled = |session: usize| -> Vec<Entries> {
            let paths = PathNumber::enumerate(sessions[session]);
            paths
                .map(|(number, path)| {
                    let mut entries = path.to_vec();
                    entries.sort_unstable();
                    (number, entries)
                })
                .collect()
        };
        let members: Vec<ComparedSession> = sessions
            .iter()
            .map(|paths| ComparedSession {
                paths: PathNumber::enumerate(*paths)
                    .map(|(number, path)| PathCandidate {
                        number,
                        key: path[path.len() - 1],
                        length: path.len(),
                        is_active: number.index() + 1 == paths.len(),
                    })
                    .collect(),
                entries: paths
                    .concat()
                    .into_iter()
                    .map(|hash| SharedEntry { hash, paths: 0..paths.len() as u32 })
                    .collect(),
                anywhere: None,
            })
            .collect();
        let seen = |(session, number): PathId| (session, number.get());
        let mut found: Vec<_> = held(&members, &mut |session| spelled(session))
            .into_iter()
            .map(|(path, holder)| (seen(path), seen(holder)))
            .collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn a_copy_that_goes_on_contains_what_it_was_copied_from() {
        assert_eq!(check(&[&[&[1, 2]], &[&[1, 2, 3]]]), [((0, 1), (1, 1))]);
        assert_eq!(check(&[&[&[1, 2, 3]], &[&[1, 2]]]), [((1, 1), (0, 1))]);
    }

    #[test]
    fn of_several_holders_the_longest_is_named() {
        let chain: &[&[&[u64]]] = &[&[&[1]], &[&[1, 2]], &[&[1, 2, 3]]];
        assert_eq!(check(chain), [((0, 1), (2, 1)), ((1, 1), (2, 1))]);
    }

    #[test]
    fn of_two_that_are_the_same_the_earlier_stays() {
        assert_eq!(check(&[&[&[1, 2]], &[&[1, 2]]]), [((1, 1), (0, 1))]);
        let three: &[&[&[u64]]] = &[&[&[1, 2]], &[&[1, 2]], &[&[1, 2]]];
        assert_eq!(check(three), [((1, 1), (0, 1)), ((2, 1), (0, 1))]);
    }

    #[test]
    fn sharing_an_end_is_not_enough() {
        assert_eq!(check(&[&[&[1, 2, 9]], &[&[3, 4, 5, 9]]]), []);
        assert_eq!(check(&[&[&[1, 2]], &[&[2, 3]]]), []);
    }

    #[test]
    fn an_abandoned_path_may_be_held_and_hold() {
        let fork: &[&[&[u64]]] = &[&[&[1, 2, 3], &[1, 2, 4]], &[&[1, 2, 3, 5], &[1, 2, 6]]];
        assert_eq!(check(fork), [((0, 1), (1, 1))]);
    }

    #[test]
    fn an_active_path_is_held_by_active_paths_only() {
        // The copy was rewound to its beginning.
        assert_eq!(check(&[&[&[1, 2]], &[&[1, 2, 3], &[1, 9]]]), []);
    }

    #[test]
    fn a_copy_does_not_make_a_session_hold_its_own_paths() {
        // In each session, the abandoned path continues the active one.
        let pinned: &[&[u64]] = &[&[1, 2, 3, 4], &[1, 2]];
        let expected = [((1, 1), (0, 1)), ((1, 2), (0, 2))];
        assert_eq!(check(&[pinned, pinned]), expected);
        // The same among abandoned paths.
        let three: &[&[u64]] = &[&[1, 2, 3], &[1, 2], &[7]];
        let expected = [((1, 1), (0, 1)), ((1, 2), (0, 1)), ((1, 3), (0, 3))];
        assert_eq!(check(&[three, three]), expected);
    }

    #[test]
    fn the_holder_that_is_named_is_written() {
        let sessions: &[&[&[u64]]] = &[&[&[1, 2, 3], &[5]], &[&[1, 2, 3], &[6]], &[&[1, 2], &[8]]];
        let found = check(sessions);
        assert_eq!(found, [((1, 1), (0, 1)), ((2, 1), (0, 1))]);
    }

    #[test]
    fn paths_of_one_session_do_not_hold_one_another() {
        assert_eq!(check(&[&[&[1, 2, 3], &[1, 2]]]), []);
    }
}
