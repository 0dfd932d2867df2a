//! Which segments of the index are merged.
//!
//! Every update adds a small segment, and a search reads all segments. So segments of similar
//! size are merged as soon as there are several, up to a size that bounds the memory of a merge,
//! however large the index is. A larger segment is left alone unless most of its documents are
//! deleted. The numbers were chosen by judgement.

use std::collections::BTreeMap;

use tantivy::index::SegmentMeta;
use tantivy::indexer::{MergeCandidate, MergePolicy};

/// How many segments of similar size are merged. Chosen by judgement: fewer mean
/// more merges, more mean more segments to search.
const SEVERAL: usize = 6;
/// How many documents a segment that is merged with others has at most. Chosen by
/// judgement: a bound on the time of one merge.
const SMALL: u32 = 16_000;
/// Segments with fewer documents count as one size. Chosen by judgement: differences between
/// them do not matter.
const TINY: u32 = 250;
/// How many documents a segment that is rewritten to drop deleted ones has at most. Chosen
/// by judgement: a bound on the work that one refresh may cause.
const RENEWED: u32 = 200_000;

/// Merges segments of similar size, up to a bound.
#[derive(Debug)]
pub(crate) struct BoundedMerging;

impl MergePolicy for BoundedMerging {
    fn compute_merge_candidates(&self, segments: &[SegmentMeta]) -> Vec<MergeCandidate> {
        let (mut sizes, mut renewed) = (BTreeMap::<u32, Vec<_>>::new(), Vec::new());
        for segment in segments {
            let documents = segment.num_docs();
            let deleted = segment.num_deleted_docs();
            if documents < SMALL {
                let size = (documents.max(TINY) / TINY).ilog(SEVERAL as u32);
                sizes.entry(size).or_default().push(segment.id());
            } else if deleted > documents && segment.max_doc() <= RENEWED {
                renewed.push(MergeCandidate(vec![segment.id()]));
            }
        }
        let several = sizes.into_values().filter(|same| same.len() >= SEVERAL);
        renewed.extend(several.map(MergeCandidate));
        renewed
    }
}
