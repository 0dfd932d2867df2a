//! The surface that paints pages.

use std::io;

use unspool_text::html::Html;
use unspool_text::html::Painting;
use unspool_text::human;
use unspool_text::sanitize::one_line;

use super::assets::AssetSource;
use super::help::{ButtonKind, action_button, key_help};
use super::host::{FragmentHost, PaintContext, PieceForm, PieceMessage};
use super::message::ModelNaming;
use super::outline::Outline;
use super::plan::PagePlan;
use super::site::{Neighbours, WordSource, Words};
use super::{call, header, message};
use crate::document::{
    AgentHead, AgentLocation, DetailBody, DocumentSurface, Interlude, MessagePlace, OtherPaths,
    Paper, Passage, PassagePart, ShownCall, Surface, TranscriptHead,
};
use crate::keys::{KeyAction, KeyContext};

/// Options for pages.
#[derive(Clone, Debug)]
pub struct PageOptions {
    /// Whether code is highlighted.
    pub painting: Painting,
    /// The links to the rest of a site; `None` for a standalone page.
    pub site: Option<Neighbours>,
}

/// The surface that paints a transcript as one page, or as several pages with links between them.
pub struct HtmlSurface<'p> {
    paper: &'p mut dyn Paper,
    options: PageOptions,
    /// Markup that is not written yet.
    html: Html,
    title: String,
    plan: PagePlan,
    outline: Outline,
    /// The other paths, which every page links to.
    others: OtherPaths,
    page: u32,
    section: OpenSection,
    /// The model that was named last.
    model: Option<String>,
    words: Option<Words>,
    /// The host that knows the addresses of further content; `None` for a file.
    host: Option<&'p dyn FragmentHost>,
    form: PieceForm,
    /// The open messages: those of agents are nested in others.
    messages: Vec<PieceMessage>,
    /// Whether the markup stays in `html` instead of going to the paper.
    is_piece: bool,
    /// The position of the current message of the transcript itself.
    at: Option<u32>,
}

/// The element that is open between messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OpenSection {
    /// None.
    None,
    /// A turn, or the messages before the first one.
    Turn,
    /// The agents that no call leads to.
    Unlinked,
}

impl<'p> HtmlSurface<'p> {
    /// Creates a surface for one transcript.
    pub fn new(options: PageOptions, paper: &'p mut dyn Paper) -> Self {
        let plan = PagePlan::single();
        Self {
            paper,
            options,
            html: Html::new(),
            title: String::new(),
            outline: Outline::new(&[], &plan, Vec::new()),
            plan,
            others: OtherPaths::default(),
            page: 1,
            section: OpenSection::None,
            model: None,
            words: None,
            host: None,
            form: PieceForm::default(),
            messages: Vec::new(),
            is_piece: false,
            at: None,
        }
    }

