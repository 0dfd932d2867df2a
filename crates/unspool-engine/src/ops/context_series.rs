//! The size of the model's context after each answer of a path.
//!
//! A [`Transcript`] goes in; out comes one point for each answer with usage. The context before an
//! answer is its input tokens: read from the cache, written to it, and uncached. The output of the
//! model counts separately, and is part of the next context. A compaction is a cliff between two
//! points, with the sizes before and after if its boundary has them. The tables of the log contain
//! all of this, so no file is read.
//!
//! The limit is the context window of the model. Logs do not contain it, so it comes from a table
//! of models ([`unspool_store::prices::context_window`]), and each limit names its source; if
//! neither the table nor the log determines a limit, there is none.

use std::collections::HashMap;

use unspool_model::conversation::{Message, Speaker};
use unspool_model::entry::{Flags, MessageKind};
use unspool_model::ids::EntryId;
use unspool_model::names;
use unspool_model::positions::{EntryIndex, NodeId, TurnNumber};
use unspool_model::symbols::Symbol;
use unspool_model::time::Time;
use unspool_model::usage::Tokens;

use super::transcript::Transcript;
use unspool_store::prices::{ContextWindow, context_window};

/// The size of the model's context, answer by answer.
#[derive(Clone, Debug, Default)]
pub struct ContextSeries {
    /// The answers in order.
    pub points: Vec<ContextPoint>,
    /// The compactions in order.
    pub cliffs: Vec<CompactionDrop>,
    /// The models in order of appearance, with their limits.
    pub models: Vec<ModelLimit>,
    /// The index of the point with the largest context, the first of several.
    pub peak: Option<usize>,
}

/// The context of one answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContextPoint {
    /// The first entry of the answer.
    pub entry: Option<EntryId>,
    /// The index of the answer among the messages of the view.
    pub message: u32,
    /// The time at which the answer was complete.
    pub time: Option<Time>,
    /// The turn of the answer; `None` before the first prompt.
    pub turn: Option<TurnNumber>,
    /// The model, as an index into [`ContextSeries::models`].
    pub model: usize,
    /// The tokens that the answer used.
    pub tokens: Tokens,
}

impl ContextPoint {
    /// Returns the size of the context in tokens: all input of the answer.
    pub fn context(&self) -> u64 {
        self.tokens.context()
    }

    /// Returns how many input tokens were written to the cache, for any duration.
    pub fn cache_write(&self) -> u64 {
        let Tokens { cache_write_5m, cache_write_1h, .. } = self.tokens;
        cache_write_5m.saturating_add(cache_write_1h)
    }
}

/// A place where the context was replaced by a summary.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompactionDrop {
    /// The entry of the compaction's boundary.
    pub entry: Option<EntryId>,
    /// The time of the compaction.
    pub time: Option<Time>,
    /// The turn of the compaction.
    pub turn: Option<TurnNumber>,
    /// The index of the first point after it; the number of points if there is none.
    pub before_point: usize,
    /// The trigger: `auto` or `manual`.
    pub trigger: Option<String>,
    /// The tokens in the context before, if the boundary has them.
    pub tokens_before: Option<u64>,
    /// The tokens in the context after, if the boundary has them.
    pub tokens_after: Option<u64>,
}

/// The context limit of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelLimit {
    /// The model, as the log names it.
    pub model: String,
    /// The limit, if it is known.
    pub limit: Option<ContextLimit>,
}

/// A context limit with its source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ContextLimit {
    /// The number of tokens.
    pub tokens: u64,
    /// The source of the limit.
    pub source: LimitSource,
}

names! {
    /// The source of a limit.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum LimitSource {
        /// The table lists one window for the model.
        Table = "table",
        /// The name of the model in the log selects this window.
        Name = "name",
        /// A context was larger than the model's usual window, so the model has its large one.
        Seen = "seen",
    }
}

impl ContextSeries {
    /// Returns the limit of the model of the last answer.
    pub fn limit(&self) -> Option<ContextLimit> {
        self.models[self.points.last()?.model].limit
    }

    /// Returns the size of the context at the end: that of the last answer, or that after a later
    /// compaction, if its boundary has it.
    pub fn at_end(&self) -> Option<u64> {
        let after = self.cliffs.last();
        let after = after.filter(|cliff| cliff.before_point == self.points.len());
        let left = after.and_then(|cliff| cliff.tokens_after);
        left.or_else(|| Some(self.points.last()?.context()))
    }
}

