//! The findings of `check` in logs of real clients.

use std::fs;
use std::path::Path;

use unspool_engine::ops::check::{CheckSummary, RuleId, Severity, check};
use unspool_model::graph::Rule;
use unspool_store::session::Session;
use unspool_testkit::random::{self, RandomShape};
use unspool_testkit::reallogs::RealLogs;

use crate::setup::open;

/// Opens every transcript of a collection, including each agent's file by itself.
fn each_real_session(logs: &RealLogs, mut visit: impl FnMut(&Path, &Session)) {
    let inside = |path: &Path| path.components().any(|part| part.as_os_str() == "projects");
    for path in logs.files().iter().filter(|path| inside(path)) {
        visit(path.strip_prefix(logs.root()).expect("inside"), &open(path).expect("a session"));
    }
}

#[test]
fn logs_of_real_clients_have_no_errors() {
    // Scenarios that end in a kill, or were copied while a dialog was open.
    let unfinished = ["kill9-", "sighup-", "sigterm-", "tui-perm"];
    for logs in [Some(RealLogs::fixtures()), RealLogs::shared()].into_iter().flatten() {
        let mut all = CheckSummary::default();
        each_real_session(&logs, |path, session| {
            for rule in [Rule::Current, Rule::NewestTime, Rule::Sdk] {
                let report = check(session, rule);
                for finding in &report.findings {
                    let place = path.to_string_lossy();
                    let by_hand = place.contains("/leaf-E");
                    let expected = finding.rule == RuleId::CallWithoutResult
                        && unfinished.iter().any(|name| place.contains(name));
                    assert!(finding.severity < Severity::Error, "{place}: {finding:?}");
                    assert!(
                        finding.severity < Severity::Warning || by_hand || expected,
                        "{place}: {finding:?}"
                    );
                }
                all.add(&report.summary);
            }
        });
        assert!(all.sessions > 300 && all.dialects.flat == 0);
        assert!(all.compactions.count > 0 && all.agents.linked > 0 && all.branches > 0);
    }
}

#[test]
fn logs_that_were_damaged_by_hand_are_found_out() {
    let logs = RealLogs::shared().unwrap_or_else(RealLogs::fixtures);
    let mut seen = 0;
    each_real_session(&logs, |path, session| {
        let place = path.to_string_lossy();
        let (rule, count) = if place.contains("leaf-E08/") {
            (RuleId::UnfinishedLine, 1)
        } else if place.contains("leaf-E09/") {
            (RuleId::DamagedLine, 1)
        } else if place.contains("leaf-E10/") {
            (RuleId::UnknownParent, 1)
        } else if place.contains("leaf-E11/") {
            (RuleId::DuplicateUuid, check(session, Rule::Current).summary.messages)
        } else {
            return;
        };
        seen += 1;
        let report = check(session, Rule::Current);
        assert_eq!(report.summary.findings.warning, count, "{place}");
        assert_eq!(report.summary.rules.get(rule.id()), Some(&count), "{place}");
    });
    assert!(seen >= 4, "{seen}");
}

#[test]
fn random_logs_are_survived_and_counted_in_full() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("11111111-1111-4111-8111-111111111111.jsonl");
    for seed in 0..60 {
        for (shape, whole) in [(RandomShape::well_formed(80), true), (RandomShape::wild(80), false)]
        {
            fs::write(&path, random::session(seed, &shape)).expect("writes");
            let session = open(&path).expect("a session");
            for rule in [Rule::Current, Rule::NewestTime, Rule::Sdk] {
                let report = check(&session, rule);
                let summary = &report.summary;
                let counts = summary.findings;
                let told = report.findings.len() as u64;
                assert_eq!(counts.error + counts.warning + counts.info, told, "{seed}");
                assert_eq!(summary.rules.values().sum::<u64>(), told, "{seed}");
                assert!(report.findings.is_sorted_by_key(|finding| finding.line), "{seed}");
                assert!(!whole || counts.error == 0, "{seed}: {:?}", report.findings);
                let orphans = summary.orphans;
                let kinds = orphans.first + orphans.elsewhere + orphans.compacted;
                assert_eq!(orphans.count, kinds + orphans.flat + orphans.unknown, "{seed}");
            }
        }
    }
}
