//! Measures the project's budgets on generated logs.
//!
//! Every result is a ratio to something simpler that was measured in the same run on the same
//! bytes, so that it means the same on any machine. Each task runs in its own child process
//! ([`probe`]), which starts with a clean heap and reports its own peak of memory.
//!
//! `docs/benchmarks.md` explains each line.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program of one page: the table goes to stdout, progress to stderr"
)]

mod args;
mod bare;
mod benches;
mod counter;
#[cfg(unix)]
mod driven;
mod grown;
mod logs;
mod machine;
mod probe;
mod program;
mod quantity;
mod reference;
mod report;
mod served;
mod shapes;
mod stopwatch;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser as _;
use mimalloc::MiMalloc;

use crate::args::BenchArgs;
use crate::benches::BenchContext;
use crate::report::BenchReport;

/// The allocator of the measured program.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    match run(&BenchArgs::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(args: &BenchArgs) -> Result<ExitCode> {
    if let Some(args::Inner::Probe { task }) = &args.inner {
        println!("{}", serde_json::to_string(&task.perform()?)?);
        return Ok(ExitCode::SUCCESS);
    }
    let report = measure(args)?;
    if args.json {
        println!("{}", serde_json::to_string(&report)?);
    } else {
        print!("{report}");
    }
    Ok(ExitCode::from(u8::from(!report.ok)))
}

/// Runs the requested benches, by default all.
fn measure(args: &BenchArgs) -> Result<BenchReport> {
    let mut context = BenchContext::prepare(args)?;
    let mut lines = Vec::new();
    for bench in args.benches() {
        eprintln!("measuring {}", bench.name());
        lines.extend(bench.run(&mut context)?);
    }
    Ok(BenchReport::new(context, lines))
}
