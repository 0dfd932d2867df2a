//! The commands and models that the client offers.

use super::DriveHome;

#[test]
fn commands_and_models_of_a_run_are_listed() {
    let home = DriveHome::new();
    let run = home.start("[[say: hi]]");
    home.wait(&run, "idle");
    let listed = home.run(&["commands", &run]).ok();
    for part in ["/clear", "/compact", "--model "] {
        assert!(listed.contains(part), "{part}: {listed}");
    }
    let menu = home.run(&["commands", &run, "--json"]).json();
    assert_eq!(menu["run"], run.as_str());
    assert_eq!(menu["commands"][1]["name"], "compact");
    assert_eq!(home.run(&["commands", "00000000"]).code, Some(1));
}
