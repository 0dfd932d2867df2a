//! Tests of the random sessions through their bytes.

use std::collections::HashSet;

use serde_json::Value;

use super::*;

fn lines(bytes: &[u8]) -> Vec<Value> {
    bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).expect("every line is JSON"))
        .collect()
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let shape = RandomShape::wild(80);
    assert_eq!(session(3, &shape), session(3, &shape));
    assert_ne!(session(3, &shape), session(4, &shape));
    assert_eq!(RandomShape::any(5, 90), RandomShape::any(5, 90));
    assert!(session(1, &RandomShape::wild(0)).is_empty());
}

#[test]
fn a_linear_session_is_one_chain_without_open_calls() {
    for seed in 0..50 {
        let lines = lines(&session(seed, &RandomShape::linear(60)));
        let mut uuids = HashSet::new();
        for (index, line) in lines.iter().enumerate() {
            assert!(uuids.insert(line["uuid"].as_str().expect("a uuid")));
            if index > 0 {
                let parent = line["parentUuid"].as_str().expect("a parent");
                assert!(uuids.contains(parent), "seed {seed}");
            }
        }
    }
}

#[test]
fn well_formed_sessions_have_unique_uuids_and_parents_above() {
    let mut seen = HashSet::new();
    for seed in 0..100 {
        let mut uuids = HashSet::new();
        for line in lines(&session(seed, &RandomShape::well_formed(80))) {
            let kind = line["type"].as_str().expect("a type").to_owned();
            let subtype = line["subtype"].as_str().unwrap_or_default();
            seen.insert(format!("{kind}/{subtype}"));
            if let Some(parent) = line["parentUuid"].as_str() {
                assert!(uuids.contains(parent), "seed {seed}: {line}");
            }
            if let Some(uuid) = line["uuid"].as_str() {
                assert!(uuids.insert(uuid.to_owned()), "seed {seed}: {line}");
            }
        }
    }
    for kind in
        ["user/", "assistant/", "hologram/", "last-prompt/", "system/compact_boundary", "progress/"]
    {
        assert!(seen.contains(kind), "{kind} in {seen:?}");
    }
}

#[test]
fn wild_sessions_have_every_kind_of_damage() {
    let all: Vec<Vec<u8>> = (0..300).map(|seed| session(seed, &RandomShape::wild(60))).collect();
    assert!(all.iter().any(|bytes| !bytes.ends_with(b"\n")));
    assert!(all.iter().any(|bytes| std::str::from_utf8(bytes).is_err()));
    let any = |what: &str| {
        let found = all.iter().any(|bytes| String::from_utf8_lossy(bytes).contains(what));
        assert!(found, "{what}");
    };
    for what in [
        "}{\"",
        "\n\n",
        "\nnull\n",
        r"\ud83d",
        "\"uuid\":5",
        "toolArguments",
        "compact_system",
        "preservedMessages",
        "\"isSidechain\":true",
        "\u{2028}",
    ] {
        any(what);
    }
    any(&crate::uuid("twin"));
    any(crate::ZERO_UUID);
    let orphan = crate::uuid("elsewhere");
    any(&format!("\"leafUuid\":\"{orphan}\""));
    let selves = all.iter().flat_map(|bytes| bytes.split(|byte| *byte == b'\n')).any(|line| {
        serde_json::from_slice::<Value>(line)
            .is_ok_and(|line| line["uuid"].is_string() && line["uuid"] == line["parentUuid"])
    });
    assert!(selves, "an entry is its own parent");
}

#[test]
fn any_shape_can_be_written() {
    for seed in 0..500 {
        let shape = RandomShape::any(seed, 40);
        session(seed, &shape);
    }
}
