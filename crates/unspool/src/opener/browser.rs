//! Opening the browser.
//!
//! The link is handed over in a file that only its owner may read, not on a command line, which
//! every user of the machine can see.

use std::io::Write as _;

use anyhow::{Context as _, Result};
use tempfile::TempPath;
use unspool_text::html::Html;

use super::OpenedFile;
use crate::settings::Settings;
use crate::ui::Ui;

/// Opens the browser at an address, and says where it cannot. The file that leads there exists as long
/// as the value.
pub(crate) fn open(url: &str, settings: &Settings, ui: &Ui) -> Result<Option<TempPath>> {
    if !settings.has_screen {
        ui.note("there is no screen to open a browser on; open the address yourself");
        return Ok(None);
    }
    let (path, opened) = start(url, settings)?;
    if !opened {
        ui.note("no program opens the browser; open the address yourself");
    }
    Ok(Some(path))
}

/// Starts the program that opens the browser at an address, and tells whether there is one. The file that
/// leads there exists as long as the first value.
#[expect(clippy::disallowed_methods, reason = "a file that the browser reads")]
pub(crate) fn start(url: &str, settings: &Settings) -> Result<(TempPath, bool)> {
    let mut html = Html::new();
    html.tag("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    html.tag("<meta name=\"referrer\" content=\"no-referrer\">\n");
    html.tag("<meta http-equiv=\"refresh\"").attribute("content", &format!("0; url={url}"));
    html.tag(">\n<title>unspool</title>\n</head>\n<body>\n<p><a").attribute("href", url);
    html.tag(">Go to unspool</a></p>\n</body>\n</html>\n");
    // Such files are made for their owner alone.
    let mut file = tempfile::Builder::new()
        .prefix("unspool-")
        .suffix(".html")
        .tempfile()
        .context("no file for the browser can be made")?;
    file.write_all(html.as_str().as_bytes())?;
    let path = file.into_temp_path();
    let opened = super::open(&path, settings) != OpenedFile::NoProgram;
    Ok((path, opened))
}
