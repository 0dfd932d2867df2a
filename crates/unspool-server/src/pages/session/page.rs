//! `/s/{id}` and `/s/{id}/a/{agent}`: the page of a conversation.
//!
//! The first answer contains the head, the rail, the panel, the skeleton, and about a hundred
//! messages: the newest ones, or those around the target of the address (`at`, `turn`, `m`,
//! `call`). The script fetches everything else; without it, links lead there.

use std::io;

use unspool_engine::library::{OpenSession, OpenState};
use unspool_engine::ops::locate;
use unspool_engine::ops::transcript::ViewKind;
use unspool_model::conversation::Liveness;
use unspool_model::positions::TurnNumber;
use unspool_store::rows::project_name;
use unspool_text::html::Html;
use unspool_text::human;

use super::chunks::ChunkBudget;
use super::panel::MoreFacts;
use super::request::SheetRequest;
use super::resume::resume_command;
use super::sheet::SessionSheet;
use super::unread::{UnreadStart, unread};
use super::{drive, front, host, panel, rail, skeleton, states};
use crate::frame::{Crumb, PageFrame};
use crate::route::Call;
use crate::state::ServerState;
use crate::web::{RequestProblem, WebReply};

/// Answers with the page of a session, or of an agent of it.
pub(super) fn page(call: &Call) -> Result<WebReply, RequestProblem> {
    let asked = SheetRequest::of(call)?;
    let open = match asked.open(call) {
        Ok(open) => open,
        Err(error) => return states::unopened(call, &asked, error),
    };
    let view = open.view();
    if let Some(agent) = &asked.agent
        && !states::has_agent(&view, agent)
    {
        return Ok(states::no_agent(call, &asked, &view, agent));
    }
    let (sheet, target) = sheet_at(&view, call, &asked)?;
    if sheet.ways != asked.ways() {
        // The entry is on another path or in an agent, so its address is another one.
        let at = call.query.get("at").unwrap_or_default();
        return Ok(WebReply::see_other(&sheet.ways.entry(at)));
    }
    SessionPage {
        call,
        asked: &asked,
        open: &open,
        view: &view,
        unread: unread(call, &sheet),
        sheet: &sheet,
        target,
    }
    .reply()
}

/// Lays out the requested conversation, and finds the message that the address names.
fn sheet_at<'v>(
    view: &'v OpenState,
    call: &'v Call,
    asked: &SheetRequest,
) -> Result<(SessionSheet<'v>, Option<u32>), RequestProblem> {
    let sheet = SessionSheet::new(view, asked, call.state.prices())?;
    if let Some(uuid) = call.query.get("at") {
        let place = locate::find(view.session(), uuid)
            .map_err(unspool_engine::library::LibraryError::from)?;
        if let Some(message) = sheet.message_of_entry(&place) {
            return Ok((sheet, Some(message)));
        }
        let elsewhere = SessionSheet::at(view, asked, call.state.prices(), place.clone())?;
        let message = elsewhere.message_of_entry(&place);
        return Ok((elsewhere, message));
    }
    let target = if let Some(turn) = call.query.read("turn")? {
        sheet.message_of_turn(turn)
    } else if let Some(id) = call.query.get("call") {
        sheet.message_of_call(id)
    } else {
        call.query.read::<u32>("m")?.filter(|&m| m < sheet.len())
    };
    Ok((sheet, target))
}

/// The data of a page.
struct SessionPage<'p> {
    call: &'p Call,
    asked: &'p SheetRequest,
    open: &'p OpenSession,
    view: &'p OpenState,
    sheet: &'p SessionSheet<'p>,
    /// The message that the address names.
    target: Option<u32>,
    /// Where unread messages begin.
    unread: Option<UnreadStart>,
}

