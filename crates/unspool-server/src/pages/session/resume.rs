//! The command that goes on with a session.

use unspool_engine::ops::transcript::Transcript;

/// Returns the command for a shell: into the session's folder, then the client.
pub(super) fn resume_command(shown: &Transcript<'_>) -> String {
    command(shown.cwd().as_deref(), shown.session.id.as_str())
}

fn command(folder: Option<&str>, id: &str) -> String {
    let resume = format!("claude --resume {}", quoted(id));
    // A name that a shell line cannot hold is left out, and the reader goes there by hand.
    match folder.filter(|folder| !folder.chars().any(char::is_control)) {
        Some(folder) => format!("cd {} && {resume}", quoted(folder)),
        None => resume,
    }
}

/// Quotes a text for a shell.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_one_word_of_the_command() {
        assert_eq!(
            command(Some("/srv/demo"), "s1"),
            "cd /srv/demo && claude --resume s1"
        );
        assert_eq!(
            command(Some("/srv/it's; rm -rf ~"), "s1"),
            r"cd '/srv/it'\''s; rm -rf ~' && claude --resume s1"
        );
        assert_eq!(command(Some("/srv/a\nb"), "s1"), "claude --resume s1");
        assert_eq!(command(None, "a b"), "claude --resume 'a b'");
    }
}
