//! The bucket of every record of a file.

use super::Conversation;
use crate::entry::EntryKind;
use crate::positions::NodeId;

/// Numbers of records of a file, by bucket.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RecordCounts {
    /// All records and fragments.
    pub entries: u64,
    /// Records on the active path.
    pub active: u64,
    /// Records on other paths only.
    pub other_paths: u64,
    /// Records of subagents inside this file.
    pub agents: u64,
    /// Records without a place in the graph.
    pub metadata: u64,
    /// Fragments.
    pub damaged: u64,
}

/// Where a record belongs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Bucket {
    /// The active path.
    Active,
    /// Another path.
    OtherPath,
    /// A subagent inside this file.
    Agent,
    /// No place in the graph.
    Metadata,
    /// A fragment.
    Damaged,
}

impl Conversation<'_> {
    /// Returns the bucket of every record, in the order of the log's entries.
    pub fn buckets(&self) -> Vec<Bucket> {
        let active = self
            .paths
            .active()
            .map(|path| self.paths.on_path(&self.graph, path))
            .unwrap_or_default();
        let bucket = |node: NodeId| match self.paths.group_of(node) {
            _ if self.graph.nodes[node].sidechain => Bucket::Agent,
            None => Bucket::Metadata,
            Some(_) if active.get(node.index()) == Some(&true) => Bucket::Active,
            Some(_) => Bucket::OtherPath,
        };
        self.log
            .entries
            .iter()
            .map(|entry| match entry.kind {
                EntryKind::Fragment => Bucket::Damaged,
                _ => match entry.uuid.and_then(|uuid| self.graph.node(uuid)) {
                    Some(node) => bucket(node),
                    None => Bucket::Metadata,
                },
            })
            .collect()
    }

    /// Counts the records of the file, by bucket.
    pub fn counts(&self) -> RecordCounts {
        let mut counts = RecordCounts::default();
        for bucket in self.buckets() {
            counts.entries += 1;
            *match bucket {
                Bucket::Active => &mut counts.active,
                Bucket::OtherPath => &mut counts.other_paths,
                Bucket::Agent => &mut counts.agents,
                Bucket::Metadata => &mut counts.metadata,
                Bucket::Damaged => &mut counts.damaged,
            } += 1;
        }
        counts
    }
}
