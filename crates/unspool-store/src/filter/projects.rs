//! Selects the projects of homes that match a name.

use super::pattern::{NamePattern, PatternFit};
use crate::home::{Discovery, Project, folders_of};

/// Keeps the projects of homes that match a name best, by their ids or by the folders that their
/// sessions began in.
pub fn only_projects(found: &[Discovery], asked: &NamePattern) -> Vec<Discovery> {
    let projects = || found.iter().flat_map(|home| &home.projects);
    let fits: Vec<Option<PatternFit>> = projects().map(|project| fit(project, asked)).collect();
    let best = fits.iter().max().copied().flatten();
    let mut fits = fits.into_iter();
    let narrowed = found.iter().map(|home| {
        let mut fitting = || fits.next().flatten();
        let kept = home.projects.iter().filter(|_| best.is_some() && fitting() == best);
        Discovery {
            home: home.home.clone(),
            projects: kept.cloned().collect(),
            foreign: Vec::new(),
            problems: Vec::new(),
        }
    });
    narrowed.collect()
}

fn fit(project: &Project, asked: &NamePattern) -> Option<PatternFit> {
    let ids = std::iter::once(&project.id).chain(&project.aliases);
    let by_id = ids.filter_map(|id| match asked.part(id.as_str()) {
        // A part of an encoded name may belong to any parent of the folder.
        Some(PatternFit::Part) => Some(PatternFit::Inside),
        other => other,
    });
    let by_folder = folders_of(project).filter_map(|folder| asked.folder(&folder));
    by_id.max().max(by_folder.max())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use unspool_testkit::TestHome;

    use super::*;
    use crate::home::{Home, discover_all};

    fn kept(home: &TestHome, asked: &str) -> Vec<String> {
        let found = discover_all(&[Home::new(home.path())]);
        let asked = NamePattern::path(asked, Path::new("/srv/app"), None);
        let kept = only_projects(&found, &asked);
        let projects = kept.iter().flat_map(|home| &home.projects);
        projects.map(|project| project.id.to_string()).collect()
    }

    #[test]
    fn the_best_fit_counts() {
        let home = TestHome::new();
        for (number, cwd) in (1..).zip(["/srv/app", "/srv/app-old", "/home/app/x"]) {
            let id = format!("{number}1111111-1111-4111-8111-111111111111");
            let notation = format!("%cwd {cwd}\nu1 user \"hello\"\n");
            home.add_session(cwd, &id, unspool_testkit::session(&notation));
        }
        for (asked, expected) in [
            ("app", &["-srv-app"][..]),
            (".", &["-srv-app"]),
            ("-srv-app-old", &["-srv-app-old"]),
            ("/home/app/x", &["-home-app-x"]),
            ("old", &["-srv-app-old"]),
            ("srv", &["-srv-app", "-srv-app-old"]),
            ("nothing", &[]),
        ] {
            assert_eq!(kept(&home, asked), expected, "{asked}");
        }
    }
}
