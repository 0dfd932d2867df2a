//! Sessions in a compact notation, so that a test reads like the picture on the whiteboard.
//!
//! Writes every kind of line of a log, including lines that are damaged on purpose. Does not read logs.
//!
//! ```
//! use unspool_testkit::{session, uuid};
//!
//! let bytes = session(r#"
//!     u1  user "fix the bug"
//!     a1  assistant "Looking." call Bash:t1 {"command":"ls"} out=120 cr=1000
//!     r1  result t1 "src"
//!     a2  assistant "Done."
//!     u2b user < a1 "other way"
//!     -- last-prompt a2
//! "#);
//! assert!(String::from_utf8_lossy(&bytes).contains(&uuid("u2b")));
//! ```
//!
//! # Lines
//!
//! | line | meaning |
//! |---|---|
//! | `id kind options…` | an entry, one line of the file |
//! | `-- type options…` | a metadata or damaged line |
//! | `%setting value` | a setting for the lines that follow |
//! | `# …`, empty | nothing |
//!
//! # Options of every entry
//!
//! | option | meaning |
//! |---|---|
//! | `< name`, `< -`, `< ?name` | the parent, which may be below; none (`null`); a name that the file lacks. By default the entry above |
//! | `@+2.5`, `@-2`, `@90` | seconds after the line above, before it, after the start of the session. By default one second after the line above |
//! | `sidechain`, `sidechain=a12` | on a sidechain; on that of an agent |
//! | `meta` | `isMeta` |
//! | `again` | repeats the name, and thus the uuid, of an earlier entry |
//! | `+key=json`, `!key` | sets or removes a top-level field |
//!
//! # Kinds
//!
//! | kind | options |
//! |---|---|
//! | `user` | `"text"`…, `image`, `blocks` (a single text as an array), `summary` (after a compaction), `source=`, `origin=`, `prompt=name`, `interrupted=message-id` |
//! | `assistant` | `"text"`, `thinking "text"`, `call Tool:id {input}`, `image`, each as often as needed; `msg=` (default `msg_<id>`), `req=` (`-` for none), `model=`, `stop=` (or `null`), `in=` `out=` `cr=` `cw5=` `cw1=` (default 3 in, 10 out), `no-usage`, `synthetic`, `api-error=kind` |
//! | `result` | `call-id "text"`, several if needed, `?id` for a call that was never made; `error`, `denied=kind`, `agent=id`, `launched` |
//! | `system subtype` | `"content"`, `ms=`; for `compact_boundary` also `logical=name` (`-` for none; default: the entry above), `keep=a,b,c`, `anchor=name` (default: the entry below), `manual`, `before=`, `after=`; its parent is `null` unless given |
//! | `attachment kind`, `progress kind` | `"text"`, `tool=id`, `agent=id`, `{more members of the payload}` |
//! | `?type` | an unknown type, with uuid and parent: `"content"`, `{more members}` |
//!
//! # Metadata and damage
//!
//! | line | meaning |
//! |---|---|
//! | `-- custom-title "x"`, `ai-title`, `agent-name`, `tag`, `mode`, `permission-mode` | one text |
//! | `-- last-prompt [explicit] name ["text"]` | `explicit` if a person chose the leaf; `0` for the all-zero uuid of a rewind, `-` for no leaf |
//! | `-- summary "x" leaf` | the title line of old clients |
//! | `-- queue enqueue ["text"]` | a queue operation |
//! | `-- snapshot name [{files}]`, `snapshot-update` | a file checkpoint |
//! | `-- raw …` | the rest of the line unchanged |
//! | `-- bytes 22ff22` | bytes in hexadecimal |
//! | `-- torn …` | a fragment; without a line end if it is the last line |
//! | `-- glue …` | a fragment or record without a line end: the next line continues it |
//! | `-- blank` | an empty line |
//!
//! In raw lines and in JSON, `%uuid(name)` represents the uuid of a name.
//!
//! # Settings
//!
//! `%session name`, `%cwd path`, `%version 2.0.55`, `%branch name`, `%entrypoint name`, and `%agent id`
//! for the log of an agent (`%agent -` ends it). Fields that the version did not write are left out.
//!
//! Mistakes panic with their line. A name without a definition is a mistake unless it is marked with `?`.

mod assistant;
mod block;
mod entry;
mod envelope;
mod fields;
mod inert;
mod metadata;
mod notation;
mod system;
mod tokens;
mod tool_result;
mod user;
mod words;
mod writer;

#[cfg(test)]
mod tests;

pub(crate) use fields::quote;
use notation::LineEnd;
use writer::DagWriter;

/// Returns the bytes of the session that the notation describes.
///
/// # Panics
///
/// On a mistake in the notation, with its line.
pub fn session(notation: &str) -> Vec<u8> {
    let lines = lines(notation);
    let is_torn = lines.last().is_some_and(|(_, end)| *end == LineEnd::Torn);
    let mut file = Vec::new();
    for (line, end) in lines {
        file.extend(line);
        if end != LineEnd::Glued {
            file.push(b'\n');
        }
    }
    if is_torn {
        file.pop();
    }
    file
}

/// Returns the lines of a session, each with its line end.
pub(crate) fn lines(notation: &str) -> Vec<(Vec<u8>, LineEnd)> {
    DagWriter::new(&notation::parse(notation)).lines()
}

/// Returns the bytes that a notation appends to the session of another one.
///
/// # Panics
///
/// If the added lines change earlier ones, such as a compaction boundary at the end of `before`.
pub fn added(before: &str, more: &str) -> Vec<u8> {
    let old = session(before);
    let all = session(&format!("{before}\n{more}"));
    assert!(all.starts_with(&old), "a log only grows");
    all[old.len()..].to_vec()
}
