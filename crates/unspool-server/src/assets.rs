//! Style sheets and scripts, all written by hand, served under names that change with them.

use sha2::{Digest as _, Sha256};
use unspool_render::html::{MESSAGES_CSS, SHEET_CSS};

/// The sources of what is served: the name, its type, and the texts that it is made of.
const SOURCES: &[(&str, &str, &[&str])] = &[
    (
        "server.css",
        "text/css; charset=utf-8",
        &[include_str!("assets/frame.css")],
    ),
    (
        "session.css",
        "text/css; charset=utf-8",
        &[
            SHEET_CSS,
            MESSAGES_CSS,
            include_str!("assets/session/desk.css"),
            include_str!("assets/session/rail.css"),
            include_str!("assets/session/panel.css"),
            include_str!("assets/session/chunks.css"),
        ],
    ),
    (
        "server.js",
        "text/javascript; charset=utf-8",
        &[include_str!("assets/frame.js")],
    ),
];

/// The files that pages load.
pub(crate) struct Assets {
    files: Vec<AssetFile>,
    /// A print of all of them: a page that was made with others should be loaded again.
    print: String,
}

struct AssetFile {
    name: &'static str,
    /// Where it is served: `/assets/HASH/NAME`.
    way: String,
    media_type: &'static str,
    text: String,
}

impl Assets {
    /// Puts the files together.
    pub(crate) fn new() -> Self {
        let file = |(name, media_type, texts): &(&'static str, &'static str, &[&str])| {
            let text = texts.concat();
            AssetFile {
                name,
                way: format!("/assets/{}/{name}", print(text.as_bytes())),
                media_type,
                text,
            }
        };
        let files: Vec<AssetFile> = SOURCES.iter().map(file).collect();
        let ways: String = files.iter().map(|file| file.way.as_str()).collect();
        Self {
            files,
            print: print(ways.as_bytes()),
        }
    }

    /// Returns the way to a file.
    pub(crate) fn way(&self, name: &str) -> &str {
        let file = self.files.iter().find(|file| file.name == name);
        file.map_or("", |file| file.way.as_str())
    }

    /// Finds the file that is served at an address: its type and its text.
    pub(crate) fn at(&self, way: &str) -> Option<(&'static str, &str)> {
        let file = self.files.iter().find(|file| file.way == way)?;
        Some((file.media_type, &file.text))
    }

    /// Returns the print of all files.
    pub(crate) fn print(&self) -> &str {
        &self.print
    }
}

fn print(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    hash.iter()
        .take(6)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_and_sheets_load_nothing_from_elsewhere() {
        for (name, _, texts) in SOURCES {
            let text = texts.concat();
            assert!(
                text.is_ascii(),
                "{name}: every encoding reads it the same way"
            );
            for banned in [
                "http:",
                "https:",
                "@import",
                "innerHTML",
                "eval(",
                "document.write",
            ] {
                assert!(!text.contains(banned), "{name} has {banned}");
            }
        }
    }
}
