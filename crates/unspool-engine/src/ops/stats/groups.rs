//! Converts buckets to groups: names, order, and the limit.
//!
//! A bucket is the combination of keys that a row is sorted by before names are resolved: days,
//! sessions or name numbers, one for each key.

use std::cmp::{Ordering, Reverse};
use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;

use super::calendar::{DayNumber, HourNumber, WEEKDAYS, WeekdayNumber, month, week};
use super::known::{NameNumber, StatsNames, compare_sessions};
use super::{
    By, MOST_KEYS, Others, SessionMeta, StatsGroup, Sums, TotalsRequest, projects, used_keys,
};
use unspool_model::usage::Tokens;
use unspool_store::prices::Cost;

/// The keys of a bucket.
pub(super) type GroupKey = [KeyPart; MOST_KEYS];

/// One key of a bucket.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum KeyPart {
    All,
    Day(Option<DayNumber>),
    Hour(Option<HourNumber>),
    Weekday(Option<WeekdayNumber>),
    Session(u32),
    Name(Option<NameNumber>),
}

/// Sums in progress.
#[derive(Clone, Copy, Default)]
pub(super) struct Running {
    pub(super) sums: Sums,
    cost: Cost,
    priced: bool,
}

impl Running {
    /// Adds other sums in progress.
    pub(super) fn absorb(&mut self, other: &Self) {
        self.sums += other.sums;
        self.cost += other.cost;
        self.priced |= other.priced;
    }

    /// Adds an answer; `None` as cost means that its model has no price.
    pub(super) fn answer(&mut self, tokens: Tokens, cost: Option<Cost>) {
        self.sums.tokens += tokens;
        match cost {
            Some(cost) => {
                self.cost += cost;
                self.priced |= tokens.sum() > 0;
            }
            None => self.sums.unpriced = self.sums.unpriced.saturating_add(tokens.sum()),
        }
    }

    /// Returns the sums. The caller passes `sessions`, which cannot be added up.
    pub(super) fn finish(&self, sessions: u64) -> Sums {
        let known = self.priced || self.sums.unpriced == 0;
        Sums { cost: known.then_some(self.cost), sessions, ..self.sums }
    }
}

/// Groups before sorting.
pub(super) struct Groups {
    /// The keys of the groups.
    keys: Vec<By>,
    total: Sums,
    made: Vec<(StatsGroup, Running)>,
    /// The pairs of groups and sessions that contribute to them.
    parts: HashSet<(usize, u32), FixedState>,
}

impl Groups {
    /// Joins buckets with the same name: the days of a week, the sessions of a project.
    pub(super) fn new(
        known: &StatsNames<'_>,
        request: &TotalsRequest,
        buckets: &[(GroupKey, Running)],
        parts: &HashSet<(u32, u32), FixedState>,
    ) -> Self {
        let mut total = Running::default();
        for (_, running) in buckets {
            total.absorb(running);
        }
        let sessions: HashSet<u32> = parts.iter().map(|&(_, session)| session).collect();
        let keys: Vec<By> = used_keys(request.by, request.then).collect();
        let mut all = Self {
            keys,
            total: total.finish(sessions.len() as u64),
            made: Vec::new(),
            parts: HashSet::default(),
        };
        if all.keys.is_empty() {
            return all;
        }
        let names = KeyNames::new(known, &all.keys);
        let group_of = all.join(&names, buckets);
        all.parts =
            parts.iter().map(|&(bucket, session)| (group_of[bucket as usize], session)).collect();
        if all.keys.contains(&By::Session) {
            all.label(known);
        }
        all
    }

    /// Creates the groups, and returns the index of the group of each bucket.
    fn join(&mut self, names: &KeyNames<'_>, buckets: &[(GroupKey, Running)]) -> Vec<usize> {
        let mut numbers: HashMap<Vec<Option<String>>, usize> = HashMap::new();
        let mut group_of = Vec::with_capacity(buckets.len());
        for (bucket, running) in buckets {
            let keys = self.keys.iter().zip(bucket);
            let keys = keys.map(|(by, part)| names.name(*by, *part)).collect();
            let at = *numbers.entry(keys).or_insert_with_key(|keys| {
                let group = StatsGroup {
                    key: keys.first().cloned().flatten(),
                    then: keys.iter().skip(1).cloned().collect(),
                    label: None,
                    sums: Sums::default(),
                };
                self.made.push((group, Running::default()));
                self.made.len() - 1
            });
            self.made[at].1.absorb(running);
            group_of.push(at);
        }
        group_of
    }

    /// Labels each session's group with its title. Two homes may have sessions with the same id.
    fn label(&mut self, known: &StatsNames<'_>) {
        let mut first: HashMap<usize, &SessionMeta> = HashMap::new();
        for &(group, session) in &self.parts {
            let session = known.sessions[session as usize];
            let best = first.entry(group).or_insert(session);
            if compare_sessions(session, best).is_lt() {
                *best = session;
            }
        }
        for (group, session) in first {
            self.made[group].0.label.clone_from(&session.title);
        }
    }

