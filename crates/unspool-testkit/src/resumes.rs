//! Random sessions that the real client resumed, with the requests that it sent.
//!
//! Each case is a log, generated from the shapes that clients write and from damage, and the request that
//! version 2.1.325 sent to a scripted model after `--resume` with the prompt `probe`. Every text of a log has
//! a unique mark, such as `MKU12`, and the cases list marks.

use std::collections::BTreeMap;
use std::io::BufRead as _;

use serde_json::Value;

/// A log that the client resumed.
#[derive(Clone, Debug)]
pub struct ResumeCase {
    /// The seed of the log.
    pub seed: u64,
    /// The shapes in it.
    pub features: Vec<String>,
    /// The log.
    pub log: String,
    /// The marks that were sent, in order: `U` prompts, `A` answers, `T` thinking, `C` calls,
    /// `Q` queued prompts, `Z` summaries.
    pub sent: Vec<String>,
    /// The mark of the result that was sent for each call.
    pub results: BTreeMap<String, String>,
    /// The calls whose result the client made up.
    pub answered: Vec<String>,
    /// The parent of the next prompt; `None` if the client wrote lines before it.
    pub tip: Option<String>,
}

impl ResumeCase {
    fn read(row: &Value) -> Self {
        let texts = |key: &str| {
            let texts = row[key].as_array().expect("a list").iter();
            texts.filter_map(|text| Some(text.as_str()?.to_owned()))
        };
        let results = row["results"].as_object().expect("results");
        let results = results.iter();
        let results = results.filter_map(|(call, mark)| Some((call, mark.as_str()?)));
        Self {
            seed: row["seed"].as_u64().expect("a seed"),
            features: texts("features").collect(),
            log: row["log"].as_str().expect("a log").to_owned(),
            sent: texts("sent").collect(),
            results: results.map(|(call, mark)| (call.clone(), mark.to_owned())).collect(),
            answered: texts("open_calls_answered_by_client").collect(),
            tip: row["tip"].as_str().map(str::to_owned),
        }
    }
}

/// A session that the client wrote and then resumed.
#[derive(Clone, Debug)]
pub struct RealResume {
    /// The name of the scenario.
    pub scenario: String,
    /// The log before the resume.
    pub log: String,
    /// The blocks that were sent: `U:` texts of the user, cut to 32 characters; `A:` answers, by the text
    /// that they repeat; `USE`, `RES` and `RES!` calls and results; other blocks by their type.
    pub sent: Vec<String>,
}

/// Returns the random sessions.
pub fn cases() -> Vec<ResumeCase> {
    let packed: &[u8] = include_bytes!("../fixtures/resume-random.jsonl.zst");
    rows(packed).iter().map(ResumeCase::read).collect()
}

/// Returns the sessions that the client wrote itself.
pub fn real() -> Vec<RealResume> {
    let packed: &[u8] = include_bytes!("../fixtures/resume-real.jsonl.zst");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    rows(packed)
        .iter()
        .map(|row| RealResume {
            scenario: text(&row["scenario"]),
            log: text(&row["log"]),
            sent: row["sent"].as_array().expect("a list").iter().map(text).collect(),
        })
        .collect()
}

/// Reads the rows of a compressed file.
fn rows(packed: &[u8]) -> Vec<Value> {
    let decoder = zstd::stream::read::Decoder::new(packed).expect("a compressed file");
    let lines = std::io::BufReader::new(decoder).lines();
    lines.map(|line| serde_json::from_str(&line.expect("readable")).expect("a case")).collect()
}
