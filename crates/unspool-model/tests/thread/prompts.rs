//! Words of a person, by example: slash commands that the model answered, replies, and the names of sessions.

use unspool_model::conversation::{Conversation, Liveness};
use unspool_model::entry::MessageKind;
use unspool_model::graph::{Rule, Scope};
use unspool_model::log::Log;
use unspool_testkit::reallogs::{self, RealLogs};

use crate::Thread;

/// A command that expands into a prompt, as the client writes it.
const FLOW: &str = r"<command-message>flow is running…</command-message>\n<command-name>/flow</command-name>\n<command-args>story 12\n\nand more</command-args>";
/// A command that only acts on the client.
const CLEAR: &str = r"<command-name>/clear</command-name>\n            <command-message>clear</command-message>\n            <command-args></command-args>";
/// The text before the words of a rejection.
const REJECTED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:";

impl Thread {
    fn meta(self, text: &str) -> Self {
        self.user_with(text, r#""isMeta":true,"#)
    }

    /// Adds the result of a call that was refused or quotes a refusal, with further fields of
    /// the block, each after a comma.
    fn result_saying(self, text: &str, fields: &str) -> Self {
        let block =
            format!(r#"[{{"type":"tool_result","tool_use_id":"t","content":"{text}"{fields}}}]"#);
        self.add("user", &format!(r#""message":{{"content":{block}}}"#))
    }

    fn attachment(self) -> Self {
        self.add("attachment", r#""attachment":{"type":"date","date":"x"}"#)
    }

    /// Returns the kinds of the messages, after asserting that totals count as many turns.
    #[track_caller]
    fn kinds(&self, turns: usize) -> Vec<MessageKind> {
        let log = self.log();
        let conversation = Conversation::new(&log, Rule::Current, Scope::Session);
        let path = conversation.paths.active().expect("a path");
        let view = conversation.history(path);
        assert_eq!(conversation.turns(&view, Liveness::Idle).len(), turns);
        assert_eq!(conversation.tally().turns.len(), turns, "totals");
        view.messages.iter().map(|message| message.kind).collect()
    }

    #[track_caller]
    fn called(&self, first_prompt: &str, title: &str) {
        let log = self.log();
        let openings = log.openings();
        assert_eq!(openings.first_prompt(), Some(first_prompt), "first prompt");
        assert_eq!(openings.best(), Some(title), "title");
    }
}

#[test]
fn a_slash_command_that_the_model_answers_is_a_prompt() {
    use MessageKind::{Answer, Meta, Prompt};
    let plain = Thread::default().user(FLOW).meta("Do the flow.").answer();
    assert_eq!(plain.kinds(1), [Prompt, Meta, Answer]);
    // Entries that the client adds by itself may be in between.
    let between = Thread::default()
        .user(FLOW)
        .attachment()
        .meta("Base directory for this skill: /x")
        .system("api_error", "")
        .attachment()
        .meta("<system-reminder>x</system-reminder>")
        .answer();
    assert_eq!(between.kinds(1).first(), Some(&Prompt));
}

#[test]
fn a_command_that_only_acts_on_the_client_is_none() {
    use MessageKind::{Answer, Command, Error, Meta, Prompt};
    let clear = Thread::default()
        .meta("<local-command-caveat>x</local-command-caveat>")
        .user(CLEAR)
        .user("<local-command-stdout></local-command-stdout>")
        .user("go on")
        .answer();
    assert_eq!(clear.kinds(1), [Meta, Command, Command, Prompt, Answer]);
    let silent = Thread::default()
        .user(CLEAR)
        .meta("<local-command-caveat>x</local-command-caveat>")
        .answer();
    assert_eq!(silent.kinds(0), [Command, Meta, Answer]);
    let unanswered = Thread::default().user(FLOW).meta("Do the flow.");
    assert_eq!(unanswered.kinds(0), [Command, Meta]);
    let made_up = unanswered.made_up("");
    assert_eq!(made_up.kinds(0), [Command, Meta, Error]);
    let output =
        Thread::default().user(FLOW).system("local_command", "").meta("Do the flow.").answer();
    assert_eq!(output.kinds(0)[0], Command);
}

#[test]
fn a_command_that_the_model_calls_is_none() {
    let called = Thread::default()
        .user("do it")
        .call("t")
        .result("t", "")
        .user(FLOW)
        .meta("Do the flow.")
        .answer();
    assert!(called.kinds(1).contains(&MessageKind::Command));
}

#[test]
fn words_given_with_a_refusal_are_a_reply_in_the_turn() {
    use MessageKind::{Answer, Prompt, Reply};
    let said = format!(r"{REJECTED}\nuse the other\none");
    let refused = Thread::default()
        .user("do it")
        .call("t")
        .result_saying(&said, r#","is_error":true"#)
        .answer();
    assert_eq!(refused.kinds(1), [Prompt, Answer, Reply, Answer]);
    let quoted = Thread::default().user("do it").call("t").result_saying(&said, "");
    assert_eq!(quoted.kinds(1), [Prompt, Answer]);
}

#[test]
fn sessions_are_called_by_the_first_prompt_that_says_something() {
    let flow = || Thread::default().user(FLOW).meta("Do the flow.");
    let line = "/flow story 12  and more";
    flow().answer().called(line, line);
    // Until the model answers, it may be a command that only acts on the client.
    flow().called(line, line);
    flow().user("fix it").called("fix it", "fix it");
    flow().answer().user("fix it").called(line, line);
    let short = || Thread::default().user("9").answer();
    short().called("9", "9");
    short().user("fix it").called("9", "fix it");
    let short = short().user(FLOW).meta("Do the flow.").answer();
    short.called("9", line);
    let client = || Thread::default().user(CLEAR);
    client().called("/clear", "/clear");
    client().user("ok?").called("ok?", "ok?");
    client().user("fix it").called("fix it", "fix it");
}

#[test]
fn a_command_becomes_a_prompt_when_the_answer_comes() {
    let lines = Thread::default().user(FLOW).meta("Do the flow.").answer().lines;
    let whole = lines.join("\n");
    let mut log = Log::default();
    let end = whole.rfind('\n').map_or(0, |at| at + 1);
    log.push(&whole.as_bytes()[..end]);
    assert_eq!(log.openings().prompt, None, "no answer yet");
    let read = log.resume_offset() as usize;
    log.push_tail(&whole.as_bytes()[read..]);
    assert_eq!(log.openings().prompt, Some("/flow story 12  and more"));
    log.push_tail(b"");
    assert_eq!(log.openings().prompt, None, "the answer is not there yet");
}

/// Returns the kinds of the messages on the active path of a log.
fn kinds_of(bytes: &[u8]) -> Vec<MessageKind> {
    let log = Log::read(bytes);
    let conversation = Conversation::new(&log, Rule::Current, Scope::Session);
    let path = conversation.paths.active().expect("a path");
    let view = conversation.history(path);
    view.messages.iter().map(|message| message.kind).collect()
}

#[test]
fn commands_of_the_real_client_that_act_on_it_are_no_prompts() {
    let case = RealLogs::fixtures().case("2.1.325", "tui-slash");
    let mut prompts: Vec<usize> = Vec::new();
    let is_history = |file: &std::path::PathBuf| file.ends_with("history.jsonl");
    for file in case.files().into_iter().filter(|file| !is_history(file)) {
        let kinds = kinds_of(&std::fs::read(file).expect("a log"));
        assert!(kinds.contains(&MessageKind::Command));
        let is_prompt = |kind: &&MessageKind| **kind == MessageKind::Prompt;
        prompts.push(kinds.iter().filter(is_prompt).count());
    }
    prompts.sort_unstable();
    assert_eq!(prompts, [1, 3]);
}

#[test]
fn what_people_said_to_the_real_client_with_a_refusal_or_an_answer_is_a_reply() {
    let Some(shared) = reallogs::shared_root() else {
        return;
    };
    for (scenario, expected) in [("plan-flow", 1), ("ask-question", 2), ("tui-markers", 0)] {
        let home = shared.with_file_name("reallogs-2").join("2.1.325").join(scenario);
        let Ok(projects) = std::fs::read_dir(home.join("home/projects")) else {
            continue;
        };
        let folder = projects.flatten().next().expect("a project").path();
        let files = std::fs::read_dir(folder).expect("a folder").flatten();
        let is_log = |path: &std::path::PathBuf| path.extension().is_some_and(|end| end == "jsonl");
        let log = files.map(|file| file.path()).find(is_log).expect("a log");
        let kinds = kinds_of(&std::fs::read(log).expect("a log"));
        let replies = kinds.iter().filter(|kind| **kind == MessageKind::Reply);
        assert_eq!(replies.count(), expected, "{scenario}");
    }
}
