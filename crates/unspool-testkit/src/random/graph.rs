//! Generates a random graph of entries in the compact notation, with right links and links that are wrong on
//! purpose. [`super::damage`] damages the bytes later.

use super::RandomShape;
use super::flat;
use crate::dag::{self, quote};
use crate::rng::Rng;

/// Texts that a reader may handle wrongly.
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

/// Returns the lines of a random session, without line ends.
pub(super) fn lines(rng: Rng, shape: &RandomShape) -> Vec<Vec<u8>> {
    let mut grower = Grower {
        rng,
        shape,
        notation: String::new(),
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
    dag::lines(&grower.notation).into_iter().map(|(line, _)| line).collect()
}

/// The end of a conversation.
#[derive(Clone, Debug, Default)]
struct Tip {
    /// The last entry.
    last: Option<String>,
    /// Entries that a fork may use as its parent.
    earlier: Vec<String>,
    agent: Option<String>,
}

struct Grower<'a> {
    rng: Rng,
    shape: &'a RandomShape,
    notation: String,
    /// The number of the next entry.
    next: usize,
    main: Tip,
    /// The sidechain that is being written.
    side: Option<Tip>,
    /// Calls without a result, each with the name of its entry.
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
            self.push(&format!("result ?stray{} \"out of nowhere\"", self.next));
        } else {
            self.message();
        }
    }

    fn message(&mut self) {
        match self.rng.below(10) {
            0..3 => {
                let text = self.text();
                self.push(&format!("user {text}"));
            }
            3..8 => self.assistant(),
            8 => {
                self.push("system turn_duration ms=1200");
            }
            _ => {
                let kind = self.rng.pick(&["queued_command", "hook_success", "date"]);
                let text = self.text();
                if self.rng.chance(0.5) {
                    self.push(&format!("attachment {kind} {text}"));
                } else {
                    self.push("progress bash_progress tool=t0");
                }
            }
        }
    }

    /// Writes a message of one or more lines, some of them calls.
    fn assistant(&mut self) {
        let id = format!("msg_{}", self.next);
        let calls = match self.rng.below(3) {
            0 => 0,
            _ if self.rng.chance(self.shape.parallel) => self.rng.between(2, 4),
            _ => 1,
        };
        if calls == 0 || self.rng.chance(0.4) {
            let text = self.text();
            let kind = if self.rng.chance(0.2) { "thinking " } else { "" };
            self.assistant_line(&id, &format!("{kind}{text}"));
        }
        for _ in 0..calls {
            let call = format!("t{}", self.next);
            let tool = self.rng.pick(&["Bash", "Read", "Agent", "mcp__x__y"]);
            let block = format!(r#"call {tool}:{call} {{"command":"ls"}}"#);
            let name = self.assistant_line(&id, &block);
            self.calls.push((call, name));
        }
        self.rng.shuffle(&mut self.calls);
        self.messages.push(id);
    }

    fn assistant_line(&mut self, id: &str, block: &str) -> String {
        let odd = !self.messages.is_empty() && self.rng.chance(self.shape.repeated_messages);
        let id = if odd { &self.messages[self.rng.below(self.messages.len())] } else { id };
        let output = self.rng.between(1, 500);
        let line = format!("assistant msg={id} out={output} {block}");
        self.push(&line)
    }

    /// Writes the result of one open call. Its parent is the call's line or the last entry.
    fn results(&mut self) {
        let Some((call, name)) = self.calls.pop() else {
            return;
        };
        if self.rng.chance(self.shape.missing_results) {
            return;
        }
        let text = self.text();
        let error = if self.rng.chance(0.1) { "error" } else { "" };
        let linear = self.rng.chance(0.2);
        let usual = if linear { self.tip().last.clone() } else { Some(name) };
        self.entry(&format!("result {call} {text} {error}"), usual);
    }

    fn compact(&mut self) {
        let kept: Vec<String> = match self.rng.below(3) {
            0 => Vec::new(),
            _ => self.main.earlier.iter().rev().take(self.rng.below(4)).rev().cloned().collect(),
        };
        let logical = match self.rng.below(6) {
            0 => "-".to_owned(),
            1 => "elsewhere".to_owned(),
            _ => self.main.last.clone().unwrap_or("-".to_owned()),
        };
        let by = if self.rng.chance(0.5) { "manual" } else { "" };
        let mut boundary =
            format!("system compact_boundary logical={logical} before=90000 after=4000 {by}");
        if !kept.is_empty() {
            boundary = format!("{boundary} keep={}", kept.join(","));
        }
        self.entry(&boundary, None);
        self.push("user summary \"This session is being continued\"");
    }

    fn unknown(&mut self) {
        if self.rng.chance(0.5) {
            self.push(r#"?hologram {"shape":[1,{"deep":true}]}"#);
        } else {
            self.line(r#"-- raw {"type":"hologram-state","size":4}"#);
        }
    }

    fn metadata(&mut self) {
        let text = self.text();
        let kind =
            self.rng.pick(&["custom-title", "ai-title", "agent-name", "tag", "mode", "queue"]);
        let operation = if kind == "queue" { "enqueue" } else { "" };
        self.line(&format!("-- {kind} {operation} {text}"));
    }

    fn last_prompt(&mut self) {
        let leaf = match self.rng.below(8) {
            0 => "0",
            1 => "-",
            2 => "elsewhere",
            _ if self.names.is_empty() => "0",
            _ => &self.names[self.rng.below(self.names.len())],
        };
        let line = format!("-- last-prompt {leaf}");
        self.line(&line);
    }

    fn flat(&mut self) {
        let name = format!("n{}", self.next);
        self.next += 1;
        let parent = self.tip().last.clone();
        let text = self.text();
        let line = flat::line(&mut self.rng, &name, parent.as_deref(), &text);
        self.line(&format!("-- raw {line}"));
        // Later entries may have it as their parent, but only by uuid: the notation does not know its name.
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

    fn line(&mut self, line: &str) {
        self.notation.push_str(line);
        self.notation.push('\n');
    }

    /// Returns a random text, quoted.
    fn text(&mut self) -> String {
        let text = self.rng.pick(&TEXTS);
        if self.rng.chance(0.5) { quote(text) } else { quote(&format!("{text} {}", self.next)) }
    }

    fn tip(&mut self) -> &mut Tip {
        self.side.as_mut().unwrap_or(&mut self.main)
    }

    /// Writes an entry whose parent is the last one.
    fn push(&mut self, body: &str) -> String {
        let usual = self.tip().last.clone();
        self.entry(body, usual)
    }

    /// Writes an entry and returns its name. The shape may replace the usual parent.
    fn entry(&mut self, body: &str, usual: Option<String>) -> String {
        let shape = self.shape;
        let own = format!("n{}", self.next);
        self.next += 1;
        let again = !self.names.is_empty() && self.rng.chance(shape.duplicates);
        let name = if again { self.names[self.rng.below(self.names.len())].clone() } else { own };
        let tip = self.tip().clone();
        let may_fork = usual.is_some() && !tip.earlier.is_empty();
        let mut parent = usual;
        if may_fork && self.rng.chance(shape.forks) {
            parent = Some(tip.earlier[self.rng.below(tip.earlier.len())].clone());
        }
        if self.rng.chance(shape.orphans) {
            parent = Some(format!("lost{}", self.next));
        }
        if self.rng.chance(shape.cycles) {
            parent = Some(format!("n{}", self.next + self.rng.below(20)));
        }
        if self.rng.chance(shape.self_parents) {
            parent = Some(name.clone());
        }
        let parent = parent.map_or("-".to_owned(), |parent| format!("?{parent}"));
        let side = match (&self.side, tip.agent) {
            (None, _) => String::new(),
            (Some(_), None) => "sidechain".to_owned(),
            (Some(_), Some(agent)) => format!("sidechain={agent}"),
        };
        let time = if self.rng.chance(0.1) { "@-5" } else { "" };
        let spoiled = self.spoil();
        self.line(&format!("{name} {body} again < {parent} {side} {time} {spoiled}"));
        let tip = self.tip();
        tip.last = Some(name.clone());
        tip.earlier.push(name.clone());
        self.names.push(name.clone());
        name
    }

    /// Returns an option that gives a field a value of the wrong type, or the message a lone surrogate.
    fn spoil(&mut self) -> String {
        const KEYS: &str = "uuid parentUuid type message timestamp sessionId isSidechain isMeta \
            version cwd toolUseResult requestId agentId gitBranch";
        const VALUES: [&str; 9] =
            ["5", "null", "true", "[]", "{}", "\"\"", "-1.5e3", "[[]]", "{\"content\":7}"];
        if self.rng.chance(self.shape.wrong_types) {
            let keys: Vec<&str> = KEYS.split(' ').collect();
            let (key, value) = (self.rng.pick(&keys), self.rng.pick(&VALUES));
            return format!("+{key}={value}");
        }
        if self.rng.chance(self.shape.lone_surrogates) {
            let text =
                self.rng.pick(&[r"\ud83d", r"\udE42 tail", r"a\ud83d\u0041", r"\ud83d\ud83d"]);
            return format!(r#"+message={{"role":"user","content":"{text}"}}"#);
        }
        String::new()
    }
}
