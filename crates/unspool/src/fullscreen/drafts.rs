//! Drafts of prompts: one file for each session, in the data folder.
//!
//! Files are replaced atomically, so a crash leaves either the old or the new draft. If several programs
//! write a draft of one session, the last one wins.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use unspool_store::files::private::make_private;

use super::tools;

/// The folder of the drafts in the data folder.
const FOLDER: &str = "drafts";

/// Reads the draft of a session.
pub(super) fn read(state: &Path, session: &str) -> Option<String> {
    fs::read_to_string(file(state, session)).ok()
}

/// Saves the draft of a session; an empty draft is deleted.
#[expect(clippy::disallowed_methods, reason = "a draft is not a log")]
pub(super) fn save(state: &Path, session: &str, text: &str) -> io::Result<()> {
    let file = file(state, session);
    if text.is_empty() {
        return match fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
    }
    make_private(&state.join(FOLDER))?;
    tools::replace_file(&file, text)
}

/// Returns the draft file of a session. The id comes from the name of a log, which is untrusted, so all
/// bytes but letters, digits and `-` are escaped.
fn file(state: &Path, session: &str) -> PathBuf {
    let mut name = String::new();
    for byte in session.bytes() {
        if byte.is_ascii_alphanumeric() || byte == b'-' {
            name.push(char::from(byte));
        } else {
            // Writing into a string cannot fail.
            let _ = write!(name, "_{byte:02x}");
        }
    }
    state.join(FOLDER).join(name + ".txt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_comes_back_until_it_is_empty() {
        let state = tempfile::tempdir().expect("a folder");
        let kept = |session: &str| read(state.path(), session);
        save(state.path(), "one", "first\nsecond").expect("it is kept");
        save(state.path(), "two", "other").expect("it is kept");
        assert_eq!(kept("one").as_deref(), Some("first\nsecond"));
        save(state.path(), "one", "").expect("it is removed");
        save(state.path(), "one", "").expect("it is not there");
        assert_eq!(kept("one"), None);
        assert_eq!(kept("two").as_deref(), Some("other"));
    }

    #[test]
    fn no_id_leads_out_of_the_folder() {
        for id in ["..", "../x", "/etc/passwd", "a/b", "", "ü", "a_2f"] {
            let file = file(Path::new("/s"), id);
            assert_eq!(file.parent(), Some(Path::new("/s/drafts")), "{id}");
        }
        assert_ne!(
            file(Path::new("/s"), "a/b"),
            file(Path::new("/s"), "a_2fb"),
            "two ids have two files"
        );
    }
}
