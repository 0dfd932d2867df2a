//! Paths as people read them: relative to the folder of the session.

/// The folder that a session began in; `None` if the log does not say.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct StartFolder(Option<String>);

impl StartFolder {
    /// Creates a folder from its path in the log. A root is ignored, since it shortens no path.
    pub fn new(path: Option<String>) -> Self {
        let path = path.map(|path| path.trim_end_matches(['/', '\\']).to_owned());
        Self(path.filter(|path| !path.is_empty()))
    }

    /// Returns a path relative to the folder; a path that leads elsewhere is returned unchanged.
    pub fn shorten<'p>(&self, path: &'p str) -> &'p str {
        let rest = self.0.as_ref().and_then(|folder| path.strip_prefix(folder));
        match rest {
            Some("") => ".",
            Some(rest) => match rest.strip_prefix(['/', '\\']) {
                Some("") => ".",
                Some(rest) => rest,
                None => path,
            },
            None => path,
        }
    }

    /// Returns a command without a leading `cd` into the folder.
    pub fn without_cd<'c>(&self, command: &'c str) -> &'c str {
        let Some(folder) = &self.0 else {
            return command;
        };
        let place = command.trim_start().strip_prefix("cd ").map(str::trim_start);
        let rest = ["", "\"", "'"].into_iter().find_map(|quote| {
            let rest = place?.strip_prefix(quote)?.strip_prefix(folder.as_str())?;
            let rest = rest.strip_prefix('/').unwrap_or(rest);
            let rest = rest.strip_prefix(quote)?.trim_start();
            let rest = rest.strip_prefix("&&").or_else(|| rest.strip_prefix(';'))?;
            Some(rest.trim_start()).filter(|rest| !matches!(*rest, "" | "…"))
        });
        rest.unwrap_or(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_inside_the_folder_are_relative() {
        let folder = StartFolder::new(Some("/home/dev/app/".to_owned()));
        for (path, expected) in [
            ("/home/dev/app/src/a.rs", "src/a.rs"),
            ("/home/dev/app", "."),
            ("/home/dev/app/", "."),
            ("/home/dev/application", "/home/dev/application"),
            ("/etc/hosts", "/etc/hosts"),
            ("src/a.rs", "src/a.rs"),
        ] {
            assert_eq!(folder.shorten(path), expected);
        }
        let windows = StartFolder::new(Some("C:\\work".to_owned()));
        assert_eq!(windows.shorten("C:\\work\\a.rs"), "a.rs");
        for root in [None, Some("/"), Some("")] {
            let folder = StartFolder::new(root.map(str::to_owned));
            assert_eq!(folder.shorten("/a"), "/a");
            assert_eq!(folder.without_cd("cd / && ls"), "cd / && ls");
        }
    }

    #[test]
    fn commands_lose_the_way_into_the_folder() {
        let folder = StartFolder::new(Some("/home/dev/app".to_owned()));
        for (command, expected) in [
            ("cd /home/dev/app && cargo test", "cargo test"),
            ("cd \"/home/dev/app/\" ; ls", "ls"),
            ("cd /home/dev/app/sub && ls", "cd /home/dev/app/sub && ls"),
            ("cd /home/dev/app", "cd /home/dev/app"),
            ("ls", "ls"),
        ] {
            assert_eq!(folder.without_cd(command), expected);
        }
    }
}
