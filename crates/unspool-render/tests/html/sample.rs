//! Transcripts to paint: one of everything, long ones, and ones that mean harm.

use unspool_engine::ops::message::MediaText;
use unspool_engine::ops::transcript::ViewKind;
use unspool_model::conversation::{CallStatus, TurnOutcome};
use unspool_model::entry::MessageKind;
use unspool_model::ids::{EntryId, ProjectId, SessionId};
use unspool_model::positions::PathNumber;
use unspool_model::record::MediaKind;
use unspool_model::time::Time;
use unspool_model::tool::TodoStatus;
use unspool_model::usage::Tokens;
use unspool_render::document::{
    AgentHead, AgentLocation, AskedQuestion, CallDetail, CallSide, ClientNote, DetailBody,
    DisplayWeight, OtherPath, OtherPaths, Passage, PassagePart, PathHead, PathStatus, ShownCall,
    TodoItem, TranscriptHead, TurnHead, WebLink,
};
use unspool_text::Diff;

use crate::paper::Told;

/// Four pixels by four.
pub(crate) const PIXELS: &str = "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAAEElEQVR4nGM4ceIEHDEQxwEAp2cT4eBwZYwAAAAASUVORK5CYII=";

fn time(minute: i64) -> Time {
    let start = Time::parse("2026-08-10T09:00:00.000Z").expect("a time");
    Time::from_millis(start.as_millis() + minute * 60_000)
}

/// Makes a message of a kind.
pub(crate) fn said(kind: MessageKind, number: usize, parts: Vec<PassagePart>) -> Told {
    let answer = kind == MessageKind::Answer;
    let passage = Passage {
        kind,
        entries: vec![EntryId::new(format!("0000-{number}"))],
        time: Some(time(number as i64)),
        model: answer.then(|| "claude-opus-4-5".to_owned()),
        label: None,
        left_out: false,
        weight: DisplayWeight::Open,
        deleted: false,
        parts,
    };
    Told {
        passage,
        agents: Vec::new(),
    }
}

fn folded(kind: MessageKind, number: usize, label: &str, text: &str) -> Told {
    let mut told = said(kind, number, vec![PassagePart::Typed(text.to_owned())]);
    told.passage.label = Some(label.to_owned());
    told.passage.weight = DisplayWeight::Folded;
    told
}

fn prose(text: &str) -> PassagePart {
    PassagePart::Prose(text.to_owned())
}

fn typed(text: &str) -> PassagePart {
    PassagePart::Typed(text.to_owned())
}

fn call(name: &str, summary: &str, note: Option<&str>, details: Vec<CallDetail>) -> ShownCall {
    ShownCall {
        id: Some(format!("toolu_{name}")),
        name: name.to_owned(),
        status: CallStatus::Done,
        summary: summary.to_owned(),
        note: note.map(Into::into),
        duration_ms: Some(4_200),
        details,
        agent: None,
    }
}

fn called(call: ShownCall) -> PassagePart {
    PassagePart::Call(Box::new(call))
}

fn detail(side: CallSide, weight: DisplayWeight, body: DetailBody) -> CallDetail {
    CallDetail { side, weight, body }
}

fn output(text: &str) -> CallDetail {
    let body = DetailBody::Output {
        text: text.to_owned(),
        is_error: false,
    };
    detail(CallSide::Answered, DisplayWeight::Folded, body)
}

fn code(language: &str, text: &str) -> CallDetail {
    let body = DetailBody::Code {
        language: language.to_owned(),
        text: text.to_owned(),
    };
    detail(CallSide::Asked, DisplayWeight::Folded, body)
}

