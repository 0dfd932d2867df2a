//! A client that speaks the wire protocol of Claude Code and does what its prompts say, for tests.

use std::process::ExitCode;

use unspool_testkit::client;

fn main() -> ExitCode {
    client::main()
}
