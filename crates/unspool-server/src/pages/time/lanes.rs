//! Which line of the picture each span is drawn on.
//!
//! The person, the model and tools have lines of their own, tools that run at the same time one
//! each. An agent has a line, and what it did is drawn on it; agents that it started have lines
//! below.

use std::collections::BTreeMap;

use unspool_engine::ops::timeline::{SpanKind, TimeSpan};

/// Lines that a picture has at most; spans of further ones are drawn on the last.
const MOST: usize = 32;

/// A line of the picture, by what is drawn on it. The order is that of the picture.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum LineKey {
    You,
    Model,
    Tool(u32),
    Agent { depth: u32, lane: u32 },
}

/// The lines of a picture.
pub(super) struct TimeLines {
    /// What each line is called.
    pub(super) names: Vec<String>,
    /// The line of each span, and whether it is drawn inside of an agent's.
    pub(super) of_spans: Vec<(usize, bool)>,
}

impl TimeLines {
    /// Finds the lines of spans; `wanted` says which of them are drawn.
    pub(super) fn of(spans: &[TimeSpan], wanted: impl Fn(&TimeSpan) -> bool) -> Self {
        let keys: Vec<LineKey> = spans.iter().map(|span| key(span, spans)).collect();
        let mut lines: BTreeMap<LineKey, usize> = BTreeMap::new();
        for (key, _) in keys.iter().zip(spans).filter(|(_, span)| wanted(span)) {
            lines.insert(*key, 0);
        }
        for (number, line) in lines.values_mut().enumerate() {
            *line = number.min(MOST - 1);
        }
        let mut names: Vec<String> = lines.keys().map(|key| name(*key)).collect();
        names.truncate(MOST);
        let of_spans = keys.iter().zip(spans).map(|(key, span)| {
            let line = lines.get(key).copied().unwrap_or(0);
            (line, span.parent.is_some() && span.kind != SpanKind::Agent)
        });
        Self { names, of_spans: of_spans.collect() }
    }
}

fn key(span: &TimeSpan, spans: &[TimeSpan]) -> LineKey {
    match (span.kind, span.parent) {
        (SpanKind::Agent, _) => LineKey::Agent { depth: span.depth, lane: span.lane },
        // What an agent did is on the agent's line.
        (_, Some(parent)) => {
            let agent = &spans[parent.row()];
            LineKey::Agent { depth: agent.depth, lane: agent.lane }
        }
        (SpanKind::You, None) => LineKey::You,
        (SpanKind::Model | SpanKind::Compaction, None) => LineKey::Model,
        (SpanKind::Tool, None) => LineKey::Tool(span.lane),
    }
}

fn name(key: LineKey) -> String {
    match key {
        LineKey::You => "You".to_owned(),
        LineKey::Model => "Model".to_owned(),
        LineKey::Tool(0) => "Tools".to_owned(),
        LineKey::Agent { depth: 0, lane: 0 } => "Agents".to_owned(),
        LineKey::Agent { depth, lane: 0 } => format!("{} below", "\u{203a}".repeat(depth as usize)),
        LineKey::Tool(_) | LineKey::Agent { .. } => String::new(),
    }
}