    /// Sorts the groups, keeping the largest if there is a limit.
    pub(super) fn finish(
        mut self,
        limit: Option<usize>,
    ) -> (Sums, Vec<StatsGroup>, Option<Others>) {
        let mut sessions = vec![0; self.made.len()];
        for &(group, _) in &self.parts {
            sessions[group] += 1;
        }
        for ((group, running), sessions) in self.made.iter_mut().zip(sessions) {
            group.sums = running.finish(sessions);
        }
        let mut order: Vec<usize> = (0..self.made.len()).collect();
        let place = |group: &StatsGroup| {
            let keys: Vec<Option<String>> =
                group.keys().map(|key| key.map(str::to_owned)).collect();
            (keys.iter().all(Option::is_none), by_size(&group.sums), keys)
        };
        order.sort_by_cached_key(|&at| place(&self.made[at].0));
        // By size up to here, so that the limit keeps the largest; then in the order of display.
        let kept = limit.unwrap_or(usize::MAX).min(order.len());
        let others = (kept < order.len()).then(|| self.others(&order[kept..]));
        order.truncate(kept);
        let sizes = self.sizes();
        order.sort_by(|&a, &b| self.compare(&self.made[a].0, &self.made[b].0, &sizes));
        let groups = order.iter().map(|&at| self.made[at].0.clone());
        (self.total, groups.collect(), others)
    }

    /// Sums up the groups that share their first keys, for each number of keys.
    fn sizes(&self) -> Sizes<'_> {
        let mut sizes: HashMap<Vec<Option<&str>>, Running> = HashMap::new();
        for (group, running) in &self.made {
            let keys: Vec<Option<&str>> = group.keys().collect();
            for count in 1..=keys.len() {
                let size = sizes.entry(keys[..count].to_vec()).or_default();
                size.absorb(running);
            }
        }
        let finished = sizes.into_iter().map(|(keys, size)| (keys, size.finish(0)));
        finished.collect()
    }

    /// Compares groups by the first key in which they differ: chronologically if it is a time, or
    /// else by the size of all groups with that key.
    fn compare(&self, a: &StatsGroup, b: &StatsGroup, sizes: &Sizes<'_>) -> Ordering {
        let (a, b): (Vec<_>, Vec<_>) = (a.keys().collect(), b.keys().collect());
        let Some(at) = a.iter().zip(&b).position(|(a, b)| a != b) else {
            return Ordering::Equal;
        };
        let by = self.keys.get(at).copied().unwrap_or_default();
        let size = |keys: &[Option<&str>]| sizes.get(&keys[..=at]).map(by_size);
        let by_size = if is_time(by) { Ordering::Equal } else { size(&a).cmp(&size(&b)) };
        let (a, b) = (a[at], b[at]);
        let by_key = || a.map(|key| in_order(by, key)).cmp(&b.map(|key| in_order(by, key)));
        let missing = a.is_none().cmp(&b.is_none());
        missing.then(by_size).then_with(by_key)
    }

    fn others(&self, cut: &[usize]) -> Others {
        let mut running = Running::default();
        for &at in cut {
            running.absorb(&self.made[at].1);
        }
        let cut: HashSet<usize> = cut.iter().copied().collect();
        let parts = self.parts.iter().filter(|(group, _)| cut.contains(group));
        let sessions: HashSet<u32> = parts.map(|&(_, session)| session).collect();
        Others { groups: cut.len(), sums: running.finish(sessions.len() as u64) }
    }
}

/// The sums of groups by their first keys.
type Sizes<'g> = HashMap<Vec<Option<&'g str>>, Sums>;

/// Reports whether groups of this key have a chronological order.
fn is_time(by: By) -> bool {
    match by {
        By::Day | By::Week | By::Month | By::Hour | By::Weekday => true,
        By::Nothing | By::Project | By::Session | By::Model | By::Tool | By::Branch => false,
    }
}

/// Returns the sort key of a group's key.
fn in_order(by: By, key: &str) -> (Option<usize>, &str) {
    let weekday = (by == By::Weekday).then(|| WEEKDAYS.iter().position(|name| *name == key));
    (weekday.flatten(), key)
}

/// Returns a sort key by size, the largest first.
fn by_size(sums: &Sums) -> impl Ord + use<> {
    (Reverse(sums.cost), Reverse(sums.tokens.sum()), Reverse(sums.calls), Reverse(sums.messages))
}

/// Resolves the names of keys.
struct KeyNames<'k> {
    known: &'k StatsNames<'k>,
    projects: Vec<Option<String>>,
}

impl<'k> KeyNames<'k> {
    fn new(known: &'k StatsNames<'k>, keys: &[By]) -> Self {
        let projects =
            if keys.contains(&By::Project) { projects::paths(&known.sessions) } else { Vec::new() };
        Self { known, projects }
    }

    fn name(&self, by: By, part: KeyPart) -> Option<String> {
        match part {
            KeyPart::All => None,
            KeyPart::Day(day) => {
                let date = day.and_then(DayNumber::date)?;
                Some(match by {
                    By::Week => week(date),
                    By::Month => month(date),
                    _ => date.to_string(),
                })
            }
            KeyPart::Hour(hour) => hour.map(HourNumber::name),
            KeyPart::Weekday(weekday) => weekday.map(|weekday| weekday.name().to_owned()),
            KeyPart::Session(session) if by == By::Project => {
                self.projects[session as usize].clone()
            }
            KeyPart::Session(session) => {
                let session = self.known.sessions[session as usize];
                Some(session.id.as_str().to_owned())
            }
            KeyPart::Name(name) => name.map(|name| self.known.names.text(name).to_owned()),
        }
    }
}