/// Returns the size of the context after each answer of a transcript.
pub fn context_series(shown: &Transcript<'_>) -> ContextSeries {
    let mut reading =
        SeriesReading { shown, series: ContextSeries::default(), rows: HashMap::new() };
    let mut turns = TurnNumber::enumerate(&shown.turns).peekable();
    let mut turn = None;
    for (index, message) in (0u32..).zip(&shown.view.messages) {
        unspool_work::add(1);
        if let Some((number, _)) = turns.next_if(|(_, turn)| turn.messages.start == index) {
            turn = Some(number);
        }
        reading.message(index, message, turn);
    }
    let mut series = reading.series;
    let contexts = series.points.iter().enumerate();
    let fullest = contexts.max_by_key(|(at, point)| (point.context(), std::cmp::Reverse(*at)));
    series.peak = fullest.map(|(at, _)| at);
    series.set_limits();
    series
}

impl ContextSeries {
    fn set_limits(&mut self) {
        let mut largest = vec![0; self.models.len()];
        for point in &self.points {
            largest[point.model] = point.context().max(largest[point.model]);
        }
        for (model, largest) in self.models.iter_mut().zip(largest) {
            model.limit = limit(&model.model, largest);
        }
    }
}

/// Returns the limit of a model, given its largest context.
fn limit(model: &str, largest: u64) -> Option<ContextLimit> {
    let (tokens, source) = match context_window(model)? {
        ContextWindow::One(tokens) => (tokens, LimitSource::Table),
        ContextWindow::Named(tokens) => (tokens, LimitSource::Name),
        ContextWindow::Either { usual, large } if largest > usual => (large, LimitSource::Seen),
        ContextWindow::Either { .. } => return None,
    };
    // A table that a context contradicts is outdated.
    (largest <= tokens).then_some(ContextLimit { tokens, source })
}

struct SeriesReading<'t, 's> {
    shown: &'t Transcript<'s>,
    series: ContextSeries,
    /// The indices of the models in the series.
    rows: HashMap<Symbol, usize>,
}

impl SeriesReading<'_, '_> {
    fn message(&mut self, index: u32, message: &Message, turn: Option<TurnNumber>) {
        let nodes = self.shown.view.nodes(message);
        match message.kind {
            MessageKind::Answer if message.speaker == Speaker::Assistant => {
                self.answer(index, nodes, turn);
            }
            MessageKind::Boundary => self.boundary(nodes[0], turn),
            _ => {}
        }
    }

    fn content(&self, node: NodeId) -> EntryIndex {
        self.shown.conversation.graph.nodes[node].content
    }

    fn uuid(&self, node: NodeId) -> Option<EntryId> {
        let log = self.shown.conversation.log;
        let uuid = log.entries[self.content(node)].uuid?;
        Some(EntryId::new(self.shown.entry_id(log.text(uuid))))
    }

    /// Adds the usage of an answer: that of its entry with the most output, as in the ledger.
    fn answer(&mut self, index: u32, nodes: &[NodeId], turn: Option<TurnNumber>) {
        let log = self.shown.conversation.log;
        let rows = nodes.iter().flat_map(|&node| {
            let entry = self.content(node);
            let start = log.usage.partition_point(|row| row.entry < entry);
            let rows = log.usage[start..].iter();
            rows.take_while(move |row| row.entry == entry)
        });
        let Some(used) = rows.max_by_key(|row| row.tokens.rank()).copied() else {
            return;
        };
        let entries = nodes.iter().map(|&node| &log.entries[self.content(node)]);
        if entries.clone().any(|entry| entry.flags.has(Flags::SYNTHETIC)) {
            return;
        }
        let time = entries.filter_map(|entry| entry.time).max();
        let model = self.model(used.model);
        let entry = self.uuid(nodes[0]);
        self.series.points.push(ContextPoint {
            entry,
            message: index,
            time,
            turn,
            model,
            tokens: used.tokens,
        });
    }

    /// Returns the index of a model, adding the model on its first answer.
    fn model(&mut self, model: Symbol) -> usize {
        let row = self.series.models.len();
        if let Some(&known) = self.rows.get(&model) {
            return known;
        }
        self.rows.insert(model, row);
        let name = self.shown.conversation.log.text(model);
        self.series
            .models
            .push(ModelLimit { model: self.shown.redacted(name.to_owned()), limit: None });
        row
    }

    fn boundary(&mut self, node: NodeId, turn: Option<TurnNumber>) {
        let log = self.shown.conversation.log;
        let content = self.content(node);
        let known = log.compaction_at(content);
        let trigger = known.and_then(|known| known.trigger);
        self.series.cliffs.push(CompactionDrop {
            entry: self.uuid(node),
            time: log.entries[content].time,
            turn,
            before_point: self.series.points.len(),
            trigger: trigger.map(|trigger| self.shown.redacted(log.text(trigger).to_owned())),
            tokens_before: known.and_then(|known| known.tokens_before),
            tokens_after: known.and_then(|known| known.tokens_after),
        });
    }
}
