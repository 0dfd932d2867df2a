//! The facts in sessions, and the questions about them.

use super::FactPosition;

/// Facts, with questions in other words than those of the fact.
const FACTS: &str = include_str!("facts.txt");

/// A fact with its position and a question.
pub(super) struct Fact {
    pub(super) place: FactPosition,
    /// The prompt of the turn with the fact, unless the prompt is the fact.
    pub(super) topic: String,
    pub(super) text: String,
    pub(super) question: String,
}

/// Returns the facts.
pub(super) fn facts() -> Vec<Fact> {
    let lines = FACTS.lines().filter(|line| !line.starts_with('#'));
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    lines.chunks(3).map(fact).collect()
}

fn fact(lines: &[&str]) -> Fact {
    let [head, text, question] = lines else {
        panic!("a fact has three lines: {lines:?}");
    };
    let (place, topic) = head.split_once(": ").expect("a place and a topic");
    Fact {
        place: match place {
            "prompt" => FactPosition::Prompt,
            "answer" => FactPosition::Answer,
            "thinking" => FactPosition::Thinking,
            "command" => FactPosition::Command,
            "output" => FactPosition::Output,
            other => panic!("no place is called {other:?}"),
        },
        topic: topic.to_owned(),
        text: text.replace("\\n", "\n"),
        question: question.strip_prefix("? ").expect("a question").to_owned(),
    }
}

/// Code words, each in one session and searched for verbatim.
pub(super) const CODE_WORDS: &[(&str, &str)] = &[
    ("parse_ledger_entry", "fn parse_ledger_entry(line: &str) -> Entry"),
    ("Sandbox::spawn_guest", "panicked in Sandbox::spawn_guest at guest.rs"),
    ("src/adapters/soap_bridge.rs", "edited src/adapters/soap_bridge.rs and ran the tests"),
    ("--skip-warmup-phase", "run it with --skip-warmup-phase on the runner"),
    ("renderInvoiceFooter", "export const renderInvoiceFooter = () => null"),
    ("HeronClientV3", "class HeronClientV3 extends BaseClient"),
    ("v4.17.93", "pinned to v4.17.93 in the lockfile"),
    ("EHOSTDOWN_7731", "failed with EHOSTDOWN_7731 after three tries"),
    (
        "https://wiki.example.test/heron/runbook",
        "see https://wiki.example.test/heron/runbook first",
    ),
    ("9f1c2ab77de04c55", "trace 9f1c2ab77de04c55 shows the gap"),
    ("設定画面", "設定画面の文字が小さいという報告がありました"),
    ("🦩", "tagged the release 🦩 as agreed"),
    ("größenabhängig", "Der Rabatt ist größenabhängig und wird später berechnet"),
    (".heronrc", "the file .heronrc in the home folder wins"),
    ("tokio::select!", "the tokio::select! branch never completes"),
    ("@heron/ui-kit", "import { Button } from '@heron/ui-kit'"),
];
