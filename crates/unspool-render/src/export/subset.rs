//! Which paths contain all of another one.
//!
//! A fork or a resume of older versions begins with a copy of the session it continues, so
//! that session's path is all in the copy. Entries are compared by hashes of their uuids. A path
//! that contains another one contains its last entry, so only paths through that entry are looked at,
//! the longest first: it is the one that is written. Two rules limit this: an active path is held
//! by active paths only, and a path is not left out for one of its own session, also not in a
//! roundabout way, by a copy that is left out itself.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

use unspool_model::positions::PathNumber;

/// The most hashes of one session that are kept to compare with. Of a session with more, the
/// longest paths are compared, and some path may be written although another contains it.
const MOST: usize = 1 << 24;

/// How many sessions are kept to compare with.
const KEPT: usize = 4;

/// A path, as far as it matters here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PathCandidate {
    /// Its number in its session.
    pub(super) number: PathNumber,
    /// The hash of its last entry.
    pub(super) key: u64,
    /// How many entries it has.
    pub(super) length: usize,
    /// Whether a resume would go on with it.
    pub(super) is_active: bool,
}

/// A session, as far as it matters here.
#[derive(Clone, Default, Debug)]
pub(super) struct ComparedSession {
    /// Its paths. Those that may have one entry are neighbours.
    pub(super) paths: Vec<PathCandidate>,
    /// All its entries.
    pub(super) entries: Vec<SharedEntry>,
    /// The position of a path that may have any entry.
    pub(super) anywhere: Option<usize>,
}

/// An entry of a session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SharedEntry {
    /// The hash of its uuid.
    pub(super) hash: u64,
    /// The positions of the paths that may have it.
    pub(super) paths: Range<u32>,
}

impl ComparedSession {
    /// Returns the paths that may have an entry.
    fn candidates(&self, paths: Range<u32>) -> impl Iterator<Item = &PathCandidate> {
        let range = paths.start as usize..paths.end as usize;
        let anywhere = self.anywhere.filter(|at| !range.contains(at));
        self.paths[range].iter().chain(anywhere.map(|at| &self.paths[at]))
    }
}

/// One path of one session: the session's position and the path's number.
pub(super) type PathId = (usize, PathNumber);

/// The hashes of a path's entries, sorted, with its number.
pub(super) type Entries = (PathNumber, Vec<u64>);

/// Finds the paths that others contain, with the one that contains each.
///
/// `members` come in the order of precedence: of two paths with the same entries, the one
/// of the earlier session stays. `load` spells out the paths of a session.
pub(super) fn held(
    members: &[ComparedSession],
    load: &mut dyn FnMut(usize) -> Vec<Entries>,
) -> HashMap<PathId, PathId> {
    let postings = postings(members);
    let mut spelled = SpelledSessions { load, kept: Vec::new() };
    let mut held = HashMap::new();
    for (session, member) in members.iter().enumerate() {
        for path in &member.paths {
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

/// Names for each held path one that is written. A path whose entries turn out to be in a path of its own
/// session, by way of a copy that is left out, is not held.
fn settled(held: &HashMap<PathId, PathId>) -> HashMap<PathId, PathId> {
    // A path that contains another is longer, or earlier: following them comes to an end.
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

/// An entry, the session that has it, and the first and last of the paths that may have it there.
type Posting = (u64, u32, u32, u32);

/// Lists all entries with the sessions that have them, by entry.
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

/// Sessions whose paths are spelled out.
struct SpelledSessions<'l> {
    load: &'l mut dyn FnMut(usize) -> Vec<Entries>,
    /// The entries of their paths, by number.
    kept: Vec<(usize, HashMap<PathNumber, Vec<u64>>)>,
}

impl SpelledSessions<'_> {
    /// Returns the first of some paths that contains another one.
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
            // Of two that are the same, the earlier one stays.
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

/// Keeps as many paths as there is room for, the longest first.
fn longest(mut paths: Vec<Entries>) -> HashMap<PathNumber, Vec<u64>> {
    paths.sort_by_key(|(number, entries)| (Reverse(entries.len()), *number));
    let mut total = 0;
    paths.retain(|(_, entries)| {
        total += entries.len();
        total <= MOST
    });
    paths.into_iter().collect()
}

/// Tells whether all of `part` is in `whole`; both are sorted.
fn contains(whole: &[u64], part: &[u64]) -> bool {
    unspool_work::add(whole.len());
    let mut whole = whole.iter();
    part.iter().all(|entry| whole.any(|other| other == entry))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Finds what is held among sessions of paths, each a list of entries in order; the last path of a
    /// session is active.
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
        // Each session has an active path that its abandoned one goes on from.
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
