//! Style sheets, scripts and icons, all written by hand, served under an address that changes with
//! their content.
//!
//! All files are in one folder, `/assets/PRINT/`, named by the fingerprint of all of them. So a script can
//! import another one by its name (`./link.js`), and a page never loads files of two versions.

use sha2::{Digest as _, Sha256};
use unspool_render::html::assets::{
    CALLS_CSS, FIND_CSS, KEYS_CSS, MESSAGES_CSS, PHONE_CSS, PROSE_CSS, SCRIPT, SHEET_CSS,
};

use crate::access::hex;

const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// The files that are served: name, media type, and the texts that are concatenated.
const SOURCES: &[(&str, &str, &[&str])] = &[
    (
        "server.css",
        CSS,
        &[
            SHEET_CSS,
            KEYS_CSS,
            include_str!("assets/frame.css"),
            include_str!("assets/marks.css"),
            include_str!("assets/drive.css"),
            include_str!("assets/cards.css"),
            include_str!("assets/run.css"),
            include_str!("assets/limits.css"),
        ],
    ),
    (
        "session.css",
        CSS,
        &[
            MESSAGES_CSS,
            PROSE_CSS,
            CALLS_CSS,
            FIND_CSS,
            PHONE_CSS,
            include_str!("assets/session/workspace.css"),
            include_str!("assets/session/edges.css"),
            include_str!("assets/session/rail.css"),
            include_str!("assets/session/panel.css"),
            include_str!("assets/session/chunks.css"),
        ],
    ),
    (
        "lists.css",
        CSS,
        &[
            PROSE_CSS,
            CALLS_CSS,
            include_str!("assets/rows.css"),
            include_str!("assets/inbox.css"),
            include_str!("assets/about.css"),
            include_str!("assets/tree.css"),
            include_str!("assets/search.css"),
            include_str!("assets/charts.css"),
            include_str!("assets/time.css"),
        ],
    ),
    ("theme.js", JS, &[include_str!("assets/theme.js")]),
    ("enter.js", JS, &[include_str!("assets/enter.js")]),
    ("frame.js", JS, &[include_str!("assets/frame.js")]),
    // The script of exported pages: folding, navigation, copying, keys.
    ("page.js", JS, &[SCRIPT]),
    ("markup.js", JS, &[include_str!("assets/markup.js")]),
    ("link.js", JS, &[include_str!("assets/link.js")]),
    ("times.js", JS, &[include_str!("assets/times.js")]),
    ("notify.js", JS, &[include_str!("assets/notify.js")]),
    ("lists.js", JS, &[include_str!("assets/lists.js")]),
    ("search.js", JS, &[include_str!("assets/search.js")]),
    ("state.js", JS, &[include_str!("assets/state.js")]),
    ("key.js", JS, &[include_str!("assets/key.js")]),
    ("complete.js", JS, &[include_str!("assets/complete.js")]),
    ("switches.js", JS, &[include_str!("assets/switches.js")]),
    ("cards.js", JS, &[include_str!("assets/cards.js")]),
    ("limits.js", JS, &[include_str!("assets/limits.js")]),
    ("plan.js", JS, &[include_str!("assets/plan.js")]),
    ("drive.js", JS, &[include_str!("assets/drive.js")]),
    ("session.js", JS, &[include_str!("assets/session/session.js")]),
    ("place.js", JS, &[include_str!("assets/session/place.js")]),
    ("chunks.js", JS, &[include_str!("assets/session/chunks.js")]),
    ("seek.js", JS, &[include_str!("assets/session/seek.js")]),
    ("rail.js", JS, &[include_str!("assets/session/rail.js")]),
    ("steps.js", JS, &[include_str!("assets/session/steps.js")]),
    ("read.js", JS, &[include_str!("assets/session/read.js")]),
    ("agents.js", JS, &[include_str!("assets/session/agents.js")]),
    ("acts.js", JS, &[include_str!("assets/session/acts.js")]),
    ("live.js", JS, &[include_str!("assets/session/live.js")]),
    ("icon.svg", SVG, &[include_str!("assets/icon.svg")]),
    ("icon-waits.svg", SVG, &[include_str!("assets/icon-waits.svg")]),
];

/// The files that pages load.
pub(crate) struct Assets {
    files: Vec<AssetFile>,
    /// The fingerprint of all files. A page that was made with another one should be reloaded.
    print: String,
}

struct AssetFile {
    name: &'static str,
    /// The URL path: `/assets/PRINT/NAME`.
    way: String,
    media_type: &'static str,
    text: String,
}

impl Assets {
    /// Concatenates the texts of each file and computes the fingerprint.
    pub(crate) fn new() -> Self {
        let mut hash = Sha256::new();
        for (name, _, texts) in SOURCES {
            hash.update(name);
            texts.iter().for_each(|text| hash.update(text));
        }
        let print = hex(&hash.finalize()[..6]);
        let file = |(name, media_type, texts): &(&'static str, &'static str, &[&str])| AssetFile {
            name,
            way: format!("/assets/{print}/{name}"),
            media_type,
            text: texts.concat(),
        };
        Self { files: SOURCES.iter().map(file).collect(), print }
    }

    /// Returns the URL path of a file.
    pub(crate) fn way(&self, name: &str) -> &str {
        let file = self.files.iter().find(|file| file.name == name);
        file.map_or("", |file| file.way.as_str())
    }

    /// Returns the media type and the text of the file at a URL path.
    pub(crate) fn at(&self, way: &str) -> Option<(&'static str, &str)> {
        let file = self.files.iter().find(|file| file.way == way)?;
        Some((file.media_type, &file.text))
    }

    /// Returns the fingerprint of all files.
    pub(crate) fn print(&self) -> &str {
        &self.print
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The XML namespace that an SVG file must declare.
    const NAMESPACE: &str = "http://www.w3.org/2000/svg";

    #[test]
    fn scripts_and_sheets_load_nothing_from_elsewhere() {
        for (name, media_type, texts) in SOURCES {
            let mut text = texts.concat();
            if *media_type == SVG {
                text = text.replace(NAMESPACE, "");
            }
            assert!(text.is_ascii(), "{name}: every encoding reads it the same way");
            for banned in
                ["http:", "https:", "@import", "innerHTML", "eval(", "document.write", "url("]
            {
                assert!(!text.contains(banned), "{name} has {banned}");
            }
        }
    }

    #[test]
    fn scripts_import_only_what_is_served() {
        let names: Vec<&str> = SOURCES.iter().map(|(name, ..)| *name).collect();
        for (name, _, texts) in SOURCES {
            for line in texts.concat().lines() {
                let Some((_, from)) = line.split_once("from \"./") else {
                    continue;
                };
                let wanted = from.split('"').next().expect("a name");
                assert!(names.contains(&wanted), "{name} imports {wanted}");
            }
        }
    }
}
