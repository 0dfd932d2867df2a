//! What a session used, its agents included, and what that cost.

use unspool_model::usage::Tokens;

use super::models;
use crate::prices::PriceTable;
use crate::session::Session;

/// What a session used and what that cost, the same for all its paths.
pub struct Bill {
    /// The models that answered, in order of appearance.
    pub models: Vec<String>,
    /// What was used.
    pub tokens: Tokens,
    /// What has a price; none if nothing has.
    pub cost_usd: Option<f64>,
}

impl Bill {
    /// Adds up what a session and its agents used, each answer counted once.
    pub fn of(session: &Session, prices: &PriceTable) -> Self {
        let usage = session.usage();
        Self {
            models: models(session),
            tokens: usage.total(),
            cost_usd: prices.bill(usage.counted()),
        }
    }
}
