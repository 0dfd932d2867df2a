//! Ranked search: a query goes in, the best hits come out, session by session.
//!
//! Three steps, each looking at less and closer. `candidates` finds the best documents by
//! their words without visiting all; `rank` measures them by positions; and only what is
//! shown is read from the logs. Files are asked about through [`Places`], so nothing here
//! knows the catalogue.
//!
//! A question typed as a sentence must find its answer: no word is required unless the query
//! says so, words that every sentence has count little, and other forms of a word and other
//! names of a thing count less than the word as written.

mod candidates;
mod filter;
pub mod group;
pub mod hit;
mod known;
mod lookup;
mod places;
mod rank;
mod snippet;
mod stats;
#[cfg(test)]
mod tests;
mod vocabulary;
mod wanted;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::rc::Rc;

use unspool_model::ids::SessionId;
use unspool_model::query::{Need, Query};
use unspool_model::time::Time;

pub use known::{KnownPlaces, SessionSet};
pub use places::{FilePlace, PlaceKind, Places};

use filter::{Columns, Facts, Filter};
use hit::Hit;
use lookup::Lookup;
use rank::{Ranked, Ranker};
use snippet::Marker;
use stats::Statistics;
use wanted::{Wanted, WantedTerm};

use crate::index::text::reread::{Reread, entry_at, reread};
use crate::index::text::{Place, Source, TextError, TextIndex};

/// How often more candidates are looked for when filters leave too few.
const TRIES: u32 = 4;

/// How many hits are read to see how a code word is written.
const SHARPENED: usize = 24;
/// How much more a code word counts as written.
const AS_WRITTEN: f32 = 1.4;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Request<'q> {
    /// The query.
    pub query: &'q Query,
    /// The time.
    pub now: Time,
    /// How many hits are wanted at most.
    pub limit: usize,
    /// How many of them may be of one session; without a number, the best ones are wanted,
    /// whatever sessions they are of.
    pub of_session: Option<usize>,
    /// How many characters a snippet has at most.
    pub snippet: usize,
}

/// What was found.
#[derive(Clone, Default, Debug)]
pub struct Answer {
    /// Sessions, best first.
    pub sessions: Vec<SessionHits>,
    /// Whether there are more.
    pub more: bool,
}

/// The hits of one session.
#[derive(Clone, Debug)]
pub struct SessionHits {
    /// The session.
    pub session: SessionId,
    /// How well it fits.
    pub score: f32,
    /// Its hits, best first; at least one.
    pub hits: Vec<Hit>,
}

impl Answer {
    /// Returns how many hits there are.
    fn hits(&self) -> usize {
        self.sessions.iter().map(|session| session.hits.len()).sum()
    }
}

/// Searches the full text.
pub fn search(
    text: &TextIndex,
    places: &dyn Places,
    request: &Request<'_>,
) -> Result<Answer, TextError> {
    let wanted = Wanted::of(request.query);
    let filter = Filter::new(&request.query.filters, places);
    let segments = text.searcher.segment_readers().iter();
    let search = Search {
        text,
        columns: segments
            .map(Columns::open)
            .collect::<tantivy::Result<_>>()?,
        places,
        request,
        filter: &filter,
        marker: Marker::of(&wanted),
        strict: strict(&wanted),
        wanted: &wanted,
        texts: RefCell::default(),
    };
    if wanted.asked().next().is_none() {
        return search.browse();
    }
    search.run()
}

/// Returns the terms that must be there as written, signs and all.
fn strict(wanted: &Wanted) -> Vec<&WantedTerm> {
    let terms = wanted.terms.iter();
    terms
        .filter(|term| term.need == Need::Required && (term.has_signs() || term.is_code()))
        .collect()
}

/// A search that goes on.
struct Search<'s> {
    text: &'s TextIndex,
    /// The columns of each segment.
    columns: Vec<Columns>,
    places: &'s dyn Places,
    request: &'s Request<'s>,
    filter: &'s Filter<'s>,
    marker: Marker,
    strict: Vec<&'s WantedTerm>,
    wanted: &'s Wanted,
    /// What was read from the logs.
    texts: RefCell<HashMap<(Source, Place), Option<Rc<Reread>>>>,
}

/// Hits of one session that may be shown.
struct Group {
    place: Rc<FilePlace>,
    hits: Vec<GroupHit>,
    score: f32,
}

