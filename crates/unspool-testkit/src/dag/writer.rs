//! Turns the items of a session into lines.
//!
//! Knows the order of fields in a line, the default parent, the clock, and which call a result
//! answers. Does not know the notation.

use std::collections::{HashMap, HashSet};

use super::block::Block;
use super::builder::{Item, LineEnd, SessionBuilder, Setting};
use super::entry::{At, Body, Entry, Parent, Side};
use super::envelope::Envelope;
use super::fields::Fields;
use super::system::Logical;
use super::tool_result::{Answered, ToolResult};
use crate::time::{START, iso};

/// Turns the items of a session into lines.
pub(crate) struct Writer<'a> {
    items: &'a [Item],
    envelope: Envelope,
    /// Entries by name; a repeated name leads to its first entry.
    entries: HashMap<&'a str, usize>,
    /// Calls by id: the tool and the name of the entry.
    calls: HashMap<&'a str, (&'a str, &'a str)>,
    /// For each item, the name of the entry above it.
    above: Vec<Option<&'a str>>,
    now: i64,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(session: &'a SessionBuilder) -> Self {
        let mut writer = Self {
            items: &session.items,
            envelope: session.start.clone(),
            entries: HashMap::new(),
            calls: HashMap::new(),
            above: Vec::with_capacity(session.items.len()),
            now: START - 1000,
        };
        let mut above = None;
        for (index, item) in session.items.iter().enumerate() {
            writer.above.push(above);
            if let Item::Entry(entry) = item {
                writer.register(index, entry);
                above = Some(entry.name.as_str());
            }
        }
        writer
    }

    fn register(&mut self, index: usize, entry: &'a Entry) {
        let known = self.entries.contains_key(entry.name.as_str());
        assert!(
            !known || entry.again,
            "two entries are named `{}`; mark the second one as `again` if that is meant",
            entry.name
        );
        self.entries.entry(&entry.name).or_insert(index);
        if let Body::Assistant(assistant) = &entry.body {
            for block in &assistant.blocks {
                if let Block::Call { tool, id, .. } = block {
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
                Item::Set(setting) => self.apply(setting),
                Item::Literal(bytes, end) => {
                    self.now += 1000;
                    lines.push((bytes.clone(), *end));
                }
                Item::Metadata(metadata) => {
                    self.now += 1000;
                    let json = metadata.to_json(&self.envelope, self.now);
                    lines.push((json.into_bytes(), LineEnd::Newline));
                }
                Item::Entry(entry) => {
                    self.now = match entry.at {
                        At::Next => self.now + 1000,
                        At::After(ms) => self.now + ms,
                        At::SinceStart(ms) => START + ms,
                    };
                    lines.push((self.entry(index, entry).into_bytes(), LineEnd::Newline));
                }
            }
        }
        lines
    }

    fn apply(&mut self, setting: &Setting) {
        let envelope = &mut self.envelope;
        match setting {
            Setting::Session(id) => id.clone_into(&mut envelope.session),
            Setting::Cwd(cwd) => cwd.clone_into(&mut envelope.cwd),
            Setting::Version(version) => version.clone_into(&mut envelope.version),
            Setting::Branch(branch) => branch.clone_into(&mut envelope.branch),
            Setting::Entrypoint(name) => name.clone_into(&mut envelope.entrypoint),
            Setting::Agent(agent) => agent.clone_into(&mut envelope.agent),
        }
    }

    fn entry(&self, index: usize, entry: &Entry) -> String {
        let mut fields = Fields::new();
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

    fn write_links(&self, fields: &mut Fields, index: usize, entry: &Entry) {
        let uuid = |name: &str| self.envelope.ids.uuid(name);
        match self.parent(index, entry) {
            Some(parent) => fields.text("parentUuid", &uuid(parent)),
            None => fields.null("parentUuid"),
        };
        if let Body::System(system) = &entry.body
            && system.is_boundary()
        {
            let logical = match &system.compaction.logical {
                Logical::Above => self.above[index],
                Logical::Missing => None,
                Logical::Named(name) => Some(name.as_str()),
            };
            fields.maybe("logicalParentUuid", logical.map(uuid).as_deref());
        }
        let (sidechain, agent) = match &entry.side {
            Side::Own => (
                self.envelope.agent.is_some(),
                self.envelope.agent.as_deref(),
            ),
            Side::Inline => (true, None),
            Side::Agent(id) => (true, Some(id.as_str())),
        };
        fields
            .flag("isSidechain", sidechain)
            .maybe("agentId", agent);
    }

    fn write_body(&self, fields: &mut Fields, index: usize, entry: &Entry) {
        match &entry.body {
            Body::User(_) | Body::Result(_) if self.envelope.since(2, 1, 73) => {
                fields.maybe("promptId", self.prompt_id(index, entry).as_deref());
            }
            _ => {}
        }
        match &entry.body {
            Body::User(user) => user.write_message(fields),
            Body::Result(result) => result.write_message(fields),
            Body::Assistant(assistant) => assistant.write(fields, &entry.name, &self.envelope),
            Body::System(system) => {
                let below = self.items[index + 1..].iter().find_map(|item| match item {
                    Item::Entry(entry) => Some(entry.name.as_str()),
                    _ => None,
                });
                system.write(fields, self.envelope.ids, below);
            }
            Body::Inert(inert) => inert.write(fields),
        }
    }

    fn write_end(&self, fields: &mut Fields, entry: &Entry) {
        if entry.meta || matches!(entry.body, Body::System(_)) {
            fields.flag("isMeta", entry.meta);
        }
        fields
            .text("uuid", &self.envelope.ids.uuid(&entry.name))
            .text("timestamp", &iso(self.now));
        match &entry.body {
            Body::User(user) => {
                let typed = entry.is_prompt() && self.envelope.agent.is_none();
                user.write_marks(fields, &self.envelope, typed);
            }
            Body::Result(result) => {
                let answered = self.answered(entry, result);
                result.write_marks(fields, answered.as_ref(), self.envelope.since(2, 1, 1));
            }
            _ => {}
        }
        self.envelope.write_tail(fields);
    }

    fn parent(&self, index: usize, entry: &'a Entry) -> Option<&'a str> {
        match &entry.parent {
            Parent::Above => match &entry.body {
                Body::System(system) if system.is_boundary() => None,
                _ => self.above[index],
            },
            Parent::Null => None,
            Parent::Unknown(name) => Some(name),
            Parent::Named(name) => {
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

    /// Finds the call that a result answers.
    fn answered(&self, entry: &Entry, result: &ToolResult) -> Option<Answered<'a>> {
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
        Some(Answered {
            tool,
            entry_uuid: self.envelope.ids.uuid(name),
        })
    }

    /// Returns the id that a prompt and the results of its turn share.
    fn prompt_id(&self, index: usize, entry: &'a Entry) -> Option<String> {
        let mut seen = HashSet::new();
        let (mut index, mut entry) = (index, entry);
        loop {
            if let Body::User(user) = &entry.body {
                let name = user
                    .prompt
                    .clone()
                    .unwrap_or_else(|| format!("prompt-{}", entry.name));
                return Some(self.envelope.ids.uuid(&name));
            }
            index = *self.entries.get(self.parent(index, entry)?)?;
            match &self.items[index] {
                Item::Entry(above) if seen.insert(index) => entry = above,
                _ => return None,
            }
        }
    }
}
