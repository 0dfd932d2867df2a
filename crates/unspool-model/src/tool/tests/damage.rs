use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::Value;

use super::{ToolSample, calls, results};
use crate::tool::{outcome, parse};

/// Reads `raw` with every function of the module, and returns the results.
fn exercise(name: &str, raw: &[u8]) -> String {
    let mut all = String::new();
    let tool = parse(name, raw);
    let outcome = outcome(name, raw);
    let _ = write!(all, "{:?} {:?}", tool.changes(), outcome.line_changes());
    for line in [tool.summary(), outcome.note().unwrap_or_default()] {
        assert!(!line.contains(['\n', '\r']), "{name} {line}");
        all.push_str(&line);
    }
    all
}

fn samples() -> impl Iterator<Item = (&'static str, &'static str)> {
    calls().chain(results()).map(|sample| (sample.tool, sample.raw))
}

/// Returns copies of `value`, each with `wrong` in another place.
fn with_wrong(value: &Value, wrong: &Value) -> Vec<Value> {
    let mut all = vec![wrong.clone()];
    let places: Vec<String> = match value {
        Value::Object(fields) => fields.keys().cloned().collect(),
        Value::Array(items) => (0..items.len()).map(|at| at.to_string()).collect(),
        _ => Vec::new(),
    };
    for place in places {
        let pointer = format!("/{}", place.replace('~', "~0").replace('/', "~1"));
        let inner = value.pointer(&pointer).expect("the place is there");
        for changed in with_wrong(inner, wrong) {
            let mut copy = value.clone();
            *copy.pointer_mut(&pointer).expect("the place is there") = changed;
            all.push(copy);
        }
    }
    all
}

#[test]
fn any_field_may_be_of_any_type() {
    let wrongs =
        ["null", "true", "-1", "1e300", "18446744073709551616", "\"a\\nb\"", "[[]]", r#"{"a":{}}"#];
    for (name, raw) in samples() {
        let Ok(value) = serde_json::from_str::<Value>(raw) else {
            continue;
        };
        for wrong in wrongs {
            let wrong = serde_json::from_str(wrong).expect("a value");
            for damaged in with_wrong(&value, &wrong) {
                exercise(name, damaged.to_string().as_bytes());
            }
        }
    }
}

#[test]
fn depth_costs_no_stack() {
    let arrays = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let objects = format!("{}1{}", r#"{"task":"#.repeat(100_000), "}".repeat(100_000));
    for name in ["Bash", "Edit", "TaskOutput", "TodoWrite", "Nope", "mcp__s__t"] {
        for deep in [&arrays, &objects, &arrays[..100_000]] {
            exercise(name, deep.as_bytes());
        }
    }
    // The fields after a deep one are read.
    for ToolSample { tool, raw, changes, .. } in results().filter(|one| one.changes.is_some()) {
        let rest = raw.strip_prefix('{').expect("an object");
        let whole = format!(r#"{{"deep":{arrays},{rest}"#);
        assert_eq!(outcome(tool, whole.as_bytes()).line_changes(), changes, "{tool} {raw}");
    }
}

#[test]
fn every_cut_is_read_up_to_the_tear() {
    for (name, raw) in samples() {
        for end in 0..raw.len() {
            exercise(name, &raw.as_bytes()[..end]);
        }
    }
    let torn = br#"{"command":"ls","description":"Lis"#;
    assert_eq!(parse("Bash", torn).summary(), "ls");
    let torn = br#"{"filePath":"a","structuredPatch":[{"lines":["+x"]},{"lines":["-y"]}],"userMod"#;
    assert_eq!(outcome("Edit", torn).line_changes(), Some((1, 1)));
}

proptest! {
    #[test]
    fn no_bytes_do_harm(
        at in any::<prop::sample::Index>(),
        cut in any::<prop::sample::Index>(),
        noise in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
    ) {
        let all: Vec<_> = samples().collect();
        let (name, raw) = all[at.index(all.len())];
        let mut bytes = raw.as_bytes().to_vec();
        bytes.truncate(cut.index(raw.len() + 1));
        for (place, byte) in noise {
            if !bytes.is_empty() {
                let place = place.index(bytes.len());
                bytes[place] = byte;
            }
        }
        exercise(name, &bytes);
    }

    #[test]
    fn neither_do_bytes_from_nowhere(name in ".{0,12}", bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        exercise(&name, &bytes);
    }
}
