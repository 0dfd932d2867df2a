//! Runs scenarios with a client: the part of `cargo xtask real-client` without a network.

use std::process::ExitCode;

use unspool_testkit::scenarios;

fn main() -> ExitCode {
    scenarios::main()
}
