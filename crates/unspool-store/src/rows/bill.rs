//! Tokens and cost of a session, its agents included.

use unspool_model::usage::Tokens;

use super::models;
use crate::prices::PriceTable;
use crate::session::Session;

/// Tokens and cost of a session, the same for all its paths.
pub struct Bill {
    /// The models that answered, in order of appearance.
    pub models: Vec<String>,
    /// The tokens that were used.
    pub tokens: Tokens,
    /// The cost of the tokens that have a price; `None` if none have.
    pub cost_usd: Option<f64>,
}

impl Bill {
    /// Adds up the usage of a session and its agents; each answer counts once.
    pub fn of(session: &Session, prices: &PriceTable) -> Self {
        let usage = session.usage();
        Self {
            models: models(session),
            tokens: usage.total(),
            cost_usd: prices.bill(usage.counted()),
        }
    }
}