    fn brush(&self) -> PaintContext<'_> {
        PaintContext {
            painting: self.options.painting,
            host: self.host,
            message: self.messages.last(),
        }
    }

    /// Collects the words of everything that is shown, for the search of a site.
    #[must_use]
    pub fn gathering_words(mut self) -> Self {
        self.words = Some(Words::default());
        self
    }

    /// Returns the collected words.
    pub fn into_words(self) -> Words {
        self.words.unwrap_or_default()
    }

    /// Paints a piece instead of a page; a host may serve the page of the piece.
    pub(super) fn of_piece(self, host: Option<&'p dyn FragmentHost>, form: PieceForm) -> Self {
        Self { host, form, is_piece: true, ..self }
    }

    /// Continues in the middle of a page, after a model was named and maybe inside a turn.
    pub(super) fn resumed(
        self,
        outline: Outline,
        section: OpenSection,
        model: Option<String>,
    ) -> Self {
        Self { outline, section, model, ..self }
    }

    /// Returns the markup, and the model that was named last.
    pub(super) fn into_piece(self) -> (Html, Option<String>) {
        (self.html, self.model)
    }

    fn source(&self) -> AssetSource {
        match self.options.site {
            Some(_) => AssetSource::Linked("../"),
            None => AssetSource::Inside,
        }
    }

    fn write(&mut self) -> io::Result<()> {
        if self.is_piece {
            return Ok(());
        }
        self.paper.write_all(self.html.as_str().as_bytes())?;
        self.html.clear();
        Ok(())
    }

    /// Paints everything of a page above its first message.
    fn open_page(&mut self, head: Option<&TranscriptHead>) {
        let source = self.source();
        let html = &mut self.html;
        source.head(&self.title, html);
        html.tag("<body>\n<a class=\"skip\" href=\"#transcript\">Skip to the conversation</a>\n");
        tools(html);
        html.tag("<nav id=\"outline\" aria-label=\"Outline\">\n");
        html.tag("<a class=\"close\" href=\"#transcript\">Close the outline</a>\n");
        if let Some(site) = &self.options.site {
            site.paint(html);
        }
        self.outline.paint(self.page, html);
        html.tag("</nav>\n<main id=\"transcript\" tabindex=\"-1\">\n");
        if let Some(head) = head {
            header::paint(head, &self.title, html);
        } else {
            html.tag("<header class=\"front\">\n");
            header::heading(&self.title, html);
            header::paths(&self.others, html);
            html.tag("</header>\n");
        }
        self.outline.steps(self.page, html);
    }

    fn close_page(&mut self) {
        self.close_section();
        let source = self.source();
        let html = &mut self.html;
        self.outline.steps(self.page, html);
        html.tag("</main>\n");
        key_help(KeyContext::Export, html);
        source.script(html);
        html.tag("</body>\n</html>\n");
    }

    /// Closes the element that is open between messages.
    pub(super) fn close_section(&mut self) {
        self.html.tag_if(self.section != OpenSection::None, "</section>\n");
        self.section = OpenSection::None;
    }

    /// Turns to the page of a message, and opens its turn.
    fn go_to(&mut self, place: &MessagePlace, passage: &Passage) -> io::Result<()> {
        while self.page < self.plan.page_of(place.message) {
            self.close_page();
            self.write()?;
            self.paper.turn_page()?;
            self.page += 1;
            self.model = None;
            self.open_page(None);
        }
        if place.begins_turn {
            self.close_section();
        }
        if let Some(interlude) = place.interlude {
            self.interlude(interlude);
        }
        if let Some(seam) = place.seam {
            self.html
                .tag("<p class=\"interlude seam\"><span>")
                .text(seam.words())
                .tag("</span></p>\n");
        }
        if self.section == OpenSection::None && self.form != PieceForm::Bare {
            self.open_turn(place, passage);
        }
        Ok(())
    }

    /// Paints an interlude, between turns or inside one.
    fn interlude(&mut self, interlude: Interlude) {
        self.html.tag(match interlude.day {
            Some(_) => "<p class=\"interlude day\"><span>",
            None => "<p class=\"interlude\"><span>",
        });
        self.html.text(&interlude.words()).tag("</span></p>\n");
    }

    fn open_turn(&mut self, place: &MessagePlace, passage: &Passage) {
        self.section = OpenSection::Turn;
        let html = &mut self.html;
        let Some(turn) = place.turn else {
            html.tag("<section class=\"turn\">\n");
            return;
        };
        html.tag(match self.host {
            Some(_) if !place.begins_turn => "<section class=\"turn goes-on\"",
            _ => "<section class=\"turn\"",
        });
        if place.begins_turn {
            html.tag(" id=\"turn-").number(turn.into()).tag("\"");
        }
        html.tag(">\n");
        let asked = match self.host {
            Some(_) if place.begins_turn => asked(passage),
            _ => String::new(),
        };
        self.outline.heading(turn, place.begins_turn, &asked, html);
    }

    /// Collects the words of a part for the search of the site.
    fn gather(&mut self, part: &PassagePart) {
        let Some(words) = &mut self.words else {
            return;
        };
        let mut say = |text: &str| words.add(text, WordSource::Said);
        match part {
            PassagePart::Prose(text)
            | PassagePart::Typed(text)
            | PassagePart::Pasted(text)
            | PassagePart::Thinking(text) => {
                say(text);
            }
            PassagePart::Note(note) => {
                say(&note.words);
                say(&note.text);
            }
            PassagePart::Command { line, output } => {
                say(line.as_deref().unwrap_or_default());
                say(output);
            }
            PassagePart::Call(_) | PassagePart::Media(_) | PassagePart::Unknown { .. } => {}
        }
    }

    /// Collects the words of a call, its input and its result.
    fn gather_call(&mut self, call: &ShownCall) {
        let Some(words) = &mut self.words else {
            return;
        };
        let mut add = |text: &str| words.add(text, WordSource::Call);
        add(&call.name);
        add(&call.summary);
        for detail in &call.details {
            match &detail.body {
                DetailBody::Code { text, .. }
                | DetailBody::Output { text, .. }
                | DetailBody::Prose(text) => {
                    add(text);
                }
                DetailBody::Change { path, diff } => {
                    add(path);
                    let lines = diff.hunks().iter().flat_map(|hunk| &hunk.lines);
                    lines.for_each(|line| add(line));
                }
                DetailBody::Todos(todos) => todos.iter().for_each(|todo| add(&todo.text)),
                DetailBody::Questions(questions) => {
                    for asked in questions {
                        add(&asked.question);
                        asked.answer.iter().for_each(|answer| add(answer));
                    }
                }
                DetailBody::Links(links) => links.iter().for_each(|link| add(&link.title)),
                DetailBody::Media(_) => {}
            }
        }
    }
}