/// What stands above a transcript of these turns, given as prompt and number of messages.
pub(crate) fn head(turns: &[(&str, u32)]) -> TranscriptHead {
    let mut at = 0;
    let turns: Vec<TurnHead> = (1..)
        .zip(turns)
        .map(|(number, (prompt, messages))| {
            let start = at;
            at += messages;
            TurnHead {
                number,
                prompt: (*prompt).to_owned(),
                started: Some(time(if number == 3 {
                    NEXT_DAY as i64
                } else {
                    start.into()
                })),
                duration_ms: Some(94_000),
                calls: 3,
                outcome: if number == 3 {
                    TurnOutcome::Interrupted
                } else {
                    TurnOutcome::Done
                },
                messages: start..at,
                interjections: Vec::new(),
            }
        })
        .collect();
    TranscriptHead {
        session: SessionId::new("6f1c2a9e-3b47-4c2d-9a51-0d2b8f4e7c33"),
        path: PathHead {
            number: 2,
            total: 2,
            status: PathStatus::Active,
            fork_point: None,
        },
        view: ViewKind::History,
        compactions: 1,
        messages: at as usize,
        title: Some("Make the tokenizer stop at unterminated strings".to_owned()),
        project: Some(ProjectId::new("-home-dev-lexer")),
        cwd: Some("/home/dev/work/lexer".to_owned()),
        branch: Some("fix/strings".to_owned()),
        version: Some("2.1.50".to_owned()),
        started: Some(time(0)),
        ended: Some(time(NEXT_DAY as i64 + 130)),
        models: vec!["claude-opus-4-5".to_owned()],
        tokens: Tokens {
            input: 12_400,
            output: 8_311,
            cache_write_5m: 90_112,
            cache_write_1h: 0,
            cache_read: 1_204_882,
        },
        cost_usd: Some(1.37),
        agent: None,
        turns,
        others: OtherPaths {
            named: vec![OtherPath {
                number: PathNumber::at(0),
                status: PathStatus::Abandoned,
                file: Some("transcript_x_path1_abandoned.html".to_owned()),
            }],
            more: 0,
        },
        holds: Vec::new(),
    }
}

const ANSWER: &str =
    "The lexer reads past the end because `scan_string` looks for the closing quote \
and never checks for the end of the line. Two ways to fix it:

1. Stop at a newline and report an *unterminated string*.
2. Let strings span lines, as **raw strings** already do.

I would take the first:

```rust
fn scan_string(&mut self) -> Result<Token, Error> {
    // Stops at the closing quote or at the end of the line.
    while let Some(c) = self.bump() {
        match c {
            '\"' => return Ok(Token::Str(self.taken())),
            '\\n' => break,
            _ => {}
        }
    }
    Err(Error::Unterminated { at: self.start })
}
```

| Input | Before | After |
|---|---|---:|
| `\"abc` | hangs | error at 1 |
| `\"a\\nb\"` | `Str` | error at 1 |

