//! Sessions about much the same things as the facts, which answer nothing.

use crate::rng::Rng;

const PROMPTS: &[&str] = &[
    "can you look at the {thing} and tell me why it is {state}?",
    "please add a test for the {thing}",
    "refactor the {thing} so that the {part} is easier to read",
    "the {thing} fails on {place} again, what happened?",
    "update the documentation of the {thing}",
    "how does the {thing} handle {failure}?",
    "make the {part} of the {thing} configurable",
    "review the changes in the {thing} before the release",
    "which {part} does the {thing} use when {failure} occurs?",
    "clean up the {part}, it is {state} since last week",
];

const ANSWERS: &[&str] = &[
    "I looked at the {thing}: the {part} was {state}, so I moved the {part2} out of the way and added a check for {failure}.",
    "The {thing} now validates its {part}. The tests for {failure} pass on {place}.",
    "Done. The {part} of the {thing} is documented, and the {part2} keeps working as before.",
    "There are two options for the {thing}: keep the {part} and accept {failure}, or replace the {part2}. I kept the {part}.",
    "The cause was in the {part2}: after {failure} the {thing} stayed {state} until somebody restarted it.",
    "I ran everything on {place}. Three tests of the {thing} failed because the {part} was {state}; they are fixed.",
    "We can ship the {thing} this week. What is left is the {part} and a note about {failure} in the changelog.",
    "The {thing} reads its {part} from the configuration, and falls back to the {part2} when there is none.",
    "I would not change the {thing} now. The {part} is {state}, but the {part2} covers {failure}.",
    "The {part} grew with every request, so the {thing} became slow on {place}; a limit keeps it small.",
];

const OUTPUTS: &[&str] = &[
    "running {n} tests\ntest {part}::{thing} ... ok\ntest result: ok. {n} passed; 0 failed",
    "error: the {thing} could not read the {part}\ncaused by: {failure}\nexit code 1",
    "{place}: {thing} started, {part} loaded in {n} ms\nwarn: {failure}",
    "src/{part}.rs:{n}: // the {thing} needs the {part2} here\nsrc/{part2}.rs:{n}: // see {thing}",
    "{n} files changed, {n} insertions(+), {n} deletions(-)\n{thing} | {n} ++++----",
];

const THINGS: &[&str] = &[
    "login form",
    "payment webhook",
    "search index",
    "mail sender",
    "image uploader",
    "report generator",
    "session store",
    "cache layer",
    "build pipeline",
    "docker image",
    "database migration",
    "backup job",
    "import script",
    "csv export",
    "invoice template",
    "dashboard",
    "scheduler",
    "load balancer",
    "websocket server",
    "plugin sandbox",
    "release process",
    "api gateway",
    "queue worker",
    "pdf renderer",
    "map view",
    "printer driver",
    "video player",
    "undo stack",
    "feature flag",
    "audit log",
    "rate limiter",
    "access token",
    "memory profiler",
    "deployment script",
    "test suite",
    "password reset",
    "translation file",
    "tree view",
    "barcode field",
    "museum app",
];

const PARTS: &[&str] = &[
    "parser",
    "config",
    "timeout",
    "retry loop",
    "connection pool",
    "error message",
    "schema",
    "header",
    "cookie",
    "lock",
    "buffer",
    "encoding",
    "font",
    "button",
    "layout",
    "key",
    "certificate",
    "table",
    "query",
    "endpoint",
    "listener",
    "worker",
    "batch",
    "cursor",
    "snapshot",
    "token",
    "limit",
    "flag",
    "log line",
    "checksum",
];

const STATES: &[&str] = &[
    "broken",
    "slow",
    "out of date",
    "too large",
    "empty",
    "locked",
    "unstable",
    "missing",
    "duplicated",
    "stuck",
    "misconfigured",
    "unused",
];

const FAILURES: &[&str] = &[
    "a timeout",
    "duplicate entries",
    "missing rows",
    "a full disk",
    "a lost connection",
    "wrong dates",
    "broken umlauts",
    "an expired certificate",
    "too many requests",
    "a restart",
    "a memory leak",
    "a race between two workers",
    "an empty response",
    "large uploads",
    "spam reports",
    "a deadlock",
];

const PLACES: &[&str] = &[
    "staging",
    "the build runner",
    "the phone",
    "linux",
    "safari",
    "production",
    "the laptop",
    "the new server",
    "the cluster",
    "firefox",
];

/// One turn that says nothing of interest.
pub(super) struct DistractorTurn {
    pub(super) prompt: String,
    pub(super) answer: String,
    pub(super) output: Option<String>,
}

/// Makes a turn about the things of a session.
pub(super) fn turn(rng: &mut Rng, thing: &str) -> DistractorTurn {
    let output = rng.chance(0.5).then(|| fill(rng.pick(OUTPUTS), thing, rng));
    DistractorTurn {
        prompt: fill(rng.pick(PROMPTS), thing, rng),
        answer: fill(rng.pick(ANSWERS), thing, rng),
        output,
    }
}

/// Chooses what a session is about.
pub(super) fn thing(rng: &mut Rng) -> &'static str {
    rng.pick(THINGS)
}

fn fill(template: &str, thing: &str, rng: &mut Rng) -> String {
    let mut text = template.to_owned();
    let number = rng.between(2, 400).to_string();
    for (name, word) in [
        ("{thing}", thing),
        ("{part2}", rng.pick(PARTS)),
        ("{part}", rng.pick(PARTS)),
        ("{state}", rng.pick(STATES)),
        ("{failure}", rng.pick(FAILURES)),
        ("{place}", rng.pick(PLACES)),
        ("{n}", &number),
    ] {
        text = text.replace(name, word);
    }
    text
}
