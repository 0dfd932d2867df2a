//! Assigns each span of time to a line of the image.
//!
//! The person and the model have one line each; tools have as many as run at the same time. An
//! agent has one line with everything that it did, and the agents that it started have lines below.

use std::collections::BTreeMap;

use unspool_engine::ops::timeline::{SpanKind, TimeSpan};

/// The maximum number of lines; spans of further lines are drawn on the last one.
const MOST: usize = 32;

/// The key of a line. The order of the keys is that of the lines.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum LineKey {
    You,
    Model,
    Tool(u32),
    Agent { depth: u32, lane: u32 },
}

/// The lines of a picture.
pub(super) struct TimeLines {
    /// The name of each line.
    pub(super) names: Vec<String>,
    /// The line of each span, and whether the span is drawn inside an agent's span.
    pub(super) of_spans: Vec<(usize, bool)>,
}

impl TimeLines {
    /// Assigns spans to lines; `wanted` selects the spans that are drawn.
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
        // Spans of an agent are drawn on its line.
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
