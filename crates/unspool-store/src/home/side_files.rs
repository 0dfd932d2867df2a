//! Finds the side files of a session.

use std::fs;
use std::path::{Path, PathBuf};

use unspool_model::ids::SessionId;

use super::Home;
use super::layout::{Contents, DEBUG, FOLDERS, OF_AGENT, PLANS, SideKind, TODOS, TOOL_RESULTS};
use super::list::{ItemKind, list};
use crate::files;

/// How many levels of a folder of side files are searched.
const MAX_DEPTH: usize = 4;
/// How many names of one folder of side files are examined.
const MAX_NAMES: usize = 20_000;

/// One side file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SideFile {
    /// Its kind.
    pub kind: SideKind,
    /// Its path.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
}

/// Lists the side files of a session, sorted by kind and path.
///
/// `folder` contains the main log; only this folder is searched if the log is in no home. `plans`
/// names the session's plans, each by its slug or by the path that an entry recorded. Ids, slugs
/// and links that lead out of the home find nothing.
pub fn side_files(
    home: Option<&Home>,
    folder: &Path,
    session: &SessionId,
    plans: &[&str],
) -> Vec<SideFile> {
    let mut found = Vec::new();
    let Some(id) = single(session.as_str()) else {
        return found;
    };
    if let Some(home) = home.and_then(|home| FolderGuard::new(&home.root)) {
        for folder in FOLDERS.iter().filter(|folder| folder.contents == Contents::Folders) {
            let files =
                folder.kind.map(|kind| home.tree(kind, &home.root.join(folder.name).join(id)));
            found.extend(files.into_iter().flatten().filter(is_shown));
        }
        found.extend(todos(&home, id));
        found.extend(plans.iter().filter_map(|plan| home.plan(plan)));
        let debug = home.root.join(DEBUG).join(format!("{id}.txt"));
        found.extend(home.file(SideKind::Debug, &debug));
    }
    // A project's folder may itself be a link; nothing outside of its target is listed.
    if let Some(place) = FolderGuard::new(folder) {
        let spilled = folder.join(id).join(TOOL_RESULTS);
        found.extend(place.tree(SideKind::ToolResults, &spilled));
    }
    found.sort_by(|a, b| a.kind.cmp(&b.kind).then_with(|| a.path.cmp(&b.path)));
    found.dedup();
    found
}

/// Finds the file of a plan that a log names.
pub fn plan_file(home: &Home, plan: &str) -> Option<PathBuf> {
    let found = FolderGuard::new(&home.root)?.plan(plan)?;
    Some(found.path)
}

/// Finds the file of a spilled output, by the path that an entry recorded.
///
/// The recorded path is from another time or machine, so only its end counts: the part after
/// `tool-results`, or else the last name.
pub fn resolve_spilled(session_dir: &Path, recorded_path: &str) -> Option<PathBuf> {
    let place = FolderGuard::new(session_dir)?;
    let folder = session_dir.join(TOOL_RESULTS);
    let names: Vec<&str> = recorded_path.split(['/', '\\']).collect();
    let below = names.iter().rposition(|&name| name == TOOL_RESULTS).map(|at| &names[at + 1..]);
    let whole = below.and_then(|names| {
        let safe = !names.is_empty() && names.iter().all(|name| single(name).is_some());
        safe.then(|| folder.join(names.iter().collect::<PathBuf>()))
    });
    let bare = last_name(recorded_path).map(|name| folder.join(name));
    let inside = |path: &PathBuf| place.file(SideKind::ToolResults, path).is_some();
    whole.into_iter().chain(bare).find(inside)
}

/// Returns the last name of a Unix or Windows path, if it is a plain name.
fn last_name(path: &str) -> Option<&str> {
    path.rsplit(['/', '\\']).next().and_then(single)
}

