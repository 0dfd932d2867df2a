//! How full the model's context was after each answer of a path.
//!
//! A [`Transcript`] goes in; out comes one point for each answer that says what it used: what was
//! read from the cache, put into it and read without it is the context that the model had before
//! it. What the model wrote is apart, and is part of the next context. A compaction is a cliff
//! between two points, with the sizes before and after as far as its boundary says them. Nothing
//! is read from the files: the tables of the log say it all.
//!
//! The limit is that of the model's window. A log does not say it, so it comes from a table of
//! models ([`unspool_store::prices::context_window`]), and each limit says how it was found; where
//! neither the table nor the log tells, there is none.

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

/// How full the model's context was, answer by answer.
#[derive(Clone, Debug, Default)]
pub struct ContextSeries {
    /// The answers in order.
    pub points: Vec<ContextPoint>,
    /// The compactions in order.
    pub cliffs: Vec<ContextCliff>,
    /// The models in order of appearance, with their limits.
    pub models: Vec<ModelLimit>,
    /// The point with the fullest context, the first of several.
    pub peak: Option<usize>,
}

/// The context of one answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContextPoint {
    /// The first entry of the answer.
    pub entry: Option<EntryId>,
    /// The position of the answer among the messages of the view, from zero.
    pub message: u32,
    /// When the answer was complete.
    pub time: Option<Time>,
    /// The turn that it is in; none before the first prompt.
    pub turn: Option<TurnNumber>,
    /// The model, as a row of [`ContextSeries::models`].
    pub model: usize,
    /// What the answer used.
    pub tokens: Tokens,
}

impl ContextPoint {
    /// Returns how many tokens the context had: all that was read for the answer.
    pub fn context(&self) -> u64 {
        let Tokens { input, cache_read, .. } = self.tokens;
        input.saturating_add(cache_read).saturating_add(self.cache_write())
    }

    /// Returns how many of them were put into the cache, for however long.
    pub fn cache_write(&self) -> u64 {
        let Tokens { cache_write_5m, cache_write_1h, .. } = self.tokens;
        cache_write_5m.saturating_add(cache_write_1h)
    }
}

/// A place where the context was replaced by a summary.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContextCliff {
    /// The entry of its boundary.
    pub entry: Option<EntryId>,
    /// When it happened.
    pub time: Option<Time>,
    /// The turn that it is in.
    pub turn: Option<TurnNumber>,
    /// The first point after it; the count of points if there is none.
    pub before_point: usize,
    /// Who asked for it: `auto` or `manual`.
    pub trigger: Option<String>,
    /// Tokens in the context before, where the boundary says so.
    pub tokens_before: Option<u64>,
    /// Tokens in the context after, where the boundary says so.
    pub tokens_after: Option<u64>,
}

/// How many tokens a model takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelLimit {
    /// The model, as the log names it.
    pub model: String,
    /// Its limit; none if it is not known.
    pub limit: Option<ContextLimit>,
}

/// How many tokens a context may have, and how that is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ContextLimit {
    /// The tokens.
    pub tokens: u64,
    /// How it is known.
    pub source: LimitSource,
}

names! {
    /// How a limit is known.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum LimitSource {
        /// The model has one window, by the table.
        Table = "table",
        /// The name in the log asks for this window.
        Name = "name",
        /// A context was larger than the model's usual window, so it is its large one.
        Seen = "seen",
    }
}

impl ContextSeries {
    /// Returns the limit of the model that gave the last answer.
    pub fn limit(&self) -> Option<ContextLimit> {
        self.models[self.points.last()?.model].limit
    }

    /// Returns how many tokens the context has at the end: those of the last answer, or what a
    /// compaction after it left, if its boundary says so.
    pub fn at_end(&self) -> Option<u64> {
        let after = self.cliffs.last();
        let after = after.filter(|cliff| cliff.before_point == self.points.len());
        let left = after.and_then(|cliff| cliff.tokens_after);
        left.or_else(|| Some(self.points.last()?.context()))
    }
}

/// Says how full the context was after each answer that a transcript shows.
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

/// Finds the limit of a model whose fullest context had so many tokens.
fn limit(model: &str, largest: u64) -> Option<ContextLimit> {
    let (tokens, source) = match context_window(model)? {
        ContextWindow::One(tokens) => (tokens, LimitSource::Table),
        ContextWindow::Named(tokens) => (tokens, LimitSource::Name),
        ContextWindow::Either { usual, large } if largest > usual => (large, LimitSource::Seen),
        ContextWindow::Either { .. } => return None,
    };
    // A table that a context contradicts is out of date.
    (largest <= tokens).then_some(ContextLimit { tokens, source })
}

struct SeriesReading<'t, 's> {
    shown: &'t Transcript<'s>,
    series: ContextSeries,
    /// The rows of the models.
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

    /// Adds what an answer used: of its entries the one with most output says it, as in the ledger.
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

    /// Returns the row of a model, which is new if it has not answered before.
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
        self.series.cliffs.push(ContextCliff {
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
