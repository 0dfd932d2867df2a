//! The index of a run: opened where the settings say, brought up to date, asked.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Result;
use unspool_engine::home::{Home, LiveSessions};
use unspool_engine::index::text::{Coverage, Freshness, TextError, TextIndex, TextReport};
use unspool_engine::index::{Basis, CatalogueError, Index, OffPath, Standing};
use unspool_engine::ops::filter::SessionSet;
use unspool_engine::ops::list::{self, Agents, Listing, Row};
use unspool_engine::ops::search::KnownPlaces;
use unspool_engine::ops::search::hit::Hit;
use unspool_engine::prices::PriceTable;

use crate::commands::stats::Material;
use crate::errors::Outcome;
use crate::sessions::Homes;
use crate::settings::{Refresh, Settings};
use crate::ui::Ui;

/// The index of a run and what it goes by.
pub(crate) struct Indexed<'a> {
    index: Index,
    homes: &'a Homes,
    prices: PriceTable,
    refresh: Refresh,
    /// Whether sessions were read anew.
    has_news: bool,
}

impl<'a> Indexed<'a> {
    /// Opens the index.
    pub(crate) fn open(homes: &'a Homes, settings: &Settings) -> Result<Self> {
        let (index, refresh) = match folder(homes, settings) {
            Some(folder) => (Index::open(folder)?, settings.refresh.value),
            None => (Index::in_memory()?, Refresh::First),
        };
        Ok(Self {
            index,
            homes,
            prices: prices(settings),
            refresh,
            has_news: false,
        })
    }

    /// Returns the rows of all sessions.
    pub(crate) fn listing(&mut self, agents: Agents, ui: &Ui) -> Result<Listing> {
        let roots = self.homes.roots();
        let mut listing = match self.refresh {
            Refresh::Never => Listing {
                rows: self.index.rows(roots, agents)?,
                troubles: Vec::new(),
            },
            Refresh::First => {
                let basis = Basis {
                    now: SystemTime::now(),
                    prices: &self.prices,
                };
                let (listing, found) =
                    list::from_index(&mut self.index, roots, agents, &basis, ui)?;
                self.homes.set_found(found);
                listing
            }
        };
        listing.set_live(roots, self.homes.live());
        self.say_notes(ui);
        Ok(listing)
    }

    /// Returns what totals are made of, and says what could not be read.
    pub(crate) fn material(&mut self, ui: &Ui) -> Result<Material<'_>> {
        let listing = self.listing(Agents::Folded, ui)?;
        let walked = self.say_problems(ui);
        for trouble in &listing.troubles {
            ui.warning(&trouble.to_string());
        }
        Ok(Material {
            index: &self.index,
            roots: self.homes.roots(),
            rows: listing.rows,
            prices: &self.prices,
            reading: if listing.troubles.is_empty() {
                walked
            } else {
                Outcome::Io
            },
        })
    }

    /// Says what was odd about the homes, if they were walked.
    pub(crate) fn say_problems(&self, ui: &Ui) -> Outcome {
        match self.refresh {
            Refresh::First => self.homes.say_problems(ui),
            Refresh::Never => Outcome::Done,
        }
    }

    /// Opens the full text and brings it up to date, unless the settings say otherwise. Returns
    /// also how much of the logs it has.
    pub(crate) fn text(&self, ui: &Ui) -> Result<(TextIndex, Coverage)> {
        let (roots, now) = (self.homes.roots(), SystemTime::now());
        let (text, report) = match self.refresh {
            Refresh::First => self.index.text(roots, self.homes.walked(), now, ui)?,
            Refresh::Never => self.index.text_as_it_is(roots, now)?,
        };
        say_report(&report, ui);
        Ok((text, report.coverage))
    }

    /// Brings the index up to date without asking for rows.
    pub(crate) fn freshen(&mut self, ui: &Ui) -> Result<()> {
        if self.refresh == Refresh::First {
            let basis = Basis {
                now: SystemTime::now(),
                prices: &self.prices,
            };
            let refreshed = self.index.refresh(self.homes.roots(), &basis, ui)?;
            for trouble in &refreshed.troubles {
                ui.warning(&trouble.to_string());
            }
            self.has_news = refreshed.sessions > 0;
            self.homes.set_found(refreshed.found);
        }
        self.say_notes(ui);
        Ok(())
    }

    fn say_notes(&mut self, ui: &Ui) {
        for note in self.index.take_notes() {
            ui.note(&note.to_string());
        }
    }

    /// Returns the index for questions about single sessions and files.
    pub(crate) fn asking(&self) -> Asking<'_> {
        Asking {
            index: &self.index,
            homes: self.homes.roots(),
            live: self.homes.live(),
        }
    }

    /// Tells whether sessions were read anew when it was brought up to date.
    pub(crate) fn has_news(&self) -> bool {
        self.has_news
    }

    /// Tells whether this index, now that it was brought up to date, gives the answers that
    /// `standing` gave.
    pub(crate) fn agrees_with(&self, standing: &Standing) -> bool {
        let (roots, now) = (self.homes.roots(), SystemTime::now());
        self.index
            .agrees_with(standing, roots, self.homes.walked(), now)
    }
}

