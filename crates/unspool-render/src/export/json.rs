//! The results of an export as JSON.

use unspool_model::positions::PathNumber;

use crate::export::{
    PathRef, PlannedAgent, PlannedPath, PlannedSession, SkippedPath, WrittenTranscript,
};
use crate::json::{SCHEMA, wire};

wire! {
    /// A transcript that was or would be written; before writing, unknown values are null.
    pub struct TranscriptJson<'a> from(written: &'a WrittenTranscript) {
        schema: u32 = SCHEMA,
        kind: &'static str = "transcript",
        file: String = written.path.display().to_string(),
        session: &'a str = written.session.as_str(),
        agent: Option<&'a str> = written.agent.as_deref(),
        path: Option<u32> = Some(written.number.map_or(0, PathNumber::get)),
        paths: usize = written.total,
        status: Option<&'static str> = Some(written.status.name()),
        messages: Option<usize> = Some(written.messages),
        bytes: Option<u64> = Some(written.bytes),
        pages: Option<u32> = Some(written.pages),
        side_files: Option<usize> = Some(written.side_files),
    }
}

impl<'a> TranscriptJson<'a> {
    /// Returns the plan for a path.
    pub fn planned(session: &'a PlannedSession, path: &PlannedPath, file: String) -> Self {
        Self {
            path: Some(path.number.get()),
            paths: session.total,
            status: Some(path.status.name()),
            ..Self::to_come(session, file)
        }
    }

    /// Returns the plan for an agent.
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

wire! {
    /// A path that is not written, with the path that contains it.
    pub struct LeftOutJson<'a> from(left: &'a SkippedPath) {
        schema: u32 = SCHEMA,
        kind: &'static str = "left_out",
        session: &'a str = left.path.session.as_str(),
        home: Option<String> = home(&left.path),
        path: u32 = left.path.number.get(),
        status: &'static str = left.path.status.name(),
        held_by: HolderJson<'a> = left.into(),
    }

    struct HolderJson<'a> from(left: &'a SkippedPath) {
        session: &'a str = left.held_by.session.as_str(),
        home: Option<String> = home(&left.held_by),
        path: u32 = left.held_by.number.get(),
        file: &'a str = &left.file,
    }
}

fn home(path: &PathRef) -> Option<String> {
    path.home.as_ref().map(|home| home.display().to_string())
}
