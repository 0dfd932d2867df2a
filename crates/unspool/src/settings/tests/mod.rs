//! The precedence of flags, environment and file, and the errors of wrong files.

mod driving;
mod resolving;
mod wrong;

use super::*;

const PATH: &str = "/home/me/.config/unspool/config.toml";

fn parse(text: &str) -> Result<FileSettings, SettingsError> {
    FileSettings::parse(text.as_bytes(), Path::new(PATH), Some(Path::new("/home/me")))
}

#[test]
fn paths_are_shown_with_a_tilde() {
    let home = Some(Path::new("/home/me"));
    for (path, expected) in
        [("/home/me", "~"), ("/home/me/x", "~/x"), ("/home/meadow", "/home/meadow"), ("/x", "/x")]
    {
        assert_eq!(shown(Path::new(path), home), expected);
    }
    assert_eq!(shown(Path::new("/x"), None), "/x");
}