> Raw strings are not touched. See [the reference](https://doc.rust-lang.org/reference/tokens.html).

- [x] stop at the end of the line
- [ ] say where the string began
";

const BEFORE: &str = "impl Lexer {\n    fn scan_string(&mut self) -> Token {\n        while self.peek() != '\"' {\n            self.bump();\n        }\n        Token::Str(self.taken())\n    }\n}\n";
const AFTER: &str = "impl Lexer {\n    fn scan_string(&mut self) -> Result<Token, Error> {\n        while let Some(c) = self.bump() {\n            if c == '\"' {\n                return Ok(Token::Str(self.taken()));\n            }\n        }\n        Err(Error::Unterminated { at: self.start })\n    }\n}\n";

const TESTS: &str = "\x1b[1m\x1b[32m   Compiling\x1b[0m lexer v0.3.1\n\x1b[1m\x1b[32m    Finished\x1b[0m `test` profile in 2.31s\n\
\x1b[1m\x1b[32m     Running\x1b[0m unittests src/lib.rs\n\nrunning 3 tests\ntest strings::closed ... \x1b[32mok\x1b[0m\n\
test strings::escaped ... \x1b[32mok\x1b[0m\ntest strings::open ... \x1b[31mFAILED\x1b[0m\n\n\
\x1b[38;5;208mwarning\x1b[0m: unused variable \x1b[38;2;120;180;255m`at`\x1b[0m\n\
\x1b[7m 66% \x1b[0m downloading\r\x1b[7m 100% \x1b[0m downloaded\n";

fn first_turn() -> Vec<Told> {
    let edit = {
        let body = DetailBody::Change {
            path: "src/lexer.rs".to_owned(),
            diff: Diff::between(BEFORE, AFTER),
        };
        call(
            "Edit",
            "src/lexer.rs",
            Some("+6 -4"),
            vec![detail(CallSide::Asked, DisplayWeight::Open, body)],
        )
    };
    let mut run = call(
        "Bash",
        "cargo test --quiet strings 2>&1 | tail -20",
        Some("12 lines"),
        vec![
            code(
                "bash",
                "cd /home/dev/work/lexer && cargo test --quiet strings 2>&1 | tail -20",
            ),
            output(TESTS),
        ],
    );
    run.status = CallStatus::Failed;
    let thinking = "The loop in `scan_string` never ends when the quote is missing.\n\nI should look at **raw strings** too.";
    vec![
        said(
            MessageKind::Prompt,
            0,
            vec![typed(
                "The tokenizer hangs on an unterminated string.\nCan you find out why and fix it?\n\n    let x = \"abc\n",
            )],
        ),
        folded(
            MessageKind::Meta,
            1,
            "injected",
            "<system-reminder>\nThe date is 2026-08-10.\n</system-reminder>",
        ),
        said(
            MessageKind::Answer,
            2,
            vec![
                PassagePart::Thinking(thinking.to_owned()),
                prose("I'll look at how strings are scanned."),
                called(call(
                    "Grep",
                    "scan_string",
                    Some("3 matches"),
                    vec![output("src/lexer.rs:41\nsrc/lexer.rs:88\nsrc/raw.rs:12")],
                )),
                called(call(
                    "Read",
                    "src/lexer.rs",
                    Some("120 lines"),
                    vec![code("rust", BEFORE)],
                )),
            ],
        ),
        said(
            MessageKind::Answer,
            3,
            vec![prose(ANSWER), called(edit), called(run)],
        ),
    ]
}

fn second_turn() -> Vec<Told> {
    let todos = [
        (TodoStatus::Completed, "Stop at the end of the line"),
        (TodoStatus::InProgress, "Say where the string began"),
        (TodoStatus::Pending, "Update the changelog"),
    ];
    let todos = todos.map(|(status, text)| TodoItem {
        status,
        text: text.to_owned(),
    });
    let question = AskedQuestion {
        question: "Which error should an open string give?".to_owned(),
        choices: vec![
            (
                "A new variant".to_owned(),
                Some("Error::Unterminated".to_owned()),
            ),
            (
                "The old one".to_owned(),
                Some("Error::Unexpected".to_owned()),
            ),
        ],
        answer: Some("A new variant".to_owned()),
    };
    let links = vec![
        WebLink {
            title: "Tokens - The Rust Reference".to_owned(),
            url: "https://doc.rust-lang.org/reference/tokens.html".to_owned(),
        },
        WebLink {
            title: "A trap".to_owned(),
            url: "javascript:alert(1)".to_owned(),
        },
    ];
    let picture = MediaText {
        kind: MediaKind::Image,
        media_type: "image/png".to_owned(),
        bytes: Some(88),
        data: Some(PIXELS.to_owned()),
    };
    let vector = MediaText {
        kind: MediaKind::Image,
        media_type: "image/svg+xml".to_owned(),
        bytes: Some(1_200),
        data: Some("PHN2Zz48L3N2Zz4=".to_owned()),
    };
    let plan = "## Plan\n\n1. Keep where a string began.\n2. Put it into the error.\n3. Add tests for `\"`, `\\\"` and the end of the file.";
    let open = |body| vec![detail(CallSide::Asked, DisplayWeight::Open, body)];
    let answered = |body| vec![detail(CallSide::Answered, DisplayWeight::Folded, body)];
    let mut denied = call(
        "Bash",
        "rm -rf target",
        None,
        vec![code("bash", "rm -rf target")],
    );
    denied.status = CallStatus::Denied;
    vec![
        said(
            MessageKind::Prompt,
            4,
            vec![
                typed("Go on with the plan. This is how it looks:"),
                PassagePart::Media(picture),
                PassagePart::Media(vector),
            ],
        ),
        said(
            MessageKind::Answer,
            5,
            vec![
                called(call(
                    "TodoWrite",
                    "1 of 3 done",
                    None,
                    open(DetailBody::Todos(todos.to_vec())),
                )),
                called(call(
                    "ExitPlanMode",
                    "",
                    None,
                    open(DetailBody::Prose(plan.to_owned())),
                )),
                called(call(
                    "AskUserQuestion",
                    "1 question",
                    None,
                    open(DetailBody::Questions(vec![question])),
                )),
                called(call(
                    "WebSearch",
                    "rust unterminated string",
                    Some("2 pages"),
                    answered(DetailBody::Links(links)),
                )),
                called(denied),
            ],
        ),
        agent_message(6),
    ]
}

fn agent_message(number: usize) -> Told {
    let mut task = call(
        "Task",
        "Review the change",
        Some("2 messages"),
        vec![code("", "Look at the diff and say what is missing.")],
    );
    task.agent = Some("a1".to_owned());
    let mut told = said(
        MessageKind::Answer,
        number,
        vec![prose("Someone else should look at this."), called(task)],
    );
    let head = AgentHead {
        id: "a1".to_owned(),
        kind: Some("reviewer".to_owned()),
        description: Some("Review the change".to_owned()),
        forked_at: None,
        messages: Some(2),
        whereabouts: AgentLocation::Nested,
    };
    let inner = vec![
        said(
            MessageKind::Prompt,
            60,
            vec![typed("Look at the diff and say what is missing.")],
        ),
        said(
            MessageKind::Answer,
            61,
            vec![
                prose("A test for the **end of the file** is missing."),
                called(call(
                    "Read",
                    "tests/strings.rs",
                    Some("40 lines"),
                    vec![output("#[test]\nfn closed() {}")],
                )),
            ],
        ),
    ];
    told.agents.push((head, inner));
    told
}

/// The minute at which the third turn begins, on the next day.
const NEXT_DAY: usize = 1500;

fn third_turn() -> Vec<Told> {
    let mut boundary = said(MessageKind::Boundary, NEXT_DAY + 1, Vec::new());
    boundary.passage.label = Some("automatic, 155k tokens before".to_owned());
    let command = PassagePart::Command {
        line: Some("/compact keep the plan".to_owned()),
        output: "Compacted.".to_owned(),
    };
    vec![
        said(
            MessageKind::Prompt,
            NEXT_DAY,
            vec![
                PassagePart::Note(ClientNote {
                    words: "open in the editor: CHANGELOG.md".to_owned(),
                    text: String::new(),
                }),
                PassagePart::Note(ClientNote {
                    words: "selected in the editor: lines 3 to 4 of CHANGELOG.md".to_owned(),
                    text: "## Unreleased\n\n- nothing".to_owned(),
                }),
                typed("And the changelog? This is what the others wrote:"),
                PassagePart::Pasted("- a line of theirs\n".repeat(60)),
                typed("Ours should look the same."),
            ],
        ),
        boundary,
        folded(
            MessageKind::Summary,
            NEXT_DAY + 2,
            "summary",
            "The user wants open strings to be errors. Done so far: the lexer stops at the end of the line.",
        ),
        said(MessageKind::Command, NEXT_DAY + 3, vec![command]),
        said(
            MessageKind::Answer,
            NEXT_DAY + 4,
            vec![
                PassagePart::Thinking(String::new()),
                prose("I'll add a line under *Unreleased*."),
                PassagePart::Unknown {
                    name: "future_block".to_owned(),
                },
            ],
        ),
        said(
            MessageKind::Interruption,
            NEXT_DAY + 5,
            vec![typed("[Request interrupted by user]")],
        ),
        said(
            MessageKind::Error,
            NEXT_DAY + 126,
            vec![typed("API Error: 529 overloaded")],
        ),
    ]
}

/// A transcript with one of everything.
pub(crate) fn everything() -> (TranscriptHead, Vec<Told>) {
    let turns = [first_turn(), second_turn(), third_turn()];
    let prompts = [
        "The tokenizer hangs on an unterminated string. Can you find out why and fix it?",
        "Go on with the plan. This is how it looks:",
        "And the changelog?",
    ];
    let lengths: Vec<(&str, u32)> = prompts
        .into_iter()
        .zip(turns.iter().map(|turn| turn.len() as u32))
        .collect();
    (head(&lengths), turns.concat())
}

/// A transcript of many turns, each a prompt and three answers.
pub(crate) fn long(turns: u32) -> (TranscriptHead, Vec<Told>) {
    let prompts: Vec<String> = (1..=turns)
        .map(|turn| format!("Question number {turn} about the parser"))
        .collect();
    let lengths: Vec<(&str, u32)> = prompts.iter().map(|prompt| (prompt.as_str(), 4)).collect();
    let mut messages = Vec::new();
    for prompt in &prompts {
        let number = messages.len();
        messages.push(said(MessageKind::Prompt, number, vec![typed(prompt)]));
        for answer in 1..4 {
            let parts = vec![
                prose(ANSWER),
                called(call("Bash", "ls", Some("2 lines"), vec![output("a\nb")])),
            ];
            messages.push(said(MessageKind::Answer, number + answer, parts));
        }
    }
    (head(&lengths), messages)
}

/// A transcript in which every text is the given one.
pub(crate) fn made_of(text: &str) -> (TranscriptHead, Vec<Told>) {
    let media = |kind| MediaText {
        kind,
        media_type: text.to_owned(),
        bytes: None,
        data: Some(text.to_owned()),
    };
    let asked = AskedQuestion {
        question: text.to_owned(),
        choices: vec![(text.to_owned(), Some(text.to_owned()))],
        answer: Some(text.to_owned()),
    };
    let bodies = vec![
        DetailBody::Code {
            language: text.to_owned(),
            text: text.to_owned(),
        },
        DetailBody::Code {
            language: "html".to_owned(),
            text: text.to_owned(),
        },
        DetailBody::Change {
            path: text.to_owned(),
            diff: Diff::between(text, "x"),
        },
        DetailBody::Output {
            text: text.to_owned(),
            is_error: true,
        },
        DetailBody::Todos(vec![TodoItem {
            status: TodoStatus::Other,
            text: text.to_owned(),
        }]),
        DetailBody::Prose(text.to_owned()),
        DetailBody::Questions(vec![asked]),
        DetailBody::Links(vec![WebLink {
            title: text.to_owned(),
            url: text.to_owned(),
        }]),
        DetailBody::Media(media(MediaKind::Image)),
    ];
    let details = bodies
        .into_iter()
        .map(|body| detail(CallSide::Answered, DisplayWeight::Open, body));
    let mut everywhere = call(text, text, Some(text), details.collect());
    everywhere.id = Some(text.to_owned());
    everywhere.agent = Some(text.to_owned());
    let agent = AgentHead {
        id: text.to_owned(),
        kind: Some(text.to_owned()),
        description: Some(text.to_owned()),
        forked_at: Some(text.to_owned()),
        messages: Some(1),
        whereabouts: AgentLocation::Nested,
    };
    let parts = vec![
        prose(text),
        typed(text),
        PassagePart::Pasted(text.to_owned()),
        PassagePart::Note(ClientNote {
            words: text.to_owned(),
            text: text.to_owned(),
        }),
        PassagePart::Thinking(text.to_owned()),
        PassagePart::Command {
            line: Some(text.to_owned()),
            output: text.to_owned(),
        },
        called(everywhere),
        PassagePart::Media(media(MediaKind::Document)),
        PassagePart::Unknown {
            name: text.to_owned(),
        },
    ];
    let mut told = said(MessageKind::Answer, 0, parts);
    told.passage.entries = vec![EntryId::new(text)];
    told.passage.model = Some(text.to_owned());
    told.agents
        .push((agent, vec![said(MessageKind::Prompt, 1, vec![typed(text)])]));
    let mut aside = folded(MessageKind::Notice, 1, text, text);
    aside.passage.entries = vec![EntryId::new(text)];
    let mut head = head(&[(text, 2)]);
    head.title = Some(text.to_owned());
    head.cwd = Some(text.to_owned());
    head.branch = Some(text.to_owned());
    head.version = Some(text.to_owned());
    head.models = vec![text.to_owned()];
    head.session = SessionId::new(text);
    head.path.fork_point = Some(EntryId::new(text));
    (head, vec![told, aside])
}