impl SessionPage<'_> {
    fn reply(&self) -> Result<WebReply, RequestProblem> {
        let title = front::title(self.sheet);
        let mut html = Html::new();
        html.tag("<div class=\"workspace\">\n");
        self.main(&title, &mut html)?;
        self.rail(&mut html)?;
        self.panel(&mut html)?;
        html.tag("</div>\n");
        html.tag(THUMBS);
        let frame = PageFrame::new(&title, "session", self.crumbs(&title)).with_data(self.data());
        Ok(WebReply::html(&frame.paint(&self.call.state, &html)))
    }

    fn state(&self) -> &ServerState {
        &self.call.state
    }

    fn main(&self, title: &str, html: &mut Html) -> io::Result<()> {
        let sheet = self.sheet;
        tools(sheet, html);
        html.tag("<main id=\"main\" class=\"sheet\" tabindex=\"-1\">\n");
        front::paint(sheet, title, html);
        let plan = sheet.plan();
        if plan.messages() == 0 {
            states::empty(sheet, html);
            html.tag("</main>\n");
            return Ok(());
        }
        // A reader continues where reading ended, unless the address names a message.
        let begins = self.unread.map(|unread| unread.after);
        let filled = match self.target.or(begins) {
            Some(message) => plan.around(message, ChunkBudget::FIRST),
            None => plan.newest(ChunkBudget::FIRST),
        };
        skeleton::paint(sheet, &plan, &filled, self.unread, html)?;
        self.end(html);
        drive::paint(self.state(), self.view, sheet, html);
        html.tag("</main>\n");
        Ok(())
    }

    /// Paints the parts below the last message: agents without a call, and a link to other paths.
    fn end(&self, html: &mut Html) {
        let shown = &self.sheet.shown;
        let is_main = shown.agent.is_none() && shown.path.as_ref().is_some_and(|path| path.active);
        let loose: Vec<_> = shown.unlinked().filter(|_| is_main).collect();
        html.tag("<footer class=\"end\" id=\"end\">\n");
        if !loose.is_empty() {
            html.tag("<section id=\"unlinked\">\n<h2>");
            html.text(&human::plural(loose.len(), "agent")).tag(" without a call</h2>\n");
            for info in loose {
                host::paint_agent(&super::agent_head(self.sheet, info), html);
            }
            html.tag("</section>\n");
        }
        let counts = self.sheet.counts();
        if counts.other_paths > 0 && shown.agent.is_none() {
            let tree = self.sheet.ways.of_session(&["tree"], &[]);
            let entries = human::plural(counts.other_paths as usize, "entry");
            let is = if counts.other_paths == 1 { "is" } else { "are" };
            let words = format!("{entries} {is} not on the active path");
            html.tag("<p class=\"elsewhere\">").link(&tree, &words).tag("</p>\n");
        }
        html.tag("</footer>\n");
    }

    /// Returns the number of the turn that a reader sees first.
    fn near(&self) -> u32 {
        let begins = self.unread.map(|unread| unread.after);
        let turn = self.target.or(begins);
        let turn = turn.and_then(|message| self.sheet.turn_of(message));
        turn.map_or(self.sheet.shown.turns.len() as u32, TurnNumber::get)
    }

    fn rail(&self, html: &mut Html) -> io::Result<()> {
        html.tag("<nav id=\"rail\" class=\"rail\" aria-label=\"Turns\">\n");
        html.tag("<a class=\"close\" href=\"#main\">Close</a>\n");
        let unread = self.unread.map(|unread| unread.after);
        rail::paint(self.sheet, self.near(), unread, html)?;
        html.tag("</nav>\n");
        Ok(())
    }

    fn panel(&self, html: &mut Html) -> Result<(), RequestProblem> {
        let sheet = self.sheet;
        let library = &self.state().library;
        let open = (self.open, self.view);
        let resume = resume_command(self.open, self.view, self.state());
        html.tag("<aside id=\"panel\" class=\"panel\" aria-label=\"Facts\">\n");
        html.tag("<a class=\"close\" href=\"#main\">Close</a>\n");
        if self.call.query.is_on("facts") {
            let more = MoreFacts::read(library, open, sheet)?;
            panel::paint(sheet, Some(&more), &resume, html)?;
        } else if panel::is_late(sheet) {
            panel::paint_early(sheet, &resume, html);
        } else {
            let more = MoreFacts::if_short(library, open, sheet)?;
            panel::paint(sheet, more.as_ref(), &resume, html)?;
        }
        html.tag("</aside>\n");
        Ok(())
    }

    fn crumbs(&self, title: &str) -> Vec<Crumb> {
        let sheet = self.sheet;
        let mut crumbs = Vec::new();
        if let Some(project) = &sheet.shown.session.project {
            let folder = sheet.shown.cwd();
            let name = project_name(folder.as_deref(), Some(project));
            crumbs.push(Crumb::to(name, format!("/p/{project}")));
        }
        if sheet.shown.agent.is_some() {
            let session = sheet.shown.title();
            let name = session.unwrap_or_else(|| sheet.shown.session.id.to_string());
            crumbs.push(Crumb::to(name, sheet.ways.of_agent(None).page()));
        }
        crumbs.push(Crumb::here(title));
        crumbs
    }

    /// Returns the data for scripts.
    fn data(&self) -> Vec<(&'static str, String)> {
        let sheet = self.sheet;
        let mut data = vec![
            ("data-base", sheet.ways.base()),
            ("data-session", sheet.shown.session.id.to_string()),
            ("data-messages", sheet.len().to_string()),
            ("data-turns", sheet.shown.turns.len().to_string()),
        ];
        if sheet.shown.live == Liveness::Live {
            data.push(("data-live", "1".to_owned()));
        }
        if let Some(unread) = self.unread {
            data.push(("data-read", unread.after.to_string()));
            data.push(("data-read-at", unread.since.to_string()));
        }
        // A page whose address names a path follows that path only.
        if self.asked.path.is_some() {
            data.push(("data-pinned", "1".to_owned()));
        }
        data.extend(self.target.map(|target| ("data-target", target.to_string())));
        data.extend(sheet.path_number().map(|path| ("data-path", path.to_string())));
        if sheet.shown.kind == ViewKind::Context {
            data.push(("data-view", sheet.shown.kind.name().to_owned()));
        }
        if sheet.shown.kind == ViewKind::History {
            let position = self.view.feed_position(&self.asked.target());
            data.extend(position.map(|position| ("data-position", position.to_string())));
        }
        let project = self.call.query.get("project");
        data.extend(project.map(|project| ("data-project", project.to_owned())));
        data
    }
}

