//! The index of a run: opened where the settings say, brought up to date, asked.

use std::time::SystemTime;

use anyhow::Result;
use unspool_engine::index::{Basis, Index};
use unspool_engine::ops::list::{self, Agents, Listing};
use unspool_engine::prices::PriceTable;

use crate::commands::stats::Material;
use crate::sessions::Homes;
use crate::settings::{Refresh, Settings};
use crate::ui::Ui;

/// The index of a run and what it goes by.
pub(crate) struct Indexed<'a> {
    index: Index,
    homes: &'a Homes,
    prices: PriceTable,
    refresh: Refresh,
}

impl<'a> Indexed<'a> {
    /// Opens the index. That of the demo lives in memory, since the demo does.
    pub(crate) fn open(homes: &'a Homes, settings: &Settings) -> Result<Self> {
        let folder = settings.index.value.as_ref();
        let (index, refresh) = match folder.filter(|_| !homes.is_demo()) {
            Some(folder) => (Index::open(folder)?, settings.refresh.value),
            None => (Index::in_memory()?, Refresh::First),
        };
        let prices = settings.prices.iter().map(|price| price.value.clone());
        Ok(Self {
            index,
            homes,
            prices: PriceTable::built_in().with_overrides(prices),
            refresh,
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
        for note in self.index.take_notes() {
            ui.note(&note.to_string());
        }
        Ok(listing)
    }

    /// Returns what totals are made of.
    pub(crate) fn material(&mut self, ui: &Ui) -> Result<Material<'_>> {
        let rows = self.listing(Agents::Folded, ui)?.rows;
        Ok(Material {
            index: &self.index,
            roots: self.homes.roots(),
            rows,
            prices: &self.prices,
        })
    }
}
