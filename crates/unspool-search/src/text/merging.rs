//! Which parts of the index are put together.
//!
//! Every update adds a small segment, and a search looks into all of them. So segments of
//! about one size are put together when there are several, but never beyond a size that
//! keeps memory small, whatever the corpus. A large segment stays what it is, unless most
//! of it was deleted. The numbers were chosen by judgement.

use std::collections::BTreeMap;

use tantivy::index::SegmentMeta;
use tantivy::indexer::{MergeCandidate, MergePolicy};

/// Segments of one size that are put together. Chosen by judgement: fewer mean
/// more merges, more mean more segments to ask.
const SEVERAL: usize = 6;
/// How many documents a segment has at most when it is put together with others. Chosen by
/// judgement: a bound on how long one merge takes.
const SMALL: u32 = 16_000;
/// Segments below this are all of one size. Chosen by judgement: their sizes
/// are not worth telling apart.
const TINY: u32 = 250;
/// How many documents a segment has at most when it is written again to drop deleted ones. Chosen
/// by judgement: a bound on the work that one refresh may cause.
const RENEWED: u32 = 200_000;

/// Decides what is put together.
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
