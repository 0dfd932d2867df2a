//! The plan to resume a session as JSON: one object.

use std::collections::BTreeMap;
use std::path::Path;

use super::{SCHEMA, wire};
use unspool_engine::ops::resume::ResumePlan;

wire! {
    /// How to resume a session: one object.
    pub struct ResumeJson<'a> new(plan: &'a ResumePlan, program: &[&'a str]) {
        schema: u32 = SCHEMA,
        session: &'a str = plan.session.as_str(),
        file: String = shown(&plan.log),
        /// The folder to run the client in; null if the log names none.
        cwd: Option<String> = plan.folder.as_deref().map(shown),
        /// The program and its arguments.
        arguments: Vec<&'a str> = {
            let arguments = plan.arguments.iter().map(String::as_str);
            program.iter().copied().chain(arguments).collect()
        },
        /// Variables to set for the client, or to remove (null).
        environment: BTreeMap<&'static str, Option<String>> =
            plan.home.variable().into_iter().map(|(name, home)| (name, home.map(shown))).collect(),
        /// The whole command as a line for a shell.
        command: String = plan.shell_line(program),
        /// Why unspool would not run the command; null if it would.
        refused: Option<String> = plan.obstacle.as_ref().map(ToString::to_string),
        /// Remarks for the user.
        notes: Vec<String> = plan.remarks.iter().map(ToString::to_string).collect(),
    }
}

fn shown(folder: &Path) -> String {
    folder.display().to_string()
}
