//! Changes of a run: mode, model, deadlines, budget, queue.

use serde_json::{Value, json};

use super::DriveHome;

/// Sends a prompt to a run and returns the prompt's id.
fn send(home: &DriveHome, run: &str, text: &str) -> String {
    home.run(&["send", run, text]).ok().trim().to_owned()
}

#[test]
fn mode_model_and_deadlines_of_a_run_are_changed() {
    let home = DriveHome::new();
    let run = home.start("[[say: hi]]");
    home.wait(&run, "idle");
    home.run(&["mode", &run, "--mode", "plan"]).ok();
    home.until(&run, |found| found["permission_mode"] == "plan");
    home.run(&["mode", &run, "--model", "other-model"]).ok();
    home.until(&run, |found| found["model"] == "other-model");
    home.run(&["mode", &run, "--mode", "bypassPermissions"]).says(2, &[]);
    assert_eq!(home.run(&["mode", &run]).code, Some(2));
    assert_eq!(home.run(&["deadlines", &run]).code, Some(2));
    let changed = ["deadlines", &run, "--idle", "70", "--json"];
    let changed = home.run(&changed).json();
    assert_eq!(changed["deadlines"]["idle"], 70);
    assert_eq!(changed["deadlines"]["waiting"], Value::Null);
    home.run(&["deadlines", &run, "--idle", "off", "--waiting", "600"]).ok();
    let found = home.look(&run);
    assert_eq!(found["deadlines"]["idle"], Value::Null);
    assert_eq!(found["deadlines"]["waiting"], 600);
}

#[test]
fn queued_prompts_are_cancelled_and_put_in_an_order() {
    let home = DriveHome::new();
    let run = home.start("[[wait-file: go]]");
    let ids = ["one", "two", "three"].map(|text| send(&home, &run, text));
    let cancelled = home.run(&["cancel", &run, &ids[1][..8], "--json"]).json();
    assert_eq!(cancelled["state"], "cancelled");
    home.run(&["order", &run, &ids[2]]).ok();
    let found = home.look(&run);
    let waiting = found["queue"].as_array().expect("a queue").iter();
    let waiting: Vec<&Value> =
        waiting.filter(|prompt| prompt["state"] == "queued").map(|prompt| &prompt["id"]).collect();
    assert_eq!(json!(waiting), json!([ids[2], ids[0]]));
    home.run(&["cancel", &run, "00000000"]).says(1, &[]);
    home.write("go", "");
    home.wait(&run, "idle");
    home.run(&["cancel", &run, &ids[0]]).says(1, &[]);
}

#[test]
fn a_run_stops_at_its_budget_and_goes_on_when_it_is_raised() {
    let home = DriveHome::new();
    let prompt = "[[cost: 30]] [[wait-file: go]]";
    let started = home.run(&["start", "--prompt", prompt, "--budget", "0.25"]);
    assert!(started.err.contains("budget       $0.25"), "{}", started.err);
    let run = started.ok().trim().to_owned();
    send(&home, &run, "[[say: more]]");
    home.write("go", "");
    let found = home.wait(&run, "budget");
    assert_eq!(found["state"], "idle");
    assert_eq!((&found["budget"], &found["cost_usd"]), (&json!(0.25), &json!(0.3)));
    let shown = home.run(&["wait", &run]).ok();
    assert!(shown.contains("the budget of $0.25 is spent ($0.30"), "{shown}");
    assert!(home.run(&["list"]).ok().contains("its budget is spent"));
    home.run(&["deadlines", &run, "--budget", "1"]).ok();
    let found = home.wait(&run, "idle");
    assert_eq!(found["over_budget"], Value::Null);
    let spent = home.run(&["start", "--prompt", "[[cost: 30]]", "--budget", "0.25"]);
    let spent = spent.ok().trim().to_owned();
    assert_eq!(home.wait(&spent, "budget")["need"], "idle", "nothing is queued");
    for wrong in ["0", "-1", "much"] {
        home.run(&["start", "--dry-run", &format!("--budget={wrong}")]).says(2, &[]);
    }
    let plan = home.run(&["start", "--dry-run", "--budget", "2", "--json"]);
    assert_eq!(plan.json()["budget"], 2.0);
}
