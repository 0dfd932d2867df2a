//! A plan as one line for a shell.

use super::ResumePlan;

/// Returns a plan as a line for a shell: `cd` to the folder, then the client.
pub fn shell_line(plan: &ResumePlan, program: &[&str]) -> String {
    let variable = plan.home.variable().map(|(name, home)| match home {
        Some(home) => format!("{name}={}", shell_word(&home.display().to_string())),
        None => format!("env -u {name}"),
    });
    let mut words: Vec<String> = variable.into_iter().collect();
    let arguments = plan.arguments.iter().map(String::as_str);
    words.extend(program.iter().copied().chain(arguments).map(shell_word));
    let command = words.join(" ");
    let folder = plan.folder.as_ref().map(|it| it.display().to_string());
    // A path with control characters is left out: the user must change to the folder by hand.
    match folder.filter(|folder| !folder.chars().any(char::is_control)) {
        Some(folder) => format!("cd {} && {command}", shell_word(&folder)),
        None => command,
    }
}

/// Quotes a text for a shell, if necessary.
pub fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use unspool_model::ids::SessionId;

    use super::super::HomeNaming;
    use super::*;

    fn line(folder: Option<&str>, id: &str, home: HomeNaming) -> String {
        let plan = ResumePlan {
            session: SessionId::new(id),
            log: PathBuf::new(),
            folder: folder.map(PathBuf::from),
            arguments: vec!["--resume".to_owned(), id.to_owned()],
            home,
            obstacle: None,
            remarks: Vec::new(),
        };
        plan.shell_line(&["claude"])
    }

    #[test]
    fn a_folder_is_one_word_of_the_line() {
        for (folder, id, expected) in [
            (Some("/srv/demo"), "s1", "cd /srv/demo && claude --resume s1"),
            (
                Some("/srv/it's; rm -rf ~"),
                "s1",
                r"cd '/srv/it'\''s; rm -rf ~' && claude --resume s1",
            ),
            (Some("/srv/a\nb"), "s1", "claude --resume s1"),
            (None, "a b", "claude --resume 'a b'"),
        ] {
            assert_eq!(line(folder, id, HomeNaming::AsIs), expected);
        }
    }

    #[test]
    fn a_home_is_named_or_unnamed_for_the_client_alone() {
        for (home, expected) in [
            (
                HomeNaming::Named("/x y".into()),
                "cd /a && CLAUDE_CONFIG_DIR='/x y' claude --resume s",
            ),
            (HomeNaming::Unnamed, "cd /a && env -u CLAUDE_CONFIG_DIR claude --resume s"),
        ] {
            assert_eq!(line(Some("/a"), "s", home), expected);
        }
    }
}
