//! The paths of a conversation, and how much was said on each but not on the shown one.

use std::cell::OnceCell;

use unspool_engine::ops::path_cost::{BranchCosts, branch_costs};
use unspool_engine::ops::transcript::Transcript;
use unspool_model::paths::{GroupStart, Path, PathKind};
use unspool_model::positions::PathNumber;
use unspool_model::time::Time;
use unspool_store::prices::PriceTable;
use unspool_text::human;

/// Computes facts about the paths of a transcript.
pub(super) struct BranchFacts<'t> {
    shown: &'t Transcript<'t>,
    prices: &'t PriceTable,
    /// Whether each group is on the shown path; computed on first use.
    on_shown: OnceCell<Vec<bool>>,
    /// The cost of each path alone; computed on first use.
    costs: OnceCell<BranchCosts>,
}

/// The facts about one path.
#[derive(Clone, Debug)]
pub(super) struct BranchFact {
    pub(super) number: PathNumber,
    pub(super) kind: PathKind,
    pub(super) is_active: bool,
    /// The number of turns that are not on the shown path.
    pub(super) turns: usize,
    /// The cost of what is only on this path, in US dollars; none if it is unknown.
    pub(super) cost_usd: Option<f64>,
    /// The time of its last entry.
    pub(super) ended: Option<Time>,
}

impl<'t> BranchFacts<'t> {
    pub(super) fn new(shown: &'t Transcript<'t>, prices: &'t PriceTable) -> Self {
        Self { shown, prices, on_shown: OnceCell::new(), costs: OnceCell::new() }
    }

    /// Returns the facts about a path.
    pub(super) fn of(&self, number: PathNumber) -> BranchFact {
        let paths = &self.shown.conversation.paths;
        let Some(path) = paths.path(number) else {
            return BranchFact {
                number,
                kind: PathKind::Rewind,
                is_active: false,
                turns: 0,
                cost_usd: None,
                ended: None,
            };
        };
        let log = self.shown.conversation.log;
        BranchFact {
            number,
            kind: path.kind,
            is_active: path.active,
            turns: self.own_turns(path),
            cost_usd: self.own_cost(path),
            ended: self.shown.conversation.graph.entry(log, path.head).time,
        }
    }

    /// Returns the cost of what is only on a path; none if nothing of it has a price.
    fn own_cost(&self, path: &Path) -> Option<f64> {
        let costs = self.costs.get_or_init(|| branch_costs(self.shown, self.prices));
        let alone = costs.alone(self.shown.number_of(path))?;
        alone.cost_usd().filter(|_| alone.answers() > 0)
    }

    /// Counts the prompts of a path that are not on the shown path.
    fn own_turns(&self, path: &Path) -> usize {
        let paths = &self.shown.conversation.paths;
        let on_shown = self.on_shown.get_or_init(|| {
            let mut on_shown = vec![false; paths.groups.len()];
            let last = self.shown.path.as_ref().map(|path| path.last);
            for group in last.map_or_else(Vec::new, |last| paths.trail(last)) {
                on_shown[group] = true;
            }
            on_shown
        });
        // All ancestors of a group on the shown path are on it too, so the walk ends there.
        let mut turns = 0;
        let mut at = Some(path.last);
        while let Some(group) = at.filter(|&group| !on_shown[group]) {
            turns += usize::from(paths.groups[group].begins == GroupStart::Prompt);
            at = paths.groups[group].parent();
        }
        turns
    }
}

/// Describes a path: `path 2, rewound: 2 turns, $0.40`.
pub(super) fn branch_words(fact: &BranchFact) -> String {
    let mut words = format!("path {}, {}", fact.number, kind_word(fact));
    if fact.turns > 0 || fact.cost_usd.is_some() {
        words += ": ";
        words += &human::plural(fact.turns, "turn");
    }
    if let Some(cost) = fact.cost_usd {
        words += ", ";
        words += &human::dollars(cost);
    }
    words
}

/// Returns a word for the kind of a path.
pub(super) fn kind_word(fact: &BranchFact) -> &'static str {
    match fact.kind {
        _ if fact.is_active => "active",
        PathKind::Active => "active",
        PathKind::Rewind => "rewound",
        PathKind::Retry => "answered again",
    }
}
