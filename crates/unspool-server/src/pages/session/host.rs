//! The parts of a session page around messages, and the targets of their links.
//!
//! Damaged lines are shown at their place in the log, after the message before them. A branch shows
//! how much was said on it. An agent is one line that unfolds; its conversation is fetched then, or
//! read on its own page.

use std::cell::OnceCell;

use unspool_model::entry::EntryKind;
use unspool_model::ids::EntryId;
use unspool_model::line::Span;
use unspool_render::document::{AgentHead, AgentLocation, OtherPaths, Passage};
use unspool_render::html::{FragmentHost, agent_name};
use unspool_text::html::Html;
use unspool_text::human;

use super::branches::{BranchFacts, branch_words};
use super::sheet::SessionSheet;
use super::time::moment;
use super::unread::UnreadStart;

/// The maximum number of branches that are listed at a fork.
const NAMED: usize = 4;

/// Paints the parts around the messages of a sheet.
pub(super) struct SheetHost<'s> {
    sheet: &'s SessionSheet<'s>,
    branches: BranchFacts<'s>,
    /// Where new messages begin, if that is marked.
    unread: Option<UnreadStart>,
    /// Damaged lines, each with the message before it, in order.
    damage: OnceCell<Vec<(u32, Span)>>,
}

impl<'s> SheetHost<'s> {
    pub(super) fn new(sheet: &'s SessionSheet<'s>) -> Self {
        Self {
            sheet,
            branches: BranchFacts::new(&sheet.shown, sheet.prices),
            unread: None,
            damage: OnceCell::new(),
        }
    }

    /// Marks where new messages begin.
    #[must_use]
    pub(super) fn with_unread(self, unread: Option<UnreadStart>) -> Self {
        Self { unread, ..self }
    }

    /// Returns the damaged lines after a message.
    fn damage_after(&self, message: u32) -> &[(u32, Span)] {
        let all = self.damage.get_or_init(|| damage(self.sheet));
        let start = all.partition_point(|(after, _)| *after < message);
        let end = all.partition_point(|(after, _)| *after <= message);
        &all[start..end]
    }
}

/// Finds the damaged lines of the shown log, each with the last message before it.
fn damage(sheet: &SessionSheet<'_>) -> Vec<(u32, Span)> {
    let (conversation, view) = (&sheet.shown.conversation, &sheet.shown.view);
    let log = conversation.log;
    let entries = log.entries.iter();
    let damaged = entries.filter(|entry| entry.kind == EntryKind::Fragment);
    let mut found: Vec<(u32, Span)> = damaged.map(|entry| (0, entry.span)).collect();
    if found.is_empty() {
        return found;
    }
    // Copied records may be out of order, so the starts are sorted; a line follows the last start before it.
    let starts = (0u32..).zip(&view.messages).map(|(at, message)| {
        let node = view.nodes(message)[0];
        (conversation.graph.entry(log, node).span.start, at)
    });
    let mut starts: Vec<(u64, u32)> = starts.collect();
    starts.sort_unstable();
    for (after, span) in &mut found {
        let before = starts.partition_point(|(start, _)| *start <= span.start);
        *after = before.checked_sub(1).map_or(0, |last| starts[last].1);
    }
    found.sort_unstable_by_key(|(after, span)| (*after, span.start));
    found
}

impl FragmentHost for SheetHost<'_> {
    fn tools(&self, passage: &Passage, html: &mut Html) {
        let Some(entry) = passage.entries.first() else {
            return;
        };
        let raw = self.sheet.ways.of_session(&["raw", entry.as_str()], &[]);
        html.tag("<a class=\"to-raw\" title=\"The record as it is in the log\"")
            .attribute("href", &raw)
            .tag(">raw</a>");
    }

    fn after(&self, message: u32, html: &mut Html) {
        for (_, span) in self.damage_after(message) {
            damaged_line(self.sheet, *span, html);
        }
        if let Some(unread) = self.unread.filter(|unread| unread.after == message) {
            html.tag("<p class=\"interlude fresh\" id=\"fresh\"><span>new since ");
            moment(unread.since, html);
            html.tag("</span></p>\n");
        }
    }

    fn media(&self, entry: &EntryId, number: u32) -> String {
        let number = number.to_string();
        self.sheet.ways.of_session(&["media", entry.as_str(), &number], &[])
    }

    fn detail(&self, call: &str, number: usize) -> String {
        let number = number.to_string();
        let more = [("n", number.as_str())];
        self.sheet.ways.below(&["output", call], &more)
    }

    fn whole(&self, entry: &EntryId) -> String {
        self.sheet.ways.of_session(&["md", entry.as_str()], &[])
    }

    fn agent(&self, agent: &AgentHead, html: &mut Html) {
        paint_agent(agent, html);
    }

    fn branches(&self, others: &OtherPaths, html: &mut Html) {
        let count = others.count();
        html.tag("<div class=\"fork\"><p>")
            .text(&human::plural(count, "branch"))
            .tag(" left here</p>\n<ul>\n");
        for other in others.named.iter().take(NAMED) {
            let facts = self.branches.of(other.number);
            let ways = self.sheet.ways.on_path(Some(other.number));
            html.tag("<li>").text(&branch_words(&facts));
            html.tag(" ").link(&ways.page(), "open");
            if let Some(way) = super::compare_way(self.sheet, other.number.get()) {
                html.tag(" ").link(&way, "compare");
            }
            html.tag("</li>\n");
        }
        html.tag("</ul>\n");
        if count > NAMED {
            let tree = self.sheet.ways.of_session(&["tree"], &[]);
            let words = format!("and {} more, in the tree", count - NAMED);
            html.tag("<p>").link(&tree, &words).tag("</p>\n");
        }
        html.tag("</div>\n");
    }
}

/// Paints a notice about a damaged line of the log.
pub(super) fn damaged_line(sheet: &SessionSheet<'_>, span: Span, html: &mut Html) {
    let place = format!("byte:{}", span.start);
    html.tag("<p class=\"damaged\">A damaged line of the log: ")
        .text(&human::bytes(span.len))
        .tag(" that are not a record.");
    // A byte offset in an address is one of the session's main log.
    if std::ptr::eq(sheet.shown.file, &raw const sheet.shown.session.main) {
        let raw = sheet.ways.of_session(&["raw", &place], &[]);
        html.tag(" ").link(&raw, "raw");
    }
    html.tag("</p>\n");
}

/// Paints an agent as a line that unfolds.
pub(super) fn paint_agent(agent: &AgentHead, html: &mut Html) {
    let AgentLocation::Separate(way) = &agent.location else {
        html.tag("<p class=\"attachment\">Agent <code>")
            .text(&agent.id)
            .tag("</code>: its file is gone</p>\n");
        return;
    };
    html.tag("<details class=\"agent\"").attribute("data-agent", way);
    html.tag("><summary>");
    agent_name(agent, html);
    html.tag("</summary>\n<div class=\"inside\">\n<p class=\"attachment\">");
    html.link(way, "Open its conversation").tag("</p>\n</div></details>\n");
}
