//! The precedence of settings: flag, variable, file, default.

use clap::Parser as _;
use unspool_store::home::Home;

use RefreshPolicy::{EachRequest, OnDemand};
use SettingOrigin::{Environment as Variable, Flag};

use super::{PATH, parse};
use crate::cli::CliArgs;
use crate::settings::*;

fn resolve(flags: &[&str], variables: &[(&'static str, &str)], file: &str) -> Settings {
    let flags = CliArgs::parse_from([&["unspool"], flags].concat()).global;
    let file = parse(file).expect("a file of settings");
    Settings::resolve(&flags, &Environment::with(variables), &file)
}

fn line(line: usize) -> SettingOrigin {
    SettingOrigin::File { path: PathBuf::from(PATH), line }
}

#[test]
fn homes_by_flag_variable_file_and_default() {
    let file = "homes = [\"~/a\", \"b\", \"/c\"]";
    let variable = ("CLAUDE_CONFIG_DIR", "/var");
    for (flags, variables, file, expected, origin) in [
        (
            &["--home", "/x", "--home", "y"][..],
            &[variable][..],
            file,
            &["/x", "/home/me/work/y"][..],
            Flag("--home"),
        ),
        (&[], &[variable], file, &["/var"], Variable("CLAUDE_CONFIG_DIR")),
        (
            &[],
            &[("CLAUDE_CONFIG_DIR", "")],
            file,
            &["/home/me/a", "/home/me/.config/unspool/b", "/c"],
            line(1),
        ),
        (&[], &[], "", &["/home/me/.claude"], SettingOrigin::Default),
    ] {
        let homes = resolve(flags, variables, file).homes;
        let expected = expected.iter().map(Home::new).collect();
        assert_eq!(homes, Sourced::new(HomeChoice::Folders(expected), origin));
    }
    let demo = resolve(&["--demo"], &[variable], file).homes;
    assert_eq!(demo, Sourced::new(HomeChoice::Demo, Flag("--demo")));
}

#[test]
fn the_index_by_flag_variable_file_and_default() {
    let variable = [("UNSPOOL_INDEX", "var")];
    for (flags, variables, file, expected, origin) in [
        (
            &["--index", "flag"][..],
            &variable[..],
            "index = '~/file'",
            "/home/me/work/flag",
            Flag("--index"),
        ),
        (&[], &variable, "index = '~/file'", "/home/me/work/var", Variable("UNSPOOL_INDEX")),
        (&[], &[], "index = '~/file'", "/home/me/file", line(1)),
        (&[], &[], "index = '~'", "/home/me", line(1)),
        (&[], &[], "", "/home/me/.cache/unspool", SettingOrigin::Default),
    ] {
        let index = resolve(flags, variables, file).index;
        assert_eq!(index, Sourced::new(Some(PathBuf::from(expected)), origin));
    }
}

#[test]
fn refreshing_by_flag_variable_file_and_default() {
    let variable = [("UNSPOOL_NO_REFRESH", "1")];
    for (flags, variables, file, expected, origin) in [
        (&["--no-refresh"][..], &[][..], "refresh = true", OnDemand, Flag("--no-refresh")),
        (&["--refresh"], &variable, "refresh = false", EachRequest, Flag("--refresh")),
        (&["--refresh", "--no-refresh"], &[], "", OnDemand, Flag("--no-refresh")),
        (&[], &variable, "refresh = true", OnDemand, Variable("UNSPOOL_NO_REFRESH")),
        (&[], &[("UNSPOOL_NO_REFRESH", "")], "refresh = false", OnDemand, line(1)),
        (&[], &[], "", EachRequest, SettingOrigin::Default),
    ] {
        let refresh = resolve(flags, variables, file).refresh;
        assert_eq!(refresh, Sourced::new(expected, origin), "{flags:?} {file}");
    }
}

#[test]
fn colours_by_flag_variable_file_and_default() {
    use ColorChoice::{Always, Auto, Never};
    let (no, force) = (("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1"));
    let always = "[display]\ncolor = 'always'";
    for (flags, variables, file, expected, origin) in [
        (&["--color", "always"][..], &[no][..], "", Always, Flag("--color")),
        (&["--color", "never"], &[force], always, Never, Flag("--color")),
        (&["--color", "auto"], &[no], always, Never, Variable("NO_COLOR")),
        (&["--color", "auto"], &[], always, Auto, Flag("--color")),
        (&[], &[no], always, Never, Variable("NO_COLOR")),
        (&[], &[force, no], "", Never, Variable("NO_COLOR")),
        (&[], &[force], "[display]\ncolor = 'never'", Always, Variable("CLICOLOR_FORCE")),
        (&[], &[("NO_COLOR", "")], always, Always, line(2)),
        (&[], &[], "", Auto, SettingOrigin::Default),
    ] {
        let color = resolve(flags, variables, file).display.color;
        assert_eq!(color, Sourced::new(expected, origin), "{flags:?} {file}");
    }
}

#[test]
fn the_pager_by_flag_variable_file_and_default() {
    let command = |line: &str| Pager::Command(line.to_owned());
    let (own, any) = (("UNSPOOL_PAGER", "most -s"), ("PAGER", "more"));
    let file = "[display]\npager = 'less -FRX'";
    for (flags, variables, file, expected, origin) in [
        (&["--no-pager"][..], &[own][..], file, Pager::None, Flag("--no-pager")),
        (&[], &[own, any], file, command("most -s"), Variable("UNSPOOL_PAGER")),
        (&[], &[("UNSPOOL_PAGER", ""), any], file, Pager::None, Variable("UNSPOOL_PAGER")),
        (&[], &[any], file, command("more"), Variable("PAGER")),
        (&[], &[("PAGER", "cat")], "", Pager::None, Variable("PAGER")),
        (&[], &[], file, command("less -FRX"), line(2)),
        (&[], &[], "display.pager = false", Pager::None, line(1)),
        (&[], &[], "display.pager = '  '", Pager::None, line(1)),
        (&[], &[], "", command("less"), SettingOrigin::Default),
    ] {
        let pager = resolve(flags, variables, file).display.pager;
        assert_eq!(pager, Sourced::new(expected, origin), "{flags:?} {file}");
    }
}

#[test]
fn the_width_is_that_of_the_terminal_with_a_limit() {
    let file = "[display]\nwidth = 90";
    for (columns, terminal, file, expected, origin) in [
        ("120", None, file, Width::Exactly(120), Variable("COLUMNS")),
        ("120", Some(200), file, Width::AtMost(90), line(2)),
        ("wide", None, file, Width::AtMost(90), line(2)),
        ("", None, "", Width::Terminal, SettingOrigin::Default),
    ] {
        let mut environment = Environment::with(&[("COLUMNS", columns)]);
        environment.terminal_width = terminal;
        let file = parse(file).expect("a file of settings");
        let settings =
            Settings::resolve(&CliArgs::parse_from(["unspool"]).global, &environment, &file);
        assert_eq!(settings.display.width, Sourced::new(expected, origin));
    }
}

#[test]
fn the_time_zone_by_variable_file_and_default() {
    let file = "[display]\ntime_zone = 'europe/berlin'";
    for (variables, file, expected, origin) in [
        (&[("TZ", "Asia/Tokyo")][..], file, "Asia/Tokyo", Variable("TZ")),
        (&[("TZ", "")], file, "Europe/Berlin", line(2)),
        (&[], "display.time_zone = 'UTC'", "UTC", line(1)),
        (&[], "display.time_zone = 'Local'", "local", line(1)),
        (&[], "", "local", SettingOrigin::Default),
    ] {
        let zone = resolve(&[], variables, file).display.zone;
        assert_eq!((zone.value.name.as_str(), zone.origin), (expected, origin));
    }
}

#[test]
fn prices_have_usual_cache_prices_unless_told() {
    let file = r#"
[prices.glm]
input = 1
output = 2.5

[[prices."claude-x"]]
input = 3.0
output = 15
cache_write_5m = 4
cache_write_1h = 5
cache_read = 0.125

[[prices."claude-x"]]
from = 2026-05-01
input = 6.0
output = 15

[prices.quoted]
from = "2026-05-01"
input = 0
output = 0
"#;
    let rate = |rate: unspool_store::prices::Rate| rate.usd();
    let prices = resolve(&[], &[], file).prices;
    let mut told: Vec<_> = prices
        .iter()
        .map(|price| {
            let Override { model, from, rates } = &price.value;
            let SettingOrigin::File { line, .. } = price.origin else {
                panic!("prices are set in a file");
            };
            let rates = [
                rate(rates.input),
                rate(rates.output),
                rate(rates.cache_write_5m),
                rate(rates.cache_write_1h),
                rate(rates.cache_read),
            ];
            let from = from.map(|day| day.to_string()).unwrap_or_default();
            (line, format!("{model} {from} {rates:?}"))
        })
        .collect();
    told.sort();
    let expected = [
        (2, "glm  [1.0, 2.5, 1.25, 2.0, 0.1]"),
        (6, "claude-x  [3.0, 15.0, 4.0, 5.0, 0.125]"),
        (13, "claude-x 2026-05-01 [6.0, 15.0, 7.5, 12.0, 0.6]"),
        (18, "quoted 2026-05-01 [0.0, 0.0, 0.0, 0.0, 0.0]"),
    ];
    assert_eq!(told, expected.map(|(line, text)| (line, text.to_owned())));
}

#[test]
fn patterns_to_redact_keep_their_order_and_lines() {
    let file = "[[redact]]\nname = 'ticket'\npattern = 'ABC-\\d+'\n\n\
                [[redact]]\npattern = '(?i)acme'\nname = 'customer'\n";
    let patterns = resolve(&[], &[], file).redact;
    let told: Vec<_> = patterns
        .iter()
        .map(|pattern| {
            let SettingOrigin::File { line, .. } = pattern.origin else {
                panic!("patterns are set in a file");
            };
            (line, pattern.value.name(), pattern.value.pattern())
        })
        .collect();
    assert_eq!(told, [(1, "ticket", r"ABC-\d+"), (5, "customer", "(?i)acme")]);
}
