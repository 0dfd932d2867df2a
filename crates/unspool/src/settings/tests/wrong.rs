//! What is said about a file that is not as it should be.

use super::{PATH, parse};
use crate::settings::*;

/// Returns the complaints about a file, without its name.
fn wrong(text: &str) -> Vec<String> {
    let Err(error) = parse(text) else {
        return Vec::new();
    };
    let prefix = "~/.config/unspool/config.toml:";
    let strip = |line: &str| line.strip_prefix(prefix).expect("a place").to_owned();
    error.to_string().lines().map(strip).collect()
}

#[test]
fn unknown_keys_are_told_with_their_place_and_the_nearest_right_name() {
    for (text, expected) in [
        ("home = []", "1:1: unknown key `home`; did you mean `homes`?"),
        ("\n\n[dispaly]\ncolor = 'x'", "3:2: unknown key `dispaly`; did you mean `display`?"),
        (
            "[display]\n  colour = 'auto'",
            "2:3: unknown key `colour` in [display]; did you mean `color`?",
        ),
        (
            "[display]\ntz = 'utc'",
            "2:1: unknown key `tz` in [display]; known are color, pager, width, time_zone",
        ),
        ("color = 'auto'", "1:1: unknown key `color`; it belongs under [display]"),
        (
            "[display]\nwidth = 80\nrefresh = false",
            "3:1: unknown key `refresh` in [display]; it belongs at the top of the file, before any [table]",
        ),
        (
            "display = { \"é\" = 1, widht = 80 }",
            "1:13: unknown key `é` in [display]; known are color, pager, width, time_zone\n\
             1:22: unknown key `widht` in [display]; did you mean `width`?",
        ),
        (
            "[prices.x]\ninput = 1\noutput = 1\ncache_writes_5m = 1",
            "4:1: unknown key `cache_writes_5m` in [prices.\"x\"]; did you mean `cache_write_5m`?",
        ),
        (
            "\"a\\u001b\\nb\" = 1",
            "1:1: unknown key `a\\u{1b}\\nb`; known are homes, index, refresh, archive, client, idle_timeout, waiting_timeout, on_waiting, display, terminal, prices, redact",
        ),
    ] {
        assert_eq!(wrong(text).join("\n"), expected, "{text}");
    }
}

#[test]
fn a_name_with_a_dot_that_is_not_quoted_is_explained() {
    let complaints = wrong("[prices.claude-opus-4.5]\ninput = 1\noutput = 1");
    assert_eq!(
        complaints,
        ["1:23: unknown key `5` in [prices.\"claude-opus-4\"]; a name with a dot in it is quoted"]
    );
}

