//! The full-screen program in a pseudo-terminal: the main workflows, and every way to end.
//!
//! However the program ends, the terminal is restored: line settings, screen, mouse, bracketed paste,
//! cursor.

#[cfg(target_os = "linux")]
mod driven;

use unspool_testkit::pty::{PtyProgram, PtyStart};
use unspool_testkit::{TestHome, session, uuid};

const PROGRAM: &str = env!("CARGO_BIN_EXE_unspool");

/// Builds the start of `unspool` on a home.
fn unspool(home: &TestHome) -> PtyStart<'_> {
    PtyStart::program(home, PROGRAM).args(["--home"]).args([home.path()])
}

/// Writes an executable script.
fn script(home: &TestHome, name: &str, text: &str) -> String {
    home.add_script(name, text).display().to_string()
}

fn home() -> TestHome {
    let home = TestHome::new();
    let folder = home.user_home().join("work");
    std::fs::create_dir(&folder).expect("a folder");
    let folder = folder.display().to_string();
    for (name, title) in [("one", "mend the fence"), ("two", "paint the boat")] {
        let log = session(&format!(
            "%cwd {folder}\nu1 user \"{title}\"\na1 assistant \"the answer about {title}\""
        ));
        home.add_session(&folder, &uuid(name), log);
    }
    home
}

fn picker(home: &TestHome) -> PtyProgram {
    let mut program = unspool(home).run();
    program.wait_for("mend the fence").wait_for("paint the boat");
    program
}

#[test]
fn quitting_restores_the_terminal() {
    let home = home();
    for (keys, code) in [("\u{1b}", 0), ("\u{3}", 0)] {
        let mut program = picker(&home);
        program.wait_for_alternate(true).press(keys);
        assert_eq!(program.end().exit_code(), code, "{keys:?}");
        program.expect_restored();
    }
}

#[test]
fn a_session_is_found_read_and_left() {
    let home = home();
    let mut program = picker(&home);
    program.press("boat").wait_for("1 of 2");
    program.press("\r").wait_for("the answer about paint the boat");
    program.press("q").wait_for("1 of 2");
    program.press("\u{1b}").wait_for("mend the fence");
    program.press("\u{1b}");
    assert_eq!(program.end().exit_code(), 0);
    program.expect_restored();
}

#[test]
fn signals_restore_the_terminal() {
    let home = home();
    for (signal, code) in [("TERM", 143), ("HUP", 129), ("INT", 130), ("QUIT", 131)] {
        let mut program = picker(&home);
        program.signal(signal);
        assert_eq!(program.end().exit_code(), code, "{signal}");
        program.expect_restored();
    }
}

#[test]
fn a_panic_in_any_thread_restores_the_terminal() {
    const F12: &str = "\u{1b}[24~";
    let home = home();
    for thread in ["loop", "worker", "keys"] {
        let start = unspool(&home).variable("UNSPOOL_FAULT", thread);
        let mut program = start.run();
        program.wait_for("mend the fence").press(F12);
        assert_eq!(program.end().exit_code(), 101, "{thread}");
        program.wait_for("a bug in unspool").expect_restored();
    }
}

#[test]
fn the_program_sleeps_and_comes_back() {
    let home = home();
    let mut shell = PtyStart::shell(&home).run();
    let command = format!("{PROGRAM} --home {}", home.path().display());
    shell.wait_for("ready 1>").press(&format!("{command}\r"));
    for prompt in ["ready 2>", "ready 3>"] {
        shell.wait_for("mend the fence").wait_for_alternate(true);
        shell.press("\u{1a}").wait_for_alternate(false);
        shell.wait_for(prompt).press("fg\r");
    }
    shell.wait_for_alternate(true).wait_for("mend the fence");
    shell.press("\u{1b}").wait_for_alternate(false);
    // Typed before the program has ended, so it is for the shell.
    shell.press("exit\r");
    assert_eq!(shell.end().exit_code(), 0);
}

#[test]
fn an_editor_gets_the_terminal_and_gives_it_back() {
    let home = home();
    let editor = script(
        &home,
        "editor",
        "stty -a | grep -o ' icanon'\necho EDITING\nread line\necho $line > edited",
    );
    let start = unspool(&home).variable("VISUAL", &editor);
    let mut program = start.run();
    program.wait_for("mend the fence").press("fence\r");
    program.wait_for("the answer about mend the fence").press("v");
    program.wait_for("EDITING").wait_for(" icanon");
    // The editor gets everything that is typed.
    program.press("quick brown fox\r").wait_for_alternate(true);
    program.wait_for("the answer about mend the fence").press("q");
    program.wait_for("1 of 2").press("\u{3}");
    program.end();
    program.expect_restored();
    let edited = std::fs::read_to_string(home.user_home().join("edited"));
    assert_eq!(edited.expect("the editor's file"), "quick brown fox\n");
}

#[test]
fn resuming_hands_the_terminal_to_the_client() {
    let home = home();
    let client =
        script(&home, "claude", "pwd\necho \"CLIENT $@\"\nstty -a | grep -o ' icanon'\nexit 7");
    let start = unspool(&home).variable("UNSPOOL_CLAUDE", &client);
    let mut program = start.run();
    program.wait_for("mend the fence").press("fence").wait_for("1 of 2");
    program.press("\u{12}").wait_for("run it").press("\r");
    program.wait_for(&format!("CLIENT --resume {}", uuid("one")));
    program.wait_for(" icanon");
    assert_eq!(program.end().exit_code(), 7, "the client's own");
    program.expect_restored();
    assert!(program.text().contains("/work"), "{}", program.text());
}

#[test]
fn another_size_is_painted_whole() {
    let home = home();
    let mut program = unspool(&home).sized(120, 35).run();
    program.wait_for("mend the fence").resize(60, 20);
    program.wait_for("mend the fence").resize(30, 8);
    program.wait_for("unspool needs").resize(200, 50);
    program.wait_for("mend the fence");
    // The first key after a resize is handled at once.
    program.resize(100, 30).wait_for("mend the fence");
    program.press("b").wait_for("› b");
    program.resize(90, 30).press("o").wait_for("› bo");
    program.press("\u{3}");
    program.end();
    program.expect_restored();
}