/// Paints the toolbar above the transcript. Scripts show the tools that need them.
fn tools(sheet: &SessionSheet<'_>, html: &mut Html) {
    html.tag("<div class=\"tools\" role=\"toolbar\" aria-label=\"Reading\">\n");
    front::path_menu(sheet, html);
    front::state(sheet, html);
    html.tag(TOOLS);
    html.tag("</div>\n");
}

const TOOLS: &str = "<p class=\"now\" id=\"now\" hidden></p>
<div class=\"find\" role=\"search\" hidden>
<input id=\"find\" type=\"search\" placeholder=\"Find in this session\" \
aria-label=\"Find in this session\" autocomplete=\"off\" spellcheck=\"false\">
<span id=\"found\" role=\"status\"></span>
<button type=\"button\" data-do=\"find-previous\" aria-label=\"Previous match\">\u{2191}</button>
<button type=\"button\" data-do=\"find-next\" aria-label=\"Next match\">\u{2193}</button>
</div>
<div class=\"buttons\" hidden>
<button type=\"button\" data-do=\"unfold\" aria-pressed=\"false\" \
title=\"Open or close everything (o)\">Unfold</button>
<button type=\"button\" data-do=\"sides\" aria-pressed=\"false\" \
title=\"Changes side by side (s)\">Split</button>
<button type=\"button\" data-do=\"help\" aria-label=\"Keys\" title=\"Keys (?)\">?</button>
</div>
";

/// Links to the rail and the panel on a small screen, at the edge where a thumb reaches them.
const THUMBS: &str = "<nav class=\"thumbs\" aria-label=\"Around the conversation\">
<a href=\"#rail\" data-do=\"rail\">Turns</a>
<a href=\"#panel\" data-do=\"panel\">Facts</a>
</nav>
";
