//! Patterns for names and paths, as people type them.

use std::borrow::Cow;
use std::path::Path;

use unspool_model::ids::ProjectId;
use unspool_model::path_name::nfc;

use super::here::plain;
use crate::rows::{SessionRow, last_part};

/// A name or path to match: whole, in part, or as a glob with `*` and `?`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamePattern {
    asked: String,
    folded: String,
    shape: PatternShape,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PatternShape {
    Text,
    Glob,
}

/// How well a pattern matches a name; a better match is greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum PatternFit {
    /// The pattern matches a part of the path around the name.
    Inside,
    /// The pattern matches a part of the name.
    Part,
    /// The pattern matches the whole name.
    Whole,
}

impl NamePattern {
    /// Makes a pattern from a name or a path as typed.
    pub fn new(asked: impl Into<String>) -> Self {
        let asked = asked.into();
        let folded = fold(&asked).into_owned();
        let trimmed = folded.trim_end_matches('/');
        let folded = if trimmed.is_empty() { &folded } else { trimmed }.to_owned();
        let shape =
            if folded.contains(['*', '?']) { PatternShape::Glob } else { PatternShape::Text };
        Self { asked, folded, shape }
    }

    /// Makes a pattern from a path as typed. A path that begins with `~` is in the user's home
    /// folder, one that begins with `.` or `..` is relative to `here`; anything else is a name.
    pub fn path(asked: &str, here: &Path, user_home: Option<&Path>) -> Self {
        let first = asked.split('/').next().unwrap_or_default();
        let meant = match (first, user_home) {
            ("~", Some(home)) => plain(home, asked[1..].trim_start_matches('/')),
            ("." | "..", _) => plain(here, asked),
            _ => return Self::new(asked),
        };
        Self { asked: asked.to_owned(), ..Self::new(meant.to_string_lossy()) }
    }

    /// Returns the text as typed.
    pub fn asked(&self) -> &str {
        &self.asked
    }

    /// Matches the whole of a name.
    pub(super) fn whole(&self, name: &str) -> Option<PatternFit> {
        self.is(&fold(name)).then_some(PatternFit::Whole)
    }

    /// Matches a name or a part of it.
    pub(super) fn part(&self, name: &str) -> Option<PatternFit> {
        let name = fold(name);
        if self.is(&name) {
            Some(PatternFit::Whole)
        } else {
            self.in_text(&name).then_some(PatternFit::Part)
        }
    }

    /// Matches the project of a row: its id, the folders that the session was in, and the last
    /// parts of these.
    pub(super) fn project(&self, row: &SessionRow) -> Option<PatternFit> {
        let folder = row.project.as_ref().map(ProjectId::as_str);
        let parts = || row.cwds().map(last_part).chain([row.project_name()]);
        let names = || folder.into_iter().chain(row.cwds()).chain(parts()).map(fold);
        if names().any(|name| self.is(&name)) {
            return Some(PatternFit::Whole);
        }
        if row.cwd.is_some() && parts().any(|part| self.in_text(&fold(part))) {
            return Some(PatternFit::Part);
        }
        names().any(|name| self.in_text(&name)).then_some(PatternFit::Inside)
    }

    /// Matches a folder that a session was in: its path or its last part.
    pub(super) fn folder(&self, path: &str) -> Option<PatternFit> {
        let (path, name) = (fold(path), fold(last_part(path)));
        if self.is(path.trim_end_matches('/')) || self.is(&name) {
            Some(PatternFit::Whole)
        } else if self.in_text(&name) {
            Some(PatternFit::Part)
        } else {
            self.in_text(&path).then_some(PatternFit::Inside)
        }
    }

    /// Matches the path of a file: all of it, its last parts, or any part.
    pub(super) fn file(&self, path: &str) -> Option<PatternFit> {
        let path = fold(path);
        let is_end = match self.shape {
            PatternShape::Text => {
                path.strip_suffix(&self.folded).is_some_and(|before| before.ends_with('/'))
            }
            PatternShape::Glob => glob(&format!("*/{}", self.folded), &path),
        };
        if is_end || self.is(&path) {
            return Some(PatternFit::Whole);
        }
        if self.in_text(last_part(&path)) {
            return Some(PatternFit::Part);
        }
        self.in_text(&path).then_some(PatternFit::Inside)
    }

    fn is(&self, folded: &str) -> bool {
        match self.shape {
            PatternShape::Text => folded == self.folded,
            PatternShape::Glob => glob(&self.folded, folded),
        }
    }

    fn in_text(&self, folded: &str) -> bool {
        self.shape == PatternShape::Text && folded.contains(&self.folded)
    }
}

