//! The prompt field, with the settings of the run that a prompt would start.
//!
//! Mode, model, deadlines and budget are chosen here. The script shows how the run would be started
//! before it sends the prompt that starts it.

use unspool_drive::json::RunJson;
use unspool_drive::suggestion::mode_words;
use unspool_drive::{PermissionMode, RunLimits};
use unspool_text::html::Html;

use super::failure::paint_missing;
use super::limits::paint_next_limits;
use crate::settings::ClientLocation;

/// The prompt field of a page.
pub(in crate::pages) struct Composer<'a> {
    /// The session; none for a new one.
    pub(in crate::pages) session: Option<&'a str>,
    /// The folder that the client works in.
    pub(in crate::pages) folder: Option<&'a str>,
    /// The process that has the session, if it does not belong to one of our runs.
    pub(in crate::pages) owner: Option<u32>,
    /// The entry that a prompt continues from, if it is not the newest.
    pub(in crate::pages) at: Option<&'a str>,
    /// The open run, whose mode and model can be changed.
    pub(in crate::pages) run: Option<&'a RunJson>,
    /// The client that a run would start.
    pub(in crate::pages) client: &'a ClientLocation,
    /// The default deadlines of a run.
    pub(in crate::pages) limits: RunLimits,
}

impl Composer<'_> {
    /// Paints the field.
    pub(in crate::pages) fn paint(&self, html: &mut Html) {
        html.tag("<form id=\"composer\" class=\"composer js-only\"");
        let facts =
            [("data-session", self.session), ("data-cwd", self.folder), ("data-at", self.at)];
        for (name, value) in facts {
            if let Some(value) = value {
                html.attribute(name, value);
            }
        }
        if self.owner.is_some() {
            html.attribute("data-fork", "1");
        }
        html.tag(">\n");
        self.paint_start(html);
        paint_missing(self.client, html);
        html.tag("<div id=\"held\" role=\"status\"></div>\n");
        html.tag("<textarea name=\"text\" rows=\"2\" aria-label=\"Prompt\" ");
        html.tag("placeholder=\"Write a prompt\" spellcheck=\"true\"></textarea>\n");
        html.tag("<div class=\"images\" hidden></div>\n");
        paint_starts(self.limits, html);
        html.tag("<div class=\"acts\">");
        self.paint_mode(html);
        html.tag(
            "<button type=\"button\" id=\"notify\" hidden><span class=\"words\">Notify me</span>",
        );
        html.tag(
            "</button>\n<button type=\"submit\" class=\"main\">Send</button></div>\n</form>\n",
        );
    }

    /// Paints where a prompt continues, if that is not the end of this session. The script replaces
    /// the text when another branch becomes the newest.
    fn paint_start(&self, html: &mut Html) {
        html.tag("<p id=\"goes-on\" class=\"warn\" role=\"status\">");
        if let Some(pid) = self.owner {
            html.tag("Process ").number(pid.into());
            html.tag(" runs this session. A prompt here goes on in a copy of it.");
        } else if self.at.is_some() {
            html.tag("This is not the newest branch. ");
            html.tag("A prompt here starts a new one from its end.");
        }
        html.tag("</p>\n");
    }

    fn paint_mode(&self, html: &mut Html) {
        html.tag("<label><span class=\"sr\">Permissions</span><select name=\"mode\">");
        let chosen = self.run.and_then(|run| run.permission_mode.as_deref());
        // A run may have a mode that pages do not offer.
        let offered = PermissionMode::OFFERED.map(PermissionMode::name);
        let other = chosen.filter(|mode| !offered.contains(mode));
        for mode in offered.into_iter().chain(other) {
            html.tag("<option").attribute("value", mode);
            html.tag(if chosen == Some(mode) { " selected>" } else { ">" });
            html.text(&mode_words(mode)).tag("</option>");
        }
        html.tag("</select></label>\n");
        let model = self.run.and_then(|run| run.model.as_deref());
        html.tag("<label><span class=\"sr\">Model</span><input name=\"model\" ");
        html.tag("list=\"models\" size=\"14\" autocomplete=\"off\" spellcheck=\"false\"");
        html.attribute("placeholder", model.unwrap_or("model"));
        html.tag("></label><datalist id=\"models\"></datalist>\n");
        if let Some(folder) = self.folder {
            html.tag("<span class=\"faint folder\">").text(folder).tag("</span>\n");
        }
    }
}

/// Paints the place for the plan of a run, and the fields of its deadlines and budget.
fn paint_starts(limits: RunLimits, html: &mut Html) {
    html.tag("<div class=\"starts\">\n<details id=\"plan\" class=\"plan-view\" open hidden>");
    html.tag("<summary>This starts Claude Code in <span></span></summary>\n<dl></dl></details>\n");
    html.tag("<p class=\"why faint\" role=\"status\"></p>\n");
    paint_next_limits(limits, html);
    html.tag("</div>\n");
}
