//! The style sheets and scripts of pages, and the policies that allow them.
//!
//! All of them are files of this project, written by hand and put into pages unchanged. A standalone page
//! contains its own and allows them by hash; a page of a site loads the files of the site. Nothing else may
//! run or load, whatever a page contains. A server sends [`STYLE`] and [`SCRIPT`] as files: both work under a
//! policy that allows neither inline code nor markup from strings.

use std::sync::LazyLock;

use sha2::{Digest as _, Sha256};
use unspool_text::base64;
use unspool_text::html::Html;

/// The style sheet of colours, type and other basics of every page. Served pages begin with it too,
/// so that they look like exported pages.
pub const SHEET_CSS: &str = include_str!("assets/page/sheet.css");

/// The style sheet of messages.
pub const MESSAGES_CSS: &str = include_str!("assets/page/messages.css");

/// The style sheet of prose and code.
pub const PROSE_CSS: &str = include_str!("assets/page/prose.css");

/// The style sheet of calls and changes.
pub const CALLS_CSS: &str = include_str!("assets/page/calls.css");

/// The style sheet of the matches of a search in a page.
pub const FIND_CSS: &str = include_str!("assets/page/find.css");

/// The style sheet of messages and calls on a phone; it comes after theirs.
pub const PHONE_CSS: &str = include_str!("assets/page/phone.css");

/// The style sheet of keys and their help.
pub const KEYS_CSS: &str = include_str!("assets/page/keys.css");

/// The style sheet of transcripts and lists, from its files in the order in which rules override each other.
pub const STYLE: &str = concat!(
    include_str!("assets/page/sheet.css"),
    include_str!("assets/page/frame.css"),
    include_str!("assets/page/find.css"),
    include_str!("assets/page/messages.css"),
    include_str!("assets/page/prose.css"),
    include_str!("assets/page/calls.css"),
    include_str!("assets/page/site.css"),
    include_str!("assets/page/keys.css"),
    include_str!("assets/page/phone.css"),
    include_str!("assets/page/media.css"),
);
/// The script of transcripts and lists, from its files: theme, folds, search, moves, copying, changes side by
/// side, outline, keys. It is a classic script for the end of a page, or for `defer`.
///
/// It defines `window.unspool`, which `assets/script/base.js` describes: other scripts define
/// actions for keys and buttons there, and pass on markup that they put into a page. Keys come from
/// the help in the page (see [`key_help`](super::key_help)).
pub const SCRIPT: &str = concat!(
    include_str!("assets/script/base.js"),
    include_str!("assets/script/theme.js"),
    include_str!("assets/script/folds.js"),
    include_str!("assets/script/find.js"),
    include_str!("assets/script/moves.js"),
    include_str!("assets/script/copy.js"),
    include_str!("assets/script/sides.js"),
    include_str!("assets/script/outline.js"),
    include_str!("assets/script/keys.js"),
    include_str!("assets/script/start.js"),
);

/// The script of the search of a site.
pub(super) const SITE_SCRIPT: &str = include_str!("assets/site.js");

/// The policy of a self-contained page.
static ALONE: LazyLock<String> = LazyLock::new(|| {
    format!(
        "default-src 'none'; img-src data:; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    )
});

/// The policy of a page of a site, which loads the files of the site. `file:` is next to `'self'`
/// because browsers differ in what the latter means without a server.
const IN_SITE: &str = "default-src 'none'; img-src data:; style-src 'self' file:; \
     script-src 'self' file:; base-uri 'none'; form-action 'none'";

/// Where a page gets its style sheet and scripts from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AssetSource {
    /// From the page itself.
    Inside,
    /// From `assets/`, at this relative path.
    Linked(&'static str),
}

impl AssetSource {
    /// Begins a page: writes its head, with the policy and the style sheet.
    pub(super) fn head(self, title: &str, html: &mut Html) {
        html.tag("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        html.tag("<meta http-equiv=\"Content-Security-Policy\"");
        match self {
            Self::Inside => {
                html.attribute("content", &ALONE).tag(">\n<style>");
                html.tag(STYLE).tag("</style>\n");
            }
            Self::Linked(way) => {
                html.attribute("content", IN_SITE).tag(">\n");
                html.tag("<link rel=\"stylesheet\" href=\"").tag(way);
                html.tag("assets/page.css\">\n");
            }
        }
        html.tag("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        html.tag("<meta name=\"color-scheme\" content=\"light dark\">\n");
        html.tag("<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
        html.text(title).tag("</title>\n</head>\n");
    }

    /// Writes the script of a transcript at the end of a page.
    pub(super) fn script(self, html: &mut Html) {
        match self {
            Self::Inside => html.tag("<script>").tag(SCRIPT).tag("</script>\n"),
            Self::Linked(way) => {
                html.tag("<script src=\"").tag(way).tag("assets/page.js\"></script>\n")
            }
        };
    }
}

/// Returns the hash that a policy lists for a text.
fn hash(text: &str) -> String {
    format!("sha256-{}", base64::encode(&Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{KeyAction, KeyContext, bindings};

    #[test]
    fn hashes_are_those_of_the_standard() {
        assert_eq!(hash("hello world"), "sha256-uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek=");
    }

    #[test]
    fn assets_can_be_in_a_page() {
        for asset in [STYLE, SCRIPT, SITE_SCRIPT] {
            assert!(!asset.contains("</") && !asset.contains("<!--"));
            assert!(asset.is_ascii(), "every encoding reads it the same way");
            assert!(!asset.contains("http:") && !asset.contains("https:"));
            assert!(!asset.contains("url(") && !asset.contains("@import"));
            assert!(!asset.contains("innerHTML") && !asset.contains("eval("));
            assert!(!asset.contains(".style.") && !asset.contains("setAttribute(\"style"));
        }
    }

    #[test]
    fn everything_that_a_key_does_on_an_exported_page_is_defined() {
        // The browser folds the focused element, and the search of a site opens and walks its results.
        let others = [KeyAction::Fold, KeyAction::Open, KeyAction::LineDown, KeyAction::LineUp];
        let contexts = [KeyContext::Export, KeyContext::Site];
        for binding in contexts.into_iter().flat_map(bindings) {
            let name = binding.action.name();
            let (word, what) = name.split_once('-').unwrap_or((name, ""));
            let is_defined = SCRIPT.contains(&format!("define(\"{name}\""))
                || (["next", "previous"].contains(&word)
                    && SCRIPT.contains(&format!("define(word + \"{what}\"")));
            assert!(is_defined || others.contains(&binding.action), "{name}");
        }
    }
}
