use std::collections::BTreeMap;
use unspool_engine::home::{Resolved, open_path};
use unspool_engine::ops::check::{Severity, Summary, check};
use unspool_engine::session::Session;
use unspool_model::graph::Rule;
use unspool_testkit::reallogs::RealLogs;
#[test]
fn survey() {
    let logs = RealLogs::shared().unwrap();
    let mut by: BTreeMap<(&str, bool), Vec<String>> = BTreeMap::new();
    let mut all = Summary::default();
    for path in logs.files() {
        if !path.to_string_lossy().contains("/projects/") {
            continue;
        }
        let target = open_path(&path).unwrap();
        let s = Session::open(
            &Resolved {
                home: None,
                project: None,
                target,
            },
            None,
        )
        .unwrap();
        let r = check(&s, Rule::Current);
        for f in r.findings {
            let hand = path.to_string_lossy().contains("leaf-E");
            by.entry((f.rule.id(), hand)).or_default().push(format!(
                "{} {} {:?} {}",
                f.severity.name(),
                path.strip_prefix(logs.root()).unwrap().display(),
                f.line,
                f.message
            ));
        }
        all.add(&r.summary);
    }
    for (k, v) in by {
        println!("{k:?} {}", v.len());
        for l in v.iter().take(400) {
            println!("     {l}");
        }
    }
    println!("{all:#?}");
    let _ = Severity::Error;
}
