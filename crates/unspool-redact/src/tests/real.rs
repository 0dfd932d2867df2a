//! Logs of real clients.

use std::fs;

use unspool_testkit::reallogs::RealLogs;

use super::*;

/// Returns the ids of a record, in any depth.
fn ids(value: &serde_json::Value, found: &mut Vec<String>) {
    const IDS: [&str; 8] = [
        "uuid",
        "parentUuid",
        "sessionId",
        "requestId",
        "tool_use_id",
        "id",
        "timestamp",
        "signature",
    ];
    match value {
        serde_json::Value::Object(fields) => {
            for (key, value) in fields {
                if IDS.contains(&key.as_str()) {
                    found.push(value.to_string());
                }
                ids(value, found);
            }
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| ids(item, found)),
        _ => {}
    }
}

#[test]
fn records_of_real_clients_stay_records_and_keep_their_ids() {
    let mut files = RealLogs::fixtures().files();
    files.extend(RealLogs::shared().iter().flat_map(RealLogs::files));
    assert!(!files.is_empty());
    let redactor = Redactor::new(&RedactRules {
        home_dirs: vec!["/home/dev".into(), "/srv/demo".into()],
        user_names: vec!["demo".into(), "srv".into()],
        ..RedactRules::default()
    });
    let mut tally = SecretTally::default();
    for file in files {
        let bytes = fs::read(&file).expect("a log");
        for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            let redacted = redactor.json(line, &mut tally);
            let Ok(before) = serde_json::from_slice::<serde_json::Value>(line) else {
                continue;
            };
            let after = serde_json::from_slice(&redacted);
            let after: serde_json::Value = after.expect("a record stays a record");
            let (mut kept, mut expected) = (Vec::new(), Vec::new());
            ids(&after, &mut kept);
            ids(&before, &mut expected);
            assert_eq!(kept, expected, "{}", file.display());
        }
    }
    assert!(tally.count("home") > 100, "{tally}");
}