/// Paints the toolbar of a page. Its controls are hidden until the script that runs them shows
/// them; the link to the outline works without a script.
fn tools(html: &mut Html) {
    html.tag(FIND).tag("<div class=\"buttons\" hidden>\n");
    for (action, kind, label) in [
        (KeyAction::Unfold, ButtonKind::Switch, "Unfold"),
        (KeyAction::Sides, ButtonKind::Switch, "Split"),
        (KeyAction::Theme, ButtonKind::Once, "Theme"),
        (KeyAction::Help, ButtonKind::Once, "?"),
    ] {
        action_button(KeyContext::Export, action, kind, label, html);
    }
    html.tag("</div>\n</div>\n");
}

/// The toolbar of a page up to its buttons: the link to the outline, and the search.
const FIND: &str = "<div class=\"tools\" role=\"toolbar\" aria-label=\"Page\">
<a class=\"menu\" href=\"#outline\">Outline</a>
<div class=\"find\" role=\"search\" hidden>
<input id=\"find\" type=\"search\" placeholder=\"Search in page\" aria-label=\"Search in page\" \
autocomplete=\"off\" spellcheck=\"false\">
<span id=\"found\" role=\"status\"></span>
<button type=\"button\" data-do=\"find-previous\" aria-label=\"Previous match\">\u{2191}</button>
<button type=\"button\" data-do=\"find-next\" aria-label=\"Next match\">\u{2193}</button>
</div>
";

