//! Transcripts of many sessions as a folder that a browser can walk.
//!
//! ```text
//! index.html              projects, the newest sessions, a search over everything
//! projects/NAME.html      the sessions of a project; NAME.2.html and so on if they are many
//! sessions/…              the transcripts, written by the export
//! search/…                the words, as scripts (see `search`)
//! assets/…                one style sheet and two scripts
//! ```
//!
//! A [`SiteBuilder`] is told of all sessions first, so that each page can lead to its
//! neighbours; then it gets the words of each transcript that was written, in any order; in the
//! end it writes the lists and the search. Only sessions whose words came are listed. It works
//! from a disk without a server, and what it writes depends on nothing but what it was told.

#![expect(clippy::disallowed_methods, reason = "a site is files")]

mod pages;
mod postings;
mod search;
mod words;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use unspool_model::ids::SessionId;
use unspool_model::time::Time;
use unspool_store::rows::last_part;
use unspool_text::html::{Html, anchor};

pub(super) use self::words::WordSource;
pub use self::words::Words;

use self::search::{PlaceHeading, SearchBuilder};
use super::assets::{SCRIPT, SITE_SCRIPT, STYLE};
use super::moment::{Precision, written};

/// The page of a site that leads to all others.
pub const SITE_START: &str = "index.html";

/// What a site says of a session.
#[derive(Clone, Debug)]
pub struct SiteSession {
    /// The session.
    pub id: SessionId,
    /// The project it is in, by the path or the name that is shown; sessions of one project say
    /// the same.
    pub project: String,
    /// What it is called.
    pub title: String,
    /// When it began.
    pub started: Option<Time>,
    /// When it was last heard of.
    pub ended: Option<Time>,
    /// How many turns it has.
    pub turns: usize,
    /// How many tokens were used.
    pub tokens: u64,
    /// What that cost in US dollars.
    pub cost_usd: Option<f64>,
    /// The name of its page in [`SiteBuilder::transcripts`]: the one of its active path.
    pub file: String,
}

/// What leads from a page of a site to the others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Neighbours {
    /// The project, and the page of its list that the session is on.
    project: (String, String),
    /// The session after this one in time, by title and file.
    newer: Option<(String, String)>,
    /// The session before this one in time.
    older: Option<(String, String)>,
}

impl Neighbours {
    /// Paints the ways out of a transcript.
    pub(super) fn paint(&self, html: &mut Html) {
        html.tag("<div class=\"site\">\n<p><a href=\"../index.html\">All projects</a> / <a");
        html.attribute("href", &format!("../projects/{}", self.project.1)).tag(">");
        html.text(short_name(&self.project.0)).tag("</a></p>\n");
        html.tag("<p><a href=\"../index.html#search\">Search everything</a></p>\n");
        let steps = [("prev", "Older", &self.older), ("next", "Newer", &self.newer)];
        for (rel, word, session) in steps {
            if let Some((title, file)) = session {
                html.tag("<a class=\"").tag(rel).tag("\" rel=\"").tag(rel).tag("\"");
                html.attribute("href", file).tag("><small>").tag(word).tag("</small> ");
                html.text(title).tag("</a>\n");
            }
        }
        html.tag("</div>\n");
    }
}

/// Writes a site around transcripts.
#[derive(Debug)]
pub struct SiteBuilder {
    out: PathBuf,
    sessions: Vec<SiteSession>,
    /// The sessions, newest first.
    order: Vec<usize>,
    /// By name, in order.
    projects: Vec<SiteProject>,
    /// The project of each session, and its place there.
    places: Vec<(usize, usize)>,
    search: SearchBuilder,
    listed: BTreeSet<usize>,
}

/// A project of a site.
#[derive(Clone, Debug)]
struct SiteProject {
    name: String,
    /// What its pages are called.
    slug: String,
    /// Its sessions, newest first.
    sessions: Vec<usize>,
}

