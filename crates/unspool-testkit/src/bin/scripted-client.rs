//! A client for tests that speaks the protocol of Claude Code and follows the directives in its prompts.

use std::process::ExitCode;

use unspool_testkit::client;

fn main() -> ExitCode {
    client::main()
}
