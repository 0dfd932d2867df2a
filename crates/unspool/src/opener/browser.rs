//! Opens the browser.
//!
//! The browser is started with a file that redirects to the URL and that only its owner may read: a command
//! line is visible to every user of the machine.

use std::io::Write as _;

use anyhow::{Context as _, Result};
use tempfile::TempPath;
use unspool_text::html::Html;

use super::OpenedFile;
use crate::settings::Settings;
use crate::ui::Ui;

/// Opens the browser at a URL, or prints why it cannot. The redirecting file exists until the returned
/// value is dropped.
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

/// Starts the program that opens the browser at a URL; returns the redirecting file, which is deleted when
/// dropped, and whether there is such a program.
#[expect(clippy::disallowed_methods, reason = "a file that the browser reads")]
pub(crate) fn start(url: &str, settings: &Settings) -> Result<(TempPath, bool)> {
    let mut html = Html::new();
    html.tag("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    html.tag("<meta name=\"referrer\" content=\"no-referrer\">\n");
    html.tag("<meta http-equiv=\"refresh\"").attribute("content", &format!("0; url={url}"));
    html.tag(">\n<title>unspool</title>\n</head>\n<body>\n<p><a").attribute("href", url);
    html.tag(">Go to unspool</a></p>\n</body>\n</html>\n");
    // Temporary files are readable by their owner only.
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
