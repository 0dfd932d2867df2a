//! Transcripts of many sessions as a folder of pages that link to each other.
//!
//! ```text
//! index.html              projects, the newest sessions, a search over everything
//! projects/NAME.html      the sessions of a project; NAME.2.html and so on if they are many
//! sessions/…              the transcripts, written by the export
//! search/…                the words, as scripts (see `search`)
//! assets/…                one style sheet and two scripts
//! ```
//!
//! A [`SiteBuilder`] gets all sessions first, so that each page can link to its neighbours; then it
//! gets the words of each written transcript, in any order; at the end it writes the lists and the
//! search. Only sessions whose words were added are listed; if there are others, the links of written
//! pages are corrected. A site works from a disk without a server, and its content depends only on
//! the input.

#![expect(clippy::disallowed_methods, reason = "a site is files")]

mod pages;
mod postings;
mod search;
mod words;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use unspool_model::ids::SessionId;
use unspool_model::time::Time;
use unspool_store::rows::last_part;
use unspool_text::html::{Html, anchor};

pub(super) use self::words::WordSource;
pub use self::words::Words;

use self::search::{SearchBuilder, SessionHeading};
use super::assets::{SCRIPT, SITE_SCRIPT, STYLE};
use super::moment::{Precision, written};

/// The page of a site that links to all others.
pub const SITE_START: &str = "index.html";

/// The beginning and the end of the links from a transcript to the rest of the site.
const LINKS: &str = "<div class=\"site\">\n";
const LINKS_END: &str = "</div>\n";

/// The facts about a session that a site lists.
#[derive(Clone, Debug)]
pub struct SiteSession {
    /// The session.
    pub id: SessionId,
    /// The project, by the path or the name that is shown; sessions of one project have the same text.
    pub project: String,
    /// The title.
    pub title: String,
    /// When the session began.
    pub started: Option<Time>,
    /// When the session was last active.
    pub ended: Option<Time>,
    /// The number of turns.
    pub turns: usize,
    /// The number of tokens that were used.
    pub tokens: u64,
    /// The cost of the tokens in US dollars.
    pub cost_usd: Option<f64>,
    /// The name of its page in [`SiteBuilder::transcripts`]: the page of the active path.
    pub file: String,
}

/// Links from a page of a site to other pages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Neighbours {
    /// The project, and the page of its list that contains the session.
    project: (String, String),
    /// The next newer session of the project, by title and file.
    newer: Option<(String, String)>,
    /// The next older session of the project.
    older: Option<(String, String)>,
}

impl Neighbours {
    /// Paints the links of a transcript to the rest of the site.
    pub(super) fn paint(&self, html: &mut Html) {
        html.tag(LINKS).tag("<p><a href=\"../index.html\">All projects</a> / <a");
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
        html.tag(LINKS_END);
    }
}

/// A builder of a site around transcripts.
#[derive(Debug)]
pub struct SiteBuilder {
    out: PathBuf,
    sessions: Vec<SiteSession>,
    /// The indices of the sessions, newest first.
    order: Vec<usize>,
    /// The projects, by name.
    projects: Vec<SiteProject>,
    /// The project of each session in `order`, and its index there.
    places: HashMap<usize, (usize, usize)>,
    search: SearchBuilder,
    listed: BTreeSet<usize>,
}

/// A project of a site.
#[derive(Clone, Debug)]
struct SiteProject {
    name: String,
    /// The beginning of the names of its pages.
    slug: String,
    /// The indices of its sessions, newest first.
    sessions: Vec<usize>,
}

impl SiteBuilder {
    /// Begins a site in a folder, which is created if it is missing. Other methods take the indices
    /// of sessions in `sessions`.
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
        Ok(Self {
            search: SearchBuilder::new(out.join("search"))?,
            out,
            sessions,
            order,
            places: places(&projects),
            projects,
            listed: BTreeSet::new(),
        })
    }

    /// Returns the folder for the transcripts.
    pub fn transcripts(&self) -> PathBuf {
        self.out.join("sessions")
    }

    /// Returns the links from the transcripts of a session to the rest of the site.
    pub fn neighbours(&self, session: usize) -> Neighbours {
        let (project, place) = self.places[&session];
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

    /// Adds the words of a transcript that was written, and lists its session.
    pub fn add(&mut self, session: usize, words: &Words) -> io::Result<()> {
        self.listed.insert(session);
        self.search.add(session, words)
    }

    /// Writes the lists, the search and the assets.
    pub fn finish(mut self) -> io::Result<()> {
        if self.listed.len() < self.sessions.len() {
            self.drop_unlisted()?;
        }
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
            SessionHeading {
                title: &session.title,
                project: short_name(&session.project),
                day: day.map_or_else(String::new, |day| written(day, Precision::Day)),
            }
        })
    }

    /// Drops the sessions that were not written, and corrects the links of written pages.
    fn drop_unlisted(&mut self) -> io::Result<()> {
        let before = self.painted_links();
        let Self { listed, order, .. } = self;
        order.retain(|session| listed.contains(session));
        self.projects = projects(&self.sessions, &self.order);
        self.places = places(&self.projects);
        let changed: HashMap<String, String> =
            before.into_iter().zip(self.painted_links()).filter(|(old, new)| old != new).collect();
        for entry in fs::read_dir(self.transcripts())? {
            let path = entry?.path();
            if path.extension().is_none_or(|extension| extension != "html") {
                continue;
            }
            // A page of this site is UTF-8; another file may not be.
            let Ok(page) = fs::read_to_string(&path) else {
                continue;
            };
            let links = page.find(LINKS).map_or("", |start| &page[start..]);
            let end = links.find(LINKS_END).map_or(0, |end| end + LINKS_END.len());
            if let Some(new) = changed.get(&links[..end]) {
                fs::write(&path, page.replacen(&links[..end], new, 1))?;
            }
        }
        Ok(())
    }

    /// Returns the links of the written sessions to the rest of the site, as markup.
    fn painted_links(&self) -> Vec<String> {
        let painted = |session: &usize| {
            let mut html = Html::new();
            self.neighbours(*session).paint(&mut html);
            html.as_str().to_owned()
        };
        self.listed.iter().map(painted).collect()
    }

    fn write(&self, path: impl AsRef<Path>, html: &Html) -> io::Result<()> {
        fs::write(self.out.join(path), html.as_str())
    }
}

impl SiteProject {
    /// Returns the name of a page, counted from zero.
    fn page(&self, page: usize) -> String {
        match page {
            0 => format!("{}.html", self.slug),
            _ => format!("{}.{}.html", self.slug, page + 1),
        }
    }
}

/// Groups sessions by project, by name; the sessions keep the given order.
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

/// Returns the project of each session, and its index there.
fn places(projects: &[SiteProject]) -> HashMap<usize, (usize, usize)> {
    let projects = projects.iter().enumerate();
    let places = projects.flat_map(|(number, project)| {
        let sessions = project.sessions.iter().enumerate();
        sessions.map(move |(place, session)| (*session, (number, place)))
    });
    places.collect()
}

/// Returns the last folder of a project's path.
fn short_name(project: &str) -> &str {
    let name = last_part(project);
    if name.is_empty() { project } else { name }
}
