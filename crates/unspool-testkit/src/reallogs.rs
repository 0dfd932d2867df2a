//! Copies of logs that real versions of Claude Code wrote.
//!
//! Returns the paths of the logs, and the requests that followed them. `fixtures/README.md` describes the
//! folders, and where a reader may differ.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::home::files_below;

/// A collection of real logs.
#[derive(Clone, Debug)]
pub struct RealLogs {
    root: PathBuf,
}

/// A scenario that was run with one version.
#[derive(Clone, Debug)]
pub struct RealLogCase {
    /// The version of Claude Code.
    pub version: String,
    /// The name of the scenario.
    pub scenario: String,
    /// The folder of the scenario.
    pub dir: PathBuf,
    /// The request of a resume.
    pub resume: Resume,
    /// The last main request of the scenario, without the final answer.
    pub last_request: Option<Vec<RequestBlock>>,
    /// The session of the last request.
    pub session: Option<String>,
    /// The names of the snapshots taken during the scenario.
    pub snapshots: Vec<String>,
}

/// The request that a resume with the prompt `probe` sent to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resume {
    /// The scenario did not resume.
    NotTried,
    /// The client refused to resume.
    Refused,
    /// `U:` user texts and `A:` answers to them, in order; the active path comes before `U:probe`.
    Sent(Vec<String>),
}

/// A block of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestBlock {
    /// A text, cut to 160 characters and trimmed.
    Text {
        /// `user` or `assistant`.
        role: String,
        /// The text.
        text: String,
    },
    /// A tool call.
    Call {
        /// The id of the call.
        id: String,
        /// The name of the tool.
        tool: String,
    },
    /// A tool result.
    Result {
        /// The id of the call.
        id: String,
        /// Whether the call failed.
        is_error: bool,
    },
    /// Any other block.
    Other {
        /// `user` or `assistant`.
        role: String,
        /// The type of the block.
        kind: String,
    },
}

impl RealLogs {
    /// Returns the logs that are part of this crate.
    pub fn fixtures() -> Self {
        Self { root: fixture_root() }
    }

    /// Returns the larger collection next to the workspace, if it exists.
    pub fn shared() -> Option<Self> {
        shared_root().map(|root| Self { root })
    }

    /// Returns the folder of the collection.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns all scenarios, in the order of `cases.json`.
    pub fn cases(&self) -> Vec<RealLogCase> {
        let rows = read_json(&self.root.join("cases.json"));
        let rows = rows.as_array().expect("cases.json is an array");
        rows.iter().map(|row| RealLogCase::read(&self.root, row)).collect()
    }

    /// Returns the case of a version and scenario.
    pub fn case(&self, version: &str, scenario: &str) -> RealLogCase {
        self.cases()
            .into_iter()
            .find(|case| case.version == version && case.scenario == scenario)
            .unwrap_or_else(|| panic!("no scenario {version}/{scenario}"))
    }

    /// Returns all `.jsonl` files of the collection, sorted: logs and `history.jsonl`.
    pub fn files(&self) -> Vec<PathBuf> {
        jsonl_files(&self.root)
    }
}

impl RealLogCase {
    fn read(root: &Path, row: &Value) -> Self {
        let text = |key: &str| row[key].as_str().map(str::to_owned);
        let texts = |value: &Value| -> Option<Vec<String>> {
            value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
        };
        let version = text("version").expect("a case has a version");
        let scenario = text("scenario").expect("a case has a scenario");
        Self {
            dir: root.join(&version).join(&scenario),
            version,
            scenario,
            resume: match row.get("sent") {
                None => Resume::NotTried,
                Some(Value::Null) => Resume::Refused,
                Some(sent) => Resume::Sent(texts(sent).expect("`sent` is a list of texts")),
            },
            last_request: row["last_request"]
                .as_array()
                .map(|blocks| blocks.iter().map(RequestBlock::read).collect()),
            session: text("session"),
            snapshots: texts(&row["snapshots"]).unwrap_or_default(),
        }
    }

