//! Finds the project of a session, by its path on disk.
//!
//! A project is a folder of a home, and the name of that folder loses information: `a_b` and `a-b`
//! share one, and it is not a path. The paths are in the logs. If a session began in the folder
//! that its project is named after, its log has the path; for others (a moved log, an agent without
//! its session) the project's other sessions determine it.

use std::collections::HashMap;

use unspool_model::ids::ProjectId;
use unspool_model::path_name::{FolderMatch, matches_folder};

use super::SessionMeta;
use super::known::compare_sessions;

/// Returns the path of each session's project; the name of its folder if the path is unknown, and
/// `None` for a file without a project and a path.
pub(super) fn paths(sessions: &[&SessionMeta]) -> Vec<Option<String>> {
    let own: Vec<ProjectClaim<'_>> = sessions.iter().copied().map(ProjectClaim::new).collect();
    let mut best: HashMap<&ProjectId, &ProjectClaim<'_>> = HashMap::new();
    for claim in own.iter().filter(|claim| claim.path.is_some()) {
        let Some(project) = &claim.session.project else {
            continue;
        };
        let known = best.entry(project).or_insert(claim);
        if claim.is_better_than(known) {
            *known = claim;
        }
    }
    own.iter()
        .map(|claim| {
            let project = claim.session.project.as_ref();
            let of_project = project.and_then(|project| best.get(project)).copied();
            let settled = match of_project {
                Some(best) if claim.path.is_none() || best.named_after && !claim.named_after => {
                    best.path
                }
                _ => claim.path,
            };
            settled.or(project.map(ProjectId::as_str)).map(str::to_owned)
        })
        .collect()
}

/// The path of a project according to one session.
struct ProjectClaim<'a> {
    session: &'a SessionMeta,
    path: Option<&'a str>,
    /// Whether the project's folder is named after the path.
    named_after: bool,
}

impl<'a> ProjectClaim<'a> {
    fn new(session: &'a SessionMeta) -> Self {
        let path = session.cwd.as_deref();
        let named_after = match (path, &session.project) {
            (Some(path), Some(project)) => {
                matches_folder(path, project.as_str()) != FolderMatch::No
            }
            _ => false,
        };
        Self { session, path, named_after }
    }

    fn is_better_than(&self, other: &Self) -> bool {
        if self.named_after != other.named_after {
            return self.named_after;
        }
        compare_sessions(self.session, other.session).is_lt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unspool_model::ids::SessionId;

    fn session(id: &str, project: Option<&str>, cwd: Option<&str>) -> SessionMeta {
        SessionMeta {
            id: SessionId::new(id),
            home: None,
            project: project.map(ProjectId::new),
            cwd: cwd.map(str::to_owned),
            title: None,
            started: None,
            bytes: 0,
            agents: 0,
            selected: true,
        }
    }

    #[test]
    fn a_project_is_called_by_its_path() {
        let sessions = [
            session("1", Some("-srv-a-b"), Some("/srv/a_b")),
            session("2", Some("-srv-a-b"), Some("/srv/a-b")),
            session("3", Some("-srv-a-b"), Some("/tmp/elsewhere")),
            session("4", Some("-srv-a-b"), None),
            session("5", Some("-srv-gone"), None),
            session("6", Some("custom"), Some("/srv/one")),
            session("7", Some("custom"), Some("/srv/two")),
            session("8", Some("custom"), None),
            session("9", None, Some("/srv/outside")),
            session("a", None, None),
        ];
        let expected = [
            Some("/srv/a_b"),
            Some("/srv/a-b"),
            Some("/srv/a_b"),
            Some("/srv/a_b"),
            Some("-srv-gone"),
            Some("/srv/one"),
            Some("/srv/two"),
            Some("/srv/one"),
            Some("/srv/outside"),
            None,
        ];
        let mut order: Vec<_> = sessions.iter().collect();
        let found = paths(&order);
        let found: Vec<_> = found.iter().map(Option::as_deref).collect();
        assert_eq!(found, expected);
        order.reverse();
        let mut found = paths(&order);
        found.reverse();
        let found: Vec<_> = found.iter().map(Option::as_deref).collect();
        assert_eq!(found, expected, "in the other order");
    }
}