impl SiteBuilder {
    /// Begins a site in a folder, which is made. The caller names sessions by their
    /// position in `sessions` from now on.
    pub fn new(out: impl Into<PathBuf>, sessions: Vec<SiteSession>) -> io::Result<Self> {
        let out = out.into();
        for folder in ["assets", "projects", "sessions"] {
            fs::create_dir_all(out.join(folder))?;
        }
        let mut order: Vec<usize> = (0..sessions.len()).collect();
        order.sort_by_key(|at| {
            let session = &sessions[*at];
            (Reverse(session.ended.or(session.started)), session.id.clone(), *at)
        });
        let projects = projects(&sessions, &order);
        let mut places = vec![(0, 0); sessions.len()];
        for (number, project) in projects.iter().enumerate() {
            for (place, session) in project.sessions.iter().enumerate() {
                places[*session] = (number, place);
            }
        }
        Ok(Self {
            search: SearchBuilder::new(out.join("search"))?,
            out,
            sessions,
            order,
            projects,
            places,
            listed: BTreeSet::new(),
        })
    }

    /// The folder that transcripts are to be written to.
    pub fn transcripts(&self) -> PathBuf {
        self.out.join("sessions")
    }

    /// What leads from the transcripts of a session to the rest of the site.
    pub fn neighbours(&self, session: usize) -> Neighbours {
        let (project, place) = self.places[session];
        let project = &self.projects[project];
        let named = |at: usize| {
            let session = &self.sessions[*project.sessions.get(at)?];
            Some((session.title.clone(), session.file.clone()))
        };
        Neighbours {
            project: (project.name.clone(), project.page(place / pages::PER_PAGE)),
            newer: place.checked_sub(1).and_then(named),
            older: named(place + 1),
        }
    }

    /// Takes the words of a transcript that was written, and lists its session.
    pub fn add(&mut self, session: usize, words: &Words) -> io::Result<()> {
        self.listed.insert(session);
        self.search.add(session, words)
    }

    /// Writes the lists, the search and what they need.
    pub fn finish(mut self) -> io::Result<()> {
        let listed = std::mem::take(&mut self.listed);
        self.order.retain(|session| listed.contains(session));
        for project in &mut self.projects {
            project.sessions.retain(|session| listed.contains(session));
        }
        self.projects.retain(|project| !project.sessions.is_empty());
        let assets = [("page.css", STYLE), ("page.js", SCRIPT), ("site.js", SITE_SCRIPT)];
        for (name, text) in assets {
            fs::write(self.out.join("assets").join(name), text)?;
        }
        pages::write_index(&self)?;
        for project in &self.projects {
            pages::write_project(&self, project)?;
        }
        let Self { sessions, order, search, .. } = self;
        search.finish(&order, |session| {
            let session = &sessions[session];
            let day = session.ended.or(session.started);
            PlaceHeading {
                title: &session.title,
                project: short_name(&session.project),
                day: day.map_or_else(String::new, |day| written(day, Precision::Day)),
            }
        })
    }

    fn write(&self, path: impl AsRef<Path>, html: &Html) -> io::Result<()> {
        fs::write(self.out.join(path), html.as_str())
    }
}

impl SiteProject {
    /// The name of one of its pages, counted from zero.
    fn page(&self, page: usize) -> String {
        match page {
            0 => format!("{}.html", self.slug),
            _ => format!("{}.{}.html", self.slug, page + 1),
        }
    }
}

/// Puts sessions into their projects, by name; sessions stay in the given order.
fn projects(sessions: &[SiteSession], order: &[usize]) -> Vec<SiteProject> {
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for session in order {
        by_name.entry(&sessions[*session].project).or_default().push(*session);
    }
    let mut taken = BTreeSet::new();
    by_name
        .into_iter()
        .map(|(name, sessions)| {
            let base = anchor(name.trim_start_matches(['/', '\\'])).to_ascii_lowercase();
            let base = if base.is_empty() { "project".to_owned() } else { base };
            let numbered = (1..).map(|n| if n == 1 { base.clone() } else { format!("{base}-{n}") });
            let mut free = numbered.skip_while(|slug| taken.contains(slug));
            let slug = free.next().unwrap_or_default();
            taken.insert(slug.clone());
            SiteProject { name: name.to_owned(), slug, sessions }
        })
        .collect()
}

/// The last folder of a project's path.
fn short_name(project: &str) -> &str {
    let name = last_part(project);
    if name.is_empty() { project } else { name }
}