    /// Returns the Claude home at the end of the scenario, or the handmade input of the scenario.
    pub fn home(&self) -> PathBuf {
        let input = self.dir.join("input");
        if input.is_dir() { input } else { self.dir.join("home") }
    }

    /// Returns all `.jsonl` files of the home, in sorted order.
    pub fn files(&self) -> Vec<PathBuf> {
        jsonl_files(&self.home())
    }

    /// Returns the log of the case: that of its session, or the only one.
    pub fn transcript(&self) -> Option<PathBuf> {
        let mut files = jsonl_files(&self.home().join("projects"));
        match &self.session {
            Some(session) => {
                let name = format!("{session}.jsonl");
                files.into_iter().find(|path| path.file_name().is_some_and(|file| *file == *name))
            }
            None if files.len() == 1 => files.pop(),
            None => None,
        }
    }
}

impl RequestBlock {
    fn read(block: &Value) -> Self {
        let text = |key: &str| block[key].as_str().unwrap_or_default().to_owned();
        let role = text("role");
        if block.get("text").is_some() {
            Self::Text { role, text: text("text") }
        } else if block.get("tool_use").is_some() {
            Self::Call { id: text("tool_use"), tool: text("name") }
        } else if block.get("tool_result").is_some() {
            Self::Result { id: text("tool_result"), is_error: block["is_error"] == true }
        } else {
            Self::Other { role, kind: text("block") }
        }
    }
}

/// Returns the folder of the logs that are part of this crate.
pub fn fixture_root() -> PathBuf {
    fixtures().join("reallogs")
}

/// Returns the folder of the larger collection next to the workspace, if it exists.
pub fn shared_root() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reallogs");
    root.join("cases.json").is_file().then_some(root)
}

/// Returns results of the Python SDK: path encoding, titles, first prompts and chains.
pub fn sdk_vectors() -> Value {
    read_json(&fixtures().join("sdk-vectors.json"))
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

fn read_json(path: &Path) -> Value {
    let bytes =
        fs::read(path).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
    serde_json::from_slice(&bytes)
        .unwrap_or_else(|error| panic!("cannot parse {}: {error}", path.display()))
}

/// Returns the `.jsonl` files below a folder, sorted.
pub(crate) fn jsonl_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = files_below(folder);
    files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_has_its_folder() {
        let logs = RealLogs::fixtures();
        let cases = logs.cases();
        assert!(cases.len() > 100);
        for case in &cases {
            assert!(case.home().is_dir(), "{}", case.dir.display());
            for snapshot in &case.snapshots {
                assert!(case.dir.join(snapshot).is_dir(), "{}/{snapshot}", case.dir.display());
            }
        }
        assert!(logs.files().len() > 300);
    }

    #[test]
    fn resumed_cases_name_one_transcript() {
        let cases = RealLogs::fixtures().cases();
        let tried: Vec<&RealLogCase> =
            cases.iter().filter(|case| case.resume != Resume::NotTried).collect();
        assert!(tried.len() > 50);
        assert!(tried.iter().all(|case| case.transcript().is_some()));
        assert!(tried.iter().any(|case| case.resume == Resume::Refused));
    }

    #[test]
    fn requests_are_read_block_by_block() {
        let case = RealLogs::fixtures().case("2.1.325", "parallel");
        assert!(case.transcript().is_some());
        let blocks = case.last_request.expect("a request was recorded");
        assert!(blocks.iter().any(|block| matches!(block, RequestBlock::Call { .. })));
        assert!(blocks.iter().any(|block| matches!(block, RequestBlock::Result { .. })));
        assert!(blocks.iter().any(|block| matches!(block, RequestBlock::Text { .. })));
    }

    #[test]
    fn the_vectors_are_there() {
        assert_eq!(sdk_vectors()["chain"].as_object().map(serde_json::Map::len), Some(12));
    }
}
