//! Opens a file with the user's program: one of `BROWSER`, else the system's opener.

pub(crate) mod browser;

use std::path::Path;
use std::process::{Command, Stdio};

use crate::settings::Settings;

/// The system's program that opens files.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

/// The result of opening a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OpenedFile {
    /// A program was started.
    Started,
    /// There is no screen: the user came over SSH, or there is no display.
    NoScreen,
    /// No program opens files.
    NoProgram,
}

/// Opens a file, unless there is no screen.
pub(crate) fn open(path: &Path, settings: &Settings) -> OpenedFile {
    if !settings.has_screen {
        return OpenedFile::NoScreen;
    }
    let chosen = settings.browsers.iter().filter_map(|line| command(line, path));
    let usual = || command(OPENER, path);
    for mut command in chosen.chain(usual()) {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if command.spawn().is_ok() {
            return OpenedFile::Started;
        }
    }
    OpenedFile::NoProgram
}

/// Parses a line of `BROWSER` as a command: the file replaces `%s`, else it is the last argument.
fn command(line: &str, path: &Path) -> Option<Command> {
    let mut words = line.split_whitespace();
    let mut command = Command::new(words.next()?);
    let mut is_named = false;
    for word in words {
        if word == "%s" {
            command.arg(path);
            is_named = true;
        } else {
            command.arg(word);
        }
    }
    if !is_named {
        command.arg(path);
    }
    Some(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_goes_where_the_browser_wants_it() {
        let made = |line: &str| {
            let command = command(line, Path::new("/tmp/a b.html"))?;
            let arguments = command.get_args().map(|it| it.to_string_lossy());
            Some(arguments.collect::<Vec<_>>().join("|"))
        };
        assert_eq!(made("firefox").as_deref(), Some("/tmp/a b.html"));
        let named = made("w3m %s -o colour=0");
        assert_eq!(named.as_deref(), Some("/tmp/a b.html|-o|colour=0"));
        assert_eq!(made("  "), None);
    }
}
