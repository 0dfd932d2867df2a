//! Runs scenarios with a client: the part of `cargo xtask real-client` that needs no network.

use std::process::ExitCode;

use unspool_testkit::scenarios;

fn main() -> ExitCode {
    scenarios::main()
}