impl Surface for HtmlSurface<'_> {
    fn open_message(&mut self, passage: &Passage, place: &MessagePlace) -> io::Result<()> {
        if place.depth == 0 {
            self.at = Some(place.message);
            self.go_to(place, passage)?;
            if let (Some(turn), true, Some(words)) =
                (place.turn, place.begins_turn, &mut self.words)
            {
                words.begin_turn(
                    turn,
                    &self.paper.page_name(self.page),
                    self.outline.headline(turn),
                );
            }
        }
        let another = passage.model.is_some() && passage.model != self.model;
        let naming = if another { ModelNaming::Model } else { ModelNaming::Unnamed };
        if another {
            self.model.clone_from(&passage.model);
        }
        let at = Some(place.message).filter(|_| place.depth == 0);
        self.messages.push(PieceMessage::new(passage, at));
        let mut html = std::mem::take(&mut self.html);
        message::open(passage, naming, self.brush(), &mut html);
        self.html = html;
        self.write()
    }

    fn part(&mut self, part: &PassagePart, _: &Passage) -> io::Result<()> {
        self.gather(part);
        let mut html = std::mem::take(&mut self.html);
        message::part(part, self.brush(), &mut html);
        self.html = html;
        self.write()
    }

    fn open_call(&mut self, call: &ShownCall, agent: Option<&AgentHead>) -> io::Result<()> {
        self.gather_call(call);
        let mut html = std::mem::take(&mut self.html);
        call::open(call, self.brush(), &mut html);
        self.html = html;
        if let (Some(host), Some(agent)) = (self.host, agent) {
            host.agent(agent, &mut self.html);
            return self.write();
        }
        if let Some(agent) = agent.filter(|agent| agent.location != AgentLocation::Nested) {
            self.html.tag("<p class=\"attachment\">");
            name_agent(agent, &mut self.html);
            self.html.tag("</p>\n");
        }
        self.write()
    }

    fn close_call(&mut self, _call: &ShownCall) -> io::Result<()> {
        call::close(&mut self.html);
        self.write()
    }

    fn close_message(&mut self, passage: &Passage) -> io::Result<()> {
        message::close(passage, &mut self.html);
        self.messages.pop();
        if let (Some(host), true, Some(at)) = (self.host, self.messages.is_empty(), self.at) {
            host.after(at, &mut self.html);
        }
        self.write()
    }

    fn open_agent(&mut self, agent: &AgentHead) -> io::Result<()> {
        let html = &mut self.html;
        html.tag("<details class=\"agent\"><summary>");
        name_agent(agent, html);
        html.tag("</summary>\n<div class=\"inside\">\n");
        self.model = None;
        self.write()
    }

    fn close_agent(&mut self, _agent: &AgentHead) -> io::Result<()> {
        self.html.tag("</div></details>\n");
        self.model = None;
        self.write()
    }

    fn branches(&mut self, others: &OtherPaths) -> io::Result<()> {
        let html = &mut self.html;
        if let Some(host) = self.host {
            host.branches(others, html);
            return self.write();
        }
        html.tag("<p class=\"fork\">Another way was taken from here: ");
        header::path_links(others, html);
        html.tag("</p>\n");
        self.write()
    }
}

impl DocumentSurface for HtmlSurface<'_> {
    fn begin(&mut self, head: &TranscriptHead) -> io::Result<()> {
        self.title = header::title(head);
        self.others = head.others.clone();
        if self.paper.has_pages() {
            self.plan = PagePlan::of(head.turns.iter().map(|turn| turn.messages.clone()));
        }
        let pages = (1..=self.plan.pages()).map(|page| self.paper.page_name(page));
        self.outline = Outline::new(&head.turns, &self.plan, pages.collect());
        if let Some(words) = &mut self.words {
            words.begin(&self.title, &self.paper.page_name(1));
        }
        self.open_page(Some(head));
        self.write()
    }

    fn unlinked(&mut self, count: usize) -> io::Result<()> {
        self.close_section();
        self.section = OpenSection::Unlinked;
        self.html.tag("<section class=\"turn\" id=\"unlinked\">\n<h2>");
        self.html.text(&human::plural(count, "agent")).tag(" without a call</h2>\n");
        self.write()
    }

    fn end(&mut self) -> io::Result<()> {
        self.close_page();
        self.write()
    }
}

/// Returns the beginning of a prompt, for the heading of its turn.
fn asked(passage: &Passage) -> String {
    /// The most columns of the prompt.
    const HEADLINE: usize = 160;
    let said = passage.parts.iter().find_map(|part| match part {
        PassagePart::Typed(text) | PassagePart::Prose(text) => Some(text.as_str()),
        PassagePart::Command { line, .. } => line.as_deref(),
        _ => None,
    });
    one_line(said.unwrap_or_default(), HEADLINE)
}

/// Paints the name of an agent and the number of its messages.
pub fn agent_name(agent: &AgentHead, html: &mut Html) {
    html.tag("<span class=\"who\">Agent</span> <span class=\"what\">");
    html.text(&agent.words()).tag("</span>");
    if let Some(messages) = agent.messages {
        html.tag(" <span class=\"note\">").text(&human::plural(messages, "message"));
        html.tag("</span>");
    }
}

/// Paints the name of an agent, and where its conversation is.
fn name_agent(agent: &AgentHead, html: &mut Html) {
    agent_name(agent, html);
    match &agent.location {
        AgentLocation::Nested => {}
        AgentLocation::Separate(file) => _ = html.tag(" ").link(file, "its conversation"),
        AgentLocation::Elsewhere => _ = html.tag(" <span class=\"note\">not in this export</span>"),
    }
}
