//! Turns ranked documents into hits: grouped by session, with texts read from the logs.
//!
//! Only the texts of shown hits are read. A document whose text cannot be read any more, or lacks a
//! required term as written, is not a hit.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::rc::Rc;

use unspool_model::ids::SessionId;

use super::candidates::{flags_factor, role_worth};
use super::filter::DocumentFacts;
use super::known::IndexedFile;
use super::rank::Ranked;
use super::{RankedAnswer, RunningSearch, SessionHits, plain};
use crate::hit::SearchHit;
use crate::text::TextSource;
use crate::text::reread::{Reread, entry_at, reread};

/// The hits of one session, whose texts were not read yet.
struct RankedHits {
    place: Rc<IndexedFile>,
    hits: Vec<GroupHit>,
    score: f32,
}

/// A hit whose text was not read yet.
struct GroupHit {
    place: Rc<IndexedFile>,
    ranked: Ranked,
    active: Option<bool>,
}

/// The shown hits of a session.
#[derive(Default)]
struct ShownSession {
    hits: Vec<SearchHit>,
    /// How many hits of the session were tried.
    read: usize,
}

impl GroupHit {
    /// Merges another hit of the session with the same text. The shown hit is chosen by the
    /// properties of both, not by their scores, which change with the index.
    fn merge(&mut self, other: Self) {
        let key = |hit: &Self| {
            let facts = &hit.ranked.facts;
            let worth = role_worth(facts.role) * flags_factor(facts.marks);
            (-worth, facts.time, hit.place.path.clone(), facts.place)
        };
        let score = self.ranked.score.max(other.ranked.score);
        let (mine, theirs) = (key(self), key(&other));
        if theirs.partial_cmp(&mine) == Some(Ordering::Less) {
            *self = other;
        }
        self.ranked.score = score;
    }
}

impl RankedHits {
    fn add(&mut self, mut hit: GroupHit, is_new: bool) {
        if !is_new {
            // Another session has the same text: a copy, a fork or a routine.
            hit.ranked.score *= 0.7;
        }
        self.hits.push(hit);
    }

    /// Returns the session with its shown hits; none if there are none.
    fn shown(&self, hits: Vec<SearchHit>) -> Option<SessionHits> {
        (!hits.is_empty()).then(|| SessionHits {
            session: self.place.session.clone(),
            score: self.score,
            hits,
        })
    }
}

