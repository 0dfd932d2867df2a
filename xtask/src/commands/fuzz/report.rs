//! Results of one fuzz target, parsed from the output of libFuzzer.

use std::fmt::Write as _;
use std::process::ExitStatus;

/// Executions and findings of one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FuzzReport {
    target: String,
    executions: Option<u64>,
    /// Files with the inputs that crashed, hung or were slow.
    findings: Vec<String>,
    ended: Ended,
}

/// How the target's process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Ended {
    /// It reached a limit.
    Normally,
    /// It failed, for this reason, or has not ended.
    Badly(String),
}

impl FuzzReport {
    /// Creates a report on a target that has not run yet.
    pub(super) fn new(target: &str) -> Self {
        Self {
            target: target.to_owned(),
            executions: None,
            findings: Vec::new(),
            ended: Ended::Badly("still running".to_owned()),
        }
    }

    /// Parses one line of libFuzzer's output.
    pub(super) fn read(&mut self, line: &str) {
        if let Some(count) = line.strip_prefix("stat::number_of_executed_units:") {
            self.executions = count.trim().parse().ok();
        } else if let Some((_, file)) = line.split_once("Test unit written to ") {
            self.findings.push(file.trim().to_owned());
        }
    }

    /// Records the exit status of the process.
    pub(super) fn finish(&mut self, status: ExitStatus) {
        self.ended =
            if status.success() { Ended::Normally } else { Ended::Badly(status.to_string()) };
    }

    /// Tells whether the target ran to its limit without findings.
    pub(super) fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.ended == Ended::Normally
    }
}

/// Returns one row for each target; after a row, its findings or the reason why it ended.
pub(super) fn table(reports: &[FuzzReport]) -> String {
    let names = reports.iter().map(|report| report.target.len());
    let width = names.chain(["target".len()]).max().unwrap_or(0);
    let mut text = format!("\n{:width$}  {:>12}  {:>8}\n", "target", "executions", "findings");
    for report in reports {
        let executions =
            report.executions.map_or_else(|| "unknown".to_owned(), |count| count.to_string());
        let findings = report.findings.len();
        let _ = writeln!(text, "{:width$}  {executions:>12}  {findings:>8}", report.target);
        for file in &report.findings {
            let _ = writeln!(text, "  found {file}");
        }
        if let (Ended::Badly(how), true) = (&report.ended, report.findings.is_empty()) {
            let _ = writeln!(text, "  ended without a finding: {how}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: &str = "\
#2097152	pulse  cov: 12 ft: 13 corp: 2/2b lim: 4096 exec/s: 1048576 rss: 40Mb
Done 3000000 runs in 2 second(s)
stat::number_of_executed_units: 3000000
stat::average_exec_per_sec:     1500000
stat::new_units_added:          1
stat::slowest_unit_time_sec:    0
stat::peak_rss_mb:              41
";

    const CRASH: &str = "\
thread '<unnamed>' panicked at fuzz_targets/line.rs:5:9:
==123== ERROR: libFuzzer: deadly signal
artifact_prefix='/r/fuzz/artifacts/line/'; Test unit written to /r/fuzz/artifacts/line/crash-0a
Base64: AAA=
stat::number_of_executed_units: 17
";

    fn report(target: &str, output: &str, ended: Ended) -> FuzzReport {
        let mut report = FuzzReport::new(target);
        output.lines().for_each(|line| report.read(line));
        FuzzReport { ended, ..report }
    }

    fn badly() -> Ended {
        Ended::Badly("exit status: 1".to_owned())
    }

    #[test]
    fn executions_and_findings_come_from_the_output() {
        let quiet = report("dag", QUIET, Ended::Normally);
        assert_eq!(quiet.executions, Some(3_000_000));
        assert!(quiet.is_clean());

        let crash = report("line", CRASH, badly());
        assert_eq!(crash.executions, Some(17));
        assert_eq!(crash.findings, ["/r/fuzz/artifacts/line/crash-0a"]);
        assert!(!crash.is_clean());
    }

    #[test]
    fn a_target_that_never_ran_is_not_clean() {
        assert!(!FuzzReport::new("dag").is_clean());
        assert!(!report("dag", "", badly()).is_clean());
    }

    #[test]
    fn table_lists_each_target_and_its_findings() {
        let reports = [
            report("dag", QUIET, Ended::Normally),
            report("long_line", CRASH, badly()),
            report("utf8", "", badly()),
        ];
        assert_eq!(
            table(&reports),
            "
target       executions  findings
dag             3000000         0
long_line            17         1
  found /r/fuzz/artifacts/line/crash-0a
utf8            unknown         0
  ended without a finding: exit status: 1
"
        );
    }
}
