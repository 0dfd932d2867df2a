//! The lines drawn so far, and the blank lines between blocks.

use super::super::style::{Line, Role};
use super::super::wrap::wrap;
use super::frames::Frames;

/// The most columns of a rule.
const RULE_WIDTH: usize = 72;

pub(super) struct MarkdownPage {
    pub(super) frames: Frames,
    lines: Vec<Line>,
    width: usize,
    /// Set after a block: the next one begins with a blank line.
    separate: bool,
}

impl MarkdownPage {
    pub(super) fn new(width: usize) -> Self {
        Self { frames: Frames::new(width), lines: Vec::new(), width, separate: false }
    }

    /// Returns the columns for content inside the open containers.
    pub(super) fn room(&self) -> usize {
        self.width.saturating_sub(self.frames.indent()).max(1)
    }

    pub(super) fn begin_block(&mut self) {
        if std::mem::take(&mut self.separate) {
            self.lines.push(self.frames.blank());
        }
    }

    pub(super) fn end_block(&mut self) {
        self.separate = !self.lines.is_empty();
    }

    /// Omits the blank line after the last block.
    pub(super) fn join_blocks(&mut self) {
        self.separate = false;
    }

    /// Draws a line without wrapping it.
    pub(super) fn line(&mut self, line: Line) {
        let prefix = self.frames.prefix();
        self.lines.push(if line.is_blank() {
            prefix.trimmed_end()
        } else {
            line.indented(&prefix)
        });
    }

    /// Draws a line of text, wrapped.
    pub(super) fn text(&mut self, line: &Line) {
        for line in wrap(line, self.room()) {
            self.line(line);
        }
    }

    /// Draws a line of code, or the language above it.
    pub(super) fn code(&mut self, line: Line) {
        let line = if line.is_blank() { line } else { line.indented(&"  ".into()) };
        self.line(line);
    }

    pub(super) fn rule(&mut self) {
        let width = self.room().min(RULE_WIDTH);
        self.line(Line::of("─".repeat(width), Role::Rule));
    }

    /// Returns the lines without blank ones at the ends.
    pub(super) fn finish(mut self) -> Vec<Line> {
        while self.lines.last().is_some_and(Line::is_blank) {
            self.lines.pop();
        }
        let blank = self.lines.iter().take_while(|line| line.is_blank());
        let first = blank.count();
        self.lines.drain(..first);
        self.lines
    }
}
