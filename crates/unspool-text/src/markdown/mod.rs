//! Renders Markdown as styled lines.
//!
//! The dialect is `CommonMark` with tables, strikethrough and task lists. Raw HTML is shown as
//! written, links as `text (url)`, images by their description. The parser's events are handled one
//! by one with explicit stacks, and nesting is bounded before parsing (`guard`) and while drawing
//! (`frames`), which limits both time and indentation.

mod frames;
mod guard;
mod inline;
mod page;
mod table;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use self::frames::BlockFrame;
pub use self::guard::bound_nesting;
use self::inline::Inline;
use self::page::MarkdownPage;
use self::table::Grid;
use super::highlight::code_lines;
use super::sanitize::clean;
use super::style::{Emphasis, Line, Role};

/// The extensions of `CommonMark` that are read, wherever Markdown is shown.
pub const SYNTAX: Options =
    Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH).union(Options::ENABLE_TASKLISTS);

/// What happens to a line break inside a paragraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breaks {
    /// It becomes a space, as in Markdown.
    Reflow,
    /// It stays a line break, as in chat programs.
    Keep,
}

/// Renders Markdown for `width` columns.
///
/// Text is wrapped; code blocks are not, so their lines may be wider. Blocks are separated by blank
/// lines; there are none at the ends.
pub fn markdown(source: &str, width: usize) -> Vec<Line> {
    markdown_with(source, width, Breaks::Reflow)
}

/// Renders Markdown for `width` columns like [`markdown`], with a choice about line breaks.
pub fn markdown_with(source: &str, width: usize, breaks: Breaks) -> Vec<Line> {
    let cleaned = clean(source);
    let bounded = bound_nesting(&cleaned);
    let mut renderer = Renderer {
        breaks,
        page: MarkdownPage::new(width),
        inline: Inline::default(),
        lists: Vec::new(),
        code: None,
        grid: None,
    };
    for event in Parser::new_ext(&bounded, SYNTAX) {
        renderer.event(event);
    }
    renderer.flush();
    renderer.page.finish()
}

/// An open list.
struct List {
    /// The number of the next item of an ordered list.
    next: Option<u64>,
    /// Whether its items contain paragraphs, so that blank lines separate them.
    loose: bool,
    started: bool,
    /// The nesting depth inside its items.
    depth: usize,
}

/// An open code block.
struct CodeBlock {
    /// The text of its fence after the ticks.
    info: String,
    text: String,
}

struct Renderer {
    breaks: Breaks,
    page: MarkdownPage,
    /// The text of the open block.
    inline: Inline,
    lists: Vec<List>,
    /// The open code block.
    code: Option<CodeBlock>,
    /// The open table.
    grid: Option<Grid>,
}

