//! Settings of driven sessions.

use clap::Parser as _;

use super::parse;
use crate::cli::CliArgs;
use crate::settings::*;

fn resolve(variables: &[(&'static str, &str)], file: &str) -> DrivingSettings {
    let flags = CliArgs::parse_from(["unspool"]).global;
    let file = parse(file).expect("a file of settings");
    Settings::resolve(&flags, &Environment::with(variables), &file).driving
}

#[test]
fn the_client_is_a_path_or_a_name_with_first_arguments() {
    for (variable, file, program, arguments) in [
        ("", "", "claude", &[][..]),
        ("", "client = 'other'", "other", &[]),
        ("", "client = '~/bin/claude'", "/home/me/bin/claude", &[]),
        (
            "",
            "client = ['./claude', '--debug', 'a b']",
            "/home/me/.config/unspool/./claude",
            &["--debug", "a b"],
        ),
        ("named", "client = 'other'", "named", &[]),
        ("./here", "client = 'other'", "/home/me/work/./here", &[]),
    ] {
        let client = resolve(&[("UNSPOOL_CLAUDE", variable)], file).client.value;
        assert_eq!(client.program, PathBuf::from(program), "{variable} {file}");
        assert_eq!(client.arguments, arguments, "{file}");
    }
}

#[test]
fn deadlines_by_variable_file_and_default() {
    let file = "idle_timeout = 60\nwaiting_timeout = false";
    let seconds = |variables: &[(&'static str, &str)], file| {
        let driving = resolve(variables, file);
        let (idle, waiting) = (driving.idle.value, driving.waiting.value);
        (idle.seconds(), waiting.seconds())
    };
    assert_eq!(seconds(&[], ""), (Some(300), Some(1800)));
    assert_eq!(seconds(&[], file), (Some(60), None));
    let set = [("IDLE_TIMEOUT", "off"), ("WAITING_TIMEOUT", "5")];
    assert_eq!(seconds(&set, file), (None, Some(5)));
    let odd = [("IDLE_TIMEOUT", "soon"), ("WAITING_TIMEOUT", "0")];
    assert_eq!(seconds(&odd, file), (Some(60), None));
}

#[test]
fn the_home_of_the_client_is_its_own() {
    let home = |variables: &[(&'static str, &str)]| resolve(variables, "").own_home;
    assert_eq!(home(&[]), Some("/home/me/.claude".into()));
    assert_eq!(home(&[("CLAUDE_CONFIG_DIR", "x")]), Some("/home/me/work/x".into()));
    let command = resolve(&[], "on_waiting = ['say', 'hi there']").on_waiting;
    assert_eq!(command.value, ["say", "hi there"]);
}
