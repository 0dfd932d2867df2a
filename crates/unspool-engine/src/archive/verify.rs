//! Unpacks everything that is in an archive, and says what cannot be.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::inventory::{self, Packet};
use super::{Archive, ArchiveError};
use crate::files::packed::{Packed, Unpacker};
use crate::home::Problem;
use crate::index::Progress;
use crate::session::Trouble;

/// What was found out about an archive.
#[derive(Default, Debug)]
pub struct Verdict {
    /// How many packed files were unpacked, older states included.
    pub files: usize,
    /// How much content they hold.
    pub bytes: u64,
    /// How much they take on disk.
    pub packed: u64,
    /// Files that are damaged or cannot be read, with the place of the damage.
    pub damaged: Vec<Trouble>,
    /// What is in the archive and does not belong there.
    pub problems: Vec<Problem>,
}

/// Unpacks every file of an archive, each frame against its checksum.
pub fn verify(root: &Path, progress: &dyn Progress) -> Result<Verdict, ArchiveError> {
    let archive = Archive::open(root)?;
    let mut verdict = Verdict::default();
    let mut packets: Vec<Packet> = Vec::new();
    for home in archive.homes() {
        for folder in [archive.home(home).root, archive.older(home)] {
            packets.extend(inventory::packets(&folder, &mut verdict.problems));
        }
    }
    verdict.packed = packets.iter().map(|packet| packet.packed).sum();
    packets.sort_by_key(|packet| std::cmp::Reverse(packet.packed));
    let mut results = Vec::new();
    progress.watch(verdict.packed, &mut |done: &AtomicU64| {
        let all = packets.par_iter().map(|packet| {
            let unpacked = unpack(&packet.path);
            done.fetch_add(packet.packed, Ordering::Relaxed);
            unpacked
        });
        results = all.collect();
    });
    verdict.files = results.len();
    for result in results {
        match result {
            Ok(bytes) => verdict.bytes += bytes,
            Err(damage) => verdict.damaged.push(damage),
        }
    }
    verdict.damaged.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(verdict)
}

/// Unpacks one file and returns how long its content is.
fn unpack(path: &Path) -> Result<u64, Trouble> {
    let unpacked = Packed::open(path).and_then(|packed| {
        let mut unpacker = Unpacker::new()?;
        for index in 0..packed.frames().len() {
            unpacker.frame(&packed, index)?;
        }
        Ok(packed.length())
    });
    unpacked.map_err(|error| Trouble {
        path: path.to_owned(),
        error,
    })
}