/// A file and what is said about it.
const WRONG_VALUES: &[(&str, &str)] = &[
    (
        "homes = '~/.claude'",
        "1:9: `homes` must be a list of folders such as [\"~/.claude\"], not \"~/.claude\"",
    ),
    ("homes = []", "1:9: `homes` must be a list of folders such as [\"~/.claude\"], not a list"),
    ("homes = [\n  '/a',\n  7,\n]", "3:3: each of `homes` must be a folder, not 7"),
    ("homes = ['']", "1:10: each of `homes` must be a folder, not \"\""),
    ("index = '~other/x'", "1:9: `index` must be a folder, not \"~other/x\""),
    ("index = 1.5", "1:9: `index` must be a folder, not 1.5"),
    ("refresh = 'yes'", "1:11: `refresh` must be true or false, not \"yes\""),
    (
        "client = ['', 'x']",
        "1:10: `client` must be a program such as \"claude\", or a list of it and its arguments, not a list",
    ),
    ("idle_timeout = 0", "1:16: `idle_timeout` must be a number of seconds, or false, not 0"),
    (
        "waiting_timeout = true",
        "1:19: `waiting_timeout` must be a number of seconds, or false, not true",
    ),
    (
        "on_waiting = 'notify-send hi'",
        "1:14: `on_waiting` must be a list of a program and its arguments such as [\"notify-send\", \"unspool\"], not \"notify-send hi\"",
    ),
    ("display = 1", "1:11: `display` must be a table: [display], not 1"),
    (
        "display.color = 'blue'",
        "1:17: `color` in [display] must be one of auto, always, never, not \"blue\"",
    ),
    (
        "display.color = 'alway'",
        "1:17: `color` in [display] must be one of auto, always, never, not \"alway\"; did you mean `always`?",
    ),
    (
        "display.color = true",
        "1:17: `color` in [display] must be one of auto, always, never, not true",
    ),
    (
        "display.pager = true",
        "1:17: `pager` in [display] must be a command such as \"less -FRX\", or false, not true",
    ),
    (
        "display.width = '80'",
        "1:17: `width` in [display] must be a whole number from 20 to 1000, not \"80\"",
    ),
    (
        "display.width = 19",
        "1:17: `width` in [display] must be a whole number from 20 to 1000, not 19",
    ),
    (
        "display.width = -1",
        "1:17: `width` in [display] must be a whole number from 20 to 1000, not -1",
    ),
    (
        "display.time_zone = 'Berlin'",
        "1:21: `time_zone` in [display] must be \"local\", \"utc\" or a time zone such as \"Europe/Berlin\", not \"Berlin\"; did you mean `Europe/Berlin`?",
    ),
    (
        "display.time_zone = 'Europe/Brelin'",
        "1:21: `time_zone` in [display] must be \"local\", \"utc\" or a time zone such as \"Europe/Berlin\", not \"Europe/Brelin\"; did you mean `Europe/Berlin`?",
    ),
    (
        "display.time_zone = 2026-01-01",
        "1:21: `time_zone` in [display] must be \"local\", \"utc\" or a time zone such as \"Europe/Berlin\", not 2026-01-01",
    ),
    ("prices = 3", "1:10: `prices` must be a table: [prices], not 3"),
    ("prices.x = 3", "1:12: `x` in [prices] must be a table with input and output, not 3"),
    ("prices.x = []", "1:12: `x` in [prices] must be a table with input and output, not a list"),
    ("prices.x = [1]", "1:12: `x` in [prices] must be a table with input and output, not a list"),
    ("[prices.x]\ninput = 1", "1:9: [prices.\"x\"] needs `output`"),
    ("[prices.\"\"]\ninput = 1\noutput = 1", "1:9: a price needs the name of a model"),
    (
        "[prices.x]\noutput = 1\ninput = -1",
        "3:9: `input` in [prices.\"x\"] must be dollars for a million tokens, not -1",
    ),
    (
        "[prices.x]\noutput = 1\ninput = nan",
        "3:9: `input` in [prices.\"x\"] must be dollars for a million tokens, not nan",
    ),
    (
        "[prices.x]\noutput = 1\ninput = '$1'",
        "3:9: `input` in [prices.\"x\"] must be dollars for a million tokens, not \"$1\"",
    ),
    (
        "[prices.x]\ninput = 1\noutput = 1\nfrom = '2026-1-1'",
        "4:8: `from` in [prices.\"x\"] must be a date such as 2026-01-31, not \"2026-1-1\"",
    ),
    (
        "[prices.x]\ninput = 1\noutput = 1\nfrom = 2026-01-01T00:00:00",
        "4:8: `from` in [prices.\"x\"] must be a date such as 2026-01-31, not 2026-01-01T00:00:00",
    ),
    (
        "redact = 'ABC'",
        "1:10: `redact` must be tables, each headed [[redact]], with a name and a pattern, not \"ABC\"",
    ),
    (
        "[redact]\nname = 'x'\npattern = 'y'",
        "1:1: `redact` must be tables, each headed [[redact]], with a name and a pattern, not a table",
    ),
    (
        "redact = [1]",
        "1:10: `redact` must be tables, each headed [[redact]], with a name and a pattern, not a list",
    ),
    ("[[redact]]\nname = 'x'", "1:1: [[redact]] needs `pattern`"),
    ("[[redact]]\npattern = 'x'", "1:1: [[redact]] needs `name`"),
    (
        "[[redact]]\nname = 7\npattern = 'y'",
        "2:8: `name` in [redact] must be a text in quotation marks, not 7",
    ),
    (
        "[[redact]]\nname = 'x'\npattern = 'y'\n[[redact]]\nname = 'a b'\npattern = 'y'",
        "5:8: `name` in [redact] cannot be used: a name consists of letters, digits, `-` and `_`, 40 at most",
    ),
    (
        "[[redact]]\nname = 'x'\npattern = '(y'",
        "3:11: `pattern` in [redact] cannot be used: unclosed group",
    ),
    (
        "[[redact]]\nname = 'x'\npattern = 'y*'",
        "3:11: `pattern` in [redact] cannot be used: it matches the empty text",
    ),
    (
        "[[redact]]\nname = 'x'\nregex = 'y'",
        "3:1: unknown key `regex` in [redact]; known are name, pattern",
    ),
];

#[test]
fn wrong_values_are_told_with_what_is_right() {
    for (text, expected) in WRONG_VALUES {
        assert_eq!(wrong(text), [*expected], "{text}");
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
