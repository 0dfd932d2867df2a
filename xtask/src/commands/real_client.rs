//! `cargo xtask real-client`: runs the scenarios of the testkit with the real client.

mod install;
mod namespace;

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;

use crate::paths;
use crate::step::ProgramStep;

use self::install::{PINNED, PinnedClient};

/// Run the scenarios of the testkit with the real client, without a network.
///
/// Installs the real client from the npm registry below `target`, with its exact version and hash
/// and without its install scripts, and runs the scenarios that the tests run with the scripted
/// client: all, or those that are named. It runs with a home of its own, a made-up key and the
/// scripted model API, in a network namespace that has loopback and nothing else.
///
/// Where npm or such a namespace is missing, it says so and checks nothing.
///
/// With --compare, sessions are also resumed through a host of unspool. The scenarios whose names
/// begin with `served` run the client through `unspool serve --drive`, over HTTP. They need
/// unspool, which is built if one is named, or with --compare.
#[derive(Debug, Args)]
pub(crate) struct RealClientArgs {
    /// The version, which must have a pinned hash
    #[arg(long, value_name = "V", default_value = PINNED[0].version, value_parser = pinned)]
    version: &'static PinnedClient,
    /// Build unspool too, and compare what it says that a resume would send with what the client
    /// sends
    #[arg(long)]
    compare: bool,
    /// The scenarios to run [default: all]
    #[arg(value_name = "SCENARIO")]
    scenarios: Vec<String>,
}

/// The prefix of scenarios that run the client through a server.
const SERVED: &str = "served";

impl RealClientArgs {
    /// Tells whether the program `unspool` is needed.
    fn needs_program(&self) -> bool {
        self.compare || self.scenarios.iter().any(|name| name.starts_with(SERVED))
    }
}

/// Returns the pinned client of a version.
fn pinned(version: &str) -> Result<&'static PinnedClient> {
    PINNED
        .iter()
        .find(|client| client.version == version)
        .with_context(|| format!("version {version} has no pinned hash; see install.rs"))
}

/// Runs the scenarios if this machine can.
pub(super) fn run(args: RealClientArgs) -> Result<()> {
    match prepare(args.version)? {
        Ready::Skip(reason) => {
            eprintln!("note: the real client was NOT run: {reason}");
            Ok(())
        }
        Ready::Run { client, namespace } => {
            let runner = build("unspool-testkit", "client-scenarios")?;
            let reader = if args.needs_program() {
                vec!["--reader".to_owned(), build("unspool", "unspool")?]
            } else {
                Vec::new()
            };
            let client = client.display().to_string();
            namespace
                .step()
                .args([runner, "--real".to_owned(), client])
                .args(reader)
                .args(args.scenarios)
                .within(paths::root())
                .run()
        }
    }
}

/// The result of preparing a run of the real client.
#[derive(Debug)]
enum Ready {
    /// This machine cannot run it, for this reason.
    Skip(String),
    /// The client is installed.
    Run { client: PathBuf, namespace: namespace::Namespace },
}

fn prepare(client: &PinnedClient) -> Result<Ready> {
    let Some(namespace) = namespace::find() else {
        let reason =
            "no network namespace with loopback only can be made here (`unshare` and `ip`)";
        return Ok(Ready::Skip(reason.to_owned()));
    };
    let Some(platform) = client.platform() else {
        let reason = format!("version {} has no pinned hash for this platform", client.version);
        return Ok(Ready::Skip(reason));
    };
    if !ProgramStep::new("npm", "--version").succeeds() {
        return Ok(Ready::Skip("npm is missing".to_owned()));
    }
    let client = install::ensure(client, platform)?;
    Ok(Ready::Run { client, namespace })
}

/// Builds a program, while the network is available, and returns its path.
fn build(package: &str, program: &str) -> Result<String> {
    ProgramStep::cargo("build --locked --package")
        .args([package, "--bin", program])
        .within(paths::root())
        .run()?;
    let path = paths::target().join("debug").join(program);
    Ok(path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::Xtask;
    use crate::commands::tests::parsed;

    #[test]
    fn versions_are_pinned_and_scenarios_named() {
        let args = |words: &str| match parsed(&format!("real-client {words}")) {
            Xtask::RealClient(args) => args,
            other => unreachable!("{other:?}"),
        };
        assert_eq!(args("").version.version, "2.1.325");
        let named = args("queue --version 2.1.325 --compare approvals");
        assert_eq!(named.scenarios, ["queue", "approvals"]);
        let needs = |words: &str| args(words).needs_program();
        assert!(needs("served") && needs("--compare queue") && !needs("queue"));
        let error = pinned("1.0.0").expect_err("must fail").to_string();
        assert!(error.contains("no pinned hash"), "{error}");
    }
}