impl Renderer {
    fn event(&mut self, event: Event) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.text.push_str(&text),
                None => self.inline.text(&text),
            },
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.inline.code(&text);
            }
            Event::Html(text) => self.html(&text),
            Event::InlineHtml(text) | Event::FootnoteReference(text) => self.inline.text(&text),
            Event::SoftBreak if self.breaks == Breaks::Reflow => self.inline.text(" "),
            Event::SoftBreak | Event::HardBreak => self.inline.end_line(),
            Event::Rule => {
                self.open_block();
                self.page.rule();
                self.page.end_block();
            }
            Event::TaskListMarker(done) => {
                self.inline.label(if done { "[x] " } else { "[ ] " }, Role::ListMarker);
            }
        }
    }

    /// Adds a line of an HTML block as written.
    fn html(&mut self, text: &str) {
        for line in text.split_inclusive('\n') {
            self.inline.text(line.trim_end_matches('\n'));
            if line.ends_with('\n') {
                self.inline.end_line();
            }
        }
    }

    fn start(&mut self, tag: Tag) {
        match tag {
            Tag::Paragraph => self.start_paragraph(),
            Tag::Heading { level, .. } => self.start_heading(level),
            Tag::BlockQuote(_) => {
                self.open_block();
                self.page.frames.push(BlockFrame::Quote);
            }
            Tag::CodeBlock(kind) => self.start_code(&kind),
            Tag::List(first) => {
                self.flush();
                self.lists.push(List {
                    next: first,
                    loose: false,
                    started: false,
                    depth: self.page.frames.depth() + 1,
                });
            }
            Tag::Item => self.start_item(),
            Tag::Table(alignments) => {
                self.flush();
                self.grid = Some(Grid::new(alignments));
            }
            Tag::TableHead => self.inline.set_base(Role::Plain, Emphasis::STRONG),
            Tag::Emphasis => self.inline.open(Emphasis::EMPHASIS),
            Tag::Strong => self.inline.open(Emphasis::STRONG),
            Tag::Strikethrough => self.inline.open(Emphasis::STRIKE),
            Tag::Link { dest_url, .. } => self.inline.open_link(dest_url.into_string()),
            Tag::Image { .. } => self.inline.open_image(),
            Tag::HtmlBlock => self.flush(),
            Tag::TableRow
            | Tag::TableCell
            | Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.end_text_block(),
            TagEnd::Heading(_) => {
                self.end_text_block();
                self.inline.set_base(Role::Plain, Emphasis::NONE);
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.page.frames.pop();
                self.page.end_block();
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::List(_) => {
                self.lists.pop();
                self.page.end_block();
            }
            TagEnd::Item => self.end_item(),
            TagEnd::Table => self.end_table(),
            TagEnd::TableHead => {
                self.inline.set_base(Role::Plain, Emphasis::NONE);
                self.end_row();
            }
            TagEnd::TableRow => self.end_row(),
            TagEnd::TableCell => {
                let cell = self.inline.take().into_iter().next().unwrap_or_default();
                if let Some(grid) = &mut self.grid {
                    grid.push_cell(cell);
                }
            }
            TagEnd::Emphasis => self.inline.close(Emphasis::EMPHASIS),
            TagEnd::Strong => self.inline.close(Emphasis::STRONG),
            TagEnd::Strikethrough => self.inline.close(Emphasis::STRIKE),
            TagEnd::Link => self.inline.close_link(),
            TagEnd::Image => self.inline.close_image(),
            TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => {}
        }
    }

    /// Draws the text so far.
    fn flush(&mut self) {
        let lines = self.inline.take();
        if lines.iter().all(Line::is_blank) {
            return;
        }
        self.page.begin_block();
        for line in lines {
            self.page.text(&line);
        }
    }

    /// Draws the text so far and begins another block.
    fn open_block(&mut self) {
        self.flush();
        self.page.begin_block();
    }

    fn end_text_block(&mut self) {
        self.flush();
        self.page.end_block();
    }

    fn start_paragraph(&mut self) {
        self.flush();
        let depth = self.page.frames.depth();
        if let Some(list) = self.lists.last_mut().filter(|list| list.depth == depth) {
            list.loose = true;
        }
    }

    fn start_heading(&mut self, level: HeadingLevel) {
        self.flush();
        self.inline.set_base(Role::Heading, Emphasis::NONE);
        let mark = format!("{} ", "#".repeat(level as usize));
        self.inline.label(&mark, Role::Heading);
    }

    fn start_code(&mut self, kind: &CodeBlockKind) {
        self.open_block();
        let info = match kind {
            CodeBlockKind::Fenced(info) => info.to_string(),
            CodeBlockKind::Indented => String::new(),
        };
        let language = info.split_whitespace().next().unwrap_or_default();
        if !language.is_empty() {
            self.page.code(Line::of(language, Role::Muted));
        }
        self.code = Some(CodeBlock { info, text: String::new() });
    }

    fn end_code(&mut self) {
        if let Some(CodeBlock { info, text }) = self.code.take() {
            // An entity can hide a control character from the first cleaning, so the lines of code
            // are cleaned again.
            for line in code_lines(&info, &text, Role::CodeBlock) {
                self.page.code(line);
            }
        }
        self.page.end_block();
    }

    fn start_item(&mut self) {
        self.flush();
        let mut marker = "• ".to_owned();
        if let Some(list) = self.lists.last_mut() {
            if list.started && !list.loose {
                self.page.join_blocks();
            }
            list.started = true;
            if let Some(number) = list.next {
                marker = format!("{number}. ");
                list.next = Some(number.saturating_add(1));
            }
        }
        self.page.begin_block();
        self.page.frames.push(BlockFrame::item(marker));
    }

    fn end_item(&mut self) {
        self.flush();
        if self.page.frames.has_marker() {
            // An item without content still shows its marker.
            self.page.text(&Line::new());
        }
        self.page.frames.pop();
    }

    fn end_row(&mut self) {
        if let Some(grid) = &mut self.grid {
            grid.end_row();
        }
    }

    fn end_table(&mut self) {
        if let Some(grid) = self.grid.take() {
            self.page.begin_block();
            for line in grid.lines(self.page.room()) {
                self.page.line(line);
            }
            self.page.end_block();
        }
    }
}

#[cfg(test)]
mod tests;