impl RunningSearch<'_> {
    /// Groups hits by session and reads the texts of those that are shown.
    pub(super) fn answer(&self, ranked: Vec<Ranked>, full: bool) -> RankedAnswer {
        let mut groups = self.groups(ranked);
        for group in &mut groups {
            group.score = score(group);
        }
        groups.sort_by(|a, b| {
            let by_score = b.score.total_cmp(&a.score);
            by_score.then_with(|| a.place.session.cmp(&b.place.session))
        });
        let mut answer = match self.request.of_session {
            Some(most) => self.best_sessions(&groups, most.max(1)),
            None => self.best_hits(&groups),
        };
        answer.more |= full;
        answer
    }

    /// Reads hits session by session until there are enough. If there are few sessions, they show
    /// more hits than their share.
    fn best_sessions(&self, groups: &[RankedHits], share: usize) -> RankedAnswer {
        let mut shown: Vec<ShownSession> = Vec::new();
        let mut left = self.request.limit;
        for group in groups {
            if left == 0 {
                break;
            }
            let mut session = ShownSession::default();
            self.read_on(group, share, &mut session, &mut left);
            shown.push(session);
        }
        // Room that is left goes to the sessions in order.
        for (group, session) in groups.iter().zip(&mut shown) {
            self.read_on(group, usize::MAX, session, &mut left);
        }
        let rest = groups.len() > shown.len();
        let unread =
            |(group, session): (&RankedHits, &ShownSession)| session.read < group.hits.len();
        let more = rest || groups.iter().zip(&shown).any(unread);
        let shown = groups.iter().zip(shown);
        let sessions = shown.filter_map(|(group, session)| group.shown(session.hits));
        RankedAnswer { sessions: sessions.collect(), more, ..RankedAnswer::default() }
    }

    /// Reads more hits of a session until it has `most`.
    fn read_on(
        &self,
        group: &RankedHits,
        most: usize,
        session: &mut ShownSession,
        left: &mut usize,
    ) {
        for hit in &group.hits[session.read..] {
            if *left == 0 || session.hits.len() >= most {
                break;
            }
            session.read += 1;
            // An agent's answer is also the result of a call in its parent.
            let says_the_same =
                |hit: &SearchHit| session.hits.iter().any(|shown| hit.looks_like(shown));
            if let Some(hit) = self.hit(hit).filter(|hit| !says_the_same(hit)) {
                session.hits.push(hit);
                *left -= 1;
            }
        }
    }

    /// Reads the best hits of all sessions.
    fn best_hits(&self, groups: &[RankedHits]) -> RankedAnswer {
        let numbered = groups.iter().enumerate();
        let mut all: Vec<(usize, &GroupHit)> =
            numbered.flat_map(|(group, of)| of.hits.iter().map(move |hit| (group, hit))).collect();
        all.sort_by(|a, b| b.1.ranked.score.total_cmp(&a.1.ranked.score));
        let mut hits: Vec<Vec<SearchHit>> = groups.iter().map(|_| Vec::new()).collect();
        let (mut left, mut more) = (self.request.limit, false);
        for (group, hit) in all {
            if left == 0 {
                more = true;
                break;
            }
            let says_the_same =
                |hit: &SearchHit| hits[group].iter().any(|shown| hit.looks_like(shown));
            if let Some(hit) = self.hit(hit).filter(|hit| !says_the_same(hit)) {
                hits[group].push(hit);
                left -= 1;
            }
        }
        let shown = groups.iter().zip(hits);
        RankedAnswer {
            sessions: shown.filter_map(|(group, hits)| group.shown(hits)).collect(),
            more,
            ..RankedAnswer::default()
        }
    }

    /// Looks up the files of hits. Hits with equal scores are ordered by properties that do not
    /// depend on how the index was built, the newest first.
    fn in_places(&self, ranked: Vec<Ranked>) -> Vec<(Rc<IndexedFile>, Ranked)> {
        let mut known: HashMap<TextSource, Option<Rc<IndexedFile>>> = HashMap::new();
        let hits = ranked.into_iter().filter_map(|hit| {
            let source = hit.facts.source;
            let place = known.entry(source);
            let place = place.or_insert_with(|| self.places.place(source).map(Rc::new));
            Some((place.clone()?, hit))
        });
        let mut hits: Vec<(Rc<IndexedFile>, Ranked)> = hits.collect();
        hits.sort_by(|(a_file, a), (b_file, b)| {
            let (a_at, b_at) = (&a.facts, &b.facts);
            let by_score = b.score.total_cmp(&a.score);
            by_score
                .then_with(|| b_at.time.cmp(&a_at.time))
                .then_with(|| a_file.path.cmp(&b_file.path))
                .then_with(|| a_at.place.cmp(&b_at.place))
        });
        hits
    }

    fn groups(&self, ranked: Vec<Ranked>) -> Vec<RankedHits> {
        let mut groups: Vec<RankedHits> = Vec::new();
        let mut numbers: HashMap<(PathBuf, SessionId, Option<TextSource>), usize> = HashMap::new();
        let mut prints: HashSet<u64> = HashSet::new();
        for (place, mut hit) in self.in_places(ranked) {
            let source = hit.facts.source;
            // A prompt of the history whose session still exists is found in the session.
            if matches!(source, TextSource::Past(_)) && !place.gone {
                continue;
            }
            let active = self.active(&hit);
            hit.score *= kind_worth(&place, active);
            // A file without a known session is a group of its own.
            let nameless = place.session.as_str().is_empty().then_some(source);
            let key = (place.home.clone(), place.session.clone(), nameless);
            let number = *numbers.entry(key).or_insert_with(|| {
                groups.push(RankedHits { place: place.clone(), hits: Vec::new(), score: 0.0 });
                groups.len() - 1
            });
            let group = &mut groups[number];
            let is_new = prints.insert(hit.facts.print);
            let hit = GroupHit { place, ranked: hit, active };
            let same = |other: &&mut GroupHit| other.ranked.facts.print == hit.ranked.facts.print;
            match group.hits.iter_mut().find(same) {
                Some(known) => known.merge(hit),
                None => group.add(hit, is_new),
            }
        }
        for group in &mut groups {
            let hits = &mut group.hits;
            hits.sort_by(|a, b| b.ranked.score.total_cmp(&a.ranked.score));
        }
        groups.retain(|group| !group.hits.is_empty());
        groups
    }

    fn active(&self, hit: &Ranked) -> Option<bool> {
        self.places.active(hit.facts.source, hit.facts.place.offset)
    }

    /// Reads the text of a document, at most once.
    pub(super) fn text(&self, place: &IndexedFile, facts: &DocumentFacts) -> Option<Rc<Reread>> {
        let mut texts = self.texts.borrow_mut();
        let text = texts.entry((facts.source, facts.place)).or_insert_with(|| {
            let found = reread(facts.source, &place.path, facts.place, facts.role);
            found.ok().flatten().map(Rc::new)
        });
        text.clone()
    }

    fn hit(&self, of: &GroupHit) -> Option<SearchHit> {
        let GroupHit { place, ranked, active } = of;
        let facts = &ranked.facts;
        // A document whose text cannot be read any more is not a hit.
        let found = self.text(place, facts)?;
        if !self.strict.is_empty() {
            let written = plain(&found.text);
            if self.strict.iter().any(|term| !written.contains(&term.written)) {
                return None;
            }
        }
        let origin = self.places.origin(facts.source);
        let (file, offset, entry) = match origin {
            Some((file, offset)) => {
                let entry = entry_at(&file, offset);
                (file, offset, entry)
            }
            None => (place.path.clone(), facts.place.offset, found.entry.clone()),
        };
        Some(SearchHit {
            home: Some(place.home.clone()),
            project: place.project.clone(),
            session: place.session.clone(),
            agent: place.agent.clone(),
            file,
            offset,
            entry,
            role: facts.role,
            kind: found.kind,
            time: facts.time,
            score: ranked.score,
            active: *active,
            gone: place.gone,
            snippet: self.marker.cut(&found.text, self.request.extent),
        })
    }
}

/// Returns the factor for the session and the path of a hit, at most one.
fn kind_worth(place: &IndexedFile, active: Option<bool>) -> f32 {
    // Agents have a factor in `flags_factor`.
    let kind = if place.is_headless { 0.7 } else { 1.0 };
    let path = if active == Some(false) { 0.92 } else { 1.0 };
    kind * path
}

/// Returns the score of a session: its best hit, a little for the others, and a share for terms of
/// the query that only the others contain.
fn score(group: &RankedHits) -> f32 {
    let Some((best, others)) = group.hits.split_first() else {
        return 0.0;
    };
    let best = &best.ranked;
    let more: f32 = others.iter().take(3).map(|hit| hit.ranked.score).sum();
    let mut gained = 0.0;
    for (term, held) in best.held.iter().enumerate() {
        let elsewhere = others.iter().filter_map(|hit| hit.ranked.held.get(term));
        gained += elsewhere.fold(*held, |a, b| a.max(*b)) - held;
    }
    let share = gained / best.held.len().max(1) as f32;
    best.score * (1.0 + 0.35 * share) + 0.02 * more
}
