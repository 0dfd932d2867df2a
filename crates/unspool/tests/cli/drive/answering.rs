//! Answers to approvals.

use super::DriveHome;

#[test]
fn a_call_is_allowed_once_and_the_first_answer_counts() {
    let home = DriveHome::new();
    let run = home.start("[[bash: touch made]]");
    let waiting = home.run(&["wait", &run]).ok();
    assert!(
        waiting.contains("touch made") && waiting.contains("unspool drive approve"),
        "{waiting}"
    );
    assert!(!home.has("made"));
    let approval = home.asked(&run);
    let allowed = home.run(&["approve", &approval[..8], "--json"]).json();
    assert_eq!(allowed["decision"], "allow");
    assert_eq!(allowed["by"], "command line");
    home.wait(&run, "idle");
    assert!(home.has("made"));
    for name in [&approval, &approval[..8]] {
        let again = home.run(&["approve", name, "--json"]).json();
        assert_eq!(again, allowed);
    }
    home.run(&["deny", &approval, "no"]).says(1, &["answered first"]);
}

#[test]
fn a_refusal_comes_with_words_and_the_run_can_be_named_instead() {
    let home = DriveHome::new();
    let run = home.start("[[bash: touch made]]");
    home.asked(&run);
    let denied = home.run(&["deny", &run[..6], "use", "the other folder"]);
    assert_eq!(denied.ok(), "deny\n");
    home.wait(&run, "idle");
    assert!(!home.has("made"));
    assert!(home.log(&run).contains("use the other folder"));
    home.run(&["approve", &run]).says(1, &["waits for nothing"]);
}

#[test]
fn another_input_and_a_suggestion_can_be_taken() {
    let home = DriveHome::new();
    let run = home.start("[[bash: touch wrong]]");
    let approval = home.asked(&run);
    for (args, words) in [
        (["--always", "99"], "a suggestion that the client did not make; it made 2"),
        (["--mode", "plan"], "permission_mode"),
        (["--input", "[1]"], "JSON object"),
    ] {
        home.run(&[&["approve", &approval][..], &args].concat()).says(2, &[words]);
    }
    let input = r#"{"command":"touch right"}"#;
    home.run(&["approve", &approval, "--input", input]).ok();
    home.wait(&run, "idle");
    assert!(home.has("right") && !home.has("wrong"));
}

#[test]
fn a_question_is_answered_with_an_option_or_words() {
    let home = DriveHome::new();
    let run = home.start("[[ask: Which colour? | Red | Blue]]");
    let found = home.wait(&run, "answer");
    assert_eq!(found["waiting_for"], "question");
    let approval = found["approvals"][0]["id"].as_str().expect("an id");
    home.run(&["approve", approval]).says(2, &["drive answer"]);
    for wrong in [&[""][..], &["1=Red", "1=Blue"]] {
        home.run(&[&["answer", approval][..], wrong].concat()).says(2, &[]);
    }
    home.run(&["answer", approval, "blue"]).ok();
    home.wait(&run, "idle");
    assert!(home.log(&run).contains(r#""Which colour?":"Blue""#));
    home.run(&["send", &run, "[[ask: Why? | A | B]]"]).ok();
    home.asked(&run);
    home.run(&["answer", &run, "why=because = so"]).ok();
    home.wait(&run, "idle");
    assert!(home.log(&run).contains("because = so"));
}

#[test]
fn a_plan_is_accepted_with_a_mode() {
    let home = DriveHome::new();
    let started = home.run(&["start", "--mode", "plan", "--prompt", "[[plan: build a boat]]"]);
    let run = started.ok().trim().to_owned();
    let shown = home.run(&["wait", &run]).ok();
    assert!(shown.contains("build a boat"), "{shown}");
    home.run(&["answer", &run, "yes"]).says(2, &[]);
    home.run(&["approve", &run, "--mode", "acceptEdits"]).ok();
    let after = home.until(&run, |run| run["permission_mode"] == "acceptEdits");
    assert_eq!(after["run"], run.as_str());
    home.run(&["send", &run, "[[edit: made.txt]]"]).ok();
    home.wait(&run, "idle");
    assert!(home.has("made.txt"));
}

#[test]
fn a_form_is_filled_in_field_by_field() {
    let home = DriveHome::new();
    let run = home.start("[[form: Where shall it run?]]");
    let found = home.wait(&run, "answer");
    assert_eq!(found["approvals"][0]["kind"], "elicitation");
    let shown = home.run(&["wait", &run]).ok();
    for part in ["Where shall it run?", "name  a text", "plan  one of free, paid, needed"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    for (args, words) in [
        (&["name=x"][..], "not filled in: plan"),
        (&["name=x", "plan=big"], "should be one of free, paid"),
        (&["name=x", "plan=free", "port=99999"], "from 1 to 65535"),
        (&["nmae=x"], "the form has no field `nmae`; it has name, mail"),
    ] {
        home.run(&[&["answer", &run][..], args].concat()).says(2, &[words]);
    }
    home.run(&["answer", &run, "name=site", "plan=Paid", "regions=eu, us"]).ok();
    home.wait(&run, "idle");
    let log = home.log(&run);
    for part in [r#"\"name\":\"site\""#, r#"\"plan\":\"paid\""#, r#"\"port\":8080"#] {
        assert!(log.contains(part), "{part}: {log}");
    }
    home.run(&["send", &run, "[[form: And now?]]"]).ok();
    home.asked(&run);
    home.run(&["deny", &run]).ok();
    home.wait(&run, "idle");
    assert!(home.log(&run).contains("decline"));
}
