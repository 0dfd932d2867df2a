//! Lists and trees as scripts see them.

use serde::{Serialize, Serializer};
use unspool_model::ids::EntryId;
use unspool_model::positions::PathNumber;

use super::{SCHEMA, TokensJson, time, wire};
use crate::row_fields::FIELDS;
use unspool_engine::ops::transcript::Transcript;
use unspool_engine::ops::tree::{TreeBranch, TreeRow};
use unspool_store::rows::{RowValue, SessionRow};

wire! {
    /// A session of a list as scripts see it: one line.
    pub struct RowJson<'a> from row: &'a SessionRow {
        schema: u32 = SCHEMA,
        #[serde(flatten)]
        fields: RowFields<'a> = RowFields(row),
    }
}

/// What scripts see of a session, wherever it is told: every field of the table.
pub(super) struct RowFields<'a>(pub(super) &'a SessionRow);

impl Serialize for RowFields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = FIELDS.iter();
        serializer.collect_map(fields.map(|field| (field.name, ValueJson((field.value)(self.0)))))
    }
}

/// The value of a field.
struct ValueJson<'r>(RowValue<'r>);

impl Serialize for ValueJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            RowValue::Nothing => serializer.serialize_none(),
            RowValue::Id(text) => serializer.serialize_str(text),
            RowValue::Text(text) | RowValue::Path(text) => serializer.serialize_str(text),
            RowValue::Status(status) => serializer.serialize_str(status.name()),
            RowValue::Time(time) => serializer.collect_str(time),
            RowValue::Count(number) | RowValue::Millis(number) | RowValue::Bytes(number) => {
                serializer.serialize_u64(*number)
            }
            RowValue::Dollars(dollars) => serializer.serialize_f64(*dollars),
            RowValue::Texts(texts) => texts.serialize(serializer),
            RowValue::Tools(tools) => tools.serialize(serializer),
            RowValue::Tokens(tokens) => TokensJson::from(*tokens).serialize(serializer),
            RowValue::Flag(flag) => serializer.serialize_bool(*flag),
        }
    }
}

/// The tree of a session as scripts see it: one object.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TreeJson<'a> {
    schema: u32,
    session: &'a str,
    rule: &'static str,
    rows: Vec<TreeRowJson<'a>>,
    unlinked_agents: Vec<&'a str>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TreeRowJson<'a> {
    depth: u32,
    kind: &'static str,
    entry: Option<&'a str>,
    time: Option<String>,
    text: &'a str,
    active: bool,
    messages: u32,
    calls: u32,
    said: &'a [String],
    agents: Vec<&'a str>,
    #[cfg_attr(test, schemars(with = "Vec<u32>"))]
    paths: &'a [PathNumber],
    forks: u32,
    branch: Option<&'static str>,
}

impl<'a> TreeJson<'a> {
    /// Takes the rows of a session.
    pub fn new(shown: &'a Transcript<'_>, rows: &'a [TreeRow]) -> Self {
        let rows = rows
            .iter()
            .map(|row| TreeRowJson {
                depth: row.depth,
                kind: row.kind.name(),
                entry: row.entry.as_ref().map(EntryId::as_str),
                time: time(row.time),
                text: &row.text,
                active: row.active,
                messages: row.messages,
                calls: row.calls,
                said: &row.said,
                agents: row.agents.iter().map(|agent| agent.id.as_str()).collect(),
                paths: &row.paths,
                forks: row.forks,
                branch: row.branch.map(TreeBranch::name),
            })
            .collect();
        let session = shown.session.id.as_str();
        Self {
            schema: SCHEMA,
            session,
            rule: shown.conversation.rule.name(),
            rows,
            unlinked_agents: shown.unlinked().map(|agent| agent.id.as_str()).collect(),
        }
    }
}