/// An index and the homes that it is asked about.
#[derive(Clone, Copy)]
pub(crate) struct Asking<'a> {
    pub(crate) index: &'a Index,
    pub(crate) homes: &'a [Home],
    pub(crate) live: &'a [LiveSessions],
}

impl<'a> Asking<'a> {
    /// Returns what a search must know of files.
    pub(crate) fn known_places(self, only: Option<&'a SessionSet>) -> KnownPlaces<'a> {
        KnownPlaces::new(self.index, self.homes, self.live, only)
    }

    /// Returns the rows of the sessions that hits stand in.
    pub(crate) fn rows_of(self, hits: &[Hit]) -> Result<Vec<Row>> {
        let mut listing = Listing::default();
        for hit in hits {
            let known = |row: &Row| row.home == hit.home && row.id == hit.session;
            let (Some(home), Some(project)) = (&hit.home, &hit.project) else {
                continue;
            };
            if !listing.rows.iter().any(known) {
                let row = self.index.row(home, project, &hit.session)?;
                listing.rows.extend(row);
            }
        }
        listing.set_live(self.homes, self.live);
        Ok(listing.rows)
    }

    /// Says of each hit whether it is on the active path; nothing if its file is no log.
    pub(crate) fn mark_active(self, hits: &mut [Hit]) -> Result<()> {
        let mut files: HashMap<PathBuf, Option<OffPath>> = HashMap::new();
        for hit in hits {
            let (Some(home), Some(project)) = (&hit.home, &hit.project) else {
                continue;
            };
            let off_path = match files.entry(hit.file.clone()) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(unknown) => {
                    let id = self.index.file_at(home, project, &hit.file)?;
                    unknown.insert(id.map(|id| self.index.off_path(id)).transpose()?)
                }
            };
            hit.active = off_path
                .as_ref()
                .map(|off_path| !off_path.holds(hit.offset));
        }
        Ok(())
    }
}

/// Does some work with the index. If the index turns out to be damaged, it is rebuilt and the work
/// is done once more: a damaged page may be met only when a question leads to it.
pub(crate) fn with_rebuild<T>(
    homes: &Homes,
    settings: &Settings,
    ui: &Ui,
    work: impl Fn() -> Result<T>,
) -> Result<T> {
    let error = match work() {
        Err(error) if is_damage(&error) => error,
        done => return done,
    };
    let Some(folder) = folder(homes, settings) else {
        return Err(error);
    };
    let mut index = Index::open(folder)?;
    index.begin_anew()?;
    for note in index.take_notes() {
        ui.note(&note.to_string());
    }
    drop(index);
    work()
}

fn is_damage(error: &anyhow::Error) -> bool {
    let of_catalogue = error.downcast_ref().is_some_and(CatalogueError::is_damage);
    of_catalogue || error.downcast_ref().is_some_and(TextError::is_damage)
}

/// Returns the folder of the index; none if it is to live in memory, as that of the demo does.
pub(crate) fn folder<'s>(homes: &Homes, settings: &'s Settings) -> Option<&'s Path> {
    let folder = settings.index.value.as_deref();
    folder.filter(|_| !homes.is_demo())
}

/// Returns the prices that are in force.
pub(crate) fn prices(settings: &Settings) -> PriceTable {
    let own = settings.prices.iter().map(|price| price.value.clone());
    PriceTable::built_in().with_overrides(own)
}

/// Says what the user should know of the full text.
fn say_report(report: &TextReport, ui: &Ui) {
    for trouble in &report.troubles {
        ui.warning(&trouble.to_string());
    }
    if report.rebuilt {
        ui.note("the full text was damaged or of another version; it was built anew");
    }
    match &report.freshness {
        Freshness::Fresh | Freshness::Partial => {}
        Freshness::Busy => ui
            .note("another process is updating the full text; this answer may lack what is newest"),
        Freshness::ReadOnly => ui.note(
            "the folder of the full text cannot be written; this answer may lack what is newest",
        ),
        Freshness::Failed(reason) => ui.warning(&format!(
            "the full text could not be brought up to date: {reason}"
        )),
    }
    let coverage = report.coverage;
    if !coverage.is_whole() {
        let part = coverage.covered * 100 / coverage.total.max(1);
        ui.note(&format!("{part} % of the logs can be searched so far"));
    }
}
