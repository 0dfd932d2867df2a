//! What an export did, as scripts see it.

use serde::Serialize;
use unspool_model::positions::PathNumber;

use crate::export::{
    PathRef, PlannedAgent, PlannedPath, PlannedSession, SkippedPath, WrittenTranscript,
};
use crate::json::SCHEMA;

/// A transcript that was written, or would be; what is not known before is null then.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TranscriptJson<'a> {
    schema: u32,
    kind: &'static str,
    file: String,
    session: &'a str,
    agent: Option<&'a str>,
    path: Option<u32>,
    paths: usize,
    status: Option<&'static str>,
    messages: Option<usize>,
    bytes: Option<u64>,
    pages: Option<u32>,
    side_files: Option<usize>,
}

impl<'a> From<&'a WrittenTranscript> for TranscriptJson<'a> {
    fn from(written: &'a WrittenTranscript) -> Self {
        Self {
            schema: SCHEMA,
            kind: "transcript",
            file: written.path.display().to_string(),
            session: written.session.as_str(),
            agent: written.agent.as_deref(),
            path: Some(written.number.map_or(0, PathNumber::get)),
            paths: written.total,
            status: Some(written.status.name()),
            messages: Some(written.messages),
            bytes: Some(written.bytes),
            pages: Some(written.pages),
            side_files: Some(written.side_files),
        }
    }
}

impl<'a> TranscriptJson<'a> {
    /// Says what would be written of a path.
    pub fn planned(session: &'a PlannedSession, path: &PlannedPath, file: String) -> Self {
        Self {
            path: Some(path.number.get()),
            paths: session.total,
            status: Some(path.status.name()),
            ..Self::to_come(session, file)
        }
    }

    /// Says what would be written of an agent.
    pub fn planned_agent(
        session: &'a PlannedSession,
        agent: &'a PlannedAgent,
        file: String,
    ) -> Self {
        Self { agent: Some(&agent.id), ..Self::to_come(session, file) }
    }

    fn to_come(session: &'a PlannedSession, file: String) -> Self {
        Self {
            schema: SCHEMA,
            kind: "transcript",
            file,
            session: session.id.as_str(),
            agent: None,
            path: None,
            paths: session.total,
            status: None,
            messages: None,
            bytes: None,
            pages: None,
            side_files: None,
        }
    }
}

/// A path that is not written, with the one that contains it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LeftOutJson<'a> {
    schema: u32,
    kind: &'static str,
    session: &'a str,
    home: Option<String>,
    path: u32,
    status: &'static str,
    held_by: HolderJson<'a>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct HolderJson<'a> {
    session: &'a str,
    home: Option<String>,
    path: u32,
    file: &'a str,
}

impl<'a> From<&'a SkippedPath> for LeftOutJson<'a> {
    fn from(left: &'a SkippedPath) -> Self {
        let SkippedPath { path, held_by, file } = left;
        Self {
            schema: SCHEMA,
            kind: "left_out",
            session: path.session.as_str(),
            home: home(path),
            path: path.number.get(),
            status: path.status.name(),
            held_by: HolderJson {
                session: held_by.session.as_str(),
                home: home(held_by),
                path: held_by.number.get(),
                file,
            },
        }
    }
}

fn home(path: &PathRef) -> Option<String> {
    path.home.as_ref().map(|home| home.display().to_string())
}
