//! Tests of whole corpora and of logs with an extreme shape.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::*;
use crate::home::files_below;
use crate::reallogs::jsonl_files;

fn parsed(bytes: &[u8]) -> Vec<Value> {
    assert!(bytes.ends_with(b"\n"));
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines
        .map(|line| {
            serde_json::from_slice(line)
                .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(line)))
        })
        .collect()
}

fn corpus(folder: &Path, seed: u64) -> CorpusManifest {
    Corpus::new(seed, 6_000_000).write_to(folder).expect("the folder is writable")
}

#[test]
fn the_manifest_tells_what_was_written() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let manifest = corpus(folder.path(), 1);
    let files = files_below(folder.path());
    let bytes = files.iter().map(|file| fs::metadata(file).expect("the file is there").len());
    assert_eq!((files.len() as u64, bytes.sum()), (manifest.files, manifest.bytes));
    assert!((5_900_000..6_600_000).contains(&manifest.bytes), "{manifest:?}");
    let mut entries = 0;
    let mut needles = 0;
    for file in jsonl_files(&folder.path().join("projects")) {
        let bytes = fs::read(&file).expect("the file is there");
        entries += parsed(&bytes).len() as u64;
        needles += u64::from(String::from_utf8_lossy(&bytes).contains(NEEDLE));
    }
    assert_eq!(entries, manifest.entries);
    assert_eq!(needles, manifest.needles);
    assert!(needles > 0);
    parsed(&fs::read(folder.path().join("history.jsonl")).expect("there is a history"));
    assert!(manifest.agents > 0 && manifest.sessions > 20);
    assert!(manifest.files * 1_000_000_000 / manifest.bytes >= 4000, "{manifest:?}");
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let folders = [1, 2, 3].map(|_| tempfile::tempdir().expect("a temporary folder"));
    let manifests =
        [corpus(folders[0].path(), 5), corpus(folders[1].path(), 5), corpus(folders[2].path(), 6)];
    assert_eq!(manifests[0].bytes, manifests[1].bytes);
    assert_ne!(manifests[0].bytes, manifests[2].bytes);
    let [one, two, _] = folders.map(|folder| {
        let files = jsonl_files(folder.path());
        let names: Vec<String> = files
            .iter()
            .map(|path| path.strip_prefix(folder.path()).expect("below").display().to_string())
            .collect();
        let bytes: Vec<Vec<u8>> = files.iter().map(|path| fs::read(path).expect("read")).collect();
        (names, bytes)
    });
    assert!(one == two);
}

#[test]
fn transcripts_have_the_shapes_of_real_ones() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let manifest = Corpus::new(2, 24_000_000).write_to(folder.path()).expect("writable");
    let (mut kinds, mut shared, mut sources) = (HashSet::new(), 0, 0);
    for file in jsonl_files(&folder.path().join("projects")) {
        let lines = parsed(&fs::read(&file).expect("the file is there"));
        let uuids: HashSet<&str> = lines.iter().filter_map(|line| line["uuid"].as_str()).collect();
        let mut ids = HashSet::new();
        for line in &lines {
            let subtype = line["subtype"].as_str().unwrap_or_default();
            kinds.insert(format!("{}/{subtype}", line["type"].as_str().unwrap_or_default()));
            if let Some(parent) = line["parentUuid"].as_str() {
                assert!(uuids.contains(parent), "no orphans");
            }
            if let Some(id) = line["message"]["id"].as_str() {
                shared += u64::from(!ids.insert(id));
            }
            sources += u64::from(line["sourceToolAssistantUUID"].is_string());
        }
    }
    for kind in [
        "user/",
        "assistant/",
        "attachment/",
        "system/turn_duration",
        "system/compact_boundary",
        "last-prompt/",
        "queue-operation/",
        "file-history-snapshot/",
        "api-request/",
        "mode/",
        "ai-title/",
    ] {
        assert!(kinds.contains(kind), "{kind} in {kinds:?}");
    }
    assert!(shared > 100 && sources > 100);
    assert!(manifest.largest_bytes > 2_000_000);
}

#[test]
fn a_chain_is_unbroken() {
    let mut file = Vec::new();
    let written = chain(&mut file, 101).expect("memory is writable");
    let lines = parsed(&file);
    assert_eq!((written.entries, written.bytes), (101, file.len() as u64));
    for pair in lines.windows(2) {
        assert_eq!(pair[1]["parentUuid"], pair[0]["uuid"]);
    }
}

#[test]
fn forks_are_as_many_as_asked() {
    let mut file = Vec::new();
    forks(&mut file, 400, 25).expect("memory is writable");
    let lines = parsed(&file);
    assert_eq!(lines.len(), 400);
    let parents: HashSet<&str> = lines.iter().filter_map(|l| l["parentUuid"].as_str()).collect();
    let leaves = lines
        .iter()
        .filter(|line| !parents.contains(line["uuid"].as_str().expect("every line has a uuid")));
    assert_eq!(leaves.count(), 26);
    assert_eq!(parents.len() + 26, 400);
}

#[test]
fn a_long_line_has_its_length() {
    for wish in [1_000, 3_000_000] {
        let mut file = Vec::new();
        long_line(&mut file, wish).expect("memory is writable");
        let longest = file.split(|byte| *byte == b'\n').map(<[u8]>::len).max();
        let longest = longest.expect("there are lines") as u64;
        assert!(longest.abs_diff(wish) < 200, "{longest} for {wish}");
        assert_eq!(parsed(&file).len(), 21);
    }
}

#[test]
fn nesting_is_as_deep_as_asked() {
    let mut file = Vec::new();
    nested(&mut file, 100).expect("memory is writable");
    assert!(String::from_utf8_lossy(&file).contains(&"[".repeat(100)));
    assert_eq!(parsed(&file).len(), 6);
    let mut deep = Vec::new();
    let written = nested(&mut deep, 300_000).expect("memory is writable");
    assert!(written.bytes > 600_000);
}
