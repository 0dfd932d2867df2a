//! Converts the items of a session to lines.
//!
//! Determines the order of fields in a line, the default parent, the clock, and the call of a result.

use std::collections::{HashMap, HashSet};

use super::block::BlockSpec;
use super::entry::{ConversationSide, EntryBody, EntrySpec, EntryTime, ParentSpec};
use super::envelope::Envelope;
use super::fields::JsonFields;
use super::notation::{DagItem, LineEnd};
use super::system::LogicalParent;
use super::tool_result::{Answered, ToolResult};
use crate::ids::uuid;
use crate::time::{START, iso};

/// Converts the items of a session to lines.
pub(crate) struct DagWriter<'a> {
    items: &'a [DagItem],
    envelope: Envelope,
    /// The positions of entries by name; that of a repeated name is its first.
    entries: HashMap<&'a str, usize>,
    /// The tool of each call and the name of its entry, by the id of the call.
    calls: HashMap<&'a str, (&'a str, &'a str)>,
    /// The name of the entry above each item.
    above: Vec<Option<&'a str>>,
    now: i64,
}

impl<'a> DagWriter<'a> {
    pub(crate) fn new(items: &'a [DagItem]) -> Self {
        let mut writer = Self {
            items,
            envelope: Envelope::default(),
            entries: HashMap::new(),
            calls: HashMap::new(),
            above: Vec::with_capacity(items.len()),
            now: START - 1000,
        };
        let mut above = None;
        for (index, item) in items.iter().enumerate() {
            writer.above.push(above);
            if let DagItem::Entry(entry) = item {
                writer.register(index, entry);
                above = Some(entry.name.as_str());
            }
        }
        writer
    }

    fn register(&mut self, index: usize, entry: &'a EntrySpec) {
        let known = self.entries.contains_key(entry.name.as_str());
        assert!(
            !known || entry.again,
            "two entries are named `{}`; mark the second one as `again` if that is meant",
            entry.name
        );
        self.entries.entry(&entry.name).or_insert(index);
        if let EntryBody::Assistant(assistant) = &entry.body {
            for block in &assistant.blocks {
                if let BlockSpec::Call { tool, id, .. } = block {
                    self.calls.entry(id).or_insert((tool, &entry.name));
                }
            }
        }
    }

