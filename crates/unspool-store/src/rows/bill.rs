//! What a session used, its agents included, and what that cost.

use unspool_model::time::Time;
use unspool_model::usage::{Claim, Ledger, Tokens};

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
        let mut ledger: Ledger<&str, (&str, Option<Time>)> = Ledger::default();
        let agents = session.agents.iter().map(|agent| agent.file.log());
        for log in std::iter::once(session.log()).chain(agents) {
            for row in &log.usage {
                ledger.add(&Claim {
                    message: log.text(row.message),
                    request: row.request.map(|request| log.text(request)),
                    model: (log.text(row.model), log.entries[row.entry].time),
                    tokens: row.tokens,
                });
            }
        }
        let answers = ledger.counted();
        let answers = answers.map(|((model, time), tokens)| (model, time, tokens));
        Self {
            models: models(session),
            tokens: ledger.total(),
            cost_usd: prices.bill(answers),
        }
    }
}