/// Normalises a text for comparison: lower case, composed, with `/` as the only separator.
fn fold(text: &str) -> Cow<'_, str> {
    let changes = |c: char| c.is_uppercase() || c == '\\' || !c.is_ascii();
    if !text.contains(changes) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(nfc(&text.to_lowercase().replace('\\', "/")).into_owned())
}

/// Matches a text with a pattern in which `*` matches any text and `?` one character.
fn glob(pattern: &str, text: &str) -> bool {
    let (p, t) = (pattern.as_bytes(), text.as_bytes());
    let (mut at_p, mut at_t) = (0, 0);
    // Where to continue after a mismatch: after the last star, one character further in the text.
    let mut retry: Option<(usize, usize)> = None;
    let next = |at: usize| at + text[at..].chars().next().map_or(1, char::len_utf8);
    while at_t < t.len() {
        match p.get(at_p) {
            Some(b'*') => {
                at_p += 1;
                retry = Some((at_p, at_t));
            }
            Some(b'?') => {
                at_p += 1;
                at_t = next(at_t);
            }
            Some(&byte) if byte == t[at_t] => {
                at_p += 1;
                at_t += 1;
            }
            _ => {
                let Some((following, from)) = retry else {
                    return false;
                };
                at_p = following;
                at_t = next(from);
                retry = Some((following, at_t));
            }
        }
    }
    p[at_p..].iter().all(|&byte| byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs() {
        for (pattern, text, expected) in [
            ("", "", true),
            ("*", "", true),
            ("*", "a/b", true),
            ("a*", "abc", true),
            ("a*c", "abcbc", true),
            ("a*c", "abcb", false),
            ("?", "é", true),
            ("?", "éa", false),
            ("*é?", "aéxéb", true),
            ("a?c", "ac", false),
            ("*.rs", "src/main.rs", true),
            ("a**b", "ab", true),
            ("a", "ab", false),
        ] {
            assert_eq!(glob(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn many_stars_take_no_time() {
        let text = "a".repeat(5000);
        let pattern = format!("{}b", "a*".repeat(200));
        assert!(!glob(&pattern, &text));
    }

    #[test]
    fn files_fit_by_their_end_before_any_part() {
        use PatternFit::{Inside, Part, Whole};
        for (asked, path, expected) in [
            ("/srv/a/main.rs", "/srv/a/main.rs", Some(Whole)),
            ("main.rs", "/srv/a/main.rs", Some(Whole)),
            ("A/Main.rs", "/srv/a/main.rs", Some(Whole)),
            ("main.rs", "/srv/a/domain.rs", Some(Part)),
            ("main", "/srv/a/main.rs", Some(Part)),
            ("srv/", "/srv/a/main.rs", Some(Inside)),
            ("*.rs", "/srv/a/main.rs", Some(Whole)),
            ("a/*.rs", "/srv/a/main.rs", Some(Whole)),
            ("a/*.rs", "/srv/ba/main.rs", None),
            ("main.rs", r"C:\src\main.rs", Some(Whole)),
            (r"src\main.rs", r"C:\src\main.rs", Some(Whole)),
            ("lib.rs", "/srv/a/main.rs", None),
        ] {
            assert_eq!(NamePattern::new(asked).file(path), expected, "{asked} {path}");
        }
    }

    #[test]
    fn paths_may_begin_where_the_person_is() {
        let meant = |asked: &str| {
            let home = Some(Path::new("/home/dev"));
            NamePattern::path(asked, Path::new("/srv/demo"), home).folded
        };
        for (asked, expected) in [
            (".", "/srv/demo"),
            ("./", "/srv/demo"),
            ("./src/a.rs", "/srv/demo/src/a.rs"),
            ("../other", "/srv/other"),
            ("~", "/home/dev"),
            ("~/x", "/home/dev/x"),
            ("~x", "~x"),
            (".config", ".config"),
            ("src/a.rs", "src/a.rs"),
            ("/", "/"),
        ] {
            assert_eq!(meant(asked), expected, "{asked}");
        }
        let alone = NamePattern::path("~/x", Path::new("/srv"), None);
        assert_eq!((alone.folded.as_str(), alone.asked()), ("~/x", "~/x"));
    }

    #[test]
    fn names_fit_whole_or_in_part() {
        for (asked, name, whole, part) in [
            ("main", "Main", true, true),
            ("main", "maintenance", false, true),
            ("feature/*", "feature/x", true, true),
            ("opus", "claude-opus-4", false, true),
            ("Ä", "a\u{308}", true, true),
        ] {
            let pattern = NamePattern::new(asked);
            assert_eq!(pattern.whole(name).is_some(), whole, "{asked} {name}");
            assert_eq!(pattern.part(name).is_some(), part, "{asked} {name}");
        }
    }
}
