//! The command line of the program `client-scenarios`.

use std::env;
use std::fs;
use std::panic;
use std::process::ExitCode;
use std::time::Instant;

use super::{SCENARIOS, SERVED, Scenario, StageTools, StagedProgram};

const USAGE: &str =
    "usage: client-scenarios (--real | --scripted) PROGRAM [--reader UNSPOOL] [SCENARIO...]";

/// Runs scenarios with the arguments of this process, and prints their reports.
#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the report is what the program is for"
)]
pub fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let (tools, scenarios) = match parse(&words) {
        Ok(parsed) => parsed,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    let mut wrong = Vec::new();
    for scenario in &scenarios {
        let started = Instant::now();
        // A client that does not answer must fail only its own scenario.
        let report = panic::catch_unwind(|| scenario.run(&tools));
        let seconds = started.elapsed().as_secs_f64();
        println!("{}: {} ({seconds:.1} s)", scenario.name, scenario.about);
        match report {
            Ok(report) => {
                print!("{report}");
                if !report.is_right() {
                    wrong.push(scenario.name);
                }
            }
            Err(_) => wrong.push(scenario.name),
        }
    }
    let passed = scenarios.len() - wrong.len();
    println!("{passed} passed, {} failed", wrong.len());
    if wrong.is_empty() {
        ExitCode::SUCCESS
    } else {
        eprintln!("error: wrong: {}", wrong.join(", "));
        ExitCode::FAILURE
    }
}

fn parse(words: &[String]) -> Result<(StageTools, Vec<Scenario>), String> {
    let [kind, program, names @ ..] = words else {
        return Err(USAGE.to_owned());
    };
    // Programs are started in other folders.
    let absolute =
        |path: &String| fs::canonicalize(path).map_err(|error| format!("{path}: {error}"));
    let (reader, names) = match names {
        [flag, reader, names @ ..] if flag == "--reader" => (Some(absolute(reader)?), names),
        _ => (None, names),
    };
    let path = absolute(program)?;
    let program = match kind.as_str() {
        "--scripted" => StagedProgram::Scripted(path),
        "--real" => {
            only_loopback(&fs::read_to_string("/proc/net/dev").unwrap_or_default())?;
            StagedProgram::Real(path)
        }
        _ => return Err(USAGE.to_owned()),
    };
    // Scenarios that need the program `unspool` run only if it is given.
    let served = SERVED.into_iter().filter(|_| reader.is_some());
    let known: Vec<Scenario> = SCENARIOS.into_iter().chain(served).collect();
    let scenario = |name: &String| {
        let found = known.iter().find(|scenario| scenario.name == name);
        found.copied().ok_or_else(|| {
            let names: Vec<&str> = known.iter().map(|scenario| scenario.name).collect();
            format!("no scenario `{name}`; there are {}", names.join(", "))
        })
    };
    let scenarios: Result<Vec<Scenario>, String> = names.iter().map(scenario).collect();
    let scenarios = scenarios?;
    Ok((StageTools { program, reader }, if scenarios.is_empty() { known } else { scenarios }))
}

/// Refuses to start the real client if it could reach other machines.
fn only_loopback(devices: &str) -> Result<(), String> {
    let names = devices.lines().filter_map(|line| line.split_once(':'));
    let names: Vec<&str> = names.map(|(name, _)| name.trim()).collect();
    if names == ["lo"] {
        return Ok(());
    }
    Err(format!(
        "the real client runs only in a network namespace that has loopback and nothing else; here \
         is: {}",
        names.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<usize, String> {
        let words: Vec<String> = line.split_whitespace().map(String::from).collect();
        parse(&words).map(|(_, scenarios)| scenarios.len())
    }

    #[test]
    fn scenarios_are_named_or_all() {
        assert_eq!(parsed("--scripted /bin/sh"), Ok(SCENARIOS.len()));
        assert_eq!(parsed("--scripted /bin/sh queue approvals"), Ok(2));
        assert_eq!(parsed("--scripted /bin/sh --reader /bin/sh queue"), Ok(1));
        assert!(parsed("--scripted /bin/sh nope").is_err_and(|error| error.contains("queue")));
        assert!(parsed("--scripted").is_err());
        assert!(parsed("--scripted /no/such/file").is_err());
        assert!(parsed("x /bin/sh").is_err());
    }

    #[test]
    fn the_real_client_needs_a_namespace() {
        let head = "Inter-|   Receive\n face |bytes\n";
        assert!(only_loopback(&format!("{head}    lo:   0  0\n")).is_ok());
        assert!(only_loopback(&format!("{head}    lo:   0  0\n  eth0: 1 2\n")).is_err());
        assert!(only_loopback("").is_err());
    }
}
