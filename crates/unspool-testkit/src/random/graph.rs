//! Grows a random graph of entries.
//!
//! Knows which links are right and which are wrong on purpose. Works with whole lines; bytes are
//! damaged later.

use super::RandomShape;
use super::flat;
use crate::dag::{
    Assistant, BlockSpec, CompactionSpec, EntryBody, EntrySpec, Inert, Logical, Metadata,
    PinnedLeaf, SessionBuilder, System, ToolResult, UsageSpec, User,
};
use crate::rng::Rng;

/// Texts that a reader may stumble over.
const TEXTS: [&str; 14] = [
    "fix the bug",
    "Looking.",
    "",
    " ",
    "two\nlines",
    "quote \" and \\ backslash",
    "\u{2028}line\u{85}ends",
    "日本語 🙂 é",
    "<command-name>/clear</command-name>",
    "<local-command-stdout>ok</local-command-stdout>",
    "[Request interrupted by user]",
    "\u{1b}[31mred\u{1b}[0m \u{0}",
    "{\"type\":\"user\",\"uuid\":\"x\"}",
    "# heading\n```rust\nfn main() {}\n```\n<script>alert(1)</script>",
];

/// Makes the lines of a random session, without line ends.
pub(super) fn lines(rng: Rng, shape: &RandomShape) -> Vec<Vec<u8>> {
    let mut grower = Grower {
        rng,
        shape,
        session: SessionBuilder::new(),
        next: 0,
        main: Tip::default(),
        side: None,
        calls: Vec::new(),
        messages: Vec::new(),
        names: Vec::new(),
    };
    while grower.next < shape.entries {
        grower.grow();
    }
    grower.session.lines().into_iter().map(|(line, _)| line).collect()
}

/// Where a conversation is.
#[derive(Clone, Debug, Default)]
struct Tip {
    /// The last entry.
    last: Option<String>,
    /// Entries that a fork may go back to.
    earlier: Vec<String>,
    agent: Option<String>,
}

struct Grower<'a> {
    rng: Rng,
    shape: &'a RandomShape,
    session: SessionBuilder,
    /// The number of the next entry.
    next: usize,
    main: Tip,
    /// The sidechain that is being written, if any.
    side: Option<Tip>,
    /// Calls without a result, with the entry that made them.
    calls: Vec<(String, String)>,
    messages: Vec<String>,
    names: Vec<String>,
}

