//! Keys on pages: the help dialog, and buttons that show their key.
//!
//! Everything comes from the table of [`keys`](crate::keys). The page's script reads the bindings
//! from the dialog, so that no list is written twice and a page needs no code of its own.

use unspool_text::html::Html;

use crate::keys::{KeyAction, KeyContext, KeyHelpRow, KeySection, help_rows};

/// Paints the help dialog of a page, closed. It belongs at the end of the body, before the script.
///
/// A `kbd` with `data-key` is a key in the notation of the table, and the element with `data-action` around
/// it names the action. A checkbox switches off keys of one character, as WCAG 2.1.4 requires.
pub fn key_help(context: KeyContext, html: &mut Html) {
    html.tag("<dialog class=\"keys\" aria-label=\"Keys\">\n<header><h2>Keys</h2>");
    // The first focusable element is at the top, so that the dialog opens there.
    html.tag("<button type=\"button\" data-do=\"help\">Close</button></header>\n");
    html.tag("<div class=\"sections\">\n");
    let mut open: Option<KeySection> = None;
    for row in help_rows(context) {
        if open != Some(row.section) {
            html.tag_if(open.is_some(), "</dl>\n</section>\n");
            html.tag("<section>\n<h3>").tag(row.section.title()).tag("</h3>\n<dl>\n");
            open = Some(row.section);
        }
        help_row(&row, html);
    }
    html.tag("</dl>\n</section>\n</div>\n");
    html.tag("<p><label><input type=\"checkbox\" data-setting=\"letters\"> ");
    html.tag("Use keys of one character</label></p>\n</dialog>\n");
}

fn help_row(row: &KeyHelpRow, html: &mut Html) {
    html.tag("<div><dt>");
    for (index, binding) in row.bindings.iter().enumerate() {
        html.tag(if index > 0 { " <span" } else { "<span" });
        html.attribute("data-action", binding.action.name()).tag(">");
        for (index, key) in binding.keys().enumerate() {
            html.tag(if index > 0 { " <kbd" } else { "<kbd" });
            html.attribute("data-key", key.as_str()).tag(">").text(&key.to_string()).tag("</kbd>");
        }
        html.tag("</span>");
    }
    html.tag("</dt><dd>").text(row.label).tag("</dd></div>\n");
}

/// Whether a button stays pressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ButtonKind {
    /// It acts once.
    Once,
    /// It switches a setting, and is not pressed at first.
    Switch,
}

/// Paints a button that runs an action; its title contains the help text and the key.
pub fn action_button(
    context: KeyContext,
    action: KeyAction,
    kind: ButtonKind,
    label: &'static str,
    html: &mut Html,
) {
    html.tag("<button type=\"button\"").attribute("data-do", action.name());
    html.tag_if(kind == ButtonKind::Switch, " aria-pressed=\"false\"");
    if let Some(binding) = action.binding(context) {
        if label.chars().all(|c| !c.is_alphabetic()) {
            html.attribute("aria-label", &capital(binding.short));
        }
        let key = binding.keys().next().map(|key| format!(" ({key})"));
        let title = capital(binding.long) + &key.unwrap_or_default();
        html.attribute("title", &title);
    }
    html.tag(">").tag(label).tag("</button>\n");
}

/// Capitalizes a label.
fn capital(label: &str) -> String {
    let mut letters = label.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use unspool_testkit::markup::check_vocabulary;

    use super::*;
    use crate::keys::bindings;

    #[test]
    fn the_help_of_every_context_has_every_key_once() {
        for context in KeyContext::ALL {
            let mut html = Html::new();
            key_help(context, &mut html);
            let help = html.as_str();
            check_vocabulary(help);
            for binding in bindings(context) {
                let action = format!("data-action=\"{}\"", binding.action.name());
                assert_eq!(help.matches(&action).count(), 1, "{context:?}: {action}");
                for key in binding.keys() {
                    let mut quoted = Html::new();
                    quoted.attribute("data-key", key.as_str());
                    assert_eq!(help.matches(quoted.as_str()).count(), 1, "{key}");
                }
            }
        }
    }

    #[test]
    fn a_button_says_its_key() {
        let painted = |action, kind, label| {
            let mut html = Html::new();
            action_button(KeyContext::Export, action, kind, label, &mut html);
            html.as_str().to_owned()
        };
        assert_eq!(
            painted(KeyAction::Theme, ButtonKind::Once, "Theme"),
            "<button type=\"button\" data-do=\"theme\" title=\"Light or dark (t)\">Theme</button>\n"
        );
        assert_eq!(
            painted(KeyAction::Help, ButtonKind::Once, "?"),
            "<button type=\"button\" data-do=\"help\" aria-label=\"Keys\" title=\"These keys (?)\">?</button>\n"
        );
        let unfold = painted(KeyAction::Unfold, ButtonKind::Switch, "Unfold");
        assert!(unfold.contains("aria-pressed=\"false\""), "{unfold}");
    }
}
