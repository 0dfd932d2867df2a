//! Laid out sessions with agents in a temporary home.

use unspool_model::positions::PathNumber;

use unspool_engine::ops::transcript::{Transcript, TranscriptRequest};
use unspool_model::time::Time;
use unspool_store::prices::PriceTable;
use unspool_store::session::Session;
use unspool_testkit::TestHome;
use unspool_testkit::home::AgentFilePlace;

use crate::setup::open;

/// The id of the session.
pub(crate) const SESSION: &str = "11111111-1111-4111-8111-111111111111";

/// A session in its own home.
pub(crate) struct World {
    /// Kept for its `Drop`, which removes the folder.
    _home: TestHome,
    pub(crate) session: Session,
}

impl World {
    /// Opens a session in the notation.
    pub(crate) fn new(notation: &str) -> Self {
        Self::with_agents(notation, &[])
    }

    /// Opens a session with agents, each an id and a conversation in the notation.
    pub(crate) fn with_agents(notation: &str, agents: &[(&str, &str)]) -> Self {
        let place = AgentFilePlace::Subagents;
        let agents = agents.iter().map(|(id, text)| (place.clone(), *id, *text));
        Self::with_places(notation, agents)
    }

    /// Opens a session with agents in different places.
    pub(crate) fn with_places<'a>(
        notation: &str,
        agents: impl IntoIterator<Item = (AgentFilePlace, &'a str, &'a str)>,
    ) -> Self {
        let home = TestHome::new();
        let file = home.add_session("/srv/demo", SESSION, unspool_testkit::session(notation));
        for (place, id, text) in agents {
            let bytes = unspool_testkit::session(text);
            home.add_agent("/srv/demo", SESSION, &place, id, &bytes);
        }
        let session = open(&file).expect("a session");
        Self { _home: home, session }
    }

    /// Lays out the active path.
    pub(crate) fn shown(&self) -> Transcript<'_> {
        self.asked(&TranscriptRequest::default())
    }

    /// Lays out a request.
    pub(crate) fn asked(&self, request: &TranscriptRequest) -> Transcript<'_> {
        Transcript::new(&self.session, request).expect("a transcript")
    }

    /// Lays out the path with a number.
    pub(crate) fn path(&self, number: u32) -> Transcript<'_> {
        self.asked(&TranscriptRequest {
            path: PathNumber::new(number),
            ..TranscriptRequest::default()
        })
    }
}

pub(crate) fn prices() -> PriceTable {
    PriceTable::built_in()
}

/// Returns the seconds from one instant to another.
pub(crate) fn seconds(start: Time, time: Time) -> f64 {
    (time.as_millis() - start.as_millis()) as f64 / 1000.0
}