/// Returns the text if it is a plain name, which cannot lead out of a folder.
fn single(text: &str) -> Option<&str> {
    let foreign = if cfg!(windows) { &['/', '\\', '\0', ':'][..] } else { &['/', '\\', '\0'] };
    let plain = !matches!(text, "" | "." | "..") && !text.contains(foreign);
    plain.then_some(text)
}

/// Returns whether a file is listed; marker files of the task tools are not.
fn is_shown(file: &SideFile) -> bool {
    file.kind != SideKind::Tasks || file.path.extension().is_some_and(|ending| ending == "json")
}

fn todos(home: &FolderGuard, id: &str) -> Vec<SideFile> {
    let folder = home.root.join(TODOS);
    if !home.contains(&folder) {
        return Vec::new();
    }
    list(&folder, &mut Vec::new())
        .into_iter()
        .filter(|item| {
            let name = item.name.to_string_lossy();
            name.strip_suffix(".json")
                .and_then(|stem| stem.strip_prefix(id))
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(OF_AGENT))
        })
        .filter_map(|item| home.file(SideKind::Todos, &item.path))
        .collect()
}

/// A folder that returns only files inside of it, with links resolved.
struct FolderGuard {
    root: PathBuf,
    real: PathBuf,
}

impl FolderGuard {
    fn new(root: &Path) -> Option<Self> {
        let real = fs::canonicalize(root).ok()?;
        let root = root.to_path_buf();
        Some(Self { root, real })
    }

    fn contains(&self, path: &Path) -> bool {
        files::canonical(path).is_ok_and(|path| path.starts_with(&self.real))
    }

    fn file(&self, kind: SideKind, path: &Path) -> Option<SideFile> {
        let look = files::look(path).ok()?;
        (look.is_file() && self.contains(path)).then(|| SideFile {
            kind,
            path: path.to_path_buf(),
            bytes: look.stamp.bytes,
        })
    }

    fn plan(&self, plan: &str) -> Option<SideFile> {
        let name = last_name(plan)?;
        let slug = name.strip_suffix(".md").unwrap_or(name);
        let path = self.root.join(PLANS).join(format!("{slug}.md"));
        self.file(SideKind::Plan, &path)
    }

