//! `cargo xtask real-client`: the scenarios of the testkit with the real client.

mod install;
mod namespace;

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};

use crate::args::{XtaskCommand, is_help};
use crate::paths;
use crate::step::ProgramStep;

use self::install::{PINNED, PinnedClient};

/// The entry in the list of commands.
pub(crate) const COMMAND: XtaskCommand = XtaskCommand {
    name: "real-client",
    about: "Run the scenarios of the testkit with the real client, without a network.",
    run,
};

const HELP: &str = "\
Usage: cargo xtask real-client [--version V] [--compare] [SCENARIO...]

Installs the real client from the npm registry below `target`, with its exact
version and hash and without its install scripts, and runs the scenarios that
the tests run with the scripted client: all, or those that are named. It runs
with a home of its own, a made-up key and the scripted model API, in a network
namespace that has loopback and nothing else.

Where npm or such a namespace is missing, it says so and checks nothing.

Options:
  --version V  The version, which must have a pinned hash [default: 2.1.325]
  --compare    Build unspool too, and compare what it says that a resume would
               send with what the client sends

With --compare, sessions are also resumed through a host of unspool. The
scenarios whose names begin with `served` run the client through `unspool serve
--drive`, over HTTP. They need unspool, which is built if one is named, or with
--compare.
";

/// What the command line asked for.
#[derive(Debug, PartialEq, Eq)]
struct RealClientPlan {
    client: &'static PinnedClient,
    compares: bool,
    scenarios: Vec<String>,
}

/// How the names of scenarios begin that run the client through a server.
const SERVED: &str = "served";

impl RealClientPlan {
    /// Tells whether the program `unspool` is needed.
    fn needs_program(&self) -> bool {
        self.compares || self.scenarios.iter().any(|name| name.starts_with(SERVED))
    }
}

fn run(words: &[String]) -> Result<()> {
    if words.iter().any(|word| is_help(word)) {
        print!("{HELP}");
        return Ok(());
    }
    let plan = parse(words)?;
    match prepare(plan.client)? {
        Ready::Skip(reason) => {
            eprintln!("note: the real client was NOT run: {reason}");
            Ok(())
        }
        Ready::Run { client, namespace } => {
            let runner = build("unspool-testkit", "client-scenarios")?;
            let reader = if plan.needs_program() {
                vec!["--reader".to_owned(), build("unspool", "unspool")?]
            } else {
                Vec::new()
            };
            let client = client.display().to_string();
            namespace
                .step()
                .args([runner, "--real".to_owned(), client])
                .args(reader)
                .args(plan.scenarios)
                .within(paths::root())
                .run()
        }
    }
}

/// Whether this machine can run the real client.
#[derive(Debug)]
enum Ready {
    /// It cannot, for this reason.
    Skip(String),
    /// It can.
    Run {
        client: PathBuf,
        namespace: namespace::Namespace,
    },
}

fn prepare(client: &PinnedClient) -> Result<Ready> {
    let Some(namespace) = namespace::find() else {
        let reason =
            "no network namespace with loopback only can be made here (`unshare` and `ip`)";
        return Ok(Ready::Skip(reason.to_owned()));
    };
    let Some(platform) = client.platform() else {
        let reason = format!(
            "version {} has no pinned hash for this platform",
            client.version
        );
        return Ok(Ready::Skip(reason));
    };
    if !ProgramStep::new("npm", "--version").succeeds() {
        return Ok(Ready::Skip("npm is missing".to_owned()));
    }
    let client = install::ensure(client, platform)?;
    Ok(Ready::Run { client, namespace })
}

/// Builds a program, while there is a network, and returns its path.
fn build(package: &str, program: &str) -> Result<String> {
    ProgramStep::cargo("build --locked --package")
        .args([package, "--bin", program])
        .within(paths::root())
        .run()?;
    let path = paths::target().join("debug").join(program);
    Ok(path.display().to_string())
}

fn parse(words: &[String]) -> Result<RealClientPlan> {
    let mut version = None;
    let mut compares = false;
    let mut scenarios = Vec::new();
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        let (flag, attached) = match word.split_once('=') {
            Some((flag, value)) => (flag, Some(value)),
            None => (word, None),
        };
        match flag {
            "--version" => {
                let value = attached.or_else(|| words.next());
                version = Some(value.context("--version needs a version")?);
            }
            "--compare" => compares = true,
            _ if word.starts_with('-') => bail!("`cargo xtask real-client` has no option `{word}`"),
            _ => scenarios.push(word.to_owned()),
        }
    }
    let client = match version {
        None => &PINNED[0],
        Some(version) => PINNED
            .iter()
            .find(|client| client.version == version)
            .with_context(|| format!("version {version} has no pinned hash; see install.rs"))?,
    };
    Ok(RealClientPlan {
        client,
        compares,
        scenarios,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(line: &str) -> Result<(&'static str, Vec<String>)> {
        let words: Vec<String> = line.split_whitespace().map(String::from).collect();
        parse(&words).map(|plan| (plan.client.version, plan.scenarios))
    }

    #[test]
    fn versions_are_pinned_and_scenarios_named() {
        let (version, scenarios) = planned("").expect("a plan");
        assert_eq!((version, scenarios.len()), ("2.1.325", 0));
        let words = "queue --version 2.1.325 --compare approvals";
        let (version, scenarios) = planned(words).expect("a plan");
        assert_eq!(version, "2.1.325");
        assert_eq!(scenarios, ["queue", "approvals"]);
        let needs = |line: &str| {
            let words: Vec<String> = line.split_whitespace().map(String::from).collect();
            parse(&words).expect("a plan").needs_program()
        };
        assert!(needs("served") && needs("--compare queue") && !needs("queue"));
        let error = |line: &str| planned(line).expect_err("must fail").to_string();
        assert!(error("--version=1.0.0").contains("no pinned hash"));
        assert_eq!(error("--version"), "--version needs a version");
        assert!(error("--fast").contains("no option `--fast`"));
    }
}
