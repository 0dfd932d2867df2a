//! Errors of wrong settings files.
//!
//! `wrong.txt` contains such files, separated by lines of dashes. After each are its expected errors,
//! marked by an arrow.

use super::{PATH, parse};
use crate::settings::*;

/// Returns the errors of a file, without its name.
fn wrong(text: &str) -> Vec<String> {
    let Err(error) = parse(text) else {
        return Vec::new();
    };
    let prefix = "~/.config/unspool/config.toml:";
    let strip = |line: &str| line.strip_prefix(prefix).expect("a place").to_owned();
    error.to_string().lines().map(strip).collect()
}

#[test]
fn what_is_wrong_is_told_with_its_place_and_with_what_is_right() {
    for case in include_str!("wrong.txt").split("---\n") {
        let (said, file): (Vec<&str>, Vec<&str>) =
            case.lines().partition(|line| line.starts_with("=> "));
        let said: Vec<&str> = said.iter().map(|line| &line["=> ".len()..]).collect();
        assert_eq!(wrong(&file.join("\n")), said, "{case}");
    }
    let long = format!("refresh = '{}'", "é".repeat(500));
    assert!(wrong(&long)[0].len() < 200);
}

#[test]
fn everything_that_is_wrong_is_told_at_once_in_the_order_of_the_file() {
    let text = "refresh = 1\ncolour = 1\n[display]\nwidth = 1\npagr = 'x'";
    let places: Vec<String> = wrong(text)
        .iter()
        .map(|line| line.split(": ").next().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(places, ["1:11", "2:1", "4:9", "5:1"]);
}

#[test]
fn what_is_no_toml_is_told_with_its_place() {
    for (text, place) in [
        ("refresh = \n", "1:"),
        ("[display\ncolor = 'auto'", "1:"),
        ("\nhomes", "2:"),
        ("refresh = true\nrefresh = false", "2:1:"),
        ("[display]\n[display]", "2:"),
    ] {
        let complaints = wrong(text);
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert!(complaints[0].starts_with(place), "{complaints:?}");
    }
}

#[test]
fn a_file_may_be_empty_or_begin_with_a_byte_order_mark() {
    for text in ["", "\n", "# nothing\n", "\u{feff}", "\u{feff}refresh = true"] {
        assert!(wrong(text).is_empty(), "{text:?}");
    }
    assert_eq!(wrong("\u{feff}refresh = 1"), ["1:11: `refresh` must be true or false, not 1"]);
    let home = Some(Path::new("/home/me"));
    let latin = FileSettings::parse(b"# caf\xe9\n", Path::new(PATH), home);
    let message = latin.expect_err("not UTF-8").to_string();
    assert_eq!(message, "~/.config/unspool/config.toml:1:6: this is not UTF-8");
}

#[test]
fn the_example_says_nothing_and_means_what_it_says() {
    assert!(wrong(EXAMPLE).is_empty());
    let set: String = EXAMPLE
        .lines()
        .map(|line| match line.strip_prefix('#') {
            Some(setting) if !setting.starts_with(' ') => format!("{setting}\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    let file = parse(&set).expect("every setting in it is right");
    assert!(file.homes.is_some() && file.index.is_some() && file.refresh.is_some());
    assert!(file.archive.is_some());
    assert!(file.color.is_some() && file.pager.is_some());
    assert!(file.width.is_some() && file.zone.is_some());
    assert_eq!(file.prices.len(), 1);
    assert_eq!(file.redact.len(), 1);
}