    /// Lists the files below a folder. Links to folders are not followed; the folder itself may be
    /// a link that stays inside.
    fn tree(&self, kind: SideKind, folder: &Path) -> Vec<SideFile> {
        let mut found = Vec::new();
        if !self.contains(folder) {
            return found;
        }
        let mut left = MAX_NAMES;
        let mut open = vec![(folder.to_path_buf(), 1)];
        while let Some((folder, depth)) = open.pop() {
            for item in list(&folder, &mut Vec::new()) {
                if left == 0 {
                    return found;
                }
                left -= 1;
                match item.kind {
                    ItemKind::File => found.extend(self.file(kind, &item.path)),
                    ItemKind::Folder if !item.linked && depth < MAX_DEPTH => {
                        open.push((item.path, depth + 1));
                    }
                    ItemKind::Folder | ItemKind::Other => {}
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::home::testing::HomeFixture;

    fn found(at: &HomeFixture, session: &str, plans: &[&str]) -> Vec<(&'static str, String)> {
        let folder = at.path("projects/p");
        let files = side_files(Some(&at.home()), &folder, &SessionId::new(session), plans);
        files
            .into_iter()
            .map(|file| {
                let path = file.path.strip_prefix(at.path("")).expect("inside");
                (file.kind.name(), path.to_string_lossy().replace('\\', "/"))
            })
            .collect()
    }

    #[test]
    fn every_kind_is_found() {
        let at = HomeFixture::new();
        for name in [
            "tasks/s/1.json",
            "tasks/s/.lock",
            "tasks/s/.highwatermark",
            "todos/s.json",
            "todos/s-agent-s.json",
            "todos/s2-agent-s2.json",
            "plans/calm-fox.md",
            "plans/other.md",
            "debug/s.txt",
            "file-history/s/0123456789abcdef@v1",
            "session-env/s/hook-1.sh",
            "projects/p/s/tool-results/toolu_1.txt",
            "projects/p/s/tool-results/pdf-1/page-01.jpg",
            "image-cache/s/1.png",
            "uploads/s/a.bin",
            "uploads/t/b.bin",
        ] {
            at.file(name, "xyz");
        }
        let expected = [
            ("tasks", "tasks/s/1.json"),
            ("todos", "todos/s-agent-s.json"),
            ("todos", "todos/s.json"),
            ("plan", "plans/calm-fox.md"),
            ("debug", "debug/s.txt"),
            ("file_history", "file-history/s/0123456789abcdef@v1"),
            ("session_env", "session-env/s/hook-1.sh"),
            ("tool_results", "projects/p/s/tool-results/pdf-1/page-01.jpg"),
            ("tool_results", "projects/p/s/tool-results/toolu_1.txt"),
            ("images", "image-cache/s/1.png"),
            ("uploads", "uploads/s/a.bin"),
        ]
        .map(|(kind, path)| (kind, path.to_owned()));
        for plans in [&["calm-fox"][..], &["/old/plans/calm-fox.md", "calm-fox"]] {
            assert_eq!(found(&at, "s", plans), expected);
        }
    }

    #[test]
    fn a_transcript_without_a_home_has_only_its_spilled_outputs() {
        let at = HomeFixture::new();
        at.file("s/tool-results/a.txt", "xyz");
        at.file("debug/s.txt", "xyz");
        let files = side_files(None, &at.path(""), &SessionId::new("s"), &[]);
        assert_eq!(files.len(), 1);
        assert_eq!((files[0].kind, files[0].bytes), (SideKind::ToolResults, 3));
    }

    #[test]
    fn hostile_ids_and_slugs_find_nothing() {
        let at = HomeFixture::new();
        at.folder("projects/p");
        at.folder("plans");
        at.file("secret.md", "x");
        at.file("secret/1.json", "x");
        at.file("projects/p/tool-results/x.txt", "x");
        for id in ["../secret", "..", ".", "", "/etc", "a/../../secret", "..\\secret", "a\0b"] {
            assert_eq!(found(&at, id, &["../secret", "..", ""]), [], "{id:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_home_are_not_followed() {
        let at = HomeFixture::new();
        let outside = HomeFixture::new();
        let secret = outside.file("secret.txt", "x");
        at.folder("projects/p/s");
        at.link(&secret, "debug/s.txt");
        at.link(outside.path(""), "file-history/s");
        at.link(outside.path(""), "uploads/s/link");
        at.link(&secret, "image-cache/s/1.png");
        at.link(outside.path(""), "projects/p/s/tool-results");
        assert_eq!(found(&at, "s", &[]), []);
        assert_eq!(resolve_spilled(&at.path("projects/p/s"), "secret.txt"), None);
    }

    #[test]
    fn a_spilled_output_is_found_by_the_end_of_its_recorded_path() {
        let at = HomeFixture::new();
        let flat = at.file("s/tool-results/toolu_1.txt", "x");
        let page = at.file("s/tool-results/pdf-1/page-01.jpg", "x");
        at.file("s/secret.txt", "x");
        for (recorded, expected) in [
            ("/home/u/.claude/projects/p/s/tool-results/toolu_1.txt", Some(&flat)),
            ("C:\\Users\\me\\tool-results\\toolu_1.txt", Some(&flat)),
            ("toolu_1.txt", Some(&flat)),
            ("/tmp/tasks/toolu_1.txt", Some(&flat)),
            ("/old/tool-results/pdf-1/page-01.jpg", Some(&page)),
            ("/old/tool-results/pdf-1", None),
            ("/old/tool-results/../secret.txt", None),
            ("../secret.txt", None),
            ("..", None),
            ("", None),
            ("/old/tool-results/", None),
        ] {
            let found = resolve_spilled(&at.path("s"), recorded);
            assert_eq!(found.as_ref(), expected, "{recorded}");
        }
    }
}
