//! The text of one block, with its open emphasis and links.

use super::super::style::{Emphasis, Line, Role, Style};

/// An open link.
struct OpenLink {
    url: String,
    /// Its text so far; text beyond the length of the URL need not be complete.
    text: String,
}

#[derive(Default)]
pub(super) struct Inline {
    /// Finished lines: a block has several if it contains hard breaks.
    lines: Vec<Line>,
    line: Line,
    base: Style,
    emphasis: usize,
    strong: usize,
    strike: usize,
    links: Vec<OpenLink>,
    images: usize,
    /// Set if an image was opened and none of its description was read.
    bare_image: bool,
}

impl Inline {
    /// Sets the style of text without other styles.
    pub(super) fn set_base(&mut self, role: Role, marks: Emphasis) {
        self.base = Style { role, marks };
    }

    pub(super) fn text(&mut self, text: &str) {
        let style = self.style();
        self.push(text, style);
    }

    pub(super) fn code(&mut self, text: &str) {
        let mut style = self.style();
        style.role = Role::Code;
        self.push(text, style);
    }

    /// Adds text that is not part of any link or emphasis.
    pub(super) fn label(&mut self, text: &str, role: Role) {
        self.line.add(text, role);
    }

    pub(super) fn end_line(&mut self) {
        self.lines.push(std::mem::take(&mut self.line));
    }

    /// Returns the lines of the block and begins a new one.
    pub(super) fn take(&mut self) -> Vec<Line> {
        if self.line != Line::new() {
            self.end_line();
        }
        std::mem::take(&mut self.lines)
    }

    pub(super) fn open(&mut self, mark: Emphasis) {
        *self.counter(mark) += 1;
    }

    pub(super) fn close(&mut self, mark: Emphasis) {
        let counter = self.counter(mark);
        *counter = counter.saturating_sub(1);
    }

    pub(super) fn open_link(&mut self, url: String) {
        self.links.push(OpenLink { url, text: String::new() });
    }

    /// Closes a link and adds its URL, unless the URL is the text.
    pub(super) fn close_link(&mut self) {
        let Some(OpenLink { url, text }) = self.links.pop() else {
            return;
        };
        if url.is_empty() || text == url || url.strip_prefix("mailto:") == Some(&text) {
            return;
        }
        if text.is_empty() {
            self.line.add(url, Role::Link);
        } else {
            self.line.add(format!(" ({url})"), Role::Muted);
        }
    }

    pub(super) fn open_image(&mut self) {
        self.images += 1;
        self.text("[image");
        self.bare_image = true;
    }

    pub(super) fn close_image(&mut self) {
        self.bare_image = false;
        self.text("]");
        self.images = self.images.saturating_sub(1);
    }

    fn push(&mut self, text: &str, style: Style) {
        if let Some(link) = self.links.last_mut()
            && link.text.len() <= link.url.len()
        {
            link.text.push_str(text);
        }
        if std::mem::take(&mut self.bare_image) {
            self.line.add(": ", style);
        }
        self.line.add(text, style);
    }

    fn style(&self) -> Style {
        let mut style = self.base;
        if self.images > 0 {
            style.role = Role::Muted;
        } else if !self.links.is_empty() {
            style.role = Role::Link;
        }
        for (count, mark) in [
            (self.emphasis, Emphasis::EMPHASIS),
            (self.strong, Emphasis::STRONG),
            (self.strike, Emphasis::STRIKE),
        ] {
            if count > 0 {
                style = style.with(mark);
            }
        }
        style
    }

    fn counter(&mut self, mark: Emphasis) -> &mut usize {
        match mark {
            Emphasis::STRONG => &mut self.strong,
            Emphasis::STRIKE => &mut self.strike,
            _ => &mut self.emphasis,
        }
    }
}
