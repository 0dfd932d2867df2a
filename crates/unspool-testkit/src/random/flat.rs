//! Lines in the flat dialect.
//!
//! Some descriptions of logs have this format: `message` is a string, a call is a line with `toolName` and
//! `toolArguments`, a compaction is a `compact_system` line. No version of the CLI writes it, but such files
//! exist.

use crate::ids::uuid;
use crate::rng::Rng;
use crate::time::{START, iso};

/// Returns a random line in the flat dialect; `message` is a JSON string.
pub(super) fn line(rng: &mut Rng, name: &str, parent: Option<&str>, message: &str) -> String {
    let time = iso(START + rng.between(0, 3_600_000) as i64);
    let (kind, rest) = match rng.below(8) {
        0 | 1 => ("user", format!(r#","message":{message},"userType":"human""#)),
        2 => ("assistant", format!(r#","message":{message},"subtype":"response""#)),
        3 => (
            "assistant",
            r#","subtype":"tool_use","toolName":"Read","toolArguments":{"file_path":"/a"}"#
                .to_owned(),
        ),
        4 => ("system", format!(r#","message":{message}"#)),
        5 => (
            "compact_system",
            r#","message":"conversation_compacted","metadata":{"preservedMessages":10}"#.to_owned(),
        ),
        6 => ("user", format!(r#","message":{message},"isSidechain":true,"userType":"external""#)),
        _ => {
            let flag = rng.pick(&["isDeleted", "isAborted", "isMeta"]);
            ("assistant", format!(r#","message":{message},"{flag}":true"#))
        }
    };
    let links = parent.map_or(String::new(), |parent| {
        let key = rng.pick(&["parentUuid", "parentUuid", "logicalParentUuid"]);
        format!(r#","{key}":"{}""#, uuid(parent))
    });
    format!(
        r#"{{"type":"{kind}","uuid":"{}"{links},"timestamp":"{time}","sessionId":"{}"{rest}}}"#,
        uuid(name),
        uuid("session")
    )
}
