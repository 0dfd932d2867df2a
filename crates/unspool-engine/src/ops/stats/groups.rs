//! From buckets to groups: names, order, and what a limit cuts off.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;

use super::calendar::{DayNumber, month, week};
use super::known::{Known, compare_sessions};
use super::tally::{Bucket, Running};
use super::{By, Group, Others, SessionMeta, Sums, projects};

/// Groups before they are in order.
pub(super) struct Groups {
    by: By,
    total: Sums,
    made: Vec<(Group, Running)>,
    /// Which sessions have a part in which group.
    parts: HashSet<(usize, u32), FixedState>,
}

impl Groups {
    /// Joins buckets that have one name: the days of a week, the sessions of a project.
    pub(super) fn new(
        known: &Known,
        by: By,
        buckets: &[(Bucket, Running)],
        parts: &HashSet<(u32, u32), FixedState>,
    ) -> Self {
        let mut total = Running::default();
        for (_, running) in buckets {
            total.absorb(running);
        }
        let sessions: HashSet<u32> = parts.iter().map(|&(_, session)| session).collect();
        let mut all = Self {
            by,
            total: total.finish(sessions.len() as u64),
            made: Vec::new(),
            parts: HashSet::default(),
        };
        if by == By::Nothing {
            return all;
        }
        let keys = Keys::new(known, by);
        let group_of = all.join(&keys, buckets);
        all.parts = parts
            .iter()
            .map(|&(bucket, session)| (group_of[bucket as usize], session))
            .collect();
        if by == By::Session {
            all.label(known);
        }
        all
    }

    /// Makes the groups, and returns which one each bucket is in.
    fn join(&mut self, keys: &Keys<'_>, buckets: &[(Bucket, Running)]) -> Vec<usize> {
        let mut numbers: HashMap<Option<String>, usize> = HashMap::new();
        let mut group_of = Vec::with_capacity(buckets.len());
        for (bucket, running) in buckets {
            let key = keys.key(*bucket);
            let at = *numbers.entry(key).or_insert_with_key(|key| {
                let group = Group {
                    key: key.clone(),
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

    /// Gives each session's group its title. Two homes may hold sessions of one id.
    fn label(&mut self, known: &Known) {
        let mut first: HashMap<usize, &SessionMeta> = HashMap::new();
        for &(group, session) in &self.parts {
            let session = &known.sessions[session as usize];
            let best = first.entry(group).or_insert(session);
            if compare_sessions(session, best).is_lt() {
                *best = session;
            }
        }
        for (group, session) in first {
            self.made[group].0.label.clone_from(&session.title);
        }
    }

    /// Puts the groups in order, keeping the largest if there is a limit.
    pub(super) fn finish(mut self, limit: Option<usize>) -> (Sums, Vec<Group>, Option<Others>) {
        let mut sessions = vec![0; self.made.len()];
        for &(group, _) in &self.parts {
            sessions[group] += 1;
        }
        for ((group, running), sessions) in self.made.iter_mut().zip(sessions) {
            group.sums = running.finish(sessions);
        }
        let mut order: Vec<usize> = (0..self.made.len()).collect();
        order.sort_by(|&a, &b| by_size(&self.made[a].0).cmp(&by_size(&self.made[b].0)));
        let kept = limit.unwrap_or(usize::MAX).min(order.len());
        let others = (kept < order.len()).then(|| self.others(&order[kept..]));
        let mut groups: Vec<Group> = order[..kept]
            .iter()
            .map(|&at| self.made[at].0.clone())
            .collect();
        if matches!(self.by, By::Day | By::Week | By::Month) {
            groups.sort_by(|a, b| by_key(a).cmp(&by_key(b)));
        }
        (self.total, groups, others)
    }

    fn others(&self, cut: &[usize]) -> Others {
        let mut running = Running::default();
        for &at in cut {
            running.absorb(&self.made[at].1);
        }
        let cut: HashSet<usize> = cut.iter().copied().collect();
        let parts = self.parts.iter().filter(|(group, _)| cut.contains(group));
        let sessions: HashSet<u32> = parts.map(|&(_, session)| session).collect();
        Others {
            groups: cut.len(),
            sums: running.finish(sessions.len() as u64),
        }
    }
}

/// Orders groups by size, the largest first. Rows without a key come last.
fn by_size(group: &Group) -> impl Ord + '_ {
    let sums = &group.sums;
    (
        group.key.is_none(),
        Reverse(sums.cost),
        Reverse(sums.tokens.sum()),
        Reverse(sums.calls),
        Reverse(sums.messages),
        group.key.as_deref(),
    )
}

/// Orders groups by key, rows without one last.
fn by_key(group: &Group) -> (bool, Option<&str>) {
    (group.key.is_none(), group.key.as_deref())
}

/// Names buckets.
struct Keys<'k> {
    known: &'k Known,
    by: By,
    projects: Vec<Option<String>>,
}

impl<'k> Keys<'k> {
    fn new(known: &'k Known, by: By) -> Self {
        let projects = match by {
            By::Project => projects::paths(&known.sessions),
            _ => Vec::new(),
        };
        Self {
            known,
            by,
            projects,
        }
    }

    fn key(&self, bucket: Bucket) -> Option<String> {
        match bucket {
            Bucket::All => None,
            Bucket::Day(day) => {
                let date = day.and_then(DayNumber::date)?;
                Some(match self.by {
                    By::Week => week(date),
                    By::Month => month(date),
                    _ => date.to_string(),
                })
            }
            Bucket::Session(session) if self.by == By::Project => {
                self.projects[session as usize].clone()
            }
            Bucket::Session(session) => {
                let session = &self.known.sessions[session as usize];
                Some(session.id.as_str().to_owned())
            }
            Bucket::Name(name) => name.map(|name| self.known.names.text(name).to_owned()),
        }
    }
}