    pub(crate) fn lines(mut self) -> Vec<(Vec<u8>, LineEnd)> {
        let items = self.items;
        let mut lines = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            match item {
                DagItem::Set(name, value) => {
                    self.envelope.set(name, value);
                }
                DagItem::Literal(bytes, end) => {
                    self.now += 1000;
                    lines.push((bytes.clone(), *end));
                }
                DagItem::Metadata(metadata) => {
                    self.now += 1000;
                    let json = metadata.to_json(&self.envelope, self.now);
                    lines.push((json.into_bytes(), LineEnd::Newline));
                }
                DagItem::Entry(entry) => {
                    self.now = match entry.at {
                        EntryTime::Next => self.now + 1000,
                        EntryTime::After(ms) => self.now + ms,
                        EntryTime::SinceStart(ms) => START + ms,
                    };
                    lines.push((self.entry(index, entry).into_bytes(), LineEnd::Newline));
                }
            }
        }
        lines
    }

    fn entry(&self, index: usize, entry: &EntrySpec) -> String {
        let mut fields = JsonFields::new();
        self.write_links(&mut fields, index, entry);
        self.write_body(&mut fields, index, entry);
        self.write_end(&mut fields, entry);
        for (key, json) in &entry.fields {
            fields.replace(key, json);
        }
        for key in &entry.without {
            fields.remove(key);
        }
        fields.to_json()
    }

    fn write_links(&self, fields: &mut JsonFields, index: usize, entry: &EntrySpec) {
        match self.parent(index, entry) {
            Some(parent) => fields.text("parentUuid", &uuid(parent)),
            None => fields.null("parentUuid"),
        };
        if let EntryBody::System(system) = &entry.body
            && system.is_boundary()
        {
            let logical = match &system.compaction.logical {
                LogicalParent::Above => self.above[index],
                LogicalParent::Missing => None,
                LogicalParent::Named(name) => Some(name.as_str()),
            };
            fields.maybe("logicalParentUuid", logical.map(uuid).as_deref());
        }
        let (sidechain, agent) = match &entry.side {
            ConversationSide::Own => {
                (self.envelope.agent.is_some(), self.envelope.agent.as_deref())
            }
            ConversationSide::Inline => (true, None),
            ConversationSide::Agent(id) => (true, Some(id.as_str())),
        };
        fields.flag("isSidechain", sidechain).maybe("agentId", agent);
    }

    fn write_body(&self, fields: &mut JsonFields, index: usize, entry: &EntrySpec) {
        match &entry.body {
            EntryBody::User(_) | EntryBody::Result(_) if self.envelope.since(2, 1, 73) => {
                fields.maybe("promptId", self.prompt_id(index, entry).as_deref());
            }
            _ => {}
        }
        match &entry.body {
            EntryBody::User(user) => user.write_message(fields),
            EntryBody::Result(result) => result.write_message(fields),
            EntryBody::Assistant(assistant) => assistant.write(fields, &entry.name, &self.envelope),
            EntryBody::System(system) => {
                let below = self.items[index + 1..].iter().find_map(|item| match item {
                    DagItem::Entry(entry) => Some(entry.name.as_str()),
                    _ => None,
                });
                system.write(fields, below);
            }
            EntryBody::PayloadEntry(inert) => inert.write(fields),
        }
    }

    fn write_end(&self, fields: &mut JsonFields, entry: &EntrySpec) {
        if entry.meta || matches!(entry.body, EntryBody::System(_)) {
            fields.flag("isMeta", entry.meta);
        }
        fields.text("uuid", &uuid(&entry.name)).text("timestamp", &iso(self.now));
        match &entry.body {
            EntryBody::User(user) => {
                let typed = entry.is_prompt() && self.envelope.agent.is_none();
                user.write_marks(fields, &self.envelope, typed);
            }
            EntryBody::Result(result) => {
                let answered = self.answered(entry, result);
                result.write_marks(fields, answered.as_ref(), self.envelope.since(2, 1, 1));
            }
            _ => {}
        }
        self.envelope.write_tail(fields);
    }

    fn parent(&self, index: usize, entry: &'a EntrySpec) -> Option<&'a str> {
        match &entry.parent {
            ParentSpec::Above => match &entry.body {
                EntryBody::System(system) if system.is_boundary() => None,
                _ => self.above[index],
            },
            ParentSpec::Null => None,
            ParentSpec::Unknown(name) => Some(name),
            ParentSpec::Named(name) => {
                assert!(
                    self.entries.contains_key(name.as_str()),
                    "entry `{}` has the parent `{name}`, which no line defines; \
                     write `?{name}` if that is meant",
                    entry.name
                );
                Some(name)
            }
        }
    }

    /// Returns the call of a result.
    fn answered(&self, entry: &EntrySpec, result: &ToolResult) -> Option<Answered<'a>> {
        for answer in result.answers.iter().filter(|answer| answer.known) {
            assert!(
                self.calls.contains_key(answer.call.as_str()),
                "result `{}` answers the call `{}`, which no line makes; \
                 write `?{}` if that is meant",
                entry.name,
                answer.call,
                answer.call
            );
        }
        let first = result.answers.first()?;
        let (tool, name) = self.calls.get(first.call.as_str())?;
        Some(Answered { tool, entry_uuid: uuid(name) })
    }

    /// Returns the id that a prompt shares with the results of its turn, by walking up from an entry to the
    /// prompt.
    fn prompt_id(&self, index: usize, entry: &'a EntrySpec) -> Option<String> {
        let mut seen = HashSet::new();
        let (mut index, mut entry) = (index, entry);
        loop {
            if let EntryBody::User(user) = &entry.body {
                let name = user.prompt.clone().unwrap_or_else(|| format!("prompt-{}", entry.name));
                return Some(uuid(&name));
            }
            index = *self.entries.get(self.parent(index, entry)?)?;
            match &self.items[index] {
                DagItem::Entry(above) if seen.insert(index) => entry = above,
                _ => return None,
            }
        }
    }
}
