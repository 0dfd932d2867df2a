mod agreement;
mod escapes;
mod files;
mod laws;
mod order;
mod snippets;
mod texts;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

use unspool_model::dialect::{texts_of, texts_of_fragment};
use unspool_model::ids::SessionId;
use unspool_model::json::is_white;
use unspool_model::line::{PieceKind, pieces};
use unspool_model::time::Time;

use super::pattern::ScanPattern;
use super::{Content, PatternKind, Scan, ScanRequest, ScanSource, scan};
use crate::hit::SearchHit;

/// A folder with files to search.
struct Files {
    folder: tempfile::TempDir,
    sources: Vec<ScanSource>,
}

impl Files {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder"), sources: Vec::new() }
    }

    fn log(name: &str, bytes: impl AsRef<[u8]>) -> Self {
        let mut files = Self::new();
        files.add(name, Content::Log, bytes);
        files
    }

    fn add(&mut self, name: &str, content: Content, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, bytes.as_ref()).expect("writes");
        self.sources.push(ScanSource {
            home: None,
            project: None,
            session: SessionId::new(name),
            gone: false,
            agent: None,
            path: path.clone(),
            content,
            bytes: bytes.as_ref().len() as u64,
            modified: Time::from_millis(0),
        });
        path
    }

    fn scan(&self, request: &ScanRequest) -> Scan {
        scan(&self.sources, request, &AtomicU64::new(0)).expect("a pattern")
    }

    fn find(&self, pattern: &str, kind: PatternKind) -> Vec<SearchHit> {
        self.scan(&ScanRequest::new(pattern, kind)).hits
    }
}

/// Returns the offsets of hits.
fn offsets(hits: &[SearchHit]) -> Vec<u64> {
    hits.iter().map(|hit| hit.offset).collect()
}

/// Finds the lines of a log with a match by decoding every text of every record.
///
/// Returns the offset of the first matching record of each such line.
fn oracle(log: &[u8], pattern: &ScanPattern) -> Vec<u64> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in log.split_inclusive(|&byte| byte == b'\n') {
        let hit = oracle_line(line, pattern);
        found.extend(hit.map(|offset| (start + offset) as u64));
        start += line.len();
    }
    found
}

fn oracle_line(line: &[u8], pattern: &ScanPattern) -> Option<usize> {
    let mut whole = false;
    let (end, result) = texts_of(line, &mut |_, text| {
        whole |= pattern.find_at(&text.decode(), 0).is_some();
        Ok(())
    });
    if result.is_ok() && is_white(&line[end..]) {
        return whole.then_some(0);
    }
    pieces(line).into_iter().find_map(|piece| {
        let mut found = false;
        let mut each = |_, text: unspool_model::json::Str<'_>| {
            found |= pattern.find_at(&text.decode(), 0).is_some();
            Ok(())
        };
        let bytes = &line[piece.start..piece.end];
        let _ = match piece.kind {
            PieceKind::Blank => Ok(()),
            PieceKind::Record => texts_of(bytes, &mut each).1,
            PieceKind::Fragment => texts_of_fragment(bytes, &mut each),
        };
        found.then_some(piece.start)
    })
}

fn write(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).expect("writes");
}
