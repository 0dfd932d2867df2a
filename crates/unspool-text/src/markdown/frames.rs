//! The prefixes of lines: the bars of quotes, and the markers and hanging indents of list items.

use super::super::style::{Line, Role};
use super::super::width::width;

/// The columns reserved for text, if the page has them.
const MIN_TEXT: usize = 20;
/// The most columns of a prefix.
const MAX_INDENT: usize = 48;

/// A container of blocks.
pub(super) enum BlockFrame {
    /// A block quote.
    Quote,
    /// A list item.
    Item {
        /// The marker, until the first line of the item is drawn.
        marker: Option<String>,
        /// The width of the marker in columns.
        indent: usize,
    },
}

impl BlockFrame {
    pub(super) fn item(marker: String) -> Self {
        Self::Item { indent: width(&marker), marker: Some(marker) }
    }

    fn indent(&self) -> usize {
        match self {
            Self::Quote => 2,
            Self::Item { indent, .. } => *indent,
        }
    }
}

/// The open containers, outermost first. Those that would leave too little room for text are
/// counted, not drawn.
pub(super) struct Frames {
    drawn: Vec<BlockFrame>,
    hidden: usize,
    indent: usize,
    limit: usize,
}

impl Frames {
    pub(super) fn new(page: usize) -> Self {
        let limit = page.saturating_sub(MIN_TEXT).max(page / 2);
        Self { drawn: Vec::new(), hidden: 0, indent: 0, limit: limit.min(MAX_INDENT) }
    }

    pub(super) fn push(&mut self, frame: BlockFrame) {
        if self.hidden > 0 || self.indent + frame.indent() > self.limit {
            self.hidden += 1;
        } else {
            self.indent += frame.indent();
            self.drawn.push(frame);
        }
    }

    pub(super) fn pop(&mut self) {
        if self.hidden > 0 {
            self.hidden -= 1;
        } else if let Some(frame) = self.drawn.pop() {
            self.indent -= frame.indent();
        }
    }

    /// Returns how many containers are open.
    pub(super) fn depth(&self) -> usize {
        self.drawn.len() + self.hidden
    }

    /// Returns the width of the prefix in columns.
    pub(super) fn indent(&self) -> usize {
        self.indent
    }

    /// Returns whether the marker of the innermost container is not drawn yet.
    pub(super) fn has_marker(&self) -> bool {
        let last = self.drawn.last().filter(|_| self.hidden == 0);
        matches!(last, Some(BlockFrame::Item { marker: Some(_), .. }))
    }

    /// Draws the prefix of the next line of content.
    pub(super) fn prefix(&mut self) -> Line {
        let mut line = Line::new();
        for frame in &mut self.drawn {
            match frame {
                BlockFrame::Quote => line.add("│ ", Role::Quote),
                BlockFrame::Item { marker, indent } => match marker.take() {
                    Some(marker) => line.add(marker, Role::ListMarker),
                    None => line.pad(*indent),
                },
            };
        }
        line
    }

    /// Draws the prefix of a blank line, without the markers.
    pub(super) fn blank(&self) -> Line {
        let mut line = Line::new();
        for frame in &self.drawn {
            match frame {
                BlockFrame::Quote => line.add("│ ", Role::Quote),
                BlockFrame::Item { indent, .. } => line.pad(*indent),
            };
        }
        line.trimmed_end()
    }
}