impl Grower<'_> {
    fn grow(&mut self) {
        let shape = self.shape;
        let settled = self.calls.is_empty();
        if settled && self.rng.chance(shape.sidechains) {
            self.change_side();
        }
        if self.rng.chance(shape.last_prompts) {
            self.last_prompt();
        }
        if self.rng.chance(shape.metadata) {
            self.metadata();
        }
        if self.rng.chance(shape.flat) {
            self.flat();
        } else if self.rng.chance(shape.unknown_types) {
            self.unknown();
        } else if settled && self.side.is_none() && self.rng.chance(shape.compactions) {
            self.compact();
        } else if !settled {
            self.results();
        } else if self.rng.chance(shape.stray_results) {
            let call = format!("stray{}", self.next);
            self.push(ToolResult::stray(call, "out of nowhere"));
        } else {
            self.message();
        }
    }

    fn message(&mut self) {
        match self.rng.below(10) {
            0..3 => {
                let text = self.text();
                self.push(User::new(text));
            }
            3..8 => self.assistant(),
            8 => {
                self.push(System::turn_duration(1200));
            }
            _ => {
                let kind = self.rng.pick(&["queued_command", "hook_success", "date"]);
                let text = self.text();
                if self.rng.chance(0.5) {
                    self.push(Inert::attachment(kind).text(text));
                } else {
                    self.push(Inert::progress("bash_progress").tool("t0"));
                }
            }
        }
    }

    /// Writes a message of one or more lines, maybe with calls.
    fn assistant(&mut self) {
        let id = format!("msg_{}", self.next);
        let calls = match self.rng.below(3) {
            0 => 0,
            _ if self.rng.chance(self.shape.parallel) => self.rng.between(2, 4),
            _ => 1,
        };
        if calls == 0 || self.rng.chance(0.4) {
            let text = self.text();
            let block = if self.rng.chance(0.2) {
                BlockSpec::Thinking(text)
            } else {
                BlockSpec::Text(text)
            };
            self.assistant_line(&id, block);
        }
        for _ in 0..calls {
            let call = format!("t{}", self.next);
            let tool = self.rng.pick(&["Bash", "Read", "Agent", "mcp__x__y"]);
            let input = r#"{"command":"ls"}"#.to_owned();
            let name = self.assistant_line(
                &id,
                BlockSpec::Call { tool: tool.to_owned(), id: call.clone(), input },
            );
            self.calls.push((call, name));
        }
        self.rng.shuffle(&mut self.calls);
        self.messages.push(id);
    }

    fn assistant_line(&mut self, id: &str, block: BlockSpec) -> String {
        let odd = !self.messages.is_empty() && self.rng.chance(self.shape.repeated_messages);
        let id = if odd { &self.messages[self.rng.below(self.messages.len())] } else { id };
        let output = self.rng.between(1, 500);
        let line = Assistant::new()
            .message(id)
            .usage(UsageSpec { output, ..UsageSpec::PLAIN })
            .block(block);
        self.push(line)
    }

    /// Answers one open call, under its own line or under the last one.
    fn results(&mut self) {
        let Some((call, name)) = self.calls.pop() else {
            return;
        };
        if self.rng.chance(self.shape.missing_results) {
            return;
        }
        let text = self.text();
        let mut result = ToolResult::new(call, text);
        if self.rng.chance(0.1) {
            result = result.error();
        }
        let linear = self.rng.chance(0.2);
        let usual = if linear { self.tip().last.clone() } else { Some(name) };
        let (name, entry) = self.entry(result, usual);
        self.add(entry, name);
    }

    fn compact(&mut self) {
        let kept = match self.rng.below(3) {
            0 => Vec::new(),
            _ => self.main.earlier.iter().rev().take(self.rng.below(4)).rev().cloned().collect(),
        };
        let logical = match self.rng.below(6) {
            0 => Logical::Missing,
            1 => Logical::Named("elsewhere".to_owned()),
            _ => self.main.last.clone().map_or(Logical::Missing, Logical::Named),
        };
        let boundary = CompactionSpec {
            logical,
            kept,
            manual: self.rng.chance(0.5),
            before: 90_000,
            after: 4000,
            ..CompactionSpec::default()
        };
        let (name, entry) = self.entry(System::compact_boundary(boundary), None);
        self.add(entry, name);
        self.push(User::new("This session is being continued").compact_summary());
    }

    fn unknown(&mut self) {
        if self.rng.chance(0.5) {
            self.push(Inert::unknown("hologram").payload(r#"{"shape":[1,{"deep":true}]}"#));
        } else {
            self.raw(r#"{"type":"hologram-state","size":4}"#);
        }
    }

    fn metadata(&mut self) {
        let text = self.text();
        let kind =
            self.rng.pick(&["custom-title", "ai-title", "agent-name", "tag", "mode", "queue"]);
        self.session.push_metadata(match kind {
            "queue" => Metadata::Queue { operation: "enqueue".to_owned(), text: Some(text) },
            _ => Metadata::named(kind, text),
        });
    }

    fn last_prompt(&mut self) {
        let leaf = match self.rng.below(8) {
            0 => PinnedLeaf::Zero,
            1 => PinnedLeaf::Missing,
            2 => PinnedLeaf::Named("elsewhere".to_owned()),
            _ if self.names.is_empty() => PinnedLeaf::Zero,
            _ => PinnedLeaf::Named(self.names[self.rng.below(self.names.len())].clone()),
        };
        self.session.push_metadata(Metadata::LastPrompt { leaf, text: None });
    }

    fn flat(&mut self) {
        let name = format!("n{}", self.next);
        self.next += 1;
        let parent = self.tip().last.clone();
        let text = self.text();
        let line = flat::line(&mut self.rng, &name, parent.as_deref(), &text);
        self.raw(line);
        // Others may hang under it, but only by its uuid: the builder does not know the line.
        self.names.push(name);
    }

    fn change_side(&mut self) {
        self.side = match self.side {
            Some(_) => None,
            None => Some(Tip {
                agent: self.rng.chance(0.5).then(|| format!("a{:07x}", self.next)),
                ..Tip::default()
            }),
        };
    }

    fn raw(&mut self, line: impl Into<Vec<u8>>) {
        self.session = std::mem::take(&mut self.session).raw(line);
    }

    fn text(&mut self) -> String {
        let text = self.rng.pick(&TEXTS);
        if self.rng.chance(0.5) { text.to_owned() } else { format!("{text} {}", self.next) }
    }

    fn tip(&mut self) -> &mut Tip {
        self.side.as_mut().unwrap_or(&mut self.main)
    }

    fn push(&mut self, body: impl Into<EntryBody>) -> String {
        let usual = self.tip().last.clone();
        let (name, entry) = self.entry(body, usual);
        self.add(entry, name.clone());
        name
    }

    /// Makes an entry with its name, under the usual parent unless the shape wants it elsewhere.
    fn entry(&mut self, body: impl Into<EntryBody>, usual: Option<String>) -> (String, EntrySpec) {
        let shape = self.shape;
        let own = format!("n{}", self.next);
        self.next += 1;
        let again = !self.names.is_empty() && self.rng.chance(shape.duplicates);
        let name = if again { self.names[self.rng.below(self.names.len())].clone() } else { own };
        let mut entry = EntrySpec::new(&name, body).again();
        let tip = self.tip().clone();
        let may_fork = usual.is_some() && !tip.earlier.is_empty();
        entry = match usual {
            Some(parent) => entry.orphan(parent),
            None => entry.root(),
        };
        if may_fork && self.rng.chance(shape.forks) {
            entry = entry.orphan(&tip.earlier[self.rng.below(tip.earlier.len())]);
        }
        if self.rng.chance(shape.orphans) {
            entry = entry.orphan(format!("lost{}", self.next));
        }
        if self.rng.chance(shape.cycles) {
            entry = entry.orphan(format!("n{}", self.next + self.rng.below(20)));
        }
        if self.rng.chance(shape.self_parents) {
            entry = entry.orphan(&name);
        }
        if self.side.is_some() {
            entry = match tip.agent {
                Some(agent) => entry.of_agent(agent),
                None => entry.sidechain(),
            };
        }
        if self.rng.chance(0.1) {
            entry = entry.after_ms(-5000);
        }
        (name, self.spoil(entry))
    }

    /// Gives a field a value of the wrong type, or a text half a surrogate pair.
    fn spoil(&mut self, entry: EntrySpec) -> EntrySpec {
        const KEYS: [&str; 14] = [
            "uuid",
            "parentUuid",
            "type",
            "message",
            "timestamp",
            "sessionId",
            "isSidechain",
            "isMeta",
            "version",
            "cwd",
            "toolUseResult",
            "requestId",
            "agentId",
            "gitBranch",
        ];
        const VALUES: [&str; 9] =
            ["5", "null", "true", "[]", "{}", "\"\"", "-1.5e3", "[[]]", "{\"content\":7}"];
        if self.rng.chance(self.shape.wrong_types) {
            let (key, value) = (self.rng.pick(&KEYS), self.rng.pick(&VALUES));
            return entry.field(key, value);
        }
        if self.rng.chance(self.shape.lone_surrogates) {
            let text =
                self.rng.pick(&[r"\ud83d", r"\udE42 tail", r"a\ud83d\u0041", r"\ud83d\ud83d"]);
            return entry.field("message", format!(r#"{{"role":"user","content":"{text}"}}"#));
        }
        entry
    }

    fn add(&mut self, entry: EntrySpec, name: String) {
        self.session.push_entry(entry);
        let tip = self.tip();
        tip.last = Some(name.clone());
        tip.earlier.push(name.clone());
        self.names.push(name);
    }
}
