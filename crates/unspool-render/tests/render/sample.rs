//! Transcripts to paint: one of everything, long ones, and malicious ones.

use unspool_engine::ops::message::MediaText;
use unspool_engine::ops::transcript::ViewKind;
use unspool_model::conversation::{CallStatus, TurnOutcome};
use unspool_model::entry::MessageKind;
use unspool_model::ids::{EntryId, ProjectId, SessionId};
use unspool_model::positions::{PathNumber, TurnNumber};
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

mod hostile;

pub(crate) use hostile::made_of;

/// An image of four by four pixels.
pub(crate) const PIXELS: &str = "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAAEElEQVR4nGM4ceIEHDEQxwEAp2cT4eBwZYwAAAAASUVORK5CYII=";

fn time(minute: i64) -> Time {
    let start = Time::parse("2026-08-10T09:00:00.000Z").expect("a time");
    Time::from_millis(start.as_millis() + minute * 60_000)
}

/// Creates a message of a kind.
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
    Told { passage, agents: Vec::new() }
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
    let body = DetailBody::Output { text: text.to_owned(), is_error: false };
    detail(CallSide::Answered, DisplayWeight::Folded, body)
}

fn code(language: &str, text: &str) -> CallDetail {
    let body = DetailBody::Code { language: language.to_owned(), text: text.to_owned() };
    detail(CallSide::Asked, DisplayWeight::Folded, body)
}

/// Returns a transcript with one command.
pub(crate) fn command(text: &str) -> (TranscriptHead, Vec<Told>) {
    let call = call("Bash", text, None, vec![code("bash", text)]);
    (head(&[("run", 1)]), vec![said(MessageKind::Answer, 0, vec![called(call)])])
}

/// Returns the header of a transcript with these turns, given as prompt and number of messages.
pub(crate) fn head(turns: &[(&str, u32)]) -> TranscriptHead {
    let mut at = 0;
    let turns: Vec<TurnHead> = TurnNumber::enumerate(turns)
        .map(|(number, (prompt, messages))| {
            let start = at;
            at += messages;
            TurnHead {
                number,
                prompt: (*prompt).to_owned(),
                started: Some(time(if number.get() == 3 { NEXT_DAY as i64 } else { start.into() })),
                duration_ms: Some(94_000),
                calls: 3,
                outcome: if number.get() == 3 {
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
            number: PathNumber::at(1),
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
        held_paths: Vec::new(),
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
            code("bash", "cd /home/dev/work/lexer && cargo test --quiet strings 2>&1 | tail -20"),
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
                called(call("Read", "src/lexer.rs", Some("120 lines"), vec![code("rust", BEFORE)])),
            ],
        ),
        said(MessageKind::Answer, 3, vec![prose(ANSWER), called(edit), called(run)]),
    ]
}

fn second_turn() -> Vec<Told> {
    let looks = vec![
        typed("Go on with the plan. This is how it looks:"),
        picture("image/png", 88, PIXELS),
        picture("image/svg+xml", 1_200, "PHN2Zz48L3N2Zz4="),
    ];
    let plan = "## Plan\n\n1. Keep where a string began.\n2. Put it into the error.\n3. Add tests for `\"`, `\\\"` and the end of the file.";
    let plan = asked(DetailBody::Prose(plan.to_owned()));
    let links = detail(CallSide::Answered, DisplayWeight::Folded, found_links());
    let pages = Some("2 pages");
    let mut denied = call("Bash", "rm -rf target", None, vec![code("bash", "rm -rf target")]);
    denied.status = CallStatus::Denied;
    let calls = vec![
        call("TodoWrite", "1 of 3 done", None, vec![asked(todos())]),
        call("ExitPlanMode", "", None, vec![plan]),
        call("AskUserQuestion", "1 question", None, vec![asked(question())]),
        call("WebSearch", "rust unterminated string", pages, vec![links]),
        denied,
    ];
    let calls = calls.into_iter().map(called).collect();
    vec![said(MessageKind::Prompt, 4, looks), said(MessageKind::Answer, 5, calls), agent_message(6)]
}

fn asked(body: DetailBody) -> CallDetail {
    detail(CallSide::Asked, DisplayWeight::Open, body)
}

fn picture(media_type: &str, bytes: u64, data: &str) -> PassagePart {
    PassagePart::Media(MediaText {
        kind: MediaKind::Image,
        media_type: media_type.to_owned(),
        bytes: Some(bytes),
        data: Some(data.to_owned()),
    })
}

fn todos() -> DetailBody {
    let todos = [
        (TodoStatus::Completed, "Stop at the end of the line"),
        (TodoStatus::InProgress, "Say where the string began"),
        (TodoStatus::Pending, "Update the changelog"),
    ];
    let todos = todos.map(|(status, text)| TodoItem { status, text: text.to_owned() });
    DetailBody::Todos(todos.to_vec())
}

fn question() -> DetailBody {
    let choices = [("A new variant", "Error::Unterminated"), ("The old one", "Error::Unexpected")];
    let choices = choices.map(|(name, about)| (name.to_owned(), Some(about.to_owned())));
    DetailBody::Questions(vec![AskedQuestion {
        question: "Which error should an open string give?".to_owned(),
        choices: choices.to_vec(),
        answer: Some("A new variant".to_owned()),
    }])
}

fn found_links() -> DetailBody {
    let links = [
        ("Tokens - The Rust Reference", "https://doc.rust-lang.org/reference/tokens.html"),
        ("A trap", "javascript:alert(1)"),
    ];
    let links = links.map(|(title, url)| WebLink { title: title.to_owned(), url: url.to_owned() });
    DetailBody::Links(links.to_vec())
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
        location: AgentLocation::Nested,
    };
    let inner = vec![
        said(MessageKind::Prompt, 60, vec![typed("Look at the diff and say what is missing.")]),
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
                PassagePart::Unknown { name: "future_block".to_owned() },
            ],
        ),
        said(MessageKind::Interruption, NEXT_DAY + 5, vec![typed("[Request interrupted by user]")]),
        said(MessageKind::Error, NEXT_DAY + 126, vec![typed("API Error: 529 overloaded")]),
    ]
}

/// Returns a transcript with one of everything.
pub(crate) fn everything() -> (TranscriptHead, Vec<Told>) {
    let turns = [first_turn(), second_turn(), third_turn()];
    let prompts = [
        "The tokenizer hangs on an unterminated string. Can you find out why and fix it?",
        "Go on with the plan. This is how it looks:",
        "And the changelog?",
    ];
    let lengths: Vec<(&str, u32)> =
        prompts.into_iter().zip(turns.iter().map(|turn| turn.len() as u32)).collect();
    (head(&lengths), turns.concat())
}

/// Returns a transcript of many turns, each a prompt and three answers.
pub(crate) fn long(turns: u32) -> (TranscriptHead, Vec<Told>) {
    let prompts: Vec<String> =
        (1..=turns).map(|turn| format!("Question number {turn} about the parser")).collect();
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
