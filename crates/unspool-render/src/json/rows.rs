//! Lists and trees as JSON.

use serde::{Serialize, Serializer};
use unspool_model::ids::EntryId;
use unspool_model::positions::PathNumber;

use super::{SCHEMA, TokensJson, all, time, wire};
use crate::row_fields::FIELDS;
use unspool_engine::ops::transcript::Transcript;
use unspool_engine::ops::tree::{TreeBranch, TreeRow};
use unspool_store::rows::{RowValue, SessionRow};

wire! {
    /// A session of a list: one line.
    pub struct RowJson<'a> from(row: &'a SessionRow) {
        schema: u32 = SCHEMA,
        #[serde(flatten)]
        fields: RowFields<'a> = RowFields(row),
    }
}

/// The fields of a session: every field of the table.
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

wire! {
    /// The tree of a session: one object.
    pub struct TreeJson<'a> new(shown: &'a Transcript<'_>, rows: &'a [TreeRow]) {
        schema: u32 = SCHEMA,
        session: &'a str = shown.session.id.as_str(),
        rule: &'static str = shown.conversation.rule.name(),
        rows: Vec<TreeRowJson<'a>> = all(rows),
        unlinked_agents: Vec<&'a str> = shown.unlinked().map(|agent| agent.id.as_str()).collect(),
    }

    struct TreeRowJson<'a> from(row: &'a TreeRow) {
        depth: u32 = row.depth,
        kind: &'static str = row.kind.name(),
        entry: Option<&'a str> = row.entry.as_ref().map(EntryId::as_str),
        time: Option<String> = time(row.time),
        text: &'a str = &row.text,
        active: bool = row.active,
        messages: u32 = row.messages,
        calls: u32 = row.calls,
        said: &'a [String] = &row.said,
        agents: Vec<&'a str> = row.agents.iter().map(|agent| agent.id.as_str()).collect(),
        #[cfg_attr(test, schemars(with = "Vec<u32>"))]
        paths: &'a [PathNumber] = &row.paths,
        forks: u32 = row.forks,
        branch: Option<&'static str> = row.branch.map(TreeBranch::name),
    }
}
