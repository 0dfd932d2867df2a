//! How long turns were worked on and how they ended, by example.

use unspool_model::conversation::{Conversation, Liveness, Turn, TurnOutcome};
use unspool_model::graph::{Rule, Scope};

use crate::{DAY, Thread};

impl Thread {
    /// Returns a value for each turn, after asserting that totals have the same lengths.
    #[track_caller]
    fn turns<T>(&self, live: Liveness, told: impl Fn(&Turn) -> T) -> Vec<T> {
        let log = self.log();
        let conversation = Conversation::new(&log, Rule::Current, Scope::Session);
        let path = conversation.paths.active().expect("a path");
        let turns = conversation.turns(&conversation.history(path), live);
        let lengths = conversation.tally().turns;
        let lengths = lengths.iter().map(|turn| turn.length.map(|length| length.millis));
        let durations: Vec<_> = turns.iter().map(|turn| turn.duration_ms).collect();
        assert_eq!(durations, lengths.collect::<Vec<_>>(), "totals say the same");
        turns.iter().map(told).collect()
    }

    /// Returns for each turn how many seconds after its prompt it ended, and how many of these were work.
    #[track_caller]
    fn seconds(&self) -> Vec<(u64, u64)> {
        self.turns(Liveness::Idle, |turn| {
            let (started, ended) = turn.started.zip(turn.ended).expect("times");
            let worked = turn.duration_ms.expect("a length");
            (ended.since(started) / 1000, worked / 1000)
        })
    }

    #[track_caller]
    fn lasts(&self, expected: &[(u64, u64)]) {
        assert_eq!(self.seconds(), expected);
    }

    #[track_caller]
    fn ends(&self, expected: &[TurnOutcome]) {
        assert_eq!(self.turns(Liveness::Idle, |turn| turn.outcome), expected);
    }
}

/// A prompt with its answer, and then nothing for days.
fn long_ago() -> Thread {
    Thread::default().user("do it").answer().after_days(5)
}

#[test]
fn what_comes_days_later_does_not_stretch_a_turn() {
    let later = [
        (
            "command",
            long_ago()
                .user("<command-name>/status</command-name>")
                .user("<local-command-stdout>x</local-command-stdout>"),
        ),
        ("local command", long_ago().system("local_command", "")),
        ("away summary", long_ago().system("away_summary", "")),
        ("notice", long_ago().system("informational", "")),
        ("retry", long_ago().system("api_error", "")),
        ("compaction", long_ago().compaction()),
        ("injected text", long_ago().user_with("Caveat: x", r#""isMeta":true,"#)),
        ("attachment", long_ago().add("attachment", r#""attachment":{"type":"date_change"}"#)),
        ("progress record", long_ago().add("progress", r#""data":{"type":"bash_progress"}"#)),
        ("report", long_ago().report()),
    ];
    for (name, thread) in later {
        assert_eq!(thread.seconds(), [(10, 10)], "{name}");
        let next = thread.user("next").answer().seconds();
        assert_eq!(next, [(10, 10), (10, 10)], "{name}, and a prompt");
    }
}

#[test]
fn a_report_that_wakes_the_model_adds_the_work_on_it_and_not_the_days() {
    let days = 5 * DAY / 1000;
    long_ago().report().answer().lasts(&[(days + 30, 20)]);
    // A command that the model answers begins a turn of its own.
    let command = long_ago().user("<command-name>/review</command-name>");
    let told = command.user_with("Review it.", r#""isMeta":true,"#);
    told.call("t").result("t", "").answer().lasts(&[(10, 10), (40, 30)]);
    long_ago().compaction().answer().lasts(&[(days + 40, 20)]);
}

#[test]
fn what_a_client_makes_up_when_it_resumes_is_no_work() {
    let killed = || Thread::default().user("do it").call("t").after_days(4);
    let resumed = killed().result("t", r#""toolDenialKind":"interrupted","#).made_up("");
    resumed.lasts(&[(10, 10)]);
    let resumed = resumed.user_with("Continue.", r#""isMeta":true,"#).answer();
    resumed.lasts(&[(4 * DAY / 1000 + 50, 20)]);
    // A result that the tool returned counts: a slow tool and a wait for a person look the same.
    let waited = 4 * DAY / 1000 + 20;
    killed().result("t", "").lasts(&[(waited, waited)]);
    killed().result("t", r#""toolDenialKind":"user-rejected","#).lasts(&[(waited, waited)]);
}

#[test]
fn interruptions_and_api_errors_end_the_work() {
    let thread = Thread::default().user("do it").call("t");
    let thread = thread.result("t", r#""toolDenialKind":"interrupted","#);
    thread.user("[Request interrupted by user for tool use]").lasts(&[(30, 30)]);
    let error = Thread::default().user("do it").system("api_error", "").system("api_error", "");
    error.made_up(r#""isApiErrorMessage":true,"#).lasts(&[(30, 30)]);
}

#[test]
fn the_clients_word_counts_before_what_times_suggest() {
    let told = || Thread::default().user("do it").answer().stated(7_000);
    told().lasts(&[(20, 7)]);
    // A second statement without work in between is about the same work.
    told().stated(9_000).lasts(&[(30, 9)]);
    told().stated(2_000).lasts(&[(30, 7)]);
    let woken = || told().after_days(2).report().answer();
    let days = 2 * DAY / 1000;
    woken().lasts(&[(days + 40, 17)]);
    woken().stated(3_000).lasts(&[(days + 50, 10)]);
    told().after_days(2).system("local_command", "").lasts(&[(20, 7)]);
}

#[test]
fn a_prompt_that_is_put_in_belongs_to_the_turn_that_it_was_said_in() {
    use TurnOutcome::{Done, Error, Interrupted, Killed};
    let working = || Thread::default().user("do it").call("t").result("t", "");
    working().queued().answer().ends(&[Done]);
    working().queued().queued().answer().ends(&[Done]);
    working().queued().call("t2").ends(&[Killed]);
    Thread::default().queued().answer().ends(&[]);
    working().queued().user("[Request interrupted by user]").ends(&[Interrupted]);
    working().queued().made_up(r#""isApiErrorMessage":true,"#).ends(&[Error]);
    let open = working().queued().turns(Liveness::Live, |turn| turn.outcome);
    assert_eq!(open, [TurnOutcome::Open]);
    // The model continues to work while a prompt is queued, and the statement covers all of it.
    let thread = working().queued().answer();
    thread.lasts(&[(40, 40)]);
    let thread = thread.stated(45_000);
    thread.lasts(&[(50, 45)]);
    let woken = thread.report().answer().stated(4_000);
    woken.lasts(&[(80, 49)]);
}

#[test]
fn a_turn_that_was_killed_stays_so() {
    use TurnOutcome::{Done, Killed};
    let working = || Thread::default().user("do it").call("t");
    working().result("t", "").user("again").answer().ends(&[Killed, Done]);
    working()
        .result("t", r#""toolDenialKind":"interrupted","#)
        .made_up("")
        .user("again")
        .answer()
        .ends(&[Killed, Done]);
    working().result("t", "").queued().user("again").answer().ends(&[Killed, Done]);
}
