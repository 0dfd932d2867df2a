//! The JSON output of the program against the schemas in `docs/schema`.
//!
//! Scripts have to ignore unknown keys; in these tests an unknown key is an error.

use std::fs;
use std::path::Path;

use serde_json::Value;
use unspool_testkit::SchemaCheck;

/// The commands that print JSON.
const COMMANDS: [&str; 13] = [
    "list", "show", "tree", "search", "stats", "check", "export", "archive", "config", "drive",
    "recap", "resume", "watch",
];

/// Checks every line of a command's output against the schema of its document.
pub(crate) fn assert_fits(args: &[&str], out: &str) {
    let Some(document) = document_of(args) else {
        return;
    };
    let schema = schema(&document);
    for line in out.lines() {
        let value: Value =
            serde_json::from_str(line).unwrap_or_else(|_| panic!("{args:?}: {line}"));
        if let Err(problem) = schema.fit(schema.root(), &value) {
            panic!("{args:?} does not fit docs/schema/{document}.json: {problem}\n{value:#}");
        }
    }
}

/// Returns the name of the document that a command prints.
fn document_of(args: &[&str]) -> Option<String> {
    let asked = args.iter().position(|arg| *arg == "--json")?;
    let at = args.iter().position(|arg| COMMANDS.contains(arg))?;
    let has = |flag: &str| args.iter().any(|arg| arg.starts_with(flag));
    let sub = args.get(at + 1).filter(|_| asked != at + 1);
    Some(match args[at] {
        "show" if has("--summary") => "show-summary".to_owned(),
        "show" if has("--timeline") => "show-timeline".to_owned(),
        "show" if has("--context-series") => "show-context-series".to_owned(),
        "show" if has("--compare") => "show-compare".to_owned(),
        "show" if has("--changes") => "show-changes".to_owned(),
        "check" if has("--secrets") => "check-secrets".to_owned(),
        "stats" if has("--explain") => "stats-explain".to_owned(),
        "archive" => match sub {
            Some(sub @ (&"list" | &"verify" | &"restore")) => format!("archive-{sub}"),
            _ => "archive".to_owned(),
        },
        "drive" => match *sub? {
            "start" if has("--dry-run") => "drive-plan".to_owned(),
            "deny" | "answer" => "drive-approve".to_owned(),
            "cancel" => "drive-send".to_owned(),
            sub @ ("approve" | "attach" | "commands" | "send" | "trust" | "wait") => {
                format!("drive-{sub}")
            }
            _ => "drive-list".to_owned(),
        },
        command => command.to_owned(),
    })
}

/// Reads the schema of a document.
fn schema(document: &str) -> SchemaCheck {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
    let text = fs::read_to_string(folder.join(format!("{document}.json"))).expect(document);
    SchemaCheck::new(serde_json::from_str(&text).expect("a schema"))
}
