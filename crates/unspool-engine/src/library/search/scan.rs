//! Scans of the logs for an exact text or a regular expression.

use unspool_model::query::Values;

use super::{FoundHits, HitsLeft, SearchMode, SearchPaths, SearchRequest, SearchScope};
use crate::library::Library;
use crate::library::error::LibraryError;
use crate::library::index::{IndexView, report_unreadable, watched};
use crate::library::note::Listener;
use crate::library::walk::{Completeness, HomesWalk};
use unspool_search::scan::{
    self, BeyondLimit, CaseMode, HitsBeyondLimit, PatternKind, Scan, ScanRequest,
};

/// How many hits after the shown ones a scan counts. A scan with more hits stops.
pub const COUNTED_HITS: u64 = 1000;

/// Returns the words by which a surface opens a hit at the match; empty for a regular expression.
pub(super) fn words(request: &SearchRequest) -> String {
    match request.mode {
        SearchMode::Regex(_) => String::new(),
        SearchMode::Ranked | SearchMode::Exact(_) => request.text.clone(),
    }
}

impl Library {
    /// Scans the logs.
    pub(super) fn scan(
        &self,
        request: &SearchRequest,
        scope: &SearchScope,
        walk: &HomesWalk,
        listener: &dyn Listener,
    ) -> Result<FoundHits, LibraryError> {
        let mut sources = scan::sources(walk.found());
        if let Some(only) = &scope.only {
            sources = scan::only(sources, only);
        }
        let total = sources.iter().map(|source| source.bytes).sum();
        let asked = scan_request(request);
        let scanned = watched(listener, total, |read| scan::scan(&sources, &asked, read));
        let Some(Scan { mut hits, mut further, file_errors }) = scanned.transpose()? else {
            return Ok(FoundHits::nothing());
        };
        report_unreadable(file_errors, listener);
        let rows = self.with_index(|index| {
            let view = IndexView::of(index, walk);
            view.mark_active(&mut hits)?;
            if request.paths == SearchPaths::Active {
                hits.retain(|hit| hit.active != Some(false));
                let more = hits.len().saturating_sub(request.limit);
                further = HitsBeyondLimit::Exactly(more as u64);
                hits.truncate(request.limit);
            }
            view.rows_of(&hits)
        })?;
        Ok(FoundHits { rows, hits, left: HitsLeft::Counted(further), ..FoundHits::nothing() })
    }
}

impl FoundHits {
    fn nothing() -> Self {
        Self {
            hits: Vec::new(),
            left: HitsLeft::Counted(HitsBeyondLimit::Exactly(0)),
            rows: Vec::new(),
            searched: Completeness::Whole,
            missing: Vec::new(),
        }
    }
}

fn scan_request(request: &SearchRequest) -> ScanRequest {
    let (kind, case) = match request.mode {
        SearchMode::Regex(case) => (PatternKind::Regex, case),
        SearchMode::Exact(case) => (PatternKind::Exact, case),
        SearchMode::Ranked => (PatternKind::Exact, CaseMode::Ignore),
    };
    ScanRequest {
        case,
        roles: Values { any: request.roles.clone(), none: Vec::new() },
        time: request.filter.time,
        // Hits outside the active path are removed after the scan.
        limit: match request.paths {
            SearchPaths::All => request.limit,
            SearchPaths::Active => usize::MAX,
        },
        rest: BeyondLimit::CountTo(COUNTED_HITS),
        extent: request.extent,
        ..ScanRequest::new(request.text.clone(), kind)
    }
}
