//! How a session is gone on with, as scripts see it: one object.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::SCHEMA;
use unspool_engine::ops::resume::ResumePlan;

/// How a session is gone on with.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ResumeJson<'a> {
    schema: u32,
    session: &'a str,
    file: String,
    /// The folder to run the client in; null if the log names none.
    cwd: Option<String>,
    /// The program and its arguments.
    arguments: Vec<&'a str>,
    /// Variables that are set for the client, or taken away from it (null).
    environment: BTreeMap<&'static str, Option<String>>,
    /// All of it as a line for a shell.
    command: String,
    /// Why it would not be run; null if it can be.
    refused: Option<String>,
    /// What a person should know.
    notes: Vec<String>,
}

impl<'a> ResumeJson<'a> {
    /// Takes a plan and the program that is run, with the arguments that it always gets.
    pub fn new(plan: &'a ResumePlan, program: &[&'a str]) -> Self {
        let variable = plan.home.variable();
        let shown = |home: &Path| home.display().to_string();
        let arguments = plan.arguments.iter().map(String::as_str);
        Self {
            schema: SCHEMA,
            session: plan.session.as_str(),
            file: plan.log.display().to_string(),
            cwd: plan.folder.as_ref().map(|it| it.display().to_string()),
            arguments: program.iter().copied().chain(arguments).collect(),
            environment: variable.into_iter().map(|(name, home)| (name, home.map(shown))).collect(),
            command: plan.shell_line(program),
            refused: plan.obstacle.as_ref().map(ToString::to_string),
            notes: plan.remarks.iter().map(ToString::to_string).collect(),
        }
    }
}