/// A hit that may be shown.
struct GroupHit {
    place: Rc<FilePlace>,
    ranked: Ranked,
    active: Option<bool>,
}

impl Group {
    /// Returns the session with those of its hits that are shown; none if there are none.
    fn shown(&self, hits: Vec<Hit>) -> Option<SessionHits> {
        (!hits.is_empty()).then(|| SessionHits {
            session: self.place.session.clone(),
            score: self.score,
            hits,
        })
    }
}

impl Search<'_> {
    fn run(&self) -> Result<Answer, TextError> {
        let searcher = &self.text.searcher;
        let statistics = Statistics::of(searcher, self.text.fields)?;
        let lookup = Lookup::of(self.text, self.wanted)?;
        let now = self.request.now;
        let columns = &self.columns;
        let ranker = Ranker::new(self.text, columns, &statistics, self.wanted, &lookup, now)?;
        let mut files = self.request.limit * 2 + 20;
        for attempt in 1.. {
            let (candidates, full) = candidates::find(
                searcher,
                columns,
                &statistics,
                &lookup,
                self.filter,
                files,
                now,
            )?;
            let mut hits = ranker.rank(&candidates)?;
            self.sharpen(&mut hits);
            let answer = self.answer(hits, full);
            if !full || answer.hits() >= self.request.limit || attempt == TRIES {
                return Ok(answer);
            }
            files *= 8;
        }
        Ok(Answer::default())
    }

    /// Lets code words count more where they stand as written: the index has their parts.
    fn sharpen(&self, ranked: &mut [Ranked]) {
        let code: Vec<_> = self.wanted.asked().filter(|term| term.is_code()).collect();
        if code.is_empty() {
            return;
        }
        for hit in ranked.iter_mut().take(SHARPENED) {
            let Some(place) = self.places.place(hit.facts.source) else {
                continue;
            };
            let Some(found) = self.text(&place, &hit.facts) else {
                continue;
            };
            let text = found.text.to_lowercase();
            if code.iter().any(|term| text.contains(&term.written)) {
                hit.score *= AS_WRITTEN;
            }
        }
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score));
    }

    /// Answers a query without words: what is newest.
    fn browse(&self) -> Result<Answer, TextError> {
        let searcher = &self.text.searcher;
        let mut files = self.request.limit * 2 + 20;
        for attempt in 1.. {
            let (candidates, full) =
                candidates::newest(searcher, &self.columns, self.filter, files)?;
            let mut ranked = Vec::new();
            for candidate in candidates {
                let columns = &self.columns[candidate.document.segment_ord as usize];
                ranked.push(Ranked {
                    facts: columns.facts(candidate.document.doc_id),
                    score: candidate.score,
                    held: Vec::new(),
                });
            }
            let answer = self.answer(ranked, full);
            if !full || answer.hits() >= self.request.limit || attempt == TRIES {
                return Ok(answer);
            }
            files *= 8;
        }
        Ok(Answer::default())
    }

    /// Puts hits together by session and reads what is shown.
    fn answer(&self, ranked: Vec<Ranked>, full: bool) -> Answer {
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

    /// Reads session by session, until there are enough hits.
    fn best_sessions(&self, groups: &[Group], most: usize) -> Answer {
        let mut answer = Answer::default();
        let mut left = self.request.limit;
        for group in groups {
            if left == 0 {
                answer.more = true;
                break;
            }
            let mut hits = Vec::new();
            for hit in &group.hits {
                if hits.len() == most.min(left) {
                    break;
                }
                hits.extend(self.hit(hit));
            }
            left -= hits.len();
            answer.sessions.extend(group.shown(hits));
        }
        answer
    }

    /// Reads the best hits of all.
    fn best_hits(&self, groups: &[Group]) -> Answer {
        let numbered = groups.iter().enumerate();
        let mut all: Vec<(usize, &GroupHit)> = numbered
            .flat_map(|(group, of)| of.hits.iter().map(move |hit| (group, hit)))
            .collect();
        all.sort_by(|a, b| b.1.ranked.score.total_cmp(&a.1.ranked.score));
        let mut hits: Vec<Vec<Hit>> = groups.iter().map(|_| Vec::new()).collect();
        let (mut left, mut more) = (self.request.limit, false);
        for (group, hit) in all {
            if left == 0 {
                more = true;
                break;
            }
            if let Some(hit) = self.hit(hit) {
                hits[group].push(hit);
                left -= 1;
            }
        }
        let shown = groups.iter().zip(hits);
        Answer {
            sessions: shown
                .filter_map(|(group, hits)| group.shown(hits))
                .collect(),
            more,
        }
    }

    /// Finds out where hits stand. Those that fit equally well come in an order that does not
    /// depend on how the index came about.
    fn in_places(&self, ranked: Vec<Ranked>) -> Vec<(Rc<FilePlace>, Ranked)> {
        let mut known: HashMap<Source, Option<Rc<FilePlace>>> = HashMap::new();
        let hits = ranked.into_iter().filter_map(|hit| {
            let source = hit.facts.source;
            let place = known.entry(source);
            let place = place.or_insert_with(|| self.places.place(source).map(Rc::new));
            Some((place.clone()?, hit))
        });
        let mut hits: Vec<(Rc<FilePlace>, Ranked)> = hits.collect();
        hits.sort_by(|(a_file, a), (b_file, b)| {
            let (a_at, b_at) = (&a.facts, &b.facts);
            let by_score = b.score.total_cmp(&a.score);
            by_score
                .then_with(|| a_at.time.cmp(&b_at.time))
                .then_with(|| a_file.path.cmp(&b_file.path))
                .then_with(|| a_at.place.cmp(&b_at.place))
        });
        hits
    }

    fn groups(&self, ranked: Vec<Ranked>) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        let mut numbers: HashMap<(Option<PathBuf>, SessionId, Option<Source>), usize> =
            HashMap::new();
        let mut prints: HashSet<u64> = HashSet::new();
        for (place, mut hit) in self.in_places(ranked) {
            let source = hit.facts.source;
            // A prompt whose session is still there is found in the session.
            if matches!(source, Source::Past(_)) && !place.gone {
                continue;
            }
            let active = self.active(&hit);
            if self.filter.asks_path() && !self.filter.path(source, active) {
                continue;
            }
            hit.score *= kind_worth(&place, active);
            let nameless = place.session.as_str().is_empty().then_some(source);
            let key = (place.home.clone(), place.session.clone(), nameless);
            let number = *numbers.entry(key).or_insert_with(|| {
                groups.push(Group {
                    place: place.clone(),
                    hits: Vec::new(),
                    score: 0.0,
                });
                groups.len() - 1
            });
            let group = &mut groups[number];
            let same = |other: &GroupHit| other.ranked.facts.print == hit.facts.print;
            if group.hits.iter().any(same) {
                continue;
            }
            if !prints.insert(hit.facts.print) {
                // Another session says the same: a copy, a fork or a routine.
                hit.score *= 0.7;
            }
            group.hits.push(GroupHit {
                place,
                ranked: hit,
                active,
            });
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

    /// Reads the text of a document, once.
    fn text(&self, place: &FilePlace, facts: &Facts) -> Option<Rc<Reread>> {
        let mut texts = self.texts.borrow_mut();
        let text = texts.entry((facts.source, facts.place)).or_insert_with(|| {
            let found = reread(facts.source, &place.path, facts.place);
            found.ok().flatten().map(Rc::new)
        });
        text.clone()
    }

    fn hit(&self, of: &GroupHit) -> Option<Hit> {
        let GroupHit {
            place,
            ranked,
            active,
        } = of;
        let facts = &ranked.facts;
        // What cannot be read any more is no hit.
        let found = self.text(place, facts)?;
        if !self.strict.is_empty() {
            let written = found.text.to_lowercase();
            if self
                .strict
                .iter()
                .any(|term| !written.contains(&term.written))
            {
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
        Some(Hit {
            home: place.home.clone(),
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
            snippet: self.marker.cut(&found.text, self.request.snippet),
        })
    }
}

/// Says how much of its score a hit is worth for where it stands, at most one.
fn kind_worth(place: &FilePlace, active: Option<bool>) -> f32 {
    let kind = match place.kind {
        // Documents of agents are marked as such.
        PlaceKind::Main | PlaceKind::Agent => 1.0,
        PlaceKind::Headless => 0.7,
    };
    let path = if active == Some(false) { 0.92 } else { 1.0 };
    kind * path
}

/// Adds up a session: its best hit, a little for the others, and something for what only
/// they hold of the question.
fn score(group: &Group) -> f32 {
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
